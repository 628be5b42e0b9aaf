//! A parser for MLIR function types that are known only at run time.

use super::words::WordCounts;
use core::fmt;

/// The maximum number of arguments in a function type.
pub const MOST_ARGUMENTS: usize = 16;
/// The maximum number of results in a function type.
pub const MOST_RESULTS: usize = 8;
/// The maximum rank of a memref in a function type.
pub const MOST_RANK: usize = 8;

/// The maximum number of static sizes, strides and offsets in all memref types of a function type.
pub const MOST_NUMBERS: usize = 40;

/// The type of an argument or a result, reduced to the properties that determine its words and its memory layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Item {
    /// `i1`: the low bit of a register, or one byte in memory.
    Bit,
    /// A pointer or an integer of this size in bytes.
    Integer(u8),
    /// A floating-point number of this size in bytes.
    Float(u8),
    /// A pair of floating-point numbers, each of this size in bytes.
    Complex(u8),
    /// A 16-byte vector.
    #[cfg(memref_vectors)]
    Vector,
    /// A memref of this rank. `sized` has one bit for each dimension with a static size. The memref's static sizes,
    /// strides and offset follow in this order from index `first` of the list for all memrefs.
    Memref { rank: u8, sized: u8, first: u8, layout: Layout },
    /// An unranked memref: its rank and the address of its descriptor.
    Unranked,
}

/// The layout of a memref type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Layout {
    /// No layout in the text: contiguous and row-major, without an offset.
    Identity,
    /// `strided<[...], offset: ...>`. `known` has one bit for each dimension with a static stride; `offset` is true if
    /// the offset is static.
    Strided { known: u8, offset: bool },
    /// An affine map, or an attribute whose meaning cannot be determined from the text.
    Other,
}

impl Item {
    /// Returns the number of words of each kind in a value of this type.
    pub(super) const fn words(self) -> WordCounts {
        match self {
            Item::Bit | Item::Integer(_) => WordCounts::integers(1),
            Item::Float(bytes) => WordCounts::float(bytes as usize),
            Item::Complex(bytes) => WordCounts::float(bytes as usize).then(WordCounts::float(bytes as usize)),
            #[cfg(memref_vectors)]
            Item::Vector => WordCounts::VECTOR,
            Item::Memref { rank, .. } => WordCounts::integers(3 + 2 * rank as usize),
            Item::Unranked => WordCounts::integers(2),
        }
    }

    /// Returns the size and the alignment in bytes of a value of this type in memory.
    pub(super) const fn size_and_align(self) -> (usize, usize) {
        match self {
            Item::Bit => (1, 1),
            Item::Integer(bytes) | Item::Float(bytes) => (bytes as usize, bytes as usize),
            Item::Complex(bytes) => (2 * bytes as usize, bytes as usize),
            #[cfg(memref_vectors)]
            Item::Vector => (16, 16),
            Item::Memref { .. } | Item::Unranked => (8 * self.words().integers, 8),
        }
    }
}

/// The parameter and result types of a function, parsed from MLIR text such as `memref<?x4xf32>, i64, f64 ->
/// memref<?xf32>, i8`, with or without parentheses. A type without `->` has no results. At most 16 arguments and 8
/// results are supported. The supported numbers are `i1`, `i8`, `i16`, `i32`, `i64`, `index`, `f32`, `f64` and, on
/// x86-64, AArch64 and RISC-V, `f16` and `bf16`. The other supported types are `complex` with floating-point parts,
/// `!llvm.ptr`, a 16-byte `vector` on x86-64 and AArch64, and memrefs (unranked, or with at most 8 dimensions).
///
/// All memref types together may contain at most 40 static sizes, strides and offsets. A call aborts the program if the
/// size of a memref argument is negative or differs from a static size in its type. Results are checked completely
/// (sizes and layout, by default contiguous and row-major), because the calling MLIR code relies on their types. Affine
/// maps, the layouts of arguments, and the sizes of unranked memrefs are not checked; the handler can check an argument
/// with [`Ranked::check_layout`](crate::memref::Ranked::check_layout).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Signature {
    numbers: Numbers,
    arguments: [Item; MOST_ARGUMENTS],
    results: [Item; MOST_RESULTS],
    takes: u8,
    returns: u8,
}

/// An error in the text of a function type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SignatureError {
    /// The position of the error, as an offset in bytes from the beginning of the text.
    pub at: usize,
}

impl fmt::Display for SignatureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the function type is invalid at byte {}", self.at)
    }
}

impl core::error::Error for SignatureError {}

impl Signature {
    /// Parses a function type.
    ///
    /// # Errors
    /// [`SignatureError`].
    pub fn parse(text: &str) -> Result<Self, SignatureError> {
        let mut signature = Signature {
            arguments: [Item::Unranked; MOST_ARGUMENTS],
            results: [Item::Unranked; MOST_RESULTS],
            numbers: Numbers { known: [0; MOST_NUMBERS], count: 0 },
            takes: 0,
            returns: 0,
        };
        let mut rest = after_blanks(text);
        signature.takes = list(text, &mut rest, &mut signature.arguments, &mut signature.numbers)?;
        if eat(&mut rest, "->") {
            signature.returns = list(text, &mut rest, &mut signature.results, &mut signature.numbers)?;
        } else if after_blanks(text).is_empty() {
            return Err(error(text, rest));
        }
        if rest.is_empty() { Ok(signature) } else { Err(error(text, rest)) }
    }

    pub(super) fn arguments(&self) -> &[Item] {
        self.arguments.get(..self.takes.into()).unwrap_or_default()
    }

    pub(super) fn results(&self) -> &[Item] {
        self.results.get(..self.returns.into()).unwrap_or_default()
    }

    /// Given the fields of an [`Item::Memref`], returns each dimension that has a static size, with that size.
    pub(super) fn sizes(&self, sized: u8, first: u8) -> impl Iterator<Item = (usize, isize)> {
        let known = self.numbers.known.get(first.into()..).unwrap_or_default();
        (0..MOST_RANK).filter(move |dimension| sized >> dimension & 1 != 0).zip(known.iter().copied())
    }

    /// Given the fields of an [`Item::Memref`] and of its [`Layout::Strided`], returns the strides and the offset
    /// (`None` if dynamic).
    pub(super) fn strides(
        &self,
        (sized, first): (u8, u8),
        (known, offset): (u8, bool),
    ) -> ([Option<isize>; MOST_RANK], Option<isize>) {
        let first = usize::from(first) + sized.count_ones() as usize;
        let mut numbers = self.numbers.known.get(first..).unwrap_or_default().iter().copied();
        let mut next = |is_static: bool| if is_static { numbers.next() } else { None };
        (core::array::from_fn(|dimension| next(known >> dimension & 1 != 0)), next(offset))
    }
}

/// The static sizes, strides and offsets in all memref types of a function type, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Numbers {
    known: [isize; MOST_NUMBERS],
    count: u8,
}

impl Numbers {
    fn push(&mut self, number: isize) -> Option<()> {
        *self.known.get_mut(usize::from(self.count))? = number;
        self.count += 1;
        Some(())
    }
}

fn error(text: &str, rest: &str) -> SignatureError {
    SignatureError { at: text.len() - rest.len() }
}

/// Skips the characters that MLIR treats as white space.
fn after_blanks(text: &str) -> &str {
    text.trim_start_matches([' ', '\t', '\n', '\r'])
}

fn eat(rest: &mut &str, token: &str) -> bool {
    match rest.strip_prefix(token) {
        Some(after) => {
            *rest = after_blanks(after);
            true
        }
        None => false,
    }
}

/// Parses a comma-separated list of types, which may be empty or in parentheses, and returns the number of types.
fn list(
    text: &str,
    rest: &mut &str,
    items: &mut [Item],
    numbers: &mut Numbers,
) -> Result<u8, SignatureError> {
    let in_parentheses = eat(rest, "(");
    let mut count = 0;
    loop {
        let before = *rest;
        let is_over = before.is_empty() || before.starts_with("->") || before.starts_with(')');
        if count == 0 && is_over {
            break;
        }
        let item = item(rest, numbers).ok_or(error(text, before))?;
        *items.get_mut(usize::from(count)).ok_or(error(text, before))? = item;
        count += 1;
        if !eat(rest, ",") {
            break;
        }
    }
    if in_parentheses && !eat(rest, ")") { Err(error(text, rest)) } else { Ok(count) }
}

/// Skips the identifier at the start of the text, and returns it (empty if there is none).
fn word<'t>(rest: &mut &'t str) -> &'t str {
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"!._$".contains(c)).unwrap_or(rest.len());
    let (word, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
    *rest = after_blanks(after);
    word
}

fn number(name: &str) -> Option<Item> {
    const NAMES: &[(&str, Item)] = &[
        ("index", Item::Integer(8)),
        ("i64", Item::Integer(8)),
        ("i32", Item::Integer(4)),
        ("i16", Item::Integer(2)),
        ("i8", Item::Integer(1)),
        ("i1", Item::Bit),
        #[cfg(memref_halves)]
        ("bf16", Item::Float(2)),
        #[cfg(memref_halves)]
        ("f16", Item::Float(2)),
        ("f32", Item::Float(4)),
        ("f64", Item::Float(8)),
        ("!llvm.ptr", Item::Integer(8)),
    ];
    NAMES.iter().find(|(known, _)| *known == name).map(|&(_, item)| item)
}

fn item(rest: &mut &str, numbers: &mut Numbers) -> Option<Item> {
    match word(rest) {
        "complex" if eat(rest, "<") => {
            let Item::Float(bytes) = number(word(rest))? else { return None };
            eat(rest, ">").then_some(Item::Complex(bytes))
        }
        "memref" if eat(rest, "<") => memref(rest, numbers),
        #[cfg(memref_vectors)]
        "vector" if eat(rest, "<") => {
            let count = dimension(rest)??;
            let (Item::Float(bytes) | Item::Integer(bytes)) = number(word(rest))? else { return None };
            let is_whole = count.checked_mul(bytes.into()) == Some(16);
            (is_whole && eat(rest, ">")).then_some(Item::Vector)
        }
        name => number(name),
    }
}

/// Parses the text after `memref<`, up to and including the `>`.
fn memref(rest: &mut &str, numbers: &mut Numbers) -> Option<Item> {
    let (mut rank, mut sized, first) = (0, 0, numbers.count);
    let unranked = eat(rest, "*");
    if unranked {
        eat(rest, "x").then_some(())?;
    }
    while begins_with_dimension(rest) {
        if unranked || usize::from(rank) == MOST_RANK {
            return None;
        }
        if let Some(size) = dimension(rest)? {
            numbers.push(size)?;
            sized |= 1 << rank;
        }
        rank += 1;
    }
    element(rest, DEEPEST)?;
    if unranked {
        end_of_memref(rest)?;
        return Some(Item::Unranked);
    }
    let layout = layout(rest, rank, numbers)?;
    Some(Item::Memref { rank, sized, first, layout })
}

/// Parses the optional layout and memory space of a ranked memref, and the closing bracket.
fn layout(rest: &mut &str, rank: u8, numbers: &mut Numbers) -> Option<Layout> {
    let after_comma = rest.strip_prefix(',').map(after_blanks).unwrap_or_default();
    let layout = if after_comma.starts_with("strided") {
        *rest = after_comma;
        strided(rest, rank, numbers)?
    } else if after_comma.starts_with(['#', 'a']) {
        Layout::Other // an attribute, or affine_map
    } else {
        Layout::Identity // only a memory space
    };
    end_of_memref(rest)?;
    Some(layout)
}

/// Parses `strided<[2, ?], offset: 3>`, in which the offset is 0 by default.
fn strided(rest: &mut &str, rank: u8, numbers: &mut Numbers) -> Option<Layout> {
    (eat(rest, "strided") && eat(rest, "<") && eat(rest, "[")).then_some(())?;
    let mut known = 0;
    for dimension in 0..rank {
        (dimension == 0 || eat(rest, ",")).then_some(())?;
        if let Some(stride) = stride(rest)? {
            numbers.push(stride)?;
            known |= 1 << dimension;
        }
    }
    eat(rest, "]").then_some(())?;
    let offset = if eat(rest, ",") {
        (eat(rest, "offset") && eat(rest, ":")).then_some(())?;
        stride(rest)?
    } else {
        Some(0)
    };
    if let Some(offset) = offset {
        numbers.push(offset)?;
    }
    eat(rest, ">").then_some(Layout::Strided { known, offset: offset.is_some() })
}

/// Parses `?` or a number, possibly negative. Returns the number, or an inner `None` for `?`.
fn stride(rest: &mut &str) -> Option<Option<isize>> {
    if eat(rest, "?") {
        return Some(None);
    }
    let negative = eat(rest, "-");
    let number = size(rest)?;
    Some(Some(if negative { -number } else { number }))
}

fn begins_with_dimension(rest: &str) -> bool {
    rest.starts_with(|c: char| c == '?' || c.is_ascii_digit())
}

/// Parses `?` or a size, followed by `x`. Returns the size, or an inner `None` for `?`.
fn dimension(rest: &mut &str) -> Option<Option<isize>> {
    let size = if eat(rest, "?") { None } else { Some(size(rest)?) };
    eat(rest, "x").then_some(size)
}

fn size(rest: &mut &str) -> Option<isize> {
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (digits, after) = rest.split_at_checked(end)?;
    *rest = after_blanks(after);
    digits.parse().ok()
}

/// The maximum nesting depth of memrefs in a memref's element type.
const DEEPEST: u8 = 8;

/// Parses a memref's element type, allowing at most `deepest` levels of nested memrefs. Apart from this limit, accepts
/// any type that MLIR allows, because the library never inspects elements.
fn element(rest: &mut &str, deepest: u8) -> Option<()> {
    match word(rest) {
        "complex" if eat(rest, "<") => {
            is_number(word(rest)).then_some(())?;
            eat(rest, ">").then_some(())
        }
        "vector" if eat(rest, "<") => {
            loop {
                if eat(rest, "[") {
                    size(rest)?;
                    (eat(rest, "]") && eat(rest, "x")).then_some(())?;
                } else if begins_with_dimension(rest) {
                    dimension(rest)??;
                } else {
                    break;
                }
            }
            is_number(word(rest)).then_some(())?;
            eat(rest, ">").then_some(())
        }
        "memref" if eat(rest, "<") => {
            if eat(rest, "*") {
                eat(rest, "x").then_some(())?;
            } else {
                while begins_with_dimension(rest) {
                    dimension(rest)?;
                }
            }
            element(rest, deepest.checked_sub(1)?)?;
            end_of_memref(rest)
        }
        // A type of a dialect, such as `!llvm.ptr`.
        name if name.len() > 1 && name.starts_with('!') => {
            if eat(rest, "<") {
                after_bracket(rest)
            } else {
                Some(())
            }
        }
        name => is_number(name).then_some(()),
    }
}

/// Returns whether this names an MLIR integer or floating-point type of any size, or is `index`.
fn is_number(name: &str) -> bool {
    const FLOATS: [&str; 19] = [
        "f16",
        "bf16",
        "tf32",
        "f32",
        "f64",
        "f80",
        "f128",
        "f4E2M1FN",
        "f6E2M3FN",
        "f6E3M2FN",
        "f8E3M4",
        "f8E4M3",
        "f8E4M3B11FNUZ",
        "f8E4M3FN",
        "f8E4M3FNUZ",
        "f8E5M2",
        "f8E5M2FNUZ",
        "f8E8M0FNU",
        "index",
    ];
    let bits = ["si", "ui", "i"].into_iter().find_map(|sign| name.strip_prefix(sign));
    let is_integer = bits
        .is_some_and(|bits| (1..=8).contains(&bits.len()) && bits.bytes().all(|byte| byte.is_ascii_digit()));
    is_integer || FLOATS.contains(&name)
}

/// Skips the optional layout and memory space after a memref's element type.
fn end_of_memref(rest: &mut &str) -> Option<()> {
    if eat(rest, ",") {
        (!rest.starts_with('>')).then_some(())?;
        after_bracket(rest)
    } else {
        eat(rest, ">").then_some(())
    }
}

/// Skips the text inside angle brackets, and the closing bracket.
fn after_bracket(rest: &mut &str) -> Option<()> {
    let mut depth = 1usize;
    let mut before = ' ';
    let mut in_string = false;
    for (at, character) in rest.char_indices() {
        match character {
            '"' if !(in_string && before == '\\') => in_string = !in_string,
            _ if in_string => {}
            '<' => depth += 1,
            // The `>` in the arrow of an affine map is not a bracket.
            '>' if before != '-' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            *rest = after_blanks(rest.get(at + 1..)?);
            return Some(());
        }
        before = if in_string && before == '\\' { ' ' } else { character };
    }
    None
}
