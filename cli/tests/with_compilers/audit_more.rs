//! The findings of `audit` other than the verdict: source lines and compilers, protections, writable and executable memory, heap and
//! pool, other formats, and trampolines on the stacks of a process.

use crate::audit_files::{files, omits, reports, verdict};
use crate::start;
use std::path::Path;
use test_tools::{
    Expect, Process, copy_file, copy_files, copy_shared_library, in_sid, library_archive, new_sid_directory,
    root, sid, write,
};
use xshell::{Shell, cmd};

const SOURCES: &str = "cli/tests/programs/audit";

#[test]
fn source_lines_and_compilers_are_named() {
    let (sh, out) = start("audit/lines");
    let source = root().join(SOURCES).join("nested.c");
    let line = format!("in host ({}:1", source.display());
    let object = out.join("lines.o");
    for debug in ["-g", "-gdwarf-4", "-gdwarf-3", "-g -gz=zlib", "-g -ffunction-sections", "-g -m32"] {
        let debug = debug.split(' ');
        cmd!(sh, "gcc -O2 {debug...} -DWITHOUT_MAIN -c {source} -o {object}").passes();
        reports(&line, &object);
        reports("compiled by GNU C17 ", &object);
    }
    cmd!(sh, "riscv64-linux-gnu-gcc -O2 -g -DWITHOUT_MAIN -c {source} -o {object}").passes();
    reports(&line, &object);
    cmd!(sh, "gfortran -O2 -g -c {SOURCES}/internal.f90 -o {object}").passes();
    reports("recompile: gfortran-14 -O2 -ftrampoline-impl=heap -c", &object);
    cmd!(sh, "gcc -O2 -g {source} -o {out}/lines").passes();
    let compile = format!("gcc-14 -O2 -ftrampoline-impl=heap -c {}", source.display());
    reports(&format!("recompile: {compile}, and link with -lstatictramp"), out.join("lines"));

    let unnamed = out.join("unnamed");
    cmd!(sh, "flang-new-19 -O2 -shared -fPIC {SOURCES}/internal.f90 -o {unnamed}").passes();
    cmd!(sh, "readelf -p .comment {unnamed}").passes().has("GCC"); // from the startup files
    omits("compiled by GCC", &unnamed);
    reports(
        "compiled by an LLVM compiler, judging by the instructions (the file does not name its compiler)",
        &unnamed,
    );
    cmd!(sh, "flang-22 -O2 -shared -fPIC {SOURCES}/internal.f90 -o {unnamed}").passes();
    reports("flang version 22", &unnamed);
    omits("compiled by GCC", &unnamed);

    cmd!(sh, "as -g {SOURCES}/plain.s -o {out}/assembled.o").passes();
    cmd!(sh, "gcc -g {SOURCES}/plain.c {out}/assembled.o -o {out}/assembled").passes();
    reports("the assembly source may lack the note: in", out.join("assembled"));
    reports("objcopy --add-section .note.GNU-stack=/dev/null", out.join("assembled.o"));
    cmd!(sh, "objcopy --add-section .note.GNU-stack=/dev/null {out}/assembled.o").passes();
    verdict("clean", 0, out.join("assembled.o"));
}

#[test]
fn protections_and_writable_and_executable_memory_are_reported() {
    let (sh, out) = start("audit/protections");
    let plain = files().join("plain.o");
    cmd!(
        sh,
        "gcc -O2 -fcf-protection=full -nostdlib -shared -fPIC -z now {SOURCES}/plain.c -o {out}/protected"
    )
    .arg("-Wl,--unresolved-symbols=ignore-all")
    .passes();
    reports("control-flow protection: IBT, SHSTK", out.join("protected"));
    cmd!(sh, "as {SOURCES}/plain.s -o {out}/noted.o").passes();
    cmd!(sh, "objcopy --add-section .note.GNU-stack=/dev/null {out}/noted.o").passes();
    for (option, relro) in [("now", "full"), ("lazy", "partial"), ("norelro", "none")] {
        cmd!(sh, "gcc -z {option} {plain} {out}/noted.o -o {out}/plain").passes();
        reports(&format!("RELRO {relro}"), out.join("plain"));
    }
    verdict("clean", 0, out.join("plain"));
    cmd!(sh, "aarch64-linux-gnu-gcc -O2 -mbranch-protection=standard -c {SOURCES}/plain.c -o {out}/bti.o")
        .passes();
    reports("control-flow protection: BTI, PAC", out.join("bti.o"));
    let evil = ".section .evil,\"awx\"\n.byte 0xc3\n.section .note.GNU-stack,\"\",@progbits\n";
    write(out.join("evil.s"), evil);
    cmd!(sh, "as -o {out}/evil.o {out}/evil.s").passes();
    reports("the section .evil is writable and executable", out.join("evil.o"));
    cmd!(sh, "gcc {plain} {out}/noted.o {out}/evil.o -o {out}/evil").passes();
    reports("is loaded writable and executable", out.join("evil"));
    cmd!(sh, "gcc -m32 -fno-pic -shared -nostdlib -Wl,-z,notext {SOURCES}/plain.c -o {out}/textrel")
        .arg("-Wl,--unresolved-symbols=ignore-all")
        .passes();
    reports("text relocations", out.join("textrel"));
    omits("artefact", out.join("textrel"));
}

/// Returns a directory of Debian sid with the sources.
fn sid_directory(name: &str) -> std::path::PathBuf {
    let directory = new_sid_directory(&format!("statictramp-audit/{name}"));
    copy_files(root().join(SOURCES), &directory);
    directory
}

#[test]
fn heap_trampolines_and_the_pool_are_recognised() {
    let directory = sid_directory("heap");
    let run = |command: &str| in_sid(&directory, command).passes();
    for version in [14, 16] {
        run(&format!("gcc-{version} -O2 -ftrampoline-impl=heap nested.c -o heap-{version}"));
        run(&format!(
            "gcc-{version} -O2 -s -static -ftrampoline-impl=heap nested.c -o heap-static-{version}"
        ));
        for file in [format!("heap-{version}"), format!("heap-static-{version}")] {
            reports("contains GCC's heap trampolines", directory.join(&file));
            verdict("clean", 1, directory.join(&file));
        }
    }
    omits("heap", sid().join("usr/lib/x86_64-linux-gnu/libgcc_s.so.1"));
    run("flang-23 -O2 -fsafe-trampoline internal-main.f90 -o pool");
    run("strip -o pool-stripped pool");
    reports("uses the trampoline pool in flang's runtime", directory.join("pool"));
    verdict("clean", 1, directory.join("pool"));
    omits("writes trampolines", directory.join("pool-stripped"));
    // An object only calls the interface. Its user has applied the remedy, so the object alone is no finding.
    run("flang-23 -O2 -fsafe-trampoline -c internal-main.f90 -o pool.o");
    run("gcc-16 -O2 -ftrampoline-impl=heap -c nested.c -o heap.o");
    for (file, interface) in
        [("pool.o", "flang's interface for trampolines"), ("heap.o", "GCC's interface for heap trampolines")]
    {
        verdict("clean", 0, directory.join(file));
        reports(&format!("calls {interface}: link with -lstatictramp"), directory.join(file));
    }
}

/// The linker uses the functions that it finds first, and the loader those of the library that the program names first.
#[test]
fn the_order_of_libraries_determines_which_pool_is_used() {
    let directory = sid_directory("order");
    copy_file(library_archive(), directory.join("libstatictramp.a"));
    copy_shared_library(&directory);
    let run = |command: &str| in_sid(&directory, command).passes();
    run("flang-23 -O2 -fsafe-trampoline -c internal-main.f90 -o flang.o");
    run("gcc-16 -O2 -ftrampoline-impl=heap -c nested.c -o gcc.o");
    let runtime = "/usr/lib/llvm-23/lib/clang/23/lib/x86_64-pc-linux-gnu/libflang_rt.runtime.a";
    let shared = "-Wl,--no-as-needed -L. -lstatictramp";
    for (compiler, link, own, of_compiler, tag) in [
        ("flang", "flang-23 flang.o", runtime, "flang's runtime", "pool-trampolines"),
        ("GCC", "gcc-16 gcc.o -static-libgcc", "-lgcc_eh", "libgcc", "heap-trampolines"),
        ("GCC", "gcc-16 gcc.o -Wl,--no-as-needed", "-lgcc_s", "libgcc", "heap-trampolines"),
    ] {
        let pools = |pool: &str| format!("trampolines for code compiled by {compiler} come from {pool}");
        for ours in ["libstatictramp.a", shared] {
            run(&format!("{link} {ours} {own} -o before"));
            run(&format!("{link} {own} {ours} -o after"));
            let [before, after] = ["before", "after"].map(|it| directory.join(it));
            verdict("clean", 0, &before).has("\"pool\": \"statictramp\"");
            omits("link -lstatictramp", &before);
            reports(&pools(of_compiler), &after);
            reports(&format!("[{tag}]"), &after);
            reports("link -lstatictramp, which", &after);
            verdict("clean", 1, &after).has("\"pool\": \"runtime\"");
            reports(&pools("statictramp"), &before);
        }
    }
}

#[test]
fn programs_that_call_the_plugins_interface_have_no_findings() {
    let (sh, out) = start("audit/interface");
    for (name, status) in [("_FortranAInitTrampoline", 0), ("_FortranATrampolineInit", 1)] {
        let assembly = ".section .note.GNU-stack,\"\",@progbits\n.text\n.globl host\nhost: jmp";
        write(out.join("interface.s"), format!("{assembly} {name}@PLT\n"));
        write(out.join("library.c"), format!("void {name}(void) {{}}\n"));
        write(out.join("main.c"), "void host(void); int main(void) { host(); }\n");
        cmd!(sh, "as -o {out}/interface.o {out}/interface.s").passes();
        verdict("clean", 0, out.join("interface.o"));
        cmd!(sh, "gcc -shared -fPIC {out}/library.c -o {out}/libinterface.so").passes();
        cmd!(sh, "gcc {out}/main.c {out}/interface.o {out}/libinterface.so -o {out}/interface").passes();
        cmd!(sh, "statictramp audit {out}/interface").ends(status);
    }
}

#[test]
fn compressed_programs_pe_and_mach_o_files_are_examined() {
    let directory = sid_directory("packed");
    in_sid(&directory, "gcc-14 -O2 -static nested.c -o static").passes();
    in_sid(&directory, "upx -q -o packed static").passes();
    reports("because its code is compressed", directory.join("packed"));
    reports("unpack a copy, and audit the copy: upx -d", directory.join("packed"));
    let (sh, out) = start("audit/other-formats");
    for level in ["-O0", "-O2"] {
        cmd!(sh, "x86_64-w64-mingw32-gcc {level} {SOURCES}/nested.c -o {out}/nested.exe").passes();
        verdict("needed", 1, out.join("nested.exe"));
        cmd!(sh, "x86_64-w64-mingw32-gcc {level} -DWITHOUT_MAIN -c {SOURCES}/nested.c -o {out}/nested.obj")
            .passes();
        verdict("needed", 1, out.join("nested.obj"));
        for target in ["x86_64-apple-macos11", "arm64-apple-macos11"] {
            cmd!(sh, "clang-22 {level} -w --target={target} -c {SOURCES}/trampoline.ll -o {out}/mach.o")
                .passes();
            verdict("not-asked", 1, out.join("mach.o"));
        }
    }
}

#[test]
fn trampolines_on_the_stacks_of_a_process_are_reported() {
    let (sh, out) = start("audit/live");
    cmd!(sh, "gcc -O2 -pthread {SOURCES}/live.c -o {out}/live").passes();
    let process = Process::ready(cmd!(sh, "{out}/live"), out.join("text"));
    let (id, text) = (process.id(), process.text());
    let mut ended =
        cmd!(sh, "statictramp audit --pid {id}").fails_with(1, "the main thread's stack is executable");
    for (_, address) in text.lines().filter(|it| !it.starts_with("ready")).filter_map(|it| it.split_once(' '))
    {
        ended = ended.matches(&format!("on the stack of thread [0-9]*, at {address}: callee 0x"));
    }
    ended.matches_times(2, "a trampoline is on");
    drop(process);
    let program = out.join("done");
    waiting_program(&sh, &program);
    let process = Process::start(cmd!(sh, "{program}"), out.join("text"));
    process.wait_until_sleeps(&program);
    let id = process.id();
    cmd!(sh, "statictramp audit --pid {id}").ends(1).lacks("a trampoline is on"); // of a call that has returned
}

/// Compiles a program that calls a trampoline once and then sleeps.
pub fn waiting_program(sh: &Shell, program: &Path) {
    cmd!(sh, "gcc -O2 -Dmain=once {SOURCES}/nested.c {SOURCES}/waits.c -o {program}").passes();
}
