//! 16 parameters are the most.

fn main() {
    #[rustfmt::skip]
    let closure = |_: u8, _: u8, _: u8, _: u8, _: u8, _: u8, _: u8, _: u8, _: u8,
                   _: u8, _: u8, _: u8, _: u8, _: u8, _: u8, _: u8, _: u8| ();
    let _callback = statictramp::bind(&closure).unwrap();
}
