//! Finds the code in a linked file that copies a trampoline template, by searching for computations of the template's
//! address.

use super::{Copied, arm};
use object::Architecture;

/// Maximum number of templates to search for. A file usually has one.
const MOST_TEMPLATES: usize = 16;
/// Maximum number of consecutive instructions from an `adrp` to the `add` that completes the address.
const NEAR: usize = 24;
/// Maximum number of consecutive instructions from the first instruction of an address computation to the store of
/// the copy.
const COPIED: usize = 48;

/// Maximum length in bytes of a landing pad and its padding before an AArch64 template.
pub const PAD: u64 = 8;

/// Templates in a linked file, and the code that copies them.
pub struct Copies {
    machine: Architecture,
    templates: Vec<u64>,
    pub found: Vec<Copied>,
}

impl Copies {
    pub fn of(machine: Architecture, templates: impl Iterator<Item = u64>) -> Self {
        Copies { machine, templates: templates.take(MOST_TEMPLATES).collect(), found: Vec::new() }
    }

    /// Searches the range `own` of `code` for instructions that begin to copy a template. The first byte of `code` is
    /// at `address`.
    pub fn search(&mut self, code: &[u8], address: u64, own: std::ops::Range<usize>) {
        match self.machine {
            Architecture::Aarch64 | Architecture::Aarch64_Ilp32 => self.aarch64(code, address, own),
            Architecture::Arm => {
                let found = arm::copies(code, address, own, |it| self.templates.contains(&it));
                self.found.extend(found);
            }
            _ => {}
        }
    }

    /// Returns true if there is no template to search for.
    pub fn is_empty(&self) -> bool {
        self.templates.is_empty()
    }

    /// Returns the template at an address or at most [`PAD`] bytes after it, because a landing pad may precede a
    /// template.
    fn template(&self, address: u64) -> Option<u64> {
        self.templates.iter().copied().find(|it| it.checked_sub(address).is_some_and(|pad| pad <= PAD))
    }

    /// Finds `adrp xN, page; add xM, xN, offset`, or `adr xN, target`, and a later store relative to sp or x29. N and M
    /// may be any registers, and other instructions may intervene.
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
                    self.found.push(Copied { code: here, template, doubt: None });
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
                self.found.push(Copied { code: here, template, doubt: None });
            }
        }
    }
}
