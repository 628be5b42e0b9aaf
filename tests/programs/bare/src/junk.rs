//! Possible initial contents of the slots' memory: arbitrary data, and slots that an earlier program has left.

use statictramp::{FreeError, Lookup, Trampoline};

unsafe extern "C" {
    static mut __statictramp_start: [usize; 0];
    static mut __statictramp_end: [usize; 0];
}

/// The entry of such a slot.
extern "C" fn stale() {
    panic!("a slot that nobody made was entered")
}

/// Fills the memory before the first trampoline is created: first with all bits set, then with every second bit set,
/// and then with a slot that looks live. Checks that none of these contents is mistaken for a live slot.
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
        // SAFETY: this is the slots' memory, which is not in use yet.
        unsafe { start.add(word).write_volatile(content) };
    }
    assert_eq!(statictramp::live(), 0);
    let one = Trampoline::new(stale as *const (), core::ptr::null_mut()).unwrap();
    let stride = statictramp::layout().stub_stride;
    let base = one.as_ptr().wrapping_byte_sub(one.slot() * stride);
    for other in (0..statictramp::capacity()).filter(|&other| other != one.slot()) {
        let stub = base.wrapping_byte_add(other * stride);
        assert!(matches!(statictramp::lookup(stub), Ok(Lookup::Dead { callee, .. }) if callee.is_null()));
        // SAFETY: no trampoline there is live, so the call is rejected.
        assert_eq!(unsafe { statictramp::free(stub) }, Err(FreeError::Dead));
    }
}
