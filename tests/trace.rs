//! The hook of the feature `trace`.

use statictramp::trace::{Event, set_tracer};
use std::sync::Mutex;

static SEEN: Mutex<Vec<(&str, usize)>> = Mutex::new(Vec::new());

fn tracer(event: Event) {
    SEEN.lock().unwrap().push(match event {
        Event::Made { address, .. } => ("made", address.addr()),
        Event::Freed { address } => ("freed", address.addr()),
        _ => return,
    });
}

#[test]
fn the_tracer_is_told_of_what_is_made_and_freed() {
    set_tracer(Some(tracer));
    let closure = |x: u32| x + 1;
    let bound = statictramp::bind(&closure).unwrap();
    let first = bound.trampoline().as_ptr().addr();
    drop(bound);
    let raw = statictramp::Trampoline::new(tracer as *const (), core::ptr::null_mut()).unwrap().into_raw();
    // SAFETY: made above, and nobody calls it.
    unsafe { statictramp::free(raw) }.unwrap();
    // SAFETY: dead, so nothing is done.
    unsafe { statictramp::free(raw) }.unwrap_err();
    set_tracer(None);
    drop(statictramp::bind(&closure).unwrap());
    let expected = [("made", first), ("freed", first), ("made", raw.addr()), ("freed", raw.addr())];
    assert_eq!(*SEEN.lock().unwrap(), expected);
}
