//! The list that `statictramp captures` generates from Fortran sources, and programs that are compiled with the list.

use crate::*;
use std::os::unix::fs::PermissionsExt;
use test_tools::{Ended, copy_file, copy_files, doc_block, effort, share, write};

for_each_flang!(
    the_list_is_the_stated_one,
    promises_change_the_code_as_the_manual_says,
    programs_print_the_same_with_the_list,
    generated_programs_print_the_same_with_the_list
);

/// A directory with the tool, in which `flang` and `statictramp captures` run.
pub struct Captures {
    pub version: u32,
    pub directory: PathBuf,
    pub compiler: String,
    /// The file with the user's own list.
    pub own_list: String,
}

impl Captures {
    pub fn new(version: u32, name: &str) -> Captures {
        let directory = new_directory(&format!("captures-{name}-{version}"));
        copy_file(root().join("target/debug/statictramp"), directory.join("statictramp"));
        Captures { version, directory, compiler: compiler(version), own_list: String::new() }
    }

    /// Returns a directory that contains the tool and the programs.
    pub fn with_programs(version: u32, name: &str) -> Captures {
        let captures = Captures::new(version, name);
        copy_files(programs("captures"), &captures.directory);
        captures
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// Runs the tool, and inserts the compiler before the first argument that is not one of the tool's own options. A `~` is a
    /// blank within an argument.
    pub fn command(&self, line: &str) -> Command {
        let tool = self.path("statictramp").display().to_string();
        let line: Vec<String> = line.split_whitespace().map(|word| word.replace('~', " ")).collect();
        let is_own =
            |word: &&String| ["--compile", "--calls"].contains(&&***word) || word.starts_with("--keeps=");
        let own = line.iter().take_while(is_own).count();
        let mut words = vec![&*tool, "captures"];
        words.extend(line[..own].iter().map(|it| &**it));
        words.push(&self.compiler);
        words.extend(line[own..].iter().map(|it| &**it));
        with_flang(self.version, &self.directory, &words).var("STATICTRAMP_KEEPS_NOT", &self.own_list)
    }

    #[track_caller]
    pub fn list(&self, line: &str) -> String {
        stdout(self.command(line))
    }

    /// Compiles with the list.
    #[track_caller]
    pub fn compile(&self, line: &str) -> Ended {
        self.command(&format!("--compile {line}")).passes()
    }

    /// Compiles with the list and the plugin.
    #[track_caller]
    pub fn with_plugin(&self, line: &str) -> Ended {
        self.compile(&format!("{} {line}", plugin(self.version)))
    }

    /// Compiles with the list, the plugin and the C library, and links.
    #[track_caller]
    pub fn link(&self, line: &str) -> Ended {
        self.with_plugin(&format!("{line} {} {}", archive(), libraries(self.version, "")))
    }

    /// Compiles without the list.
    #[track_caller]
    pub fn flang(&self, line: &str) -> Ended {
        flang(self.version, &self.directory, line).passes()
    }

    #[track_caller]
    pub fn run(&self, program: &str) -> String {
        run(self.version, &self.directory, &format!("./{program}")).within(300).ended().ends(0).text
    }

    pub fn read(&self, name: &str) -> String {
        read(self.path(name))
    }
}

/// Returns the expected lines in a program's comments.
pub fn promised(source: &str) -> String {
    groups("^! promised: (.*)$", source).iter().map(|line| format!("{line}\n")).collect()
}

fn the_list_is_the_stated_one(version: u32) {
    let captures = Captures::with_programs(version, "list");
    let own = captures.list("-c kept_library.f90");
    assert_eq!(own, "", "the list contains procedures of the file itself");
    let wanted = promised(&captures.read("kept_calls.f90"));
    assert_eq!(captures.list("-c kept_calls.f90"), wanted);
    let others: String = wanted
        .lines()
        .filter(|it| !multi_line("report|keep_nothing").is_match(it))
        .map(|it| format!("{it}\n"))
        .collect();
    assert_eq!(captures.list("--keeps=report --keeps=Keep_Nothing -c kept_calls.f90"), others);
    for source in ["keepers.f90", "selectors.f90"] {
        assert_eq!(captures.list(&format!("-c {source}")), promised(&captures.read(source)), "{source}");
    }
    captures.link("-O3 -w selector_lost.f90 selector_calls.f90 -o selector");
    assert_eq!(captures.run("selector").trim(), "2.0", "a promise for a part of a TARGET loses a write");

    // These are submodules of a module in another file.
    captures.flang("-c submodules_library.f90 -o submodules_library.o");
    let list = words(&captures.list("-w -c submodules.f90"));
    assert_eq!(list, "change _QMsubmodules_libraryPby_result _QMsubmodules_libraryPof_module");
}

fn promises_change_the_code_as_the_manual_says(version: u32) {
    let captures = Captures::with_programs(version, "code");
    let flags = format!("-O2 -ffast-math {} -S -emit-llvm", plugin(version));
    let both = |name: &str| {
        captures.flang(&format!("{flags} {name}.f90 -o without.ll"));
        captures.compile(&format!("{flags} {name}.f90 -o with.ll"));
        [captures.read("without.ll"), captures.read("with.ll")]
    };
    let [without, with] = both("reduction");
    assert!(
        !vectors_of("float", &without),
        "loops are vectorized without a promise, so this test proves nothing"
    );
    // LLVM 23 expects flags of the comparison that are lost when the variable becomes a register.
    assert!(version == 23 || vectors_of("float", &with), "loops are not vectorized");
    let [without, with] = both("expected");
    assert!(
        without.contains("call void @bug_"),
        "without promises bug() is not called, so this test proves nothing"
    );
    assert!(!with.contains("call void @bug_"), "with promises, bug() is called");
    assert!(with.contains("call void @as_expected_"), "with promises, as_expected() is not called");
}

fn programs_print_the_same_with_the_list(version: u32) {
    let mut captures = Captures::with_programs(version, "same");
    let gfortran = new_directory(&format!("captures-gfortran-{version}"));
    copy_files(programs("captures"), &gfortran);
    host(&gfortran, "gfortran -w kept_library.f90 kept_calls.f90 -o program").passes();
    let wanted = host(&gfortran, "./program").passes().text;
    for level in ["-O3", "-Ofast"] {
        captures.link(&format!("{level} -w kept_library.f90 kept_calls.f90 -o kept"));
        assert_eq!(captures.run("kept"), wanted, "{level}: the list changes the output");
    }
    // An incorrect list shows that the optimizer uses the list.
    write(captures.path("wrong"), "_QMkeeperPkeep_target\n_QMkeeperPbump\noutside_keeps\ntwo_faces\n");
    captures.own_list = "wrong".to_owned();
    captures.with_plugin("-O3 -w kept_library.f90 -c");
    captures.link("-O3 -w kept_library.o kept_calls.f90 -o kept");
    assert_ne!(captures.run("kept"), wanted, "wrong promises change nothing, so this test proves nothing");
}

#[test]
fn the_example_in_the_manual_runs() {
    let captures = Captures::new(19, "docs");
    let program = doc_block("docs/capture.md", "fortran", 1);
    let tested = read(programs("captures/expected.f90"));
    assert_eq!(
        program,
        tested.split_once('\n').unwrap().1,
        "the program in docs/capture.md is not the tested one"
    );
    write(captures.path("test.f90"), program);
    let typed = doc_block("docs/capture.md", "sh", 1);
    let own = plugin(19).replace("-fpass-plugin=", "");
    write(captures.path("typed"), typed.replace("/usr/local/lib/libstatictramp_flang-19.so", &own));
    let command = host(&captures.directory, "bash -eo pipefail typed");
    let path = format!("{}:{}", captures.directory.display(), std::env::var("PATH").unwrap());
    assert_eq!(stdout(command.var("PATH", path)).trim(), "foo");
    assert!(captures.path("test.o").exists());
}

/// A compiler whose dump differs in one detail: a sed script is applied to the dump.
const ODD_COMPILER: &str = r#"#!/bin/sh
case "$*" in
*-###*) flang-new-19 "$@" 2>&1 | sed "s|\"/[^\"]*\" \"-fc1\"|\"$0\" \"-fc1\"|" >&2 ;;
*-fdebug-dump-all*) flang-new-19 "$@" | sed "$ODD" ;;
*) exec flang-new-19 "$@" ;;
esac
"#;

fn with_odd_compiler(name: &str) -> Captures {
    let mut captures = Captures::with_programs(19, name);
    captures.flang("-w -c kept_library.f90");
    write(captures.path("odd"), ODD_COMPILER);
    std::fs::set_permissions(captures.path("odd"), PermissionsExt::from_mode(0o755)).unwrap();
    captures.compiler = captures.path("odd").display().to_string();
    captures
}

/// Returns the list and the messages if the dump is changed by a sed script.
fn odd_list(captures: &Captures, script: &str, line: &str) -> (String, String) {
    outputs(captures.command(line).var("ODD", script))
}

#[test]
fn unknown_dumps_make_no_promise() {
    let captures = with_odd_compiler("unknown");
    let wanted = promised(&captures.read("kept_calls.f90"));
    let list = odd_list(&captures, "", "-c kept_calls.f90").0;
    assert_eq!(
        list, wanted,
        "a script that calls the compiler changes the list, so this test proves nothing"
    );
    let changes = [
        "/Subprogram scope: outside_plain/i\\    Something else",
        "s/^| ActualArgSpec/--/;s/Call$/Call:/",
        "/symbols dump/d",
        "1d",
        "/| | Call$/d",
        "s/ProcedureDesignator -> Name/ProcedureDesignator -> Other/;/symbols dump/,$s/:/;/",
    ];
    for script in changes {
        let (list, messages) = odd_list(&captures, script, "-c kept_calls.f90");
        assert_eq!(list, "", "a promise from the dump changed by {script}");
        assert!(
            multi_line("^statictramp: captures: warning: no promise is made").is_match(&messages),
            "{script}: {messages}"
        );
    }
    let ended = captures.command("--compile -c expected.f90 -o odd.o").var("ODD", "1d").passes();
    ended.has("warning: no promise is made");
    assert!(captures.path("odd.o").exists());
}

#[test]
fn truncated_dumps_make_no_promise() {
    let captures = with_odd_compiler("cut");
    let dump = "flang-new-19 -fc1 -w -fdebug-dump-all kept_calls.f90";
    let lines = stdout(host(&captures.directory, dump)).lines().count();
    for cut in [1, 3, 6, 12, 24, 40] {
        let script = format!("{},$d", lines - cut + 1);
        let (list, messages) = odd_list(&captures, &script, "-c kept_calls.f90");
        assert_eq!(list, "", "a promise from a dump without its last {cut} lines");
        let warning = "^statictramp: captures: warning: no promise is made: .* are missing";
        assert!(multi_line(warning).is_match(&messages), "without the last {cut} lines: {messages}");
    }
}

/// If a procedure has an unknown attribute, no promise is made for it, and the promises for the others are unchanged.
#[test]
fn unknown_attributes_make_no_promise_for_their_procedure() {
    let captures = with_odd_compiler("attribute");
    let wanted = promised(&captures.read("kept_calls.f90"));
    for (name, script) in [
        ("outside_plain", "/isInterface.*text)/s/outside_plain, EXTERNAL/outside_plain, NEW, EXTERNAL/"),
        ("keep_nothing", "/scope: keep_nothing/,/scope/s/ y, INTENT/ y, NEW, INTENT/"),
    ] {
        let others: String =
            wanted.lines().filter(|it| !it.contains(name)).map(|it| format!("{it}\n")).collect();
        assert_ne!(others, wanted);
        assert_eq!(odd_list(&captures, script, "-c kept_calls.f90").0, others, "{name}");
    }
}

/// All ways in which a build system runs a compiler: response files, names with blanks, several sources, links, preprocessing and
/// errors.
#[test]
fn commands_that_compile_nothing_are_passed_to_the_compiler() {
    let mut captures = Captures::with_programs(19, "uses");
    let temporary = captures.path("temporary");
    std::fs::create_dir(&temporary).unwrap();
    let other = "#ifdef WANTED\nsubroutine other(x)\n  real x\n  x = x + 1\nend\n#endif\n";
    write(captures.path("with blanks/o t.F90"), other);
    write(captures.path("main.F90"), "  real x\n  x = 1\n  call other(x)\n  print *, int(x)\nend\n");
    write(captures.path("response"), "-DWANTED \"with blanks/o t.F90\" -c -o \"o t.o\"");
    write(captures.path("wrong.f90"), "end end\n");
    write(captures.path("own"), "mine\nnot-a-name\n");
    let command = |captures: &Captures, line: &str| captures.command(line).var("TMPDIR", &temporary);
    let link = "--compile main.o o~t.o -L/usr/lib/llvm-19/lib -o linked";
    for line in ["--compile @response", "--compile -c main.F90 -o main.o", link] {
        command(&captures, line).passes();
    }
    assert_eq!(captures.run("linked").trim(), "2");
    command(&captures, "--compile -DWANTED main.F90 with~blanks/o~t.F90 -L/usr/lib/llvm-19/lib -o both")
        .passes();
    assert_eq!(captures.run("both").trim(), "2");
    let list = stdout(command(&captures, "-DWANTED main.F90 with~blanks/o~t.F90"));
    assert_eq!(list, "other\n");
    command(&captures, "--compile -E -DWANTED with~blanks/o~t.F90").passes().has("x = x + 1");
    command(&captures, "--compile --version").passes().has("version 19");
    command(&captures, "--compile -c missing.f90").ends(1);
    command(&captures, "-c missing.f90").ends(2);
    command(&captures, "main.o").ends(2);
    command(&captures, "-c wrong.f90").fails_with(1, "wrong.f90:1");
    command(&captures, "--compile -c wrong.f90").ends(1).matches_times(1, "Could not parse");
    captures.own_list = "missing".to_owned();
    command(&captures, "--compile -c main.F90").ends(2);
    captures.own_list = "own".to_owned();
    command(&captures, "--compile -c main.F90").fails_with(2, "STATICTRAMP_KEEPS_NOT: own:2: ");
    captures.own_list.clear();
    let without_temporary = |line: &str| captures.command(line).var("TMPDIR", captures.path("none")).ended();
    without_temporary("--compile --version").ends(0);
    without_temporary(link).ends(0);
    without_temporary("--compile -c main.F90").ends(1).has("a temporary list");
    let remaining = std::fs::read_dir(&temporary).unwrap().map(|it| it.unwrap().file_name());
    let remaining: Vec<_> =
        remaining.filter(|it| it.to_string_lossy().starts_with("statictramp-captures-")).collect();
    assert!(remaining.is_empty(), "temporary files remain: {remaining:?}");
}

/// Compiles a library with flang alone, and the program with and without the list. Both programs must print the same output,
/// which is returned.
fn same_output(captures: &Captures, options: &str, program: &str) -> String {
    let omp = libraries(19, "");
    captures.flang(&format!("-O2 -w {options} -c {program}_library.f90 -o library.o"));
    let [without, with] = [false, true].map(|with| {
        if with {
            captures.with_plugin(&format!("-O2 -w {options} -c {program}.f90 -o program.o"));
        } else {
            captures.flang(&format!("-O0 -w {options} -c {program}.f90 -o program.o"));
        }
        captures.flang(&format!("-fopenmp library.o program.o {omp} -o program"));
        captures.run("program")
    });
    assert_eq!(without, with, "the list changes the output of {program} with {options}");
    with
}

/// Checks that no list is written, and that a warning names the option.
fn makes_no_promise(captures: &Captures, option: &str, file: &str) {
    let (list, messages) = outputs(captures.command(&format!("{option} -w -c {file}")));
    assert_eq!(list, "", "a promise for {option}");
    let warning = format!("^statictramp: captures: warning: no promise is made: .*{option}");
    assert!(multi_line(&warning).is_match(&messages), "{option}: {messages}");
}

/// `-fno-underscoring`, `-save-temps`, OpenMP, submodules and modules of MPI.
#[test]
fn options_that_change_the_meaning_of_names_make_no_invalid_promise() {
    let captures = Captures::with_programs(19, "meaning");
    same_output(&captures, "-fno-underscoring", "underscores");
    same_output(&captures, "", "underscores");
    same_output(&captures, "-fopenmp", "tasks");
    assert_eq!(words(&same_output(&captures, "", "submodules")), "2.0 13.0 21.0");
    makes_no_promise(&captures, "-fno-underscoring", "underscores.f90");
    let list = captures.list("-w -c underscores.f90");
    assert_eq!(list, "", "a name that could also match a procedure that keeps more arguments");
    makes_no_promise(&captures, "-fopenmp", "tasks.f90");
    makes_no_promise(&captures, "-fopenacc", "tasks.f90");
    let list = captures.list("-w -c tasks.f90");
    assert_eq!(
        list, "_QMtasks_libraryPspawn\n",
        "without options there is no promise, so this test proves nothing"
    );
    // The preprocessed file of an earlier build says nothing about this one.
    let saved = "subroutine t(x)\n  interface\n    subroutine keep(x)\n      integer KIND :: x\n    end subroutine\n  \
        end interface\n  integer, target :: x\n  call keep(x)\nend\n";
    write(captures.path("saved.F90"), saved);
    captures.flang("-E -DKIND= saved.F90 -o saved.i");
    let list = captures.list("-DKIND= -c saved.F90");
    assert_eq!(list, "keep\n", "without -save-temps there is no promise, so this test proves nothing");
    makes_no_promise(&captures, "-save-temps", "saved.F90");
}

/// Some libraries that keep addresses also have modules.
#[test]
fn module_procedures_of_libraries_that_keep_addresses_are_not_listed() {
    let captures = Captures::new(19, "modules");
    let subroutine = |name: &str| format!("  subroutine {name}(x)\n    real x\n    x = 1\n  end\n");
    let procedures: String = ["mpi_irecv", "adios2_put", "other"].map(subroutine).concat();
    write(captures.path("keeper_of_all.f90"), format!("module keeper_of_all\ncontains\n{procedures}end\n"));
    let calls = "subroutine t(x)\n  use keeper_of_all, only: receive => mpi_irecv, adios2_put, other\n  real x\n  \
        call receive(x)\n  call adios2_put(x)\n  call other(x)\nend\n";
    write(captures.path("receives.f90"), calls);
    captures.list("-c keeper_of_all.f90");
    assert_eq!(captures.list("-c receives.f90"), "_QMkeeper_of_allPother\n");
}

/// Generates a program, and writes each module to a separate file. Returns the names of the files.
fn generate(captures: &Captures, seed: u64) -> Vec<String> {
    let generator = root().join("target/release/examples/generate");
    let program = stdout(host(&captures.directory, &format!("{} programs {seed} 4", generator.display())));
    let mut files: Vec<(String, String)> = Vec::new();
    let start = multi_line("^(?:module|program) (\\S+)");
    for line in program.lines() {
        if let Some(found) = start.captures(line) {
            files.push((format!("{}.f90", &found[1]), String::new()));
        }
        if let Some((_, text)) = files.last_mut() {
            *text += &format!("{line}\n");
        }
    }
    files.iter().for_each(|(file, text)| write(captures.path(file), text));
    files.into_iter().map(|(file, _)| file).collect()
}

/// Each module is in a separate file. OpenMP directives are comments here, because -fopenmp disables all promises. (A library's
/// name is not among the arguments that are compiled.)
fn generated_programs_print_the_same_with_the_list(version: u32) {
    let first = first_seed();
    for number in 0..share(12) as u64 {
        if [19, 22, 23][number as usize % 3] != version {
            continue;
        }
        let seed = first + number;
        let captures = Captures::new(version, &format!("generated-{seed}"));
        let files = generate(&captures, seed);
        let objects: String = files.iter().map(|it| it.replace(".f90", ".o ")).collect();
        for level in ["-O3", "-Ofast"] {
            let [with, without] = [true, false].map(|with| {
                for file in &files {
                    let line = format!("{level} -w -c {file}");
                    if with {
                        captures.with_plugin(&line);
                    } else {
                        captures.flang(&format!("{} {line}", plugin(version)));
                    }
                }
                captures.flang(&format!("{level} -fopenmp {objects} {} {} -o program", watch(), archive()));
                captures.run("program")
            });
            assert_eq!(with, without, "seed {seed}, {level}");
        }
        let modules = captures.list("case_1.f90").matches("_QMcommonP").count();
        assert!(
            modules > 3,
            "seed {seed}: at most three module procedures are listed, so this test proves nothing"
        );
    }
}

/// MINPACK has 23 files without explicit interfaces that pass on arrays and dummy procedures, and 11 examples.
fn minpack_prints_the_same_with_the_list(version: u32, level: &str) {
    let captures = Captures::new(version, "minpack");
    let sources = PathBuf::from(std::env::var("minpack").expect("the leg sets it"));
    let is_fortran = |it: &PathBuf| it.extension().is_some_and(|it| it == "f");
    let files = |directory: &Path| -> Vec<PathBuf> {
        test_tools::files_in(directory).into_iter().filter(is_fortran).collect()
    };
    let library = files(&sources);
    let examples: Vec<PathBuf> =
        files(&sources.join("ex")).into_iter().filter(|it| stem(it).starts_with('t')).collect();
    assert_eq!(examples.len(), 11, "the examples");
    for directory in ["with", "without"] {
        std::fs::create_dir(captures.path(directory)).unwrap();
    }
    for file in library.iter().chain(&examples) {
        copy_file(file, captures.path(file.file_name().unwrap().to_str().unwrap()));
    }
    // The promises cover only the other arguments of fdjac1, and not the dummy procedure.
    let list = words(&captures.list("-w -c hybrd.f"));
    assert_eq!(list, "dogleg dpmpar enorm fdjac1 2 3 4 5 6 7 8 9 10 11 12 qform qrfac r1mpyq r1updt");
    let mut differ = 0;
    for file in library.iter().chain(&examples) {
        let name = stem(file);
        captures.flang(&format!("{level} -w {} -c {name}.f -o without/{name}.o", plugin(version)));
        captures.with_plugin(&format!("{level} -w -c {name}.f -o with/{name}.o"));
        let [without, with] =
            ["without", "with"].map(|it| std::fs::read(captures.path(&format!("{it}/{name}.o"))).unwrap());
        differ += usize::from(without != with);
    }
    assert!(differ > 0, "the list changes no object file, so comparing the results proves nothing");
    for example in &examples {
        let name = stem(example);
        let [without, with] = ["without", "with"].map(|how| {
            let objects: String = library.iter().map(|it| format!("{how}/{}.o ", stem(it))).collect();
            host(&captures.directory, &format!("ar rcs {how}/lib.a {objects}")).passes();
            captures.flang(&format!("{how}/{name}.o {how}/lib.a {} -o {how}/{name}", archive()));
            captures.run(&format!("{how}/{name}"))
        });
        assert!(!with.is_empty(), "{name} prints nothing");
        assert_eq!(with, without, "{name} prints a different result with the list");
    }
}

#[test]
fn minpack_prints_the_same_with_flang_19() {
    // A short run compiles it with flang 22 only.
    if effort() >= 100 {
        minpack_prints_the_same_with_the_list(19, "-O3");
    }
}

#[test]
fn minpack_prints_the_same_with_flang_22() {
    minpack_prints_the_same_with_the_list(22, "-Ofast");
}
