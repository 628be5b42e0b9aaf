//! An event loop that owns its handlers. Closures of all types are in one map, and timers are in one vector.
//!
//! Like a loop in C, the loop below takes only plain function pointers. It uses `poll` and a table of descriptors and
//! functions.

use core::ffi::{c_int, c_short};
use statictramp::{AllocError, Guard, boxed, by_mut, one_shot};
use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::rc::Rc;

/// Called when a descriptor is readable. Returns 0 to continue and 1 to remove the descriptor.
type OnReady = unsafe extern "C" fn(c_int) -> c_int;
/// A function that is called once, after the first iteration of the loop.
type Later = unsafe extern "C" fn();

/// The handlers by descriptor. Removing a handler frees its function pointer and then drops the closure.
#[derive(Default)]
struct Events {
    handlers: HashMap<c_int, Guard<OnReady>>,
    later: Vec<Later>,
}

impl Events {
    fn on_ready(&mut self, fd: c_int, handler: Guard<OnReady>) {
        self.handlers.insert(fd, handler);
    }

    /// Binds a closure that is called once. The callback need not be stored, because a one-shot callback frees itself.
    fn later(&mut self, closure: impl FnOnce() + 'static) -> Result<(), AllocError> {
        self.later.push(one_shot(closure)?);
        Ok(())
    }

    fn run(&mut self) {
        while !self.handlers.is_empty() {
            let wanted = |&fd: &c_int| libc::pollfd { fd, events: libc::POLLIN as c_short, revents: 0 };
            let mut files: Vec<_> = self.handlers.keys().map(wanted).collect();
            // SAFETY: `files` has `files.len()` elements.
            assert!(unsafe { libc::poll(files.as_mut_ptr(), files.len() as libc::nfds_t, -1) } > 0);
            for file in files.iter().filter(|file| file.revents != 0) {
                let f = self.handlers[&file.fd].as_fn();
                // SAFETY: the guard is in the map while the call runs.
                if unsafe { f(file.fd) } != 0 {
                    self.handlers.remove(&file.fd);
                }
            }
            for f in self.later.drain(..) {
                // SAFETY: each function is called only here, and only once.
                unsafe { f() };
            }
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let heard = Rc::new(RefCell::new(Vec::new()));
    let mut events = Events::default();

    // One handler collects lines until the other end closes the socket.
    let (mut here, mut there) = UnixStream::pair()?;
    let (fd, lines) = (here.as_raw_fd(), heard.clone());
    let mut text = String::new();
    let collect = by_mut(move |_: c_int| {
        let mut bytes = [0; 16];
        let len = here.read(&mut bytes).unwrap();
        text.push_str(&String::from_utf8_lossy(&bytes[..len]));
        lines
            .borrow_mut()
            .extend(text.split_inclusive('\n').filter(|line| line.ends_with('\n')).map(String::from));
        text.drain(..text.rfind('\n').map_or(0, |end| end + 1));
        c_int::from(len == 0)
    });
    events.on_ready(fd, boxed(collect)?.erase());

    // Another handler, of a different type, stops after one byte.
    let (byte, mut sender) = UnixStream::pair()?;
    let (fd, recorded) = (byte.as_raw_fd(), heard.clone());
    let record = move |ready: c_int| {
        assert_eq!(ready, byte.as_raw_fd());
        recorded.borrow_mut().push("a byte\n".into());
        1
    };
    events.on_ready(fd, Guard::new(record)?);
    events.later(move || there.write_all(b"one\ntwo\n").unwrap())?;
    sender.write_all(b"!")?;

    events.run();
    println!("{:?}", heard.borrow());
    assert_eq!(*heard.borrow(), ["a byte\n", "one\n", "two\n"]);
    assert_eq!(statictramp::live(), 0);
    Ok(())
}
