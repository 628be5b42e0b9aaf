//! An `async` closure returns a future, which C code never runs.

fn main() {
    let closure = async |x: u32| x + 1;
    let _callback = statictramp::bind(&closure).unwrap();
    let _f = statictramp::leaked(statictramp::once(|x: u32| async move { x + 1 })).unwrap();
    let closure = statictramp::by_mut(async |x: u32| x + 1);
    let _callback = statictramp::bind::<(u32,), _>(&closure).unwrap();
}
