//! A table with one slot, which may not grow, and hosts that offer memory in their frames. Every program runs on an executable
//! stack, as it does when it is compiled without the library.

use crate::*;
use test_tools::{Ended, one_of};

/// Compiles a program with this value of the setting, and links it with a library of one slot.
fn build(directory: &Path, setting: &str, level: &str, name: &str, stack: &str) -> Ended {
    let library = std::env::var("scratch_library").expect("the leg sets it");
    let source = WORK.join(format!("{name}.f90"));
    let line = format!(
        "{level} -w -fopenmp {} {} {} {library}/libstatictramp.a -Wl,-z,{stack} -o scratch",
        plugin(19),
        source.display(),
        watch()
    );
    flang(19, directory, &line).var("STATICTRAMP_SCRATCH", setting).ended()
}

/// Returns a command that runs the program and lets it have executable memory.
fn scratch(directory: &Path) -> Command {
    let command = host(directory, "./scratch").var("STATICTRAMP_LIMIT", "1").var("NO_STOP_MESSAGE", "1");
    let command = command.var("OMP_NUM_THREADS", "4").var("LD_LIBRARY_PATH", "/usr/lib/llvm-19/lib");
    command.var("MAY_BE_EXECUTABLE", "1")
}

#[test]
fn programs_with_one_slot_print_the_same_as_with_gfortran() {
    let built = sources().into_iter().filter(|source| builds(19, source));
    let all = built.flat_map(|source| [(source.clone(), "-O0"), (source, "-O2")]);
    let numbered = all.enumerate().filter(|(index, _)| one_of(3, index + 1));
    let chosen: Vec<(PathBuf, &str)> = numbered.map(|(_, program)| program).collect();
    assert!(!chosen.is_empty());
    let directory = new_directory("scratch");
    for (source, level) in &chosen {
        build(&directory, "on", level, stem(source), "execstack").ends(0);
        let mut command = scratch(&directory);
        if is_leaking(source) {
            command.env("MAY_LEAK", "1");
        }
        prints(wanted(source), command);
    }
}

/// Without the option, or on a non-executable stack, the program aborts with the documented message.
#[test]
fn a_full_table_without_scratch_memory_aborts() {
    let directory = new_directory("scratch-control");
    for (setting, stack) in [("off", "execstack"), ("on", "noexecstack")] {
        build(&directory, setting, "-O2", "concurrent_hosts", stack).ends(0);
        let ended = scratch(&directory).within(300).ended();
        assert!(ended.status != 0, "{setting}, {stack}: the program did not abort: {ended}");
        ended.matches("^statictramp: all 1 trampolines are in use");
    }
}

#[test]
fn unknown_values_of_the_setting_are_rejected() {
    let directory = new_directory("scratch-setting");
    let ended = build(&directory, "yes", "-O2", "seed_pointer", "execstack");
    assert!(ended.status != 0, "{ended}");
    ended.matches("^error: STATICTRAMP_SCRATCH is \"yes\", but must be off or on");
}
