//! The argument and result registers, as listed by the core crate's `__processor!` macro. The core's
//! `src/arch/registers.rs` explains the macro's arms.

pub(super) use statictramp::__processor as processor;

macro_rules! count {
    ($($register:literal)*) => {
        [$($register),*].len()
    };
}

/// The numbers of integer and floating-point argument registers.
pub(super) const INTEGERS: usize = processor!(arguments[count]);
pub(super) const FLOATS: usize = processor!(floats[count]);
/// The numbers of integer and floating-point result registers.
pub(super) const RETURNED_INTEGERS: usize = processor!(results[count]);
pub(super) const RETURNED_FLOATS: [usize; 3] = processor!(returned_floats);
pub(super) const RETURNED_TOGETHER: usize = processor!(returned_together);
pub(super) const RETURNED_ON_X87: usize = processor!(returned_on_x87);
pub(super) const FLOAT_WORDS: usize = processor!(float_words);
pub(super) const FLOATS_GO_ON_IN_INTEGERS: bool = processor!(floats_go_on_in_integers);
pub(super) const FLOATS_PASS_OVER_INTEGERS: bool = processor!(floats_pass_over_integers);
/// True if every argument occupies one position, regardless of its type, and vectors are passed by address.
pub(super) const POSITIONAL: bool = processor!(positional);
/// Whether the address of a result in memory is passed in a dedicated register instead of as the first argument.
pub(super) const SRET_REGISTER: bool = !processor!(result_takes_first);

const _: () = assert!(RETURNED_FLOATS[2] == processor!(float_results[count]));

/// How a floating-point register holds a number shorter than 8 bytes.
#[allow(dead_code)] // each processor uses only one of these
enum Narrow {
    /// In the register's low bits. The higher bits are undefined.
    Low,
    /// In the register's high bits.
    High,
    /// In the register's low bits, with all higher bits set (NaN-boxed).
    Boxed,
    /// As the `f64` with the same value, if the number is an `f32`.
    AsDouble,
}
use Narrow::*;

const NARROW: Narrow = processor!(narrow_floats);

/// Returns the bits of the `bytes`-byte floating-point number in a register.
pub(super) fn of_register(register: u64, bytes: usize) -> u64 {
    match NARROW {
        High => register >> (64 - 8 * bytes),
        AsDouble if bytes == 4 => single_of(register).into(),
        _ => register,
    }
}

/// Returns the register contents that represent the `bytes`-byte floating-point number with these bits.
pub(super) fn in_register(bits: u64, bytes: usize) -> u64 {
    match NARROW {
        High => bits << (64 - 8 * bytes),
        Boxed if bytes != 8 => bits | u64::MAX << (8 * bytes),
        AsDouble if bytes == 4 => double_of(bits as u32),
        _ => bits,
    }
}

const INFINITY: u64 = 0x7ff << 52;

/// Returns the bits of the `f32` that an `f64` represents according to the Power ISA (section "Floating-Point
/// Single-Precision Format"), as `stfs` converts it. Even a signaling NaN keeps its bits, which a numeric conversion
/// could quiet.
fn single_of(double: u64) -> u32 {
    if double & INFINITY == INFINITY {
        (double >> 32) as u32 & 0xc000_0000 | (double >> 29) as u32 & 0x3fff_ffff
    } else {
        (f64::from_bits(double) as f32).to_bits() // exact
    }
}

/// Returns the bits of the `f64` that represents an `f32`: the inverse of `single_of`, as `lfs` converts it.
fn double_of(single: u32) -> u64 {
    let number = f32::from_bits(single);
    if number.is_nan() {
        let (sign, fraction) = (u64::from(single >> 31), u64::from(single & 0x7f_ffff));
        sign << 63 | INFINITY | fraction << 29
    } else {
        f64::from(number).to_bits()
    }
}
