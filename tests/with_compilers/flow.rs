//! Control-flow integrity: landing pads, the notes that promise them, clang's checks of indirect calls to a stub and of closures, and
//! signed slots on AArch64.

use crate::restricted::Restricted;
use std::collections::BTreeSet;
use test_tools::{Expect, function, library, line, multi_line, prepared, root, share, sid};

const FLOW: &str = "-Wall -fno-builtin -nostdlib -static -Icapi/include tests/programs/hardened/flow.c";
const QEMU: &str = "qemu-aarch64-static -L /usr/aarch64-linux-gnu";

/// Returns the protections that a file's note promises.
#[track_caller]
fn features(file: &str) -> String {
    let notes = line!("readelf -nW {file}").passes().text;
    let found: BTreeSet<&str> =
        multi_line("feature: (.*)$").captures_iter(&notes).map(|it| it.get(1).unwrap().as_str()).collect();
    found.into_iter().collect::<Vec<_>>().join("\n")
}

/// If all objects of a program promise both, the program keeps its note.
#[test]
fn stubs_on_x86_64_have_landing_pads_and_work_with_a_shadow_stack() {
    let (restricted, library) = (Restricted::new("landing-pads"), library());
    let (program, library) = (format!("{}/flow", restricted.out), library.display());
    for (compiler, linker) in
        [("gcc", "bfd"), ("clang-19", "bfd"), ("clang-19", "lld"), ("clang-22", "bfd"), ("clang-22", "lld")]
    {
        line!("{compiler} -O2 -fcf-protection=full -fuse-ld={linker} {FLOW} {library}/libstatictramp.a -o {program}").passes();
        assert_eq!(features(&program), "IBT, SHSTK", "{compiler}, {linker}");
        line!("{program}").passes();
    }
    // Neither a processor here nor QEMU enforces landing pads, so every address that a jump may reach is inspected.
    let check = "target/test-tools/debug/test-tools landing-pads";
    line!("{check} {library}/libstatictramp.so.0").passes();
    // The control: without landing pads the note does not promise them, and the check finds stubs that have none.
    let without = prepared("target/prefix-STATICTRAMP-LANDING-PADS-0-/lib").display().to_string();
    assert_eq!(features(&format!("{without}/libstatictramp.a")), "SHSTK");
    assert_ne!(line!("{check} {without}/libstatictramp.so.0").ended().status, 0);
}

const GCC: &str = "aarch64-linux-gnu-gcc -mbranch-protection=standard -O2";

/// Installs a library for AArch64 that promises BTI and PAC, with these features, and returns its archive.
fn bti_library(name: &str, features: &str) -> String {
    let prefix = root().join("target").join(name);
    let prefix = prefix.display();
    let compiler = root().join(".toolchains/rust/rustc");
    line!(
        "RUSTC={} RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zbranch-protection=bti,pac-ret CARGO_BUILD_TARGET=aarch64-unknown-linux-gnu \
         CARGO_TARGET_DIR=target/cross-bti FEATURES={features} capi/install.sh {prefix} -Zbuild-std=core,compiler_builtins",
        compiler.display()
    )
    .env("CC_aarch64_unknown_linux_gnu", "aarch64-linux-gnu-gcc -mbranch-protection=standard")
    .passes();
    format!("{prefix}/lib/libstatictramp.a")
}

/// Returns whether the first stub authenticates its target.
fn has_signatures(program: &str) -> bool {
    let code = line!("aarch64-linux-gnu-objdump -d --no-show-raw-insn {program}").passes().text;
    let stubs = code.split("<statictramp_c_0_1_stubs>:").nth(1).expect("stubs");
    stubs.lines().take(9).any(|it| it.contains("autia1716"))
}

/// Signed slots are requested by the feature `hardened`. One test, because both libraries are built in one directory.
#[test]
fn stubs_on_aarch64_have_landing_pads_and_slots_may_be_signed() {
    let restricted = Restricted::new("bti");
    let out = &restricted.out;
    let unsigned = bti_library("prefix-bti", "");
    let made = "target/cross-bti/aarch64-unknown-linux-gnu/release/libstatictramp_archive.a";
    for archive in [&unsigned, made] {
        line!("{GCC} {FLOW} {archive} -o {out}/flow").passes();
        assert_eq!(features(&format!("{out}/flow")), "BTI, PAC", "{archive}");
        line!("{QEMU} {out}/flow").passes(); // QEMU enforces landing pads
    }
    assert!(!has_signatures(&format!("{out}/flow")), "slots are signed without a request");
    line!("{GCC} -DCONTROL {FLOW} {made} -o {out}/control").passes();
    // The control jumps to an address without a landing pad.
    restricted.with("", &format!("{QEMU} {out}/control")).ended().ends(132);

    let signed = bti_library("prefix-signed", "hardened");
    line!("{GCC} {FLOW} {signed} -o {out}/flow-signed").passes();
    assert_eq!(features(&format!("{out}/flow-signed")), "BTI, PAC");
    assert!(
        has_signatures(&format!("{out}/flow-signed")),
        "the library with the feature hardened does not sign slots"
    );
    let with = format!("{}/usr/bin/qemu-aarch64 -cpu max,pauth-impdef=on", sid().display());
    let without = "qemu-aarch64-static -cpu cortex-a57";
    line!("{with} {out}/flow-signed").passes();
    line!("{without} {out}/flow-signed").passes();

    let plain = "aarch64-linux-gnu-gcc -O2 -static -pthread -Icapi/include";
    for (name, archive) in [("signed", &signed), ("unsigned", &unsigned)] {
        line!("{plain} -Wall -Wextra -Werror tests/programs/hardened/forgery.c {archive} -o {out}/forgery-{name}").passes();
    }
    line!("{with} {out}/forgery-signed faults {}", share(100)).passes();
    // The control: without signatures, or without pointer authentication, each forgery succeeds.
    line!("{without} {out}/forgery-signed runs 1").passes();
    line!("{with} {out}/forgery-unsigned runs 1").passes();

    let counting = "-DINTEGER_REGISTERS=8 -DHIDDEN_RESULT_TAKES=0 -DPAIRS_ARE_EVEN=1 -DFLOAT_TAKES=0 -DLAST_FLOAT_TAKES=0";
    let hosts = format!("hosts {}", share(20_000));
    for words in ["plain", "types", &hosts, "grow", "storm 2"] {
        let program = words.split(' ').next().unwrap();
        let source = format!("capi/tests/programs/c/{program}.c");
        line!("{plain} -w -DSTUB_STRIDE=32 {counting} {source} {signed} -o {out}/{program}").passes();
        for choice in [&with, without] {
            line!("{choice} {out}/{words}").within(300).ended().ends(0);
        }
    }
}

/// `call COUNT` creates COUNT trampolines, and calls each from the function `apply`.
#[test]
fn clang_checks_calls_through_trampolines() {
    let (restricted, library) = (Restricted::new("cfi"), library());
    let (out, archive) = (&restricted.out, library.join("libstatictramp.a").display().to_string());
    std::fs::write(format!("{out}/apply.list"), "[cfi-icall]\nfun:apply\n[kcfi]\nfun:apply\n").unwrap();
    let ends =
        |status: i32, words: &str| _ = restricted.with("", &format!("{out}/{words}")).ended().ends(status);
    // The compiler's own list of exceptions is in a package that no other test here needs.
    let clang =
        "-O2 -Wall -fuse-ld=lld -fno-sanitize-ignorelist -Icapi/include tests/programs/hardened/cfi.c";
    let icall = "-flto=thin -fvisibility=hidden -fsanitize=cfi-icall";
    for version in [19, 22] {
        for check in [icall, "-fsanitize=kcfi"] {
            let clang = format!("clang-{version} {clang} {check}");
            line!("{clang} {archive} -o {out}/cfi").passes();
            line!("{clang} -fsanitize-ignorelist={out}/apply.list {archive} -o {out}/cfi-list").passes();
            line!("{clang} -DEXEMPT {archive} -o {out}/cfi-exempt").passes();
            ends(132, "cfi 1");
            // The same call from a function on an ignorelist, and from one with no_sanitize.
            ends(0, "cfi-list 2000");
            ends(0, "cfi-exempt 2000");
            // Another invalid call from such a function.
            ends(132, "cfi-exempt bad");
        }
    }
    test_tools::copy_shared_library(out);
    let shared = format!("-L{out} -lstatictramp -Wl,-rpath,{out}");
    line!("clang-19 {clang} {icall} -fsanitize-cfi-cross-dso {shared} -o {out}/cfi-shared").passes();
    ends(0, "cfi-shared 1024");
    ends(132, "cfi-shared 1025"); // a trampoline in an added segment
}

/// Closures called by compiler-generated functions (STATICTRAMP_ASM=none) pass indirect-call checks in Rust and in C: kcfi, and
/// cfi-icall with full and thin link-time optimization.
#[test]
fn closures_pass_indirect_call_checks() {
    function("make_sysroot aarch64-unknown-linux-gnu").passes();
    let restricted = Restricted::new("checked");
    let cross = root().join(".toolchains/sysroots/rustc").display().to_string();
    let icall = "-fvisibility=hidden -fsplit-lto-unit -fsanitize=cfi-icall";
    let lto = "-Clinker-plugin-lto -Zsplit-lto-unit";
    // The last number is the exit status of a failed check.
    for (compiler, target, emulator, trap) in
        [("rustc", "x86_64-unknown-linux-gnu", "", 132), (&*cross, "aarch64-unknown-linux-gnu", QEMU, 133)]
    {
        for (check, clang, rust) in [
            ("kcfi", "-fsanitize=kcfi".to_owned(), ""),
            ("cfi", format!("-flto=full {icall}"), lto),
            ("cfi", format!("-flto=thin {icall}"), lto),
        ] {
            let (out, checked) = (&restricted.out, "tests/programs/hardened/checked");
            // The prebuilt core is not checked. The options are unstable.
            let flags = format!(
                "-Cpanic=abort -Zsanitizer={check} -Zsanitizer-cfi-normalize-integers \
                 -Cunsafe-allow-abi-mismatch=sanitizer,sanitizer-cfi-normalize-integers {rust}"
            );
            let options = format!(
                "--target {target} --target-dir target/hardened/rust-{check} --manifest-path {checked}/Cargo.toml"
            );
            line!("RUSTC={compiler} RUSTC_BOOTSTRAP=1 STATICTRAMP_ASM=none cargo build --quiet --locked --release {options}")
                .env("RUSTFLAGS", flags.trim())
                .passes();
            line!(
                "clang-22 --target={target} -O2 -Wall -Wextra -Werror -fuse-ld=lld-22 -static -fno-sanitize-ignorelist {clang} \
                 -fsanitize-cfi-icall-experimental-normalize-integers {checked}/main.c \
                 target/hardened/rust-{check}/{target}/release/libchecked.a -o {out}/checked"
            )
            .passes();
            for (case, status) in [
                (0, 0),    // every kind of closure
                (1, trap), // a pointer of another type, called in C
                (2, trap), // the same, called in Rust
                (3, trap), // a slot forged with a callee of another type
                (4, trap), // a slot forged with a C function
                (5, 0),    // a slot forged with a callee of the same type
                (6, 0),    // the handler of a call after the guard was dropped
            ] {
                restricted.with("", &format!("{emulator} {out}/checked {case}")).ended().ends(status);
            }
        }
    }
}
