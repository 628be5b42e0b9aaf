//! The vocabulary of the table: how many stubs there are, and which of them begins at an address.

/// How many stubs and slots the static table has. loom's models have a few.
pub(crate) const SLOTS: usize = if cfg!(loom) { 4 } else { number(env!("STATICTRAMP_SLOTS")) };

/// The bytes from one slot to the next that the assembly was told.
#[cfg(not(loom))]
pub(crate) const SLOT_STRIDE: usize = number(env!("STATICTRAMP_SLOT_STRIDE"));

/// Why an address is not that of a stub.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NotAStub {
    /// Outside the table.
    Foreign,
    /// Inside the table, but not where a stub begins.
    Interior,
}

/// Where the slots are and which address calls through each.
pub(crate) trait Stubs {
    /// What a stub reads its words from.
    type Slot;
    /// The slot of an index below [`SLOTS`].
    fn slot(&self, index: u32) -> &Self::Slot;
    /// What a trampoline's user calls.
    fn stub(&self, index: u32) -> *const ();
    /// The index of a stub's address; `None` for any other.
    #[cfg(not(compact))]
    fn index_at(&self, address: usize) -> Option<u32>;
    /// The index of a stub's address; of any other, what is wrong with it.
    fn index_of(&self, address: usize) -> Result<u32, NotAStub>;
    /// What a freed trampoline runs.
    fn dead_procedure(&self) -> *const ();
}

/// Which of stubs that lie `stride` bytes apart begins `offset` bytes after the first.
#[inline(always)]
pub(crate) fn number_at(offset: usize, count: usize, stride: usize) -> Option<u32> {
    (offset < count * stride && offset.is_multiple_of(stride)).then_some((offset / stride) as u32)
}

/// As [`number_at`]; of any other offset, what is wrong with it.
#[cfg(any(growing, loom, test))]
pub(crate) fn number_of(offset: usize, count: usize, stride: usize) -> Result<u32, NotAStub> {
    number_called(offset, count, stride, 0)
}

/// As [`number_of`], for an address that is called, which has `bit` set in addition. Without that bit it is not the
/// address of a stub.
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
