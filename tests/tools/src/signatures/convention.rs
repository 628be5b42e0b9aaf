//! A target's calling convention, as stated by its row in `tests/legs/parts/machines.sh`, and the number of integer
//! registers that the arguments of a signature take, which this file computes independently of the library (in general
//! not for complex numbers and vectors, with which `statictramp_bind_first` is not called).

use super::types::{Class, Type};
use std::collections::HashMap;

/// The fields of a row that the generator reads. `machines.sh` describes them.
pub struct Convention {
    pub word: usize,
    pub long_double: usize,
    /// The largest alignment of a scalar.
    pub align: usize,
    /// The kinds of scalars that only some targets have.
    pub kinds: Vec<String>,
    /// Whether an array of floating-point numbers is passed as its elements are.
    pub float_arrays: bool,
    /// Whether structs are always described by their members, never by all scalars in them.
    pub by_members: bool,
    registers: usize,
    hidden: bool,
    returned: Option<Limit>,
    floats: Floats,
    float_registers: usize,
    /// The integer registers that a floating-point argument takes by its position, and whether they count if only
    /// such arguments follow.
    takes: usize,
    last_takes: usize,
    reference: Limit,
    even: String,
    rest: Rest,
    ambiguous: Vec<String>,
}

/// The largest sizes of a struct and of a scalar.
struct Limit {
    structs: usize,
    scalars: usize,
}

impl Limit {
    fn allows(&self, of: &Type) -> bool {
        of.size <= if of.scalar.is_some() { self.scalars } else { self.structs }
    }
}

/// Arguments that take floating-point registers.
#[derive(PartialEq)]
enum Floats {
    /// No argument takes them, or every argument that does also takes the integer registers of its position.
    None,
    /// Parts of eight bytes that contain only floating-point numbers.
    Eightbytes,
    /// At most this many floating-point numbers, all of the same size.
    Homogeneous(usize),
    /// At most two members, of which at least one is a floating-point number.
    Members,
    /// One floating-point number of at most eight bytes, which may be in a struct.
    Alone,
    /// Scalars.
    Scalars,
}

/// The passing of an argument that does not fit into the remaining integer registers.
#[derive(PartialEq)]
enum Rest {
    /// It takes the remaining registers, and its rest is on the stack.
    Split,
    /// It and all later arguments are on the stack.
    Close,
    /// It is split if it is a struct and the first argument on the stack. Otherwise as `Close`.
    SplitFirst,
}

/// The number of integer registers that the arguments of a signature take.
#[derive(Default)]
pub struct Count {
    pub used: usize,
    /// Whether the result is in memory.
    pub memory: bool,
    /// Whether an argument begins in an even register.
    pub pair: bool,
    /// Whether compilers differ.
    pub differ: bool,
}

impl Convention {
    /// Reads `FIELD=VALUE`. Fields that only legs read are ignored; of two with one name, the last one is read.
    pub fn new(fields: &[&str]) -> Result<Convention, String> {
        let fields: HashMap<&str, &str> = fields.iter().filter_map(|field| field.split_once('=')).collect();
        let text = |name: &str| fields.get(name).copied().ok_or_else(|| format!("{name}= is missing"));
        let list = |name: &str| {
            Ok::<_, String>(
                text(name)?
                    .split([',', ' '])
                    .filter(|word| !word.is_empty())
                    .map(str::to_owned)
                    .collect::<Vec<_>>(),
            )
        };
        let number = |name: &str| {
            let text = text(name)?;
            text.parse::<usize>().map_err(|_| format!("{name}={text} is not a number"))
        };
        let limit = |name: &str| {
            let sizes = list(name)?.iter().map(|size| size.parse()).collect::<Result<Vec<usize>, _>>();
            match sizes.as_deref() {
                Ok([]) => Ok(Limit { structs: usize::MAX, scalars: usize::MAX }),
                Ok(&[both]) => Ok(Limit { structs: both, scalars: both }),
                Ok(&[structs, scalars]) => Ok(Limit { structs, scalars }),
                _ => Err(format!("{name}= must be the largest size of a struct and that of a scalar")),
            }
        };
        Ok(Convention {
            word: number("bits")? / 8,
            long_double: number("long_double")?,
            align: number("align")?,
            kinds: list("kinds")?,
            float_arrays: !text("types")?.contains("float-arrays"),
            by_members: text("leaves")? == "members",
            registers: number("registers")?,
            hidden: number("hidden")? != 0,
            returned: if text("returned")? == "powers" { None } else { Some(limit("returned")?) },
            floats: match text("floats")? {
                "" => Floats::None,
                "eightbytes" => Floats::Eightbytes,
                "homogeneous" => Floats::Homogeneous(4),
                "homogeneous8" => Floats::Homogeneous(8),
                "members" => Floats::Members,
                "alone" => Floats::Alone,
                "scalars" => Floats::Scalars,
                other => return Err(format!("floats={other} is unknown")),
            },
            float_registers: number("float_registers")?,
            takes: number("float")?,
            last_takes: number("last_float")?,
            reference: limit("reference")?,
            even: text("even")?.to_owned(),
            rest: match text("rest")? {
                "split" => Rest::Split,
                "close" => Rest::Close,
                "split-first" => Rest::SplitFirst,
                other => return Err(format!("rest={other} is unknown")),
            },
            ambiguous: list("ambiguous")?,
        })
    }

    pub fn has(&self, kind: &str) -> bool {
        self.kinds.iter().any(|listed| listed == kind)
    }

    fn is_ambiguous(&self, what: &str) -> bool {
        self.ambiguous.iter().any(|listed| listed == what)
    }

    /// Returns whether registers are counted for complex numbers and vectors, too.
    pub fn counts_others(&self) -> bool {
        self.ambiguous.iter().any(|listed| listed.starts_with("complex-"))
    }

    /// Counts the integer registers of a signature, whose first `fixed` arguments are not variadic.
    pub fn count(&self, result: Option<&Type>, arguments: &[&Type], fixed: usize) -> Count {
        let mut count =
            Count { memory: result.is_some_and(|result| self.is_in_memory(result)), ..Count::default() };
        let hidden = usize::from(count.memory && self.hidden);
        // The integer registers before the next argument, and those before the last argument that is in one.
        let (mut at, mut used, mut floats) = (hidden, hidden, 0);
        let (mut closed, mut on_stack, mut after_complex) = (false, false, false);
        let mut singles = [false; 16];
        for (number, of) in arguments.iter().enumerate() {
            let is_variadic = number >= fixed;
            count.differ |= self.differs(of, at, is_variadic);
            if self.floats == Floats::Eightbytes {
                let Some((integers, others)) = eightbytes(of) else { continue };
                if at + integers <= self.registers && floats + others <= self.float_registers {
                    at += integers;
                    floats += others;
                    used = at;
                }
                continue;
            }
            if let Some((integers, others)) = self.members(of)
                && floats + others <= self.float_registers
                && at + integers <= self.registers
            {
                floats += others;
                at += integers;
                used = at;
                continue;
            }
            let in_floats = self.in_floats(of);
            if in_floats > 0 && self.takes == 0 {
                on_stack |= self.rest == Rest::SplitFirst
                    && !take_singles(&mut singles, in_floats, of.leaves[0].scalar.size);
                continue;
            }
            if self.is_ambiguous("complex-in-parts") && of.is("COMPLEX_FLOAT") | of.is("COMPLEX_DOUBLE") {
                after_complex |= of.is("COMPLEX_FLOAT");
                at += 2;
                used = at;
                continue;
            }
            count.differ |= after_complex && of.align == 16;
            let (size, align) =
                if self.reference.allows(of) { (of.size, of.align) } else { (self.word, self.word) };
            let words = size.div_ceil(self.word);
            let is_even = in_floats == 0
                && align == 2 * self.word
                && (self.even == "all" || self.even == "structs" && of.scalar.is_none());
            let first = if is_even { at.next_multiple_of(2) } else { at };
            let fits = !closed && first + words <= self.registers;
            match self.rest {
                Rest::Split => at = first + words,
                _ if fits => at = first + words,
                Rest::SplitFirst if of.scalar.is_none() && !on_stack && !closed && first < self.registers => {
                    at = self.registers;
                    on_stack = true;
                }
                _ => {
                    (closed, on_stack) = (true, true);
                    continue;
                }
            }
            count.pair |= is_even;
            floats += if is_variadic { 0 } else { in_floats };
            if in_floats == 0 || floats > self.float_registers || is_variadic || self.last_takes > 0 {
                used = at;
            }
        }
        count.used = used.min(self.registers) - hidden;
        count
    }

    /// Returns whether the result is in memory whose address the caller passes.
    fn is_in_memory(&self, result: &Type) -> bool {
        if self.floats == Floats::Eightbytes {
            return eightbytes(result).is_none() && !(result.leaves.len() == 1 && result.size == 16);
        }
        match &self.returned {
            Some(limit) => {
                let in_floats = matches!(self.floats, Floats::Homogeneous(_)) && self.in_floats(result) > 0;
                !limit.allows(result) && !in_floats
            }
            None => !matches!(result.size, 1 | 2 | 4 | 8) && !result.is("INT128"),
        }
    }

    /// Returns the number of floating-point registers that an argument takes, which may be 0.
    fn in_floats(&self, of: &Type) -> usize {
        let first = of.leaves[0].scalar;
        let number = of.leaves.len();
        match self.floats {
            Floats::Homogeneous(most) => {
                let is_homogeneous = of.size == number * first.size
                    && of
                        .leaves
                        .iter()
                        .all(|leaf| leaf.scalar.class == Class::Float && leaf.scalar.size == first.size);
                let number = if most == 8 && first.size == 16 { 2 * number } else { number };
                if is_homogeneous && number <= most { number } else { 0 }
            }
            Floats::Alone => usize::from(number == 1 && first.class == Class::Float && first.size <= 8),
            Floats::Scalars => usize::from(of.scalar.is_some() && first.class == Class::Float),
            _ => 0,
        }
    }

    /// Returns the numbers of integer and floating-point registers taken by a scalar, or by a struct that is passed by
    /// its members. In such a struct, a pointer does not count as an integer.
    fn members(&self, of: &Type) -> Option<(usize, usize)> {
        let floats = of.leaves.iter().filter(|leaf| leaf.scalar.class == Class::Float).count();
        let simple = |scalar: &super::types::Scalar| scalar.size <= 8 && scalar.kind != "POINTER";
        (self.floats == Floats::Members
            && of.leaves.len() <= 2
            && floats > 0
            && of.leaves.iter().all(|leaf| simple(&leaf.scalar)))
        .then(|| (of.leaves.len() - floats, floats))
    }

    /// Returns whether compilers differ in how they pass an argument that would begin in this register.
    fn differs(&self, of: &Type, at: usize, is_variadic: bool) -> bool {
        let is_struct = of.scalar.is_none();
        let has = |what: &str| self.is_ambiguous(what);
        // With one register left, gcc uses it for a later argument, as the psABI requires, and clang does not.
        (has("int128-in-last-register") && of.is("INT128") && at + 1 == self.registers)
            // clang does not skip the odd register.
            || (has("int128-in-odd-register") && of.is("INT128") && at % 2 == 1)
            // clang always passes the parts as two arguments, and aligns later ones as if these took one word.
            || (has("complex-in-parts")
                && of.is("COMPLEX_FLOAT") | of.is("COMPLEX_DOUBLE")
                && (is_variadic || at + 1 >= self.registers))
            // gcc expects a sign-extended register, and clang does not extend.
            || (has("small-structs") && is_struct && of.size == 4)
            // clang 22 also skips even registers.
            || (has("aligned-structs") && is_struct && of.align == 16 && of.size == 16)
            // gcc 12 fails to compile some calls with a complex number in two doublewords.
            || (has("complex-across-words")
                && of.leaves.iter().any(|leaf| leaf.scalar.kind == "COMPLEX_FLOAT" && leaf.offset % 8 != 0))
            // gcc passes floating-point members like integers, and clang does not.
            || (has("variadic-floats-in-structs")
                && is_variadic
                && is_struct
                && of.leaves.iter().any(|leaf| leaf.scalar.class != Class::Integer))
    }
}

/// Returns the numbers of integer and floating-point registers that an argument takes, classified by x86-64's
/// eightbytes, or `None` if the argument is in memory.
fn eightbytes(of: &Type) -> Option<(usize, usize)> {
    if of.size > 16 || of.leaves.iter().any(|leaf| leaf.scalar.kind == "LONG_DOUBLE") {
        return None;
    }
    let mut is_integer = vec![false; of.size.div_ceil(8)];
    for leaf in &of.leaves {
        if leaf.scalar.size == 16 || leaf.scalar.class == Class::Integer {
            let first = leaf.offset / 8;
            is_integer[first..first + leaf.scalar.size.div_ceil(8)].fill(true);
        }
    }
    let integers = is_integer.iter().filter(|is_integer| **is_integer).count();
    Some((integers, is_integer.len() - integers))
}

/// Takes `number` consecutive floating-point registers of `size` bytes, out of 16 single-precision ones. Returns false
/// if too few are left; later arguments then take none either.
fn take_singles(taken: &mut [bool; 16], number: usize, size: usize) -> bool {
    let step = size / 4;
    let length = number * step;
    let first = (0..=16 - length).step_by(step).find(|&at| !taken[at..at + length].contains(&true));
    match first {
        Some(at) => taken[at..at + length].fill(true),
        None => taken.fill(true),
    }
    first.is_some()
}
