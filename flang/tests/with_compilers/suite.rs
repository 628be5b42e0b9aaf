//! The files of GCC's gfortran suite that need trampolines: those for which gfortran requests an executable stack. Each file that
//! flang compiles must pass with the plugin on a non-executable stack. (The files that are expected to fail test the run-time
//! checks of gfortran's option -fcheck=pointer.) A short run takes every fourth file.

use crate::*;
use std::sync::Mutex;
use test_tools::{copy_file, effort, files_in, multi_line, read, stack_rights};

for_each_flang!(the_suite_passes);

fn files_below(directory: &Path) -> Vec<PathBuf> {
    let of = |it: PathBuf| if it.is_dir() { files_below(&it) } else { vec![it] };
    files_in(directory).into_iter().flat_map(of).collect()
}

/// Returns the files that need trampolines.
fn needed() -> &'static [PathBuf] {
    static NEEDED: OnceLock<Vec<PathBuf>> = OnceLock::new();
    NEEDED.get_or_init(|| {
        let is_fortran = |it: &PathBuf| it.extension().is_some_and(|it| it.eq_ignore_ascii_case("f90"));
        let runs = multi_line("dg-do +run");
        let contains = multi_line("(?i)^ *contains");
        let is_candidate = |it: &PathBuf| {
            let text = read(it);
            runs.is_match(&text) && !text.contains("dg-shouldfail") && contains.is_match(&text)
        };
        let mut files = files_below(&root().join("target/gcc-suite/gfortran.dg"));
        files.sort();
        let part = if effort() < 100 { 4 } else { 1 };
        let candidates = files.into_iter().filter(is_fortran).filter(is_candidate);
        let candidates: Vec<PathBuf> = candidates.skip(part - 1).step_by(part).collect();
        let needed: Mutex<Vec<PathBuf>> = Mutex::default();
        in_parallel(&candidates, |file| {
            let directory = new_directory(&format!("suite/probe/{}", stem(file)));
            let line = format!("gfortran -cpp -w -O0 -S {} -o probe.s", file.display());
            if host(&directory, &line).ended().status == 0
                && read(directory.join("probe.s")).contains("note.GNU-stack,\"x\"")
            {
                needed.lock().unwrap().push(file.clone());
            }
            std::fs::remove_dir_all(&directory).unwrap();
        });
        let mut needed = needed.into_inner().unwrap();
        needed.sort();
        needed
    })
}

fn the_suite_passes(version: u32) {
    let needed = needed();
    assert!(!needed.is_empty(), "no file needs trampolines");
    let directory = new_directory(&format!("suite/{version}"));
    for level in ["-O0", "-O2"] {
        let mut passed = 0;
        let mut rejected = Vec::new();
        for source in needed {
            let name = source.file_name().unwrap().to_str().unwrap();
            let file = format!("suite.{}", source.extension().unwrap().to_str().unwrap());
            copy_file(source, directory.join(&file));
            let compile = |plugin: &str| {
                let line = format!("{level} -cpp {plugin} {file} {} -o suite", archive());
                flang(version, &directory, &line).ended()
            };
            let compiled = compile(&plugin(version));
            if compiled.status != 0 {
                assert!(
                    compile("").status != 0,
                    "{level}: {name} compiles only without the plugin: {compiled}"
                );
                rejected.push(name);
                continue;
            }
            assert_eq!(stack_rights(directory.join("suite")), "RW", "{level}: {name}");
            let ended = run(version, &directory, "./suite").within(300).ended();
            assert!(ended.status == 0, "{level}: {name}: exit status {}: {ended}", ended.status);
            passed += 1;
        }
        assert!(passed > 0);
        eprintln!("flang {version} {level}: {passed} files pass; flang does not compile {rejected:?}");
    }
}
