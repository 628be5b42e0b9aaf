//! The promises for individual calls, which `statictramp captures --compile` adds to its list.

use crate::captures::{Captures, promised};
use crate::*;
use test_tools::{multi_line, one_of, share, write};

for_each_flang!(
    the_calls_are_the_stated_ones,
    calls_through_dummy_procedures_have_a_promise_only_for_the_exact_caller,
    a_loop_beside_a_target_is_vectorized,
    generated_calls_print_the_same_with_promises_and_differ_with_invalid_ones
);

/// Returns the lines about individual calls, without positions.
fn calls(captures: &Captures, source: &str) -> String {
    let list = captures.list(&format!("--calls -w -c {source}"));
    let lines = list.lines().filter(|it| it.contains('@'));
    lines.map(|it| multi_line(":[0-9]*:[0-9]* ").replace(it, " ").into_owned() + "\n").collect()
}

fn the_calls_are_the_stated_ones(version: u32) {
    let captures = Captures::with_programs(version, "calls");
    for source in ["call_sites.f90", "through_dummies.f90"] {
        assert_eq!(calls(&captures, source), promised(&captures.read(source)), "{source}");
    }
}

/// A call that can reach a procedure that is said to keep its arguments gets no promise.
fn calls_through_dummy_procedures_have_a_promise_only_for_the_exact_caller(version: u32) {
    let mut captures = Captures::with_programs(version, "dummies");
    let has_promise = |line: &str| multi_line("^[*]@").is_match(&captures.list(line));
    assert!(
        has_promise("--calls -w -c passed_keepers.F90"),
        "there is no promise, so this test proves nothing"
    );
    assert!(!has_promise("--calls --keeps=passed -w -c passed_keepers.F90"), "--keeps does not apply");
    assert!(!has_promise("--calls -DBUILT_IN -w -c passed_keepers.F90"), "built-in names do not apply");
    write(captures.path("own"), "passed\n");
    for own in ["", "own"] {
        captures.own_list = own.to_owned();
        captures.with_plugin("-O2 -w -S -emit-llvm passed_keepers.F90 -o passed.ll");
        let is_promised =
            multi_line(&format!("call void %.*{PROMISE}")).is_match(&captures.read("passed.ll"));
        assert_eq!(
            is_promised,
            own.is_empty(),
            "own list \"{own}\": the promise in the call through a dummy procedure"
        );
    }
}

/// The loop of `reduction.f90`, next to a call that passes a TARGET.
fn a_loop_beside_a_target_is_vectorized(version: u32) {
    let mut captures = Captures::with_programs(version, "beside");
    let flags = "-O2 -ffast-math -w -S -emit-llvm";
    let promise = format!(r"call void @dummy_\(.*{PROMISE}[^,\n]*\)");
    write(captures.path("list"), captures.list("-w -c beside_target.f90"));
    captures.own_list = "list".to_owned();
    captures.with_plugin(&format!("{flags} beside_target.f90 -o without.ll"));
    let without = captures.read("without.ll");
    assert!(
        !vectors_of("float", &without),
        "vectorized without a promise for its call, so this test proves nothing"
    );
    captures.own_list.clear();
    captures.with_plugin(&format!("{flags} beside_target.f90 -o with.ll"));
    let with = captures.read("with.ll");
    assert!(version == 23 || vectors_of("float", &with), "the loop beside a TARGET is not vectorized");
    assert!(multi_line(&promise).is_match(&with), "no promise about the last argument of dummy");
    assert!(!with.contains("!DILocation"), "the line tables are not removed");
    captures.with_plugin(&format!("{flags} -gline-tables-only beside_target.f90 -o lines.ll"));
    let lines = captures.read("lines.ll");
    assert!(lines.contains("!DILocation"), "the line tables that the user asked for are removed");
    let count = |ir: &str| ir.lines().filter(|it| multi_line(PROMISE).is_match(it)).count();
    assert_eq!(count(&lines), count(&with), "the user's line tables change the promises");

    // Positions belong to one compilation: the lines have no effect if they are in a list of the user.
    let list = captures.list("--calls -w -c beside_target.f90");
    let stale: String = list.lines().filter(|it| it.contains('@')).map(|it| format!("{it}\n")).collect();
    write(captures.path("own"), format!("@0123456789abcdef\n{stale}"));
    captures.own_list = "own".to_owned();
    let line = format!("--compile --keeps=dummy {} {flags} beside_target.f90 -o stale.ll", plugin(version));
    captures.command(&line).passes();
    assert!(
        !multi_line(&promise).is_match(&captures.read("stale.ll")),
        "the positions of another compilation are used"
    );
}

/// The program of `fortran-calls`, in which several calls share a line, a position or a file name.
fn generated_calls_print_the_same_with_promises_and_differ_with_invalid_ones(version: u32) {
    let mut captures = Captures::with_programs(version, "generated-calls");
    let tools = root().join("target/test-tools/debug/test-tools");
    write(captures.path("wrong"), "keep\nheld\nturned\n");
    captures.with_plugin("-O2 -w -c calls_library.f90 -o calls_library.o");
    let call = multi_line(r"call .*@(?:keep|held|turned)_\(");
    let promise = multi_line(&format!(r"_\([^,\n]*{PROMISE}"));
    let (mut all, mut with_promise) = (0, 0);
    for seed in 1..=share(12) {
        host(&captures.directory, &format!("{} fortran-calls {seed} .", tools.display())).passes();
        captures.with_plugin("-O3 -w -c main.f90 -o main.o");
        captures.with_plugin("-O3 -w -S -emit-llvm caller.F90 -o caller.ll");
        let ir = captures.read("caller.ll");
        for line in ir.lines().filter(|it| call.is_match(it)) {
            all += 1;
            with_promise += usize::from(promise.is_match(line));
        }
        let [with, without, invalid] = [("-O3", ""), ("-O0", ""), ("-O3", "wrong")].map(|(level, own)| {
            captures.own_list = own.to_owned();
            captures.with_plugin(&format!("{level} -w -c caller.F90 -o caller.o"));
            captures.own_list.clear();
            captures.flang(&format!("caller.o main.o calls_library.o {} -o program", archive()));
            captures.run("program")
        });
        assert_eq!(with, without, "seed {seed}: the promises for single calls change the output");
        assert_ne!(
            invalid, without,
            "seed {seed}: invalid promises do not change the output, so this test proves little"
        );
    }
    assert!(with_promise * 8 > all && with_promise < all, "{with_promise} of {all} calls have a promise");
}

/// Two files with the same name each contain a main program, with calls at the same positions.
#[test]
fn promises_are_not_applied_to_the_same_positions_of_another_file() {
    let captures = Captures::with_programs(19, "positions");
    captures.with_plugin("-O2 -w -c calls_library.f90 -o calls_library.o");
    let program = |calls: [&str; 2]| {
        format!(
            "program main\n  real x\n  real, target :: t\n  call keep({})\n  call keep({})\n  t = 5\n  call bump()\n  \
             print *, t\nend\n",
            calls[0], calls[1]
        )
    };
    let (one, two) = (["x, .false.", "t, .true."], ["t, .true.", "x, .false."]);
    for (name, calls) in [("one/same name", one), ("two/same name", two), ("first", one), ("second", two)] {
        write(captures.path(&format!("{name}.f90")), program(calls));
    }
    captures.with_plugin("-O3 -w -c first.f90 second.f90");
    captures.with_plugin("-O3 -w -c one/same~name.f90 -o one.o");
    captures.with_plugin("-O3 -w -c two/same~name.f90 -o two.o");
    for object in ["first", "second", "one", "two"] {
        captures.flang(&format!("{object}.o calls_library.o -o program"));
        assert_eq!(captures.run("program").trim(), "6.", "{object}.o loses a change");
    }
}

/// Adding and later removing line tables does not change optimized code. Unoptimized code could change, so none are added.
#[test]
fn line_tables_do_not_change_the_code() {
    let directory = new_directory("line-tables");
    write(directory.join("removing"), "@token remove\n");
    for (number, source) in sources().into_iter().enumerate().map(|(index, source)| (index + 1, source)) {
        let (version, level) = (if number % 2 == 0 { 19 } else { 22 }, 1 + number / 2 % 3);
        if !one_of(12, number) || !builds(version, &source) {
            continue;
        }
        let compile = |options: &str| {
            let line = format!("-O{level} -w {} -c {} {options}", plugin(version), source.display());
            flang(version, &directory, &line).var("STATICTRAMP_TELL_OPTIMIZER", "on")
        };
        compile("-o plain.o").passes();
        let removed = compile("-gline-tables-only -o removed.o").var("STATICTRAMP_CALLS", "token");
        removed.var("STATICTRAMP_KEEPS_NOT", directory.join("removing")).passes();
        let [plain, removed] = ["plain.o", "removed.o"].map(|it| std::fs::read(directory.join(it)).unwrap());
        assert!(
            plain == removed,
            "flang {version} -O{level}: line tables change the code of {}",
            source.display()
        );
    }
    let captures = Captures::with_programs(19, "no-line-tables");
    let line = format!("--compile -O0 -w {} -c call_sites.f90 -###", plugin(19));
    captures.command(&line).ended().lacks("line-tables-only");
}
