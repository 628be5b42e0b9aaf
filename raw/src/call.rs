//! A call, as a Rust handler sees it.

use super::VaList;
use super::values::{Argument, Kind, Struct};
use crate::arch::Block;
use crate::convention::layout::size_of_kind;
use core::fmt;
use core::mem::MaybeUninit;

/// A call to a raw closure: the caller's arguments and the result. The call ends when the handler returns.
///
/// All methods are unsafe for the same reason, and share one contract: the caller's function type, which only the
/// handler's author knows, determines which values were passed.
///
/// # Safety
/// The handler must take and set values as the caller's function type prescribes. It must take the arguments in order,
/// and no more than were passed. It must set the result once, with the type that the caller expects. Variadic arguments
/// have the types to which C promotes them (`float` to `double`, and integers smaller than `int` to `int`). The handler
/// must first declare a struct result or a variadic function with [`expect`](Call::expect). The following results are
/// returned in memory, and must also be declared, as a struct whose only member has the result's type. No other scalar
/// or complex number may be declared in this way.
/// - On s390x: scalars of 16 bytes (such as `i128` and `long double`) and complex numbers.
/// - On Windows: complex numbers of more than 8 bytes and, except with Microsoft's compiler, `long double`.
/// - On 32-bit x86: `double _Complex` and `long double _Complex`.
/// - On 32-bit Arm: complex numbers, if the ABI is soft-float or the function is variadic.
/// - On RISC-V, LoongArch and MIPS: `long double _Complex`. On 32-bit RISC-V, also `long double`, and also `double
///   _Complex` unless the ABI passes a `double` in a floating-point register.
///
/// On s390x, a struct that consists of an array of one `float` or `double` cannot be described: C passes it differently
/// from a struct that contains the number directly.
///
/// A result that is not set is 0, with three exceptions: the handler must set a `long double` or `long double _Complex`
/// on x86-64, a floating-point number of any type on 32-bit x86, and an `f32` or `float _Complex` on RISC-V if the ABI
/// passes a `double` in a floating-point register. A result in memory is initially 0 if [`expect`](Call::expect) was
/// called with its type, and otherwise keeps its previous contents.
pub struct Call<'a> {
    pub(super) block: &'a mut Block,
}

impl Call<'_> {
    /// Declares that the caller's function type returns a struct, or that this type is variadic and only its first
    /// `named` parameters are named. This method must be called before the first argument is taken.
    ///
    /// # Panics
    /// Panics if an argument has already been taken. This aborts the program, as any panic in a handler does.
    ///
    /// # Safety
    /// The caller must uphold [the contract for a call](Call).
    pub unsafe fn expect(&mut self, result: Option<&Struct<'_>>, named: Option<usize>) {
        // SAFETY: the caller upholds the safety contract.
        let in_time = unsafe { self.block.expect(result.map(|result| &result.0), named) };
        assert!(in_time, "a raw closure called `expect` after taking an argument");
    }

    /// Takes the next argument, which has a scalar type known at compile time.
    ///
    /// # Safety
    /// The caller must uphold [the contract for a call](Call).
    #[inline(always)]
    pub unsafe fn next<T: Argument>(&mut self) -> T {
        const { assert_is_whole::<T>() };
        let mut value = MaybeUninit::<T>::uninit();
        // SAFETY: the caller guarantees that the argument is a value of this type. All of its bytes are written.
        unsafe {
            self.block.next(T::KIND as u32, value.as_mut_ptr().cast());
            value.assume_init()
        }
    }

    /// Takes the next argument, whose kind is known only at run time, and stores it at `to`.
    ///
    /// # Safety
    /// [The contract for a call](Call) applies. In addition, `to` must be writable, and may have any alignment.
    pub unsafe fn next_kind(&mut self, kind: Kind, to: *mut u8) {
        // SAFETY: the caller upholds the safety contract.
        unsafe { self.block.next(kind as u32, to) };
    }

    /// Takes the next argument, which has a struct type, and stores it at `to`. A non-trivial C++ class is passed as a
    /// pointer, and cannot be a result.
    ///
    /// # Safety
    /// [The contract for a call](Call) applies. In addition, `to` must be writable, and may have any alignment.
    pub unsafe fn next_struct(&mut self, of: &Struct<'_>, to: *mut u8) {
        // SAFETY: the caller upholds the safety contract.
        unsafe { self.block.next_value(&of.0, to) };
    }

    /// Returns a C `va_list` of the arguments that have not been taken, for functions such as `vsnprintf`. These
    /// arguments must all be variadic. The arguments remain in the call, so they can also be taken with
    /// [`next`](Call::next) afterwards.
    ///
    /// # Panics
    /// Panics unless [`expect`](Call::expect) has declared the function variadic. This aborts the program, as any panic
    /// in a handler does.
    ///
    /// # Safety
    /// [The contract for a call](Call) applies. All named arguments must have been taken.
    pub unsafe fn va_list(&mut self) -> VaList<'_> {
        // SAFETY: the caller upholds the safety contract.
        let list = unsafe { self.block.variadic() };
        VaList::new(
            list.expect(
                "a raw closure called `va_list` before `expect`, or before it took each named argument",
            ),
        )
    }

    /// Sets a result of a scalar type.
    ///
    /// # Panics
    /// Panics under the same conditions as [`set_struct`](Call::set_struct). Among the types for which this crate
    /// implements [`Argument`], only 128-bit integers on s390x are returned in memory.
    ///
    /// # Safety
    /// The caller must uphold [the contract for a call](Call).
    #[inline(always)]
    pub unsafe fn set<T: Argument>(&mut self, result: T) {
        const { assert_is_whole::<T>() };
        // SAFETY: the caller upholds the safety contract.
        let was_expected = unsafe { self.block.set(T::KIND as u32, (&raw const result).cast()) };
        assert!(was_expected, "{NOT_EXPECTED}");
    }

    /// Sets a result whose kind is known only at run time.
    ///
    /// # Panics
    /// Panics under the same conditions as [`set_struct`](Call::set_struct). [The contract for a call](Call) lists the
    /// kinds that are returned in memory.
    ///
    /// # Safety
    /// [The contract for a call](Call) applies. In addition, `from` must point to a value of this kind, with any
    /// alignment.
    pub unsafe fn set_kind(&mut self, kind: Kind, from: *const u8) {
        // SAFETY: the caller upholds the safety contract.
        let was_expected = unsafe { self.block.set(kind as u32, from) };
        assert!(was_expected, "{NOT_EXPECTED}");
    }

    /// Sets a result of a struct type.
    ///
    /// # Panics
    /// Panics if the result is returned in memory and [`expect`](Call::expect) has not declared it. This aborts the
    /// program.
    ///
    /// # Safety
    /// [The contract for a call](Call) applies. In addition, `from` must point to a value of this type, with any
    /// alignment.
    pub unsafe fn set_struct(&mut self, of: &Struct<'_>, from: *const u8) {
        // SAFETY: the caller upholds the safety contract.
        let was_expected = unsafe { self.block.set_value(&of.0, from) };
        assert!(was_expected, "{NOT_EXPECTED}");
    }
}

impl fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").finish_non_exhaustive()
    }
}

const NOT_EXPECTED: &str = "a raw closure set a result in memory without calling `expect` first";

/// Rejects, at compile time, a type whose size differs from its kind's.
const fn assert_is_whole<T: Argument>() {
    let size = size_of_kind(T::KIND as u32);
    assert!(size_of::<T>() == size, "the size of a type differs from that of its `Argument` kind");
}
