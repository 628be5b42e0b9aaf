//! Multithreaded examination of the files under the given paths. The results are in the order of the given paths and,
//! within each directory, in order of name.

use super::contents::{self, Found};
use super::files::location::STANDARD_INPUT;
use super::files::wants::Wants;
use super::tree::{Entry, Trees};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Number of files in a group. A thread examines one group at a time.
const TOGETHER: usize = 64;
/// Maximum number of file groups being examined or waiting for an earlier group.
const AHEAD: usize = 64;
/// Maximum number of threads. Bounds the total memory, because other limits are per thread.
const MOST_THREADS: usize = 8;

/// Result for a path.
pub enum Item {
    /// A file. `named` is true if the user named the path.
    Found { found: Found, named: bool },
    /// Why the path is not examined.
    Skipped(&'static str),
    /// Why the path cannot be read.
    Unreadable(String),
    /// A file is still being examined. This item may be passed repeatedly before the file's result.
    Busy,
}

/// The interval between two [`Item::Busy`] items.
const INTERVAL: Duration = Duration::from_millis(100);

/// The task for a path.
enum Job {
    Examine { named: bool },
    StandardInput,
    Done(Item),
}

type Group<T> = (usize, Vec<(PathBuf, T)>);

/// Examines the given files, the regular files under the given directories, and any files elsewhere that links in those
/// directories point to. `-` is standard input. If `one_file_system` is true, directories on other file systems are not
/// searched. Passes the result for each file to `each`, until `each` returns false.
pub fn files(
    paths: &[PathBuf],
    wants: &Wants,
    one_file_system: bool,
    mut each: impl FnMut(&Path, Item) -> bool,
) {
    let mut trees = Trees::new(paths, one_file_system);
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
    let (to_threads, jobs) = channel::<Group<Job>>();
    let jobs = Mutex::new(jobs);
    let current: Vec<Current> = (0..threads).map(|_| Current::default()).collect();
    std::thread::scope(|scope| {
        let (done, results) = channel();
        for current in &current {
            let (jobs, done) = (&jobs, done.clone());
            scope.spawn(move || work(jobs, current, wants, &done));
        }
        let mut order = Order {
            current: &current,
            to_threads,
            results,
            waiting: BTreeMap::new(),
            sent: 0,
            next: 0,
            group: vec![],
        };
        for path in paths {
            if !order.path(path, &mut trees, wants, &mut each) {
                return; // the threads end when the channel is closed
            }
        }
        order.finish(&mut each);
    });
}

/// The file that a thread is examining.
type Current = Mutex<Option<PathBuf>>;

fn set(current: &Current, path: Option<PathBuf>) {
    *current.lock().unwrap_or_else(PoisonError::into_inner) = path;
}

fn work(jobs: &Mutex<Receiver<Group<Job>>>, current: &Current, wants: &Wants, done: &Sender<Group<Item>>) {
    let named_wants = Wants { named: true, ..wants.clone() };
    loop {
        let group = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((number, group)) = group else { return };
        let examined = group
            .into_iter()
            .map(|(path, job)| {
                set(current, Some(path.clone()));
                let item = match job {
                    Job::Examine { named } => {
                        let wants = if named { &named_wants } else { wants };
                        Item::Found { found: contents::audit(&path, wants), named }
                    }
                    Job::StandardInput => {
                        Item::Found { found: contents::standard_input(&named_wants), named: true }
                    }
                    Job::Done(item) => item,
                };
                (path, item)
            })
            .collect();
        set(current, None);
        if done.send((number, examined)).is_err() {
            return;
        }
    }
}

/// File groups whose results the threads have not yet returned.
struct Order<'c> {
    current: &'c [Current],
    to_threads: Sender<Group<Job>>,
    results: Receiver<Group<Item>>,
    /// Results that arrived before those of an earlier group.
    waiting: BTreeMap<usize, Vec<(PathBuf, Item)>>,
    sent: usize,
    next: usize,
    group: Vec<(PathBuf, Job)>,
}

impl Order<'_> {
    /// Adds a named path. Returns false if the receiver wants no more files.
    fn path(
        &mut self,
        path: &Path,
        trees: &mut Trees,
        wants: &Wants,
        each: &mut impl FnMut(&Path, Item) -> bool,
    ) -> bool {
        if path.as_os_str() == STANDARD_INPUT {
            return self.add(path.to_owned(), Job::StandardInput, each);
        }
        match std::fs::metadata(path) {
            Err(error) => self.add(path.to_owned(), Job::Done(Item::Unreadable(error.to_string())), each),
            Ok(metadata) if metadata.is_dir() => trees.entries(path, wants, &mut |entry| match entry {
                Entry::File(path) => self.add(path, Job::Examine { named: false }, each),
                Entry::Skipped(path, why) => self.add(path, Job::Done(Item::Skipped(why)), each),
                Entry::Unreadable(path, why) => self.add(path, Job::Done(Item::Unreadable(why)), each),
            }),
            Ok(metadata) if !metadata.is_file() => {
                let why = "neither a file nor a directory".into();
                self.add(path.to_owned(), Job::Done(Item::Unreadable(why)), each)
            }
            Ok(_) if wants.excludes(path.as_os_str().as_encoded_bytes()) => true,
            Ok(_) => self.add(path.to_owned(), Job::Examine { named: true }, each),
        }
    }

    fn add(&mut self, path: PathBuf, job: Job, each: &mut impl FnMut(&Path, Item) -> bool) -> bool {
        self.group.push((path, job));
        self.group.len() < TOGETHER || self.send(each)
    }

    fn send(&mut self, each: &mut impl FnMut(&Path, Item) -> bool) -> bool {
        let group = std::mem::take(&mut self.group);
        if self.to_threads.send((self.sent, group)).is_err() {
            return false;
        }
        self.sent += 1;
        // Handles all results that the threads have returned, and waits for more if too many groups are in progress.
        while let Ok((number, group)) = self.results.try_recv() {
            self.waiting.insert(number, group);
        }
        self.deliver(each) && self.wait(AHEAD, each)
    }

    /// Waits until at most `most` groups are in progress.
    fn wait(&mut self, most: usize, each: &mut impl FnMut(&Path, Item) -> bool) -> bool {
        while self.sent - self.next > most {
            match self.results.recv_timeout(INTERVAL) {
                Ok((number, group)) => _ = self.waiting.insert(number, group),
                Err(RecvTimeoutError::Disconnected) => return false,
                Err(RecvTimeoutError::Timeout) => {
                    let held = |it: &Current| it.lock().unwrap_or_else(PoisonError::into_inner).clone();
                    if let Some(path) = self.current.iter().find_map(held)
                        && !each(&path, Item::Busy)
                    {
                        return false;
                    }
                }
            }
            if !self.deliver(each) {
                return false;
            }
        }
        true
    }

    fn deliver(&mut self, each: &mut impl FnMut(&Path, Item) -> bool) -> bool {
        while let Some(group) = self.waiting.remove(&self.next) {
            self.next += 1;
            if !group.into_iter().all(|(path, item)| each(&path, item)) {
                return false;
            }
        }
        true
    }

    fn finish(mut self, each: &mut impl FnMut(&Path, Item) -> bool) {
        if self.group.is_empty() || self.send(each) {
            self.wait(0, each);
        }
    }
}
