//! The C function that reports whether a Fortran procedure may keep the address of an argument.

use core::ffi::{c_int, c_uint};
use statictramp_capi::for_interop::{EINVAL, fail};
use statictramp_interop::capture::{Actual, Dummy, Passed, Procedure, call_may_capture, may_capture};

/// Facts about a procedure, its dummy argument and a call's actual argument, as bits for statictramp_may_capture.
#[repr(C)]
pub enum StatictrampCapture {
    /// The procedure has an explicit interface.
    ExplicitInterface = 1,
    /// The procedure has the BIND(C) attribute.
    BindC = 2,
    /// The dummy argument is a procedure.
    DummyProcedure = 4,
    /// The dummy argument has the TARGET attribute.
    DummyTarget = 8,
    /// The dummy argument has the POINTER attribute.
    DummyPointer = 16,
    /// The dummy argument has the ASYNCHRONOUS attribute.
    DummyAsynchronous = 32,
    /// The dummy argument has the VOLATILE attribute.
    DummyVolatile = 64,
    /// The dummy argument has the VALUE attribute.
    DummyValue = 128,
    /// The query concerns a single call. The larger values describe that call, and are allowed only with this bit.
    /// Without this bit, the query concerns all calls to the procedure.
    ThisCall = 256,
    /// The actual argument has the TARGET attribute.
    ActualTarget = 512,
    /// The actual argument has the POINTER attribute.
    ActualPointer = 1024,
    /// The call passes a copy of the actual argument.
    ActualTemporary = 2048,
    /// The query concerns the address of the descriptor that a call passes, not the address of the data.
    OfDescriptor = 4096,
}

/// Determines whether Fortran's rules allow a procedure to keep the address of an argument after the call. `known` is the
/// sum of the statictramp_capture values for all known facts; values about the actual argument or the descriptor's
/// address are allowed only with STATICTRAMP_CAPTURE_THIS_CALL. Returns 1 if the rules allow it and 0 if they do not, or
/// returns -1 and sets errno to EINVAL if `known` is invalid.
#[unsafe(no_mangle)]
pub extern "C" fn statictramp_may_capture(known: c_uint) -> c_int {
    let is = |bit: StatictrampCapture| known & bit as c_uint != 0;
    let of_a_call = StatictrampCapture::ActualTarget as c_uint
        | StatictrampCapture::ActualPointer as c_uint
        | StatictrampCapture::ActualTemporary as c_uint
        | StatictrampCapture::OfDescriptor as c_uint;
    let this_call = is(StatictrampCapture::ThisCall);
    if known >= 2 * StatictrampCapture::OfDescriptor as c_uint || (known & of_a_call != 0 && !this_call) {
        return fail(EINVAL, -1);
    }
    let of = Procedure {
        explicit_interface: is(StatictrampCapture::ExplicitInterface),
        bind_c: is(StatictrampCapture::BindC),
    };
    let dummy = Dummy {
        procedure: is(StatictrampCapture::DummyProcedure),
        target: is(StatictrampCapture::DummyTarget),
        pointer: is(StatictrampCapture::DummyPointer),
        asynchronous: is(StatictrampCapture::DummyAsynchronous),
        volatile: is(StatictrampCapture::DummyVolatile),
        value: is(StatictrampCapture::DummyValue),
    };
    let actual = Actual {
        target: is(StatictrampCapture::ActualTarget),
        pointer: is(StatictrampCapture::ActualPointer),
        temporary: is(StatictrampCapture::ActualTemporary),
    };
    let passed = if is(StatictrampCapture::OfDescriptor) { Passed::Descriptor } else { Passed::Data };
    let may = if this_call { call_may_capture(of, dummy, actual, passed) } else { may_capture(of, dummy) };
    may.into()
}
