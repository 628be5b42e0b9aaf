//! Recognition of the trampolines that compilers write on stacks: GCC 12 to 16 and LLVM 19 to 23 for x86-64.

use crate::sys::{copy_memory, read_memory};

/// A trampoline: the procedure to which it jumps, and the static chain that it passes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    pub callee: usize,
    pub chain: usize,
}

/// Length of the longest trampoline, in bytes: a landing pad, two 64-bit loads and a jump.
const LONGEST: usize = 27;

/// The landing pad of x86-64, `endbr64`.
const LANDING_PAD: [u8; 4] = [0xf3, 0x0f, 0x1e, 0xfa];

/// Returns the trampoline at an address. The address may be invalid, because the kernel reads the bytes. The bytes
/// are read only once.
fn from_kernel(address: usize) -> Option<Pair> {
    let mut bytes = [0; LONGEST];
    let readable = read_memory(address, &mut bytes);
    parse(&bytes[..readable.min(LONGEST)])
}

/// Returns the trampoline at an address, if there is one. `stack` is the current stack pointer. If the trampoline is
/// less than 1 MiB above the stack pointer, as is usual, it is read without a system call, because its memory is
/// probably part of the stack.
pub fn at(address: usize, stack: usize) -> Option<Pair> {
    const NEAR: usize = 1 << 20;
    if address.wrapping_sub(stack) >= NEAR {
        return from_kernel(address);
    }
    let mut bytes = [0; LONGEST];
    let readable = copy_memory(address, &mut bytes);
    parse(&bytes[..readable.min(LONGEST)])
}

/// Returns the trampoline at the beginning of these bytes.
fn parse(bytes: &[u8]) -> Option<Pair> {
    let bytes = bytes.strip_prefix(&LANDING_PAD).unwrap_or(bytes);
    let (callee, bytes) = match bytes {
        [0x49, 0xbb, rest @ ..] => word(rest)?, // movabs $callee, %r11
        [0x41, 0xbb, rest @ ..] => {
            // mov $callee, %r11d
            let (value, rest) = rest.split_first_chunk()?;
            (u32::from_le_bytes(*value) as usize, rest)
        }
        _ => return None,
    };
    let [0x49, 0xba, bytes @ ..] = bytes else { return None }; // movabs $chain, %r10
    let (chain, bytes) = word(bytes)?;
    // jmp *%r11; libgcc's heap trampolines encode it with a different REX prefix
    matches!(bytes, [0x49 | 0x41, 0xff, 0xe3, ..]).then_some(Pair { callee, chain })
}

fn word(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (value, rest) = bytes.split_first_chunk()?;
    Some((usize::from_le_bytes(*value), rest))
}

/// Returns whether the code at an address begins with a landing pad.
pub fn has_landing_pad(address: usize) -> bool {
    let mut bytes = [0; 4];
    read_memory(address, &mut bytes) == 4 && bytes == LANDING_PAD
}
