//! Operations of a handler on a call, for Rust and for C.

use crate::arch::convention::shape::{Leaf, Scalar, Shape};
use crate::arch::convention::walk::{BEGUN, Convention as _, VARIADIC, copy, widened};
use crate::arch::raw::Block;

impl Block {
    /// Notes that the result is of a struct type, and how many parameters are named, if others are variadic. Whether that
    /// comes early enough: before any argument is taken.
    ///
    /// A result that goes to memory takes the pointer to it from where the caller passes one. A struct result is 0 until it is
    /// set.
    ///
    /// # Safety
    /// The caller's result is of this type.
    pub unsafe fn expect(&mut self, result: Option<&Shape<'_>>, named: Option<usize>) -> bool {
        if self.walk.flags & BEGUN != 0 {
            return false;
        }
        if let Some(named) = named {
            self.walk.flags |= VARIADIC;
            self.walk.named = named;
        }
        let Some(shape) = result else { return true };
        if !self.in_memory(shape) {
            // SAFETY: a result in registers is of four times 16 bytes at most.
            unsafe { self.give(shape, [0u8; 64].as_ptr()) };
            return true;
        }
        self.take_result_pointer();
        if !self.walk.result.is_null() {
            // SAFETY: the caller has passed a place for a result of this type, and nothing has been written there.
            unsafe { self.walk.result.write_bytes(0, shape.size) };
        }
        true
    }

    /// Takes the next argument, of a scalar type. Whether there is such a kind.
    ///
    /// # Safety
    /// The caller has passed an argument of this kind there; `to` can be written.
    #[inline(always)]
    pub unsafe fn next(&mut self, kind: u32, to: *mut u8) -> bool {
        let Some(scalar) = Scalar::of(kind) else { return false };
        // SAFETY: the caller's promise.
        unsafe {
            match self.take_register(scalar) {
                Some(from) => {
                    copy(from, to, scalar.size());
                    self.walk.taken();
                }
                None => self.next_cold(kind, to),
            }
        }
        true
    }

    /// # Safety
    /// Same as for [`next`](Block::next).
    #[cold]
    #[inline(never)]
    unsafe fn next_cold(&mut self, kind: u32, to: *mut u8) {
        let leaf = Leaf { offset: 0, kind };
        if let Some(shape) = Shape::scalar(&leaf) {
            // SAFETY: the caller's promise.
            unsafe { self.next_value(&shape, to) };
        }
    }

    /// Takes the next argument, of any type.
    ///
    /// # Safety
    /// The caller has passed an argument of this type there; `to` can be written.
    #[inline(always)]
    pub unsafe fn next_value(&mut self, shape: &Shape<'_>, to: *mut u8) {
        if shape.size > 0 || Self::PASSES_EMPTY {
            // SAFETY: the caller's promise.
            unsafe { self.take(shape, to) };
        }
        self.walk.taken();
    }

    /// Sets the result, of a scalar type. Whether there is such a kind, and, if it is returned in memory, whether
    /// [`expect`](Block::expect) has declared it.
    ///
    /// # Safety
    /// `from` can be read, and the caller's function has such a result.
    #[inline(always)]
    pub unsafe fn set(&mut self, kind: u32, from: *const u8) -> bool {
        let Some(scalar) = Scalar::of(kind) else { return false };
        // SAFETY: the caller's promise.
        unsafe {
            if let Some(register) = self.result_register(scalar) {
                register.write(widened(from, scalar));
            } else if let Some(shape) = Shape::scalar(&Leaf { offset: 0, kind }) {
                if self.is_scalar_in_memory(&shape) {
                    return self.set_struct(&shape, from);
                }
                self.give(&shape, from);
            }
        }
        true
    }

    /// Sets the result, of a struct type. Whether [`expect`](Block::expect) has declared it, if it is returned in
    /// memory.
    ///
    /// # Safety
    /// `from` can be read, and the caller's function has such a result.
    pub unsafe fn set_struct(&mut self, shape: &Shape<'_>, from: *const u8) -> bool {
        // SAFETY: the caller's promise: where a result goes to memory, there is a place for one.
        unsafe {
            if !self.in_memory(shape) {
                self.give(shape, from);
            } else if self.walk.result.is_null() {
                return false;
            } else {
                copy(from, self.walk.result, shape.size);
            }
        }
        true
    }
}
