//! The report of escaping procedures. The first line of each program contains the expected report, and the program
//! must end accordingly.
//!
//! Other lines of a program: `! also: ` adds another expected remark, in the format of the first line. `! ends: in the diagnosis`
//! is for a program whose report is "may escape" and in which a procedure does escape. `! compiled by: 22 and later` is for a
//! program that flang 19 cannot compile without the plugin. `! links: not` is for a program that lacks one of its
//! files.

use crate::*;
use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::File;
use std::os::unix::ffi::OsStringExt;
use test_tools::{copy_file, copy_files, files_in, one_of, write};

for_each_flang!(each_report_is_the_stated_one_and_the_program_ends_accordingly);

/// A program of `escapes`, compiled in a directory with these settings.
struct Program<'a> {
    version: u32,
    directory: &'a Path,
    name: &'a str,
    openmp: &'a str,
}

impl Program<'_> {
    fn compile(&self, report: &str, arguments: &str) -> Command {
        let Program { version, name, openmp, .. } = *self;
        let plugin = plugin(version);
        let arguments = format!("{openmp} -gline-tables-only {plugin} {name}.f90 {arguments}");
        flang(version, self.directory, &arguments).var("STATICTRAMP_ESCAPES", report)
    }
}

fn each_report_is_the_stated_one_and_the_program_ends_accordingly(version: u32) {
    let directory = new_directory(&format!("escapes-{version}"));
    copy_files(programs("escapes"), &directory);
    for (index, source) in files_in(programs("escapes")).iter().enumerate() {
        // The number differs by 1 or 2 between the versions, so that a short run tests each program with one of them.
        let number = version as usize % 5 + index + 1;
        let (name, text) = (stem(source), read(source));
        let openmp = if multi_line(r"^ *!\$omp").is_match(&text) { "-fopenmp" } else { "" };
        let is_for_later = multi_line("^! compiled by: 22 and later").is_match(&text);
        if version == 19 && is_for_later {
            let stock = flang(19, &directory, &format!("-O0 {openmp} -c {name}.f90 -o stock.o")).ended();
            assert!(stock.status != 0, "flang 19 compiles {name}, which is marked for flang 22 and later");
            continue;
        }
        let program = Program { version, directory: &directory, name, openmp };
        let remarks = groups("^! (?:escapes|also): (.*)$", &text);
        for level in ["-O0", "-O2"] {
            if level == "-O2" && !one_of(3, number) {
                continue;
            }
            let report = program.compile("warning", &format!("{level} -c -o escapes.o")).passes();
            for remark in &remarks {
                let (line, what) = remark.split_once(": ").unwrap();
                let what = format!("internal procedure {what}");
                let found = report.text.lines().find(|it| it.contains(&what));
                let found = found.unwrap_or_else(|| panic!("{name}: expected \"{remark}\", got: {report}"));
                assert!(
                    found.starts_with(&format!("{line}:")),
                    "{name}: the remark is not at {line}: {found}"
                );
            }
        }
        // A short run tests rejection, and runs the program, with only one flang for each program.
        if !one_of(3, number) && !is_for_later {
            continue;
        }
        let kind = multi_line("^.*?: .*?' ([^:]*)").captures(&remarks[0]).unwrap()[1].to_owned();
        assert!(["escapes", "does not escape", "may escape"].contains(&&*kind), "{name}: {kind}");
        let rejected = program.compile("error", "-O1 -c -o escapes.o").ended();
        assert!(
            (rejected.status != 0) == (kind == "escapes"),
            "{name} is rejected wrongly, or not: {rejected}"
        );
        let silent = program.compile("off", "-O1 -c -o escapes.o").passes();
        assert_eq!(silent.text, "", "a remark is printed although none was requested: {silent}");
        if text.contains("\n! links: not") {
            continue;
        }
        // If the optimizer sees the call after free, the call becomes a direct one.
        program.compile("off", &format!("-O0 {} -o escapes.out", archive())).passes();
        let ended = run(version, &directory, "./escapes.out").ended();
        if kind == "escapes" || text.contains("\n! ends: in the diagnosis") {
            assert!(ended.status != 0, "{name}: the call after free: {ended}");
            ended.matches("^statictramp: .*callback");
        } else {
            ended.ends(0);
        }
    }
}

/// Reports on a module, written by the rewriter.
fn report_on(directory: &Path, module: &Path) -> test_tools::Ended {
    let command = rewrite(directory, &format!("{} -o x.bc", module.display()));
    command.var("STATICTRAMP_ESCAPES", "warning").within(300).ended().ends(0)
}

#[test]
fn the_report_on_ir_from_other_compilers_matches_the_documented_one() {
    let directory = new_directory("escapes-ir");
    let is_module = |it: &PathBuf| it.extension().is_some_and(|it| it == "ll");
    for source in files_in(programs("escapes-ir")).into_iter().filter(is_module) {
        let wanted = groups("\\A; escapes: (.*)$", &read(&source)).remove(0);
        report_on(&directory, &source).has(&format!("internal procedure {wanted}"));
    }
}

/// The analysis must not need one recursive call for each step or choice.
#[test]
fn chains_of_100_000_steps_are_analysed() {
    let directory = new_directory("escapes-long");
    let template = read(programs("escapes-ir/long_chain.txt"));
    let (before, after) = template.split_once("CHAIN").expect("a line CHAIN");
    let after = after.split_once('\n').unwrap().1;
    for (begin, end) in
        [("getelementptr i8, ptr", ", i64 8"), ("select i1 %which, ptr", ", ptr %own"), ("freeze ptr", "")]
    {
        let chain: String = (1..=100_000).map(|n| format!("  %p{n} = {begin} %p{}{end}\n", n - 1)).collect();
        let module = directory.join("long.ll");
        write(&module, before.to_owned() + &chain + after);
        report_on(&directory, &module).matches("'callback' .*escape");
    }
}

/// Each function that `library.txt` or `uncaptured.txt` names must exist in one of the run-time libraries.
#[test]
fn the_run_time_libraries_define_all_functions_in_the_tables() {
    let libraries = host(&root(), "find /usr/lib/llvm-22 -name libflang_rt.runtime.a").passes().text;
    let later = host(&sid(), "find usr/lib/llvm-23 -name libflang_rt.runtime.a").passes().text;
    let later: String = later.lines().map(|it| format!("{}/{it} ", sid().display())).collect();
    let archives = format!("/usr/lib/llvm-19/lib/libFortranRuntime.a {libraries} {later}");
    let mut symbols = stdout(host(&root(), &format!("nm --quiet -g --defined-only {archives}")));
    symbols += &stdout(host(&root(), "nm -D --defined-only /usr/lib/llvm-19/lib/libomp.so"));
    let names: HashSet<String> = groups("^[^@\n]* T ([^@\n]*)", &symbols).into_iter().collect();
    let mut count = 0;
    for table in ["escapes/library.txt", "promises/uncaptured.txt"] {
        for name in groups(r"^(_\S*)", &read(root().join("flang/src").join(table))) {
            let pattern = Regex::new(&format!("^{}$", name.replace("<kind>", "[0-9]+"))).unwrap();
            let is_defined = names.contains(&name) || names.iter().any(|it| pattern.is_match(it));
            assert!(is_defined, "{table} names {name}, which no run-time library defines");
            count += 1;
        }
    }
    assert!(count > 0, "the tables name no functions");
}

fn list_of_procedures(version: u32) {
    let directory = new_directory(&format!("escapes-list-{version}"));
    copy_files(programs("escapes"), &directory);
    let report = |list: &str, name: &str| {
        let program = Program { version, directory: &directory, name, openmp: "" };
        program.compile("warning", "-O0 -c -o escapes.o").var("STATICTRAMP_KEEPS_NOT", list).ended()
    };
    let lists: &[(&str, &[u8])] = &[
        ("keeps", b"# Of other files.\n\n  Elsewhere procedures # calls it\nqsort procedures\n"),
        // A promise about data does not cover procedures.
        ("data", b"elsewhere\nqsort\n"),
        ("numbers", b"elsewhere 1\nqsort 1 2 3 4\n"),
        ("one", b"Tree%Traverse procedures\n"),
        ("both", b"tree%traverse procedures\n_QMmTlist%each procedures\n"),
        ("another", b"another\n"),
        ("words", b"qsort\ntwo words\n"),
        ("latin", b"qs\xffort\n"),
        ("zero", b"qsort 0\n"),
        ("bound", b"tree%traverse 1\n"),
    ];
    for (name, text) in lists {
        write(directory.join(name), text);
    }
    for name in ["unknown_interface", "unknown_c"] {
        report("keeps", name).ends(0).has("does not escape");
        for list in ["data", "numbers"] {
            report(list, name).ends(0).has("may escape");
        }
    }
    // A type-bound call may go through the table of each type in the file.
    report("one", "type_bound").matches(r"may escape: .* \(type-bound: _QMmTlist%each\)");
    report("both", "type_bound").ends(0).has("does not escape");
    report("another", "unknown_interface").ends(0).has("may escape");
    for (list, message) in [
        ("bound", r#"bound:1: "tree%traverse 1" is not"#),
        ("words", r#"words:2: "two words" is not"#),
        ("zero", r#"zero:1: "qsort 0" is not"#),
        ("latin", "latin is not valid UTF-8"),
        ("none", "none: No such file"),
        (".", r"\.: "),
    ] {
        let ended = report(list, "unknown_c").matches(&format!("^error: STATICTRAMP_KEEPS_NOT: {message}"));
        assert!(ended.status != 0, "the plugin accepted the list {list}: {ended}");
        has_one_line(&ended);
    }
}

#[test]
fn flang_19_uses_the_list_of_procedures_that_keep_nothing() {
    list_of_procedures(19);
}

#[test]
fn flang_22_uses_the_list_of_procedures_that_keep_nothing() {
    list_of_procedures(22);
}

#[test]
fn unknown_values_of_the_setting_are_rejected() {
    let directory = new_directory("escapes-setting");
    copy_files(programs("escapes"), &directory);
    let program = Program { version: 19, directory: &directory, name: "returned", openmp: "" };
    for bad in [OsString::from("perhaps"), OsString::from_vec(vec![0xff])] {
        let ended = program.compile("", "-O0 -c -o x.o").var("STATICTRAMP_ESCAPES", bad).ended();
        assert!(ended.status != 0, "{ended}");
        ended.matches(r#"^error: STATICTRAMP_ESCAPES is ".*", but must be"#);
    }
}

/// Names that are not UTF-8, missing files, a full standard output and a full standard error.
#[test]
fn the_rewriter_states_why_it_cannot_read_or_write_a_file() {
    let directory = new_directory("escapes-odd");
    let odd = |end: &str| {
        let mut name = b"odd\xff".to_vec();
        name.extend(end.bytes());
        OsString::from_vec(name)
    };
    let full = || File::options().write(true).open("/dev/full").unwrap();
    let rewriter = |arguments: &[OsString]| {
        let mut command = rewrite(&directory, "");
        command.args(arguments);
        command
    };
    let words = |line: &str| line.split_whitespace().map(OsString::from).collect::<Vec<_>>();
    copy_file(programs("escapes-ir/selected_memory.ll"), directory.join(odd(".ll")));
    rewriter(&["-S".into(), odd(".ll"), "-o".into(), odd(".out.ll")]).passes();
    assert!(read(directory.join(odd(".out.ll"))).contains("statictramp"), "the module was not rewritten");
    let missing = [odd(".none"), "-o".into(), "x".into()];
    let ended = rewriter(&missing).ended().matches("^statictramp-rewrite: .*odd.*No such file");
    assert!(ended.status != 0, "{ended}");
    copy_file(directory.join(odd(".ll")), directory.join("in.ll"));
    for line in ["in.ll -o /dev/full", "-S in.ll -o /dev/full", "-S in.ll -o -", "-h"] {
        let ended = rewriter(&words(line)).output_to(full()).ended().ends(1);
        ended.matches("^statictramp-rewrite: .*No space left");
    }
    let status = spawn(rewriter(&missing).stderr(full())).wait().unwrap();
    assert_eq!(status.code(), Some(1), "the rewriter crashes if standard error is full");
    let command = rewriter(&words("in.ll -o x.bc"));
    let status = spawn(command.var("STATICTRAMP_ESCAPES", "warning").stderr(full())).wait().unwrap();
    assert!(status.success(), "the rewriter failed because the report could not be written");
    copy_files(programs("escapes"), &directory);
    let program = Program { version: 19, directory: &directory, name: "returned", openmp: "" };
    let status = spawn(program.compile("warning", "-O0 -c -o x.o").stderr(full())).wait().unwrap();
    assert!(status.success(), "the compiler failed because the report could not be written");
}
