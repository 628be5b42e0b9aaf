//! libc functions whose names ISO C does not reserve.
//!
//! The linker prefers a program's own `pthread_self` to libc's, so these functions are called by their usual names only
//! as a last resort:
//!
//! - In a dynamically linked program, they are looked up in libc's symbol table. The program's dynamic section
//!   (`DT_DEBUG`) points to the loader's list of objects, in which libc is the object that defines `__errno_location`.
//!   Neither libc nor the objects before it in the list are ever unloaded.
//! - In a statically linked program, glibc defines each function under a second name with two leading underscores, in
//!   the same member of `libc.a`. A strong reference to the usual name makes the linker extract this member, unless the
//!   program defines the name. A weak reference to the second name then shows whether the linker has extracted the
//!   member.
//! - A program statically linked with musl contains no second names, so each function is called by its usual name.

use crate::arch::processor;
use crate::symbols;
use core::ffi::{CStr, c_void};
use core::ptr::with_exposed_provenance;
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};
use statictramp::for_capi::host::system;

#[cfg(target_pointer_width = "32")]
use libc::Elf32_Phdr as ProgramHeader;
#[cfg(target_pointer_width = "64")]
use libc::Elf64_Phdr as ProgramHeader;

// Constants from elf.h that the `libc` crate lacks.
const DT_NULL: usize = 0;
const DT_DEBUG: usize = 21;
const DT_MIPS_RLD_MAP_REL: usize = 0x7000_0035;
const STT_FUNC: u8 = 2;

/// A function of libc.
#[derive(Clone, Copy)]
pub(crate) enum Function {
    #[cfg(target_pointer_width = "64")]
    DlIteratePhdr = 0,
    PthreadSelf = 1,
    PthreadGetcpuclockid = 2,
    #[cfg(not(target_env = "gnu"))]
    PthreadGetattrNp = 3,
    #[cfg(not(target_env = "gnu"))]
    PthreadAttrGetstack = 4,
}

const NAMES: &[&CStr] = &[
    c"dl_iterate_phdr",
    c"pthread_self",
    c"pthread_getcpuclockid",
    #[cfg(not(target_env = "gnu"))]
    c"pthread_getattr_np",
    #[cfg(not(target_env = "gnu"))]
    c"pthread_attr_getstack",
];

#[cfg(target_pointer_width = "64")]
macro_rules! word {
    ($name:literal) => {
        concat!(".quad ", $name)
    };
}
#[cfg(target_pointer_width = "32")]
macro_rules! word {
    ($name:literal) => {
        concat!(".long ", $name)
    };
}
#[cfg(target_env = "gnu")]
macro_rules! more_names {
    () => {
        ""
    };
}
#[cfg(not(target_env = "gnu"))]
macro_rules! more_names {
    () => {
        ", pthread_getattr_np, pthread_attr_getstack"
    };
}
#[cfg(target_env = "gnu")]
macro_rules! second_name {
    () => {
        concat!(".weak __\\name\n", word!("__\\name"))
    };
}
#[cfg(not(target_env = "gnu"))]
macro_rules! second_name {
    () => {
        word!("0")
    };
}

// Two addresses for each function: under its usual name, and under its second name (0 if the program does not contain
// it).
core::arch::global_asm!(
    ".pushsection .data.rel.ro.statictramp_c_library, \"aw\", %progbits",
    ".balign 8",
    concat!(".hidden ", statictramp::__symbol!("c_library")),
    concat!(".globl ", statictramp::__symbol!("c_library")),
    concat!(".type ", statictramp::__symbol!("c_library"), ", %object"),
    concat!(statictramp::__symbol!("c_library"), ":"),
    concat!(".irp name, dl_iterate_phdr, pthread_self, pthread_getcpuclockid", more_names!()),
    word!("\\name"),
    second_name!(),
    ".endr",
    concat!(".size ", statictramp::__symbol!("c_library"), ", . - ", statictramp::__symbol!("c_library")),
    ".popsection",
);

unsafe extern "C" {
    #[link_name = statictramp::__symbol!("c_library")]
    safe static LINKED: [[*const c_void; 2]; NAMES.len()];
}

/// The address of each function, or null until the function has been found. All accesses are Relaxed: every thread
/// finds the same address, and no other data depends on it.
static FOUND: [AtomicPtr<c_void>; NAMES.len()] =
    [const { AtomicPtr::new(core::ptr::null_mut()) }; NAMES.len()];

impl Function {
    /// Returns the address of libc's function, or `None` if libc cannot be found or only the program defines the
    /// function. Async-signal-safe.
    #[inline(never)]
    pub(crate) fn address(self) -> Option<*const c_void> {
        let known = &FOUND[self as usize];
        let address = known.load(Relaxed).cast_const();
        if !address.is_null() {
            return Some(address);
        }
        let address = self.find()?;
        known.store(address.cast_mut(), Relaxed);
        Some(address)
    }

    #[cold]
    fn find(self) -> Option<*const c_void> {
        let [usual, second] = LINKED[self as usize];
        if !second.is_null() {
            return Some(second);
        }
        match Objects::of_this_program() {
            Some(objects) => objects.function(NAMES[self as usize]),
            None => cfg!(target_env = "musl").then_some(usual),
        }
    }
}

/// Returns the running thread's `pthread_t`, or `None` if libc's `pthread_self` cannot be found. In glibc, a
/// `pthread_t` is the address of the thread's descriptor.
pub(crate) fn this_thread() -> Option<libc::pthread_t> {
    let this = Function::PthreadSelf.address()?;
    // SAFETY: libc's function has this type and only returns a value.
    let this: extern "C" fn() -> libc::pthread_t = unsafe { core::mem::transmute(this) };
    Some(this())
}

/// Returns the address of libc's `dl_iterate_phdr`, or `None` under the same conditions as [`Function::address`].
#[cfg(target_pointer_width = "64")]
#[inline(always)]
pub fn dl_iterate_phdr() -> Option<*const c_void> {
    Function::DlIteratePhdr.address()
}

/// Returns the program headers of this program, and the distance by which the loader relocated the program.
pub fn program_headers() -> (&'static [ProgramHeader], usize) {
    const PT_PHDR: u32 = 6;
    let start = system::getauxval(libc::AT_PHDR) as usize;
    let count = system::getauxval(libc::AT_PHNUM) as usize;
    if start == 0 {
        return (&[], 0);
    }
    // SAFETY: the kernel or the loader passed the address and number of the headers. These stay in memory while the
    // program runs.
    let headers = unsafe { core::slice::from_raw_parts(with_exposed_provenance(start), count) };
    let itself = headers.iter().find(|header: &&ProgramHeader| header.p_type == PT_PHDR);
    (headers, itself.map_or(0, |header| start.wrapping_sub(header.p_vaddr as usize)))
}

/// An object that the loader has loaded: the beginning of `struct link_map` (link.h).
#[repr(C)]
struct Object {
    moved_by: usize,
    name: *const c_void,
    dynamic: *const [usize; 2],
    next: *const Object,
}

/// The loader's list of objects: the beginning of `struct r_debug` (link.h).
#[repr(C)]
struct Objects {
    version: i32,
    first: *const Object,
}

impl Objects {
    /// Finds the loader's list of objects. Returns `None` in a program without a loader.
    fn of_this_program() -> Option<&'static Objects> {
        let (headers, moved_by) = program_headers();
        headers.iter().find(|header| header.p_type == libc::PT_INTERP)?;
        let dynamic = headers.iter().find(|header| header.p_type == libc::PT_DYNAMIC)?;
        let dynamic = with_exposed_provenance((dynamic.p_vaddr as usize).wrapping_add(moved_by));
        // SAFETY: this is the program's dynamic section. The loader stores the list's address in the DT_DEBUG entry. If
        // the section is read-only, the loader uses another word, and the DT_MIPS_RLD_MAP_REL entry contains the offset
        // from that entry to the word.
        unsafe {
            let list = if processor!(dynamic_is_read_only) {
                let entry = find(dynamic, DT_MIPS_RLD_MAP_REL)?;
                *core::ptr::from_ref(entry).cast::<usize>().wrapping_byte_add(entry[1])
            } else {
                entry(dynamic, DT_DEBUG)?
            };
            with_exposed_provenance::<Objects>(list).as_ref()
        }
    }

    /// Finds a function in libc, that is, in an object that defines `__errno_location` (glibc before version 2.34 has
    /// two such objects).
    fn function(&self, name: &CStr) -> Option<*const c_void> {
        let mut at = self.first;
        // SAFETY: the pointer is null, or points to an object in the list. The search never goes past libc, because
        // libc defines all functions in `NAMES`. libc was loaded at startup and is never unloaded.
        while let Some(object) = unsafe { at.as_ref() } {
            if object.function(c"__errno_location").is_some()
                && let Some(found) = object.function(name)
            {
                return Some(found);
            }
            at = object.next;
        }
        None
    }
}

/// Returns the entry of a given kind in a dynamic section, or `None` if there is no such entry or its value is 0.
///
/// # Safety
/// `dynamic` must be a dynamic section, or null.
unsafe fn find<'a>(dynamic: *const [usize; 2], wanted: usize) -> Option<&'a [usize; 2]> {
    let mut at = dynamic;
    loop {
        // SAFETY: the caller upholds the safety contract, and the section ends with a DT_NULL entry.
        let entry @ [kind, value] = unsafe { at.as_ref()? };
        if *kind == wanted || *kind == DT_NULL {
            return (*kind == wanted && *value != 0).then_some(entry);
        }
        at = at.wrapping_add(1);
    }
}

/// Like [`find`], but returns only the entry's value.
///
/// # Safety
/// Same as for [`find`].
unsafe fn entry(dynamic: *const [usize; 2], wanted: usize) -> Option<usize> {
    // SAFETY: the caller upholds the safety contract.
    Some(unsafe { find(dynamic, wanted)? }[1])
}

impl Object {
    /// Returns the run-time address given by an entry of the dynamic section. Some loaders relocate the entry itself;
    /// others do not.
    fn address_of(&self, kind: usize) -> Option<usize> {
        // SAFETY: in the loader's list, `dynamic` points to the object's dynamic section.
        let value = unsafe { entry(self.dynamic, kind)? };
        Some(if value < self.moved_by { value + self.moved_by } else { value })
    }

    /// Returns the address of a function that this object defines.
    fn function(&self, name: &CStr) -> Option<*const c_void> {
        // SAFETY: these are the tables of a loaded object. The symbol is accepted only if the object itself defines it.
        let symbol = unsafe {
            symbols::find(|tag| self.address_of(tag), name, |symbol| symbol.st_info & 15 == STT_FUNC)?
        };
        Some(with_exposed_provenance(self.moved_by.wrapping_add(symbol.st_value as usize)))
    }
}
