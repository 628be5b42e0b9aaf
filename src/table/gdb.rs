//! Symbols for added segments: gdb finds a file's symbols where the loader mapped the file, but not in a second
//! mapping.
//!
//! gdb's JIT interface (Debugging with GDB, chapter "JIT Compilation Interface") consists of a list of ELF images in
//! memory and a function at which gdb stops when the list changes. A segment's image has one symbol, which covers all
//! stubs. Without a debugger, adding an image costs only a few stores.
//!
//! gdb looks up the list and the function by their names. Both are local symbols in this library, so each copy of the
//! library can define them.

use crate::arch::symbols::__symbol;
use crate::os::elf::{Header, IDENTITY, Section, Symbol, Word};
use crate::sync::{Acquire, AtomicU32, Relaxed, Release};

#[cfg(target_pointer_width = "64")]
macro_rules! pointer {
    () => {
        ".quad"
    };
}
#[cfg(target_pointer_width = "32")]
macro_rules! pointer {
    () => {
        ".long"
    };
}
core::arch::global_asm!(
    ".pushsection .data.statictramp_debugger, \"aw\", %progbits",
    ".balign 8",
    ".type __jit_debug_descriptor, %object",
    concat!(".hidden ", __symbol!("segments_for_gdb")),
    concat!(".globl ", __symbol!("segments_for_gdb")),
    "__jit_debug_descriptor:",
    concat!(__symbol!("segments_for_gdb"), ":"),
    ".long 1, 0",                 // version, action
    concat!(pointer!(), " 0, 0"), // the entry that has changed, and the first entry
    ".size __jit_debug_descriptor, . - __jit_debug_descriptor",
    ".popsection",
    ".pushsection .text.statictramp_debugger, \"ax\", %progbits",
    ".type __jit_debug_register_code, %function",
    concat!(".hidden ", __symbol!("notify_gdb")),
    concat!(".globl ", __symbol!("notify_gdb")),
    "__jit_debug_register_code:",
    concat!(__symbol!("notify_gdb"), ":"),
    crate::arch::empty_function!(),
    ".size __jit_debug_register_code, . - __jit_debug_register_code",
    ".popsection",
);

/// `struct jit_descriptor` in gdb's manual.
#[repr(C)]
struct Descriptor {
    version: u32,
    action: u32,
    relevant: *mut Entry,
    first: *mut Entry,
}

/// `struct jit_code_entry`.
#[repr(C)]
struct Entry {
    next: *mut Entry,
    previous: *mut Entry,
    image: *const Header,
    image_len: u64,
}

/// An ELF file in memory with one function.
#[repr(C)]
pub(crate) struct Image {
    entry: Entry,
    header: Header,
    /// The headers of four sections: null, `.text`, `.symtab` and `.strtab`.
    sections: [Section; 4],
    symbols: [Symbol; 2],
    names: [u8; NAMES.len()],
}

const NAMES: [u8; 54] = *b"\0.text\0.symtab\0.strtab\0statictramp_stubs_of_a_segment\0";
const TEXT: u32 = 1;
const SYMTAB: u32 = 7;
const STRTAB: u32 = 15;
const STUBS: u32 = 23;

/// Describes the code at `start` as the stubs of a segment, and notifies gdb. If another thread is changing the list
/// concurrently, gdb shows no name for the segment.
///
/// # Safety
/// The memory at `image` must be used for nothing else, and must never be freed.
pub(crate) unsafe fn announce(image: *mut Image, start: usize, len: usize) {
    static BUSY: AtomicU32 = AtomicU32::new(0);
    // SAFETY: the caller upholds the safety contract, and all-zero bytes are valid for every field.
    let image = unsafe {
        image.write_bytes(0, 1);
        &mut *image
    };
    image.fill(start as Word, len as Word);
    // Acquire and Release: the flag is a lock, so each change to the list happens after the previous one.
    if BUSY.compare_exchange(0, 1, Acquire, Relaxed).is_err() {
        return;
    }
    let list: *mut Descriptor = crate::arch::address_of!("segments_for_gdb").cast_mut().cast();
    let notify = crate::arch::address_of!("notify_gdb");
    // SAFETY: the list and its entries belong to this copy, and the flag excludes other threads. The function does
    // nothing, but an attached gdb sets a breakpoint in it.
    unsafe {
        image.entry.next = (*list).first;
        if !image.entry.next.is_null() {
            (*image.entry.next).previous = &raw mut image.entry;
        }
        (&raw mut (*list).first).write_volatile(&raw mut image.entry);
        (&raw mut (*list).relevant).write_volatile(&raw mut image.entry);
        (&raw mut (*list).action).write_volatile(1); // JIT_REGISTER_FN
        core::mem::transmute::<*const u8, extern "C" fn()>(notify)();
    }
    BUSY.store(0, Release);
}

impl Image {
    fn fill(&mut self, start: Word, len: Word) {
        let base = (&raw const self.header).addr();
        let offset = |part: usize| (part - base) as Word;
        self.header.e_ident[..6].copy_from_slice(&IDENTITY);
        self.header.e_ident[6] = 1; // version 1
        (self.header.e_type, self.header.e_machine, self.header.e_version) = (2, crate::arch::ELF_MACHINE, 1);
        self.header.e_shoff = offset((&raw const self.sections).addr());
        self.header.e_ehsize = size_of::<Header>() as u16;
        self.header.e_shentsize = size_of::<Section>() as u16;
        (self.header.e_shnum, self.header.e_shstrndx) = (4, 3);

        let symbols = offset((&raw const self.symbols).addr());
        let names = offset((&raw const self.names).addr());
        let [_, text, symtab, strtab] = &mut self.sections;
        (text.sh_name, text.sh_type, text.sh_flags) = (TEXT, 8, 2 | 4); // type: no bits in the file; flags: allocated, code
        (text.sh_addr, text.sh_size, text.sh_addralign) = (start, len, 16);
        (symtab.sh_name, symtab.sh_type, symtab.sh_link, symtab.sh_info) = (SYMTAB, 2, 3, 1);
        (symtab.sh_offset, symtab.sh_size) = (symbols, size_of_val(&self.symbols) as Word);
        (symtab.sh_entsize, symtab.sh_addralign) = (size_of::<Symbol>() as Word, 8);
        (strtab.sh_name, strtab.sh_type) = (STRTAB, 3);
        (strtab.sh_offset, strtab.sh_size, strtab.sh_addralign) = (names, NAMES.len() as Word, 1);

        let [_, stubs] = &mut self.symbols;
        (stubs.st_name, stubs.st_info, stubs.st_shndx) = (STUBS, 1 << 4 | 2, 1); // global, a function
        (stubs.st_value, stubs.st_size) = (start, len);
        self.names = NAMES;
        self.entry.image = &raw const self.header;
        self.entry.image_len = ((&raw const self.names).addr() + NAMES.len() - base) as u64;
    }
}
