//! What an internal procedure sees of its host: the variables behind a static chain.
//!
//! flang's chain is the address of a tuple that has, for each captured variable, what it takes to get at it (seen with
//! LLVM 19 to 23): the address of a number or of a derived type; address and length of a character; the descriptor itself
//! of an array or of a `class(..)`; the address of the descriptor of a pointer or an allocatable; a procedure's address.
//! GCC's chain (14 to 16) is the address of a frame that has the variables themselves, those of the largest alignment
//! first. Nothing at run time tells which is where, so a [`Layout`] must: one that is written down, or the tuple's type in
//! LLVM's text.
//!
//! ```
//! use statictramp::interop::instance::{Layout, Kind};
//!
//! let declared = Layout::parse("n: integer(4), name: character, a: descriptor(2)")?;
//! let of_llvm = Layout::parse("{ ptr, { ptr, i64 }, { ptr, i64, i32, i8, i8, i8, i8, [2 x [3 x i64]] } } n: integer(4), name, a")?;
//! assert!(declared.variables().eq(of_llvm.variables()));
//! assert!(declared.variables().any(|v| v.name == "a" && v.offset == 24 && v.kind == Kind::Descriptor { rank: 2, class: false }));
//! # Ok::<(), statictramp::interop::instance::LayoutError>(())
//! ```
//!
//! | kind | in the tuple |
//! |---|---|
//! | `integer(4)`, `logical(1)`, `real(8)`, `complex(8)`, `unsigned(4)` | the address of a number |
//! | `integer(4) value`, and so on | the number itself |
//! | `character` | the address, then the length in bytes |
//! | `descriptor(2)` | a descriptor of this rank |
//! | `class(0)` | the same with what flang keeps behind it, for one length parameter |
//! | `pointer`, `allocatable` | the address of a descriptor |
//! | `procedure`, `address` | an address |
//!
//! LLVM's type may stand before the list; a name without a kind is then of the kind that the type tells, and variables
//! without a name have none.

mod layout;

pub use layout::{Layout, LayoutError};

use super::descriptor::{DescriptorError, Type, View, size_of_rank};
use crate::{Lookup, NotOurs, lookup};
use core::fmt;

/// How a variable lies behind the chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The address of a number.
    Reference(Type),
    /// A number.
    Value(Type),
    /// The address of a character, and its length in bytes.
    Character,
    /// A descriptor.
    Descriptor {
        /// How many dimensions it has.
        rank: u8,
        /// Whether flang's addendum is behind it.
        class: bool,
    },
    /// The address of a descriptor.
    ReferenceToDescriptor,
    /// A procedure's address.
    Procedure,
    /// An address of something.
    Address,
    /// Something of this size in bytes, and this alignment.
    Other(usize, usize),
}

/// A captured variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Variable<'l> {
    /// Its name; empty if the layout has none.
    pub name: &'l str,
    /// Bytes from the chain.
    pub offset: usize,
    /// How it lies there.
    pub kind: Kind,
}

const WORD: usize = 8;
/// Of flang's addendum: a derived type's description and a length parameter.
const ADDENDUM: usize = 2 * WORD;

impl Kind {
    /// Size and alignment, in bytes.
    pub const fn layout(self) -> (usize, usize) {
        match self {
            Kind::Reference(_) | Kind::ReferenceToDescriptor | Kind::Procedure | Kind::Address => {
                (WORD, WORD)
            }
            Kind::Character => (2 * WORD, WORD),
            Kind::Descriptor { rank, class } => {
                (size_of_rank(rank as usize) + if class { ADDENDUM } else { 0 }, WORD)
            }
            Kind::Value(ty) => (ty.size(), ty.bytes_of_part()),
            Kind::Other(size, align) => (size, align),
        }
    }

    /// Whether a layout may say this of what LLVM's type has as `found`.
    fn may_be(self, found: Kind) -> bool {
        match (self, found) {
            (Kind::Reference(_) | Kind::ReferenceToDescriptor | Kind::Procedure, Kind::Address) => true,
            (Kind::Value(_), Kind::Other(..)) => self.layout() == found.layout(),
            _ => self == found,
        }
    }
}

/// Why there is no instance of a host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum InstanceError {
    /// The address is not that of a trampoline.
    NotOurs(NotOurs),
    /// The trampoline is dead, and so is its host, perhaps.
    Dead,
    /// The trampoline has no chain.
    NoChain,
}

impl fmt::Display for InstanceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotOurs(why) => why.fmt(f),
            Self::Dead => f.write_str("the trampoline is dead"),
            Self::NoChain => f.write_str("the trampoline has no chain"),
        }
    }
}

impl core::error::Error for InstanceError {}

/// An active host, as its internal procedure sees it.
#[derive(Clone, Copy, Debug)]
pub struct Instance<'l> {
    chain: *const (),
    layout: Layout<'l>,
}

/// A captured variable, where it is.
#[derive(Clone, Copy, Debug)]
pub enum Captured<'i> {
    /// A number.
    Number(Type, *const ()),
    /// A character of this length in bytes.
    Character(*const u8, usize),
    /// An array, or anything else with a descriptor.
    Described(View<'i>),
    /// A descriptor that is wrong.
    Wrong(DescriptorError),
    /// A procedure.
    Procedure(*const ()),
    /// An address of something; of what has no kind, its own.
    Address(*const ()),
}

impl<'l> Instance<'l> {
    /// Of the host whose internal procedure a live trampoline enters. Safe for any address whatever.
    ///
    /// # Errors
    /// [`InstanceError`].
    pub fn of(trampoline: *const (), layout: Layout<'l>) -> Result<Self, InstanceError> {
        match lookup(trampoline).map_err(InstanceError::NotOurs)? {
            Lookup::Dead { .. } => Err(InstanceError::Dead),
            Lookup::Live { chain, .. } if chain.is_null() => Err(InstanceError::NoChain),
            Lookup::Live { chain, .. } => Ok(Self::at(chain, layout)),
        }
    }

    /// Of the host that a static chain belongs to.
    pub fn at(chain: *const (), layout: Layout<'l>) -> Self {
        Instance { chain, layout }
    }

    /// The static chain.
    pub fn chain(&self) -> *const () {
        self.chain
    }

    /// The variables, each where it is.
    ///
    /// # Safety
    /// The layout is that of the procedure's host, which is active and does not allocate, free or associate what is
    /// captured as long as the result is used.
    pub unsafe fn captured(&self) -> impl Iterator<Item = (Variable<'l>, Captured<'_>)> {
        self.layout.variables().map(|variable| {
            // SAFETY: the caller's promise: the variable is there, as the layout says.
            (variable, unsafe { variable.at(self.chain.byte_add(variable.offset)) })
        })
    }
}

impl Variable<'_> {
    /// # Safety
    /// Such a variable lies here.
    unsafe fn at<'i>(&self, place: *const ()) -> Captured<'i> {
        let described = |descriptor: *const ()| {
            // SAFETY: the caller's promise.
            unsafe { View::of(descriptor) }.map_or_else(Captured::Wrong, Captured::Described)
        };
        let word = |number: usize| {
            // SAFETY: the caller's promise; the kinds for which this is called begin with so many words.
            unsafe { place.cast::<*const ()>().add(number).read_unaligned() }
        };
        match self.kind {
            Kind::Reference(ty) => Captured::Number(ty, word(0)),
            Kind::Value(ty) => Captured::Number(ty, place),
            Kind::Character => Captured::Character(word(0).cast(), word(1).addr()),
            Kind::Descriptor { .. } => described(place),
            Kind::ReferenceToDescriptor => described(word(0)),
            Kind::Procedure => Captured::Procedure(word(0)),
            Kind::Address => Captured::Address(word(0)),
            Kind::Other(..) => Captured::Address(place),
        }
    }
}
