//! The interface to the operating system. On Linux it is async-signal-safe.

#[cfg(target_os = "linux")]
pub(crate) mod maps;
#[cfg(all(target_os = "linux", not(portable)))]
pub(crate) mod readable;
#[cfg(linux_stubs)]
pub(crate) mod stack;
#[cfg(target_os = "linux")]
#[cfg_attr(portable, allow(dead_code, reason = "libstatictramp and growth need stubs"))]
pub mod system;
#[cfg(windows)]
pub(crate) mod windows;

#[cfg(windows)]
pub(crate) use windows::*;

#[cfg(target_os = "linux")]
pub(crate) mod elf {
    //! ELF structures for files of this machine's class (ELF specification, generic ABI, chapters 4 and 5).

    #[cfg(target_pointer_width = "32")]
    pub(crate) use libc::{
        Elf32_Ehdr as Header, Elf32_Phdr as ProgramHeader, Elf32_Shdr as Section, Elf32_Sym as Symbol,
        Elf32_Word as Word,
    };
    #[cfg(target_pointer_width = "64")]
    pub(crate) use libc::{
        Elf64_Ehdr as Header, Elf64_Phdr as ProgramHeader, Elf64_Shdr as Section, Elf64_Sym as Symbol,
        Elf64_Xword as Word,
    };

    /// The first bytes of every ELF file for this machine: the magic number, the class and the byte order.
    pub(crate) const IDENTITY: [u8; 6] = [
        0x7f,
        b'E',
        b'L',
        b'F',
        if size_of::<Word>() == 8 { libc::ELFCLASS64 } else { libc::ELFCLASS32 },
        if cfg!(target_endian = "little") { libc::ELFDATA2LSB } else { libc::ELFDATA2MSB },
    ];
}
