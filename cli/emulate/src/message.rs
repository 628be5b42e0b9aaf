//! Messages on standard error, composed on the stack and written with one system call.

use crate::sys;

/// A line of a message or of the report.
pub struct Line {
    bytes: [u8; 512],
    len: usize,
}

impl Line {
    pub const fn empty() -> Line {
        Line { bytes: [0; 512], len: 0 }
    }

    /// Begins a message.
    pub fn new() -> Line {
        let mut line = Line::empty();
        line.text(b"statictramp: ");
        line
    }

    /// Adds as much of the text as fits while leaving room for the line feed.
    pub fn text(&mut self, text: &[u8]) -> &mut Line {
        let room = (self.bytes.len() - 1).saturating_sub(self.len);
        let text = &text[..text.len().min(room)];
        self.bytes[self.len..self.len + text.len()].copy_from_slice(text);
        self.len += text.len();
        self
    }

    pub fn hexadecimal(&mut self, number: usize) -> &mut Line {
        self.text(b"0x").number(number, 16, 0)
    }

    /// Adds a decimal number, padded with blanks to `width`.
    pub fn decimal(&mut self, number: usize, width: usize) -> &mut Line {
        self.number(number, 10, width)
    }

    fn number(&mut self, mut number: usize, base: usize, width: usize) -> &mut Line {
        let mut digits = [b' '; 24];
        let mut at = digits.len();
        loop {
            at -= 1;
            digits[at] = b"0123456789abcdef"[number % base];
            number /= base;
            if number == 0 {
                break;
            }
        }
        let at = at.min(digits.len() - width.min(digits.len()));
        self.text(&digits[at..])
    }

    /// Adds the line feed, and returns the bytes of the line.
    pub fn end(&mut self) -> &[u8] {
        let len = self.len;
        self.bytes[len] = b'\n'; // `text` leaves room
        &self.bytes[..=len]
    }

    /// Writes the line to standard error.
    pub fn print(&mut self) {
        sys::write(2, self.end());
    }
}
