//! `audit --clear`: the reasons why files are not cleared, and the repair of wheels. The remedies that `audit` names, its progress
//! line, and the table of exit statuses in `docs/audit.md`.

use crate::audit_files::{copy, files};
use crate::start;
use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use test_tools::{Ended, Expect, Job, copy_file, read, root, write};
use xshell::{Shell, cmd};

/// Runs `audit` with arguments that are separated by blanks.
fn audit(sh: &Shell, arguments: &str) -> Ended {
    let words = arguments.split_whitespace();
    cmd!(sh, "statictramp audit {words...}").ended()
}

/// Returns a directory with copies of common files. The directory is the shell's current directory.
fn copies(directory: &str) -> (Shell, PathBuf) {
    let (sh, out) = start(directory);
    sh.change_dir(&out);
    for name in ["asks", "needed", "hidden", "answer.o"] {
        copy(name, out.join(name));
    }
    cmd!(sh, "tar cf asks.tar asks").passes();
    (sh, out)
}

#[test]
fn clear_reports_what_was_done_or_why_not() {
    let (sh, out) = copies("audit/clear");
    for (file, reason) in [
        ("needed", "its code needs an executable stack"),
        ("hidden", "it requests no executable stack"),
        ("answer.o", "it has no .note.GNU-stack section"),
    ] {
        audit(&sh, &format!("--clear {file}")).fails_reason(&format!("{file}: not cleared: {reason}"));
        let text = audit(&sh, &format!("--clear --json {file}")).ends(1).text;
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(json["not_cleared"].as_array().map(Vec::len), Some(1), "{json}");
    }
    audit(&sh, "--clear asks").ends(0).matches("^    written: asks.cleared$");
    std::fs::remove_file(out.join("asks.cleared")).unwrap();
    audit(&sh, "--clear asks needed").ends(1);
    audit(&sh, "--clear asks.tar").fails_reason("asks.tar: not cleared: only wheels can be rewritten");
    let asks = File::open(out.join("asks")).unwrap();
    let ended = Job::from(cmd!(sh, "statictramp audit --clear -")).input(asks).ended();
    ended.fails_reason("not cleared: it was read from standard input");
}

trait Reason {
    fn fails_reason(self, text: &str);
}

impl Reason for Ended {
    #[track_caller]
    fn fails_reason(self, text: &str) {
        self.ends(1).has(text);
    }
}

/// A file name as wheels require it.
const WHEEL: &str = "x-1-py3-none-any.whl";

/// Runs a command of `wheel.py`.
#[track_caller]
fn wheel(sh: &Shell, command: &str, files: &[&Path]) {
    let script = root().join("cli/tests/programs/audit/wheel.py");
    cmd!(sh, "python3 {script} {command} {files...}").passes();
}

#[test]
fn wheels_are_cleared_and_their_records_are_valid() {
    let (sh, out) = copies("audit/wheels");
    let (asks, needed, plain) = (out.join("asks"), out.join("needed"), files().join("plain.o"));
    wheel(&sh, "make", &[Path::new(WHEEL), &asks, &asks, &plain]);
    copy_file(out.join(WHEEL), out.join("original"));
    audit(&sh, &format!("--clear {WHEEL}"))
        .ends(0)
        .matches(r#"^    written: .*x-1-py3-none-any.cleared.whl \(cleared: x/a,"0.so, x/a,"1.so\)$"#)
        .has("it has no signature");
    cmd!(sh, "cmp {WHEEL} original").passes();
    wheel(&sh, "same", &[Path::new(WHEEL), Path::new("x-1-py3-none-any.cleared.whl")]);
    audit(&sh, "x-1-py3-none-any.cleared.whl").ends(0);
    audit(&sh, &format!("--clear {WHEEL}")).ends(2); // the copy exists
    audit(&sh, WHEEL).ends(1).has(&format!("--clear {WHEEL}"));
    audit(&sh, &format!("--clear --in-place {WHEEL}")).ends(0);
    wheel(&sh, "same", &[Path::new("original"), Path::new(WHEEL)]);

    wheel(&sh, "make", &[Path::new("two-1-py3-none-any.whl"), &asks, &needed]);
    let ended = audit(&sh, "--clear two-1-py3-none-any.whl").ends(1);
    ended.has("x/a,\"1.so: not cleared: its code needs").has("cleared: x/a,\"0.so)");
    let script = root().join("cli/tests/programs/audit/other_record.py");
    for change in ["unlisted", "no-REC0RD"] {
        cmd!(sh, "python3 {script} original broken-1-py3-none-any.whl {change}").passes();
        audit(&sh, "--clear broken-1-py3-none-any.whl").ends(2).matches("not cleared: .*RECORD");
        assert!(!out.join("broken-1-py3-none-any.cleared.whl").exists());
    }
}

#[test]
fn a_wheel_on_a_full_disk_is_unchanged_and_no_copy_remains() {
    let (sh, out) = copies("audit/full");
    let (asks, plain) = (out.join("asks"), files().join("plain.o"));
    wheel(&sh, "make", &[Path::new("original.whl"), &asks, &asks, &plain]);
    let script = format!(
        "mkdir odd && mount -t tmpfs -o size=32k x odd && cp original.whl odd/{WHEEL} || exit 3
        statictramp audit --clear odd/{WHEEL}
        [ $? = 2 ] && cmp original.whl odd/{WHEEL} && [ \"$(ls odd)\" = {WHEEL} ]"
    );
    cmd!(sh, "unshare -rm sh -c {script}").passes();
}

#[test]
fn remedies_distinguish_emulated_programs_jit_compilers_and_likely_causes() {
    let (sh, out) = copies("audit/remedies");
    for file in ["needed", "hidden"] {
        audit(&sh, file).ends(1).has(&format!("until then, to run it without an executable stack (Linux with glibc only): statictramp run --emulate ./{file}"));
    }
    let sources = root().join("cli/tests/programs/audit");
    cmd!(sh, "gcc -O2 -shared -fPIC -DWITHOUT_MAIN {sources}/nested.c -o needed.so").passes();
    let object = files().join("nested.o");
    cmd!(sh, "statictramp audit needed.so {object}")
        .fails_with(1, "to run a program that loads it without an executable stack")
        .has("to run a program that contains it without an executable stack");
    cmd!(sh, "gcc -shared answer.o -o asks.so").passes();
    audit(&sh, "asks.so").ends(1).has("a JIT compiler, such as node").has("the usual cause");
    write(out.join("tab.s"), ".section .itt_notify_tab,\"a\",@progbits\n.quad 1\n");
    write(out.join("mark.s"), ".globl __itt_pt_mark\n__itt_pt_mark: ret\n");
    for cause in ["tab.s", "mark.s"] {
        cmd!(sh, "gcc -shared answer.o {cause} -o cause.so").passes();
        let intel = "the likely cause is the assembly of Intel's ittapi .*https://github.com/intel/ittapi";
        audit(&sh, "cause.so").ends(1).matches(intel);
    }
}

#[test]
fn progress_is_shown_on_a_terminal_while_one_file_is_examined() {
    let (sh, out) = copies("audit/progress");
    // The input ends when the line has appeared. The pattern does not match itself, because `script` records the command, too.
    let waits = "until grep -q ' MiB searche[d], -' progress; do sleep 0.1; done";
    let command = format!("(cat asks.tar; {waits}) | statictramp audit - >/dev/null");
    cmd!(sh, "script -qefc {command} progress").env("TERM", "xterm").within(300).ended().at_most(1);
    let text = read(out.join("progress"));
    assert!(text.contains(" MiB searched, -"), "{text}");
}

#[test]
fn exit_statuses_match_the_table_in_the_book() {
    let (sh, out) = copies("audit/statuses");
    let page = read("docs/audit.md");
    let is_row = |it: &&str| ["| 0 | ", "| 1 | ", "| 2 | "].iter().any(|start| it.starts_with(start));
    let rows: BTreeSet<&str> = page.lines().filter(is_row).collect();
    let mut covered = BTreeSet::new();
    let mut row = |status: i32, text: &str| {
        let row = rows.iter().find(|it| it.contains(&format!("| {status} | {text}")));
        covered.insert(*row.unwrap_or_else(|| panic!("docs/audit.md has no row \"| {status} | {text}\"")));
    };
    write(out.join("exceptions"), "* stack-asked-only tested\n");
    write(out.join("exceptions-invalid"), "* no-such-tag tested\n");
    std::fs::create_dir(out.join("links")).unwrap();
    std::fs::create_dir(out.join("nothing")).unwrap();
    std::os::unix::fs::symlink("../nothing", out.join("links/link")).unwrap();
    write(out.join("squashed.snap"), format!("hsqs{:500}", ""));
    cmd!(sh, "zip -q whole.zip asks").passes();
    let whole = std::fs::read(out.join("whole.zip")).unwrap();
    write(out.join("truncated.zip"), &whole[..whole.len() / 2]);
    let page = root().join("docs/audit.md");
    let page = page.to_str().unwrap();
    for (status, text, arguments) in [
        (0, "there are no findings", "/bin/true"),
        (0, "every finding was accepted", "--exceptions exceptions asks"),
        (0, "every finding was cleared", "--clear asks"),
        (0, "a file or member was skipped", "squashed.snap"),
        (0, "a file or member was skipped", "--quick asks.tar"),
        (1, "there are findings", "needed"),
        (1, "there are findings", "asks"),
        (1, "there are findings", "hidden"),
        (1, "there are findings", "answer.o"),
        (1, "a finding cannot be cleared", "--clear needed"),
        (2, "a file or member was skipped", "--strict squashed.snap"),
        (2, "a file, member or process", page),
        (2, "a file, member or process", "missing"),
        (2, "a file, member or process", "truncated.zip"),
        (2, "a file, member or process", "--pid=999999999"),
        (2, "a file, member or process", "needed missing"),
        (2, "no file was examined", "nothing"),
        (2, "no file was examined", "links"),
        (2, "a copy could not be written", "--clear asks"),
        (2, "the command line", "--exceptions exceptions-invalid asks"),
        (2, "the command line", "--no-such-option"),
    ] {
        row(status, text);
        audit(&sh, arguments).ends(status);
    }
    row(2, "the report could");
    let full = File::options().write(true).open("/dev/full").unwrap();
    cmd!(sh, "statictramp audit asks").output_to(full).ended().ends(2);
    assert_eq!(covered, rows, "a row of the table in docs/audit.md has no test");
}
