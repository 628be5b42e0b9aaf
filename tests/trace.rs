//! Tests of the hook that the `trace` feature provides.

use statictramp::trace::{Event, set_tracer};
use statictramp::{FreeError, Lookup, Trampoline};
use std::sync::Mutex;

/// The process has one hook, so tests take turns.
static ALONE: Mutex<()> = Mutex::new(());

static SEEN: Mutex<Vec<(&str, usize)>> = Mutex::new(Vec::new());

fn tracer(event: Event) {
    SEEN.lock().unwrap().push(match event {
        Event::Made { address, .. } => ("made", address.addr()),
        Event::Freed { address } => ("freed", address.addr()),
        _ => return,
    });
}

#[test]
fn the_trace_hook_reports_creation_and_free() {
    let _alone = ALONE.lock().unwrap();
    set_tracer(Some(tracer));
    let closure = |x: u32| x + 1;
    let bound = statictramp::bind(&closure).unwrap();
    let first = bound.trampoline().as_ptr().addr();
    drop(bound);
    let raw = Trampoline::new(tracer as *const (), core::ptr::null_mut()).unwrap().into_raw();
    // SAFETY: the trampoline was created above, and no code calls it.
    unsafe { statictramp::free(raw) }.unwrap();
    // SAFETY: the trampoline is already free, so this call does nothing.
    unsafe { statictramp::free(raw) }.unwrap_err();
    set_tracer(None);
    drop(statictramp::bind(&closure).unwrap());
    let expected = [("made", first), ("freed", first), ("made", raw.addr()), ("freed", raw.addr())];
    assert_eq!(*SEEN.lock().unwrap(), expected);
}

static ANOTHER: Mutex<Option<Trampoline>> = Mutex::new(None);

fn made_by_the_hook() -> std::sync::MutexGuard<'static, Option<Trampoline>> {
    ANOTHER.lock().unwrap()
}

/// A hook that itself frees the trampoline that is about to be freed, and reuses its slot for another
/// trampoline.
fn hasty(event: Event) {
    if let Event::Freed { address } = event {
        set_tracer(None);
        // SAFETY: same as for the test's own free, which comes too late.
        unsafe { statictramp::free(address) }.unwrap();
        *made_by_the_hook() = Some(Trampoline::new(hasty as *const (), core::ptr::null_mut()).unwrap());
    }
}

#[test]
fn free_never_frees_a_later_generation() {
    let _alone = ALONE.lock().unwrap();
    let raw = Trampoline::new(hasty as *const (), core::ptr::null_mut()).unwrap().into_raw();
    set_tracer(Some(hasty));
    // SAFETY: the trampoline was created above, and no code calls it.
    assert_eq!(unsafe { statictramp::free(raw) }, Err(FreeError::Dead));
    let another = made_by_the_hook().take().unwrap();
    assert_eq!(another.as_ptr(), raw);
    assert!(
        matches!(statictramp::lookup(raw), Ok(Lookup::Live { .. })),
        "the free has freed another trampoline"
    );
}
