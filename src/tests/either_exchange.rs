//! The exchanges that the bare pool uses in tests. Each test chooses one of the two kinds; the default is the
//! processor's instructions.

use super::{AtomicU32, AtomicUsize, by_instruction, in_section};

extern crate std;
std::thread_local! {
    static HAS_SECTION: core::cell::Cell<bool> = const { core::cell::Cell::new(false) };
}

pub(crate) fn choose_section(on: bool) {
    HAS_SECTION.set(on);
}

pub(crate) fn has_section() -> bool {
    HAS_SECTION.get()
}

pub(crate) fn replace(word: &AtomicU32, from: u32, to: u32) -> bool {
    let replace = if has_section() { in_section::replace } else { by_instruction::replace };
    replace(word, from, to)
}

pub(crate) fn count(counter: &AtomicUsize) {
    (if has_section() { in_section::count } else { by_instruction::count })(counter)
}
