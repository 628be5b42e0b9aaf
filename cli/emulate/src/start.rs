//! The constructor, which runs before the constructors of all other libraries.

use crate::environment::variable;
use crate::module::{self, LinkMap};
use crate::{callbacks, children, executable, fault, report, signals};
use core::ffi::{c_char, c_int, c_long, c_void};
use core::ptr;

#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: unsafe extern "C" fn(c_int, *const *const c_char, *const *const c_char) = start;

#[used]
#[unsafe(link_section = ".fini_array")]
static DESTRUCTOR: extern "C" fn() = report::write;

/// Initialises this library. Reads the environment from the dynamic linker, because the C library's
/// `environ` is not set yet.
unsafe extern "C" fn start(_: c_int, _: *const *const c_char, environment: *const *const c_char) {
    if !in_base_namespace() {
        return; // this is the copy that the dynamic linker uses for auditing
    }
    module::FIND.address();
    callbacks::find_all();
    executable::find_all();
    signals::install(fault::entry());
    children::restore_name();
    // SAFETY: the dynamic linker passes the environment, which ends with null.
    report::start(unsafe { variable(environment, b"STATICTRAMP_EMULATE_REPORT=") });
}

/// Returns whether this copy is in the program's namespace.
fn in_base_namespace() -> bool {
    const RTLD_DL_LINKMAP: c_int = 2;
    const RTLD_DI_LMID: c_int = 1;
    unsafe extern "C" {
        fn dladdr1(
            address: *const c_void,
            info: *mut libc::Dl_info,
            extra: *mut *const LinkMap,
            flags: c_int,
        ) -> c_int;
        fn dlinfo(handle: *const c_void, request: c_int, result: *mut c_void) -> c_int;
    }
    let mut info = core::mem::MaybeUninit::<libc::Dl_info>::uninit();
    let mut map = ptr::null();
    let mut namespace: c_long = -1;
    // SAFETY: the types are those in <dlfcn.h>, and a link map is a valid handle.
    unsafe {
        if dladdr1((start as *const ()).cast(), info.as_mut_ptr(), &raw mut map, RTLD_DL_LINKMAP) == 0 {
            return false;
        }
        dlinfo(map.cast(), RTLD_DI_LMID, (&raw mut namespace).cast());
    }
    namespace == 0
}
