use crate::line::Line;

#[test]
fn numbers_are_written_in_full() {
    let text = |line: &mut Line| line.as_str().to_owned();
    extern crate std;
    use std::borrow::ToOwned;
    assert_eq!(text(Line::new("").decimal(0).text(" ").decimal(1090)), "statictramp: 0 1090");
    assert_eq!(text(Line::new("").decimal(usize::MAX)), std::format!("statictramp: {}", usize::MAX));
    let address = core::ptr::without_provenance(0x10ab_cdef);
    assert_eq!(text(Line::new("at ").address(address)), "statictramp: at 0x10abcdef");
}

#[test]
fn what_does_not_fit_is_cut_off() {
    let mut line = Line::new("");
    for _ in 0..100 {
        line.text("0123456789");
    }
    assert!(line.as_str().len() < 512);
    line.print();
    assert!(line.as_str().ends_with('\n'));
}
