//! The number of stubs, and the functions that find the stub at an address.

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
