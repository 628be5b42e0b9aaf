//! `audit` of unusual files: names with terminal escapes, flags in unusual positions, corrupt members, permissions that a copy would
//! not have, and files that could take much memory or time.

use crate::audit_files::{copy, files, omits, reports, verdict};
use crate::{start, tool_shell};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use test_tools::{Expect, Process, copy_file, read, stack_rights, write};
use xshell::cmd;

const SOURCES: &str = "cli/tests/programs/audit";

#[test]
fn names_in_debug_information_do_not_control_the_terminal() {
    let (sh, out) = start("audit/terminal");
    let (assembly, source) = ("e\x1b[31mvil\nline.s", "e\x1b[31m.c");
    copy_file(sh.current_dir().join(SOURCES).join("plain.s"), out.join(assembly));
    copy_file(sh.current_dir().join(SOURCES).join("nested.c"), out.join(source));
    sh.change_dir(&out);
    cmd!(sh, "as -g {assembly} -o evil.o").passes();
    let plain = files().join("plain.o");
    cmd!(sh, "gcc {plain} evil.o -o forged").passes();
    reports(r"e\u{1b}[31mvil\nline.s, add .section", out.join("forged"));
    cmd!(sh, "gcc -g {source} -o forged-too").passes();
    reports(r"-c $'e\033[31m.c'", out.join("forged-too"));
    for file in ["forged", "forged-too"] {
        omits("\x1b", out.join(file));
    }
}

#[test]
fn colours_are_printed_only_on_terminals_that_support_them() {
    let sh = tool_shell();
    let command = format!("statictramp audit {}", files().join("needed").display());
    let on_terminal = |terminal: &str| {
        let script = cmd!(sh, "script -qec {command} /dev/null").env_remove("NO_COLOR").env("TERM", terminal);
        script.ended().at_most(1)
    };
    on_terminal("xterm").has("\x1b[31m");
    on_terminal("dumb").lacks("\x1b").has("needs");
}

#[test]
fn code_that_stores_opcodes_from_registers_is_recognised() {
    let (sh, out) = start("audit/registers");
    for level in ["-O2", "-O3"] {
        for more in ["-march=i686", "-march=i686 -fPIC", "-mtune=pentiumpro"] {
            let more = more.split(' ');
            cmd!(sh, "gcc -m32 {level} {more...} -c {SOURCES}/wide.c -o {out}/registers.o").passes();
            verdict("needed", 1, out.join("registers.o"));
        }
    }
}

#[test]
fn clear_writes_only_files_that_request_no_executable_stack() {
    let (sh, out) = start("audit/cleared");
    cmd!(sh, "python3 {SOURCES}/odd.py two-notes {out}/two-notes").passes();
    verdict("asked-only", 1, out.join("two-notes"));
    let marked = files().join("marked.a");
    cmd!(sh, "ar rc {out}/within.a {marked}").passes();
    copy("marked.a", out.join("marked.a"));
    verdict("asked-only", 1, out.join("marked.a"));
    for file in ["two-notes", "within.a", "marked.a"] {
        cmd!(sh, "statictramp audit --clear {out}/{file}").passes();
        verdict("clean", 0, out.join(format!("{file}.cleared")));
    }
    cmd!(sh, "clang-22 -w --target=x86_64-apple-macos11 -c {SOURCES}/plain.c -o {out}/mach-asks").passes();
    cmd!(sh, "python3 {SOURCES}/odd.py mach-asks {out}/mach-asks").passes();
    cmd!(sh, "statictramp audit --clear {out}/mach-asks")
        .fails_with(1, "link it without -allow_stack_execute");
    assert!(!out.join("mach-asks.cleared").exists());
}

#[test]
fn clear_in_place_keeps_links_permissions_and_attributes() {
    let (sh, out) = start("audit/in-place");
    for file in ["file", "setuid", "attributes"] {
        copy("asks", out.join(file));
    }
    let clear = |file: &str| cmd!(sh, "statictramp audit --clear --in-place {out}/{file}").ended();
    std::fs::hard_link(out.join("file"), out.join("other-name")).unwrap();
    assert_ne!(clear("file").status, 0);
    assert_eq!(stack_rights(out.join("file")), "RWE");
    std::fs::remove_file(out.join("other-name")).unwrap();
    clear("file").ends(0);
    assert_eq!(stack_rights(out.join("file")), "RW");
    cmd!(sh, "{out}/file").passes();

    std::fs::set_permissions(out.join("setuid"), Permissions::from_mode(0o4755)).unwrap();
    let attribute = "import os, sys; os.setxattr(sys.argv[1], 'user.note', b'kept')";
    let kept = cmd!(sh, "python3 -c {attribute} {out}/attributes").ended();
    for file in if kept.status == 0 { vec!["setuid", "attributes"] } else { vec!["setuid"] } {
        clear(file).ends(2);
        assert_eq!(std::fs::read(out.join(file)).unwrap(), std::fs::read(files().join("asks")).unwrap());
    }
    std::fs::remove_file(out.join("setuid")).unwrap();
}

#[test]
fn a_corrupt_member_does_not_hide_the_others() {
    let (sh, out) = start("audit/partly");
    let nested = files().join("nested.o");
    let plain = std::fs::read(files().join("plain.o")).unwrap();
    write(out.join("cut.o"), &plain[..100]);
    cmd!(sh, "ar rcS {out}/partly.a {out}/cut.o {nested}").passes();
    cmd!(sh, "statictramp audit {out}/partly.a")
        .fails_with(2, "needs an executable stack")
        .has("cut.o: invalid ELF");
    let needed = files().join("needed");
    let json = std::fs::File::create(out.join("json")).unwrap();
    cmd!(sh, "statictramp audit --json --pid 4294967295 {needed}").output_to(json).ended().ends(2);
    let json = read(out.join("json"));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["findings"][0]["verdict"], "needed");
}

#[test]
fn files_shorter_than_reported_and_names_with_line_breaks_are_read() {
    let (sh, out) = start("audit/line-break");
    let program = out.join("line\nend");
    copy_file("/bin/sleep", &program);
    let process = Process::start(cmd!(sh, "{program} 100"), out.join("text"));
    process.wait_until_sleeps(&program);
    let id = process.id();
    cmd!(sh, "statictramp audit --pid {id}").passes();
    let short = Path::new("/sys/kernel/mm/transparent_hugepage/enabled"); // such files specify the page size
    if short.exists() {
        let ended = cmd!(sh, "statictramp audit {short}").ended();
        ended.has("not an ELF");
    }
}

#[test]
fn names_with_escapes_and_unreadable_directories_are_reported() {
    let (sh, out) = start("audit/tree");
    std::fs::create_dir(out.join("closed")).unwrap();
    std::os::unix::fs::symlink("loop", out.join("loop")).unwrap();
    copy("needed", out.join("new\nline\x1b[31m"));
    cmd!(sh, "statictramp audit {out}").fails_with(1, r"new\nline\u{1b}[31m: needs").lacks("\x1b");
    for file in [Path::new("/dev/null"), Path::new("/dev/zero"), &out.join("loop")] {
        cmd!(sh, "statictramp audit {file}").within(60).ended().ends(2);
    }
    // Another user may be unable to open the checkout, so the tool is copied.
    let copied = std::env::temp_dir().join(format!("statictramp-{}", std::process::id()));
    std::fs::create_dir_all(copied.join("tree/closed")).unwrap();
    copy_file(crate::tool(), copied.join("statictramp"));
    std::fs::set_permissions(copied.join("tree/closed"), Permissions::from_mode(0o000)).unwrap();
    let ended =
        cmd!(sh, "setpriv --reuid 65534 --clear-groups {copied}/statictramp audit {copied}/tree").ended();
    std::fs::remove_dir_all(&copied).unwrap();
    ended.ends(2).has("closed");
}

#[test]
fn long_code_and_shared_range_lists_take_little_memory_and_time() {
    let (sh, out) = start("audit/long");
    cmd!(sh, "python3 {SOURCES}/odd.py long-code {out}/long-code").passes();
    let limited = cmd!(sh, "prlimit --as=716800000 statictramp audit {out}/long-code");
    limited.within(60).ended().at_most(1);
    cmd!(sh, "python3 {SOURCES}/odd.py many-ranges {out}/many-ranges.s").passes();
    cmd!(sh, "as {out}/many-ranges.s -o {out}/many-ranges.o").passes();
    cmd!(sh, "statictramp audit {out}/many-ranges.o").within(60).ended().at_most(1);
    for file in ["long-code", "many-ranges.s", "many-ranges.o"] {
        std::fs::remove_file(out.join(file)).unwrap();
    }
}
