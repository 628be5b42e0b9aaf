//! `audit` for a distribution's checks: packages, hostile packages, the interfaces for programs, exceptions, files that are only
//! counted, the objects that cause the flag, and the checks that `docs/stack-note.md` shows.

use crate::audit_files::{copy, files, omits_pattern};
use crate::{start, tool_shell};
use std::ffi::OsStr;
use std::fs::{File, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use test_tools::{Ended, Expect, doc_block, files_in, read, write};
use xshell::{Shell, cmd};

const SOURCES: &str = "cli/tests/programs/audit";

/// Packages of each kind that contain the program `needed`, and a directory `hostile`.
fn packages() -> &'static Path {
    static PACKAGES: OnceLock<PathBuf> = OnceLock::new();
    PACKAGES.get_or_init(|| {
        let (sh, out) = start("audit/packages");
        let needed = files().join("needed");
        cmd!(sh, "python3 {SOURCES}/packages.py {out} {needed}").passes();
        out
    })
}

fn name_of(file: &Path) -> &str {
    file.file_name().and_then(OsStr::to_str).expect("a name")
}

#[test]
fn files_in_packages_of_each_kind_are_examined() {
    let sh = tool_shell();
    for package in files_in(packages()).iter().filter(|it| it.is_file() && name_of(it).contains('.')) {
        let (name, path) = (name_of(package), package.display());
        let ended = cmd!(sh, "statictramp audit {package}").ends(1);
        let finding = format!(r"^{path}:[^ \n]*y\.so: needs an executable stack: .* \[stack-needed\]$");
        let others = ended.count(r"^[^ \n].*$") - ended.count(&finding) - ended.count("^.* examined, .*$");
        assert_eq!(others, 0, "{ended}");
        if name == "nested.tar.gz" {
            ended.matches(&format!("^{path}:x.whl:y.so: needs"));
        } else if name.contains(".tar") || name.ends_with(".deb") || name == "alpine.apk" {
            ended.matches_times(2, "y.so: needs");
        }
    }
    let packages = packages();
    cmd!(sh, "statictramp audit --quick {packages}/x.deb").ends(0).has(", 1 skipped");
    cmd!(sh, "statictramp audit {packages}/hostile/squashed").ends(0).has(", 1 skipped");
}

#[test]
fn hostile_packages_are_reported_within_a_minute_and_a_gigabyte() {
    let sh = tool_shell();
    let hostile = packages().join("hostile");
    for package in files_in(&hostile).iter().filter(|it| it.is_file()) {
        let name = name_of(package);
        let ended = cmd!(sh, "prlimit --as=1024000000 statictramp audit {package}").within(60).ended();
        let ended = ended.at_most(2).lacks("\x1b").lacks("\x07").lacks("panicked");
        let is = |words: &[&str]| words.iter().any(|it| name.contains(it));
        if is(&["truncated", "bomb", "huge", "name", "dictionary", "unreadable"]) {
            ended.ends(2);
        } else if is(&["finding"]) {
            ended.ends(1);
        } else if is(&["deep", "sparse"]) {
            ended.has(" skipped");
        }
    }
    let ended = cmd!(sh, "/usr/bin/time -f %M statictramp audit {hostile}/large").ends(1);
    let peak: u32 = ended.text.lines().last().unwrap().parse().expect("KiB");
    assert!(peak < 100_000, "files with large dictionaries take {peak} KiB of memory");
    ended.has(", 4 with findings, 0 unreadable");
    assert!(!Path::new("/tmp/statictramp-escaped.so").exists(), "a member was unpacked outside");
}

/// Returns a directory with files whose names are not UTF-8, and with objects.
fn other(directory: &str) -> (Shell, PathBuf) {
    let (sh, out) = start(directory);
    std::fs::create_dir(out.join("other")).unwrap();
    for name in [b"no\xfename", b"no\xffname"] {
        copy("needed", out.join("other").join(OsStr::from_bytes(name)));
    }
    copy("asks", out.join("other/asks.exe"));
    cmd!(sh, "gcc -O2 -DWITHOUT_MAIN -c {SOURCES}/nested.c -o {out}/other/nested.o").passes();
    copy("answer.o", out.join("other/answer.o"));
    (sh, out)
}

#[test]
fn json_and_sarif_are_valid_and_exceptions_are_applied() {
    let (sh, out) = other("audit/interfaces");
    let packages = packages();
    let asks = files().join("asks");
    let exceptions = out.join("exceptions");
    let known = out.join("other/asks.exe");
    let lines = format!(
        "{} stack-asked-only known, and tested without\n*/never.so stack-needed gone\n",
        known.display()
    );
    write(&exceptions, lines);
    let print = |name: &str, options: &[&str], inputs: &[&Path]| {
        let file = File::create(out.join(name)).unwrap();
        cmd!(sh, "statictramp audit {options...} {inputs...}").output_to(file).ended().at_most(2);
    };
    let listed = exceptions.to_str().unwrap();
    let other = out.join("other");
    print("all.json", &["--json", "--all", "--exceptions", listed], &[&other, packages]);
    print("all.sarif", &["--format", "sarif", "--exceptions", listed], &[&other, packages]);
    print("schema.json", &["--schema"], &[]);
    cmd!(sh, "python3 {SOURCES}/interfaces.py {out}/schema.json {out}/all.json {out}/all.sarif").passes();
    assert!(read(out.join("all.sarif")).contains("\"suppressions\""));
    cmd!(sh, "statictramp audit --exceptions {exceptions} {known}")
        .passes()
        .has("unused exception: */never.so stack-needed (line 2)")
        .has("1 accepted");
    let endless = cmd!(sh, "prlimit --as=1024000000 statictramp audit --exceptions /dev/zero {asks}");
    endless.within(60).ended().ends(2);
    let full = File::options().write(true).open("/dev/full").unwrap();
    cmd!(sh, "statictramp audit --schema").output_to(full).ended().ends(2);
    for line in ["x stack-needed", "x no-such-tag why"] {
        write(&exceptions, format!("{line}\n"));
        cmd!(sh, "statictramp audit --exceptions {exceptions} {asks}").ends(2);
    }
    // The page and the schema name the same tags.
    let schema = read(out.join("schema.json"));
    let page = read("docs/audit.md");
    let tags = page.split("\n## Tags").nth(1).unwrap().split("\n## Output").next().unwrap();
    let tags: Vec<&str> = tags.lines().filter_map(|it| it.strip_prefix("| `")?.split('`').next()).collect();
    assert!(tags.len() > 3, "docs/audit.md lists only {tags:?}");
    for tag in tags {
        assert!(schema.contains(&format!("\"{tag}\"")), "the schema lacks the tag {tag}");
    }
}

#[test]
fn unexamined_files_are_not_reported_as_findings() {
    let (sh, out) = other("audit/counted");
    // Java's class files begin like Mach-O files for several processors.
    cmd!(sh, "python3 {SOURCES}/odd.py class-files {out}/java").passes();
    cmd!(sh, "statictramp audit {out}/java").passes();
    let mut code = std::fs::read(files().join("needed")).unwrap();
    code[18..20].fill(0); // EM_NONE
    write(out.join("no-machine.go"), code);
    write(out.join("board.s"), ".syntax unified\n.cpu cortex-m3\n.thumb\nf: bx lr\n");
    write(out.join("crt0.s"), "f: bx lr\n");
    cmd!(sh, "arm-linux-gnueabihf-as -o {out}/board.o {out}/board.s").passes();
    for file in ["no-machine.go", "board.o"] {
        cmd!(sh, "statictramp audit {out}/{file}").passes().matches("^not judged: 1 ");
    }
    std::fs::create_dir(out.join("arm-none-eabi")).unwrap();
    cmd!(sh, "arm-linux-gnueabihf-as -o {out}/arm-none-eabi/crt0.o {out}/crt0.s").passes();
    cmd!(sh, "statictramp audit {out}/arm-none-eabi").passes();
    cmd!(sh, "statictramp audit --machine arm64 {out}/other").passes();
    cmd!(sh, "statictramp audit --machine amd64 {out}/other").ends(1);
    let pattern = format!("{}/other/*", out.display());
    cmd!(sh, "statictramp audit --exclude {pattern} {out}/other").passes();
    let named = files_in(out.join("other"));
    cmd!(sh, "statictramp audit --exclude * {named...}").passes();
}

#[test]
fn an_address_beyond_the_last_named_function_gets_no_name() {
    let (sh, out) = start("audit/names");
    cmd!(sh, "gcc -O2 -shared -fPIC -fvisibility=hidden -DWITHOUT_MAIN -Dhost=inner {SOURCES}/nested.c")
        .args(["-x", "c", &format!("{SOURCES}/visible.c"), "-o"])
        .arg(out.join("names.so"))
        .passes();
    cmd!(sh, "strip {out}/names.so").passes();
    cmd!(sh, "statictramp audit {out}/names.so").ends(1);
    omits_pattern("at 0x[0-9a-f]+ in ", out.join("names.so"));
}

#[test]
fn the_objects_that_cause_the_flag_are_named() {
    let (sh, out) = other("audit/objects");
    let common = files();
    cmd!(sh, "gcc {common}/plain.o {common}/answer.o -o {out}/mapped -Wl,-Map,{out}/mapped.map").passes();
    for objects in ["other", "mapped.map"] {
        let ended = cmd!(sh, "statictramp audit --objects {out}/{objects} {out}/mapped").ends(1);
        let ended =
            ended.matches("the object .*answer.o has no .note.GNU-stack: add .section .note.GNU-stack");
        if objects == "mapped.map" {
            ended.lacks("nested.o");
        }
    }
}

/// Returns a shell that finds the tool, in a directory of its own below the test's, and the files of the examples.
fn examples(directory: &str) -> (Shell, PathBuf) {
    let (sh, out) = start(directory);
    copy("asks", out.join("asks"));
    cmd!(sh, "statictramp audit --clear {out}/asks").passes();
    sh.change_dir(&out);
    (sh, out)
}

#[test]
fn the_job_in_the_book_fails_on_a_finding_until_it_is_excepted() {
    let (sh, out) = examples("audit/examples-job");
    let job = doc_block("docs/stack-note.md", "yaml", 1);
    let job = job.split("run: |\n").nth(1).expect("the job's commands");
    let job: String = job.lines().map(|it| it.trim_start().to_owned() + "\n").collect();
    assert!(job.contains("\nstatictramp audit") || job.starts_with("statictramp audit"), "{job}");
    write(out.join("job.sh"), job);
    write(out.join("stack.exceptions"), "");
    std::fs::create_dir(out.join("build")).unwrap();
    copy("hidden", out.join("build/program"));
    cmd!(sh, "bash -e job.sh").ends(1);
    let sarif = read(out.join("stack.sarif"));
    assert!(sarif.contains("\"ruleId\":\"stack-not-asked\""), "{sarif}");
    write(out.join("stack.exceptions"), "build/program stack-not-asked the callback is never used\n");
    cmd!(sh, "bash -e job.sh").passes();
}

/// Writes an executable script from the page.
fn script(language: &str, path: &Path) {
    let text = match language {
        "sh" => doc_block("docs/stack-note.md", "sh", 1),
        _ => doc_block("docs/stack-note.md", "bash", 1),
    };
    write(path, text);
    std::fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn the_hook_in_the_book_rejects_a_commit_with_a_finding() {
    let (sh, out) = examples("audit/examples-hook");
    for words in ["init --quiet .", "config user.email test@example.org", "config user.name test"] {
        let words = words.split(' ');
        cmd!(sh, "git {words...}").passes();
    }
    script("sh", &out.join(".git/hooks/pre-commit"));
    let commit = |file: &str| -> Ended {
        cmd!(sh, "git add {file}").passes();
        cmd!(sh, "git commit --quiet -m Add").ended()
    };
    std::fs::rename(out.join("asks.cleared"), out.join("clean")).unwrap();
    commit("clean").ends(0);
    std::fs::rename(out.join("asks"), out.join("asks too")).unwrap();
    commit("asks too").ends(1).has("stack-asked-only");
}

#[test]
fn the_books_upload_check_examines_the_uploaded_packages() {
    let (sh, out) = examples("audit/examples-upload");
    script("bash", &out.join("check-stack"));
    for (name, from) in [("asks", "asks"), ("plain", "asks.cleared")] {
        let package = out.join("packages").join(name);
        write(package.join("usr/bin").join(name), std::fs::read(out.join(from)).unwrap());
        let control = "Version: 1\nArchitecture: amd64\nMaintainer: A <a@example.org>\nDescription: a test";
        write(package.join("DEBIAN/control"), format!("Package: {name}\n{control}\n"));
        cmd!(sh, "dpkg-deb --build {package} {name}_1_amd64.deb").passes();
        let files = format!(" 0 1 misc optional {name}_1_amd64.deb\n 0 1 misc optional x.buildinfo\n");
        write(out.join(format!("{name}.changes")), format!("Format: 1.8\nFiles:\n{files}"));
    }
    cmd!(sh, "{out}/check-stack asks.changes").fails_with(1, "asks_1_amd64.deb:usr/bin/asks: asks for");
    cmd!(sh, "{out}/check-stack plain.changes").passes();
}
