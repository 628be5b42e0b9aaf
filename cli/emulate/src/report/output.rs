//! The file of the report. Other processes may append to it at the same time, so a report of the usual size is written
//! with one system call.

use crate::sys::{self, File};

pub struct Output {
    file: File,
    /// Memory of `SIZE` bytes, or null if no memory is available.
    memory: *mut u8,
    len: usize,
    /// Whether every write to the file so far was complete.
    is_whole: bool,
}

const SIZE: usize = 1 << 18;

impl Output {
    pub fn new(file: File) -> Output {
        Output { file, memory: sys::map(SIZE, None), len: 0, is_whole: true }
    }

    pub fn write(&mut self, bytes: &[u8]) {
        if self.memory.is_null() || bytes.len() > SIZE {
            self.is_whole &= self.file.write(bytes);
            return;
        }
        if bytes.len() > SIZE - self.len {
            self.flush();
        }
        // SAFETY: the memory has room for this number of bytes, and no other code has its address.
        unsafe { self.memory.add(self.len).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        self.len += bytes.len();
    }

    /// Writes the bytes in memory. Returns whether the whole report was written.
    pub fn end(mut self) -> bool {
        self.flush();
        self.is_whole
    }

    fn flush(&mut self) {
        if !self.memory.is_null() {
            // SAFETY: this number of bytes has been written.
            self.is_whole &= self.file.write(unsafe { core::slice::from_raw_parts(self.memory, self.len) });
            self.len = 0;
        }
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if !self.memory.is_null() {
            // SAFETY: `new` mapped the memory, and no reference to it remains.
            unsafe { sys::unmap(self.memory, SIZE) };
        }
    }
}
