//! Execution of a plan of moves (`insert.rs`), at each call through a trampoline whose stub jumps to `raw::forward`.

use super::insert::{BOXED, HEAD, ON_STACK, WORD};
use super::walk::{Convention, copy};
use crate::arch::Block;

/// The three words that the chain of a trampoline with a plan points to: context, callee, plan (`src/pool/extra.rs`).
/// They do not change during a call: only statictramp_rebind writes to one of them, and its caller must ensure that no
/// call is in progress.
pub type ExtraWords = [*mut (); 3];

/// Returns the size in bytes of the stack arguments that `raw::forward` passes to a trampoline's callee. If these
/// arguments take half a page or more, reads the memory for them page by page, so that the system extends the stack, or
/// stops the program at the stack's end.
///
/// # Safety
/// The trampoline must have a plan, and the caller must have no data below its stack pointer.
pub(crate) unsafe extern "C" fn room(chain: *const ExtraWords) -> usize {
    // SAFETY: the caller upholds the safety contract.
    let size = unsafe { *plan(chain) } as usize;
    const PAGE: usize = 4096;
    if size >= PAGE / 2 {
        let here = (&raw const size).cast::<u8>();
        for page in 1..=size / PAGE + 1 {
            // SAFETY: this memory belongs to the stack; if the stack is too small, the program ends here with a stack
            // overflow.
            unsafe { here.wrapping_sub(page * PAGE).read_volatile() };
        }
    }
    size
}

/// Returns the plan of the trampoline with this chain.
///
/// # Safety
/// The trampoline must have a plan.
unsafe fn plan(chain: *const ExtraWords) -> *const u32 {
    // SAFETY: the caller upholds the safety contract, and obtained the trampoline's address after the words were
    // stored.
    unsafe { (*chain)[2].cast_const().cast() }
}

/// Carries out a plan, and inserts the context. The block contains the argument registers, the address of the caller's
/// stack arguments in `walk.stack`, and the trampoline's chain in `walk.result`. The words from `stack` on, which on
/// every processor end at or below the block, are for the callee's arguments.
///
/// A plan is in writable memory. This function skips every move to a target outside the block and these words, so an
/// overwritten plan cannot change the adapter's return address, which is above the block. On PowerPC and MIPS, it can
/// change a register in the block that the adapter restores for its caller.
///
/// # Safety
/// The block must belong to a call through a trampoline with a plan, and `stack` must have room for as many bytes as
/// [`room`] has returned.
pub(crate) unsafe extern "C" fn arrange(block: *mut Block, stack: *mut u8) {
    let room = block.addr().wrapping_sub(stack.addr());
    let target = |location: u32, size: usize| {
        let on_stack = location & ON_STACK != 0;
        let (start, len) = if on_stack { (stack, room) } else { (block.cast::<u8>(), size_of::<Block>()) };
        let offset = (location & !ON_STACK) as usize;
        (offset.saturating_add(size) <= len).then(|| start.wrapping_add(offset))
    };
    // SAFETY: the plan was made for the caller's signature, so each source exists, and `target` checks each target. A
    // block has no destructor, so it may be copied. The moves read from a copy, because some moves write to registers
    // that other moves read.
    unsafe {
        let saved = block.read();
        let chain: *const ExtraWords = saved.walk.result.cast();
        let plan = plan(chain);
        let from_stack = saved.walk.stack;
        let source = |location: u32| match location & ON_STACK {
            0 => (&raw const saved).cast::<u8>().add(location as usize),
            _ => from_stack.add((location & !ON_STACK) as usize),
        };
        if *plan.add(1) != 0 {
            (*block).pops_result();
        }
        let mut moves = plan.add(HEAD);
        for _ in 0..*plan.add(3) {
            let [from, to, size] = moves.cast::<[u32; 3]>().read();
            moves = moves.add(3);
            if size & BOXED == 0 {
                if let Some(to) = target(to, size as usize) {
                    copy(source(from), to, size as usize);
                }
            } else if let Some(to) = target(to, size_of::<u64>()) {
                let number = u64::from(source(from).cast::<u32>().read_unaligned());
                to.cast::<u64>().write_unaligned(number | 0xffff_ffff << 32);
            }
        }
        if let Some(to) = target(*plan.add(2), WORD) {
            to.cast::<*mut ()>().write((*chain)[0]);
        }
    }
}
