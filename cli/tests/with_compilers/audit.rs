//! The verdicts of `audit` for the output of each compiler, for linked files, for files that request no executable stack, and for
//! processes; corrupt files.

use crate::audit_files::{copy, files, reports, verdict};
use crate::audit_more::waiting_program;
use crate::{start, tool_shell};
use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use test_tools::{
    Expect, Process, copy_file, copy_files, files_in, in_sid, machines, new_sid_directory, root, share,
    stack_rights, write,
};
use xshell::cmd;

const SOURCES: &str = "cli/tests/programs/audit";

/// Other static-chain registers, Thumb-1, 32-bit pointers, big-endian.
const UNUSUAL: [&str; 10] = [
    "gcc -m32 -O2 -mregparm=3",
    "gcc -m32 -O0 -mregparm=3 -fPIC",
    "gcc -m32 -O2 -DCONVENTION=__attribute__((fastcall))",
    "gcc -mx32 -O2",
    "gcc -O2 -flto -ffat-lto-objects -ffunction-sections",
    "arm-linux-gnueabihf-gcc -O2 -mthumb -march=armv5te -mfloat-abi=soft",
    "arm-linux-gnueabihf-gcc -O2 -mbig-endian",
    "arm-linux-gnueabihf-gcc -O2 -mbig-endian -marm",
    "aarch64-linux-gnu-gcc -O2 -mabi=ilp32",
    "aarch64-linux-gnu-gcc -O2 -mbig-endian",
];

/// Objects of 17 compilers, each of which writes trampolines.
pub fn positive() -> &'static Path {
    static POSITIVE: OnceLock<PathBuf> = OnceLock::new();
    POSITIVE.get_or_init(|| {
        let (sh, out) = start("audit/positive");
        // The first words of a command are a compiler with its options; NAME.o is its output.
        let compile = |command: &str, source: &str, name: &str| {
            let words = command.split_whitespace();
            cmd!(sh, "env {words...} -w -DWITHOUT_MAIN -c {SOURCES}/{source} -o {out}/{name}.o").passes();
        };
        for level in ["-O0", "-O1", "-O2", "-O3", "-Os"] {
            for more in
                ["-fPIC", "-fno-pie", "-fPIC -fcf-protection=full", "-fPIC -g", "-m32 -fPIC", "-m32 -fno-pie"]
            {
                let name = format!("gcc{level}{}", more.replace(' ', ""));
                compile(&format!("gcc {level} {more}"), "nested.c", &name);
            }
            cmd!(sh, "gfortran {level} -c {SOURCES}/internal.f90 -o {out}/gfortran{level}.o").passes();
            for machine in machines() {
                let (name, gnu) = (machine.get("machine"), machine.gnu());
                for compiler in machine.get("trampolines").split(';').filter(|it| !it.is_empty()) {
                    if compiler == "clang" {
                        // Version 19 generates no code for RISC-V.
                        for version in [19, 22].iter().filter(|&&it| it != 19 || name != "riscv64") {
                            let clang = format!("clang-{version} {level} --target={gnu}");
                            compile(&clang, "trampoline.ll", &format!("clang-{version}-{gnu}{level}"));
                        }
                    } else {
                        assert!(compiler.starts_with("gcc"), "{name} names an unknown compiler: {compiler}");
                        let name = format!("{gnu}-{}{level}", compiler.replace(' ', ""));
                        compile(&format!("{gnu}-{compiler} {level}"), "nested.c", &name);
                    }
                }
            }
            let rv32 = format!("riscv64-linux-gnu-gcc {level} -march=rv32imac -mabi=ilp32");
            compile(&rv32, "nested.c", &format!("rv32{level}"));
            cmd!(sh, "gcc {level} -c {SOURCES}/host.adb -o {out}/host.o").passes(); // gnat requires its own file name
            std::fs::rename(out.join("host.o"), out.join(format!("gnat{level}.o"))).unwrap();
            std::fs::remove_file(out.join("host.ali")).unwrap();
            for (version, target) in [("new-19", "x86_64"), ("new-19", "aarch64"), ("new-19", "riscv64")]
                .into_iter()
                .chain([("22", "x86_64"), ("22", "aarch64"), ("22", "riscv64")])
                .filter(|_| level != "-Os")
            {
                let object = out.join(format!("flang-{version}-{target}{level}.o"));
                let options = [level, &format!("--target={target}-linux-gnu")];
                let ended =
                    cmd!(sh, "flang-{version} {options...} -c {SOURCES}/internal.f90 -o {object}").ended();
                if ended.status != 0 {
                    eprintln!("flang-{version} {level} compiles nothing for {target}");
                }
            }
        }
        for (number, command) in (1..).zip(UNUSUAL) {
            compile(command, "nested.c", &format!("odd-{number}"));
        }
        let inside = new_sid_directory("statictramp-audit/positive");
        copy_files(root().join(SOURCES), &inside);
        for level in ["-O0", "-O2", "-O3"] {
            for version in [14, 16] {
                let command =
                    format!("gcc-{version} {level} -w -DWITHOUT_MAIN -c nested.c -o gcc-{version}{level}.o");
                in_sid(&inside, &command).passes();
            }
            let command = format!("flang-23 {level} -c internal.f90 -o flang-23{level}.o");
            in_sid(&inside, &command).passes();
        }
        for object in files_in(&inside).iter().filter(|it| it.extension() == Some(OsStr::new("o"))) {
            copy_file(object, out.join(object.file_name().unwrap()));
        }
        out
    })
}

#[test]
fn trampolines_from_each_compiler_are_detected() {
    let sh = tool_shell();
    let objects = files_in(positive());
    assert!(objects.len() > 150, "only {} objects", objects.len());
    for object in objects {
        cmd!(sh, "statictramp audit --json {object}").ends(1).matches("\"verdict\": \"(needed|not-asked)\"");
    }
}

#[test]
fn linked_stripped_and_archived_files_get_the_verdict_on_their_code() {
    let (sh, out) = start("audit/linked");
    let common = files();
    verdict("needed", 1, common.join("needed"));
    verdict("needed", 1, common.join("stripped"));
    verdict("not-asked", 1, common.join("hidden"));
    cmd!(sh, "{common}/needed").passes();
    // A trampoline does not run on a stack that is not executable.
    assert_ne!(cmd!(sh, "{common}/hidden").ended().status, 0);
    reports("in host", common.join("needed"));
    cmd!(sh, "statictramp audit {common}/mixed.a")
        .fails_with(1, "mixed.a(answer.o): does not say")
        .has("mixed.a(nested.o): needs")
        .lacks("plain.o");
    cmd!(sh, "ar rcs {out}/inner.a {common}/nested.o").passes();
    cmd!(sh, "ar rcs {out}/outer.a {common}/plain.o {out}/inner.a").passes();
    verdict("needed", 1, out.join("outer.a"));
    cmd!(sh, "objcopy --only-keep-debug {common}/needed {out}/needed.debug").passes();
    cmd!(sh, "statictramp audit {out}/needed.debug").ends(2);
    for (flag, word, status) in [("x", "asked", 1), ("", "unknown", 0)] {
        write(out.join("other.s"), format!(".section .note.GNU-stack,\"{flag}\",%progbits\n"));
        cmd!(sh, "clang-19 --target=ve-linux-gnu -c {out}/other.s -o {out}/ve.o").passes();
        verdict(word, status, out.join("ve.o"));
    }
    cmd!(sh, "gcc -flto -O2 -c {SOURCES}/plain.c -o {out}/lto.o").passes();
    verdict("unknown", 0, out.join("lto.o"));
}

#[test]
fn clear_writes_a_copy_without_the_flag() {
    let (sh, out) = start("audit/asks");
    let asks = out.join("asks");
    copy("asks", &asks);
    verdict("asked-only", 1, &asks);
    cmd!(sh, "statictramp audit --clear {asks}").passes();
    let cleared = out.join("asks.cleared");
    verdict("clean", 0, &cleared);
    assert_eq!(stack_rights(&cleared), "RW");
    cmd!(sh, "{cleared}").passes();
    assert_eq!(stack_rights(&asks), "RWE");
    cmd!(sh, "statictramp audit --json --clear {asks}").ends(2); // the copy exists
    std::fs::remove_file(&cleared).unwrap();
    cmd!(sh, "statictramp audit --json --clear {asks}").ended().matches("\"cleared\": \".*/asks.cleared\"");
}

#[test]
fn programs_libraries_and_static_programs_are_distinguished() {
    let (sh, out) = start("audit/kinds");
    let build = |compiler: &str, option: &str, more: &str, name: &str| {
        let (compiler, more) = (compiler.split(' '), more.split_whitespace());
        cmd!(sh, "env {compiler...} {SOURCES}/kind.c {option} -fPIC {more...} -o {out}/{name}").passes();
    };
    for option in ["-static-pie", "-static", "-pie", "-no-pie", "-shared"] {
        build("gcc", option, "", &format!("kind{option}"));
        build("gcc", option, "-Wl,-soname,kind", &format!("named{option}"));
    }
    build("clang-19", "-static-pie", "-fuse-ld=lld", "kind-lld");
    for (kind, names) in [
        ("static-program", "kind-static-pie kind-static kind-lld named-static-pie"),
        ("program", "kind-pie kind-no-pie named-pie named-no-pie"),
        // Like some other libraries, libc has an interpreter.
        ("library", "kind-shared /lib64/ld-linux-x86-64.so.2 /lib/x86_64-linux-gnu/libc.so.6"),
    ] {
        for file in names.split(' ').map(|it| out.join(it)) {
            for depth in [None, Some("--quick")] {
                let ended = cmd!(sh, "statictramp audit --json --all {depth...} {file}").passes();
                ended.has(&format!("\"kind\": \"{kind}\""));
            }
        }
    }
}

#[test]
fn a_process_is_examined_even_if_its_file_was_deleted() {
    let (sh, out) = start("audit/deleted");
    let id = std::process::id().to_string();
    cmd!(sh, "statictramp audit --pid {id}").passes(); // of this test
    let program = out.join("deleted");
    waiting_program(&sh, &program);
    let process = Process::start(cmd!(sh, "{program}"), out.join("text"));
    process.wait_until_sleeps(&program);
    std::fs::remove_file(&program).unwrap();
    let id = process.id();
    cmd!(sh, "statictramp audit --pid {id}").fails_with(1, "exe: needs");
    for number in ["999999999", "many", ""] {
        cmd!(sh, "statictramp audit --pid {number}").ends(2);
    }
}

#[test]
fn debians_own_files_have_no_findings() {
    let sh = tool_shell();
    let ended = cmd!(sh, "statictramp audit --json /usr/bin /usr/sbin /usr/lib/x86_64-linux-gnu").ended();
    ended.at_most(2).has("\"looked_at\"").matches_times(0, "\"verdict\": \"(needed|not-asked|asked-only)\"");
}

/// Changes a few bytes of a file, and sometimes truncates it. Most changes are in the first kilobyte, which contains the headers.
fn corrupt(seed: u64, mut bytes: Vec<u8>) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(seed);
    for _ in 0..random.usize(1..=8) {
        let within = if random.f64() < 0.7 { bytes.len().min(1024) } else { bytes.len() };
        let at = random.usize(..within);
        bytes[at] = [0, 0xff, 0x7f, 0x80, random.u8(..)][random.usize(..5)];
    }
    if random.f64() < 0.2 {
        bytes.truncate(random.usize(..bytes.len()));
    }
    bytes
}

#[test]
fn corrupt_files_are_examined_or_reported() {
    let (sh, out) = start("audit/corrupt");
    let originals =
        ["needed", "mixed.a", "nested.o", "asks"].map(|it| std::fs::read(files().join(it)).unwrap());
    let broken = out.join("broken");
    std::fs::create_dir(&broken).unwrap();
    for (seed, original) in (0..share(20_000)).zip(originals.iter().cycle()) {
        write(broken.join(seed.to_string()), corrupt(seed as u64, original.clone()));
    }
    cmd!(sh, "statictramp audit --clear {broken}").ended().at_most(2).lacks("panicked").has("files examined");
    // The reader of the output may stop early.
    let script = "statictramp audit /usr/bin \"$0\" | head -n 1; [ ${PIPESTATUS[0]} -le 2 ]";
    cmd!(sh, "bash -c {script} {broken}").passes();
}

#[test]
fn hostile_and_unusual_files_are_reported() {
    let (sh, out) = start("audit/hostile");
    let hostile = out.join("files");
    std::fs::create_dir(&hostile).unwrap();
    cmd!(sh, "python3 {SOURCES}/hostile.py {hostile}").passes();
    for file in files_in(&hostile) {
        let limited = cmd!(sh, "prlimit --as=1024000000 statictramp audit {file}").within(60);
        limited.ended().ends(2).lacks("\x1b").lacks("\x07");
    }
    cmd!(sh, "mkfifo {out}/fifo").passes();
    write(out.join("empty"), "");
    write(out.join("short"), &std::fs::read(files().join("needed")).unwrap()[..20]);
    for file in ["fifo", "empty", "short", "nothing"] {
        cmd!(sh, "statictramp audit {out}/{file}").within(60).ended().ends(2);
    }
    let name = out.join(OsStr::from_bytes(b"no\xffname"));
    copy("needed", &name);
    verdict("needed", 1, &name);
    let full = File::options().write(true).open("/dev/full").unwrap();
    cmd!(sh, "statictramp audit {name}").output_to(full).ended().ends(2);
}
