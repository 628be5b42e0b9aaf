//! Code in a linked file that copies a template of a trampoline, found by the address that the code computes.

use object::Architecture;

/// Maximum number of templates to search for. A file usually has one.
const MOST_TEMPLATES: usize = 16;
/// Maximum number of instructions that follow the first one in the computation of an address.
const NEAR: usize = 24;
/// Maximum number of instructions from the end of that computation to the store of the copy.
const COPIED: usize = 48;

/// Maximum length in bytes of a landing pad before a template, with its padding.
pub const PAD: u64 = 8;

/// Templates in a linked file, and the places where code copies them.
pub struct Copies {
    machine: Architecture,
    templates: Vec<u64>,
    /// Address of the code, and address of its template.
    pub found: Vec<(u64, u64)>,
}

impl Copies {
    pub fn of(machine: Architecture, templates: impl Iterator<Item = u64>) -> Self {
        Copies { machine, templates: templates.take(MOST_TEMPLATES).collect(), found: Vec::new() }
    }

    /// Searches the code that begins at `address` for copies that begin in the range `own`.
    pub fn search(&mut self, code: &[u8], address: u64, own: std::ops::Range<usize>) {
        match self.machine {
            Architecture::Aarch64 | Architecture::Aarch64_Ilp32 => self.aarch64(code, address, own),
            Architecture::Arm => self.arm(code, address, own),
            _ => {}
        }
    }

    /// Whether there is no template to search for.
    pub fn is_empty(&self) -> bool {
        self.templates.is_empty()
    }

    /// Returns the template that begins at an address. A landing pad and its padding may precede the template.
    fn template(&self, address: u64) -> Option<u64> {
        self.templates.iter().copied().find(|it| it.checked_sub(address).is_some_and(|pad| pad <= PAD))
    }

    /// `adrp x1, page; add x1, x1, offset`, or `adr x1`, and then a store relative to sp or x29.
    fn aarch64(&mut self, code: &[u8], address: u64, own: std::ops::Range<usize>) {
        let word = |at: usize| code.get(at..)?.first_chunk().map(|it| u32::from_le_bytes(*it));
        let stores = |at: usize| {
            let is_store = |word: u32| {
                let base = word >> 5 & 0x1f;
                // stp, str and stur of general or vector registers.
                let is_store = word & 0x3a40_0000 == 0x2800_0000
                    || word & 0x3b40_0000 == 0x3900_0000
                    || word & 0x3b40_0000 == 0x3800_0000;
                is_store && (base == 31 || base == 29)
            };
            (1..COPIED).any(|next| word(at + 4 * next).is_some_and(is_store))
        };
        for at in own.clone().step_by(4) {
            let Some(first) = word(at) else { break };
            let kind = first & 0x9f00_0000;
            if kind != 0x9000_0000 && kind != 0x1000_0000 {
                continue;
            }
            let here = address.wrapping_add(at as u64);
            let immediate = i64::from(((first >> 3 & 0x1f_fffc | first >> 29 & 3) as i32) << 11 >> 11);
            let register = first & 0x1f;
            if kind == 0x1000_0000 {
                let target = here.wrapping_add(immediate as u64);
                if let Some(template) = self.template(target).filter(|_| stores(at)) {
                    self.found.push((here, template));
                }
                continue;
            }
            let page = (here & !0xfff).wrapping_add((immediate << 12) as u64);
            if !self.templates.iter().any(|&it| it.wrapping_sub(page) < 0x1000 + PAD) {
                continue;
            }
            let target = (1..NEAR).find_map(|next| {
                let word = word(at + 4 * next)?;
                let is_add = word & 0xffc0_0000 == 0x9100_0000 && word >> 5 & 0x1f == register;
                is_add.then(|| page.wrapping_add(u64::from(word >> 10 & 0xfff)))
            });
            if let Some(template) = target.and_then(|it| self.template(it)).filter(|_| stores(at)) {
                self.found.push((here, template));
            }
        }
    }

    /// A word beside the code that contains the template's address, or the distance to the template from an
    /// `add rN, pc` before the word.
    fn arm(&mut self, code: &[u8], address: u64, own: std::ops::Range<usize>) {
        let half = |at: usize| code.get(at..)?.first_chunk().map(|it| u16::from_le_bytes(*it));
        let word = |at: usize| code.get(at..)?.first_chunk().map(|it| u32::from_le_bytes(*it));
        for at in own.clone().step_by(2) {
            let Some(first) = half(at) else { break };
            let here = address.wrapping_add(at as u64);
            // Thumb: ldr rT, [pc, #imm8 * 4]; ldr.w rT, [pc, #+-imm12]. ARM: ldr rT, [pc, #+-imm12].
            let (literal, is_arm, register) = if first & 0xf800 == 0x4800 {
                (((here + 4) & !3) + u64::from(first & 0xff) * 4, false, u32::from(first >> 8 & 7))
            } else if let Some(second) = half(at + 2).filter(|_| first & 0xff7f == 0xf85f) {
                let by = u64::from(second & 0xfff);
                let base = (here + 4) & !3;
                let at = if first & 0x80 != 0 { base.wrapping_add(by) } else { base.wrapping_sub(by) };
                (at, false, u32::from(second >> 12))
            } else if let Some(word) =
                word(at).filter(|word| at % 4 == 0 && word & 0x0f7f_0000 == 0x051f_0000)
            {
                let (by, base) = (u64::from(word & 0xfff), here + 8);
                let at = if word & 0x80_0000 != 0 { base.wrapping_add(by) } else { base.wrapping_sub(by) };
                (at, true, word >> 12 & 0xf)
            } else {
                continue;
            };
            let into = literal.checked_sub(address).and_then(|it| usize::try_from(it).ok());
            let Some(value) = into.and_then(word) else { continue };
            let added = |next: usize| -> Option<u64> {
                let place = at + 2 * next;
                let pc = address.wrapping_add(place as u64);
                if is_arm {
                    let found = word(place)? & 0x0fff_000f == 0x008f_0000 | register
                        || word(place)? & 0x0fff_0fff == 0x008f_0000 | register;
                    return (place.is_multiple_of(4) && found).then_some(pc + 8);
                }
                let wanted = 0x4478 | (register as u16 & 7) | (register as u16 & 8) << 4;
                (half(place)? == wanted).then_some(pc + 4)
            };
            let relative = (1..NEAR).find_map(added).map(|pc| pc.wrapping_add(value.into()) & 0xffff_ffff);
            let mut targets = [Some(u64::from(value)), relative].into_iter().flatten();
            if let Some(template) = targets.find_map(|it| self.template(it)) {
                self.found.push((here, template));
            }
        }
    }
}
