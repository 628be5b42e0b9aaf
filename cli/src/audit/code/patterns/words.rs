//! Trampolines in code of AArch64, Arm and RISC-V: templates, and instructions assembled from immediates.

use super::{Doubt, MOST, Maker, NEAR, Parts, Site};
use memchr::memmem;
use std::ops::Range;

/// A word at an offset.
fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map(|word| u32::from_le_bytes(*word))
}

/// The words in `range`, at every `step` bytes.
fn words(bytes: &[u8], range: Range<usize>, step: usize) -> impl Iterator<Item = (usize, u32)> + '_ {
    range.step_by(step).map_while(|at| Some((at, word(bytes, at)?)))
}

/// The ranges around the given places, `reach` bytes in both directions. They are in ascending order, do not overlap,
/// and begin at multiples of 4.
fn joined(places: impl Iterator<Item = usize>, len: usize, reach: usize) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for place in places {
        let (start, end) = (place.saturating_sub(reach) & !3, (place + reach).min(len));
        match ranges.last_mut() {
            Some(last) if start <= last.end => last.end = end,
            _ => ranges.push(start..end),
        }
    }
    ranges
}

/// GCC copies a template, `ldr x17, callee; ldr x18, chain; br x17`, from `.text` or `.rodata`; LLVM 22 assembles `ldr
/// x15; ldr x17; br x17` from immediates. (LLVM 19 calls `__trampoline_setup` in its run-time library, which is visible
/// as a symbol.)
pub fn aarch64(bytes: &[u8], executable: bool) -> Vec<Site> {
    let mut sites: Vec<Site> = memmem::find_iter(bytes, b"\x20\x02\x1f\xd6")
        .filter(|at| at % 4 == 0)
        .filter_map(|jump| {
            let offset = jump.checked_sub(8)?;
            is_aarch64_template(word(bytes, offset)?, word(bytes, offset + 4)?).then_some(offset)
        })
        .map(|offset| Site { offset, maker: Maker::Gcc, doubt: Some(Doubt::Template) })
        .take(MOST)
        .collect();
    if executable {
        // movk r, #0xd61f, lsl #48 or #16
        let ends = [&b"\xc3\xfa\xf2"[..], b"\xc3\xba\x72"];
        let mut places: Vec<usize> = ends.iter().flat_map(|end| memmem::find_iter(bytes, end)).collect();
        places.sort_unstable();
        for range in joined(places.into_iter(), bytes.len(), NEAR) {
            let mut parts = Parts::<4>::new();
            for (at, word) in words(bytes, range, 4) {
                // movz or movk with 0x8f, the lowest bits of `ldr x15`. No other code generator emits this instruction.
                if word & 0x5f80_0000 == 0x5280_0000 && word >> 5 & 0xffff == 0x8f {
                    parts.store(3, at);
                }
                match word & !0x1f {
                    0xf2fa_c3e0 | 0x72ba_c3e0 => parts.store(0, at),
                    0xf2c0_4400 | 0x5280_4400 => parts.store(1, at), // movk x, #0x220, lsl #32; mov w, #0x220
                    0x72ab_0000 | 0xf2ab_0000 => parts.store(2, at), // movk r, #0x5800, lsl #16
                    _ => {}
                }
                parts.complete(&[0, 1, 2, 3], NEAR, Maker::Llvm);
            }
            sites.append(&mut parts.sites);
        }
    }
    sites
}

/// Whether these two words load callee and chain from adjacent words after them: 64-bit loads, or 32-bit ones (ILP32).
fn is_aarch64_template(callee: u32, chain: u32) -> bool {
    let load = |word: u32, register: u32| {
        let is_load = word & 0xbf00_001f == 0x1800_0000 | register;
        // The distance is in words.
        is_load.then_some((word >> 5 & 0x7_ffff, if word & 0x4000_0000 != 0 { 2 } else { 1 }))
    };
    let (Some((callee, size)), Some((chain, same))) = (load(callee, 17), load(chain, 18)) else {
        return false;
    };
    size == same && (3..16).contains(&callee) && chain + 1 == callee + size
}

/// GCC copies a template: `ldr ip, [pc, #..]; ldr pc, [pc, #..]` in ARM or Thumb-2 instructions, or in Thumb-1 `push
/// {r0, r1}; ldr r0, [pc, #8]; mov ip, r0; ldr r0, [pc, #8]`.
pub fn arm(bytes: &[u8]) -> Vec<Site> {
    // In both byte orders.
    const TEMPLATES: [[u8; 8]; 6] = [
        [0x00, 0xc0, 0x9f, 0xe5, 0x00, 0xf0, 0x9f, 0xe5],
        [0xe5, 0x9f, 0xc0, 0x00, 0xe5, 0x9f, 0xf0, 0x00],
        [0xdf, 0xf8, 0x04, 0xc0, 0xdf, 0xf8, 0x04, 0xf0],
        [0xf8, 0xdf, 0xc0, 0x04, 0xf8, 0xdf, 0xf0, 0x04],
        [0x03, 0xb4, 0x02, 0x48, 0x84, 0x46, 0x02, 0x48],
        [0xb4, 0x03, 0x48, 0x02, 0x46, 0x84, 0x48, 0x02],
    ];
    let places = TEMPLATES.iter().flat_map(|template| memmem::find_iter(bytes, template));
    let mut sites: Vec<Site> = places
        .filter(|at| at % 2 == 0)
        .map(|offset| Site { offset, maker: Maker::Gcc, doubt: Some(Doubt::Template) })
        .take(MOST)
        .collect();
    sites.sort_unstable_by_key(|site| site.offset);
    sites
}

/// `auipc t2, 0; ld t0, 24(t2); ld t2, 16(t2); jr t0`, with upper halves from `lui`: GCC 12, LLVM 22. LLVM assembles
/// the first half from `0x183b283` and `0x397`, and may store the second as a single constant.
pub fn riscv64(code: &[u8]) -> Vec<Site> {
    let mut sites = Vec::new();
    // `lui r, 0x183b` is part of both forms, and ends with these bytes.
    let is_lui = |&at: &usize| {
        let start = at.checked_sub(2)?;
        (word(code, start)? & !0xf80 == 0x0183_b037).then_some(())
    };
    let places = memmem::find_iter(code, b"\x83\x01").filter(|at| is_lui(at).is_some());
    for range in joined(places, code.len(), NEAR) {
        let mut parts = Parts::<5>::new();
        for (at, word) in words(code, range, 2) {
            let part = match (word & !0xf80, word >> 20) {
                (0x0183_b037, _) => 0,
                (0x0103_b037, _) => 1,
                (0x0002_8037, _) => 2,
                (_, 0x283) if is_immediate(word) => 3,
                (_, 0x397) if is_immediate(word) => 4,
                _ => continue,
            };
            parts.store(part, at);
            parts.complete(&[0, 1, 2], NEAR, Maker::Either);
            parts.complete(&[0, 3, 4], NEAR, Maker::Either);
        }
        sites.append(&mut parts.sites);
    }
    sites
}

/// `lui t2; lui t0; addi t2, t2; jr t0`, each half assembled: GCC 12.
pub fn riscv32(code: &[u8]) -> Vec<Site> {
    let mut parts = Parts::<6>::new();
    for (at, word) in words(code, 0..code.len(), 2) {
        let part = match (word & !0xf80, word >> 20) {
            (0x0003_8037, _) => 0,
            (0x0002_8037, _) => 1,
            // `addi` or `ori` with an immediate
            (_, 0x393) if is_immediate(word) => 2,
            (_, 0x067) if is_immediate(word) => 3,
            (_, 0x3b7) if is_immediate(word) => 4,
            (_, 0x2b7) if is_immediate(word) => 5,
            _ => continue,
        };
        parts.store(part, at);
        parts.complete(&[0, 1, 2, 3, 4, 5], NEAR, Maker::Gcc);
    }
    parts.sites
}

fn is_immediate(word: u32) -> bool {
    matches!(word & 0x707f, 0x0013 | 0x6013)
}
