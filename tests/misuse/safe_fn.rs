//! Safe code cannot get a pointer to a safe function.

fn main() {
    let closure = |x: u32| x + 1;
    let callback = statictramp::bind(&closure).unwrap();
    callback.as_safe_fn()(1);
    statictramp::boxed(closure).unwrap().as_safe_fn()(1);
    statictramp::Guard::new(closure).unwrap().as_safe_fn()(1);
    let raw = |call: &mut statictramp_raw::Call<'_>| unsafe { call.set(1u32) };
    statictramp_raw::bind(&raw).unwrap().as_safe_fn::<unsafe extern "C" fn() -> u32>()();
    statictramp_raw::boxed(raw).unwrap().as_safe_fn::<unsafe extern "C" fn() -> u32>()();
}
