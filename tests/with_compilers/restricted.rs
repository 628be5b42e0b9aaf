//! Programs under a kernel that denies operations. The `hardened` leg has installed the compilers in Debian sid and mounted its
//! `/proc`.

use std::path::PathBuf;
use std::process::Command;
use test_tools::{Ended, Expect, Job, copy_file, in_sid, line, prepared, root, sid};

/// The restrictions, which `tests/programs/hardened/restrict.c` requests from the kernel. The table cannot grow under `kill`, `eperm` and `no-proc`.
const ALL: [&str; 6] = ["mdwe", "kill", "eperm", "no-proc", "read-only", "address"];

/// A test's directory for its programs, and the program that denies operations.
pub struct Restricted {
    pub out: String,
    restrict: String,
    /// The test's directory in Debian sid, below the root of the chroot.
    folder: String,
    /// The restrictions that this kernel supports.
    pub all: Vec<&'static str>,
}

/// Settings of a program that runs under a restriction.
#[derive(Clone, Copy, Default)]
pub struct Settings<'a> {
    /// Maximum number of slots if growth would kill the process; 65536 by default.
    pub limit: Option<usize>,
    /// Megabytes of address space; 4096 by default.
    pub address: Option<usize>,
    /// Additional environment variables. A filter would also affect an `env` command before the program.
    pub variables: &'a [&'a str],
}

impl Restricted {
    pub fn new(name: &str) -> Restricted {
        let out = test_tools::new_directory(&format!("hardened/{name}")).display().to_string();
        let restrict = format!("{out}/restrict");
        line!("gcc -O2 -Wall -Wextra -Werror -static tests/programs/hardened/restrict.c -o {restrict}")
            .passes();
        let mut all = ALL.to_vec();
        if line!("{restrict} mdwe -- true").ended().status != 0 {
            println!("PR_SET_MDWE: not available on this kernel; the seccomp filters deny more");
            all.retain(|it| *it != "mdwe");
        }
        Restricted { out, restrict, folder: format!("statictramp-hardened/{name}"), all }
    }

    /// Returns a command under restrictions that are given as words.
    pub fn with(&self, words: &str, command: &str) -> Job {
        line!("prlimit --core=0 {} {words} -- {command}", self.restrict).into()
    }

    /// Returns a command under a restriction. If executable memory is denied, mremap is denied, too, and realloc must work
    /// without it. If growth would kill the process, the program is configured not to grow.
    pub fn under(&self, restriction: &str, settings: Settings, command: &str) -> Job {
        let (outer, inner, limit) = words(restriction, settings, "/proc");
        let restrict =
            |words: String| if words.is_empty() { words } else { format!("{} {words} --", self.restrict) };
        let variables = format!("MALLOC_MMAP_THRESHOLD_=33554432 {limit} {}", settings.variables.join(" "));
        line!("prlimit --core=0 env {variables} {} {} {command}", restrict(outer), restrict(inner)).into()
    }

    /// Returns such a command in the test's directory of Debian sid, which contains a copy of the program that denies
    /// operations.
    pub fn in_sid(&self, restriction: &str, settings: Settings, command: &str) -> Job {
        let sid = sid();
        let (outer, inner, limit) = words(restriction, settings, &format!("{}/proc", sid.display()));
        let outer = if outer.is_empty() { outer } else { format!("{} {outer} --", self.restrict) };
        let inner = if inner.is_empty() { inner } else { format!("./restrict {inner} --") };
        let variables = format!("MALLOC_MMAP_THRESHOLD_=33554432 {limit} {}", settings.variables.join(" "));
        let chroot = format!("chroot {} env -C /{} LC_ALL=C {variables}", sid.display(), self.folder);
        let word = if outer.is_empty() { "env".to_owned() } else { outer };
        line!("prlimit --core=0 {word} {chroot} {inner} {command}").into()
    }

    /// Runs a command under a restriction. It must succeed.
    #[track_caller]
    pub fn runs(&self, restriction: &str, command: &str) -> Ended {
        self.under(restriction, Settings::default(), command).ended().ends(0)
    }

    /// Runs a command under a restriction with this slot limit. It must succeed.
    #[track_caller]
    pub fn runs_with_limit(&self, restriction: &str, limit: usize, command: &str) -> Ended {
        self.under(restriction, Settings { limit: Some(limit), ..Settings::default() }, command)
            .ended()
            .ends(0)
    }

    /// Creates the test's directory of Debian sid with copies of these files and of the program that denies operations.
    pub fn fill_folder(&self, files: &[PathBuf]) -> PathBuf {
        let folder = test_tools::new_sid_directory(&self.folder);
        let own = [PathBuf::from(&self.restrict)];
        for file in files.iter().chain(&own) {
            copy_file(file, folder.join(file.file_name().unwrap()));
        }
        folder
    }

    /// Returns a command in the test's directory of Debian sid, without restrictions.
    pub fn prepare(&self, command: &str) -> Command {
        in_sid(&sid().join(&self.folder), command).into()
    }
}

/// Returns the arguments of `restrict` outside and inside a chroot, and the variable that limits growth.
fn words(restriction: &str, settings: Settings, proc: &str) -> (String, String, String) {
    let none = String::new;
    match restriction {
        "none" => (none(), none(), none()),
        "kill" => {
            (none(), "no-exec=kill".into(), format!("STATICTRAMP_LIMIT={}", settings.limit.unwrap_or(65536)))
        }
        "eperm" => (none(), "no-exec=eperm".into(), none()),
        "no-proc" => (format!("hide={proc}"), none(), none()),
        "read-only" => ("read-only".into(), none(), none()),
        "address" => (none(), format!("address={}", settings.address.unwrap_or(4096)), none()),
        other => (none(), other.into(), none()),
    }
}

/// Returns the library with 65,536 slots, for restrictions under which the table cannot grow.
pub fn large_library() -> PathBuf {
    prepared("target/prefix-STATICTRAMP-SLOTS-65536-/lib")
}

/// Returns whether the table cannot grow under the restriction.
pub fn is_static(restriction: &str) -> bool {
    ["kill", "eperm", "no-proc"].contains(&restriction)
}

/// Returns the tool, which the leg has built as a release.
pub fn tool() -> String {
    prepared("target/release/statictramp").display().to_string()
}

/// Returns the files in a directory of the checkout whose names end with `ending`.
pub fn sources(directory: &str, ending: &str) -> Vec<PathBuf> {
    let files = test_tools::files_in(root().join(directory)).into_iter();
    files.filter(|it| it.is_file() && it.to_string_lossy().ends_with(ending)).collect()
}
