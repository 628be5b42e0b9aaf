//! `run --emulate`: programs of each compiler with trampolines on their stacks run with stacks that are not executable. Their output and
//! exit status equal those on an executable stack.

use crate::tool;
use std::fs::{File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use test_tools::{
    Ended, Expect, copy_file, copy_files, effort, in_sid, new_directory, new_sid_directory, read, root,
    share, shell, stack_rights, write,
};
use xshell::{Shell, cmd};

/// Returns the directory in which the tool and the library that it preloads are installed.
fn prefix() -> &'static Path {
    static PREFIX: OnceLock<PathBuf> = OnceLock::new();
    PREFIX.get_or_init(|| {
        let prefix = new_directory("emulate/prefix");
        let library = root().join("target/release/libstatictramp_emulate.so");
        for (from, to) in [(tool(), "bin/statictramp"), (library, "lib/statictramp/emulate.so")] {
            std::fs::create_dir_all(prefix.join(to).parent().unwrap()).unwrap();
            copy_file(&from, prefix.join(to));
        }
        prefix
    })
}

/// The directory of a test, which is its shell's current directory.
struct Test {
    sh: Shell,
    sources: PathBuf,
    tool: PathBuf,
}

impl Test {
    fn new(directory: &str) -> Test {
        let sh = shell();
        sh.change_dir(new_directory(&format!("emulate/{directory}")));
        Test {
            sh,
            sources: root().join("cli/tests/programs/emulate"),
            tool: prefix().join("bin/statictramp"),
        }
    }

    /// Compiles a source with options that are separated by blanks.
    #[track_caller]
    fn gcc(&self, options: &str, source: &str, program: &str) {
        let (options, sources) = (options.split_whitespace(), &self.sources);
        let quiet = "-Wl,--no-warn-execstack";
        cmd!(self.sh, "gcc -w {options...} {sources}/{source} -o {program} -pthread {quiet}").passes();
    }

    /// Returns a command that runs a program under emulation, with arguments and options that are separated by
    /// blanks.
    fn emulated(&self, options: &str, program: &str) -> Command {
        let (tool, options, program) = (&self.tool, options.split_whitespace(), program.split_whitespace());
        cmd!(self.sh, "{tool} run --emulate {options...} {program...}").into()
    }

    /// Checks that a program does the same on an executable stack and under emulation.
    #[track_caller]
    fn same(&self, program: &str) {
        self.same_under(program, self.emulated("", &format!("./{program}")));
    }

    #[track_caller]
    fn same_under(&self, program: &str, emulated: Command) {
        let file = self.sh.current_dir().join(program);
        assert_eq!(stack_rights(&file), "RWE", "{program} requests no executable stack");
        equal(&cmd!(self.sh, "./{program}").within(600).ended(), &emulated.within(600).ended());
    }
}

/// Checks that two runs printed the same and ended with the same status.
#[track_caller]
fn equal(with: &Ended, without: &Ended) {
    assert!(
        with.status == without.status && with.bytes == without.bytes,
        "exit status {} natively, {} under emulation\n{with}\n{without}",
        with.status,
        without.status
    );
}

/// Returns the first words of a list: a number in proportion to the effort, but at least one.
fn the_first<'a>(list: &[&'a str]) -> Vec<&'a str> {
    list[..share(list.len())].to_vec()
}

const VARIANTS: [&str; 16] = [
    "-O2",
    "-O0 -fcf-protection -Wl,-z,ibt",
    "-O3 -no-pie",
    "-O0",
    "-O1",
    "-O3",
    "-Os",
    "-O2 -fcf-protection -Wl,-z,ibt",
    "-O1 -no-pie -fcf-protection",
    "-O0 -no-pie -fcf-protection=none",
    "-O2 -flto",
    "-O2 -march=native",
    "-Os -no-pie",
    "-O3 -fcf-protection -no-pie",
    "-O1 -fno-plt -Wl,-z,now",
    "-O2 -fstack-protector-all -fstack-clash-protection",
];

#[test]
fn c_programs_run_with_each_set_of_options() {
    let test = Test::new("c");
    for (number, options) in VARIANTS.iter().enumerate().take(share(16).max(3)) {
        for name in ["calls", "callbacks", "threads", "coroutines", "signals", "storm"] {
            if number == 0 || name == "calls" || effort() >= 50 {
                let program = format!("{name}-{number}");
                test.gcc(options, &format!("{name}.c"), &program);
                test.same(&program);
            }
        }
    }
}

#[test]
fn programs_with_cxx_exceptions_ada_and_fortran_run() {
    let test = Test::new("languages");
    let Test { sh, sources, .. } = &test;
    test.gcc("-O2 -fexceptions -c", "host.c", "host.o");
    cmd!(sh, "g++ -O2 {sources}/throws.cc host.o -o throws -Wl,--no-warn-execstack").passes();
    test.same("throws");
    cmd!(sh, "gnatmake -q -O1 -ftrampolines {sources}/nested.adb -o nested -largs")
        .args(["-Wl,-z,execstack", "-Wl,--no-warn-execstack"])
        .passes();
    test.same("nested");
    for level in the_first(&["-O2", "-O0", "-O3", "-O1"]) {
        for compiler in ["gfortran", "flang-new-19", "flang-new-22"] {
            let program = format!("procedures-{compiler}{level}");
            let stack = ["-Wl,-z,execstack", "-Wl,--no-warn-execstack"];
            cmd!(
                sh,
                "{compiler} {level} {sources}/procedures.f90 {sources}/apply.f90 -o {program} {stack...}"
            )
            .passes();
            test.same(&program);
        }
    }
}

#[test]
fn programs_of_debian_sid_run_with_its_c_library() {
    let test = Test::new("sid");
    let directory = new_sid_directory("statictramp-emulate");
    let prefix = prefix();
    cmd!(test.sh, "cp -r {prefix}/. {directory}").passes();
    copy_files(&test.sources, &directory);
    for level in the_first(&["-O2", "-O0", "-O3", "-O1"]) {
        for name in ["calls", "callbacks", "threads", "signals", "procedures"] {
            if name != "calls" && name != "procedures" && effort() < 50 {
                continue;
            }
            let program = format!("{name}{level}");
            let compile = match name {
                "procedures" => format!("gfortran-16 {level} procedures.f90 apply.f90"),
                _ => format!("gcc-16 -w -std=gnu17 {level} {name}.c -pthread"),
            };
            let compile = format!("{compile} -o {program} -Wl,--no-warn-execstack");
            in_sid(&directory, &compile).passes();
            let with = in_sid(&directory, &format!("./{program}")).within(600).ended();
            let emulated = format!("bin/statictramp run --emulate ./{program}");
            equal(&with, &in_sid(&directory, &emulated).within(600).ended());
        }
    }
}

#[test]
fn programs_with_address_sanitizer_run() {
    let test = Test::new("asan");
    for (kind, program) in [("", "asan"), ("-static-libasan", "asan-static")] {
        test.gcc(&format!("-O1 -fsanitize=address {kind}"), "calls.c", program);
        test.same(program);
    }
}

#[test]
fn libraries_with_trampolines_are_emulated() {
    let test = Test::new("libraries");
    std::fs::create_dir(test.sh.current_dir().join("beside")).unwrap();
    let library = |name: &str, more: &str, file: &str| {
        test.gcc(&format!("-O2 -shared -fPIC -DNAME={name} {more}"), "library.c", file);
    };
    let (sh, sources) = (&test.sh, &test.sources);
    let beside = ["-Lbeside", "-Wl,-rpath,$ORIGIN/beside", "-Wl,--no-warn-execstack"];
    library("from_beside", "", "beside/libbeside.so");
    library("from_needed", "", "beside/libneeded.so");
    cmd!(
        sh,
        "gcc -w -O2 -shared -fPIC -DNAME=from_loaded -DBESIDE=from_beside {sources}/library.c -o libloaded.so"
    )
    .args(beside)
    .arg("-lbeside")
    .passes();
    cmd!(sh, "gcc -w -O2 {sources}/loads.c -o loads -lneeded -Wl,-rpath-link,beside").args(beside).passes();
    test.same("loads");
}

#[test]
fn child_processes_threads_and_contexts_of_the_c_library_work() {
    let test = Test::new("children");
    test.gcc("-O1 -static-pie", "calls.c", "static-pie");
    test.gcc("-O1", "system.c", "system");
    let directory = test.sh.current_dir();
    copy_file(directory.join("system"), directory.join("not-executable"));
    std::fs::set_permissions(directory.join("not-executable"), Permissions::from_mode(0o644)).unwrap();
    test.same("system");
    let mut denied = test.emulated("", "./not-executable");
    denied.env("LC_ALL", "C");
    denied.fails_with(2, "Permission denied");
}

#[test]
fn no_function_is_looked_up_while_the_program_runs() {
    let test = Test::new("lookups");
    test.gcc("-O1 -Wl,-z,now", "lookups.c", "lookups");
    let mut command = test.emulated("", "./lookups");
    command.env("LD_DEBUG", "libs,symbols");
    let ended = command.passes().matches("transferring control: .*lookups");
    // Each line begins with the number of its process.
    let mut lines = ended.text.lines().skip_while(|it| !it.contains("transferring control: ./lookups"));
    let process = lines.next().expect("a line").split(':').next().expect("a number");
    let of_program: Vec<&str> = lines.filter(|it| it.starts_with(process)).collect();
    assert!(!of_program.is_empty() && !of_program.iter().any(|it| it.contains("symbol=")), "{of_program:#?}");
}

#[test]
fn programs_run_while_the_kernel_denies_writable_and_executable_memory() {
    let test = Test::new("denied");
    let (sh, tool) = (&test.sh, &test.tool);
    if cmd!(sh, "{tool} run true").ended().status != 0 {
        eprintln!("not available: this kernel has no PR_SET_MDWE");
        return;
    }
    for program in ["calls", "threads"] {
        test.gcc("-O2", &format!("{program}.c"), program);
        test.same_under(program, cmd!(sh, "{tool} run {tool} run --emulate ./{program}").into());
    }
}

/// The status of a program that SIGSEGV has killed.
const KILLED: i32 = 128 + 11;

#[test]
fn a_program_that_attacks_the_handler_is_killed() {
    let test = Test::new("hostile");
    test.gcc("-O2", "hostile.c", "hostile");
    let wanted = read(test.sources.join("hostile.txt"));
    for arguments in ["./hostile", "./hostile 1"] {
        let ended = test.emulated("", arguments).ends(KILLED);
        let lines = ended.text.lines().filter(|it| !it.contains("Segmentation fault"));
        assert_eq!(lines.map(|it| format!("{it}\n")).collect::<String>(), wanted);
    }
}

#[test]
fn emulation_respects_landing_pads_and_blocked_signals() {
    let test = Test::new("pads");
    test.gcc("-O1 -fcf-protection=full -Wl,-z,ibt", "pads.c", "pads");
    cmd!(test.sh, "readelf -n pads").passes().has("IBT");
    test.emulated("", "./pads").fails_with(KILLED, "no landing pad");
    test.gcc("-O1 -fcf-protection=none", "pads.c", "no-pads");
    test.emulated("", "./no-pads").passes().has("entered 2");
    test.gcc("-O2", "blocked.c", "blocked");
    test.emulated("", "./blocked").passes().matches_times(1, "^.*blocked SIGSEGV.*$").matches("^1 2 3 -1$");
}

#[test]
fn files_without_the_header_get_non_executable_stacks() {
    let test = Test::new("unmarked");
    let (sh, odd) = (&test.sh, root().join("cli/tests/programs/audit/odd.py"));
    test.gcc("-O1 -shared -fPIC -DNAME=from_needed", "library.c", "libunmarked.so");
    test.gcc("-O1", "rights.c", "unmarked");
    test.gcc("-O1 -DLOADS=\"./libunmarked.so\"", "rights.c", "loads-unmarked");
    for file in ["unmarked", "libunmarked.so"] {
        cmd!(sh, "python3 {odd} unmarked {file}").passes();
    }
    for program in ["unmarked", "loads-unmarked"] {
        cmd!(sh, "./{program}").passes().has("thread rwxp");
        test.emulated("", &format!("./{program}")).passes().has("main rw-p").has("thread rw-p");
    }
}

#[test]
fn a_call_costs_no_more_than_documented() {
    let test = Test::new("cost");
    test.gcc("-O2", "cost.c", "cost");
    eprintln!("{}", test.emulated("", "./cost").passes());
}

/// Returns a directory with the programs `calls`, `callbacks` and `plain`, which requests no executable stack.
fn with_programs(directory: &str) -> Test {
    let test = Test::new(directory);
    test.gcc("-O2", "calls.c", "calls");
    test.gcc("-O2", "callbacks.c", "callbacks");
    write(test.sh.current_dir().join("plain.c"), "int main(void) { return 9; }\n");
    cmd!(test.sh, "gcc plain.c -o plain").passes();
    test
}

#[test]
fn programs_that_cannot_be_emulated_are_rejected_with_the_reason() {
    let test = with_programs("rejected");
    let (sh, tool, directory) = (&test.sh, &test.tool, test.sh.current_dir());
    cmd!(sh, "gcc -static plain.c -o static").passes();
    cmd!(sh, "gcc -Wl,-z,execstack plain.c -o needless -Wl,--no-warn-execstack").passes();
    copy_file(directory.join("plain"), directory.join("setuid"));
    std::fs::set_permissions(directory.join("setuid"), Permissions::from_mode(0o4755)).unwrap();
    cmd!(sh, "mkfifo fifo").passes();
    test.emulated("", "./static").fails_with(2, "statically linked");
    test.emulated("", "./setuid").fails_with(2, "set-user-ID");
    test.emulated("", "./missing").fails_with(2, "no such program");
    test.emulated("--report fifo", "./calls").fails_with(2, "fifo: unsupported");
    test.emulated("", "./needless").fails_with(9, "audit --clear");
    let ended = cmd!(sh, "prlimit --fsize=1024 {tool} run --emulate ./calls").ended();
    assert!(ended.status != 0 && ended.text.contains("File too large"), "{ended}");
    std::fs::create_dir_all(directory.join("elsewhere/bin")).unwrap();
    copy_file(tool, directory.join("elsewhere/bin/statictramp"));
    let ended =
        cmd!(sh, "elsewhere/bin/statictramp run --emulate ./plain").fails_with(2, "emulate.so is missing");
    assert_eq!(ended.text.lines().count(), 1, "{ended}");
}

#[test]
fn programs_started_by_a_script_are_emulated() {
    let test = with_programs("script");
    let script = test.sh.current_dir().join("script");
    write(&script, "#!/bin/sh\n./calls\nexec ./calls\n");
    std::fs::set_permissions(&script, Permissions::from_mode(0o755)).unwrap();
    let status = cmd!(test.sh, "./calls").ended().status;
    test.emulated("", "./script").ends(status).matches_times(2, "^.*,.*$");
}

#[test]
fn the_report_lists_the_functions_and_the_jumps() {
    let test = with_programs("report");
    let report = test.sh.current_dir().join("list");
    let list = |program: &str| {
        _ = test.emulated("--report list", program).ended();
        std::fs::read_to_string(&report).expect("the report")
    };
    let text = list("./callbacks");
    for function in ["qsort", "nftw", "tsearch", "__cxa_atexit", "pthread_create", "sigaction"] {
        let line =
            text.lines().find(|it| it.contains(&format!(" {function} ")) && it.contains("callbacks+0x"));
        assert!(line.is_some(), "the report does not list {function}: {text}");
    }
    let text = list("./calls");
    let line = text.lines().find(|it| it.trim_start().starts_with("1000  handler "));
    assert!(line.is_some_and(|it| it.contains(" add") && it.contains(", main")), "{text}");
}

#[test]
fn a_report_that_cannot_be_written_does_not_stop_the_program() {
    let test = with_programs("full");
    let ended =
        test.emulated("--report /dev/full", "./calls").output_to(File::create("/dev/null").unwrap()).ended();
    assert_eq!(ended.text, "statictramp: cannot write /dev/full\n");
    // A report that exceeds the program's limit on the size of files does not kill the program.
    test.gcc("-O2", "limited.c", "limited");
    // In a pipe, the message appears; in a file, the limit applies to the message as well.
    test.emulated("--report limited.list", "./limited")
        .ends(6)
        .matches("^statictramp: cannot write .*limited.list$");
    let script = "\"$0\" run --emulate --report limited.list ./limited >text 2>&1";
    let tool = &test.tool;
    cmd!(test.sh, "bash -c {script} {tool}").ends(6);
    assert_eq!(std::fs::read(test.sh.current_dir().join("text")).unwrap(), b"");
}
