//! The memory that has been copied: which copy belongs to an address.

use super::super::{DescriptorError, Format, Runtime};
use super::list::List;

/// Memory of the original and its copy.
#[derive(Clone, Copy)]
pub struct Block {
    pub start: usize,
    /// The number of bytes from the lowest to the highest address.
    pub bytes: usize,
    pub copy: *mut (),
    /// The number of the array in the queue.
    pub item: usize,
}

/// Blocks in sorted runs. The lengths of the runs are the powers of two whose sum is the number of blocks, the longest run
/// first. Adding n blocks takes O(n log² n) steps, and finding one O(log² n).
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
            last.sort_unstable_by_key(|block| (block.start, block.bytes));
        }
        Ok(())
    }

    /// Returns a block that `wanted` accepts. In each run, `wanted` gets the blocks that start at the address, beginning
    /// with the longest, or else the nearest block that starts below it.
    pub fn find(&self, address: usize, wanted: impl Fn(&Block) -> bool) -> Option<Block> {
        let mut rest = self.0.as_slice();
        while !rest.is_empty() {
            let (run, later) = rest.split_at_checked(1 << rest.len().ilog2())?;
            let below = run.partition_point(|block| block.start <= address);
            let nearest = run.get(..below).unwrap_or_default().iter().rev().enumerate();
            let mut candidates = nearest.take_while(|(number, block)| *number == 0 || block.start == address);
            if let Some((_, block)) = candidates.find(|(_, block)| wanted(block)) {
                return Some(*block);
            }
            rest = later;
        }
        None
    }
}
