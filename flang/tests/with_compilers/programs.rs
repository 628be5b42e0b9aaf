//! Programs with the plugin: their output equals gfortran's, no trampoline remains, and the stack is not executable.

use crate::*;
use test_tools::{one_of, stack_rights};

for_each_flang!(programs_print_the_same_as_by_gfortran, pointers_that_siblings_set_need_the_plugin);

/// A short run compiles each program at only one of the four optimization levels.
fn programs_print_the_same_as_by_gfortran(version: u32) {
    let (built, others): (Vec<PathBuf>, Vec<PathBuf>) =
        sources().into_iter().partition(|source| builds(version, source));
    assert!(built.len() > 50, "only {} programs", built.len());
    for source in others {
        let directory = new_directory(&format!("programs/not-built-{version}"));
        let ended =
            flang(version, &directory, &format!("-O0 -w -fopenmp {} -o stock", of_work(&source))).ended();
        assert!(ended.status != 0, "{} is marked as not buildable with flang {version}", source.display());
    }
    let all =
        (0..4).flat_map(|level| built.iter().enumerate().map(move |(index, source)| (level, index, source)));
    let chosen: Vec<_> =
        all.filter(|(level, index, _)| one_of(4, index + version as usize % 5 + level)).collect();
    in_parallel(&chosen, |(level, _, source)| {
        // Each program has its own directory, because several programs have modules of the same name.
        let directory = new_directory(&format!("programs/{}-{version}-O{level}", stem(source)));
        let line = format!(
            "-O{level} -fopenmp {} {} {} {} -o program",
            plugin(version),
            of_work(source),
            watch(),
            archive()
        );
        flang(version, &directory, &line).passes();
        assert_eq!(stack_rights(directory.join("program")), "RW", "{}", source.display());
        let mut command = run(version, &directory, "./program");
        if is_leaking(source) {
            command.env("MAY_LEAK", "1");
        }
        prints(wanted(source), command);
        std::fs::remove_dir_all(&directory).unwrap();
    });
}

/// Without the plugin, the program aborts or loops for ever.
fn pointers_that_siblings_set_need_the_plugin(version: u32) {
    let directory = new_directory(&format!("programs/control-{version}"));
    let source = of_work(&programs("compared/sibling_sets_pointer.f90"));
    flang(version, &directory, &format!("-O0 -w {source} -o stock")).passes();
    let ended = unguarded(version, &directory, "./stock").within(20).ended();
    assert!(
        ended.status != 0,
        "flang {version} without the plugin runs this program, so the tests prove nothing"
    );
}
