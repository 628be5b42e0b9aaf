//! PowerPC of 64 bits, little-endian (Power ELFv2 ABI, sections 2.2.4 and 2.2.5). Each argument has a doubleword of its own in
//! an image of memory, of which the first eight are in r3 to r10; what is floating-point is in f1 to f13 instead while there are
//! some left. A struct of scalars is returned as LLVM does: up to four words in r3 to r6, eight floating-point ones in f1 to f8.

pub(super) const INTEGERS: usize = 8;
pub(super) const FLOATS: usize = 13;
pub(super) const FLOAT_WORDS: usize = 1;
pub(super) const FLOATS_GO_ON_IN_INTEGERS: bool = true;
pub(super) const FLOATS_PASS_OVER_INTEGERS: bool = true;
pub(super) const RETURNED_INTEGERS: usize = 4;
pub(super) const RETURNED_FLOATS: [usize; 3] = [8, 8, 8];
pub(super) const RETURNED_ON_X87: usize = 0;
pub(super) const RETURNED_TOGETHER: usize = 12;
pub(super) const SRET_REGISTER: bool = false;

const INFINITY: u64 = 0x7ff << 52;

/// An `f32` has the form of an `f64` (Power ISA, section "Floating-Point Single-Precision Format": as `stfs` and `lfs`
/// convert it). A NaN keeps its bits, a signaling one, too, which a conversion by number may make quiet.
pub(super) fn of_register(register: u64, bytes: usize) -> u64 {
    if bytes != 4 {
        return register;
    }
    let bits = if register & INFINITY == INFINITY {
        (register >> 32) as u32 & 0xc000_0000 | (register >> 29) as u32 & 0x3fff_ffff
    } else {
        (f64::from_bits(register) as f32).to_bits() // exact
    };
    bits.into()
}

/// The other way round.
pub(super) fn in_register(bits: u64, bytes: usize) -> u64 {
    if bytes != 4 {
        return bits;
    }
    let single = f32::from_bits(bits as u32);
    if single.is_nan() {
        let (sign, fraction) = (bits >> 31 & 1, bits & 0x7f_ffff);
        sign << 63 | INFINITY | fraction << 29
    } else {
        f64::from(single).to_bits()
    }
}

macro_rules! text {
    (frame) => {
        concat!(
            "77: mflr 0\n",
            "std 0, 16(1)\n",
            "stdu 1, -({size} + 32)(1)\n", // whoever is called may use the lowest 32 bytes
            ".cfi_def_cfa_offset {size} + 32\n",
            ".cfi_offset lr, 16\n",
        )
    };
    (keep) => {
        concat!(
            "std 3, 32(1)\n",
            "std 4, 40(1)\n",
            "std 5, 48(1)\n",
            "std 6, 56(1)\n",
            "std 7, 64(1)\n",
            "std 8, 72(1)\n",
            "std 9, 80(1)\n",
            "std 10, 88(1)\n",
            "stfd 1, 96(1)\n",
            "stfd 2, 104(1)\n",
            "stfd 3, 112(1)\n",
            "stfd 4, 120(1)\n",
            "stfd 5, 128(1)\n",
            "stfd 6, 136(1)\n",
            "stfd 7, 144(1)\n",
            "stfd 8, 152(1)\n",
            "stfd 9, 160(1)\n",
            "stfd 10, 168(1)\n",
            "stfd 11, 176(1)\n",
            "stfd 12, 184(1)\n",
            "stfd 13, 192(1)\n",
            "addi 4, 1, {size} + 32 + 96\n", // above the caller's lowest words and the image of r3 to r10
            "std 4, 32 + {stack}(1)\n",
        )
    };
    (call) => {
        concat!(
            "addi 3, 1, 32\n",
            "mr 4, 11\n",
            // r12 is this code's own address, and has to be that of what it calls.
            "addis 12, 12, ({enter} - 77b)@ha\n",
            "addi 12, 12, ({enter} - 77b)@l\n",
            "mtctr 12\n",
            "bctrl\n",
        )
    };
    (results) => {
        concat!(
            "ld 3, 32 + {returned}(1)\n",
            "ld 4, 40 + {returned}(1)\n",
            "ld 5, 48 + {returned}(1)\n",
            "ld 6, 56 + {returned}(1)\n",
            "lfd 1, 64 + {returned}(1)\n",
            "lfd 2, 72 + {returned}(1)\n",
            "lfd 3, 80 + {returned}(1)\n",
            "lfd 4, 88 + {returned}(1)\n",
            "lfd 5, 96 + {returned}(1)\n",
            "lfd 6, 104 + {returned}(1)\n",
            "lfd 7, 112 + {returned}(1)\n",
            "lfd 8, 120 + {returned}(1)\n",
        )
    };
    (leave) => {
        concat!(
            "addi 1, 1, {size} + 32\n",
            ".cfi_def_cfa_offset 0\n",
            "ld 0, 16(1)\n",
            "mtlr 0\n",
            ".cfi_restore lr\n",
            "blr\n",
        )
    };
}
pub(super) use text;

// The places that the text above counts, 32 bytes below in `SavedCall` and behind `{returned}`.
const _: () = {
    use super::{Returned, SavedCall};
    use core::mem::offset_of;
    assert!(offset_of!(SavedCall, integers) == 0 && offset_of!(SavedCall, floats) == 64);
    assert!(offset_of!(Returned, integers) == 0 && offset_of!(Returned, floats) == 32);
};
