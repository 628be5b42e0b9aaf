//! Something else than a closure.

fn main() {
    let _callback = statictramp::bind::<(u32,), _>(&5).unwrap();
}
