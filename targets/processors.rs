//! Data of each processor: its instruction set, its targets, and the decoder for the instructions of its stubs.

use crate::stub::{FILLED, OTHER, Protection, Stub, plain, signed, words, words_by};
use crate::{HOSTED, Isa, MOST_SLOTS, Row, Slots};

const LINUX: &[&str] = &["gnu", "musl"];
const GNU: &[&str] = &["gnu"];
const NONE: &[&str] = &[""];
const WINDOWS: &[&str] = &["gnu", "msvc"];

/// The addend of a relocation is a signed 24-bit number on AArch64 macOS, and a slot has 32 bytes.
const MACHO_AARCH64: Slots = Slots { most: (1 << 23) / 32, ..HOSTED };
/// A dead slot's record contains the slot's index in half a word (`src/pool/bare.rs`).
const BARE_32: Slots = Slots { default: 16, most: 1 << 16 };
const BARE_64: Slots = Slots { default: 16, most: MOST_SLOTS };

const LITTLE_64: Isa =
    Isa { arch: "", bits: 64, endian: "little", families: &[], doubles: &[], singles: &[] };
const LITTLE_32: Isa = Isa { bits: 32, ..LITTLE_64 };
const BIG_64: Isa = Isa { endian: "big", ..LITTLE_64 };

const X86_64: Isa = Isa {
    arch: "x86_64",
    families: &["memref_closures", "memref_halves", "memref_vectors", "pads", "relative"],
    ..LITTLE_64
};
/// The calling convention of Windows.
const X86_64_WINDOWS: Isa = Isa {
    families: &["inserts", "memref_closures", "memref_halves", "memref_vectors", "relative"],
    ..X86_64
};
const X86: Isa = Isa { arch: "x86", families: &["inserts", "pads"], ..LITTLE_32 };
const AARCH64: Isa = Isa {
    arch: "aarch64",
    families: &[
        "eight_registers",
        "memref_closures",
        "memref_halves",
        "memref_vectors",
        "pads",
        "relative",
        "thread_words",
    ],
    ..LITTLE_64
};
const RISCV64: Isa = Isa {
    arch: "riscv64",
    families: &["eight_registers", "leaves", "memref_closures", "memref_halves", "relative", "thread_words"],
    doubles: &["riscv64gc-", "riscv64a23-"],
    ..LITTLE_64
};
const RISCV32: Isa = Isa {
    arch: "riscv32",
    families: &["eight_registers", "leaves", "relative", "thread_words"],
    doubles: &["riscv32gc-"],
    singles: &["riscv32imafc-"],
    ..LITTLE_32
};
const LOONGARCH64: Isa = Isa {
    arch: "loongarch64",
    families: &[
        "chain_is_an_argument",
        "eight_registers",
        "leaves",
        "memref_closures",
        "relative",
        "thread_words",
    ],
    doubles: &["loongarch64-unknown-linux-"],
    ..LITTLE_64
};
const MIPS64: Isa = Isa {
    arch: "mips64",
    families: &["chain_is_an_argument", "doublewords", "relative", "thread_words", "unstable_asm"],
    ..LITTLE_64
};
const POWERPC64: Isa = Isa {
    arch: "powerpc64",
    families: &["doublewords", "memref_closures", "relative", "thread_words"],
    ..LITTLE_64
};
const POWERPC: Isa =
    Isa { arch: "powerpc", bits: 32, families: &["eight_registers", "relative", "thread_words"], ..BIG_64 };
/// A32 code.
const ARM: Isa = Isa { arch: "arm", families: &["relative", "thread_words"], ..LITTLE_32 };
const THUMB2: Isa = Isa { families: &["inserts", "thread_words"], ..ARM };
/// Armv6-M and Armv8-M baseline.
const THUMB1: Isa = Isa { families: &["inserts", "thread_words", "thumb1"], ..ARM };
const S390X: Isa = Isa {
    arch: "s390x",
    families: &["chain_is_an_argument", "memref_closures", "relative", "thread_words"],
    ..BIG_64
};
const SPARC64: Isa = Isa {
    arch: "sparc64",
    families: &["chain_is_an_argument", "relative", "thread_words", "unstable_asm"],
    ..BIG_64
};

/// All targets with stubs. `docs/targets.md` lists their names.
#[rustfmt::skip]
pub const TARGETS: &[Row] = &[
    Row { isa: X86_64, os: "linux", env: LINUX, names: &[], assembly: "x86_64.S", slots: HOSTED },
    Row { isa: X86_64, os: "none", env: NONE, names: &[], assembly: "x86_64.S", slots: BARE_64 },
    Row { isa: X86_64, os: "macos", env: NONE, names: &["x86_64-"], assembly: "macho/x86_64.S", slots: HOSTED },
    Row { isa: X86_64_WINDOWS, os: "windows", env: WINDOWS, names: &["x86_64-pc-windows-"], assembly: "windows/x86_64.S", slots: HOSTED },
    Row { isa: X86_64, os: "android", env: NONE, names: &[], assembly: "x86_64.S", slots: HOSTED },
    Row { isa: X86_64, os: "freebsd", env: NONE, names: &[], assembly: "x86_64.S", slots: HOSTED },
    Row { isa: X86, os: "linux", env: GNU, names: &["i686-"], assembly: "x86.S", slots: HOSTED },
    Row { isa: AARCH64, os: "linux", env: LINUX, names: &[], assembly: "aarch64.S", slots: HOSTED },
    Row { isa: AARCH64, os: "none", env: NONE, names: &[], assembly: "aarch64.S", slots: BARE_64 },
    Row { isa: AARCH64, os: "android", env: NONE, names: &[], assembly: "aarch64.S", slots: HOSTED },
    // This excludes arm64e, where code signs its pointers.
    Row { isa: AARCH64, os: "macos", env: NONE, names: &["aarch64-"], assembly: "macho/aarch64.S", slots: MACHO_AARCH64 },
    Row { isa: RISCV64, os: "linux", env: LINUX, names: &[], assembly: "riscv.S", slots: HOSTED },
    Row { isa: RISCV64, os: "none", env: NONE, names: &[], assembly: "riscv.S", slots: BARE_64 },
    Row { isa: RISCV32, os: "none", env: NONE, names: &[], assembly: "riscv.S", slots: BARE_32 },
    Row { isa: LOONGARCH64, os: "linux", env: LINUX, names: &[], assembly: "loongarch64.S", slots: HOSTED },
    Row { isa: MIPS64, os: "linux", env: GNU, names: &[], assembly: "mips64el.S", slots: HOSTED },
    // Only this C library has the `long double` type that raw closures assume.
    Row { isa: POWERPC64, os: "linux", env: GNU, names: &[], assembly: "powerpc64le.S", slots: HOSTED },
    // The reason is the same as for powerpc64. This also excludes `gnuspe`, which has another calling convention.
    Row { isa: POWERPC, os: "linux", env: GNU, names: &[], assembly: "powerpc.S", slots: HOSTED },
    // On Armv4T, `ldm` into pc does not switch to Thumb.
    Row { isa: ARM, os: "linux", env: LINUX, names: &["armv7-", "arm-", "armv5te-"], assembly: "arm.S", slots: HOSTED },
    Row { isa: THUMB2, os: "none", env: NONE, names: &["thumbv7m-", "thumbv7em-", "thumbv8m.main-"], assembly: "thumb2.S", slots: BARE_32 },
    Row { isa: THUMB1, os: "none", env: NONE, names: &["thumbv6m-", "thumbv8m.base-"], assembly: "thumb1.S", slots: BARE_32 },
    Row { isa: S390X, os: "linux", env: GNU, names: &[], assembly: "s390x.S", slots: HOSTED },
    Row { isa: SPARC64, os: "linux", env: GNU, names: &[], assembly: "sparc64.S", slots: HOSTED },
];

/// The instructions of a stub.
#[expect(missing_docs, reason = "the names of the instruction sets")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    X86_64,
    X86,
    Aarch64,
    /// AArch64 on macOS.
    Aarch64Apple,
    Powerpc,
    Powerpc64,
    Riscv64,
    Riscv32,
    Loongarch64,
    Mips64,
    Arm,
    Thumb1,
    Thumb2,
    S390x,
    Sparc64,
}

impl Encoding {
    /// Returns the possible encodings of the stubs in an ELF file's table. The arguments are the file's machine, whether
    /// the file has the 64-bit class, and the distance in bytes from one stub to the next.
    #[must_use]
    pub fn of(machine: u16, is_64: bool, stride: usize) -> &'static [Encoding] {
        match (machine, is_64) {
            (3, false) => &[Self::X86],
            (8, true) => &[Self::Mips64],
            (20, false) => &[Self::Powerpc],
            (21, true) => &[Self::Powerpc64],
            (22, true) => &[Self::S390x],
            (40, false) if stride == 20 => &[Self::Thumb1],
            (40, false) => &[Self::Arm, Self::Thumb2],
            (43, true) => &[Self::Sparc64],
            (62, true) => &[Self::X86_64],
            (183, true) => &[Self::Aarch64],
            (243, true) => &[Self::Riscv64],
            (243, false) => &[Self::Riscv32],
            (258, true) => &[Self::Loongarch64],
            _ => &[],
        }
    }

    /// Returns the size of an address in bytes.
    pub(crate) fn word(self) -> u64 {
        match self {
            Self::X86 | Self::Powerpc | Self::Riscv32 | Self::Arm | Self::Thumb1 | Self::Thumb2 => 4,
            _ => 8,
        }
    }

    /// Returns the maximum size of the instructions of a stub in bytes, including data that the instructions load.
    #[must_use]
    pub const fn most(self) -> usize {
        match self {
            Self::S390x => 14,
            Self::Arm | Self::Loongarch64 => 16,
            Self::X86_64 => 17,
            Self::Riscv32 | Self::Riscv64 | Self::Thumb1 => 20,
            Self::Powerpc64 => 24,
            Self::X86 => 25,
            Self::Mips64 => 28,
            Self::Aarch64 | Self::Aarch64Apple | Self::Sparc64 => 32,
            Self::Powerpc => 36,
            Self::Thumb2 => 12,
        }
    }

    /// Returns the distance in bytes from one stub to the next, unless a table chooses it.
    pub(crate) fn stride(self) -> Option<usize> {
        match self {
            Self::X86_64 | Self::X86 => None,
            Self::Arm | Self::Loongarch64 | Self::S390x | Self::Thumb2 => Some(16),
            Self::Thumb1 => Some(20),
            Self::Powerpc => Some(64),
            _ => Some(32),
        }
    }

    /// Returns the bytes that fill the space between two stubs, which must not execute: `int3`, `udf #0` or an illegal
    /// instruction.
    pub(crate) fn filler(self) -> &'static [u8] {
        match self {
            Self::X86_64 | Self::X86 => &[0xcc],
            Self::Thumb2 => &[0x00, 0xde],
            _ => &[0],
        }
    }
}

/// Decodes the stub at `address`. The instructions are at the start of `code`, and any bytes may follow.
///
/// # Errors
/// Returns the reason why there is no stub.
#[inline]
pub fn decode(encoding: Encoding, code: &[u8], address: u64) -> Result<Stub, &'static str> {
    match encoding {
        Encoding::X86_64 => x86_64(code, address),
        Encoding::X86 => x86(code, address),
        Encoding::Aarch64 => aarch64(code, address, |rest| {
            // madd x16, x16, x16, x15; autia1716
            let authenticated = rest.strip_prefix(&[0x9b10_3e10, 0xd503_219f]);
            let rest = authenticated.unwrap_or(rest);
            Some((rest.strip_prefix(&[0xaa0f_03f2]).unwrap_or(rest), authenticated.is_some()))
        }),
        Encoding::Aarch64Apple => {
            aarch64(code, address, |rest| Some((rest.strip_prefix(&[0xaa0f_03f0])?, false)))
        }
        Encoding::Powerpc => powerpc(code, address),
        Encoding::Powerpc64 => powerpc64(code, address),
        Encoding::Riscv64 => riscv(code, address, [0x0003_3383, 0x0083_3303], u64::MAX, 8),
        Encoding::Riscv32 => riscv(code, address, [0x0003_2383, 0x0043_2303], u32::MAX.into(), 4),
        Encoding::Loongarch64 => loongarch64(code, address),
        Encoding::Mips64 => mips64(code, address),
        Encoding::Arm => arm(code, address),
        Encoding::Thumb1 => thumb1(code),
        Encoding::Thumb2 => thumb2(code),
        Encoding::S390x => s390x(code, address),
        Encoding::Sparc64 => sparc64(code, address),
    }
}

/// Decodes `[endbr64]; movq D(%rip), %r10; jmpq *D(%rip)`.
#[inline]
fn x86_64(code: &[u8], address: u64) -> Result<Stub, &'static str> {
    let landing_pad = code.starts_with(&[0xf3, 0x0f, 0x1e, 0xfa]);
    let mut len = if landing_pad { 4 } else { 0 };
    let mut relative = |opcode: &[u8]| {
        let rest = code.get(len..)?.strip_prefix(opcode)?;
        len += opcode.len() + 4;
        let distance = i32::from_le_bytes(*rest.first_chunk()?);
        Some(address.wrapping_add(len as u64).wrapping_add(i64::from(distance) as u64))
    };
    let slot = relative(&[0x4c, 0x8b, 0x15]).ok_or(OTHER)?;
    let entry = relative(&[0xff, 0x25]).ok_or(OTHER)?;
    Ok(Stub { slot, entry, len, protection: Protection { landing_pad, signed: false } })
}

/// Decodes `[endbr32]; call 1f; movl D(%eax), %ecx; jmpl *D(%eax); 1: movl (%esp), %eax; ret`.
#[inline]
fn x86(code: &[u8], address: u64) -> Result<Stub, &'static str> {
    let pad = code.strip_prefix(&[0xf3, 0x0f, 0x1e, 0xfb]);
    let rest = pad.unwrap_or(code).strip_prefix(&[0xe8, 12, 0, 0, 0]).ok_or(OTHER)?;
    let call = code.len() - rest.len();
    let here = address.wrapping_add(call as u64); // the return address of the call
    let relative = |opcode: [u8; 2], at: usize| {
        let distance = i32::from_le_bytes(*rest.get(at..)?.strip_prefix(&opcode)?.first_chunk()?);
        Some(here.wrapping_add(i64::from(distance) as u64) & u64::from(u32::MAX))
    };
    let slot = relative([0x8b, 0x88], 0).ok_or(OTHER)?;
    let entry = relative([0xff, 0xa0], 6).ok_or(OTHER)?;
    if rest.get(12..16) != Some(&[0x8b, 0x04, 0x24, 0xc3]) {
        return Err(OTHER);
    }
    let protection = Protection { landing_pad: pad.is_some(), signed: false };
    Ok(Stub { slot, entry, len: call + 16, protection })
}

/// A function that decodes the instructions that use both words of a slot. Returns the instructions after these, and
/// whether the decoded instructions authenticate x17.
type Use = fn(&[u32]) -> Option<(&[u32], bool)>;

/// Decodes `[bti c]; adrp x16; add x16; ldp x15, x17, [x16]; USE; br x17`. A linker may have relaxed `adrp x16; add
/// x16` to `nop; adr x16`. USE is `[madd x16, x16, x16, x15; autia1716]; [mov x18, x15]`, on macOS `mov x16, x15`.
#[inline]
fn aarch64(code: &[u8], address: u64, used: Use) -> Result<Stub, &'static str> {
    let words: [u32; 8] = words(code)?;
    let landing_pad = words[0] == 0xd503_245f;
    let (mut rest, mut pc) = (&words[..], address);
    if landing_pad {
        (rest, pc) = (&words[1..], address.wrapping_add(4));
    }
    let [high, low, rest @ ..] = rest else { return Err(OTHER) };
    let parts = |word: u32| word >> 3 & 0x1f_fffc | word >> 29 & 3; // the 21-bit immediate of adr and adrp
    let slot = if *high == 0xd503_201f && low & 0x9f00_001f == 0x1000_0010 {
        pc.wrapping_add(4).wrapping_add(signed(parts(*low), 21))
    } else if high & 0x9f00_001f == 0x9000_0010 && low & 0xffc0_03ff == 0x9100_0210 {
        let page = (pc & !0xfff).wrapping_add(signed(parts(*high), 21) << 12);
        page.wrapping_add(u64::from(low >> 10 & 0xfff))
    } else {
        return Err(OTHER);
    };
    let rest = rest.strip_prefix(&[0xa940_460f]).ok_or(OTHER)?;
    let (rest, signed) = used(rest).ok_or(OTHER)?;
    let rest = rest.strip_prefix(&[0xd61f_0220]).ok_or(OTHER)?;
    let protection = Protection { landing_pad, signed };
    Ok(Stub { protection, ..plain(slot, 8, words.len() - rest.len()) })
}

/// Decodes `mflr 0; bcl 20, 31, .+4; mflr 12; mtlr 0; addis 12, 12; lwzu 11, (12); lwz 12, 4(12); mtctr 12; bctr`.
#[inline]
fn powerpc(code: &[u8], address: u64) -> Result<Stub, &'static str> {
    let [a, b, c, d, high, low, x, y, z] = words_by(u32::from_be_bytes, code)?;
    if [a, b, c, d] != [0x7c08_02a6, 0x429f_0005, 0x7d88_02a6, 0x7c08_03a6]
        || (high >> 16, low >> 16) != (0x3d8c, 0x856c)
        || [x, y, z] != [0x818c_0004, 0x7d89_03a6, 0x4e80_0420]
    {
        return Err(OTHER);
    }
    let distance = (high << 16).wrapping_add(signed(low & 0xffff, 16) as u32);
    Ok(plain((address as u32).wrapping_add(8).wrapping_add(distance).into(), 4, 9))
}

/// Decodes `addis 12, 12; addi 12, 12; ld 11, 0(12); ld 12, 8(12); mtctr 12; bctr`. r12 holds the stub's address.
#[inline]
fn powerpc64(code: &[u8], address: u64) -> Result<Stub, &'static str> {
    let [high, low, load @ ..]: [u32; 6] = words(code)?;
    if (high >> 16, low >> 16, load) != (0x3d8c, 0x398c, [0xe96c_0000, 0xe98c_0008, 0x7d89_03a6, 0x4e80_0420])
    {
        return Err(OTHER);
    }
    let slot = address.wrapping_add(signed(high & 0xffff, 16) << 16).wrapping_add(signed(low & 0xffff, 16));
    Ok(plain(slot, 8, 6))
}

/// Decodes `auipc t1; addi t1; load t2, 0(t1); load t1, WORD(t1); jr t1`.
#[inline]
fn riscv(code: &[u8], address: u64, loads: [u32; 2], mask: u64, word: u64) -> Result<Stub, &'static str> {
    let [high, low, chain, entry, jump] = words(code)?;
    if (high & 0xfff, low & 0xf_ffff, [chain, entry], jump) != (0x317, 0x3_0313, loads, 0x0003_0067) {
        return Err(OTHER);
    }
    let slot = address.wrapping_add(signed(high & 0xffff_f000, 32)).wrapping_add(signed(low >> 20, 12));
    Ok(plain(slot & mask, word, 5))
}

/// Decodes `pcalau12i $t7; ld.d $t8, $t7; ld.d $t7, $t7; jr $t7`.
#[inline]
fn loongarch64(code: &[u8], address: u64) -> Result<Stub, &'static str> {
    let [page, chain, entry, jump] = words(code)?;
    let opcodes = [page & 0xfe00_001f, chain & 0xffc0_03ff, entry & 0xffc0_03ff, jump];
    if opcodes != [0x1a00_0013, 0x28c0_0274, 0x28c0_0273, 0x4c00_0260] {
        return Err(OTHER);
    }
    let page = (address & !0xfff).wrapping_add(signed(page >> 5, 20) << 12);
    let word = |load: u32| page.wrapping_add(signed(load >> 10, 12));
    Ok(Stub { entry: word(entry), ..plain(word(chain), 8, 4) })
}

/// Decodes `lw $24, 24($25); daddu $24, $24, $25; ld $15, 0($24); ld $25, 8($24); jr $25; nop`, and the distance to the
/// slot. $25 holds the stub's address.
#[inline]
fn mips64(code: &[u8], address: u64) -> Result<Stub, &'static str> {
    let [code @ .., distance]: [u32; 7] = words(code)?;
    if code != [0x8f38_0018, 0x0319_c02d, 0xdf0f_0000, 0xdf19_0008, 0x0320_0008, 0] {
        return Err(OTHER);
    }
    Ok(plain(address.wrapping_add(signed(distance, 32)), 8, 7))
}

/// Decodes `ldr r12, [pc, #4]; add r12, pc, r12; ldm r12, {r12, pc}` and the distance to the slot.
#[inline]
fn arm(code: &[u8], address: u64) -> Result<Stub, &'static str> {
    let [load, add, jump, distance] = words(code)?;
    if [load, add, jump] != [0xe59f_c004, 0xe08f_c00c, 0xe89c_9000] {
        return Err(OTHER);
    }
    Ok(plain((address as u32).wrapping_add(12).wrapping_add(distance).into(), 4, 4))
}

/// Decodes `push {r0, r1, r2}; ldr r1, [pc, #12]; ldr r0, [r1]; mov r12, r0; ldr r1, [r1, #4]; str r1, [sp, #8]; pop
/// {r0, r1, pc}`, padding, and the address of the slot.
#[inline]
fn thumb1(code: &[u8]) -> Result<Stub, &'static str> {
    let [a, b, c, d, slot] = words(code)?;
    let gap = d >> 16; // `nop` in either encoding, or zero
    if [a, b, c] != [0x4903_b407, 0x4684_6808, 0x9102_6849] || d & 0xffff != 0xbd03 {
        return Err(OTHER);
    }
    if ![0, 0xbf00, 0x46c0].contains(&gap) {
        return Err(FILLED);
    }
    Ok(plain(slot.into(), 4, 5))
}

/// Decodes `movw r12; movt r12; ldm.w r12, {r12, pc}`, or `ldr.w r12, [pc, #4]; ldm.w r12, {r12, pc}` and the address
/// of the slot.
#[inline]
fn thumb2(code: &[u8]) -> Result<Stub, &'static str> {
    const LOAD: u32 = 0x9000_e89c;
    let [a, b, c] = words(code)?;
    // The first halfword of the instruction is the lower half of the word. It contains one bit of the immediate (i) in
    // bit 10, and four bits beginning at bit 0. The second halfword contains three bits beginning at bit 12, and eight
    // bits beginning at bit 0.
    let immediate =
        |word: u32| (word & 0xf) << 12 | (word >> 10 & 1) << 11 | (word >> 28 & 7) << 8 | word >> 16 & 0xff;
    let is = |word: u32, opcode: u32| word & 0x8f00_fbf0 == 0x0c00_0000 | opcode;
    let slot = if is(a, 0xf240) && is(b, 0xf2c0) && c == LOAD {
        immediate(b) << 16 | immediate(a)
    } else if a == 0xc004_f8df && b == LOAD {
        c
    } else {
        return Err(OTHER);
    };
    Ok(plain(slot.into(), 4, 3))
}

/// Decodes `lgrl %r0, D; lgrl %r1, D; br %r1`. Each D is a 32-bit big-endian number of halfwords.
#[inline]
fn s390x(code: &[u8], address: u64) -> Result<Stub, &'static str> {
    let relative = |opcode: [u8; 2], at: usize| {
        let distance = i32::from_be_bytes(*code.get(at..)?.strip_prefix(&opcode)?.first_chunk()?);
        Some(address.wrapping_add(at as u64).wrapping_add((2 * i64::from(distance)) as u64))
    };
    let slot = relative([0xc4, 0x08], 0).ok_or(OTHER)?;
    let entry = relative([0xc4, 0x18], 6).ok_or(OTHER)?;
    if code.get(12..14) != Some(&[0x07, 0xf1]) {
        return Err(OTHER);
    }
    Ok(Stub { slot, entry, len: 14, protection: Protection::default() })
}

/// Decodes `rd %pc, %g1; sethi %g5; sra %g5; add %g1; ldx %g5; ldx %g1; jmp %g1; nop`. The loads contain the low ten
/// bits of the distances.
#[inline]
fn sparc64(code: &[u8], address: u64) -> Result<Stub, &'static str> {
    let [pc, high, sign, add, chain, entry, rest @ ..]: [u32; 8] = words_by(u32::from_be_bytes, code)?;
    if [pc, high & 0xffc0_0000, sign, add] != [0x8341_4000, 0x0b00_0000, 0x8b39_6000, 0x8200_4005]
        || [chain & 0xffff_fc00, entry & 0xffff_fc00] != [0xca58_6000, 0xc258_6000]
        || rest != [0x81c0_4000, 0x0100_0000]
    {
        return Err(OTHER);
    }
    let word = |load: u32| address.wrapping_add(signed(high << 10, 32)).wrapping_add(u64::from(load & 0x3ff));
    Ok(Stub { entry: word(entry), ..plain(word(chain), 8, 8) })
}
