//! What an ELF file of this machine is made of (ELF specification, generic ABI, chapters 4 and 5): the structs of its
//! width.

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

/// How every such file begins: ELF, its width, little-endian.
pub(crate) const IDENTITY: [u8; 6] =
    *if size_of::<Word>() == 8 { b"\x7fELF\x02\x01" } else { b"\x7fELF\x01\x01" };
