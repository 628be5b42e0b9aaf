//! Trampolines in Arm code: GCC's template, and the code that copies it.

use super::words::word;
use super::{Copied, Doubt, MOST, Maker, Site};
use memchr::memmem;

/// Finds GCC's templates: `ldr ip, [pc, #..]; ldr pc, [pc, #..]` in ARM or Thumb-2 instructions, or, in Thumb-1, `push
/// {r0, r1}; ldr r0, [pc, #8]; mov ip, r0; ldr r0, [pc, #8]`.
pub fn arm(bytes: &[u8]) -> Vec<Site> {
    // The beginnings of the three templates, each in both byte orders.
    const TEMPLATES: [[u8; 8]; 6] = [
        [0x00, 0xc0, 0x9f, 0xe5, 0x00, 0xf0, 0x9f, 0xe5],
        [0xe5, 0x9f, 0xc0, 0x00, 0xe5, 0x9f, 0xf0, 0x00],
        [0xdf, 0xf8, 0x04, 0xc0, 0xdf, 0xf8, 0x04, 0xf0],
        [0xf8, 0xdf, 0xc0, 0x04, 0xf8, 0xdf, 0xf0, 0x04],
        [0x03, 0xb4, 0x02, 0x48, 0x84, 0x46, 0x02, 0x48],
        [0xb4, 0x03, 0x48, 0x02, 0x46, 0x84, 0x48, 0x02],
    ];
    let offsets = TEMPLATES.iter().flat_map(|template| memmem::find_iter(bytes, template));
    let mut sites: Vec<Site> = offsets
        .filter(|at| at % 2 == 0)
        .map(|offset| Site { offset, maker: Maker::Gcc, doubt: Some(Doubt::Template) })
        .take(MOST)
        .collect();
    sites.sort_unstable_by_key(|site| site.offset);
    sites
}

/// The `add` that completes an address must follow the load of the offset by fewer than this many halfwords.
const NEAR: usize = 24;
/// The `ldm` must follow the load of the template's address by fewer than this many steps. (A step is 4 bytes in ARM
/// code and 2 bytes in Thumb code.) The search for the code that computes the copy's base register covers the same
/// distance.
const COPIED: usize = 64;

/// Finds code in the range `own` that copies a template. A literal word next to the code contains the template's address,
/// or the template's distance from an `add rN, pc`; an `ldm` reads the template, and an `stm` writes the copy. `address`
/// is the address of the code's first byte.
pub fn copies(
    code: &[u8],
    address: u64,
    own: std::ops::Range<usize>,
    is_template: impl Fn(u64) -> bool,
) -> Vec<Copied> {
    let mut found = Vec::new();
    for at in own.step_by(2) {
        let here = address.wrapping_add(at as u64);
        let Some(load) = literal(code, at, here) else { continue };
        let into = load.literal.checked_sub(address).and_then(|it| usize::try_from(it).ok());
        let Some(value) = into.and_then(|into| word(code, into)) else { continue };
        let added = |next: usize| -> Option<u64> {
            let offset = at + 2 * next;
            let pc = address.wrapping_add(offset as u64);
            if load.is_arm {
                let found = word(code, offset)? & 0x0fff_000f == 0x008f_0000 | load.register
                    || word(code, offset)? & 0x0fff_0fff == 0x008f_0000 | load.register;
                return (offset.is_multiple_of(4) && found).then_some(pc + 8);
            }
            let register = load.register as u16;
            let wanted = 0x4478 | (register & 7) | (register & 8) << 4;
            (half(code, offset)? == wanted).then_some(pc + 4)
        };
        let relative = (1..NEAR).find_map(added).map(|pc| pc.wrapping_add(value.into()) & 0xffff_ffff);
        let mut targets = [Some(u64::from(value)), relative].into_iter().flatten();
        let Some(template) = targets.find(|&it| is_template(it)) else { continue };
        let step = if load.is_arm { 4 } else { 2 };
        let offsets = || (1..COPIED).map(|next| at + step * next);
        let Some(read) = offsets().find(|&it| multiple(code, it, load.is_arm, true) == Some(load.register))
        else {
            continue;
        };
        let mut writes = (1..=4).map(|next| read + 2 * next);
        let Some((write, base)) = writes.find_map(|it| Some((it, multiple(code, it, load.is_arm, false)?)))
        else {
            continue;
        };
        let doubt = (!is_on_stack(code, write, base, load.is_arm)).then_some(Doubt::Address);
        found.push(Copied { code: here, template, doubt });
    }
    found
}

/// A load of a literal (a word stored next to the code).
struct Literal {
    /// Address of the word.
    literal: u64,
    is_arm: bool,
    register: u32,
}

/// Decodes a load of a literal. Thumb: `ldr rT, [pc, #imm8 * 4]`, `ldr.w rT, [pc, #+-imm12]`. ARM:
/// `ldr rT, [pc, #+-imm12]`.
fn literal(code: &[u8], at: usize, here: u64) -> Option<Literal> {
    let first = half(code, at)?;
    let near = |base: u64, by: u32, up: bool| {
        if up { base.wrapping_add(by.into()) } else { base.wrapping_sub(by.into()) }
    };
    if first & 0xf800 == 0x4800 {
        let literal = ((here + 4) & !3) + u64::from(first & 0xff) * 4;
        return Some(Literal { literal, is_arm: false, register: u32::from(first >> 8 & 7) });
    }
    if let Some(second) = half(code, at + 2).map(u32::from).filter(|_| first & 0xff7f == 0xf85f) {
        let literal = near((here + 4) & !3, second & 0xfff, first & 0x80 != 0);
        return Some(Literal { literal, is_arm: false, register: second >> 12 });
    }
    let word = word(code, at).filter(|word| at.is_multiple_of(4) && word & 0x0f7f_0000 == 0x051f_0000)?;
    let literal = near(here + 8, word & 0xfff, word & 0x80_0000 != 0);
    Some(Literal { literal, is_arm: true, register: word >> 12 & 0xf })
}

/// Returns the base register of the `ldm` (if `is_load`) or `stm` at `at`, or `None` for any other instruction.
fn multiple(code: &[u8], at: usize, is_arm: bool, is_load: bool) -> Option<u32> {
    if is_arm {
        let kind = if is_load { 0x0890_0000 } else { 0x0880_0000 };
        let word = word(code, at).filter(|word| at.is_multiple_of(4) && word & 0x0fd0_0000 == kind)?;
        return Some(word >> 16 & 0xf);
    }
    let (half, load) = (half(code, at)?, u16::from(is_load));
    match half {
        _ if half & 0xf800 == 0xc000 | load << 11 => Some(u32::from(half >> 8 & 7)),
        _ if half & 0xffd0 == 0xe880 | load << 4 => Some(u32::from(half & 0xf)),
        _ => None,
    }
}

/// Returns whether the code before `at` computes a register from the stack pointer or a frame pointer.
fn is_on_stack(code: &[u8], at: usize, mut register: u32, is_arm: bool) -> bool {
    let (step, frame) = if is_arm { (4, 11) } else { (2, 7) };
    for back in 1..COPIED {
        if register == 13 || register == frame {
            return true;
        }
        let source = at.checked_sub(step * back).and_then(|offset| moved(code, offset, is_arm, register));
        register = source.unwrap_or(register);
    }
    false
}

/// If an instruction sets `register` to another register, with or without an added immediate, returns the other
/// register.
fn moved(code: &[u8], at: usize, is_arm: bool, register: u32) -> Option<u32> {
    if is_arm {
        let word = word(code, at).filter(|word| word >> 12 & 0xf == register)?;
        let is_sum = matches!(word & 0x0fe0_0000, 0x0280_0000 | 0x0240_0000);
        return match word & 0x0fef_0ff0 {
            0x01a0_0000 => Some(word & 0xf),
            _ => is_sum.then_some(word >> 16 & 0xf),
        };
    }
    let half_at = |at: usize| half(code, at).map(u32::from);
    let first = half_at(at)?;
    let low = first & 7 == register;
    match first {
        _ if first & 0xf800 == 0xa800 && first >> 8 & 7 == register => Some(13), // add rD, sp, #N
        _ if first & 0xff00 == 0x4600 && first & 7 | first >> 4 & 8 == register => Some(first >> 3 & 0xf),
        _ if (first & 0xfc00 == 0x1c00 || first & 0xffc0 == 0) && low => Some(first >> 3 & 7),
        // add.w, addw, sub.w, subw
        _ if matches!(first & 0xfbf0, 0xf100 | 0xf200 | 0xf1a0 | 0xf2a0) => {
            let second = half_at(at + 2).filter(|it| it & 0x8000 == 0)?;
            (second >> 8 & 0xf == register).then_some(first & 0xf)
        }
        _ => None,
    }
}

fn half(code: &[u8], at: usize) -> Option<u16> {
    code.get(at..).and_then(|rest| rest.first_chunk()).map(|it| u16::from_le_bytes(*it))
}
