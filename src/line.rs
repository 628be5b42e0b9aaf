//! One line on standard error, put together on the stack and written at once: for the
//! diagnosis of a dead call and the C library's last words. Async-signal-safe, and much
//! smaller than `core::fmt`.

use core::num::NonZeroUsize;

const TEN: NonZeroUsize = NonZeroUsize::new(10).unwrap();
const SIXTEEN: NonZeroUsize = NonZeroUsize::new(16).unwrap();

/// A line under way. What does not fit is cut off.
pub struct Line {
    bytes: [u8; 512],
    len: usize,
}

impl Line {
    /// A line that starts with `statictramp: ` and this.
    pub fn new(text: &str) -> Self {
        let mut line = Line { bytes: [0; 512], len: 0 };
        line.text("statictramp: ").text(text);
        line
    }

    fn push(&mut self, byte: u8) {
        // The last byte is kept for the end of the line.
        let room = self.bytes.split_last_mut().map_or(&mut [][..], |(_, room)| room);
        if let Some(place) = room.get_mut(self.len) {
            *place = byte;
            self.len += 1;
        }
    }

    /// Appends text.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.bytes(text.as_bytes())
    }

    /// Appends bytes as they are.
    #[inline(never)]
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        bytes.iter().for_each(|&byte| self.push(byte));
        self
    }

    /// Appends bytes of somebody else's, a path or a symbol: what is not a printable character of ASCII is replaced, so
    /// that no terminal obeys it.
    #[inline(never)]
    pub fn foreign(&mut self, bytes: &[u8]) -> &mut Self {
        let printable = |byte: u8| if byte == b' ' || byte.is_ascii_graphic() { byte } else { b'?' };
        bytes.iter().for_each(|&byte| self.push(printable(byte)));
        self
    }

    /// Appends a number.
    pub fn decimal(&mut self, number: usize) -> &mut Self {
        self.digits(number, TEN)
    }

    /// Appends an address, in hexadecimal.
    pub fn address(&mut self, address: *const ()) -> &mut Self {
        self.text("0x").digits(address.addr(), SIXTEEN)
    }

    #[inline(never)]
    fn digits(&mut self, number: usize, base: NonZeroUsize) -> &mut Self {
        let mut digits = [0; 20]; // as many as usize::MAX has
        let (mut rest, mut count) = (number, 0);
        for place in digits.iter_mut() {
            let digit = (rest % base) as u8;
            *place = if digit < 10 { b'0' + digit } else { b'a' - 10 + digit };
            (rest, count) = (rest / base, count + 1);
            if rest == 0 {
                break;
            }
        }
        digits.iter().take(count).rev().for_each(|&digit| self.push(digit));
        self
    }

    /// What the line says so far.
    #[cfg(test)]
    pub(crate) fn as_str(&self) -> &str {
        core::str::from_utf8(&self.bytes[..self.len]).unwrap()
    }

    /// Ends the line and writes it to standard error, where there is one. If that is
    /// closed there is nobody to tell.
    pub fn print(&mut self) {
        if let Some(end) = self.bytes.get_mut(self.len) {
            *end = b'\n';
            self.len += 1;
        }
        #[cfg(unix)]
        {
            use core::ffi::{c_int, c_void};
            #[cfg(target_os = "linux")]
            let _unnoticed = crate::unnoticed::Unnoticed::new();
            unsafe extern "C" {
                fn write(file: c_int, bytes: *const c_void, len: usize) -> isize;
            }
            // SAFETY: the buffer holds `len` bytes.
            unsafe { write(2, self.bytes.as_ptr().cast(), self.len) };
        }
    }
}

/// Prints `statictramp: ` and this text, and ends the process.
#[cold]
pub fn fatal(text: &str) -> ! {
    Line::new(text).print();
    abort()
}

/// Ends the process; on a target without processes, traps the processor.
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
