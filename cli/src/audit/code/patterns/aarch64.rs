//! Trampolines in AArch64 code: GCC's template, and the instruction words that LLVM's code builds from immediates.

use super::flow::{self, Flow, Value, Word};
use super::words::{joined, word, words};
use super::{Doubt, MOST, Made, Maker, NEAR, Parts, Site, Sites};
use memchr::memmem;

/// Register 31: the stack pointer in addresses, the zero register as an operand.
const SP: usize = 31;
const FRAME: usize = 29;

/// `ldr x15, chain; ldr x17, callee; br x17`.
const LLVM: [Word; 3] = [
    Word { fixed: !0, bits: 0x5800_008f },
    Word { fixed: !0, bits: 0x5800_00b1 },
    Word { fixed: !0, bits: 0xd61f_0220 },
];

/// Finds trampolines in AArch64 code. GCC copies a template, `ldr x17, callee; ldr x18, chain; br x17`, from `.text` or
/// `.rodata`. LLVM 22 builds `ldr x15; ldr x17; br x17` from immediates. (Code from LLVM 19 instead calls
/// `__trampoline_setup`, a run-time library function, which is recognised by its symbol.)
pub fn aarch64(bytes: &[u8], executable: bool) -> Vec<Site> {
    let mut sites: Vec<Site> = memmem::find_iter(bytes, b"\x20\x02\x1f\xd6")
        .filter(|at| at % 4 == 0)
        .filter_map(|jump| {
            let offset = jump.checked_sub(8)?;
            is_template(word(bytes, offset)?, word(bytes, offset + 4)?).then_some(offset)
        })
        .map(|offset| Site { offset, maker: Maker::Gcc, doubt: Some(Doubt::Template) })
        .take(MOST)
        .collect();
    if executable {
        assembled(bytes, &mut sites);
    }
    sites
}

/// Adds the trampolines that LLVM's code builds.
fn assembled(code: &[u8], sites: &mut Vec<Site>) {
    let mut found = Sites::default();
    // movk r, #0xd61f, lsl #48 or #16
    let ends = [&b"\xc3\xfa\xf2"[..], b"\xc3\xba\x72"];
    let mut matches: Vec<usize> = ends.iter().flat_map(|end| memmem::find_iter(code, end)).collect();
    matches.sort_unstable();
    for range in joined(matches.into_iter(), code.len(), NEAR) {
        let mut parts = Parts::<4>::new();
        let mut last = 0;
        for (at, word) in words(code, range, 4) {
            // `movz` or `movk` with 0x8f, the lower half of `ldr x15, chain`. Parts 0 to 2 are `br x17` and the
            // instruction bits common to all literal `ldr` instructions.
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
            last = at;
        }
        let Some(first) = parts.sites.first() else { continue };
        found.add_all_made(&parts.sites, around(code, first.offset, last));
    }
    sites.append(&mut found.into_vec());
}

/// Returns whether the instruction words `callee` and `chain` load the callee and the chain from adjacent words after
/// the trampoline's instructions. The loads are 64-bit, or 32-bit for ILP32.
fn is_template(callee: u32, chain: u32) -> bool {
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

/// Decodes the code from `BEFORE` bytes before `first` to `AFTER` bytes after `last`, and returns the LLVM-style
/// trampolines that this code writes.
fn around(code: &[u8], first: usize, last: usize) -> Vec<Made> {
    let start = first.saturating_sub(flow::BEFORE) & !3;
    let end = code.len().min(last + flow::AFTER);
    let mut flow = Flow::new(SP, FRAME);
    for (at, word) in words(code, start..end, 4) {
        step(&mut flow, at, word);
    }
    // add x29, sp, #N
    let is_frame = |(_, word): (usize, u32)| word & 0xffc0_03ff == 0x9100_03fd;
    flow.made(&LLVM, 0, words(code, 0..first, 4).any(is_frame))
}

/// Simulates an instruction's effects on registers and memory.
fn step(flow: &mut Flow, at: usize, word: u32) {
    let register = |from: u32| (word >> from & 31) as usize;
    let (rd, rn) = (register(0), register(5));
    if word & 0x1c00_0000 == 0x1400_0000 {
        // Branches, and calls: bl, blr.
        if word & 0xfc00_0000 == 0x9400_0000 || word & 0xffff_fc1f == 0xd63f_0000 {
            flow.forget((0..=18).chain([30]));
        } else if word & 0xffbf_f000 == 0xd61f_0000 {
            flow.forget_addresses(0..=18); // br, ret, retaa
        }
    } else if word & 0x0a00_0000 == 0x0800_0000 {
        memory(flow, at, word);
    } else if word & 0x1f80_0000 == 0x1280_0000 {
        move_immediate(flow, rd, word);
    } else if word & 0xbf80_0000 == 0x9100_0000 {
        // add and sub of an immediate, without flags
        let by = i64::from(word >> 10 & 0xfff) << if word & 0x40_0000 != 0 { 12 } else { 0 };
        let by = if word & 0x4000_0000 != 0 { -by } else { by };
        flow.set(rd, flow.get(rn).plus(Value::constant(by as u64)));
    } else if word & 0xffe0_ffe0 == 0xaa00_03e0 {
        set(flow, rd, get(flow, register(16))); // mov
    } else {
        // `and` with an immediate, and `add` and `sub` with a register, may set the stack pointer.
        let to_stack = word & 0x7f80_0000 == 0x1200_0000 || word & 0x3fe0_0000 == 0x0b20_0000;
        if rd != SP || to_stack {
            flow.forget([rd]);
        }
    }
}

/// Simulates `movz`, `movn` or `movk`.
fn move_immediate(flow: &mut Flow, rd: usize, word: u32) {
    let shift = 16 * (word >> 21 & 3);
    let immediate = u64::from(word >> 5 & 0xffff) << shift;
    let value = match word >> 29 & 3 {
        0 => Value::constant(!immediate),
        2 => Value::constant(immediate),
        3 => get(flow, rd).and(Value::constant(!(0xffff << shift))).or(Value::constant(immediate)),
        _ => Value::UNKNOWN,
    };
    set(flow, rd, if word >> 31 == 1 { value } else { value.low() });
}

/// Simulates a load or a store.
fn memory(flow: &mut Flow, at: usize, word: u32) {
    let register = |from: u32| (word >> from & 31) as usize;
    let (rt, rn, second) = (register(0), register(5), register(10));
    let is_vector = word & 0x0400_0000 != 0;
    let signed = |from: u32, bits: u32| i64::from((word << (32 - from - bits)) as i32 >> (32 - bits));
    let base = flow.get(rn);
    let plus = |by: i64| base.plus(Value::constant(by as u64));
    // The tuple contains the offset from the base register, whether it is added before the access, and whether the base
    // register changes.
    let (by, before, changes) = if word & 0x3a00_0000 == 0x2800_0000 {
        let scale = if is_vector { 2 + (word >> 30) } else { 2 + (word >> 31) };
        let mode = word >> 23 & 3;
        (signed(15, 7) << scale, mode != 1, mode & 1 != 0)
    } else if word & 0x3b00_0000 == 0x3900_0000 {
        let size = word >> 30;
        let scale = if is_vector && word & 0x80_0000 != 0 { 4 } else { size };
        (i64::from(word >> 10 & 0xfff) << scale, true, false)
    } else if word & 0x3b20_0000 == 0x3800_0000 {
        let mode = word >> 10 & 3;
        (signed(12, 9), mode != 1, mode & 1 != 0)
    } else {
        // Literal loads, and indexed, multi-vector or atomic loads and stores, may change any of these registers.
        let changed = [rt, rn, second, register(16)];
        return flow.forget(changed.into_iter().filter(|&it| it != SP));
    };
    let is_pair = word & 0x3a00_0000 == 0x2800_0000;
    let address = if before { plus(by) } else { base };
    let is_store = if is_pair { word & 0x40_0000 == 0 } else { word & 0xc0_0000 == 0 };
    if !is_vector && is_store {
        let width = if is_pair { 4 << (word >> 31) } else { 1 << (word >> 30) };
        flow.store(at, address, width, get(flow, rt));
        if is_pair {
            flow.store(at, address.plus(Value::constant(width.into())), width, get(flow, second));
        }
    } else if !is_vector {
        let pair = Some(second).filter(|_| is_pair);
        flow.forget([Some(rt), pair].into_iter().flatten().filter(|&it| it != SP));
    }
    if changes {
        flow.set(rn, plus(by));
    }
}

/// Returns the value of an operand in which register number 31 means the zero register.
fn get(flow: &Flow, register: usize) -> Value {
    if register == SP { Value::constant(0) } else { flow.get(register) }
}

fn set(flow: &mut Flow, register: usize, value: Value) {
    if register != SP {
        flow.set(register, value);
    }
}
