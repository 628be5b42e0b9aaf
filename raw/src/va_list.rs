//! C's `va_list` for a Rust handler.

use crate::arch;
use core::ffi::c_void;
use core::marker::PhantomData;

/// The variadic arguments of a call, as C's `va_list`. [`Call::va_list`](crate::Call::va_list) returns this type.
///
/// ```
/// use statictramp_raw::Call;
/// use std::ffi::{CStr, c_char, c_int, c_void};
/// use std::cell::RefCell;
///
/// unsafe extern "C" {
///     // int vsnprintf(char *, size_t, const char *, va_list);
///     fn vsnprintf(to: *mut c_char, size: usize, format: *const c_char, arguments: *mut c_void) -> c_int;
/// }
///
/// let log = RefCell::new(Vec::new());
/// let handler = |call: &mut Call<'_>| {
///     // SAFETY: the type of the callers is `void (int level, const char *format, ...)`.
///     unsafe {
///         call.expect(None, Some(2));
///         let level: c_int = call.next();
///         let format: *const c_char = call.next();
///         let mut line = [0u8; 100];
///         vsnprintf(line.as_mut_ptr().cast(), line.len(), format, call.va_list().as_mut_ptr());
///         log.borrow_mut().push((level, CStr::from_bytes_until_nul(&line).unwrap().to_owned()));
///     }
/// };
/// let callback = statictramp_raw::bind(&handler)?;
/// let logger: unsafe extern "C" fn(c_int, *const c_char, ...) = callback.as_fn();
/// // SAFETY: a C library would call it so.
/// unsafe { logger(3, c"%s: %d of %.1f".as_ptr(), c"disk".as_ptr(), 7 as c_int, 2.5f64) };
/// assert_eq!(log.take(), [(3, c"disk: 7 of 2.5".to_owned())]);
/// # Ok::<(), statictramp::AllocError>(())
/// ```
#[derive(Clone)]
pub struct VaList<'a> {
    list: arch::VaList,
    call: PhantomData<&'a mut ()>,
}

impl VaList<'_> {
    pub(crate) fn new(list: arch::VaList) -> Self {
        VaList { list, call: PhantomData }
    }

    /// Returns the value that C passes for an argument of type `va_list`: the address of the list or, on some
    /// processors, the list itself, which is also an address. The C function may change the list. To pass the same
    /// arguments again, clone the list first.
    pub fn as_mut_ptr(&mut self) -> *mut c_void {
        #[cfg(any(
            all(target_arch = "x86_64", not(windows)),
            all(target_arch = "aarch64", not(target_os = "macos")),
            target_arch = "powerpc",
            target_arch = "s390x"
        ))]
        return core::ptr::from_mut(&mut self.list).cast();
        #[cfg(not(any(
            all(target_arch = "x86_64", not(windows)),
            all(target_arch = "aarch64", not(target_os = "macos")),
            target_arch = "powerpc",
            target_arch = "s390x"
        )))]
        return self.list.cast_mut().cast();
    }
}

impl core::fmt::Debug for VaList<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("VaList").finish_non_exhaustive()
    }
}
