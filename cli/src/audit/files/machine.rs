//! Names of processors, and detection of files for which the stack note has no meaning.

use object::Architecture;
use object::elf;
use schemars::JsonSchema;
use serde::Serialize;

/// Reason why the stack note has no meaning for a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Outside {
    /// Instead of machine code for a processor that runs an operating system, the file contains a language's bytecode,
    /// GPU code, or a kernel filter.
    NoMachineCode,
    /// The file is for a board, or is part of a boot loader or the kernel.
    Firmware,
}

/// Returns the architecture that an ELF file's `e_machine` and class specify.
pub fn of_elf(machine: u16, is_64: bool) -> Architecture {
    use Architecture as A;
    const S390_OLD: u16 = 0xa390;
    match (machine, is_64) {
        (elf::EM_X86_64, true) => A::X86_64,
        (elf::EM_X86_64, false) => A::X86_64_X32,
        // Linux also runs programs marked EM_486 (a number later reused for EM_IAMCU).
        (elf::EM_386 | elf::EM_IAMCU, _) => A::I386,
        (elf::EM_AARCH64, true) => A::Aarch64,
        (elf::EM_AARCH64, false) => A::Aarch64_Ilp32,
        (elf::EM_ARM, _) => A::Arm,
        (elf::EM_RISCV, true) => A::Riscv64,
        (elf::EM_RISCV, false) => A::Riscv32,
        (elf::EM_PPC, _) => A::PowerPc,
        (elf::EM_PPC64, _) => A::PowerPc64,
        (elf::EM_S390 | S390_OLD, true) => A::S390x,
        (elf::EM_MIPS, true) => A::Mips64,
        (elf::EM_MIPS, false) => A::Mips,
        (elf::EM_LOONGARCH, true) => A::LoongArch64,
        (elf::EM_LOONGARCH, false) => A::LoongArch32,
        (elf::EM_SPARC, _) => A::Sparc,
        (elf::EM_SPARC32PLUS, _) => A::Sparc32Plus,
        (elf::EM_SPARCV9, _) => A::Sparc64,
        (elf::EM_ALPHA, _) => A::Alpha,
        (elf::EM_PARISC, _) => A::Hppa,
        (elf::EM_68K, _) => A::M68k,
        (elf::EM_SH, _) => A::SuperH,
        (elf::EM_BPF, _) => A::Bpf,
        (elf::EM_AVR, _) => A::Avr,
        (elf::EM_MSP430, _) => A::Msp430,
        (elf::EM_XTENSA, _) => A::Xtensa,
        _ => A::Unknown,
    }
}

/// Returns the name of a processor, in the form accepted by `--machine`.
pub fn name(machine: Architecture) -> &'static str {
    use Architecture as A;
    match machine {
        A::X86_64 => "x86-64",
        A::X86_64_X32 => "x32",
        A::I386 => "i386",
        A::Aarch64 => "aarch64",
        A::Aarch64_Ilp32 => "aarch64-ilp32",
        A::Arm => "arm",
        A::Riscv64 => "riscv64",
        A::Riscv32 => "riscv32",
        A::PowerPc => "powerpc",
        A::PowerPc64 => "powerpc64",
        A::S390x => "s390x",
        A::Mips => "mips",
        A::Mips64 | A::Mips64_N32 => "mips64",
        A::LoongArch64 => "loongarch64",
        A::LoongArch32 => "loongarch32",
        A::Sparc | A::Sparc32Plus => "sparc",
        A::Sparc64 => "sparc64",
        A::Alpha => "alpha",
        A::Hppa => "hppa",
        A::M68k => "m68k",
        A::SuperH => "sh",
        A::Bpf => "bpf",
        A::Avr => "avr",
        A::Msp430 => "msp430",
        A::Xtensa => "xtensa",
        _ => "other",
    }
}

/// Returns this tool's name for a processor. The user may also pass Debian's or the kernel's name.
pub fn named(word: &str) -> Option<&'static str> {
    const NAMES: &[&str] = &[
        "x86-64",
        "x32",
        "i386",
        "aarch64",
        "aarch64-ilp32",
        "arm",
        "riscv64",
        "riscv32",
        "powerpc",
        "powerpc64",
        "s390x",
        "mips",
        "mips64",
        "loongarch64",
        "loongarch32",
        "sparc",
        "sparc64",
        "alpha",
        "hppa",
        "m68k",
        "sh",
        "bpf",
        "avr",
        "msp430",
        "xtensa",
        "other",
    ];
    let word = match word {
        "amd64" | "x86_64" => "x86-64",
        "x86" | "i486" | "i586" | "i686" => "i386",
        "arm64" => "aarch64",
        "armel" | "armhf" | "armv7l" => "arm",
        "ppc64" | "ppc64el" | "ppc64le" | "powerpc64le" => "powerpc64",
        "ppc" => "powerpc",
        "mipsel" => "mips",
        "mips64el" => "mips64",
        "loong64" => "loongarch64",
        "sh4" => "sh",
        word => word,
    };
    NAMES.iter().find(|&&name| name == word).copied()
}

/// Returns the reason why the stack note has no meaning for an ELF file, if its processor shows that the file does not
/// run on an operating system. EI_OSABI in the header proves nothing: Linux and GNU ld accept ELFOSABI_STANDALONE too.
pub fn outside(machine: u16) -> Option<Outside> {
    const AMDGPU: u16 = 224;
    match machine {
        elf::EM_NONE | elf::EM_BPF | elf::EM_CUDA | AMDGPU => Some(Outside::NoMachineCode),
        elf::EM_AVR | elf::EM_MSP430 | elf::EM_XTENSA | elf::EM_TI_PRU | elf::EM_8051 | elf::EM_STM8 => {
            Some(Outside::Firmware)
        }
        _ => None,
    }
}

/// Returns whether the class of a linked ELF file contradicts its processor. On most processors, Linux ignores the
/// class and reads the header in the processor's format, so it would not see the segments that this tool sees.
/// `wide_entry_size` is the value of `e_phentsize` if the header is 64-bit.
pub fn contradicts_class(machine: u16, is_64: bool, wide_entry_size: u16) -> bool {
    match machine {
        elf::EM_386 | elf::EM_IAMCU | elf::EM_ARM | elf::EM_PPC | elf::EM_SPARC | elf::EM_SPARC32PLUS => {
            is_64
        }
        elf::EM_X86_64 | elf::EM_AARCH64 | elf::EM_PPC64 | elf::EM_LOONGARCH => {
            !is_64 && wide_entry_size == 56
        }
        _ => false,
    }
}

/// Returns whether a section of this name marks a relocatable file as a module for a boot loader (GRUB) or the kernel.
pub fn is_module(section: &[u8]) -> bool {
    [&b".modname"[..], b".moddeps", b".gnu.linkonce.this_module"].contains(&section)
}

/// Returns whether an Arm file is for a board, according to its build attributes (`.ARM.attributes`): they specify a
/// microcontroller profile, or the variable-sized enumerations of `arm-none-eabi`.
pub fn is_bare_arm(attributes: &[u8]) -> bool {
    const PROFILE: u64 = 7;
    const ENUM_SIZE: u64 = 26;
    // The format is 'A', a length, "aeabi\0", Tag_File, a length, and the attributes.
    let Some(rest) = attributes.strip_prefix(b"A").and_then(|it| it.get(4..)) else { return false };
    let Some(rest) = rest.strip_prefix(b"aeabi\0\x01").and_then(|it| it.get(4..)) else { return false };
    let mut bytes = rest.iter().copied();
    let mut number = || {
        let (mut value, mut shift) = (0u64, 0);
        loop {
            let byte = bytes.next()?;
            value |= u64::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            if byte & 0x80 == 0 {
                return Some((value, shift));
            }
        }
    };
    // Tags 4, 5, 65 and 67 are followed by a string, tag 32 by a number and a string, and all other tags by a number.
    while let Some((tag, _)) = number() {
        let is_text = matches!(tag, 4 | 5 | 65 | 67);
        if is_text || tag == 32 {
            if tag == 32 && number().is_none() {
                return false;
            }
            while let Some((byte, _)) = number() {
                if byte == 0 {
                    break;
                }
            }
            continue;
        }
        match (tag, number()) {
            (PROFILE, Some((value, _))) if value == u64::from(b'M') => return true,
            (ENUM_SIZE, Some((1, _))) => return true,
            (_, None) => return false,
            _ => {}
        }
    }
    false
}

/// Returns whether a directory on the path is named after a bare-metal target (`arm-none-eabi`, `riscv64-unknown-elf`).
pub fn is_bare_path(path: &str) -> bool {
    path.split(['/', '\\', ':']).any(|name| {
        let mut words = name.split('-');
        let first = words.next().unwrap_or_default();
        let known =
            ["arm", "aarch64", "riscv", "i686", "x86_64", "powerpc", "avr", "msp430", "xtensa", "mips"];
        let rest: Vec<&str> = words.collect();
        known.iter().any(|it| first.starts_with(it))
            && (rest.contains(&"none") && rest.iter().any(|it| it.starts_with("e") || *it == "none")
                || rest.last() == Some(&"elf"))
    })
}

/// Returns whether `path` names a boot-loader program (a SYSLINUX module, or GRUB's kernel). The header alone does not
/// identify such programs.
pub fn is_boot_path(path: &[u8]) -> bool {
    path.ends_with(b".c32") || path.ends_with(b".img") && memchr::memmem::find(path, b"/grub/").is_some()
}

#[cfg(test)]
mod tests {
    use super::{is_bare_arm, is_bare_path, is_boot_path, name, named};

    #[test]
    fn programs_for_boot_loaders_are_recognized() {
        assert!(is_boot_path(b"x.deb:usr/lib/syslinux/modules/bios/cat.c32"));
        assert!(is_boot_path(b"/usr/lib/grub/i386-pc/kernel.img"));
        assert!(!is_boot_path(b"/home/user/program.img") && !is_boot_path(b"/usr/lib/grub/grub-probe"));
    }

    #[test]
    fn directories_of_bare_targets_are_recognized() {
        for path in [
            "/usr/lib/arm-none-eabi/lib/crt0.o",
            "x.deb:usr/lib/gcc/riscv64-unknown-elf/12/crti.o",
            "aarch64-none-elf/a.o",
        ] {
            assert!(is_bare_path(path), "{path}");
        }
        for path in
            ["/usr/lib/arm-linux-gnueabihf/crti.o", "/usr/lib/x86_64-linux-gnu/a.o", "/home/none/elf/a.o"]
        {
            assert!(!is_bare_path(path), "{path}");
        }
    }

    #[test]
    fn a_microcontroller_and_short_enumerations_are_recognized() {
        let file = |attributes: &[u8]| {
            let mut all = b"A\0\0\0\0aeabi\0\x01\0\0\0\0".to_vec();
            all.extend(attributes);
            all
        };
        assert!(is_bare_arm(&file(b"\x05Cortex-M3\0\x06\x0a\x07M\x08\x00")));
        assert!(is_bare_arm(&file(b"\x05ARM7TDMI\0\x06\x02\x1a\x01")));
        assert!(!is_bare_arm(&file(b"\x057-A\0\x06\x0a\x07A\x1a\x02")));
        assert!(!is_bare_arm(b"A") && !is_bare_arm(&file(b"\x05")));
    }

    #[test]
    fn a_canonical_machine_name_maps_to_itself() {
        for word in ["amd64", "x86-64", "arm64", "armhf", "ppc64el", "i686", "riscv64"] {
            let found = named(word).unwrap();
            assert_eq!(named(found), Some(found));
        }
        assert_eq!(name(object::Architecture::X86_64), "x86-64");
        assert!(named("z80").is_none());
    }
}
