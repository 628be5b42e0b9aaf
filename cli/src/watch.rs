//! Time limit for reading a process. A read of mapped memory might block forever, for example if a file server no
//! longer responds, or if another program must fill the memory (userfaultfd(2)). The reading thread cannot predict
//! this, so another thread ends the program.

use crate::out;
use std::thread;
use std::time::Duration;

/// The interval at which the thread checks whether the program is waiting for the reader of its output. Such waits do
/// not count towards the limit.
const TICK: Duration = Duration::from_millis(100);

/// Makes the program print a message and exit with status 2 if it runs for longer than `limit`, not counting time
/// blocked in writes to standard output.
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
            "{what} could not be read within {seconds} seconds (--seconds N sets another limit)"
        ));
        std::process::exit(2)
    });
}
