//! The test suites of Rust, GCC and Fortran under each restriction, and other implementations for comparison.

use crate::restricted::{Restricted, Settings, large_library, sources};
use std::path::{Path, PathBuf};
use test_tools::{
    Expect, Job, copy_core_tests, copy_file, copy_files, library, line, multi_line, new_directory,
    new_package, read, root, share, write,
};

/// Closures, trampolines and threads. The programs are linked statically, so that tests that re-execute themselves can be loaded when
/// executable memory is denied.
#[test]
fn rust_programs_work_under_each_restriction() {
    let restricted = Restricted::new("rust");
    let core = format!("{}/core", restricted.out);
    copy_core_tests(&core);
    let suites = "--test closures --test trampolines --test threads";
    let built = line!(
        "STATICTRAMP_SLOTS=1024 RUSTFLAGS=-Ctarget-feature=+crt-static CARGO_PROFILE_DEV_DEBUG=false cargo test --no-run --target \
         x86_64-unknown-linux-gnu --manifest-path {core}/Cargo.toml --target-dir target/hardened-rust --features grow {suites}"
    )
    .passes();
    let suites = multi_line(r"Executable tests.*\((.*)\)$");
    let suites: Vec<PathBuf> = suites.captures_iter(&built.text).map(|it| root().join(&it[1])).collect();
    assert_eq!(suites.len(), 3, "{built}");
    let cases =
        [format!("PROPTEST_CASES={}", share(64)), format!("STATICTRAMP_OPERATIONS={}", share(200_000))];
    let settings = Settings { limit: Some(1024), variables: &[&cases[0], &cases[1]], ..Settings::default() };
    for restriction in &restricted.all {
        for suite in &suites {
            // These tests re-execute themselves through /proc/self/exe.
            let name = suite.file_name().unwrap().to_string_lossy();
            let skip =
                if *restriction == "no-proc" && name.starts_with("closures-") { "--skip aborts" } else { "" };
            let ended =
                restricted.under(restriction, settings, &format!("{} --quiet {skip}", suite.display()));
            println!("{restriction:10} {name} {} passed", ended.ended().ends(0).group("([0-9]+) passed"));
        }
    }
}

/// Nested functions in C and Ada compiled by GCC 16, and internal procedures compiled by flang 23 and gfortran 16. One
/// test, because they share a directory of Debian sid.
#[test]
fn programs_compiled_by_gcc_and_flang_work_under_each_restriction() {
    let restricted = Restricted::new("compilers");
    let folder = restricted.fill_folder(&[large_library().join("libstatictramp.a")]);
    copy_files(root().join("capi/tests/programs/gcc"), &folder);
    for source in sources("tests/programs/fortran", ".f90") {
        copy_file(&source, folder.join(source.file_name().unwrap()));
    }
    nested_functions(&restricted, &folder);
    internal_procedures(&restricted, &folder);
}

fn nested_functions(restricted: &Restricted, folder: &Path) {
    let heap = "-w -O2 -ftrampoline-impl=heap";
    restricted
        .prepare(&format!("gcc-16 {heap} hosts.c libstatictramp.a -Wl,--no-as-needed -lgcc_s -o hosts"))
        .passes();
    let ada = "x86_64-linux-gnu-gnatmake-16 -f -q -O2 nested.adb -o nested -cargs -ftrampoline-impl=heap -largs libstatictramp.a";
    restricted.prepare(ada).passes();
    let mut programs = vec!["hosts".to_owned(), "nested".to_owned()];
    for source in sources("target/gcc-suite/gcc.c-torture/execute", ".c") {
        let name = source.file_stem().unwrap().to_string_lossy().into_owned();
        if !name.starts_with("nest") || !name.contains('-') {
            continue;
        }
        copy_file(&source, folder.join(source.file_name().unwrap()));
        // Without optimization, no calls are removed.
        restricted.prepare(&format!("gcc-16 {heap} -O0 -std=gnu17 -fpermissive -c {name}.c")).passes();
        if line!("nm {}/{name}.o", folder.display()).passes().text.contains("__gcc_nested_func_ptr_created") {
            restricted.prepare(&format!("gcc-16 {name}.o libstatictramp.a -o {name}")).passes();
            programs.push(name);
        }
    }
    assert!(
        programs.len() > 4,
        "{} programs of GCC's test suite need trampolines, expected more than 2",
        programs.len() - 2
    );
    for restriction in &restricted.all {
        for program in &programs {
            let jumps = if program == "hosts" { share(100_000).to_string() } else { String::new() };
            restricted
                .in_sid(restriction, Settings::default(), &format!("./{program} {jumps}"))
                .ended()
                .ends(0);
        }
    }
    println!("hosts.c, Ada, {} programs of GCC's suite", programs.len() - 2);
}

fn internal_procedures(restricted: &Restricted, folder: &Path) {
    let mut programs = Vec::new();
    for source in sources("tests/programs/fortran", ".f90") {
        let name = source.file_stem().unwrap().to_string_lossy().into_owned();
        let file = format!("{name}.f90 libstatictramp.a");
        restricted.prepare(&format!(
            "gfortran-16 -w -O2 -fopenmp -ftrampoline-impl=heap {file} -Wl,--no-as-needed -lgcc_s -o {name}.gfortran"
        ))
        .passes();
        restricted
            .prepare(&format!("flang-23 -O2 -fopenmp -fsafe-trampoline {file} -o {name}.flang"))
            .passes();
        programs.extend([format!("{name}.gfortran"), format!("{name}.flang")]);
    }
    for program in &programs {
        // LLVM's OpenMP library would load a tool, which contains code.
        let all = [
            "NO_STOP_MESSAGE=1",
            "OMP_NUM_THREADS=2",
            "LD_LIBRARY_PATH=/usr/lib/llvm-23/lib",
            "OMP_TOOL=disabled",
        ];
        let variables = if program.ends_with(".flang") { &all[..] } else { &all[..2] };
        let settings = Settings { variables, ..Settings::default() };
        let output = |restriction: &str| -> Vec<String> {
            let ended = restricted.in_sid(restriction, settings, &format!("./{program}")).ended().ends(0);
            // The OpenMP library reports missing shared memory if no file can be written.
            let lines = ended.text.lines().filter(|it| !it.starts_with("OMP: Warning #179"));
            lines.map(|it| it.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
        };
        let wanted = output("none");
        for restriction in &restricted.all {
            assert_eq!(output(restriction), wanted, "{program} under {restriction}");
        }
    }
    assert!(folder.exists());
    println!("{} programs in Fortran print the same", programs.len());
}

/// libffi with or without its static trampolines, from the sources in the crate libffi-sys. Debian's own libffi is built without them.
fn libffi(choice: &str) -> PathBuf {
    let folder = root().join("target/libffi");
    let built = folder.join(choice);
    if built.join(".complete").exists() {
        return built;
    }
    new_package(&folder, "libffi-sources", "libffi-sys = \"=3.3.3\"\n");
    write(folder.join("src/lib.rs"), "");
    let metadata =
        line!("cargo metadata --quiet --format-version 1 --manifest-path {}/Cargo.toml", folder.display())
            .passes();
    let sources = metadata.group(r#""manifest_path":"([^"]*/libffi-sys-[^"]*)/Cargo.toml""#);
    std::fs::create_dir_all(&built).unwrap();
    let options = format!("-q --{choice}-exec-static-tramp --disable-shared --disable-docs");
    line!("env -C {} {sources}/libffi/configure {options}", built.display()).passes();
    line!("make -s -C {}", built.display()).passes();
    write(built.join(".complete"), "");
    built
}

/// Returns the row of docs/hardening.md's table for an implementation.
fn row(restricted: &Restricted, name: &str, run: &dyn Fn(&str) -> Job) -> String {
    let cell = |restriction: &str| {
        let ended = run(restriction).ended();
        match ended.status {
            0 if ended.text.contains("called: 42") => "runs",
            0 => "invalid",
            159 => "killed",
            _ => "fails",
        }
    };
    assert_eq!(cell("none"), "runs", "{name}, without restrictions");
    let cells = ["mdwe", "kill", "eperm", "no-proc", "read-only"].map(|restriction| {
        // If the kernel does not support a restriction, the page's entry is not checked.
        if restricted.all.contains(&restriction) { cell(restriction) } else { "runs" }
    });
    format!("| {name} | {} |", cells.join(" | "))
}

#[test]
fn other_implementations_fail_as_documented() {
    let restricted = Restricted::new("others");
    let (out, control) = (&restricted.out, "tests/programs/hardened/control.c");
    let archive = library().join("libstatictramp.a");
    line!("gcc -O2 -Wall -Wextra -DOURS -Icapi/include {control} {} -o {out}/ours", archive.display())
        .passes();
    line!("gcc -O2 -w -DNESTED -z execstack {control} -o {out}/stack").passes();
    for choice in ["enable", "disable"] {
        let libffi = libffi(choice).display().to_string();
        line!(
            "gcc -O2 -Wall -Wextra -DFFI -I{libffi}/include {control} {libffi}/.libs/libffi.a -o {out}/{choice}"
        )
        .passes();
        line!("nm -D --undefined-only {out}/{choice}").passes().lacks("ffi_"); // a shared libffi
    }
    let package = new_directory("hardened/closure-ffi");
    new_package(&package, "control", "closure-ffi = \"4\"\n");
    std::fs::create_dir(package.join("src")).unwrap();
    copy_file(root().join("tests/programs/hardened/control.rs"), package.join("src/main.rs"));
    line!(
        "cargo build --quiet --release --target-dir target/closure-ffi/target --manifest-path {}/Cargo.toml",
        package.display()
    )
    .passes();
    restricted.fill_folder(&[root().join(control), root().join("tests/programs/hardened/control.f90")]);
    restricted.prepare("gcc-16 -O2 -w -DNESTED -ftrampoline-impl=heap control.c -o control-gcc").passes();
    restricted.prepare("flang-23 -O2 -fsafe-trampoline control.f90 -o control-flang").passes();

    let page = read("docs/hardening.md");
    let crate_control = root().join("target/closure-ffi/target/release/control").display().to_string();
    for (name, program) in [
        ("this library", format!("{out}/ours")),
        ("a trampoline on the stack (GCC, `-z execstack`)", format!("{out}/stack")),
        ("GCC 16, `-ftrampoline-impl=heap`, libgcc's own", "./control-gcc".to_owned()),
        ("flang 23, `-fsafe-trampoline`, its runtime's pool", "./control-flang".to_owned()),
        ("libffi 3.4.7, static trampolines", format!("{out}/enable")),
        ("libffi 3.4.7, no static trampolines", format!("{out}/disable")),
        ("closure-ffi 4", crate_control),
    ] {
        let row = row(&restricted, name, &|restriction| {
            let run = if program.starts_with("./") { Restricted::in_sid } else { Restricted::under };
            run(&restricted, restriction, Settings::default(), &program)
        });
        println!("{row}");
        assert!(page.lines().any(|it| it == row), "docs/hardening.md lacks the line: {row}");
    }
}
