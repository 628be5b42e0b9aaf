//! A closure that receives OpenGL's debug messages. `GLDEBUGPROC` has seven parameters, the last of which is a context
//! that a program sets once. A library between the program and the driver may use the context for its own purposes, as
//! the library below does.

use core::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::collections::BTreeMap;

/// `GLDEBUGPROC` of `GL_KHR_debug`: source, type, id, severity, length, message, user parameter.
type OnMessage = unsafe extern "C" fn(c_uint, c_uint, c_uint, c_uint, c_int, *const c_char, *const c_void);

const SOURCE_API: c_uint = 0x8246;
const TYPE_ERROR: c_uint = 0x824c;
const TYPE_PERFORMANCE: c_uint = 0x8250;
const SEVERITY_HIGH: c_uint = 0x9146;
const SEVERITY_LOW: c_uint = 0x9148;

/// A model of a driver, with only the relevant part.
mod driver {
    use super::{OnMessage, SEVERITY_HIGH, SEVERITY_LOW, SOURCE_API, TYPE_ERROR, TYPE_PERFORMANCE};
    use core::ffi::{CStr, c_void};

    /// Does the work of `glDebugMessageCallback`, and then the work of a program that draws.
    ///
    /// # Safety
    /// The callback must be callable until this function returns.
    pub unsafe fn draw(callback: OnMessage, user: *const c_void) {
        let messages: [(_, _, _, &CStr); 3] = [
            (TYPE_PERFORMANCE, 131_218, SEVERITY_LOW, c"the shader is recompiled"),
            (TYPE_ERROR, 1281, SEVERITY_HIGH, c"GL_INVALID_VALUE in glViewport"),
            (TYPE_ERROR, 1281, SEVERITY_HIGH, c"GL_INVALID_VALUE in glScissor"),
        ];
        for (kind, id, severity, message) in messages {
            let len = message.count_bytes() as i32;
            // SAFETY: the caller upholds the safety contract, and the message is valid until the call returns.
            unsafe { callback(SOURCE_API, kind, id, severity, len, message.as_ptr(), user) };
        }
    }
}

fn main() -> Result<(), statictramp::AllocError> {
    let mut errors = BTreeMap::<c_uint, Vec<String>>::new();
    let mut all = 0;
    let listen = statictramp::by_mut(
        |source: c_uint,
         kind: c_uint,
         id: c_uint,
         severity: c_uint,
         len: c_int,
         message: *const c_char,
         user: *const c_void| {
            assert_eq!((source, user), (SOURCE_API, core::ptr::null()));
            all += 1;
            if kind == TYPE_ERROR && severity == SEVERITY_HIGH {
                // SAFETY: the driver passes a zero-terminated string.
                let message = unsafe { CStr::from_ptr(message) }.to_string_lossy();
                assert_eq!(message.len(), len as usize);
                errors.entry(id).or_default().push(message.into_owned());
            }
        },
    );
    let callback = statictramp::bind(&listen)?;
    // SAFETY: `callback` outlives the call, and the driver calls it only on this thread.
    unsafe { driver::draw(callback.as_fn(), core::ptr::null()) };
    drop(callback);

    println!("{all} messages, errors: {errors:?}");
    assert_eq!(all, 3);
    assert_eq!(errors[&1281], ["GL_INVALID_VALUE in glViewport", "GL_INVALID_VALUE in glScissor"]);
    Ok(())
}
