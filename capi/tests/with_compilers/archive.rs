//! The archive does not change how a program uses other libraries.

use test_tools::archive::{Calls, only_ours, own_names};
use test_tools::{
    Expect, files_in, library, library_archive, line, new_directory, printed, raise_version, read, root,
    share, write,
};

const MADE: &str = "target/release/libstatictramp_archive.a";

fn directory(name: &str) -> String {
    new_directory(&format!("archive/{name}")).display().to_string()
}

#[test]
fn the_archive_defines_and_imports_only_permitted_names() {
    println!("{}", only_ours(&library_archive(), "nm", &[]).unwrap());
    only_ours(MADE, "nm", &[]).expect_err("the check accepts the archive that cargo makes");
}

#[test]
fn a_program_may_define_the_names_that_the_archive_imports() {
    let (out, archive, library) = (directory("own-names"), library_archive(), library());
    let library = library.display();
    let own = |words: &str, compiler: &str| own_names(&out, &archive, "nm", "", words, None, compiler);
    for choice in ["-no-pie", "-pie"] {
        own("threads", &format!("gcc {choice} -DDEVICES {archive}"));
        own("threads", &format!("clang-19 -fuse-ld=lld {choice} -DDEVICES {archive}"));
    }
    for choice in ["-static", "-static-pie"] {
        own("kept", &format!("gcc {choice} -DDEVICES {archive}"));
    }
    own("threads", &format!("gcc -DDEVICES -L{library} -lstatictramp -Wl,-rpath,{library}"));
    let control = || own_names(&out, MADE, "nm", "", "threads", None, &format!("gcc -DDEVICES {MADE}"));
    std::panic::catch_unwind(control).expect_err("cargo's own archive calls none of the program's functions");
}

#[test]
fn libgcc_and_libm_give_the_same_results() {
    let (out, archive, library) = (directory("results"), library_archive(), library());
    let calls = Calls { out: &out, runner: "", rounds: share(20_000) };
    calls.names_of_both(MADE, "");
    // clang's headers do not declare the 128-bit functions of libm.
    let libm = read(format!("{out}/libm"));
    let declared: Vec<&str> = libm.lines().filter(|name| !name.contains("f128")).collect();
    write(format!("{out}/libm-clang"), declared.join("\n") + "\n");
    for (libm, program) in [("libm", "calls"), ("libm-clang", "calls-clang")] {
        let text =
            line!("target/test-tools/debug/test-tools library-calls {out}/libgcc {out}/{libm}").passes().text;
        write(format!("{out}/{program}.c"), text);
    }
    let (by_gcc, by_clang) = ("gcc -O2 -flto -fno-builtin", "clang-19 -O2 -flto -fno-builtin -fuse-ld=lld");
    line!("gcc -O1 -fno-builtin -Wall -c {out}/calls.c -o {out}/calls.o").passes();
    line!("{by_gcc} -c {out}/calls.c -o {out}/calls-lto.o").passes();
    line!("{by_clang} -c {out}/calls-clang.c -o {out}/calls-clang.o").passes();
    let object = format!("{out}/calls.o");

    let wanted = calls.same(&archive, "shared C library", "gcc", &object, "-lm");
    calls.other(MADE, "gcc", &object, "-lm", &wanted);
    calls.same(&archive, "static", "gcc -static", &object, "-lm -lgcc");
    calls.same(&archive, "gcc -flto", by_gcc, &format!("{out}/calls-lto.o"), "-lm");
    let wanted = calls.same(&archive, "clang -flto, lld", by_clang, &format!("{out}/calls-clang.o"), "-lm");
    calls.other(MADE, by_clang, &format!("{out}/calls-clang.o"), "-lm", &wanted);

    let library = library.display();
    let shared =
        format!("gcc -Wl,--no-as-needed -L{library} -lstatictramp -Wl,-rpath,{library} {object} -lm");
    let wanted = calls.results(&format!("gcc {object} -lm"));
    assert!(
        calls.results(&shared) == wanted,
        "the shared library changes results of functions in libgcc or libm"
    );
}

/// flang's division uses one of these functions of libgcc.
#[test]
fn the_archive_does_not_change_a_division_compiled_by_flang() {
    let (out, archive) = (directory("division"), library_archive());
    line!("flang-new-19 -O0 -c capi/tests/programs/archive/division.f90 -o {out}/division.o").passes();
    let result = |words: &str| {
        line!("flang-new-19 {words} -L/usr/lib/llvm-19/lib -o {out}/division").passes();
        line!("{out}/division").passes().text
    };
    let wanted = result(&format!("{out}/division.o"));
    for words in [format!("{archive} {out}/division.o"), format!("{out}/division.o {archive} -lm")] {
        assert_eq!(result(&words), wanted, "{words}");
    }
    assert_ne!(
        result(&format!("{out}/division.o {MADE}")),
        wanted,
        "cargo's archive does not change the result"
    );
}

/// In the run-time libraries, one member defines all functions that flang's code calls, and another member defines all
/// functions that GCC's code calls. The program gets the functions of each compiler from one library, the first on the
/// command line, and `statictramp_live` from the archive in any case.
#[test]
fn all_entry_points_in_the_compilers_run_time_libraries_are_replaced() {
    let (out, archive, programs) = (directory("runtimes"), library_archive(), "capi/tests/programs/archive");
    let include = "-Icapi/include";
    line!("gcc -O2 {include} -c {programs}/both.c -o {out}/both.o").passes();
    for runtime in ["flang_runtime", "gcc_runtime"] {
        line!("gcc -O2 -c {programs}/{runtime}.c -o {out}/{runtime}.o").passes();
        line!("ar rcs {out}/lib{runtime}.a {out}/{runtime}.o").passes();
    }
    let runtimes = format!("{out}/libflang_runtime.a {out}/libgcc_runtime.a");
    let whole = format!("-Wl,--whole-archive {archive} -Wl,--no-whole-archive");
    let orders = [
        (format!("{archive} {runtimes}"), false),
        (format!("{whole} {runtimes}"), false),
        (format!("{archive} {archive} {runtimes}"), false),
        (format!("{runtimes} {archive}"), true),
        (format!("{runtimes} {whole}"), true),
    ];
    let (mut links, mut rejected) = (0, 0);
    for linker in ["bfd", "lld", "mold"] {
        for how in ["", "-static", "-static-pie"] {
            for (order, library_is_last) in &orders {
                let ended =
                    line!("clang-19 -fuse-ld={linker} {how} {out}/both.o {order} -o {out}/both").ended();
                if ended.status == 0 {
                    let is_whole = order.contains("whole"); // mold prefers such an archive
                    let ours = if *library_is_last && !is_whole { 0 } else { 2 };
                    assert_eq!(line!("{out}/both").passes().text, format!("{ours} ours\n"), "{ended}");
                    links += 1;
                } else {
                    // If all of the archive is linked after a run-time library, the link must fail, instead of mixing
                    // the functions of both.
                    let ended = ended.matches("multiple definition|duplicate symbol");
                    assert!(*library_is_last && order.contains("whole"), "{ended}");
                    rejected += 1;
                }
            }
        }
        // The library is otherwise unused, so none of it may be linked.
        line!("clang-19 -fuse-ld={linker} -O2 -DUNUSED {include} {programs}/both.c {runtimes} {archive} -o {out}/neither").passes();
        let symbols = line!("nm {out}/neither").passes();
        assert!(linker == "mold" || !symbols.text.contains("statictramp_"), "{symbols}");
    }
    println!("{links} links take each compiler's functions from one library; {rejected} are rejected");
    assert!(links >= 36, "only {links} links succeed");
}

/// The script checks the version with which it is installed. The assertions in a later version must also work.
#[test]
fn the_linker_script_checks_its_own_version() {
    let out = directory("version");
    line!("mkdir {out}/later").passes();
    // The bare leg, which may be running, makes files in tests/programs.
    let files = [files_in(root()), files_in(root().join("tests"))].concat();
    for file in files.iter().filter_map(|it| it.strip_prefix(root()).unwrap().to_str()) {
        if !file.starts_with('.') && !["target", "tests", "tests/programs"].contains(&file) {
            line!("cp -r --parents {file} {out}/later").passes();
        }
    }
    let manifests = printed(&format!("grep -rlE \"=?0\\.1\\.0\" {out}/later --include Cargo.toml"));
    for manifest in manifests.lines() {
        raise_version(manifest, "0.2.0");
    }
    let target = root().join("target/later");
    line!("CARGO_TARGET_DIR={} {out}/later/capi/install.sh {out}/prefix --offline", target.display())
        .passes();
    let own = library().join("..").display().to_string();
    let asserted = "capi/tests/programs/c/asserted.S";
    for (version, prefix) in [("0_1", &own), ("0_2", &format!("{out}/prefix"))] {
        let script = format!("{prefix}/share/statictramp/statictramp.ld");
        let uses =
            format!("-I{prefix}/include capi/tests/programs/archive/live.c {prefix}/lib/libstatictramp.a");
        for linker in ["bfd", "lld"] {
            let clang = format!("clang-19 -fuse-ld={linker} -o {out}/program");
            for invalid in ["WRONG_SLOTS", "WRONG_STUBS", "WRONG_PLACE"] {
                let ended =
                    line!("{clang} -DVERSION=c_{version} -D{invalid} {asserted} -Wl,-T,{script}").ended();
                assert!(ended.status != 0, "{version}: {linker} accepts {invalid}");
                ended.has("(statictramp):");
            }
            // A program without the library, and a program that uses it.
            let empty = "capi/tests/programs/archive/empty.c";
            for program in [format!("{empty} {prefix}/lib/libstatictramp.a"), uses.clone()] {
                line!("{clang} {program} -Wl,-T,{script}").passes();
                line!("{out}/program").passes();
            }
            let taken = "capi/tests/programs/archive/taken.ld";
            let ended = line!("{clang} {uses} -Wl,-T,{taken},-T,{script}").ended();
            assert!(
                ended.status != 0,
                "{version}: {linker} accepts another script that takes the slots' section"
            );
            ended.has("another linker script has taken");
        }
    }
    // The control: a script of one version does not check the table of another version.
    let script = format!("{own}/share/statictramp/statictramp.ld");
    line!("clang-19 -fuse-ld=bfd -DVERSION=c_0_2 -DWRONG_SLOTS {asserted} -Wl,-T,{script} -o {out}/program")
        .passes();
}
