//! Ownership of slots: claiming, arming, releasing and looking up.
//!
//! Two pools implement one trait. [`hosted`] is for programs on an operating system, where there are many threads, a
//! table that may grow, and compiled code that may abandon trampolines without freeing them. [`bare`] is for targets
//! that have little memory and no operating system, and for targets without stubs. Neither pool contains the
//! addresses of stubs and slots. A pool gets these addresses from the table (`src/table/`), which implements
//! [`Stubs`].

#[cfg(any(compact, test))]
#[cfg_attr(not(compact), allow(dead_code))] // the tests do not use all of it
pub(crate) mod bare;
mod extra;
#[cfg(any(loom, test))]
#[path = "../tests/fake.rs"]
pub(crate) mod fake;
#[cfg(not(compact))]
pub(crate) mod hosted;
mod slot_pool;

#[cfg(compact)]
pub(crate) use bare::{Pool, Slot};
#[cfg(feature = "__slot-extra")]
pub use extra::SlotExtra;
#[cfg(not(compact))]
pub(crate) use hosted::{Pool, Slot};
pub(crate) use slot_pool::SlotPool;

/// A number that identifies one use of a slot, from a claim to its release. A number recurs only after many other
/// uses of the slot (`hosted/slot.rs` states when). Every such number is odd and therefore not 0, so an
/// `Option<Generation>` fits in one register.
pub(crate) type Generation = core::num::NonZeroU32;

/// The bit that is set in every generation number and clear in every free number.
pub(crate) const LIVE: u32 = 1;

/// A live slot: its index and its generation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Claim {
    pub(crate) index: u32,
    pub(crate) generation: Generation,
}

/// The maker of a trampoline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Owner {
    /// A program, which frees the trampoline itself.
    Program,
    /// Compiled code, for an internal procedure or a nested function. The chain is a host's frame, and `longjmp` may
    /// leave the host before it frees the trampoline.
    #[cfg(not(compact))]
    Compiler,
}

/// The state of the slot whose stub begins at an address, or the reason why no stub begins there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SlotState {
    /// A live trampoline.
    Live { claim: Claim, callee: *const (), entry: *const (), chain: *mut () },
    /// A freed trampoline, with its last callee.
    Dead { callee: *const () },
    /// A stub whose slot was never handed out.
    Unused,
    /// No stub begins at the address.
    Not(NotAStub),
}

/// The number of stubs and slots in the static table. Loom models use only a few.
pub(crate) const SLOTS: usize = if cfg!(loom) { 4 } else { number(env!("STATICTRAMP_SLOTS")) };

/// The distance in bytes between the starts of neighbouring slots, as passed to the assembler.
#[cfg(not(loom))]
pub(crate) const SLOT_STRIDE: usize = number(env!("STATICTRAMP_SLOT_STRIDE"));

/// The reason why no stub begins at an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NotAStub {
    /// Outside the table.
    Foreign,
    /// Inside the table, but not where a stub begins.
    Interior,
}

/// The slots, and the address to call for each.
pub(crate) trait Stubs {
    /// The struct from which a stub reads its words.
    type Slot;
    /// Returns the slot with this index, which must be below [`SLOTS`].
    fn slot(&self, index: u32) -> &Self::Slot;
    /// Returns the address to call for the slot with this index.
    fn stub(&self, index: u32) -> *const ();
    /// Returns the index for a stub's address, or `None` for any other address.
    #[cfg(not(compact))]
    fn index_at(&self, address: usize) -> Option<u32>;
    /// Returns the index for a stub's address, or an error for any other address.
    fn index_of(&self, address: usize) -> Result<u32, NotAStub>;
    /// Returns the procedure that a freed trampoline enters.
    fn dead_procedure(&self) -> *const ();
}

/// Returns the number of the stub that begins `offset` bytes after the first of `count` stubs, which are `stride`
/// bytes apart. Returns `None` if no stub begins there.
#[cfg_attr(portable, allow(dead_code))] // a table without stubs has no addresses to compute with
#[inline(always)]
pub(crate) fn number_at(offset: usize, count: usize, stride: usize) -> Option<u32> {
    (offset < count * stride && offset.is_multiple_of(stride)).then_some((offset / stride) as u32)
}

/// Like [`number_at`], but returns an error if no stub begins at the offset.
#[cfg(any(growing, loom, test))]
pub(crate) fn number_of(offset: usize, count: usize, stride: usize) -> Result<u32, NotAStub> {
    number_called(offset, count, stride, 0)
}

/// Like [`number_of`], but for an address to call, which has `bit` set, as Thumb code requires. Returns an error if the
/// bit is not set.
#[cfg_attr(portable, allow(dead_code))]
pub(crate) fn number_called(offset: usize, count: usize, stride: usize, bit: usize) -> Result<u32, NotAStub> {
    if offset >= count * stride {
        return Err(NotAStub::Foreign);
    }
    number_at(offset.wrapping_sub(bit), count, stride).ok_or(NotAStub::Interior)
}

const fn number(digits: &str) -> usize {
    match usize::from_str_radix(digits, 10) {
        Ok(number) => number,
        Err(_) => panic!("build.rs passes a number"),
    }
}
