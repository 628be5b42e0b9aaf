//! Patterns of trampoline code: the immediates, or the template, that compiled code stores on the stack.
//!
//! Each pattern was taken from the output of the compilers named beside it. A match is code that writes a trampoline
//! when it runs; whether it runs cannot be determined from a file.

use object::Architecture;

/// Code that writes a trampoline, or the template of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Site {
    /// Offset in the bytes that were searched.
    pub offset: usize,
    /// The probable compiler.
    pub maker: Maker,
}

/// The compiler that a pattern comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Maker {
    Gcc,
    Llvm,
    Either,
}

impl Maker {
    /// Whether the compiler that a file names with this text may have generated the pattern.
    pub fn may_be(self, text: &str) -> bool {
        match self {
            Maker::Gcc => text.contains("GCC") || text.contains("GNU"),
            Maker::Llvm => text.contains("clang") || text.contains("flang") || text.contains("LLVM"),
            Maker::Either => true,
        }
    }

    /// Description for a compiler that the file does not name.
    pub fn unnamed(self) -> &'static str {
        match self {
            Maker::Gcc => "GCC, as the instructions show (the file does not name it)",
            Maker::Llvm => "an LLVM compiler, as the instructions show (the file does not name it)",
            Maker::Either => "GCC or an LLVM compiler (the file does not name it)",
        }
    }
}

/// Whether there are patterns for a processor.
pub fn known(machine: Architecture) -> bool {
    may_be_in(machine, true)
}

/// Whether there are patterns for the code of a processor or, if not `executable`, for other bytes. Templates may be in
/// read-only data as well.
pub fn may_be_in(machine: Architecture, executable: bool) -> bool {
    use Architecture::{Aarch64, Aarch64_Ilp32, Arm, I386, Riscv32, Riscv64, X86_64, X86_64_X32};
    match machine {
        X86_64 | X86_64_X32 | I386 | Riscv32 | Riscv64 => executable,
        Aarch64 | Aarch64_Ilp32 | Arm => true,
        _ => false,
    }
}

/// The places in the bytes of one section or segment where a trampoline is written. `executable` states whether the
/// bytes are code.
pub fn search(machine: Architecture, bytes: &[u8], executable: bool) -> Vec<Site> {
    match machine {
        Architecture::X86_64 | Architecture::X86_64_X32 if executable => x86_64(bytes),
        Architecture::I386 if executable => i386(bytes),
        Architecture::Aarch64 | Architecture::Aarch64_Ilp32 => aarch64(bytes, executable),
        Architecture::Arm => arm(bytes),
        Architecture::Riscv64 if executable => riscv64(bytes),
        Architecture::Riscv32 if executable => riscv32(bytes),
        _ => Vec::new(),
    }
}

/// Limit for one piece of code; a compiler generates fewer.
const MOST: usize = 10_000;

/// Maximum distance between the parts of one trampoline.
const NEAR: usize = 600;

/// The last store of each part of a trampoline.
struct Parts<const N: usize> {
    last: [Option<usize>; N],
    sites: Vec<Site>,
}

impl<const N: usize> Parts<N> {
    fn new() -> Self {
        Parts { last: [None; N], sites: Vec::new() }
    }

    fn store(&mut self, part: usize, at: usize) {
        self.last[part] = Some(at);
    }

    /// Records a site if each of these parts was stored near the last of them, and then forgets all parts.
    fn complete(&mut self, parts: &[usize], near: usize, maker: Maker) {
        let stored = || parts.iter().map(|&part| self.last[part]);
        let (Some(Some(first)), Some(Some(last))) = (stored().min(), stored().max()) else { return };
        if last - first <= near {
            if self.sites.len() < MOST {
                self.sites.push(Site { offset: first, maker });
            }
            self.last = [None; N];
        }
    }
}

/// An x86 `mov` that stores an immediate or loads it into a register.
struct Immediate {
    /// Size of the stored value: 1, 2 or 4 bytes.
    width: usize,
    value: u32,
}

/// Decodes the `mov` of an immediate whose opcode is at `at`; a prefix of 0x66 reduces the immediate from 4 bytes to 2.
fn immediate(code: &[u8], at: usize) -> Option<Immediate> {
    let opcode = *code.get(at)?;
    let rex = at > 0 && code[at - 1] & 0xf0 == 0x40;
    let before = at - rex as usize;
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

/// The length of the address (ModRM, SIB, displacement) at `at`, for an instruction whose register field is 0.
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
    Some(1 + sib as usize + displacement)
}

/// `movabs $chain, %r10` (49 ba; x32's `mov $chain, %r10d`, 41 ba), `movabs $callee, %r11` (49 bb; GCC's no-PIE `mov
/// $callee, %r11d`, 41 bb) and `jmp *%r11` (49 ff e3), assembled from immediates: GCC 12 to 16, LLVM 19 to 23.
fn x86_64(code: &[u8]) -> Vec<Site> {
    const CALLEE: usize = 0;
    const CHAIN: usize = 1;
    const JUMP: usize = 2;
    const JUMP_BEGINS: usize = 3;
    const JUMP_ENDS: usize = 4;
    let mut parts = Parts::<5>::new();
    for at in 0..code.len() {
        if !matches!(code[at], 0xb8..=0xbf | 0xc6 | 0xc7) {
            continue;
        }
        let Some(Immediate { width, value }) = immediate(code, at) else { continue };
        match (width, value) {
            (2, 0xbb49 | 0xbb41) | (4, 0xffff_bb49 | 0xffff_bb41) => parts.store(CALLEE, at),
            (2, 0xba49 | 0xba41) | (4, 0xffff_ba49 | 0xffff_ba41) => parts.store(CHAIN, at),
            (4, 0x90e3_ff49) => {
                parts.store(JUMP, at);
                parts.complete(&[CALLEE, CHAIN, JUMP], NEAR, Maker::Gcc);
            }
            (2, 0xff49) | (4, 0xffff_ff49) => {
                parts.store(JUMP_BEGINS, at);
                parts.complete(&[CALLEE, CHAIN, JUMP_BEGINS, JUMP_ENDS], NEAR, Maker::Llvm);
            }
            (1, 0xe3) => {
                parts.store(JUMP_ENDS, at);
                parts.complete(&[CALLEE, CHAIN, JUMP_BEGINS, JUMP_ENDS], NEAR, Maker::Llvm);
            }
            _ => continue,
        }
        parts.complete(&[CALLEE, CHAIN, JUMP], NEAR, Maker::Gcc);
        parts.complete(&[CALLEE, CHAIN, JUMP_BEGINS, JUMP_ENDS], NEAR, Maker::Llvm);
    }
    parts.sites
}

/// `mov $chain, %ecx` (b9) and `jmp callee` (e9), each opcode stored as a byte: GCC and LLVM. If ecx holds an argument,
/// GCC uses eax (b8, `fastcall`) or pushes the chain (68, `-mregparm=3`).
fn i386(code: &[u8]) -> Vec<Site> {
    let mut parts = Parts::<2>::new();
    let mut registers = Registers::default();
    for at in 0..code.len() {
        if code[at] != 0xc6 {
            if let Some(first) = registers.step(code, at).filter(|_| parts.sites.len() < MOST) {
                parts.sites.push(Site { offset: first, maker: Maker::Gcc });
            }
            continue;
        }
        match immediate(code, at) {
            Some(Immediate { value: 0xb9 | 0xb8 | 0x68, .. }) => parts.store(0, at),
            Some(Immediate { value: 0xe9, .. }) => parts.store(1, at),
            _ => continue,
        }
        parts.complete(&[0, 1], 64, Maker::Either);
    }
    parts.sites
}

/// The pattern of `i386` with byte registers, `mov $0xb9, %dl; mov %dl, 8(%esp)`: GCC for i686 (`-march=i686`,
/// `-mtune=pentiumpro`). Such bytes are common, so the opcodes must be stored five bytes apart.
#[derive(Default)]
struct Registers {
    /// The value of each of the eight registers, and the offset of the instruction that loaded it.
    held: [Option<(u8, usize)>; 8],
    /// The last store of each register that holds the opcode of `mov`: base and displacement, and the offset at which
    /// the register was loaded.
    chains: [Option<([u8; 2], i32, usize)>; 8],
    next: usize,
}

impl Registers {
    /// Processes the instruction that may begin at `at`. Returns the beginning of a trampoline that is complete here.
    fn step(&mut self, code: &[u8], at: usize) -> Option<usize> {
        match *code.get(at)? {
            opcode @ 0xb0..=0xb7 => {
                self.held[usize::from(opcode & 7)] = code.get(at + 1).map(|&value| (value, at));
                None
            }
            0x88 => self.stored(code, at + 1),
            _ => None,
        }
    }

    /// Processes the store of a register at the address (ModRM, SIB, displacement) that begins at `at`.
    fn stored(&mut self, code: &[u8], at: usize) -> Option<usize> {
        let modrm = *code.get(at)?;
        let (value, since) = self.held[usize::from(modrm >> 3 & 7)].filter(|held| at - held.1 <= NEAR)?;
        let (mode, base) = (modrm >> 6, modrm & 7);
        let sib = if base == 4 { *code.get(at + 1)? } else { 0 };
        let field = code.get(at + 1 + usize::from(base == 4)..)?;
        let distance = match mode {
            0 if base != 5 => 0,
            1 => i32::from(*field.first()? as i8),
            2 => i32::from_le_bytes(*field.first_chunk()?),
            _ => return None,
        };
        match value {
            0xb8 | 0xb9 => {
                self.chains[self.next] = Some(([base, sib], distance, since));
                self.next = (self.next + 1) % self.chains.len();
                None
            }
            0xe9 => {
                let is_its = |chain: &([u8; 2], i32, usize)| {
                    chain.0 == [base, sib] && distance.wrapping_sub(chain.1) == 5 && at - chain.2 <= NEAR
                };
                let chain = self.chains.iter_mut().find(|chain| chain.as_ref().is_some_and(is_its))?;
                chain.take().map(|(_, _, first)| first.min(since))
            }
            _ => None,
        }
    }
}

/// The words of code or data, with their offsets.
fn words(bytes: &[u8]) -> impl Iterator<Item = (usize, u32)> {
    bytes
        .chunks_exact(4)
        .enumerate()
        .map(|(number, word)| (4 * number, u32::from_le_bytes([word[0], word[1], word[2], word[3]])))
}

/// GCC copies a template, `ldr x17, .+20; ldr x18, .+24; br x17`, from `.text` or `.rodata`; LLVM 22 assembles `ldr
/// x15; ldr x17; br x17` from immediates. (LLVM 19 calls `__trampoline_setup` in its run-time library, which is visible
/// as a symbol.)
fn aarch64(bytes: &[u8], executable: bool) -> Vec<Site> {
    // A 64-bit load, or a 32-bit one (ILP32).
    let is_load = |word: u32, register: u32| word & 0xbf00_001f == 0x1800_0000 | register;
    let after = |skipped: usize| words(bytes).skip(skipped).map(|(_, word)| word);
    let mut sites: Vec<Site> = words(bytes)
        .zip(after(1))
        .zip(after(2))
        .filter(|&(((_, callee), chain), jump)| {
            is_load(callee, 17) && is_load(chain, 18) && jump == 0xd61f_0220
        })
        .map(|(((offset, _), _), _)| Site { offset, maker: Maker::Gcc })
        .take(MOST)
        .collect();
    if executable {
        let mut parts = Parts::<3>::new();
        for (at, word) in words(bytes) {
            match word & !0x1f {
                0xf2fa_c3e0 | 0x72ba_c3e0 => parts.store(0, at), // movk r, #0xd61f, lsl #48 or #16
                0xf2c0_4400 | 0x5280_4400 => parts.store(1, at), // movk x, #0x220, lsl #32; mov w, #0x220
                0x72ab_0000 | 0xf2ab_0000 => parts.store(2, at), // movk r, #0x5800, lsl #16
                _ => continue,
            }
            parts.complete(&[0, 1, 2], NEAR, Maker::Llvm);
        }
        sites.append(&mut parts.sites);
    }
    sites
}

/// GCC copies a template: `ldr ip, [pc, #..]; ldr pc, [pc, #..]` in ARM or Thumb-2 instructions, or in Thumb-1 `push
/// {r0, r1}; ldr r0, [pc, #8]; mov ip, r0; ldr r0, [pc, #8]`.
fn arm(bytes: &[u8]) -> Vec<Site> {
    // In both byte orders.
    const TEMPLATES: [[u8; 8]; 6] = [
        [0x00, 0xc0, 0x9f, 0xe5, 0x00, 0xf0, 0x9f, 0xe5],
        [0xe5, 0x9f, 0xc0, 0x00, 0xe5, 0x9f, 0xf0, 0x00],
        [0xdf, 0xf8, 0x04, 0xc0, 0xdf, 0xf8, 0x04, 0xf0],
        [0xf8, 0xdf, 0xc0, 0x04, 0xf8, 0xdf, 0xf0, 0x04],
        [0x03, 0xb4, 0x02, 0x48, 0x84, 0x46, 0x02, 0x48],
        [0xb4, 0x03, 0x48, 0x02, 0x46, 0x84, 0x48, 0x02],
    ];
    let at_halfwords = (0..bytes.len().saturating_sub(7)).step_by(2);
    at_halfwords
        .filter(|&at| TEMPLATES.iter().any(|template| bytes[at..at + 8] == *template))
        .map(|offset| Site { offset, maker: Maker::Gcc })
        .take(MOST)
        .collect()
}

/// `auipc t2, 0; ld t0, 24(t2); ld t2, 16(t2); jr t0`, with upper halves from `lui`: GCC 12, LLVM 22. LLVM may store
/// the second half as a single constant, and assembles the first from `0x183b283` and `0x397`.
fn riscv64(code: &[u8]) -> Vec<Site> {
    let mut parts = Parts::<5>::new();
    for (at, word) in riscv_words(code) {
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
    parts.sites
}

/// `lui t2; lui t0; addi t2, t2; jr t0`, each half assembled: GCC 12.
fn riscv32(code: &[u8]) -> Vec<Site> {
    let mut parts = Parts::<6>::new();
    for (at, word) in riscv_words(code) {
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

fn riscv_words(code: &[u8]) -> impl Iterator<Item = (usize, u32)> {
    (0..code.len().saturating_sub(3))
        .step_by(2)
        .map(|at| (at, u32::from_le_bytes([code[at], code[at + 1], code[at + 2], code[at + 3]])))
}

/// The beginning of libgcc's heap trampolines, which libgcc contains as a constant: `endbr64; movabs $0, %r11; movabs
/// %r10`.
const GCC_HEAP: &[u8] = b"\xf3\x0f\x1e\xfa\x49\xbb\0\0\0\0\0\0\0\0\x49\xba";

/// Whether these bytes contain libgcc's template of a heap trampoline.
pub fn gcc_heap_template(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, GCC_HEAP).is_some()
}
