//! Decoder for the stubs of all supported processors. It proves that stub i takes its chain and its jump target from
//! slot i.
//!
//! A stub is accepted only if each of its bytes is as `asm/` specifies: the instructions, the distance to its slot, and
//! filler that must not execute. Therefore an accepted stub cannot read another slot, and there are no other bytes
//! between two accepted stubs. The decoder works only on bytes, so it can decode stubs for any of these processors on any
//! machine.

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

/// An error in a table: the number of the first invalid stub, and the reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Broken {
    /// The number of the stub.
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
    fn word(self) -> u64 {
        match self {
            Self::X86 | Self::Powerpc | Self::Riscv32 | Self::Arm | Self::Thumb1 | Self::Thumb2 => 4,
            _ => 8,
        }
    }

    #[must_use]
    /// Returns the maximum size of the instructions of a stub in bytes, including data that the instructions load.
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
    fn stride(self) -> Option<usize> {
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
    fn filler(self) -> &'static [u8] {
        match self {
            Self::X86_64 | Self::X86 => &[0xcc],
            Self::Thumb2 => &[0x00, 0xde],
            _ => &[0],
        }
    }
}

/// Decodes all stubs of a table. `code` contains these stubs.
///
/// Returns the protection that every stub has.
///
/// # Errors
/// Returns an error that names the first invalid stub: one that does not load the chain and the jump target from its
/// own slot, that has unexpected bytes, or whose protection differs.
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

const OTHER: &str = "its instructions are not those of a stub";
/// The error for invalid bytes between two stubs.
pub const FILLED: &str = "the bytes between it and the next stub are not padding";

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

/// Returns the first words of code with little-endian instructions.
#[inline]
fn words<const N: usize>(code: &[u8]) -> Result<[u32; N], &'static str> {
    words_by(u32::from_le_bytes, code)
}

/// Returns the first words of code. `order` converts four bytes to a word in one of the two byte orders.
#[inline]
fn words_by<const N: usize>(order: fn([u8; 4]) -> u32, code: &[u8]) -> Result<[u32; N], &'static str> {
    let mut all = code.chunks_exact(4).map(|word| order([word[0], word[1], word[2], word[3]]));
    let mut words = [0; N];
    for word in &mut words {
        *word = all.next().ok_or("it is too short")?;
    }
    Ok(words)
}

/// Returns the lowest `bits` bits of a number, sign-extended.
#[inline]
fn signed(value: u32, bits: u32) -> u64 {
    let unused = 32 - bits;
    i64::from((value << unused) as i32 >> unused) as u64
}

/// Returns a stub of `words` words without protection. The second word of its slot is at `slot` plus `word`.
#[inline]
fn plain(slot: u64, word: u64, words: usize) -> Stub {
    Stub { slot, entry: slot.wrapping_add(word), len: 4 * words, protection: Protection::default() }
}

/// A function that decodes the instructions that use both words of a slot. It returns the instructions that follow, and
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
