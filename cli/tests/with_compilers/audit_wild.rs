//! Remedies that `audit` names for files from other projects: assembly for NASM and YASM, files without `PT_GNU_STACK`, flags that a
//! linker sets by default, and the marks of other tools.

use crate::audit_files::{files, omits, reports, verdict};
use crate::start;
use test_tools::{Expect, stack_rights, write};
use xshell::cmd;

const SOURCES: &str = "cli/tests/programs/audit";

#[test]
fn the_remedy_shows_the_note_in_the_assemblers_own_syntax() {
    let (sh, out) = start("audit/assemblers");
    let plain = "section .text\nglobal answer\nanswer: mov eax,42\n ret\n";
    write(out.join("plain.asm"), plain);
    let object = files().join("plain.o");
    for (assembler, debug) in [("nasm", "-g -F dwarf"), ("yasm", "-g dwarf2")] {
        for options in ["", debug] {
            let options = options.split_whitespace();
            cmd!(sh, "{assembler} {options...} -f elf64 {out}/plain.asm -o {out}/plain.o").passes();
            let note =
                cmd!(sh, "statictramp audit {out}/plain.o").ended().group(r"-> in .*plain\.asm: add (.*)");
            write(out.join("noted.asm"), format!("{plain}{note}\n"));
            cmd!(sh, "{assembler} -f elf64 {out}/noted.asm -o {out}/noted.o").passes();
            verdict("clean", 0, out.join("noted.o"));
            cmd!(sh, "gcc {object} {out}/plain.o -o {out}/linked").passes();
            reports(&format!("plain.asm, add {note}"), out.join("linked"));
            cmd!(sh, "statictramp audit --objects {out}/plain.o {out}/linked")
                .fails_with(1, &format!("add {note} to "))
                .lacks("--objects");
        }
    }
}

#[test]
fn the_flag_that_mips_linkers_set_by_default_is_not_reported() {
    let (sh, out) = start("audit/mips");
    cmd!(sh, "mips64el-linux-gnuabi64-gcc -O2 -shared -fPIC {SOURCES}/add.c -o {out}/default.so").passes();
    assert_eq!(stack_rights(out.join("default.so")), "RWE");
    verdict("unknown", 0, out.join("default.so"));
    omits("default.so", &out);
    let default = "has the flag that linkers for this processor set by default";
    cmd!(sh, "statictramp audit --all {out}").passes().has(default);
    for options in ["-O0", "-O2", "-Os", "-O2 -mabi=32", "-O2 -mabi=n32"] {
        let options = options.split(' ');
        cmd!(
            sh,
            "mips64el-linux-gnuabi64-gcc {options...} -w -DWITHOUT_MAIN -c {SOURCES}/nested.c -o {out}/mips.o"
        )
        .passes();
        verdict("needed", 1, out.join("mips.o"));
        reports("in at least 1 place", out.join("mips.o"));
    }
}

#[test]
fn missing_stack_headers_and_marks_of_other_tools_have_their_own_remedies() {
    let (sh, out) = start("audit/marks");
    let common = files();
    cmd!(sh, "gcc {SOURCES}/kind.c -o {out}/unmarked").passes();
    cmd!(sh, "aarch64-linux-gnu-gcc -O2 -shared -fPIC {SOURCES}/add.c -o {out}/unmarked.so").passes();
    for file in ["unmarked", "unmarked.so"] {
        cmd!(sh, "python3 {SOURCES}/odd.py unmarked {out}/{file}").passes();
    }
    let threads = "glibc makes the stacks of the threads of the program executable, so pthread_create fails";
    reports(threads, out.join("unmarked"));
    let none = "on this processor, glibc gives a program that loads this library no executable stack";
    reports(none, out.join("unmarked.so"));
    omits("if stacks are executable by default", out.join("unmarked.so"));
    cmd!(sh, "objcopy --add-section .note.bolt_info=/dev/null {common}/asks {out}/bolted").passes();
    reports("run BOLT again", out.join("bolted"));
    omits("relink it", out.join("bolted"));
    cmd!(sh, "riscv64-linux-gnu-gcc -O0 -shared -fPIC -nostdlib {SOURCES}/relative.c -o {out}/idle.so")
        .passes();
    cmd!(sh, "python3 {SOURCES}/odd.py idle {out}/idle.so").passes();
    reports("is a linker artefact", out.join("idle.so"));
    omits("-fPIC", out.join("idle.so"));
}

#[test]
fn windows_decides_whether_the_stacks_of_pe_files_are_executable() {
    let (sh, out) = start("audit/pe");
    cmd!(sh, "x86_64-w64-mingw32-gcc -m32 -O2 -c {SOURCES}/start.c -o {out}/start.o").passes();
    for (option, file) in [("--disable-nxcompat", "silent.exe"), ("--nxcompat", "stated.exe")] {
        cmd!(sh, "ld.lld-19 -m i386pe -e _start@0 {option} {out}/start.o -o {out}/{file}").passes();
    }
    verdict("says-nothing", 1, out.join("silent.exe"));
    verdict("clean", 0, out.join("stated.exe"));
    reports("(NX_COMPAT), so Windows decides", out.join("silent.exe"));
    reports("link it with --nxcompat", out.join("silent.exe"));
    omits("C library", out.join("silent.exe"));
    cmd!(sh, "x86_64-w64-mingw32-gcc -O2 -w -DWITHOUT_MAIN -c {SOURCES}/nested.c -o {out}/windows.o")
        .passes();
    reports("makes its stack executable when it runs", out.join("windows.o"));
    reports("GCC cannot avoid stack trampolines on this system", out.join("windows.o"));
    omits("on this processor", out.join("windows.o"));
}
