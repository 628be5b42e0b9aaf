//! `__omp_offloading_fptr_map_p` and `__omp_offloading_fptr_map_size`: the two variables through which a table is
//! passed to a device's image according to LLVM's document "declare target indirect". The library exposes the most
//! recently set table in them. If no library function has set a table, the library uses the table that a plugin has
//! stored there.

use crate::image::{Image, Object, object_at};
use crate::invalid_table::not_used;
use core::ffi::CStr;
use core::ptr::with_exposed_provenance;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use statictramp_interop::offload::{FunctionPair, SortedFunctions, show_table, table, written_table};

// The symbols are weak, because compilers may define them in each file. Stable Rust has no attribute for weak symbols.
core::arch::global_asm!(
    ".pushsection .bss.__omp_offloading_fptr_map, \"aw\", %nobits",
    ".balign 8",
    ".irp name, p, size",
    ".weak __omp_offloading_fptr_map_\\name",
    ".type __omp_offloading_fptr_map_\\name, %object",
    ".size __omp_offloading_fptr_map_\\name, 8",
    "__omp_offloading_fptr_map_\\name:",
    ".zero 8",
    ".endr",
    ".popsection",
);

unsafe extern "C" {
    #[link_name = "__omp_offloading_fptr_map_p"]
    safe static TABLE: AtomicU64;
    #[link_name = "__omp_offloading_fptr_map_size"]
    safe static SIZE: AtomicU64;
}

/// Exposes a table in the two variables, and raises `set` to at least `number`.
pub(crate) fn show(set: &AtomicUsize, number: usize, sorted: SortedFunctions<'_>) {
    let first = sorted.pairs().as_ptr().expose_provenance() as u64;
    show_table(set, [&TABLE, &SIZE], number, [first, sorted.pairs().len() as u64]);
}

/// The object whose definition of `TABLE` this library uses. It may be an object other than this library, because the
/// dynamic linker chooses the definition.
static BOUND: Image = Image::none();

/// Returns the values of the two variables in the caller's image or, if that image has none or both are 0, of the
/// variables used by this copy of the library. Returns `None` if `set` is not 0, because a function of the library has
/// set a table.
pub(crate) fn written(set: &AtomicUsize, caller: u64) -> Option<[u64; 2]> {
    if BOUND.is_none() {
        BOUND.set(object_at((&raw const TABLE).expose_provenance() as u64));
    }
    // A device image that uses the shared library may define its own variables. They are looked up at each call, because
    // another image may now be at the address of an image that was unloaded.
    let own = |object: Object| {
        // SAFETY: the object contains the caller's code, so the object and its variables stay loaded. The variables are
        // two aligned 8-byte words.
        let own = unsafe { [object.word(P)?, object.word(COUNT)?].map(|word| AtomicU64::from_ptr(word)) };
        written_table(set, own)
    };
    let own = if BOUND.contains(caller) { None } else { object_at(caller).and_then(own) };
    let own = own.filter(|&words| words != [0, 0]);
    own.or_else(|| written_table(set, [&TABLE, &SIZE]))
}

const P: &CStr = c"__omp_offloading_fptr_map_p";
const COUNT: &CStr = c"__omp_offloading_fptr_map_size";

/// Fingerprints, computed from address, length, first pair and last pair, of tables that are known to be valid (odd),
/// or have been reported as invalid (even). A fingerprint also determines the index at which it is stored.
///
/// Relaxed: no other data depends on a fingerprint, and a table with a stored fingerprint was written before the
/// caller's code was started.
static MARKS: [AtomicU64; 64] = [const { AtomicU64::new(0) }; 64];

/// Looks up a function's device address in a table that a plugin has stored. An invalid table is reported once and not
/// used.
pub(crate) fn find([first, count]: [u64; 2], host: u64) -> Option<u64> {
    if [first, count] == [0, 0] {
        return None;
    }
    checked(first, count)?.find(host).filter(|&target| target != 0)
}

/// Returns a table that a plugin has stored, if the table is valid. A table without a stored fingerprint is checked
/// completely.
fn checked(first: u64, count: u64) -> Option<SortedFunctions<'static>> {
    // SAFETY: the contract for the variables guarantees that `count` pairs exist, and that no thread writes them while
    // the device's code runs.
    let table = unsafe { table(count, with_exposed_provenance::<FunctionPair>(first as usize)) };
    // Successive tables at the same address almost certainly differ in length, in the first pair or in the last pair.
    let ends = table.ok().and_then(|pairs| Some((pairs.first()?, pairs.last()?)));
    let ends = ends.map_or([0; 4], |(a, z)| [a.host, a.target, z.host, z.target]);
    let mark = ends
        .into_iter()
        .chain([first, count])
        .fold(0, |mark: u64, word| (mark ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29));
    let cached = MARKS.get(mark as usize >> 1 & 63)?;
    let in_order = |pairs: &'static [FunctionPair]| match cached.load(Relaxed) == mark | 1 {
        true => Ok(SortedFunctions::assume(pairs)),
        false => SortedFunctions::in_order(pairs),
    };
    match table.and_then(in_order) {
        Ok(sorted) => {
            cached.store(mark | 1, Relaxed);
            Some(sorted)
        }
        Err(why) => {
            if cached.swap(mark & !1, Relaxed) != mark & !1 {
                not_used(why);
            }
            None
        }
    }
}
