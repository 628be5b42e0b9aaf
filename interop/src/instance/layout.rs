//! Parser for the text of a frame layout.

use super::{Storage, Variable};
use crate::descriptor::{Category, MOST_DIMENSIONS, Type};
use core::fmt;

/// The layout of a tuple or frame: its variables and their offsets.
#[derive(Clone, Copy, Debug)]
pub struct FrameLayout<'l>(&'l str);

impl<'l> FrameLayout<'l> {
    /// Parses the text of a layout.
    ///
    /// # Errors
    /// [`LayoutError`] if the text is invalid.
    pub fn parse(text: &'l str) -> Result<Self, LayoutError> {
        let mut walk = Walk::new(text)?;
        while walk.variable()?.is_some() {}
        Ok(FrameLayout(text))
    }

    /// Returns the variables in order.
    pub fn variables(&self) -> impl Iterator<Item = Variable<'l>> + use<'l> {
        let mut walk = Walk::new(self.0).ok();
        core::iter::from_fn(move || walk.as_mut()?.variable().ok()?)
    }

    /// Returns how many bytes of the tuple or frame the variables span.
    pub fn size(&self) -> usize {
        self.variables()
            .map(|variable| variable.offset + variable.storage.size_and_align().0)
            .max()
            .unwrap_or(0)
    }
}

/// An error in a layout's text: its position, and the text expected there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LayoutError {
    /// The position of the error, as an offset in bytes from the beginning of the text.
    pub at: usize,
    /// The text expected at that position.
    pub expected: &'static str,
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the layout is invalid at byte {}: expected {}", self.at, self.expected)
    }
}

impl core::error::Error for LayoutError {}

/// An iterator over the variables of a layout.
struct Walk<'l> {
    /// The position of the next member of the LLVM type, if the text contains an LLVM type.
    members: Option<Cursor<'l>>,
    /// The position of the next item in the list.
    names: Cursor<'l>,
    first: bool,
    offset: usize,
}

const DEPTH: u8 = 8;

impl<'l> Walk<'l> {
    fn new(text: &'l str) -> Result<Self, LayoutError> {
        let mut names = Cursor { text, at: 0 };
        names.skip(0);
        let mut members = None;
        if names.rest().starts_with('{') {
            let mut inside = names;
            inside.skip(1);
            members = Some(inside);
            names.of_llvm(DEPTH)?;
        }
        Ok(Walk { members, names, first: true, offset: 0 })
    }

    /// Parses and returns the next item of the list, if there is one.
    fn named(&mut self) -> Result<Option<(&'l str, Option<Storage>)>, LayoutError> {
        if self.names.rest().is_empty() {
            return Ok(None);
        }
        if !self.first {
            self.names.want(",", "\",\"")?;
        }
        let name = self.names.word();
        if name.is_empty() {
            return self.names.error("a name");
        }
        let kind = if self.names.eat(":") { Some(self.names.kind()?) } else { None };
        Ok(Some((name, kind)))
    }

    fn variable(&mut self) -> Result<Option<Variable<'l>>, LayoutError> {
        let (name, kind) = match &mut self.members {
            None => match self.named()? {
                None => return Ok(None),
                Some((name, Some(kind))) => (name, kind),
                Some((_, None)) => return self.names.error("\":\" and a kind"),
            },
            Some(members) => {
                if members.eat("}") {
                    let end = self.names;
                    return if end.rest().is_empty() {
                        Ok(None)
                    } else {
                        end.error("no more names than members")
                    };
                }
                if !self.first {
                    members.want(",", "\",\" or \"}\"")?;
                }
                let found = members.of_llvm(DEPTH)?.kind();
                let before = self.names;
                match self.named()? {
                    None => ("", found),
                    Some((name, None)) => (name, found),
                    Some((name, Some(kind))) if kind.may_be(found) => (name, kind),
                    Some(_) => return before.error("a kind compatible with the LLVM type's member"),
                }
            }
        };
        self.first = false;
        let (size, align) = kind.size_and_align();
        let offset = round_up(self.offset, align);
        self.offset = offset + size;
        Ok(Some(Variable { name, offset, storage: kind }))
    }
}

/// A position in a text.
#[derive(Clone, Copy)]
struct Cursor<'l> {
    text: &'l str,
    at: usize,
}

impl<'l> Cursor<'l> {
    fn rest(&self) -> &'l str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn skip(&mut self, bytes: usize) {
        self.at += bytes;
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn error<T>(&self, expected: &'static str) -> Result<T, LayoutError> {
        Err(LayoutError { at: self.at, expected })
    }

    /// Skips `text` if it begins at this position. Returns whether `text` was skipped.
    fn eat(&mut self, text: &str) -> bool {
        let here = self.rest().starts_with(text);
        if here {
            self.skip(text.len());
        }
        here
    }

    fn want(&mut self, text: &str, expected: &'static str) -> Result<(), LayoutError> {
        if self.eat(text) { Ok(()) } else { self.error(expected) }
    }

    /// Returns the identifier at this position (letters, digits and the other characters allowed in names), or an
    /// empty string if there is none.
    fn word(&mut self) -> &'l str {
        let rest = self.rest();
        let is_of_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '%' | '.' | '$');
        let end = rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
        self.skip(end);
        rest.get(..end).unwrap_or("")
    }

    fn number(&mut self, expected: &'static str) -> Result<usize, LayoutError> {
        let start = *self;
        // Larger numbers might cause an overflow, so they are rejected.
        match self.word().parse::<usize>().ok().filter(|&number| number <= 1 << 20) {
            Some(number) => Ok(number),
            None => start.error(expected),
        }
    }

    fn in_brackets(&mut self) -> Result<usize, LayoutError> {
        self.want("(", "\"(\"")?;
        let number = self.number("a kind or a rank")?;
        self.want(")", "\")\"")?;
        Ok(number)
    }

    /// Parses a kind's name and parameters at this position.
    fn kind(&mut self) -> Result<Storage, LayoutError> {
        let start = *self;
        let kinds: (Category, &[usize]) = match self.word() {
            "character" => return Ok(Storage::Character),
            "pointer" | "allocatable" => return Ok(Storage::ReferenceToDescriptor),
            "procedure" => return Ok(Storage::Procedure),
            "address" => return Ok(Storage::Address),
            word @ ("descriptor" | "class") => {
                let rank = self.in_brackets()?;
                if rank > MOST_DIMENSIONS {
                    return start.error("a rank of at most 15");
                }
                return Ok(Storage::Descriptor { rank: rank as u8, class: word == "class" });
            }
            "integer" => (Category::Integer, &[1, 2, 4, 8, 16]),
            "unsigned" => (Category::Unsigned, &[1, 2, 4, 8, 16]),
            "logical" => (Category::Logical, &[1, 2, 4, 8, 16]),
            "real" => (Category::Real, &[2, 3, 4, 8, 10, 16]),
            "complex" => (Category::Complex, &[2, 3, 4, 8, 10, 16]),
            _ => return start.error("a kind: integer(4), character, descriptor(1), class(0), pointer, ..."),
        };
        let number = self.in_brackets()?;
        if !kinds.1.contains(&number) {
            return start.error("a known kind");
        }
        let ty = Type { category: kinds.0, kind: number as u8 };
        Ok(if self.eat("value") { Storage::Value(ty) } else { Storage::Reference(ty) })
    }

    /// Parses the LLVM type at this position, allowing at most `depth` levels of nesting.
    fn of_llvm(&mut self, depth: u8) -> Result<Part, LayoutError> {
        const EXPECTED: &str = "ptr, a number's type, or a struct or an array of such";
        if depth == 0 {
            return self.error("at most 8 nested types");
        }
        if self.eat("{") {
            return self.of_struct(depth - 1);
        }
        if self.eat("[") {
            let count = self.number("a number of elements")?;
            self.want("x", "\"x\"")?;
            let element = self.of_llvm(depth - 1)?;
            self.want("]", "\"]\"")?;
            let Some(size) = element.size.checked_mul(count).filter(|&size| size <= 1 << 30) else {
                return self.error("less than 1 GiB");
            };
            let form = match element.form {
                Form::Word => Form::Words(count),
                Form::Words(3) => Form::Dimensions(count),
                _ => Form::Other,
            };
            return Ok(Part { size, align: element.align, form });
        }
        let start = *self;
        let (size, form) = match self.word() {
            "ptr" => (8, Form::Pointer),
            "i64" => (8, Form::Word),
            "i32" => (4, Form::Half),
            "i8" | "i1" => (1, Form::Byte),
            "i16" | "half" | "bfloat" => (2, Form::Other),
            "float" => (4, Form::Other),
            "double" => (8, Form::Other),
            "i128" | "fp128" | "x86_fp80" => (16, Form::Other),
            _ => return start.error(EXPECTED),
        };
        Ok(Part { size, align: size, form })
    }

    /// Parses the rest of a structure type after `{`, including the `}`. The forms of the members determine the
    /// structure's form.
    fn of_struct(&mut self, depth: u8) -> Result<Part, LayoutError> {
        use Form::*;
        let (mut size, mut align, mut count) = (0, 1, 0);
        let mut forms = [Other; 10];
        while !self.eat("}") {
            if count > 0 {
                self.want(",", "\",\" or \"}\"")?;
            }
            let member = self.of_llvm(depth)?;
            align = align.max(member.align);
            size = round_up(size, member.align) + member.size;
            if size > 1 << 30 {
                return self.error("less than 1 GiB");
            }
            if let Some(form) = forms.get_mut(count) {
                *form = member.form;
            }
            count += 1;
        }
        let form = match forms.get(..count).unwrap_or(&[]) {
            [Pointer, Word] => Form::Character,
            [Pointer, Word, Half, Byte, Byte, Byte, Byte, rest @ ..] => match rest {
                [] => Form::Descriptor(0, false),
                [Dimensions(rank)] => Form::Descriptor(*rank, false),
                [Pointer, Words(1)] => Form::Descriptor(0, true),
                [Dimensions(rank), Pointer, Words(1)] => Form::Descriptor(*rank, true),
                _ => Other,
            },
            _ => Other,
        };
        Ok(Part { size: round_up(size, align), align, form })
    }
}

/// Rounds up to a multiple of a power of two.
const fn round_up(offset: usize, align: usize) -> usize {
    (offset + (align - 1)) & !(align - 1)
}

/// An LLVM type: its size and alignment in bytes, and its form. The form of a structure depends on the forms of its
/// members.
struct Part {
    size: usize,
    align: usize,
    form: Form,
}

#[derive(Clone, Copy)]
enum Form {
    Pointer,
    Word,
    Half,
    Byte,
    Words(usize),
    Dimensions(usize),
    Character,
    Descriptor(usize, bool),
    Other,
}

impl Part {
    fn kind(&self) -> Storage {
        match self.form {
            Form::Pointer => Storage::Address,
            Form::Character => Storage::Character,
            Form::Descriptor(rank, class) if rank <= MOST_DIMENSIONS => {
                Storage::Descriptor { rank: rank as u8, class }
            }
            _ => Storage::Other(self.size, self.align),
        }
    }
}
