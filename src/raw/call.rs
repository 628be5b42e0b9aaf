//! A call, as a handler in Rust sees it.

use super::values::{Argument, Kind, Struct};
use crate::arch::convention::shape::LONG_DOUBLE;
use crate::arch::raw::Block;
use core::fmt;
use core::mem::MaybeUninit;

/// A call of a raw closure: the caller's arguments, and the result. It ends when the handler returns.
///
/// Nothing tells what the caller has passed but the caller's type, which the handler's author knows. So all functions here
/// are unsafe for one reason, and have one contract.
///
/// # Safety
/// The handler takes and sets values as the caller's function type prescribes. It takes the arguments one after the
/// other in their order, and none after the last, variadic ones as C promotes them (`float` to `double`, and integers
/// smaller than `int` to `int`). It sets the result once, with the type that the caller expects. If the result is a
/// struct, or the function is variadic, [`expect`](Call::expect) must declare it first; on s390x also if the result is
/// an `i128` or a `long double`, which is returned like a struct with only that member. (A struct of just an array of
/// one `float` or `double` cannot be described there: C passes it otherwise than one of the number itself.)
///
/// A result that is not set is 0; but a `long double` on x86-64, any floating-point number on 32-bit x86, and an `f32`
/// on RISC-V with F, must be set. One in memory is what was there, unless [`expect`](Call::expect) was called with its
/// type, which makes it 0.
pub struct Call<'a> {
    pub(super) block: &'a mut Block,
}

impl Call<'_> {
    /// Tells what is not usual about the caller's type, before the first argument is taken: that the result is a struct,
    /// and that so many parameters are named and the others variadic.
    ///
    /// # Panics
    /// If an argument was taken, which aborts the program, as any panic of a handler does.
    ///
    /// # Safety
    /// [The contract of a call](Call).
    pub unsafe fn expect(&mut self, result: Option<&Struct<'_>>, named: Option<usize>) {
        // SAFETY: the caller's promise.
        let in_time = unsafe { self.block.expect(result.map(|result| &result.0), named) };
        assert!(in_time, "a raw closure declared what it expects of a call after taking an argument");
    }

    /// The next argument, of a scalar type.
    ///
    /// # Safety
    /// [The contract of a call](Call).
    #[inline(always)]
    pub unsafe fn next<T: Argument>(&mut self) -> T {
        const { assert_is_whole::<T>() };
        let mut value = MaybeUninit::<T>::uninit();
        // SAFETY: the caller's promise, which makes it a value of this type; all its bytes are written.
        unsafe {
            self.block.next(T::KIND as u32, value.as_mut_ptr().cast());
            value.assume_init()
        }
    }

    /// Stores the next argument, of a kind that is known at run time.
    ///
    /// # Safety
    /// [The contract of a call](Call); `to` can be written, wherever it is aligned.
    pub unsafe fn next_kind(&mut self, kind: Kind, to: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { self.block.next(kind as u32, to) };
    }

    /// Stores the next argument, of a struct type. A C++ class that is not trivial is passed as a pointer; it
    /// cannot be a result.
    ///
    /// # Safety
    /// [The contract of a call](Call); `to` can be written, wherever it is aligned.
    pub unsafe fn next_struct(&mut self, of: &Struct<'_>, to: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { self.block.next_value(&of.0, to) };
    }

    /// Sets the result, of a scalar type.
    ///
    /// # Panics
    /// On s390x as [`set_struct`](Call::set_struct), of an `i128`.
    ///
    /// # Safety
    /// [The contract of a call](Call).
    #[inline(always)]
    pub unsafe fn set<T: Argument>(&mut self, result: T) {
        const { assert_is_whole::<T>() };
        // SAFETY: the caller's promise.
        let was_expected = unsafe { self.block.set(T::KIND as u32, (&raw const result).cast()) };
        assert!(was_expected, "{NOT_EXPECTED}");
    }

    /// Sets the result, of a kind that is known at run time.
    ///
    /// # Panics
    /// On s390x as [`set_struct`](Call::set_struct), of 16 bytes.
    ///
    /// # Safety
    /// [The contract of a call](Call); a value of this kind is at `from`, wherever it is aligned.
    pub unsafe fn set_kind(&mut self, kind: Kind, from: *const u8) {
        // SAFETY: the caller's promise.
        let was_expected = unsafe { self.block.set(kind as u32, from) };
        assert!(was_expected, "{NOT_EXPECTED}");
    }

    /// Sets the result, of a struct type.
    ///
    /// # Panics
    /// If it is returned in memory and [`expect`](Call::expect) has not declared it; this aborts the program.
    ///
    /// # Safety
    /// [The contract of a call](Call); a value of this type is at `from`, wherever it is aligned.
    pub unsafe fn set_struct(&mut self, of: &Struct<'_>, from: *const u8) {
        // SAFETY: the caller's promise.
        let was_expected = unsafe { self.block.set_struct(&of.0, from) };
        assert!(was_expected, "{NOT_EXPECTED}");
    }
}

impl fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("raw::Call").finish_non_exhaustive()
    }
}

const NOT_EXPECTED: &str = "a raw closure set a result in memory, without `expect` before";

/// Fails the build for a type that is not as large as its kind.
const fn assert_is_whole<T: Argument>() {
    let size = match T::KIND {
        Kind::Int8 | Kind::Uint8 => 1,
        Kind::Int16 | Kind::Uint16 => 2,
        Kind::Int32 | Kind::Uint32 | Kind::Float => 4,
        Kind::Int64 | Kind::Uint64 | Kind::Double => 8,
        #[cfg(target_pointer_width = "64")]
        Kind::Int128 => 16,
        Kind::Pointer => size_of::<usize>(),
        Kind::LongDouble => LONG_DOUBLE,
    };
    assert!(size_of::<T>() == size, "the size of a type differs from that of its `Argument` kind");
}
