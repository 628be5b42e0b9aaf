//! A closure with more than 16 parameters cannot be bound.

fn main() {
    #[rustfmt::skip]
    let closure = |_: u8, _: u8, _: u8, _: u8, _: u8, _: u8, _: u8, _: u8, _: u8,
                   _: u8, _: u8, _: u8, _: u8, _: u8, _: u8, _: u8, _: u8| ();
    let _callback = statictramp::bind(&closure).unwrap();
}
