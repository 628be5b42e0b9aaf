//! The list of memory blocks copied so far, with lookup by address.

use super::super::{DescriptorError, Format, Runtime};
use super::list::List;
use core::cmp::Reverse;

/// A block of the original's memory, and the address of its copy.
#[derive(Clone, Copy)]
pub struct Block {
    pub start: usize,
    /// The number of bytes from the lowest to the highest address.
    pub bytes: usize,
    pub copy: *mut (),
    /// The array's index in the queue.
    pub item: usize,
    /// A hash of the array's dimensions, or 0 if the array is contiguous.
    pub dimensions: u64,
    /// Whether the array's descriptor belongs to an allocatable.
    pub is_allocatable: bool,
    /// The index of the block with the highest end among this block and those before it in its run.
    pub farthest: usize,
}

impl Block {
    pub fn new(start: usize, bytes: usize, copy: *mut (), item: usize) -> Self {
        Block { start, bytes, copy, item, dimensions: 0, is_allocatable: false, farthest: 0 }
    }

    /// Returns the end. A zero-size array is treated as one byte long, so that its address identifies it.
    pub fn end(&self) -> usize {
        self.start.saturating_add(self.bytes.max(1))
    }

    fn contains(&self, start: usize, bytes: usize) -> bool {
        let at = start.wrapping_sub(self.start);
        at < self.bytes.max(1) && bytes <= self.bytes - at.min(self.bytes)
    }
}

/// Blocks in sorted runs, the longest first. The run lengths are the powers of two that add up to the number of blocks.
/// Adding n blocks takes O(n log² n) steps, and finding a block takes O(log² n) steps.
pub struct Blocks<'r>(List<'r, Block>);

impl<'r> Blocks<'r> {
    pub fn new(runtime: &'r Runtime, format: Format) -> Result<Self, DescriptorError> {
        List::new(runtime, format).map(Self)
    }

    pub fn add(&mut self, block: Block) -> Result<(), DescriptorError> {
        self.0.push(block)?;
        let blocks = self.0.as_mut_slice();
        let run = 1 << blocks.len().trailing_zeros();
        let at = blocks.len() - run;
        if let Some(last) = blocks.get_mut(at..) {
            last.sort_unstable_by_key(|block| (block.start, block.dimensions));
            let mut farthest = (0, (0, false));
            for (number, block) in last.iter_mut().enumerate() {
                // If an empty array and a single-byte array have the same end, prefer the single-byte one, which
                // contains both.
                farthest = core::cmp::max_by_key(farthest, (number, (block.end(), block.bytes > 0)), |f| f.1);
                block.farthest = farthest.0;
            }
        }
        Ok(())
    }

    /// Returns the runs.
    fn runs(&self) -> impl Iterator<Item = &[Block]> {
        let mut rest = self.0.as_slice();
        core::iter::from_fn(move || {
            let (run, later) = rest.split_at_checked(1 << rest.len().checked_ilog2()?)?;
            rest = later;
            Some(run)
        })
    }

    /// Returns a block that contains these bytes.
    pub fn enclosing(&self, start: usize, bytes: usize) -> Option<Block> {
        self.runs().find_map(|run| {
            let below = run.partition_point(|block| block.start <= start);
            let last = run.get(below.checked_sub(1)?)?;
            run.get(last.farthest).filter(|block| block.contains(start, bytes)).copied()
        })
    }

    /// Returns a block with this start address and dimension hash that `wanted` accepts.
    pub fn equal(&self, start: usize, dimensions: u64, wanted: impl Fn(&Block) -> bool) -> Option<Block> {
        self.runs().find_map(|run| {
            let below = run.partition_point(|block| (block.start, block.dimensions) < (start, dimensions));
            let from = run.get(below..)?;
            let mut candidates =
                from.iter().take_while(|block| (block.start, block.dimensions) == (start, dimensions));
            candidates.find(|block| wanted(block)).copied()
        })
    }

    /// Adds the blocks of another list, and returns all blocks in address order. Blocks with the same address are
    /// sorted by decreasing length; among equally long ones, those of allocatables come first. Lookups no longer work
    /// afterwards, because the runs are not restored.
    pub fn merge(&mut self, other: &Self) -> Result<&[Block], DescriptorError> {
        for block in other.0.as_slice() {
            self.0.push(*block)?;
        }
        let all = self.0.as_mut_slice();
        all.sort_unstable_by_key(|block| (block.start, Reverse(block.bytes), !block.is_allocatable));
        Ok(all)
    }
}
