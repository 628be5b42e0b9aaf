//! Operations that a handler performs on its call, shared by the Rust and C interfaces.

use crate::arch::{Block, VaList};
use crate::convention::layout::{Layout, Leaf, Scalar};
use crate::convention::walk::{BEGUN, Convention as _, VARIADIC, copy, widened};

impl Block {
    /// Declares a struct result and, if the function is variadic, the number of named parameters. Returns false if an
    /// argument has already been taken.
    ///
    /// If the result is returned in memory, takes the pointer to it from the caller's arguments. A declared result is 0
    /// until it is set.
    ///
    /// # Safety
    /// The caller must expect a result of this type.
    pub unsafe fn expect(&mut self, result: Option<&Layout<'_>>, named: Option<usize>) -> bool {
        if self.walk.flags & BEGUN != 0 {
            return false;
        }
        if let Some(named) = named {
            self.walk.flags |= VARIADIC;
            self.walk.named = named;
        }
        let Some(layout) = result else { return true };
        if !self.in_memory(layout) {
            // SAFETY: a result in registers takes at most eight times 16 bytes: v2 to v9 on 64-bit PowerPC.
            unsafe { self.give(layout, [0u8; 128].as_ptr()) };
            return true;
        }
        // SAFETY: the result is returned in memory, so the caller has passed its address as an argument.
        let address = unsafe { self.locate_result().cast::<usize>().read() };
        self.walk.result = core::ptr::with_exposed_provenance_mut(address);
        self.give_address(address);
        if !self.walk.result.is_null() {
            // SAFETY: the caller has passed the address of memory for a result of this type, and nothing has been
            // written to that memory yet.
            unsafe { self.walk.result.write_bytes(0, layout.size) };
        }
        true
    }

    /// Takes the next argument, which is not a struct. Returns false if the target does not support this kind.
    ///
    /// # Safety
    /// The next argument that the caller passed must have this kind, and `to` must be writable.
    #[inline(always)]
    pub unsafe fn next(&mut self, kind: u32, to: *mut u8) -> bool {
        // SAFETY: the caller upholds the safety contract.
        unsafe {
            if let Some(scalar) = Scalar::of(kind)
                && let Some(from) = self.take_register(scalar)
            {
                copy(from, to, scalar.size());
                self.walk.taken();
                return true;
            }
            self.next_cold(kind, to)
        }
    }

    /// The slow path of [`next`](Block::next).
    ///
    /// # Safety
    /// Same as for [`next`](Block::next).
    #[cold]
    #[inline(never)]
    unsafe fn next_cold(&mut self, kind: u32, to: *mut u8) -> bool {
        let leaf = Leaf::plain(kind);
        let layout = Layout::plain(&leaf);
        if let Some(layout) = &layout {
            // SAFETY: the caller upholds the safety contract.
            unsafe { self.next_value(layout, to) };
        }
        layout.is_some()
    }

    /// Takes the next argument, which may have any type.
    ///
    /// # Safety
    /// The next argument that the caller passed must have this type, and `to` must be writable.
    #[inline(always)]
    pub unsafe fn next_value(&mut self, layout: &Layout<'_>, to: *mut u8) {
        if layout.size > 0 || Self::PASSES_EMPTY {
            // SAFETY: the caller upholds the safety contract.
            unsafe { self.take(layout, to) };
        }
        self.walk.taken();
    }

    /// Returns C's `va_list` for the arguments that have not been taken. Returns `None` if [`expect`](Block::expect)
    /// has not declared a variadic function, or if the target passes variadic arguments differently and a named
    /// argument is left.
    ///
    /// # Safety
    /// The caller's function type must be variadic if it was declared so. The list is valid until the handler returns.
    pub unsafe fn variadic(&mut self) -> Option<VaList> {
        // SAFETY: the caller upholds the safety contract.
        self.walk.is_variadic().then(|| unsafe { self.va_list() })
    }

    /// Sets a result that is not a struct. Returns false if the target does not support this kind, or if the result is
    /// returned in memory and [`expect`](Block::expect) has not declared it.
    ///
    /// # Safety
    /// `from` must be readable, and the caller's function type must have such a result.
    #[inline(always)]
    pub unsafe fn set(&mut self, kind: u32, from: *const u8) -> bool {
        // SAFETY: the caller upholds the safety contract.
        unsafe {
            if let Some(scalar) = Scalar::of(kind)
                && let Some(register) = self.result_register(scalar)
            {
                register.write(widened(from, scalar));
                return true;
            }
            let leaf = Leaf::plain(kind);
            Layout::plain(&leaf).is_some_and(|layout| self.set_value(&layout, from))
        }
    }

    /// Sets a result of any type. Returns false if the result is returned in memory and [`expect`](Block::expect)
    /// has not declared it.
    ///
    /// # Safety
    /// `from` must be readable, and the caller's function type must have such a result.
    pub unsafe fn set_value(&mut self, layout: &Layout<'_>, from: *const u8) -> bool {
        // SAFETY: the caller upholds the safety contract. If the result is returned in memory, `expect` has obtained
        // the address of that memory.
        unsafe {
            if !self.in_memory(layout) {
                self.give(layout, from);
            } else if self.walk.result.is_null() {
                return false;
            } else {
                copy(from, self.walk.result, layout.size);
            }
        }
        true
    }
}
