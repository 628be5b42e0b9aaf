//! What the slots' memory may hold at the start: anything, and what a program left that ran before.

use statictramp::{FreeError, Lookup, Trampoline};

unsafe extern "C" {
    static mut __statictramp_start: [usize; 0];
    static mut __statictramp_end: [usize; 0];
}

/// What such a slot would enter.
extern "C" fn stale() {
    panic!("a slot that nobody made was entered")
}

/// Fills it, before the first trampoline is made: all bits set, every second one, a slot that looks live, in turn. Then
/// shows that none is taken for one.
pub fn fill() {
    let (start, end) =
        ((&raw mut __statictramp_start).cast::<usize>(), (&raw mut __statictramp_end).cast::<usize>());
    let words = (end.addr() - start.addr()) / size_of::<usize>();
    assert!(words >= 2 * statictramp::capacity());
    for word in 0..words {
        let content = match (word / 2 % 3, word % 2) {
            (0, _) => !0,
            (1, _) => usize::MAX / 255 * 0xa5,
            (_, 0) => 0x1234,
            _ => stale as *const () as usize,
        };
        // SAFETY: the slots' memory, of which nothing is in use yet.
        unsafe { start.add(word).write_volatile(content) };
    }
    assert_eq!(statictramp::live(), 0);
    let one = Trampoline::new(stale as *const (), core::ptr::null_mut()).unwrap();
    let stride = statictramp::layout().stub_stride;
    let base = one.as_ptr().wrapping_byte_sub(one.slot() * stride);
    for other in (0..statictramp::capacity()).filter(|&other| other != one.slot()) {
        let stub = base.wrapping_byte_add(other * stride);
        assert_eq!(statictramp::lookup(stub), Ok(Lookup::Dead { callee: core::ptr::null() }));
        // SAFETY: nobody owns a trampoline there, so it is refused.
        assert_eq!(unsafe { statictramp::free(stub) }, Err(FreeError::Dead));
    }
}
