//! Trampolines in x86 code: opcodes stored as immediates.
//!
//! The search looks for a pattern's rarest bytes, then for its other parts nearby. Only if all parts are present are
//! the surrounding instructions decoded.

use super::decoded::{Processor, Stores};
use super::{Convention, Maker, NEAR, Parts, Site, Sites};
use memchr::{memchr_iter, memmem};

/// Maximum number of bytes (ModRM, SIB and displacement) between an instruction's opcode and its immediate.
const LONGEST_ADDRESS: usize = 6;

/// Number of bytes after the last known part to search for neighbouring trampolines' jumps.
const MOST_DECODED: usize = 1 << 16;

/// An x86 `mov` that stores an immediate or loads it into a register.
struct Immediate {
    /// Size of the stored value: 1, 2 or 4 bytes.
    width: usize,
    value: u32,
}

/// Decodes a `mov` of an immediate whose opcode is at `at`. The prefix 0x66 reduces the immediate from 4 bytes to 2.
fn immediate(code: &[u8], at: usize) -> Option<Immediate> {
    let opcode = *code.get(at)?;
    let rex = at > 0 && code[at - 1] & 0xf0 == 0x40;
    let before = if rex { at - 1 } else { at };
    let short = before > 0 && code[before - 1] == 0x66;
    let (width, at) = match opcode {
        0xb8..=0xbf => (if short { 2 } else { 4 }, at + 1),
        0xc6 => (1, at + 1 + address_len(code, at + 1)?),
        0xc7 => (if short { 2 } else { 4 }, at + 1 + address_len(code, at + 1)?),
        _ => return None,
    };
    let bytes = code.get(at..at + width)?;
    let value = bytes.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte));
    Some(Immediate { width, value })
}

/// Returns the length of the operand (ModRM, SIB, displacement) at `at`, for an instruction whose register field is 0.
fn address_len(code: &[u8], at: usize) -> Option<usize> {
    let modrm = *code.get(at)?;
    if modrm & 0x38 != 0 {
        return None;
    }
    let (mode, base) = (modrm >> 6, modrm & 7);
    let sib = mode != 3 && base == 4;
    let base = if sib { code.get(at + 1)? & 7 } else { base };
    let displacement = match mode {
        0 if base == 5 => 4,
        1 => 1,
        2 => 4,
        _ => 0,
    };
    Some(if sib { 2 } else { 1 } + displacement)
}

/// Returns the code around `at` that must contain all parts of one trampoline, and its offset.
fn window(code: &[u8], at: usize) -> (usize, &[u8]) {
    let start = at.saturating_sub(NEAR + 16);
    (start, code.get(start..code.len().min(at + NEAR + 16)).unwrap_or_default())
}

/// Finds `movabs $chain, %r10` (49 ba; x32's `mov $chain, %r10d`, 41 ba), `movabs $callee, %r11` (49 bb; GCC's no-PIE
/// `mov $callee, %r11d`, 41 bb) and `jmp *%r11` (49 ff e3), built from immediates. GCC 12 to 16 and LLVM 19 to 23
/// generate this code.
pub fn x86_64(code: &[u8], convention: Convention) -> Vec<Site> {
    let processor = Processor { bits: 64, restores_esi_edi: convention == Convention::Windows };
    let mut sites = Sites::default();
    let mut searched = 0;
    for at in memmem::find_iter(code, b"\x49\xff") {
        // The bytes 49 ff might be an `inc` or `dec` of r8 to r15 rather than part of an immediate. A separate
        // instruction (c6) after the two bytes may store the last byte of the jump.
        if matches!(code.get(at + 2), Some(0xc0..=0xc5 | 0xc7..=0xcf)) || at < searched {
            continue;
        }
        let (start, near) = window(code, at);
        let either = |last: u8| {
            memchr_iter(last, near).any(|it| it > 0 && matches!(near.get(it - 1), Some(0x49 | 0x41)))
        };
        if !either(0xba) || !either(0xbb) {
            continue;
        }
        let found = x86_64_near(near);
        let (Some(first), Some(last)) = (found.first(), found.last()) else { continue };
        // The parts of several trampolines may be interleaved, so the decoded code includes all jumps nearby.
        let (first, mut last) = (start + first.0, start + last.1);
        let longest = (last + MOST_DECODED).min(code.len());
        while let Some(next) =
            code.get(last + 1..longest.min(last + NEAR)).and_then(|rest| memmem::find(rest, b"\x49\xff"))
        {
            last += 1 + next;
        }
        let stores = Stores::around(processor, code, first, last);
        for made in stores.iter().flat_map(Stores::x86_64) {
            let by = found.iter().find(|it| (start + it.0..=start + it.1).contains(&made.first));
            sites.add_made(made, by.or(found.last()).map_or(Maker::Either, |it| it.2));
        }
        searched = last;
    }
    sites.into_vec()
}

/// Returns the offsets of the first and the last part of each possible trampoline in a window, and its probable
/// compiler.
fn x86_64_near(code: &[u8]) -> Vec<(usize, usize, Maker)> {
    const CALLEE: usize = 0;
    const CHAIN: usize = 1;
    const JUMP: usize = 2;
    const JUMP_BEGINS: usize = 3;
    const JUMP_ENDS: usize = 4;
    let mut parts = Parts::<5>::new();
    let mut found = Vec::new();
    for at in 0..code.len() {
        if !matches!(code[at], 0xb8..=0xbf | 0xc6 | 0xc7) {
            continue;
        }
        let Some(Immediate { width, value }) = immediate(code, at) else { continue };
        match (width, value) {
            (2, 0xbb49 | 0xbb41) | (4, 0xffff_bb49 | 0xffff_bb41) => parts.store(CALLEE, at),
            (2, 0xba49 | 0xba41) | (4, 0xffff_ba49 | 0xffff_ba41) => parts.store(CHAIN, at),
            (4, 0x90e3_ff49) => parts.store(JUMP, at),
            (2, 0xff49) | (4, 0xffff_ff49) => parts.store(JUMP_BEGINS, at),
            (1, 0xe3) => parts.store(JUMP_ENDS, at),
            _ => continue,
        }
        parts.complete(&[CALLEE, CHAIN, JUMP], NEAR, Maker::Gcc);
        parts.complete(&[CALLEE, CHAIN, JUMP_BEGINS, JUMP_ENDS], NEAR, Maker::Llvm);
        found.extend(parts.sites.drain(..).map(|site| (site.offset, at, site.maker)));
    }
    found
}

/// Finds `mov $chain, %ecx` (b9) and `jmp callee` (e9), with each opcode stored as a byte, as in code from GCC and LLVM.
/// If ecx holds an argument, GCC uses eax (b8, `fastcall`) or pushes the chain (68, `-mregparm=3`). GCC for i686
/// (`-march=i686`, `-mtune=pentiumpro`) loads the bytes into registers first.
pub fn i386(code: &[u8]) -> Vec<Site> {
    let chains = [0xb9, 0xb8, 0x68];
    let processor = Processor { bits: 32, restores_esi_edi: true };
    let mut sites = Sites::default();
    for at in memchr_iter(0xe9, code) {
        let direct = (2..=1 + LONGEST_ADDRESS).find_map(|back| {
            let opcode = at.checked_sub(back)?;
            let is_store = code[opcode] == 0xc6 && address_len(code, opcode + 1)? == back - 1;
            is_store.then_some(opcode)
        });
        let by_register = at.checked_sub(1).filter(|&before| matches!(code[before], 0xb0..=0xb7));
        let Some(jump) = direct.or(by_register) else { continue };
        // The opcode before the chain is an immediate, either stored (c6) or loaded into a byte register (b0 to b7).
        let (start, near) = window(code, at);
        let is_stored = |it: usize| {
            let is_store = |back: usize| {
                let opcode = it.checked_sub(back)?;
                (near[opcode] == 0xc6 && address_len(near, opcode + 1)? == back - 1).then_some(())
            };
            it > 0 && matches!(near[it - 1], 0xb0..=0xb7)
                || (2..=1 + LONGEST_ADDRESS).any(|back| is_store(back).is_some())
        };
        if !chains.iter().any(|&byte| memchr_iter(byte, near).any(is_stored)) {
            continue;
        }
        let end = start + near.len();
        let stores = Stores::around(processor, code, jump.saturating_sub(NEAR), end);
        for made in stores.iter().flat_map(Stores::i386) {
            sites.add_made(made, if direct.is_some() { Maker::Either } else { Maker::Gcc });
        }
    }
    sites.into_vec()
}
