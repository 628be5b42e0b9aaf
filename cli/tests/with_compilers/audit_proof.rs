//! `audit` claims a crash only if the code shows that the trampolines are on the stack.

use crate::audit::positive;
use crate::audit_files::verdict;
use crate::start;
use std::path::Path;
use test_tools::{Expect, files_in, read, write};
use xshell::cmd;

const SOURCES: &str = "cli/tests/programs/audit";

/// Returns the reasons for doubt of each write in a file; "null" if there is none.
fn doubts(file: &Path) -> Vec<String> {
    let sh = crate::tool_shell();
    let ended = cmd!(sh, "statictramp audit --json {file}").ended().at_most(1);
    let json: serde_json::Value = serde_json::from_str(&ended.text).expect("JSON");
    let findings = json["findings"].as_array().expect("findings").iter();
    let writes = findings.flat_map(|it| it["writes"].as_array().expect("writes"));
    writes.map(|it| it["doubt"].as_str().unwrap_or("null").to_owned()).collect()
}

#[test]
fn stack_trampolines_are_proven_to_be_on_the_stack() {
    let mut proven = 0;
    for file in files_in(positive()) {
        let name = file.file_name().unwrap().to_string_lossy();
        let is = |start: &str| name.starts_with(start);
        if is("rv32")
            || is("clang-")
            || is("flang-22-aarch64")
            || is("flang-22-riscv64")
            || (name.contains("-gcc") && (is("riscv64-") || is("aarch64-") || is("arm-")))
        {
            let doubts = doubts(&file);
            assert!(doubts.iter().all(|it| it == "null"), "{name}: {doubts:?}");
            proven += usize::from(!doubts.is_empty()); // LLVM 19 calls a function of its run-time library instead
        }
    }
    assert!(proven >= 40, "only {proven} objects write trampolines");
}

#[test]
fn trampolines_outside_the_stack_are_not_claimed_to_need_it() {
    let (sh, out) = start("audit/elsewhere");
    for target in ["x86_64", "aarch64", "riscv64"] {
        for level in ["-O0", "-O2"] {
            cmd!(sh, "clang-22 {level} -w --target={target}-linux-gnu -c {SOURCES}/elsewhere.ll -o {out}/elsewhere.o")
                .passes();
            assert_eq!(doubts(&out.join("elsewhere.o")), ["address"], "{target} {level}");
            let remedy = "memory that it allocates.* nor a change";
            cmd!(sh, "statictramp audit {out}/elsewhere.o").ends(1).matches(remedy);
        }
    }
    for (options, doubt) in [("-DBASE=r4", "null"), ("-DBASE=lr", "address"), ("-DREFERS", "template")] {
        let refers = "-DREFERS";
        cmd!(sh, "arm-linux-gnueabihf-gcc -nostdlib -shared {refers} {options} {SOURCES}/copies.S -o {out}/copies.so")
            .passes();
        assert_eq!(doubts(&out.join("copies.so")), [doubt], "{options}");
    }
    // Addresses that another function left in registers.
    for compiler in ["gcc", "aarch64-linux-gnu-gcc", "riscv64-linux-gnu-gcc"] {
        for end in ["-DENDS", "-DENDS_WITH_CALL"] {
            cmd!(sh, "{compiler} -O2 -fno-toplevel-reorder {end} -c {SOURCES}/stale.c -o {out}/stale.o")
                .passes();
            assert_eq!(doubts(&out.join("stale.o")), ["address"], "{compiler} {end}");
        }
    }
}

#[test]
fn many_trampolines_close_together_are_proven() {
    let (sh, out) = start("audit/many");
    let mut source = "int call(int (*)(int));\n".to_owned();
    for i in 0..800 {
        source += &format!("int f{i}(int k) {{ int g(int x) {{ return x + k + {i}; }} return call(g); }}\n");
    }
    write(out.join("many.c"), source);
    for compiler in [
        "gcc",
        "i686-linux-gnu-gcc",
        "riscv64-linux-gnu-gcc",
        "riscv64-linux-gnu-gcc -march=rv32gc -mabi=ilp32d",
    ] {
        let words = compiler.split(' ');
        cmd!(sh, "env {words...} -Os -c {out}/many.c -o {out}/many.o").passes();
        assert_eq!(doubts(&out.join("many.o")), ["null"; 800], "{compiler}");
    }
}

#[test]
fn each_trampoline_is_listed_and_adjacent_functions_form_none() {
    let (sh, out) = start("audit/five");
    let object = out.join("five.o");
    for compiler in ["gcc", "i686-linux-gnu-gcc", "riscv64-linux-gnu-gcc"] {
        for level in ["-O0", "-O1", "-O2", "-O3", "-Os"] {
            cmd!(sh, "{compiler} {level} -fPIC -w -c {SOURCES}/five.c -o {object}").passes();
            assert_eq!(doubts(&object).len(), 5, "{compiler} {level}");
        }
    }
    // GCC for these processors copies all trampolines from one template.
    for compiler in ["aarch64-linux-gnu-gcc", "arm-linux-gnueabihf-gcc"] {
        cmd!(sh, "{compiler} -O2 -w -c {SOURCES}/five.c -o {object}").passes();
        cmd!(sh, "statictramp audit {object}").fails_with(1, "in at least 1 place, which may");
    }
    let source = read(sh.current_dir().join(SOURCES).join("neighbours.s"));
    for end in ["ret", "jmp *%rax", "jmp call", "ret; .p2align 4"] {
        write(out.join("neighbours.s"), source.replace("END", end));
        cmd!(sh, "as -o {out}/neighbours.o {out}/neighbours.s").passes();
        verdict("clean", 0, out.join("neighbours.o"));
    }
}
