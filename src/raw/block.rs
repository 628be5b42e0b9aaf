//! The operations of a handler on a call, for Rust and for C.

use crate::arch::convention::shape::{Leaf, Scalar, Shape};
use crate::arch::convention::walk::{BEGUN, Convention as _, VARIADIC, copy, widened};
use crate::arch::raw::Block;

impl Block {
    /// Declares a struct result and, if the function is variadic, the number of named parameters. Returns false if an
    /// argument has already been taken.
    ///
    /// If the result is returned in memory, takes the pointer to that memory from the caller's arguments. A struct
    /// result is 0 until it is set.
    ///
    /// # Safety
    /// The caller must expect a result of this type.
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
            // SAFETY: a result in registers takes at most four times 16 bytes.
            unsafe { self.give(shape, [0u8; 64].as_ptr()) };
            return true;
        }
        self.take_result_pointer();
        if !self.walk.result.is_null() {
            // SAFETY: the caller has passed the address of memory for a result of this type, and nothing has been
            // written to that memory yet.
            unsafe { self.walk.result.write_bytes(0, shape.size) };
        }
        true
    }

    /// Takes the next argument, which has a scalar type. Returns false if `kind` is invalid.
    ///
    /// # Safety
    /// The next argument that the caller passed must have this kind, and `to` must be writable.
    #[inline(always)]
    pub unsafe fn next(&mut self, kind: u32, to: *mut u8) -> bool {
        let Some(scalar) = Scalar::of(kind) else { return false };
        // SAFETY: the caller upholds the safety contract.
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
            // SAFETY: the caller upholds the safety contract.
            unsafe { self.next_value(&shape, to) };
        }
    }

    /// Takes the next argument, which may have any type.
    ///
    /// # Safety
    /// The next argument that the caller passed must have this type, and `to` must be writable.
    #[inline(always)]
    pub unsafe fn next_value(&mut self, shape: &Shape<'_>, to: *mut u8) {
        if shape.size > 0 || Self::PASSES_EMPTY {
            // SAFETY: the caller upholds the safety contract.
            unsafe { self.take(shape, to) };
        }
        self.walk.taken();
    }

    /// Sets a result of a scalar type. Returns false if `kind` is invalid, or if the result is returned in memory and
    /// [`expect`](Block::expect) has not declared it.
    ///
    /// # Safety
    /// `from` must be readable, and the caller's function type must have such a result.
    #[inline(always)]
    pub unsafe fn set(&mut self, kind: u32, from: *const u8) -> bool {
        let Some(scalar) = Scalar::of(kind) else { return false };
        // SAFETY: the caller upholds the safety contract.
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

    /// Sets a result of a struct type. Returns false if the result is returned in memory and [`expect`](Block::expect)
    /// has not declared it.
    ///
    /// # Safety
    /// `from` must be readable, and the caller's function type must have such a result.
    pub unsafe fn set_struct(&mut self, shape: &Shape<'_>, from: *const u8) -> bool {
        // SAFETY: the caller upholds the safety contract. If the result is returned in memory, that memory exists.
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
