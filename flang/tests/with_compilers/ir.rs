//! IR that flang does not generate: exceptions, chains of other front ends, and IR that the pass does not understand.

use crate::*;
use std::time::{Duration, Instant};
use test_tools::{files_in, share, stack_rights, write};

fn ir(name: &str) -> String {
    programs("ir").join(name).display().to_string()
}

/// Returns a command that runs a program on this machine without W+X memory, if the kernel can deny it.
fn guarded(directory: &Path, line: &str) -> Command {
    run(19, directory, line)
}

#[test]
fn exceptions_and_chains_of_other_front_ends_are_rewritten() {
    let directory = new_directory("ir-others");
    for level in ["-O0", "-O2"] {
        for file in ["resume", "chains"] {
            rewrite(&directory, &format!("{} -o {file}.bc", ir(&format!("{file}.ll")))).passes();
            host(&directory, &format!("clang-19 {level} -w -c {file}.bc -o {file}.o")).passes();
        }
        let main = ir("main.cpp");
        host(&directory, &format!("g++ -O2 -Wall -Wextra {main} resume.o chains.o {} -o ir", archive()))
            .passes();
        assert_eq!(stack_rights(directory.join("ir")), "RW");
        guarded(&directory, "./ir").passes();
    }
    rewrite(&directory, &format!("-S {} -o chains.ll", ir("chains.ll"))).passes();
    let rewritten = read(directory.join("chains.ll"));
    for function in ["optimized", "called_by_optimized"] {
        let line = multi_line(&format!(r"^define.*@{function}\(.*"))
            .find(&rewritten)
            .expect("its definition")
            .as_str();
        assert!(!line.contains('#'), "the rewriter did not remove an attribute: {line}");
    }
}

/// Returns the definition of a function, without the numbers of attributes and metadata.
fn definition(function: &str, ir: &str) -> String {
    let pattern = format!(r"^define[^\n]*@{function}\((?s:.*?)^\}}");
    let found = multi_line(&pattern).find(ir).unwrap_or_else(|| panic!("{function} is not defined"));
    multi_line("![0-9]*")
        .replace_all(&multi_line(" #[0-9]*").replace_all(found.as_str(), ""), "!")
        .into_owned()
}

#[test]
fn unsupported_ir_is_left_unchanged_with_a_warning() {
    let directory = new_directory("ir-left");
    let file = ir("not_understood.ll");
    let ended = rewrite(&directory, &format!("-S {file} -o left.ll")).passes();
    host(&directory, &format!("llvm-as-19 {file} -o right.bc")).passes();
    host(&directory, "llvm-dis-19 right.bc -o right.ll").passes();
    let [left, right] = ["left.ll", "right.ll"].map(|it| read(directory.join(it)));
    let mut ended = ended;
    for function in ["memory_of_caller", "memory_passed_on", "coroutine", "with_line"] {
        ended = ended.matches(&format!(r"warning: .*\(in {function}"));
        assert_eq!(definition(function, &left), definition(function, &right));
    }
    ended.matches(r"^other.f90:42:3: warning: .*\(in with_line\)");
    assert!(definition("plain", &left).contains("statictramp.take"), "the function plain is not rewritten");
}

#[test]
fn processors_that_pass_the_chain_as_an_argument_are_left_to_the_compiler() {
    let directory = new_directory("ir-processors");
    let machines = test_tools::machines();
    let as_argument = machines.iter().filter(|it| it.get("nest") == "-DAS_FIRST_ARGUMENT");
    let processors: Vec<&str> = as_argument.filter_map(|it| it.get("triple").split('-').next()).collect();
    assert!(processors.len() >= 4, "machines.sh lists fewer than four such processors: {processors:?}");
    for processor in processors {
        let module = format!("target triple = \"{processor}-unknown-linux-gnu\"\n{}", read(ir("chains.ll")));
        write(directory.join("argument.ll"), module);
        let ended = rewrite(&directory, "-S argument.ll -o left.ll").passes();
        ended.matches(&format!(
            "the static chain on {processor} as an ordinary first argument, .*left to the compiler"
        ));
        let left = read(directory.join("left.ll"));
        assert!(!multi_line("call.*@statictramp").is_match(&left), "{processor}: a trampoline is replaced");
    }
    let module = format!("target datalayout = \"e-p:32:32\"\n{}", read(ir("resume.ll")));
    write(directory.join("narrow.ll"), module);
    rewrite(&directory, "-S narrow.ll -o left.ll")
        .passes()
        .has("warning: the library supports flang on 64-bit targets only");
}

/// In these programs a frame cannot be proven to be the host's. They behave as with LLVM alone, rewritten by the rewriter and by
/// the plugin, and end without live trampolines.
#[test]
fn unproven_frames_behave_as_with_llvm_alone() {
    let directory = new_directory("ir-stock");
    let (archive, watch, plugin) = (archive(), watch(), plugin(19));
    for file in files_in(programs("ir/stock")) {
        let may_leak = read(&file).contains("may end with live trampolines");
        let file = file.display();
        host(&directory, &format!("clang-19 -O0 -w {file} {archive} -o stock")).passes();
        let wanted = host(&directory, "./stock").passes().text;
        rewrite(&directory, &format!("{file} -o rewritten.bc")).passes();
        host(&directory, "opt-19 -passes=verify -disable-output rewritten.bc").passes();
        for level in ["-O0", "-O1", "-O2"] {
            for input in ["rewritten.bc".to_owned(), format!("{plugin} {file}")] {
                host(&directory, &format!("clang-19 {level} -w {input} {watch} {archive} -o rewritten"))
                    .passes();
                let mut command = guarded(&directory, "./rewritten");
                if may_leak {
                    command.env("MAY_LEAK", "1");
                }
                let ended = command.within(300).ended().ends(0);
                assert_eq!(ended.text, wanted, "{level}, from {input}");
            }
        }
    }
}

/// The first line of each file says that the file is rewritten, or contains the warning with which
/// it is left unchanged.
#[test]
fn each_file_is_unchanged_or_valid_after_rewriting() {
    let directory = new_directory("ir-valid");
    for file in files_in(programs("ir/left")) {
        let first = groups("\\A; (.*)$", &read(&file)).remove(0);
        let ended = rewrite(&directory, &format!("-S {} -o left.ll", file.display())).passes();
        host(&directory, "opt-19 -passes=verify -disable-output left.ll").passes();
        let remains = read(directory.join("left.ll")).contains("llvm.init.trampoline");
        match first.strip_prefix("left: ") {
            Some(warning) => {
                let ended = ended.has(&format!("warning: {warning}"));
                assert!(remains, "llvm.init.trampoline is removed: {ended}");
            }
            None => {
                assert_eq!(first, "rewritten");
                assert!(!remains, "{} is not rewritten: {ended}", file.display());
            }
        }
    }
}

/// Returns the number of steps in the analysis of a module of this kind and size.
fn visits(directory: &Path, kind: &str, size: usize) -> usize {
    let tools = root().join("target/test-tools/debug/test-tools");
    let module = stdout(host(directory, &format!("{} sized-ir {kind} {size}", tools.display())));
    write(directory.join("size.ll"), module);
    let ended = rewrite(directory, "size.ll -o size.bc").var("STATICTRAMP_VISITS", "1").passes();
    let visits = ended.group("^statictramp: .* trampolines, ([0-9]*) visits$").parse().unwrap();
    assert!(visits > 0, "no trampolines are found in {size} {kind}");
    visits
}

#[test]
fn the_time_of_the_analysis_is_linear_in_the_size_of_the_module() {
    let directory = new_directory("ir-size");
    for kind in ["hosts", "calls", "siblings", "procedures", "steps", "selects"] {
        let few = share(5000).max(500);
        let (small, large) = (visits(&directory, kind, few), visits(&directory, kind, few * 4));
        assert!(large <= small * 5, "{kind}: {small} visits for {few}, but {large} for four times as many");
    }
    for kind in ["steps", "selects"] {
        visits(&directory, kind, 100_000);
    }
    let start = Instant::now();
    visits(&directory, "hosts", 10_000);
    let seconds = start.elapsed().as_secs();
    assert!(
        start.elapsed() <= Duration::from_secs(30),
        "20,000 functions took {seconds} s, expected at most 30 s"
    );
}
