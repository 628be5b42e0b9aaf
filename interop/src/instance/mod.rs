//! The host variables that an internal procedure captures, found through its static chain.
//!
//! flang's chain is the address of a tuple with one item for each captured variable (observed with LLVM 19 to 23). For
//! a number, a derived type or a procedure, the item is its address; for a character, its address and length; for an
//! array or a `class(..)`, its descriptor; and for a pointer or an allocatable, the address of its descriptor. GCC's
//! chain is the address of a frame that contains the variables themselves, in descending order of alignment (observed
//! with GCC 14 to 16). No run-time data records the variables' positions, so a [`FrameLayout`] must specify them. Write
//! this layout by hand, or copy the tuple's type from LLVM's output.
//!
//! ```
//! use statictramp_interop::instance::{FrameLayout, Storage};
//!
//! let declared = FrameLayout::parse("n: integer(4), name: character, a: descriptor(2)")?;
//! let of_llvm = FrameLayout::parse("{ ptr, { ptr, i64 }, { ptr, i64, i32, i8, i8, i8, i8, [2 x [3 x i64]] } } n: integer(4), name, a")?;
//! assert!(declared.variables().eq(of_llvm.variables()));
//! assert!(declared.variables().any(|v| v.name == "a" && v.offset == 24 && v.storage == Storage::Descriptor { rank: 2, class: false }));
//! # Ok::<(), statictramp_interop::instance::LayoutError>(())
//! ```
//!
//! | kind | in the tuple |
//! |---|---|
//! | `integer(4)`, `logical(1)`, `real(8)`, `complex(8)`, `unsigned(4)` | the address of a number |
//! | `integer(4) value`, and other numbers with VALUE | the number itself |
//! | `character` | the address, then the length in bytes |
//! | `descriptor(2)` | a descriptor of this rank |
//! | `class(0)` | a descriptor of this rank, followed by flang's addendum for a type with one length parameter |
//! | `pointer`, `allocatable` | the address of a descriptor |
//! | `procedure`, `address` | an address |
//!
//! The tuple's LLVM type may precede the list, to specify how names without a kind and members without a name are
//! stored.

mod layout;

pub use layout::{FrameLayout, LayoutError};

use crate::descriptor::{DescriptorError, Type, View, size_of_rank};
use core::fmt;
use statictramp::{Lookup, LookupError, lookup};

/// How a captured variable is stored in the memory that the chain points to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storage {
    /// The address of a number of this type.
    Reference(Type),
    /// A number of this type, not its address.
    Value(Type),
    /// The address of a character, and the character's length in bytes.
    Character,
    /// A descriptor.
    Descriptor {
        /// The number of dimensions.
        rank: u8,
        /// Whether flang's addendum follows the descriptor.
        class: bool,
    },
    /// The address of a descriptor.
    ReferenceToDescriptor,
    /// The address of a procedure.
    Procedure,
    /// Another address.
    Address,
    /// Other data of this size and alignment, in bytes.
    Other(usize, usize),
}

/// A captured variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Variable<'l> {
    /// The variable's name, or an empty string if the layout contains no name for it.
    pub name: &'l str,
    /// The variable's offset in bytes from the chain.
    pub offset: usize,
    /// How the variable is stored.
    pub storage: Storage,
}

const WORD: usize = 8;
/// The size in bytes of flang's addendum, which consists of a pointer to a derived type's description and one length
/// parameter.
const ADDENDUM: usize = 2 * WORD;

impl Storage {
    /// Returns the size and the alignment in bytes of a variable stored in this form.
    pub const fn size_and_align(self) -> (usize, usize) {
        match self {
            Storage::Reference(_)
            | Storage::ReferenceToDescriptor
            | Storage::Procedure
            | Storage::Address => (WORD, WORD),
            Storage::Character => (2 * WORD, WORD),
            Storage::Descriptor { rank, class } => {
                (size_of_rank(rank as usize) + if class { ADDENDUM } else { 0 }, WORD)
            }
            Storage::Value(ty) => (ty.size(), ty.bytes_of_part()),
            Storage::Other(size, align) => (size, align),
        }
    }

    /// Returns whether an item with the LLVM type `found` can have this form.
    fn may_be(self, found: Storage) -> bool {
        match (self, found) {
            (
                Storage::Reference(_) | Storage::ReferenceToDescriptor | Storage::Procedure,
                Storage::Address,
            ) => true,
            (Storage::Value(_), Storage::Other(..)) => self.size_and_align() == found.size_and_align(),
            _ => self == found,
        }
    }
}

/// The reason why [`Instance::of`] cannot find an instance of a host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum InstanceError {
    /// No trampoline begins at the address.
    Lookup(LookupError),
    /// The trampoline is dead. Its host may have returned.
    Dead,
    /// The trampoline has no chain.
    NoChain,
}

impl fmt::Display for InstanceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lookup(_) => f.write_str("no trampoline begins at this address"),
            Self::Dead => f.write_str("the trampoline is dead"),
            Self::NoChain => f.write_str("the trampoline has no chain"),
        }
    }
}

impl core::error::Error for InstanceError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Lookup(source) => Some(source),
            _ => None,
        }
    }
}

/// An active invocation of a host, as seen by its internal procedure.
#[derive(Clone, Copy, Debug)]
pub struct Instance<'l> {
    chain: *const (),
    layout: FrameLayout<'l>,
}

/// A captured variable's kind and address.
#[derive(Clone, Copy, Debug)]
pub enum Captured<'i> {
    /// A number.
    Number(Type, *const ()),
    /// A character object of this length in bytes.
    Character(*const u8, usize),
    /// An array, or another object that has a descriptor.
    Described(View<'i>),
    /// An invalid descriptor.
    Wrong(DescriptorError),
    /// A procedure.
    Procedure(*const ()),
    /// The address of other data or, with [`Storage::Other`], of the variable itself.
    Address(*const ()),
}

impl<'l> Instance<'l> {
    /// Finds the host of a live trampoline's internal procedure. `layout` must be the host's layout. Any address may be
    /// passed.
    ///
    /// # Errors
    /// [`InstanceError`] if the address does not belong to a live trampoline with a chain.
    pub fn of(trampoline: *const (), layout: FrameLayout<'l>) -> Result<Self, InstanceError> {
        match lookup(trampoline).map_err(InstanceError::Lookup)? {
            Lookup::Live { chain, .. } if chain.is_null() => Err(InstanceError::NoChain),
            Lookup::Live { chain, .. } => Ok(Self::at(chain, layout)),
            _ => Err(InstanceError::Dead),
        }
    }

    /// Returns the host to which a static chain belongs. `layout` must be the host's layout.
    pub fn at(chain: *const (), layout: FrameLayout<'l>) -> Self {
        Instance { chain, layout }
    }

    /// Returns the static chain.
    pub fn chain(&self) -> *const () {
        self.chain
    }

    /// Returns the captured variables with their addresses.
    ///
    /// # Safety
    /// The layout must be the host's. While the result is used, the host must be active, and no code may allocate, free
    /// or associate a captured variable.
    pub unsafe fn captured(&self) -> impl Iterator<Item = (Variable<'l>, Captured<'_>)> {
        self.layout.variables().map(|variable| {
            // SAFETY: the caller guarantees that the variable is at the offset specified in the layout.
            (variable, unsafe { variable.at(self.chain.byte_add(variable.offset)) })
        })
    }
}

impl Variable<'_> {
    /// # Safety
    /// `address` must be the address of the variable that `self` describes.
    unsafe fn at<'i>(&self, address: *const ()) -> Captured<'i> {
        let described = |descriptor: *const ()| {
            // SAFETY: the caller upholds the safety contract.
            unsafe { View::of(descriptor) }.map_or_else(Captured::Wrong, Captured::Described)
        };
        let word = |number: usize| {
            // SAFETY: the caller upholds the safety contract, and this is called only for forms with more than `number`
            // words.
            unsafe { address.cast::<*const ()>().add(number).read_unaligned() }
        };
        match self.storage {
            Storage::Reference(ty) => Captured::Number(ty, word(0)),
            Storage::Value(ty) => Captured::Number(ty, address),
            Storage::Character => Captured::Character(word(0).cast(), word(1).addr()),
            Storage::Descriptor { .. } => described(address),
            Storage::ReferenceToDescriptor => described(word(0)),
            Storage::Procedure => Captured::Procedure(word(0)),
            Storage::Address => Captured::Address(word(0)),
            Storage::Other(..) => Captured::Address(address),
        }
    }
}
