//! C programs, compiled by each compiler in each C standard, and linked in every way.

use std::collections::BTreeSet;
use test_tools::{
    Ended, Expect, bind, copy_shared_library, library, library_archive, line, multi_line, new_directory,
    prepared, printed, stack_rights,
};

const COMPILERS: [&str; 2] = ["gcc", "clang-19"];
const PROGRAMS: &str = "capi/tests/programs/c";
const INCLUDE: &str = "-Icapi/include";
const STRICT: &str = "-O2 -Wall -Wextra -pedantic -Werror -Icapi/include";
const STRIDE: usize = 32;

fn script() -> String {
    format!("-Wl,-T,{}", library().join("../share/statictramp/statictramp.ld").display())
}

fn directory(name: &str) -> String {
    new_directory(&format!("c/{name}")).display().to_string()
}

#[test]
fn the_headers_compile_alone() {
    for compiler in COMPILERS {
        for standard in ["-std=c99", "-x c++ -std=c++11"] {
            line!("{compiler} {standard} {STRICT} -Iinterop/capi/include -fsyntax-only {PROGRAMS}/header.c")
                .passes();
        }
    }
}

#[test]
fn types_describe_signatures_in_each_c_standard() {
    let (out, archive) = (directory("types"), library_archive());
    for compiler in COMPILERS {
        for standard in ["c11", "c17", "c2x"] {
            line!("{compiler} -D_GNU_SOURCE -std={standard} {STRICT} {PROGRAMS}/types.c {archive} -pthread -o {out}/types").passes();
            line!("{out}/types").passes();
            let check = |of: &str, folder: &str, warnings: &str| {
                line!("{compiler} -std={standard} {warnings} -D{folder} {INCLUDE} -fsyntax-only {PROGRAMS}/types_rejected.c")
                    .arg(format!("-DTYPE={of}"))
                    .ended()
            };
            let types = [
                "struct structure",
                "union combination",
                "narrow_vector",
                "vector",
                "wide_vector",
                "atomic_complex",
            ];
            for folder in ["AS_RESULT", "AS_PARAMETER"] {
                for of in &types[..if compiler == "gcc" { 5 } else { 6 }] {
                    assert!(
                        check(of, folder, "-w").status != 0,
                        "{compiler} -std={standard}: STATICTRAMP_BIND accepts {of}, {folder}"
                    );
                }
                check("int", folder, "").ends(0);
            }
        }
    }
}

#[test]
fn the_macro_rejects_invalid_uses() {
    let (out, archive) = (directory("bind"), library_archive());
    for compiler in COMPILERS {
        for standard in ["c11", "c2x"] {
            bind::uses(&format!("{compiler} -std={standard}"));
        }
        bind::misuses(&format!("{compiler} -std=c11"));
        for language in ["c -std=c90", "c -std=c99", "c++ -std=c++98", "c++ -std=c++11"] {
            bind::needs_c11(&format!("{compiler} -x {language}"), &out);
        }
        line!("{compiler} -std=c11 {STRICT} {PROGRAMS}/va_list.c {archive} -o {out}/va_list").passes();
        line!("{out}/va_list").passes();
    }
}

/// The images with the linker script, the shared library and the tool have their slots on separate pages.
#[test]
fn programs_work_with_each_linker_and_option() {
    let (out, archive, script) = (directory("links"), library_archive(), script());
    copy_shared_library(&out);
    let flags = format!("-O2 -Wall -Wextra -DSTUB_STRIDE={STRIDE} {INCLUDE} {PROGRAMS}/plain.c");
    let shared = format!("-L{out} -lstatictramp");
    let mut images = Vec::new();
    for (name, compiler, words) in [
        ("gcc", "gcc", ""),
        ("gcc-script", "gcc", "script"),
        ("gcc-so", "gcc", "shared"),
        ("clang", "clang-19", ""),
        ("clang-script", "clang-19", "script"),
        ("clang-so", "clang-19", "shared"),
        ("bfd-static", "gcc", "-static script"),
        ("bfd-static-pie", "gcc", "-static-pie script"),
        ("bfd-no-pie", "gcc", "-no-pie script"),
        ("bfd-gc-sections", "gcc", "-Wl,--gc-sections script"),
        ("lld", "clang-19", "-fuse-ld=lld"),
        ("lld-script", "clang-19", "-fuse-ld=lld script"),
        ("lld-no-pie", "clang-19", "-fuse-ld=lld -no-pie script"),
        ("lld-static-pie", "clang-19", "-fuse-ld=lld -static-pie script"),
        ("mold", "clang-19", "-fuse-ld=mold"),
    ] {
        let program = format!("{out}/{name}");
        let words = match words {
            "shared" => shared.clone(),
            words => format!("{} {archive}", words.replace("script", &script)),
        };
        line!("{compiler} {flags} {words} -o {program}").passes();
        line!("LD_LIBRARY_PATH={out} {program}").passes();
        assert_eq!(stack_rights(&program), "RW", "{name} does not request a non-executable stack");
        if words.contains(&script) {
            images.push(program);
        }
    }
    let tool = prepared("target/release/statictramp");
    images.extend([format!("{out}/libstatictramp.so.0"), tool.display().to_string()]);
    line!("STATICTRAMP_CHECK_IMAGES=:{} cargo test --quiet --test layout", images.join(":")).passes();
    let dynamic = line!("readelf -dW {out}/libstatictramp.so.0").passes();
    // Otherwise a program could unload it while trampolines are live.
    dynamic.matches("SONAME.*libstatictramp.so.0").has("NODELETE");
    without_std(&line!("nm {out}/bfd-gc-sections").passes());
}

/// Neither std and alloc nor the panic machinery are linked into a program.
fn without_std(symbols: &Ended) {
    assert!(symbols.count("__rust_alloc|3std|panic") == 0, "{symbols}");
}

#[test]
fn a_free_may_be_interrupted_after_any_instruction() {
    let out = directory("interrupted");
    line!(
        "gcc -O1 -Wall -Wextra -Werror {INCLUDE} {PROGRAMS}/interrupted.c {} -pthread -o {out}/interrupted",
        library_archive()
    )
    .passes();
    line!("{out}/interrupted").within(600).ended().ends(0);
}

/// Counts the instructions on the fast paths, and those that make a trampoline for a simple signature.
#[test]
fn the_documented_instruction_counts_are_correct() {
    let out = directory("counted");
    line!(
        "gcc -O2 -Wall -Wextra -Werror {INCLUDE} {PROGRAMS}/counted.c {} -o {out}/counted",
        library_archive()
    )
    .passes();
    println!("{}", line!("{out}/counted").passes().text);
}

#[test]
fn the_linker_script_checks_the_table() {
    let (out, script) = (directory("asserted"), script());
    for (invalid, message) in [
        ("WRONG_SLOTS", "the slots do not fill their table"),
        ("WRONG_STUBS", "there is not one stub for each slot"),
        ("WRONG_PLACE", "another linker script has taken the section"),
    ] {
        for linker in ["bfd", "lld"] {
            let ended = line!(
                "clang-19 -fuse-ld={linker} -D{invalid} {PROGRAMS}/asserted.S {script} -o {out}/asserted"
            )
            .ended();
            assert!(ended.status != 0, "{linker} accepts {invalid}");
            ended.has(message);
        }
    }
}

/// The size that the archive adds to a program, and what it needs.
#[test]
fn the_archive_is_small_and_has_few_dependencies() {
    let (out, programs) = (directory("size"), "capi/tests/programs/archive");
    line!("gcc -Os {programs}/empty.c -o {out}/empty").passes();
    line!("gcc -Os {INCLUDE} {programs}/user.c {} -o {out}/user", library_archive()).passes();
    line!("{out}/user").passes();
    let sizes = |name: &str| -> Vec<usize> {
        let sizes = printed(&format!("size {out}/{name}"));
        sizes.lines().nth(1).unwrap().split_whitespace().take(3).map(|it| it.parse().unwrap()).collect()
    };
    let (empty, user) = (sizes("empty"), sizes("user"));
    let added = user[0] + user[1] - empty[0] - empty[1];
    println!(
        "code and data: {added} bytes (of which stubs: {}); zeroed memory: {} bytes",
        1024 * STRIDE,
        user[2] - empty[2]
    );
    assert!(
        added - 1024 * STRIDE <= 37864,
        "the archive adds {added} bytes, more than 37,864 besides its stubs"
    );
    let constructors = |name: &str| {
        let sections = line!("readelf -SW {out}/{name}").passes();
        sections.group(r" INIT_ARRAY +[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+) ")
    };
    assert_eq!(constructors("empty"), constructors("user"), "the archive adds functions to .init_array");
    let needs = |name: &str| -> BTreeSet<String> {
        let symbols = line!("nm -u {out}/{name}").passes().text;
        symbols
            .lines()
            .map(|it| it.split_whitespace().last().unwrap().split('@').next().unwrap().to_owned())
            .collect()
    };
    // The last three are called only through libc's own functions.
    let may = multi_line(
        "^(abort|__errno_location|__getauxval|getenv|memcpy|memmove|memset|memcmp|strlen|dl_iterate_phdr|pthread_self|pthread_getcpuclockid)$",
    );
    for symbol in needs("user").difference(&needs("empty")) {
        assert!(may.is_match(symbol), "the archive needs the unexpected symbol {symbol}");
    }
    without_std(&line!("nm {out}/user").passes());
}
