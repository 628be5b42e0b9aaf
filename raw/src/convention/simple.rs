//! Simple signatures: each argument takes one integer register, or a floating-point register that the context does not
//! affect. Two counts then determine the context's register, without a walk over the arguments (`insert.rs`).

use super::layout::{Class, Scalar, Type};
use super::walk::Convention;
use crate::arch::Block;

/// The weights of a parameter in an integer register, of a parameter in a floating-point register, and of any other
/// parameter. A signature has at most 64 parameters, so the sums of the three weights occupy separate bits.
const INTEGER: u32 = 1;
const FLOAT: u32 = 1 << 8;
const OTHER: u32 = 1 << 16;

/// The weight of a parameter of each kind.
const WEIGHTS: [u32; Scalar::KINDS.len()] = {
    let mut weights = [OTHER; Scalar::KINDS.len()];
    let mut kind = 0;
    while kind < weights.len() {
        if let Some(scalar) = Scalar::KINDS[kind] {
            weights[kind] = match scalar.class {
                Class::Integer | Class::Pointer if scalar.size() <= size_of::<usize>() => INTEGER,
                Class::Floating if scalar.size() <= 8 => FLOAT,
                _ => OTHER,
            };
        }
        kind += 1;
    }
    weights
};

/// Returns the number of integer registers, from the first one on, that the arguments take. A context before the
/// arguments moves them up by one register; a context after the arguments takes the next register (on i386, the next
/// word of the stack, which belongs to the caller). Returns `None` if the signature is not simple, or if no register is
/// left for the context.
#[inline(always)]
pub fn simple(result: Option<&Type>, parameters: &[Type]) -> Option<usize> {
    // No convention returns a scalar of at most 8 bytes in memory.
    if let Some(result) = result
        && Scalar::of(result.kind()).is_none_or(|scalar| scalar.size() > 8)
    {
        return None;
    }
    debug_assert!(parameters.len() <= super::insert::MOST_PARAMETERS);
    let mut sum = 0;
    for parameter in parameters {
        sum += *WEIGHTS.get(parameter.kind() as usize)?;
    }
    let (integers, floats) = ((sum % FLOAT) as usize, (sum / FLOAT) as usize);
    (floats <= Block::FLOATS && integers < Block::INTEGERS).then_some(integers)
}

#[cfg(test)]
mod tests {
    use super::super::insert::{register_after, registers};
    use super::*;
    use std::vec;
    use std::vec::Vec;

    extern crate std;

    /// The exclusive upper limit of the kind numbers to test, which include 0 and two numbers above the last kind.
    const KINDS: u32 = Scalar::KINDS.len() as u32 + 2;

    /// Checks `simple` against the walk, and returns whether the signature is simple.
    fn agrees(result: Option<&Type>, parameters: &[Type]) -> bool {
        let Some(integers) = simple(result, parameters) else { return false };
        assert_eq!(registers(result, parameters), Some((integers, false)), "{result:?} {parameters:?}");
        if !cfg!(target_arch = "x86") {
            assert_eq!(register_after(result, parameters), Some(integers), "{result:?} {parameters:?}");
        }
        true
    }

    #[test]
    fn the_fast_path_counts_the_same_registers_as_the_full_walk() {
        let kinds: Vec<Type> = (0..KINDS).map(Type::of_kind).collect();
        let mut count = 0;
        for one in &kinds {
            agrees(Some(one), &[]);
            for other in &kinds {
                for third in &kinds {
                    count += usize::from(agrees(None, &[*one, *other, *third]));
                }
            }
        }
        // The kinds of pointers and of integers of up to one word are simple on every target: 9 kinds on 64-bit
        // processors, and 7 on 32-bit processors.
        assert!(count >= if size_of::<usize>() == 8 { 729 } else { 343 });
        // Long signatures of two kinds, with 0 to 10 arguments of each kind.
        for one in &kinds {
            for other in &kinds {
                for (ones, others) in (0..11).flat_map(|ones| (0..11).map(move |others| (ones, others))) {
                    let mut types = vec![*one; ones];
                    types.extend(vec![*other; others]);
                    agrees(Some(one), &types);
                    let alternating: Vec<Type> = types
                        .iter()
                        .enumerate()
                        .map(|(i, _)| if i % 2 == 0 { *one } else { *other })
                        .collect();
                    agrees(Some(other), &alternating);
                }
            }
        }
    }

    #[test]
    fn an_argument_in_two_registers_moves_or_stays_as_a_whole() {
        use super::super::kind::Kind;
        let word = Type::of_kind(Kind::Pointer as u32);
        #[cfg(target_pointer_width = "64")]
        let pair = Type::of_kind(Kind::Int128 as u32);
        #[cfg(target_pointer_width = "32")]
        let pair = Type::of_kind(Kind::Int64 as u32);
        let found = registers(None, &[word, pair]);
        if cfg!(any(
            all(target_arch = "x86_64", not(windows)),
            target_arch = "riscv32",
            target_arch = "riscv64"
        )) {
            assert_eq!(found, Some((3, false)));
        }
        // The pair begins in an even-numbered register, with and without the context.
        if cfg!(any(target_arch = "aarch64", target_arch = "arm")) {
            assert_eq!(found, Some((1, false)));
        }
    }

    #[test]
    fn word_arguments_are_simple_as_long_as_a_register_is_left() {
        let word = Type::of_kind(super::super::kind::Kind::Pointer as u32);
        for count in 0..20 {
            let found = simple(Some(&word), &vec![word; count]);
            assert_eq!(found, (count < Block::INTEGERS).then_some(count));
        }
    }
}
