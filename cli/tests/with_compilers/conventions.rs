//! Conventions of the command line: help, versions, usage errors, closed pipes and full disks, JSON, completions, the manual page,
//! and programs that the tool runs.

use crate::tool;
use std::fs::{File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use test_tools::{Ended, Expect, copy_file, new_directory, read, shell, write};
use xshell::cmd;

/// Runs the tool with these arguments, separated by blanks.
fn run(arguments: &str) -> Ended {
    let (sh, tool, arguments) = (shell(), tool(), arguments.split_whitespace());
    cmd!(sh, "{tool} {arguments...}").ended().lacks("panicked")
}

/// The subcommands, and the tool itself.
const COMMANDS: [&str; 8] = ["", " flags", " dump", " audit", " run", " captures", " completions", " man"];

#[test]
fn each_command_prints_its_help_and_version() {
    let manifest = read("Cargo.toml");
    let version = manifest.split("\nversion = \"").nth(1).unwrap().split('"').next().unwrap();
    for command in COMMANDS {
        for option in ["--help", "-h"] {
            run(&format!("{command} {option}")).ends(0).has(&format!("Usage: statictramp{command}"));
        }
        let text = run(&format!("{command} --version")).ends(0).text;
        assert_eq!(text, format!("statictramp{command} {version}\n"));
    }
}

#[test]
fn usage_errors_exit_with_2_and_a_short_message() {
    for command in COMMANDS {
        run(&format!("{command} --no-such-option")).fails_with_usage();
    }
    let in_place = format!("audit --in-place {}", tool().display());
    let invalid = "nonsense/dump/dump 1 2/dump 1 --seconds/dump 1 --seconds -1/audit/audit --pid/audit --pid x/flags --c --flang/\
        flags --prefix/run/captures/captures --compile/captures --keeps/completions/completions no-shell/--json audit/man page";
    for line in invalid.split('/').chain([&*in_place]) {
        let ended = run(line).ends(2);
        assert!(ended.count("^.+$") <= 8, "more than eight lines: {ended}");
    }
    run("\x1b[31m").ends(2).lacks("\x1b");
}

trait Usage {
    fn fails_with_usage(self);
}

impl Usage for Ended {
    #[track_caller]
    fn fails_with_usage(self) {
        self.ends(2).has("Usage: statictramp").has("--help");
    }
}

fn write_program(path: &Path, text: &str) {
    write(path, text);
    std::fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn flags_prints_the_plugin_for_the_named_compiler() {
    let out = new_directory("tool/plugins");
    let prefix = out.join("several");
    for file in [
        "lib/libstatictramp.a",
        "lib/libstatictramp_flang-19.so",
        "lib/libstatictramp_flang-23.so",
        "include/statictramp.h",
    ] {
        write(prefix.join(file), "");
    }
    for (major, version) in [(19, "19.1.7"), (22, "22.1.0"), (23, "23.0.0")] {
        let text = format!("#!/bin/sh\necho 'Debian flang-new version {version} (1)'\n");
        write_program(&prefix.join(format!("bin/flang-{major}")), &text);
    }
    write_program(&prefix.join("bin/gcc"), "#!/bin/sh\necho 'gcc (Debian 12) 12.2.0'\n");
    // The build directory may contain a plugin whose file name does not show its LLVM version.
    let sh = shell();
    let tool = out.join("statictramp");
    copy_file(crate::tool(), &tool);
    let flags = |arguments: &str| {
        let arguments = arguments.split_whitespace();
        cmd!(sh, "{tool} flags --prefix {prefix} {arguments...}").ended().lacks("panicked")
    };
    let bin = prefix.join("bin").display().to_string();
    for major in [19, 23] {
        for option in ["", "--flang"] {
            let lib = prefix.join("lib");
            let lib = lib.display();
            let text = flags(&format!("{option} {bin}/flang-{major}")).ends(0).text;
            let wanted =
                format!("-fpass-plugin={lib}/libstatictramp_flang-{major}.so {lib}/libstatictramp.a\n");
            assert_eq!(text, wanted);
        }
    }
    flags(&format!("{bin}/flang-22"))
        .ends(1)
        .matches("no plugin for LLVM 22.*LLVM_CONFIG=llvm-config-22 flang/install.sh");
    flags(&format!("{bin}/gcc")).ends(1);
    flags(&format!("{bin}/none")).ends(1);
    flags("--flang").ends(0).has("several plugins are installed");
    run("flags --c flang-19").ends(2);
}

#[test]
fn closed_pipes_end_the_output_silently_but_full_disks_are_errors() {
    let (sh, tool) = (shell(), tool());
    for line in ["", "--json", "--help", "audit --help", "man", "completions bash", "audit /usr/bin --all"] {
        // Standard output goes to the pipe, so the text contains only standard error.
        let script = "set -o pipefail; \"$0\" \"$@\" | head -n 1 >/dev/null";
        let words = &line.split_whitespace().collect::<Vec<_>>();
        let ended = cmd!(sh, "bash -c {script} {tool} {words...}").passes();
        assert_eq!(ended.text, "", "{ended}");
        let full = File::options().write(true).open("/dev/full").unwrap();
        let ended =
            cmd!(sh, "{tool} {words...}").output_to(full).ended().lacks("panicked").has("No space left");
        assert!(ended.status != 0, "{ended}");
        let ended = cmd!(sh, "bash -c {CLOSED} {tool} {words...}").ended();
        assert!(ended.status == 0 || line == "audit /usr/bin --all", "{ended}");
    }
}

/// Runs a program without standard error.
const CLOSED: &str = "\"$0\" \"$@\" >/dev/null 2>&-";

#[test]
fn json_completions_and_the_manual_page_are_valid() {
    let (sh, tool) = (shell(), tool());
    let json = |line: &str| -> serde_json::Value { serde_json::from_str(&run(line).ends(0).text).unwrap() };
    let it = json("--json");
    assert!(it["alive_now"] == 0 && it["slots"] == 1024, "{it}");
    let it = json("--json --static");
    assert!(it["grown"].is_null(), "{it}");
    let it = json(&format!("audit --json --all {}", tool.display()));
    assert!(it["looked_at"] == 1 && it["files"][0]["tables"][0]["state"] == "whole", "{it}");

    let script = "source <(\"$0\" completions bash) && complete -p statictramp";
    cmd!(sh, "bash -c {script} {tool}").passes();
    for other in ["zsh", "fish", "elvish", "powershell"] {
        assert_ne!(run(&format!("completions {other}")).ends(0).text, "");
    }
    let out = new_directory("tool/man");
    write(out.join("statictramp.1"), run("man").ends(0).text);
    let page = File::create(out.join("page")).unwrap();
    let warnings = cmd!(sh, "man --warnings -l {out}/statictramp.1").output_to(page).ended();
    assert_eq!(warnings.text, "", "{warnings}");
    let page = read(out.join("page"));
    for option in
        ["--static", "--layout", "--in-place", "--pid", "PROGRAM", "--compile", "--emulate", "--report"]
    {
        assert!(page.contains(option), "the manual page has no {option}");
    }
}

#[test]
fn run_denies_a_program_writable_and_executable_memory() {
    let (sh, tool, out) = (shell(), tool(), new_directory("tool/run"));
    cmd!(sh, "{tool} run sh -c").arg("exit 7").ends(7);
    run("run /no/such/program").ends(2);
    assert_eq!(run("run echo --json -h").ends(0).text, "--json -h\n");
    cmd!(sh, "gcc cli/tests/programs/run/greedy.c -o {out}/greedy").passes();
    // The control: without the tool, the kernel grants the memory.
    cmd!(sh, "{out}/greedy").passes();
    cmd!(sh, "{tool} run {out}/greedy").ends(1);
    cmd!(sh, "{tool} run {tool}").passes();
}
