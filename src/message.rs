//! One-line messages that report calls after free and other errors on standard error. They are assembled on the stack
//! and usually written with a single call. The code is async-signal-safe and much smaller than `core::fmt`.

use core::num::NonZeroUsize;

const TEN: NonZeroUsize = NonZeroUsize::new(10).unwrap();
const SIXTEEN: NonZeroUsize = NonZeroUsize::new(16).unwrap();

/// A line under construction. If the line fits into the buffer, it is written with a single call; otherwise, it is
/// written in parts. No line is truncated.
pub struct Message {
    bytes: [u8; 512],
    len: usize,
}

impl Message {
    /// Whether the target has a standard error stream for messages. Boards have none.
    pub(crate) const IS_READ: bool = cfg!(any(unix, windows, feature = "std", loom));

    /// Starts a line with `statictramp: ` and this text.
    pub fn new(text: &str) -> Self {
        let mut message = Message { bytes: [0; 512], len: 0 };
        message.text("statictramp: ").text(text);
        message
    }

    fn push(&mut self, byte: u8) {
        if self.len == self.bytes.len() {
            self.write();
            self.len = 0;
        }
        if let Some(next) = self.bytes.get_mut(self.len) {
            *next = byte;
            self.len += 1;
        }
    }

    /// Appends text.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.bytes(text.as_bytes())
    }

    /// Appends bytes unchanged.
    #[inline(never)]
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        bytes.iter().for_each(|&byte| self.push(byte));
        self
    }

    /// Appends bytes of unknown origin, such as a path or a symbol. Replaces every byte that is not printable ASCII, so
    /// that terminals do not interpret it.
    #[inline(never)]
    pub fn foreign(&mut self, bytes: &[u8]) -> &mut Self {
        let printable = |byte: u8| if byte == b' ' || byte.is_ascii_graphic() { byte } else { b'?' };
        bytes.iter().for_each(|&byte| self.push(printable(byte)));
        self
    }

    /// Appends the name of a closure's type, without the path of this crate's closure module.
    pub(crate) fn type_name(&mut self, name: &str) -> &mut Self {
        name.split("statictramp::closure::kinds::").for_each(|part| {
            self.text(part);
        });
        self
    }

    /// Appends a number in decimal.
    pub fn decimal(&mut self, number: usize) -> &mut Self {
        self.digits(number, TEN)
    }

    /// Appends an address in hexadecimal.
    pub fn address(&mut self, address: *const ()) -> &mut Self {
        self.text("0x").digits(address.addr(), SIXTEEN)
    }

    #[inline(never)]
    fn digits(&mut self, number: usize, base: NonZeroUsize) -> &mut Self {
        let mut digits = [0; 20]; // usize::MAX has at most 20 digits
        let (mut rest, mut count) = (number, 0);
        for character in digits.iter_mut() {
            let digit = (rest % base) as u8;
            *character = if digit < 10 { b'0' + digit } else { b'a' - 10 + digit };
            (rest, count) = (rest / base, count + 1);
            if rest == 0 {
                break;
            }
        }
        digits.iter().take(count).rev().for_each(|&digit| self.push(digit));
        self
    }

    /// Returns the part of the line that has been assembled so far.
    #[cfg(any(test, loom))]
    pub(crate) fn as_str(&self) -> &str {
        core::str::from_utf8(&self.bytes[..self.len]).unwrap()
    }

    /// Ends the line and writes it to the standard error stream, if the target has one. Write errors are ignored.
    pub fn print(&mut self) {
        self.push(b'\n');
        self.write();
    }

    /// Writes the text that has been assembled so far.
    fn write(&mut self) {
        #[cfg(unix)]
        {
            #[cfg(all(target_os = "linux", not(loom)))]
            use crate::os::system::write;
            #[cfg(not(all(target_os = "linux", not(loom))))]
            unsafe extern "C" {
                fn write(file: core::ffi::c_int, bytes: *const core::ffi::c_void, len: usize) -> isize;
            }
            // SAFETY: the buffer contains `len` bytes.
            unsafe { write(standard_error(), self.bytes.as_ptr().cast(), self.len) };
        }
        #[cfg(all(windows, not(loom)))]
        crate::os::write_error(self.bytes.get(..self.len).unwrap_or_default());
        #[cfg(all(not(any(unix, windows)), feature = "std"))]
        {
            extern crate std;
            use std::io::Write;
            let _ = std::io::stderr().write_all(self.bytes.get(..self.len).unwrap_or_default());
        }
    }

    /// Writes the line and aborts the process.
    #[cold]
    pub fn end(&mut self) -> ! {
        #[cfg(all(unix, not(loom)))]
        {
            const SIGPIPE: core::ffi::c_int = 13;
            #[cfg(target_os = "linux")]
            use crate::os::system::ignore_signal;
            #[cfg(not(target_os = "linux"))]
            fn ignore_signal(number: core::ffi::c_int) {
                unsafe extern "C" {
                    safe fn signal(number: core::ffi::c_int, handler: usize) -> usize;
                }
                const SIG_IGN: usize = 1;
                signal(number, SIG_IGN);
            }
            ignore_signal(SIGPIPE); // if the reader has exited, SIGPIPE must not end the process before the abort
        }
        self.print();
        #[cfg(loom)]
        panic!("{}", self.as_str()); // in a model, this function panics instead of aborting, so that the process continues
        #[cfg(not(loom))]
        abort()
    }
}

/// Prints `statictramp: ` followed by this text, and aborts the process.
#[cold]
pub fn fatal(text: &str) -> ! {
    Message::new(text).end()
}

/// Aborts the process or, on a target without processes, executes a trap instruction.
#[cold]
pub fn abort() -> ! {
    #[cfg(unix)]
    {
        unsafe extern "C" {
            safe fn abort() -> !;
        }
        abort()
    }
    #[cfg(not(unix))]
    crate::arch::trap()
}

#[cfg(all(unix, not(test)))]
const fn standard_error() -> core::ffi::c_int {
    2
}

#[cfg(all(unix, test))]
fn standard_error() -> core::ffi::c_int {
    written::TO.get()
}

/// The file descriptor to which the messages of a test's thread are written.
#[cfg(all(test, unix))]
pub(crate) mod written {
    extern crate std;
    std::thread_local! { pub(crate) static TO: core::cell::Cell<core::ffi::c_int> = const { core::cell::Cell::new(2) }; }
}
