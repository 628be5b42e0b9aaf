//! How the optimizer uses the list of procedures that keep nothing, and why it needs the list.

use crate::*;
use test_tools::{copy_files, doc_block, write};

for_each_flang!(
    loops_are_vectorized_with_the_list_and_print_the_same,
    each_call_has_the_promises_of_its_line,
    the_run_time_library_needs_no_line,
    module_procedures_are_listed_by_their_symbol
);

/// A directory with the programs, the lists and the settings of a compilation.
struct Programs {
    version: u32,
    directory: PathBuf,
}

impl Programs {
    fn new(version: u32, name: &str) -> Programs {
        let directory = new_directory(&format!("promises-{name}-{version}"));
        copy_files(programs("promises"), &directory);
        write(directory.join("promises"), "report # prints it\nReport_Count\n");
        write(directory.join("of_module"), "_QMelsewherePshow 1\n_QMelsewherePdescribe 1\n");
        write(directory.join("nothing"), "");
        Programs { version, directory }
    }

    /// Returns a command that compiles with this value of the setting and with a list.
    fn compile(&self, setting: &str, list: &str, arguments: &str) -> Command {
        let arguments = format!("-ffast-math {} {arguments}", plugin(self.version));
        let command = flang(self.version, &self.directory, &arguments);
        command.var("STATICTRAMP_KEEPS_NOT", list).var("STATICTRAMP_TELL_OPTIMIZER", setting)
    }

    /// Returns the LLVM IR of a program.
    #[track_caller]
    fn ir(&self, setting: &str, list: &str, level: &str, name: &str) -> String {
        let arguments = format!("{level} -w -S -emit-llvm {name}.f90 -o {name}.ll");
        self.compile(setting, list, &arguments).passes();
        read(self.directory.join(format!("{name}.ll")))
    }

    #[track_caller]
    fn run(&self, program: &str) -> String {
        run(self.version, &self.directory, program).passes().text
    }
}

/// Returns the arguments, counted from 1, that the calls to a procedure mark as not captured.
fn not_kept(ir: &str, procedure: &str) -> String {
    let calls = groups(&format!(r"call [^@\n]*@{}\((.*)\)", regex::escape(procedure)), ir);
    let promise = multi_line(PROMISE);
    let of_call = |arguments: &String| {
        let arguments = arguments.split(", ").enumerate().filter(|(_, it)| promise.is_match(it));
        arguments.map(|(index, _)| (index + 1).to_string()).collect::<Vec<_>>().join(" ")
    };
    calls.iter().map(of_call).collect()
}

#[test]
fn the_loop_in_the_manual_matches_the_tested_one() {
    let source = read(programs("promises/maxima.f90"));
    let tested = multi_line(r"^  do nl(?s:.*?)\n  end do$").find(&source).unwrap();
    let tested: String = tested.as_str().lines().map(|line| line.replacen("  ", "", 1) + "\n").collect();
    assert_eq!(doc_block("docs/fortran.md", "fortran", 3), tested);
}

fn loops_are_vectorized_with_the_list_and_print_the_same(version: u32) {
    let programs = Programs::new(version, "loops");
    host(&programs.directory, "gfortran -O2 maxima.f90 report.f90 -o gfortran").passes();
    let wanted = host(&programs.directory, "./gfortran").passes().text;
    for setting in ["off", "on"] {
        let ir = programs.ir(setting, "promises", "-O2", "maxima");
        for kind in ["i32", "float"] {
            // LLVM 23 expects flags of the comparison that are lost when the variable becomes a register.
            let is_wanted = setting == "on" && (version, kind) != (23, "float");
            assert_eq!(vectors_of(kind, &ir), is_wanted, "{setting}: vectors of {kind}");
        }
    }
    for level in ["-O0", "-O2", "-O3"] {
        programs
            .compile("on", "promises", &format!("{level} maxima.f90 report.f90 {} -o maxima", archive()))
            .passes();
        assert_eq!(programs.run("./maxima"), wanted, "{level}");
    }
    let ir = programs.ir("on", "promises", "-O1", "bindings");
    let promised = groups(&format!(r"call void @([A-Za-z_]+)\(.*{PROMISE}"), &ir);
    assert_eq!(promised, ["report", "report_"]);
    let ended = programs.compile("yes", "promises", "-c maxima.f90 -o x.o").ended();
    assert!(ended.status != 0, "{ended}");
    ended.matches("^error: STATICTRAMP_TELL_OPTIMIZER is \"yes\", but must be off or on");
}

/// The program's comments contain the lines of the list, and their promises. There is no promise for
/// a procedure.
fn each_call_has_the_promises_of_its_line(version: u32) {
    let programs = Programs::new(version, "numbered");
    let source = read(programs.directory.join("numbered.f90"));
    let lines = groups("! ([a-z]+[ 0-9]*:.*)$", &source);
    let lines: Vec<(&str, &str)> = lines.iter().map(|line| line.split_once(':').unwrap()).collect();
    assert!(!lines.is_empty());
    write(
        programs.directory.join("numbers"),
        lines.iter().map(|(line, _)| format!("{line}\n")).collect::<String>(),
    );
    for level in ["-O0", "-O1"] {
        let ir = programs.ir("on", "numbers", level, "numbered");
        for (line, wanted) in &lines {
            let name = line.split(' ').next().unwrap();
            assert_eq!(not_kept(&ir, &format!("{name}_")), wanted.trim(), "{level}, the line \"{line}\"");
        }
    }
}

/// Arguments of the run-time library's functions, counted from 1.
const INTRINSICS: &[(&str, &str)] = &[
    ("CharacterCompareScalar1", "1 2"),
    ("Index1", "1 3"),
    ("Scan1", "1 3"),
    ("Verify1", "1 3"),
    ("Trim", "1 2"),
    ("Adjustl", "1 2"),
    ("Repeat", "1 2"),
    ("DateAndTime", "1 3 5 9"),
    ("RandomNumber", "1"),
    ("RandomSeedPut", "1"),
    ("GetEnvVariable", "1 2 3 5"),
    ("GetCommandArgument", "2 3 4"),
];

fn the_run_time_library_needs_no_line(version: u32) {
    let programs = Programs::new(version, "library");
    let ir = programs.ir("on", "promises", "-O2", "reads");
    assert_eq!(not_kept(&ir, "_FortranAioInputReal32"), "2", "READ: only its variable");
    assert!(version == 23 || vectors_of("float", &ir), "the loop with READ and PRINT is not vectorized");
    let ir = programs.ir("on", "nothing", "-O0", "intrinsics");
    for (name, wanted) in INTRINSICS {
        assert_eq!(not_kept(&ir, &format!("_FortranA{name}")), *wanted, "{name}");
    }
    let ir = programs.ir("on", "nothing", "-O0", "internal_unit");
    let unit = "_FortranAioBeginInternalListOutput";
    assert!(ir.contains(unit));
    assert_eq!(not_kept(&ir, unit), "", "a promise for the unit of a statement that has begun");
}

/// Descriptors need no line in the list, and data arguments are listed by the symbol.
fn module_procedures_are_listed_by_their_symbol(version: u32) {
    let programs = Programs::new(version, "modules");
    programs.compile("off", "nothing", "-c module_elsewhere.f90 -o elsewhere.o").passes();
    let ir = programs.ir("on", "nothing", "-O2", "module_calls");
    assert_eq!(not_kept(&ir, "_QMelsewherePdescribe"), "1 2", "the descriptors");
    let ir = programs.ir("on", "of_module", "-O2", "module_calls");
    assert_eq!(not_kept(&ir, "_QMelsewherePshow"), "1");
    assert!(version == 23 || vectors_of("float", &ir), "the loop is not vectorized");
    for level in ["-O3", "-O3 -fstack-arrays"] {
        // The second is -Ofast with the option that `compile` adds.
        let [off, on] = ["off", "on"].map(|setting| {
            let arguments = format!("{level} -w same_output.f90 elsewhere.o {} -o same_output", archive());
            programs.compile(setting, "of_module", &arguments).passes();
            programs.run("./same_output")
        });
        assert_eq!(off, on, "{level}: promises change the output");
    }
}

/// If a later flang emits more attributes, more promises can be made without a list.
fn attributes_are_missing(version: u32) {
    let ir = Programs::new(version, "missing").ir("off", "nothing", "-O2", "missing");
    for name in ["plain", "passed", "awaited", "dangling"] {
        let tag = format!("\"allocated data/_QFmissingE{name}\"");
        assert!(ir.contains(&tag), "flang {version} treats {name} differently from other variables");
    }
    assert!(ir.contains("\"target data/_QFmissingEpointed\""), "a TARGET is like other variables");
    for name in ["implicit", "in_c", "starts", "points_to"] {
        let declared = format!(r"^declare.* void @{name}_\(ptr.*\) ");
        let declared =
            multi_line(&declared).find(&ir).unwrap_or_else(|| panic!("{name} is not declared")).as_str();
        assert!(declared.ends_with(&format!("void @{name}_(ptr) ")), "{declared}");
        let calls = groups(&format!(r"^ *call void @{name}_\((ptr.*)\)"), &ir);
        assert!(!calls.is_empty(), "{name} is not called");
        for arguments in calls {
            assert!(multi_line("^ptr nonnull %[0-9]*$").is_match(&arguments), "{name}: {arguments}");
        }
    }
}

#[test]
fn flang_22_ir_contains_neither_asynchronous_nor_interfaces() {
    attributes_are_missing(22);
}

#[test]
fn flang_23_ir_contains_neither_asynchronous_nor_interfaces() {
    attributes_are_missing(23);
}
