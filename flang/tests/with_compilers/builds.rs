//! Kinds of builds (several files, link-time optimization, the rewriter alone) and code that the pass leaves unchanged.

use crate::*;
use test_tools::{copy_file, copy_files, one_of, share, stack_rights, write};

for_each_flang!(
    several_files_create_the_stated_number_of_trampolines,
    no_trampoline_is_created_if_the_optimizer_sees_the_call,
    exceptions_abandon_hosts
);

/// Makes a directory with the sources in `files` and the object file that counts trampolines.
fn files(name: &str) -> PathBuf {
    let directory = new_directory(name);
    copy_files(programs("files"), &directory);
    host(&directory, "gcc -O2 -Wall -Wextra -c count.c -o count.o").passes();
    write(directory.join("none.c"), "int inits(void) { return 0; }\n");
    directory
}

/// Returns the words of each line that `of_line` selects, counted from 0.
fn columns(text: &str, of_line: impl Fn(usize) -> std::ops::Range<usize>) -> Vec<String> {
    let line = |(number, line): (usize, &str)| {
        let range = of_line(number);
        line.split_whitespace().take(range.end).skip(range.start).collect::<Vec<_>>().join(" ")
    };
    text.lines().enumerate().map(line).collect()
}

fn several_files_create_the_stated_number_of_trampolines(version: u32) {
    let directory = files(&format!("files-{version}"));
    host(&directory, "gfortran -w library.f90 hosts.f90 main.f90 none.c -o gfortran").passes();
    let wanted = host(&directory, "./gfortran").passes().text;
    // The words that do not depend on the compiler: two in the first line, one in each other line, whose other words are
    // numbers of trampolines.
    let same = |number: usize| 0..if number == 0 { 2 } else { 1 };
    for options in ["-O0", "-O2", "-O1 -g", "-O2 -flto=full", "-O2 -flto=thin"] {
        for file in ["library", "hosts", "main"] {
            flang(version, &directory, &format!("{options} {} -c {file}.f90 -o {file}.o", plugin(version)))
                .passes();
        }
        let linker = if options.contains("flto") {
            format!("-fuse-ld=/usr/bin/ld.lld-{version}")
        } else {
            String::new()
        };
        let link = format!(
            "{options} {linker} library.o hosts.o main.o count.o {} {} -Wl,--wrap=_FortranAInitTrampoline -o files",
            watch(),
            archive()
        );
        flang(version, &directory, &link).passes();
        assert_eq!(stack_rights(directory.join("files")), "RW", "{options}");
        let text = stdout(run(version, &directory, "./files"));
        assert_eq!(columns(&text, same), columns(&wanted, same), "{options}");
        // No trampoline is created before the host needs one. `work` creates one for each of two procedures, `outer`
        // creates five, and `chosen` creates one.
        let created = columns(&text, |_| 1..2);
        assert_eq!(created[1..], ["0", "0", "2", "5", "1"], "{options}: the numbers of trampolines created");
    }
}

/// Without optimization, 40,000 are created for a pointer, and as many for a local procedure and for a sibling.
fn no_trampoline_is_created_if_the_optimizer_sees_the_call(version: u32) {
    let directory = files(&format!("costs-{version}"));
    host(&directory, "gfortran -w -O1 costs.f90 none.c -o gfortran").passes();
    let wanted = columns(&host(&directory, "./gfortran").passes().text, |_| 0..2);
    for level in ["-O0", "-O1", "-O2", "-O3"] {
        let line = format!(
            "{level} {} costs.f90 count.o {} {} -Wl,--wrap=_FortranAInitTrampoline -o costs",
            plugin(version),
            watch(),
            archive()
        );
        flang(version, &directory, &line).passes();
        let text = stdout(run(version, &directory, "./costs"));
        assert_eq!(columns(&text, |_| 0..2), wanted, "{level}");
        let each = if level == "-O0" { "40000" } else { "0" };
        for created in columns(&text, |_| 2..3) {
            assert_eq!(created, each, "{level}: the number of trampolines created");
        }
    }
}

fn exceptions_abandon_hosts(version: u32) {
    let directory = new_directory(&format!("unwind-{version}"));
    copy_files(programs("unwind"), &directory);
    host(&directory, "g++ -O2 -Wall -Wextra -c main.cpp -o unwind.o").passes();
    let library = stdout(host(&directory, "g++ -print-file-name=libstdc++.a"));
    copy_file(library.trim(), directory.join("libstdc++.a"));
    for level in ["-O0", "-O2"] {
        let line =
            format!("{level} {} unwound.f90 unwind.o {} libstdc++.a -o unwind", plugin(version), archive());
        flang(version, &directory, &line).passes();
        run(version, &directory, &format!("./unwind {}", share(1_000_000))).passes();
    }
}

/// Returns the programs that flang 19 builds, or every third of them in a short run.
fn some_sources() -> Vec<PathBuf> {
    let numbered = sources().into_iter().enumerate();
    let chosen = numbered.filter(|(index, source)| one_of(3, index + 1) && builds(19, source));
    let chosen: Vec<PathBuf> = chosen.map(|(_, source)| source).collect();
    assert!(!chosen.is_empty());
    chosen
}

/// Compiles and links a module, and runs the program, which must print the same as when compiled by gfortran.
fn runs_like_gfortran(directory: &Path, module: &str, source: &Path, may_leak: bool) {
    host(directory, &format!("clang-19 -O1 -w -c {module} -o after.o")).passes();
    flang(19, directory, &format!("-fopenmp after.o {} {} -o after", watch(), archive())).passes();
    let mut command = run(19, directory, "./after");
    if may_leak {
        command.env("MAY_LEAK", "1");
    }
    prints(wanted(source), command);
}

/// Tests the rewriter on bitcode and on text, without a plugin.
#[test]
fn the_rewriter_removes_all_trampolines_and_changes_no_other_code() {
    let directory = new_directory("rewriter-same");
    let tools = root().join("target/test-tools/debug/test-tools");
    let readable = |module: &str| {
        let text = stdout(host(&directory, &format!("llvm-dis-19 {module} -o -")));
        multi_line("^(?:; ModuleID|source_filename).*\n").replace_all(&text, "").into_owned()
    };
    let mut lines = 0;
    for source in some_sources() {
        let compile = format!("-O0 -g -fopenmp -emit-llvm {}", source.display());
        flang(19, &directory, &format!("{compile} -S -o before.ll")).passes();
        flang(19, &directory, &format!("{compile} -c -o before.bc")).passes();
        rewrite(&directory, "-S before.ll -o after.ll").passes();
        rewrite(&directory, "before.bc -o after.bc").passes();
        host(&directory, "llvm-as-19 after.ll -o text.bc").passes();
        assert!(readable("after.bc") == readable("text.bc"), "{}: bitcode and text differ", source.display());
        let ir = read(directory.join("after.ll"));
        assert!(!ir.contains("llvm.init.trampoline"), "{}: a trampoline remains", source.display());
        let unchanged =
            stdout(host(&directory, &format!("{} unchanged before.ll after.ll", tools.display())));
        lines += unchanged.trim().parse::<usize>().unwrap();
        runs_like_gfortran(&directory, "after.bc", &source, is_leaking(&source));
        let sections = host(&directory, "readelf -SW after.o").passes().matches("note.GNU-stack");
        assert_eq!(sections.count("note.GNU-stack.* X "), 0, "{}: an executable stack", source.display());
    }
    assert!(lines > 0, "no line of IR is compared");
}

/// In an optimized module, the origin of a chain is not always visible, so a trampoline may remain.
#[test]
fn the_rewriter_accepts_optimized_modules() {
    let directory = new_directory("rewriter-optimized");
    for source in some_sources() {
        flang(19, &directory, &format!("-O2 -fopenmp -c -emit-llvm {} -o before.bc", source.display()))
            .passes();
        rewrite(&directory, "before.bc -o after.bc").passes();
        runs_like_gfortran(&directory, "after.bc", &source, true);
    }
}

#[test]
fn the_rewriter_accepts_an_empty_module_and_rejects_other_files() {
    let directory = new_directory("rewriter-files");
    rewrite(&directory, "-S /dev/null -o -").passes();
    for bad in ["none.ll".to_owned(), watch()] {
        let ended = rewrite(&directory, &format!("-S {bad} -o x.ll")).ended();
        assert!(ended.status != 0, "the rewriter accepts {bad}: {ended}");
        ended.matches(&format!("^statictramp-rewrite: {bad}"));
    }
}

#[test]
fn a_plugin_for_another_llvm_prints_a_one_line_error() {
    for (of_plugin, version) in [(19, 22), (22, 19), (23, 22)] {
        let directory = new_directory(&format!("other-{of_plugin}-{version}"));
        let source = of_work(&root().join("tests/programs/fortran/seed_pointer.f90"));
        let ended = flang(version, &directory, &format!("{} -c {source} -o x.o", plugin(of_plugin))).ended();
        assert!(ended.status != 0, "{ended}");
        has_one_line(&ended);
        let message =
            format!("^error: .*was built for LLVM {of_plugin}, and this compiler is LLVM {version}");
        ended.matches(&message);
    }
}

#[test]
fn a_program_compiles_with_the_output_of_flags() {
    let directory = new_directory("flags");
    let prefix = root().join("target/prefix");
    let line = format!("cargo run --quiet -- flags --prefix {} flang-new-19", prefix.display());
    let flags = stdout(host(&root(), &line));
    let source = root().join("tests/programs/fortran/seed_pointer.f90");
    flang(19, &directory, &format!("-O2 {} {flags} -o seed", source.display())).passes();
    assert_eq!(words(&host(&directory, "./seed").passes().text).replace(' ', ""), "10-3");
}
