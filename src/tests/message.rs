//! Tests of the messages that are assembled on the stack.

use crate::message::Message;

#[test]
fn numbers_and_addresses_are_formatted_in_full() {
    let text = |message: &mut Message| message.as_str().to_owned();
    extern crate std;
    use std::borrow::ToOwned;
    assert_eq!(text(Message::new("").decimal(0).text(" ").decimal(1090)), "statictramp: 0 1090");
    assert_eq!(text(Message::new("").decimal(usize::MAX)), std::format!("statictramp: {}", usize::MAX));
    let address = core::ptr::without_provenance(0x10ab_cdef);
    assert_eq!(text(Message::new("at ").address(address)), "statictramp: at 0x10abcdef");
}

#[test]
fn a_long_message_is_written_in_parts() {
    let mut message = Message::new("");
    for _ in 0..100 {
        message.text("0123456789");
    }
    assert_eq!(message.as_str(), &"0123456789".repeat(100)[512 - "statictramp: ".len()..]);
    message.print();
    assert!(message.as_str().ends_with('\n'));
}
