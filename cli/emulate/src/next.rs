//! The original definitions of interposed functions, usually the C library's.

use core::ffi::CStr;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A function that this library interposes.
pub struct Next {
    name: &'static CStr,
    /// The address of the next definition, [`MISSING`], or 0 before the first look-up.
    address: AtomicUsize,
}

/// The value for a function that has no next definition. No function has this address.
const MISSING: usize = usize::MAX;

/// Defines the list of a module's interposed functions: their numbers, and a function that looks them all up.
macro_rules! functions {
    ($($name:ident)*) => {
        #[allow(non_camel_case_types)]
        enum Number { $($name,)* }

        /// The original functions, in the order of their numbers.
        static FUNCTIONS: [$crate::next::Next; [$(stringify!($name),)*].len()] =
            [$($crate::next::Next::of(concat!(stringify!($name), "\0")),)*];

        /// Looks up all original functions. This function runs only in the constructor.
        pub fn find_all() {
            for function in &FUNCTIONS {
                function.address();
            }
        }
    };
}
pub(crate) use functions;

impl Next {
    pub const fn new(name: &'static CStr) -> Next {
        Next { name, address: AtomicUsize::new(0) }
    }

    /// Makes an entry for the function of this name. The name must end with a zero byte.
    pub const fn of(name: &'static str) -> Next {
        match CStr::from_bytes_with_nul(name.as_bytes()) {
            Ok(name) => Next::new(name),
            Err(_) => panic!("a name ends with a zero byte"),
        }
    }

    pub fn name(&self) -> &'static CStr {
        self.name
    }

    /// Returns the address of the next definition, or 0 if none exists. The first call looks it up. The constructor
    /// makes that call for every function, because a look-up is not async-signal-safe.
    pub fn address(&self) -> usize {
        // Relaxed: the code at the address was loaded before this function ran.
        match self.address.load(Relaxed) {
            0 => {
                // SAFETY: the name ends with a zero byte.
                let found = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
                let known = if found.is_null() { MISSING } else { found.expose_provenance() };
                self.address.store(known, Relaxed);
                found.addr()
            }
            MISSING => 0,
            address => address,
        }
    }

    /// Returns the address of the next definition. Exits the process if none exists.
    pub fn existing_address(&self) -> usize {
        match self.address() {
            0 => missing(self.name),
            address => address,
        }
    }

    /// Returns the next definition, as a function pointer of type `F`. Exits the process if none exists.
    ///
    /// # Safety
    /// `F` must be the type of a pointer to the function of this name.
    pub unsafe fn function<F: Copy>(&self) -> F {
        const { assert!(size_of::<F>() == size_of::<usize>()) };
        let address = self.existing_address();
        // SAFETY: a function pointer has the size of an address, and the caller guarantees the type.
        unsafe { core::mem::transmute_copy(&core::ptr::with_exposed_provenance::<()>(address)) }
    }
}

/// Prints a message and exits the process, because the program has called a function that its libc does not
/// define.
#[cold]
fn missing(name: &CStr) -> ! {
    crate::message::Line::new().text(b"libc has no function ").text(name.to_bytes()).print();
    loop {
        // SAFETY: the system call only exits the process.
        unsafe { crate::sys::call(crate::sys::SYS_exit_group, [127, 0, 0, 0, 0, 0]) };
    }
}
