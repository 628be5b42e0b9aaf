//! Only the guard may change the callee of its trampoline.

fn main() {
    let closure = |x: u32| x + 1;
    let callback = statictramp::bind(&closure).unwrap();
    callback.trampoline().set_chain(core::ptr::without_provenance_mut(8));
    let boxed = statictramp::boxed(closure).unwrap();
    boxed.trampoline().set_chain(core::ptr::without_provenance_mut(8));
    let _: &statictramp::Trampoline = boxed.trampoline();
}
