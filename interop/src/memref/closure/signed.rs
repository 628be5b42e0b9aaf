//! MLIR-callable functions whose types are known only at run time.

use super::signature::{Item, Layout, MOST_ARGUMENTS, MOST_RANK, MOST_RESULTS, Signature};
use super::words::{Returned, WordCounts, Words};
use super::{Callee, SavedCall, arch, sealed};
use crate::memref::{AnyRank, MemrefError};
use core::ffi::c_void;
use core::mem::MaybeUninit;
use statictramp::for_capi::message::Message;

/// A handler. The handler's parameters are the context, an array of the arguments' addresses, and the address of
/// memory for the results.
///
/// Arguments are stored as in C: a number, the two parts of a complex number, the elements of a vector, the descriptor
/// of a memref ([`Ranked`](crate::memref::Ranked)), or the rank and descriptor address of an unranked memref. The
/// results are laid out like the members of a C struct. All of this memory is valid until the handler returns.
pub type Handler = unsafe extern "C" fn(*mut c_void, *const *const c_void, *mut c_void);

/// A handler with its context and signature, used as a closure for [`bind`](super::bind).
#[derive(Clone, Copy, Debug)]
pub struct Signed {
    signature: Signature,
    handler: Handler,
    context: *mut c_void,
}

/// The maximum number of words in one argument or result.
const MOST_WORDS: usize = 3 + 2 * MOST_RANK;

/// Memory for one argument or one result.
#[derive(Clone, Copy)]
#[repr(align(16))]
struct Room([u64; MOST_WORDS]);

impl Signed {
    /// Combines a handler with a function type.
    ///
    /// # Safety
    /// The handler must be safe to call with this context on every thread that calls the function. The handler must
    /// conform to the signature: it must read only arguments of these types, and store all results.
    pub unsafe fn new(signature: Signature, handler: Handler, context: *mut c_void) -> Self {
        Signed { signature, handler, context }
    }
}

/// A placeholder for the argument types of a closure whose types are known only at run time.
#[derive(Clone, Copy, Debug)]
pub enum AtRunTime {}

impl sealed::Callee<AtRunTime> for Signed {}

impl Callee<AtRunTime> for Signed {
    unsafe fn run(&self, call: &mut SavedCall) {
        let results = self.signature.results();
        let words = results.iter().fold(WordCounts::NONE, |words, item| words.then(item.words()));
        let in_registers = words.fits_registers();
        // SAFETY: the caller guarantees that the call has this signature.
        let mut words = unsafe { Words::new(&call.integers, &call.floats, call.stack) };
        let mut local = [MaybeUninit::<Room>::uninit(); MOST_RESULTS];
        let hidden = match in_registers {
            true => None,
            false if arch::SRET_REGISTER => Some(call.hidden),
            false => Some(words.integer()),
        };
        let results_at = match hidden {
            Some(results_at) => core::ptr::with_exposed_provenance_mut::<u8>(results_at),
            None => local.as_mut_ptr().cast(),
        };

        let mut room = [Room([0; MOST_WORDS]); MOST_ARGUMENTS];
        let mut addresses = [core::ptr::null(); MOST_ARGUMENTS];
        let arguments = self.signature.arguments().iter().zip(&mut room).zip(&mut addresses);
        for (number, ((item, Room(room)), address)) in arguments.enumerate() {
            take(*item, &mut words, room);
            if let Item::Memref { rank, sized, first, .. } = *item {
                // SAFETY: `take` has stored the descriptor of a memref of this rank.
                let memref = unsafe { AnyRank::of(rank.into(), room.as_ptr().cast()) };
                self.check_sizes(" of argument ", number, memref, (sized, first));
            }
            *address = room.as_ptr().cast();
        }
        // SAFETY: the caller of `new` upholds its safety contract, and the memory has room for all results.
        unsafe { (self.handler)(self.context, addresses.as_ptr(), results_at.cast()) };

        call.returned = Returned::default();
        let mut end = 0usize;
        for (number, item) in results.iter().enumerate() {
            let (size, align) = item.size_and_align();
            let at = end.next_multiple_of(align);
            // SAFETY: the handler has stored a result of this type at this offset.
            unsafe {
                self.check_result(number, *item, results_at.add(at));
                if in_registers {
                    put(*item, results_at.add(at), &mut call.returned);
                }
            }
            end = at + size;
        }
        if let Some(results_at) = hidden {
            call.returned.integer(results_at);
        }
    }
}

impl Signed {
    /// Aborts the program if a memref's size is negative or differs from the static size in its type, on which MLIR
    /// code relies.
    fn check_sizes(&self, what: &str, number: usize, memref: AnyRank<'_>, (sized, first): (u8, u8)) {
        let mut known = self.signature.sizes(sized, first);
        let different = known.find(|&(dimension, wanted)| memref.sizes.get(dimension) != Some(&wanted));
        let (dimension, wanted) = match (different, memref.check_signs()) {
            (Some((dimension, wanted)), _) => (dimension, Some(wanted)),
            (None, Err(MemrefError::NegativeSize { dimension })) => (dimension, None),
            (None, _) => return,
        };
        let mut message = Message::new("in a call from MLIR code, dimension ");
        message.decimal(dimension).text(what).decimal(number + 1);
        let Some(wanted) = wanted else { message.text(" has a negative size").end() };
        let has = memref.sizes.get(dimension).copied().unwrap_or_default();
        message
            .text(if has < 0 { " has size -" } else { " has size " })
            .decimal(has.unsigned_abs())
            .text(", but its type requires ")
            .decimal(wanted.unsigned_abs())
            .end()
    }

    /// Aborts the program if a memref returned by the handler contradicts its type, because the calling MLIR code
    /// relies on the type's sizes, strides and offset.
    ///
    /// # Safety
    /// A result of this type must be stored at `results_at`.
    unsafe fn check_result(&self, number: usize, item: Item, results_at: *const u8) {
        let contradicts = |text: &str| {
            Message::new("in a call from MLIR code, result ").decimal(number + 1).text(text).end()
        };
        match item {
            Item::Memref { rank, sized, first, layout } => {
                // SAFETY: the caller upholds the safety contract.
                let memref = unsafe { AnyRank::of(rank.into(), results_at.cast()) };
                self.check_sizes(" of result ", number, memref, (sized, first));
                let correct = match layout {
                    Layout::Identity => memref.check_identity(),
                    Layout::Strided { known, offset } => {
                        let (strides, offset) = self.signature.strides((sized, first), (known, offset));
                        memref.check_layout(strides.get(..rank.into()).unwrap_or_default(), offset)
                    }
                    Layout::Other => Ok(()),
                };
                match correct {
                    Ok(()) => {}
                    Err(MemrefError::NotIdentity) => contradicts(
                        " has an offset or is not contiguous and row-major, but its type has no layout",
                    ),
                    Err(MemrefError::Layout) => {
                        contradicts(" has other strides or another offset than its type")
                    }
                    Err(_) => contradicts(" has more elements than memory can hold"),
                }
            }
            Item::Unranked => {
                // SAFETY: the caller guarantees that `results_at` points to a rank and a descriptor's address.
                let [rank, descriptor] = unsafe { results_at.cast::<[usize; 2]>().read() };
                if rank > 255 || descriptor == 0 {
                    contradicts(" is no unranked memref: its rank is above 255, or its descriptor is null");
                }
            }
            _ => {}
        }
    }
}

/// Returns the offset of a number's bytes within a word that contains the number in its low bits.
const fn low(bytes: u8) -> usize {
    if cfg!(target_endian = "big") { 8 - bytes as usize } else { 0 }
}

/// Consumes the words of an argument, and stores it in `room` in the memory layout of its type.
fn take(item: Item, words: &mut Words<'_>, room: &mut [u64; MOST_WORDS]) {
    let mut write = |at: u8, word: u64, bytes: u8| {
        let (results_at, from) = (room.as_mut_ptr().cast::<u8>(), core::ptr::from_ref(&word).cast::<u8>());
        // SAFETY: each call stores within the first 16 bytes of `room`, and reads at most the 8 bytes of `word`.
        unsafe { results_at.add(at.into()).copy_from_nonoverlapping(from.add(low(bytes)), bytes.into()) };
    };
    match item {
        // All bits above the lowest bit are undefined.
        Item::Bit => write(0, words.integer() as u64 & 1, 1),
        Item::Integer(bytes) => write(0, words.integer() as u64, bytes),
        Item::Float(bytes) => write(0, words.float(bytes.into()), bytes),
        Item::Complex(bytes) => {
            write(0, words.float(bytes.into()), bytes);
            write(bytes, words.float(bytes.into()), bytes);
        }
        #[cfg(memref_vectors)]
        Item::Vector => {
            let [low, high, ..] = room;
            [*low, *high] = words.vector();
        }
        Item::Memref { .. } | Item::Unranked => {
            let words = core::iter::repeat_with(|| words.integer() as u64);
            room.iter_mut()
                .zip(words)
                .take(item.words().integers)
                .for_each(|(results_at, word)| *results_at = word);
        }
    }
}

/// Reads a result from memory, and adds its words to `returned`.
///
/// # Safety
/// The result must be stored at `results_at`.
unsafe fn put(item: Item, results_at: *const u8, returned: &mut Returned) {
    // SAFETY: the caller upholds the safety contract, and the low bytes are part of the word.
    let number = |at: usize, bytes: u8| unsafe {
        let mut word = [0u8; 8];
        word.as_mut_ptr().add(low(bytes)).copy_from_nonoverlapping(results_at.add(at), bytes.into());
        u64::from_ne_bytes(word)
    };
    match item {
        Item::Bit => returned.integer(number(0, 1) as usize & 1),
        Item::Integer(bytes) => returned.integer(number(0, bytes) as usize),
        Item::Float(bytes) => returned.float(number(0, bytes), bytes.into()),
        Item::Complex(bytes) => {
            returned.float(number(0, bytes), bytes.into());
            returned.float(number(bytes.into(), bytes), bytes.into());
        }
        #[cfg(memref_vectors)]
        Item::Vector => returned.register([number(0, 8), number(8, 8)]),
        Item::Memref { .. } | Item::Unranked => {
            (0..item.words().integers).for_each(|word| returned.integer(number(8 * word, 8) as usize));
        }
    }
}
