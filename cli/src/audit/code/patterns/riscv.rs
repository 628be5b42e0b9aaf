//! Trampolines in RISC-V code: the instruction words that compiled code constructs from immediates.

use super::flow::{self, Flow, Value, Word};
use super::words::{joined, word, words};
use super::{Made, Maker, NEAR, Parts, Site, Sites};
use memchr::memmem;

const RA: usize = 1;
const SP: usize = 2;
const S0: usize = 8;

/// `auipc t2, 0; ld t0, 24(t2); ld t2, 16(t2); jr t0`.
const FORM_64: [Word; 4] = [
    Word { fixed: !0, bits: 0x0000_0397 },
    Word { fixed: !0, bits: 0x0183_b283 },
    Word { fixed: !0, bits: 0x0103_b383 },
    Word { fixed: !0, bits: 0x0002_8067 },
];
/// `lui t2, chain; lui t0, callee; addi t2, t2, chain; jr callee(t0)`.
const FORM_32: [Word; 4] = [
    Word { fixed: 0xfff, bits: 0x3b7 },
    Word { fixed: 0xfff, bits: 0x2b7 },
    Word { fixed: 0xf_ffff, bits: 0x3_8393 },
    Word { fixed: 0xf_ffff, bits: 0x2_8067 },
];

/// Finds code that builds `auipc t2, 0; ld t0, 24(t2); ld t2, 16(t2); jr t0` from constants, with `lui` for the upper
/// 20 bits. GCC 12 and LLVM 22 generate this code. LLVM builds the first two words from `0x183b283` and `0x397`, and may
/// store the last two as a single constant.
pub fn riscv64(code: &[u8]) -> Vec<Site> {
    let mut sites = Sites::default();
    // The code of both compilers contains `lui r, 0x183b`, whose last two bytes are 83 01.
    let is_lui = |&at: &usize| {
        let start = at.checked_sub(2)?;
        (word(code, start)? & !0xf80 == 0x0183_b037).then_some(())
    };
    let matches = memmem::find_iter(code, b"\x83\x01").filter(|at| is_lui(at).is_some());
    for range in joined(matches, code.len(), NEAR) {
        let mut parts = Parts::<5>::new();
        let mut last = 0;
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
            last = at;
        }
        add(&mut sites, code, &parts.sites, last, &FORM_64, 1);
    }
    sites.into_vec()
}

/// Finds code that builds each half of `lui t2; lui t0; addi t2, t2; jr t0` from immediates. GCC 12 generates this
/// code.
pub fn riscv32(code: &[u8]) -> Vec<Site> {
    let mut parts = Parts::<6>::new();
    let mut sites = Sites::default();
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
        if let Some(site) = parts.sites.pop() {
            add(&mut sites, code, &[site], at, &FORM_32, 2);
        }
    }
    sites.into_vec()
}

fn is_immediate(word: u32) -> bool {
    matches!(word & 0x707f, 0x0013 | 0x6013)
}

/// Adds the trampolines written by the code around `parts`. If it writes none, adds the parts themselves.
fn add(sites: &mut Sites, code: &[u8], parts: &[Site], last: usize, form: &[Word], key: usize) {
    let (Some(first), true) = (parts.first(), !sites.is_full()) else { return };
    let is_64 = form[0].fixed == !0;
    sites.add_all_made(parts, around(code, first.offset, last, is_64, form, key));
}

fn around(code: &[u8], first: usize, last: usize, is_64: bool, form: &[Word], key: usize) -> Vec<Made> {
    let start = agreed_start(code, first.saturating_sub(flow::BEFORE) & !1);
    let end = code.len().min(last + flow::AFTER);
    let mut flow = Flow::new(SP, S0);
    let mut at = start;
    while at < end {
        let Some(half) = half(code, at) else { break };
        match half & 3 {
            3 => match word(code, at) {
                Some(word) => long(&mut flow, at, word),
                None => break,
            },
            _ => short(&mut flow, at, half, is_64),
        }
        at += len(half);
    }
    flow.made(form, key, has_frame(code, first))
}

fn half(code: &[u8], at: usize) -> Option<u16> {
    code.get(at..).and_then(|rest| rest.first_chunk()).map(|it| u16::from_le_bytes(*it))
}

fn len(half: u16) -> usize {
    if half & 3 == 3 { 4 } else { 2 }
}

/// Returns the first offset at which two decoders, one started at `start` and the other two bytes later, agree on an
/// instruction boundary.
fn agreed_start(code: &[u8], start: usize) -> usize {
    let (mut one, mut other) = (start, start + 2);
    while start > 0 && one != other {
        let behind = if one < other { &mut one } else { &mut other };
        let Some(half) = half(code, *behind) else { break };
        *behind += len(half);
    }
    one
}

/// Returns whether code before `at` makes s0 the frame pointer, by `addi s0, sp, N` or its compressed form.
fn has_frame(code: &[u8], at: usize) -> bool {
    let before = code.get(..at).unwrap_or_default();
    let halves = || (0..before.len().saturating_sub(3)).rev().step_by(2);
    halves().map(|at| at & !1).any(|at| {
        half(before, at).is_some_and(|half| half & 0xe01f == 0 && half != 0)
            || word(before, at).is_some_and(|word| word & 0xf_ffff == 0x1_0413)
    })
}

/// Simulates a 32-bit instruction's effects on registers and memory.
fn long(flow: &mut Flow, at: usize, word: u32) {
    let (rd, kind) = ((word >> 7 & 31) as usize, word >> 12 & 7);
    let (rs1, rs2) = ((word >> 15 & 31) as usize, (word >> 20 & 31) as usize);
    let immediate = constant((word as i32 >> 20).into());
    let (one, other) = (get(flow, rs1), get(flow, rs2));
    let value = match (word & 0x7f, kind, word >> 25) {
        (0x37, ..) => constant((word as i32 & !0xfff).into()),
        (0x13, 0, _) => one.plus(immediate),
        (0x13, 1, _) => one.shifted_left(word >> 20 & 63),
        (0x13, 4, _) => one.xor(immediate),
        (0x13, 6, _) => one.or(immediate),
        (0x13, 7, _) => one.and(immediate),
        (0x1b, 0, _) => word_sum(one, immediate),
        (0x33, 0, 0) => one.plus(other),
        (0x33, 6, 0) => one.or(other),
        (0x33, 7, 0) => one.and(other),
        (0x23, 0..=3, _) => {
            let by = (word as i32 >> 25 << 5) | rd as i32;
            return flow.store(at, one.plus(constant(by.into())), 1 << kind, other);
        }
        (0x63 | 0x27, ..) => return, // branches, and stores of floating-point registers
        (0x6f | 0x67, ..) if rd == RA => return call(flow),
        (0x67, ..) if rd == 0 => return flow.forget_addresses(scratch()), // returns, and other jumps
        _ => Value::UNKNOWN,
    };
    set(flow, rd, value);
}

/// Simulates a 16-bit instruction's effects on registers and memory.
fn short(flow: &mut Flow, at: usize, half: u16, is_64: bool) {
    let it = u32::from(half);
    let field = |from: u32, bits: u32| it >> from & ((1 << bits) - 1);
    let (full, other) = (field(7, 5) as usize, field(2, 5) as usize);
    let (one, two) = (field(7, 3) as usize + 8, field(2, 3) as usize + 8);
    let signed = ((field(12, 1) << 5 | field(2, 5)) as i32) << 26 >> 26;
    let signed = constant(signed.into());
    let unsigned = |value: u32| constant(value.into());
    let store = |flow: &mut Flow, base: usize, by: u32, width: u32, from: usize| {
        flow.store(at, get(flow, base).plus(unsigned(by)), width, get(flow, from));
    };
    let (rd, value) = match (half & 3, half >> 13) {
        (0, 0) => {
            let by = field(7, 4) << 6 | field(11, 2) << 4 | field(5, 1) << 3 | field(6, 1) << 2;
            (two, get(flow, SP).plus(unsigned(by)))
        }
        (0, 6) => {
            let by = field(10, 3) << 3 | field(6, 1) << 2 | field(5, 1) << 6;
            return store(flow, one, by, 4, two);
        }
        (0, 7) if is_64 => return store(flow, one, field(10, 3) << 3 | field(5, 2) << 6, 8, two),
        (0, 1 | 5 | 7) => return,
        (0, _) => (two, Value::UNKNOWN),
        (1, 0) => (full, get(flow, full).plus(signed)),
        (1, 1) if is_64 => (full, word_sum(get(flow, full), signed)),
        (1, 1) => return call(flow),
        (1, 2) => (full, signed),
        (1, 3) if full == SP => {
            let by =
                field(12, 1) << 9 | field(3, 2) << 7 | field(5, 1) << 6 | field(2, 1) << 5 | field(6, 1) << 4;
            (SP, get(flow, SP).plus(constant(((by as i32) << 22 >> 22).into())))
        }
        (1, 3) => (full, signed.shifted_left(12)),
        (1, 4) => {
            let value = match (field(10, 2), field(12, 1), field(5, 2)) {
                (2, ..) => get(flow, one).and(signed),
                (3, 0, 2) => get(flow, one).or(get(flow, two)),
                (3, 0, 3) => get(flow, one).and(get(flow, two)),
                _ => Value::UNKNOWN,
            };
            (one, value)
        }
        (1, _) => return,
        (2, 0) => (full, get(flow, full).shifted_left(field(12, 1) << 5 | field(2, 5))),
        (2, 4) => match (field(12, 1), other) {
            (0, 0) => return flow.forget_addresses(scratch()),
            (0, _) => (full, get(flow, other)),
            (1, 0) => return call(flow),
            _ => (full, get(flow, full).plus(get(flow, other))),
        },
        (2, 6) => return store(flow, SP, field(9, 4) << 2 | field(7, 2) << 6, 4, other),
        (2, 7) if is_64 => return store(flow, SP, field(10, 3) << 3 | field(7, 3) << 6, 8, other),
        (2, 1 | 5 | 7) => return,
        _ => (full, Value::UNKNOWN),
    };
    set(flow, rd, value);
}

fn constant(value: i64) -> Value {
    Value::constant(value as u64)
}

fn get(flow: &Flow, register: usize) -> Value {
    if register == 0 { Value::constant(0) } else { flow.get(register) }
}

fn set(flow: &mut Flow, register: usize, value: Value) {
    if register != 0 {
        flow.set(register, value);
    }
}

/// Returns the sum of two numbers as a sign-extended 32-bit word. The sum is unknown unless all bits of both numbers
/// are known.
fn word_sum(one: Value, other: Value) -> Value {
    match one.plus(other) {
        Value::Bits { known: u64::MAX, bits } => constant((bits as i32).into()),
        _ => Value::UNKNOWN,
    }
}

/// Forgets the registers that a call may change.
fn call(flow: &mut Flow) {
    flow.forget(scratch());
}

/// Returns the caller-saved integer registers.
fn scratch() -> impl Iterator<Item = usize> {
    [RA].into_iter().chain(5..8).chain(10..18).chain(28..32)
}
