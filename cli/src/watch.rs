//! An end to waiting. What a process maps may never answer: a file of a server that is gone, memory that somebody else is
//! to fill (userfaultfd(2)). No read of the program tells beforehand, so another thread ends it.

use crate::out;
use std::thread;
use std::time::Duration;

/// How often it is looked whether the program waits for its reader, which is not counted.
const TICK: Duration = Duration::from_millis(100);

/// Ends the program with 2 and a sentence if it takes longer than this from now on, but for the time that standard output
/// takes.
pub fn end_after(limit: Duration, what: String) {
    thread::spawn(move || {
        let mut spent = Duration::ZERO;
        while spent < limit {
            thread::sleep(TICK);
            if !out::is_writing() {
                spent += TICK;
            }
        }
        let seconds = limit.as_secs();
        out::complain(format_args!(
            "{what} cannot be read within {seconds} seconds (--seconds N: another number)"
        ));
        std::process::exit(2)
    });
}
