//! Functions of libc whose names ISO C leaves to the program.
//!
//! A program may define its own `pthread_self`, and a linker prefers that function to the one in libc. So these
//! functions are never called by name:
//!
//! - In a dynamically linked program they are looked up among libc's own symbols. libc is the object that also defines
//!   `__errno_location`. The loader's list of objects is found through the program's headers (`DT_DEBUG`). Objects that
//!   precede libc in the list are never unloaded.
//! - In a statically linked program, glibc defines each function under a second name with two leading underscores, in
//!   the same member of `libc.a`. A strong reference to the usual name makes the linker take this member, unless the
//!   program defines the name; a weak reference to the second name shows whether the member was linked.
//! - A program that is statically linked with musl contains no second name, so the function is called by its usual
//!   name.

use core::ffi::{CStr, c_void};
use core::ptr::with_exposed_provenance;
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};
use statictramp::runtime::host::system;

#[cfg(target_pointer_width = "32")]
use libc::{Elf32_Phdr as ProgramHeader, Elf32_Sym as Symbol};
#[cfg(target_pointer_width = "64")]
use libc::{Elf64_Phdr as ProgramHeader, Elf64_Sym as Symbol};

// From elf.h, which the crate libc lacks.
const DT_NULL: usize = 0;
const DT_STRTAB: usize = 5;
const DT_SYMTAB: usize = 6;
const DT_DEBUG: usize = 21;
const DT_GNU_HASH: usize = 0x6fff_fef5;
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

// For each function, the address of its usual name, and that of its second name or 0.
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

/// The address of each function after it has been found, initially null. All accesses are Relaxed: every thread finds
/// the same address, and no other data depends on it.
static FOUND: [AtomicPtr<c_void>; NAMES.len()] =
    [const { AtomicPtr::new(core::ptr::null_mut()) }; NAMES.len()];

impl Function {
    /// Returns the address of the function in libc. Returns `None` if only the program defines a function with this
    /// name, or if libc cannot be found. Async-signal-safe.
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

/// Returns the running thread's `pthread_t`; in glibc this is the address of the thread's descriptor.
pub(crate) fn this_thread() -> Option<libc::pthread_t> {
    let this = Function::PthreadSelf.address()?;
    // SAFETY: libc's function has this type and only returns a value.
    let this: extern "C" fn() -> libc::pthread_t = unsafe { core::mem::transmute(this) };
    Some(this())
}

/// Returns the program's own headers, and the distance by which the loader relocated the program.
pub(crate) fn program_headers() -> (&'static [ProgramHeader], usize) {
    const PT_PHDR: u32 = 6;
    let start = system::getauxval(libc::AT_PHDR) as usize;
    let count = system::getauxval(libc::AT_PHNUM) as usize;
    if start == 0 {
        return (&[], 0);
    }
    // SAFETY: the kernel or the loader passed the address and the number of the headers, which stay in memory while the
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
    /// Finds the loader's list. Returns `None` in a program without a loader.
    fn of_this_program() -> Option<&'static Objects> {
        let (headers, moved_by) = program_headers();
        headers.iter().find(|header| header.p_type == libc::PT_INTERP)?;
        let dynamic = headers.iter().find(|header| header.p_type == libc::PT_DYNAMIC)?;
        let dynamic = with_exposed_provenance((dynamic.p_vaddr as usize).wrapping_add(moved_by));
        // SAFETY: this is the program's dynamic section, in which the loader stores the address of its list.
        unsafe { with_exposed_provenance::<Objects>(entry(dynamic, DT_DEBUG)?).as_ref() }
    }

    /// Finds a function in libc, which means in an object that defines `__errno_location`. Before glibc 2.34 there were
    /// two such objects.
    fn function(&self, name: &CStr) -> Option<*const c_void> {
        let mut at = self.first;
        // SAFETY: the pointer is null or that of an object in the list. libc is among the objects that are loaded
        // first, which are never unloaded.
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

/// Returns the value of the entry with a given tag in a dynamic section.
///
/// # Safety
/// `dynamic` must be a dynamic section, or null.
unsafe fn entry(dynamic: *const [usize; 2], wanted: usize) -> Option<usize> {
    let mut at = dynamic;
    loop {
        // SAFETY: the caller upholds the safety contract, and the section ends with a DT_NULL entry.
        let [kind, value] = unsafe { *at.as_ref()? };
        if kind == wanted || kind == DT_NULL {
            return (kind == wanted && value != 0).then_some(value);
        }
        at = at.wrapping_add(1);
    }
}

impl Object {
    /// Returns the run-time address for an entry of the dynamic section. Some loaders have already added the distance
    /// by which the object was moved, and others have not.
    fn place(&self, kind: usize) -> Option<usize> {
        // SAFETY: the loader's list contains the object's dynamic section.
        let value = unsafe { entry(self.dynamic, kind)? };
        Some(if value < self.moved_by { value + self.moved_by } else { value })
    }

    /// Returns a function that this object defines, found through the GNU hash table, which the loader itself uses.
    fn function(&self, name: &CStr) -> Option<*const c_void> {
        let hash = name
            .to_bytes()
            .iter()
            .fold(5381u32, |hash, &byte| hash.wrapping_mul(33).wrapping_add(byte.into()));
        let symbols = with_exposed_provenance::<Symbol>(self.place(DT_SYMTAB)?);
        let names = with_exposed_provenance::<core::ffi::c_char>(self.place(DT_STRTAB)?);
        let table = with_exposed_provenance::<u32>(self.place(DT_GNU_HASH)?);
        // SAFETY: these are the tables of a loaded object, which the loader reads in the same way.
        unsafe {
            let [buckets, first, words, _] = *table.cast::<[u32; 4]>();
            let heads = table.add(4).cast::<usize>().add(words as usize).cast::<u32>();
            if buckets == 0 {
                return None;
            }
            let mut number = *heads.add((hash % buckets) as usize);
            if number < first {
                return None;
            }
            loop {
                let its_hash = *heads.add((buckets + number - first) as usize);
                let symbol = &*symbols.add(number as usize);
                if its_hash | 1 == hash | 1
                    && symbol.st_shndx != 0
                    && symbol.st_info & 15 == STT_FUNC
                    && CStr::from_ptr(names.add(symbol.st_name as usize)) == name
                {
                    return Some(with_exposed_provenance(
                        self.moved_by.wrapping_add(symbol.st_value as usize),
                    ));
                }
                if its_hash & 1 != 0 {
                    return None;
                }
                number += 1;
            }
        }
    }
}
