//! Decoder for the stubs of all supported processors. It proves that stub i takes its chain and its jump target from
//! slot i.
//!
//! A stub is accepted only if all of its bytes match `asm/`: the instructions, the distance to its slot, and the
//! filler, which must not execute. An accepted stub therefore cannot read another slot, and there are no other bytes
//! between two accepted stubs. The decoder works on bytes alone, and so decodes stubs for any of these processors on
//! any machine.

pub use crate::processors::{Encoding, decode};

/// Behaviour of a stub.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stub {
    /// The address from which the stub loads the chain, which is the address of its slot.
    pub slot: u64,
    /// The address from which the stub loads its jump target.
    pub entry: u64,
    /// The size of the instructions in bytes, including data that the instructions load.
    pub len: usize,
    /// Protection against corrupt code pointers.
    pub protection: Protection,
}

/// Protection of a stub, or of every stub of a table, against corrupt code pointers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Protection {
    /// Whether a stub may be the target of an indirect branch under IBT or BTI.
    pub landing_pad: bool,
    /// Whether a stub authenticates its jump target (AArch64 pointer authentication).
    pub signed: bool,
}

/// An error in a table: the index of the first invalid stub, and the reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Broken {
    /// The stub's index.
    pub stub: usize,
    /// The reason.
    pub why: &'static str,
}

/// Addresses and sizes of a table.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// The address of the first stub.
    pub stubs: u64,
    /// The distance in bytes from one stub to the next.
    pub stub_stride: usize,
    /// The address of the first slot.
    pub slots: u64,
    /// The distance in bytes from one slot to the next.
    pub slot_stride: usize,
}

/// Decodes all stubs of a table. `code` contains these stubs.
///
/// Returns the protection that every stub has.
///
/// # Errors
/// Returns an error that names the first invalid stub. A stub is invalid if it does not load the chain and the jump
/// target from its own slot, if it has unexpected bytes, or if its protection differs from the other stubs'.
pub fn check(encoding: Encoding, code: &[u8], layout: &Layout) -> Result<Protection, Broken> {
    let mut all = None;
    for (number, bytes) in code.chunks_exact(layout.stub_stride).enumerate() {
        let broken = |why| Broken { stub: number, why };
        let address = layout.stubs.wrapping_add((number * layout.stub_stride) as u64);
        let slot = layout.slots.wrapping_add((number * layout.slot_stride) as u64);
        let stub = decode_filled(encoding, bytes, address).map_err(broken)?;
        if stub.slot != slot {
            return Err(broken("it does not load the chain from its slot's first word"));
        }
        if stub.entry != slot.wrapping_add(encoding.word()) {
            return Err(broken("it does not load its jump target from its slot's second word"));
        }
        let all = all.get_or_insert(stub.protection);
        if all.landing_pad != stub.protection.landing_pad {
            return Err(broken("only some of the stubs up to this one have a landing pad"));
        }
        if all.signed != stub.protection.signed {
            return Err(broken("only some of the stubs up to this one authenticate their jump target"));
        }
    }
    Ok(all.unwrap_or_default())
}

/// Decodes the stub at `address`. `code` extends to the next stub.
///
/// # Errors
/// Returns the reason why the stub is invalid.
pub fn decode_filled(encoding: Encoding, code: &[u8], address: u64) -> Result<Stub, &'static str> {
    match encoding.stride() {
        Some(stride) if code.len() < stride => return Err("it is too short"),
        Some(stride) if code.len() > stride => return Err("it is too long"),
        _ => {}
    }
    let stub = decode(encoding, code, address)?;
    let filling = code.get(stub.len..).unwrap_or_default();
    let filled = filling.iter().eq(encoding.filler().iter().cycle().take(filling.len()));
    if filled { Ok(stub) } else { Err(FILLED) }
}

/// Returns the address of the slot of the stub at `address`, and the size of the stub's instructions. The instructions
/// are at the start of `code`, and any bytes may follow. Returns `None` if there is no stub that uses both words of the
/// same slot.
#[inline]
#[must_use]
pub fn slot_of(encoding: Encoding, code: &[u8], address: u64) -> Option<(u64, usize)> {
    let Stub { slot, entry, len, .. } = decode(encoding, code, address).ok()?;
    (entry == slot.wrapping_add(encoding.word())).then_some((slot, len))
}

/// The error for other instructions.
pub(crate) const OTHER: &str = "its instructions are not those of a stub";
/// The error for invalid bytes between two stubs.
pub const FILLED: &str = "the bytes between it and the next stub are not padding";

/// Returns the first words of code with little-endian instructions.
#[inline]
pub(crate) fn words<const N: usize>(code: &[u8]) -> Result<[u32; N], &'static str> {
    words_by(u32::from_le_bytes, code)
}

/// Returns the first words of code. `order` converts four bytes to a word in one of the two byte orders.
#[inline]
pub(crate) fn words_by<const N: usize>(
    order: fn([u8; 4]) -> u32,
    code: &[u8],
) -> Result<[u32; N], &'static str> {
    let mut all = code.chunks_exact(4).map(|word| order([word[0], word[1], word[2], word[3]]));
    let mut words = [0; N];
    for word in &mut words {
        *word = all.next().ok_or("it is too short")?;
    }
    Ok(words)
}

/// Returns the lowest `bits` bits of a number, sign-extended.
#[inline]
pub(crate) fn signed(value: u32, bits: u32) -> u64 {
    let unused = 32 - bits;
    i64::from((value << unused) as i32 >> unused) as u64
}

/// Returns a stub of `words` words without protection. The second word of its slot is at `slot` plus `word`.
#[inline]
pub(crate) fn plain(slot: u64, word: u64, words: usize) -> Stub {
    Stub { slot, entry: slot.wrapping_add(word), len: 4 * words, protection: Protection::default() }
}
