//! `dump` reads the trampolines of a process, in the static table and in added segments, with a stripped file and with a deleted file.

use crate::debug_tool;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use test_tools::{Ended, Expect, Process, copy_file, library, new_directory, read, root, shell, write};
use xshell::{Shell, cmd};

const SOURCES: &str = "cli/tests/programs/dump";

/// Returns the rest of the line that begins with this name in the program's output.
fn stub_of(process: &Process, name: &str) -> String {
    let text = process.text();
    let line = text.lines().find_map(|it| it.strip_prefix(&format!("{name} ")));
    line.unwrap_or_else(|| panic!("the program does not print {name}: {text}")).to_owned()
}

#[test]
fn the_trampolines_of_another_process_are_listed() {
    let (sh, out, tool, library) = (shell(), new_directory("tool/dumped"), debug_tool(), library());
    cmd!(
        sh,
        "gcc -O2 -Wall -Wextra -Icapi/include {SOURCES}/dumped.c {library}/libstatictramp.a -o {out}/dumped"
    )
    .passes();
    cmd!(sh, "strip -o {out}/stripped {out}/dumped").passes();
    copy_file(out.join("dumped"), out.join("deleted"));
    for program in ["dumped", "stripped", "deleted"] {
        let process = Process::ready(cmd!(sh, "{out}/{program}"), out.join("text"));
        if program == "deleted" {
            std::fs::remove_file(out.join(program)).unwrap();
        }
        let id = process.id();
        let ended = cmd!(sh, "{tool} dump {id}").passes();
        let text = process.text();
        let wanted: BTreeSet<String> = text
            .lines()
            .filter(|it| !it.contains("bound") && !it.contains("ready"))
            .map(str::to_owned)
            .collect();
        let slots = ended.text.lines().filter(|it| it.contains("  slot ") && !it.contains("by way of"));
        let found: BTreeSet<String> = slots
            .map(|it| {
                let after = |word: &str| it.split(word).nth(1).and_then(|it| it.split_whitespace().next());
                let stub = it.split_whitespace().next().expect("a stub");
                format!(
                    "{stub} {} {}",
                    after("  callee ").expect("a callee"),
                    after("  chain ").expect("a chain")
                )
            })
            .collect();
        assert_eq!(found, wanted, "{program}");
        let bound = stub_of(&process, "bound");
        let (stub, callee) = bound.split_once(' ').expect("a stub and a callee");
        let line = if program == "stripped" {
            format!("^  {stub}  slot .*  callee {callee}  chain .*  by way of 0x")
        } else {
            format!(
                r"^  {stub}  slot .*  callee {callee} \(second\)  chain .*  by way of 0x.*statictramp_bind_0"
            )
        };
        let ended = ended.matches(&line);
        assert!(ended.count("stubs from") >= 2, "no slots that growth has added: {ended}");
    }
    for number in [std::process::id().to_string(), "999999999".to_owned(), "many".to_owned()] {
        assert_ne!(cmd!(sh, "{tool} dump {number}").ended().status, 0);
    }
}

/// Returns the number of the first line in `bound.rs` that contains this text.
fn line_of(text: &str) -> usize {
    let source = read("cli/examples/bound.rs");
    source.lines().position(|it| it.contains(text)).expect("a line with the text") + 1
}

/// A closure or function: its name, and texts in the source lines that define it and that bind it.
struct Named {
    kind: &'static str,
    name: &'static str,
    defined: &'static str,
    bound: Option<&'static str>,
}

const fn named(kind: &'static str, name: &'static str, defined: &'static str, bound: &'static str) -> Named {
    Named { kind, name, defined, bound: Some(bound) }
}

const CLOSURES: [Named; 8] = [
    named("borrowed", "bound::main::{{closure}}", "|x: c_int| x + step", "bind(&add)"),
    named("boxed", "bound::main::{{closure}}", "x * step", "boxed(move |x"),
    named("by_mut", "ByMut<bound::main::{{closure}}>", "sum += x", "bind(&count)"),
    named("erased", "ByMut<bound::main::{{closure}}>", r#"println!("{x}")"#, "boxed(by_mut("),
    named("item", "bound::twice", "fn twice", "leaked(twice)"),
    named("generic", "bound::thrice<i32>", "fn thrice", "leaked(thrice"),
    named("wrapped", "ByMut<bound::twice>", "fn twice", "boxed(by_mut(twice))"),
    named(
        "other",
        "bound::with_context<bound::main::{{closure}}>::{{closure}}",
        "|_: *mut F| value",
        "boxed(move |_",
    ),
];

/// A function that is not a closure has a name if symbols exist.
const PLAIN: Named = Named { kind: "plain", name: "bound::procedure", defined: "fn procedure", bound: None };

impl Named {
    /// Checks that the dump and its JSON name the function pointer, with the line where it is defined if the file has debugging
    /// information, and otherwise with the line where it was bound.
    #[track_caller]
    fn check(&self, process: &Process, has_lines: bool, dump: &Ended, json: &str) {
        let (stub, name) = (stub_of(process, self.kind), self.name);
        let mut wanted = format!("({name})");
        if let Some(bound) = self.bound {
            let line = format!("cli/examples/bound.rs:{}", line_of(bound));
            wanted = format!("({name}, bound at {line})");
            assert!(json.contains(&format!("\"{line}\"")), "{}: the JSON output lacks {line}", self.kind);
        }
        if has_lines {
            let line = format!("{}/cli/examples/bound.rs:{}", root().display(), line_of(self.defined));
            wanted = format!("({name} at {line})");
            assert!(
                json.contains(&format!("\"source\": \"{line}\"")),
                "{}: the JSON lacks {line}",
                self.kind
            );
        }
        let line = dump.text.lines().find(|it| it.starts_with(&format!("  {stub}  slot")));
        assert!(line.is_some_and(|it| it.contains(&wanted)), "{}: {line:?} lacks {wanted}", self.kind);
        assert!(json.contains(&format!("\"name\": \"{name}\"")), "the JSON output lacks {name}");
    }
}

/// Returns the example `bound`, with debugging information.
fn bound_program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let (sh, out) = (shell(), new_directory("tool/example"));
        cmd!(sh, "cargo build --quiet -p statictramp-cli --example bound").passes();
        copy_file(root().join("target/debug/examples/bound"), out.join("bound"));
        out.join("bound")
    })
}

#[test]
fn bound_closures_have_their_names_and_source_lines() {
    let (sh, out, tool) = (shell(), new_directory("tool/bound"), debug_tool());
    let bound = out.join("bound");
    copy_file(bound_program(), &bound);
    cmd!(sh, "strip -o {out}/stripped {bound}").passes();
    let loader = cmd!(sh, "readelf -p .interp {bound}").passes().group("(/.*)$");
    for program in ["bound", "stripped", "flat"] {
        let command = match program {
            // If the program is run through the loader, it is mapped like a library, above later mappings, and backtraces find its
            // own file.
            "flat" => cmd!(sh, "{loader} {bound} backtrace"),
            _ => cmd!(sh, "{out}/{program}"),
        };
        let process = Process::ready(command, out.join("text"));
        let id = process.id();
        if program == "flat" {
            let maps = read(format!("/proc/{id}/maps"));
            let firsts = maps.lines().filter(|it| it.contains(" r--p 00000000 ") && it.ends_with("/bound"));
            assert_eq!(firsts.count(), 2, "not one flat mapping and one image: {maps}");
        }
        let dump = cmd!(sh, "{tool} dump {id}").passes();
        let json = cmd!(sh, "{tool} dump --json {id}").passes().text;
        let has_lines = program != "stripped";
        for named in &CLOSURES {
            named.check(&process, has_lines, &dump, &json);
        }
        if has_lines {
            PLAIN.check(&process, has_lines, &dump, &json);
        }
        let long = stub_of(&process, "long");
        let long = dump.group(&format!(r"^  {long}  slot .* \((bound::of_type<.* \.\.\.)"));
        assert_eq!(long.len(), 4100, "{long}");
        serde_json::from_str::<serde_json::Value>(&json).expect("JSON");
        dump.has("(fn(i32) -> i32, bound at cli/examples/bound.rs:");
    }
}

/// Checks that the program's closures have names but no source lines, and that the message says why.
#[track_caller]
fn has_no_lines(sh: &Shell, program: &Path, message: &str) {
    let (tool, out) = (debug_tool(), program.with_extension("text"));
    let process = Process::ready(cmd!(sh, "{program}"), out);
    let id = process.id();
    cmd!(sh, "{tool} dump {id}")
        .passes()
        .has("(bound::main::{{closure}}, bound at ")
        .matches(&format!("^statictramp: {}: {message}$", program.display()));
}

#[test]
fn unreadable_debugging_information_is_reported_in_one_message() {
    let (sh, out) = (shell(), new_directory("tool/lines"));
    let much = out.join("much");
    copy_file(bound_program(), &much);
    // This section header specifies a size of 300 MB, which is more than the file contains.
    let number: usize =
        cmd!(sh, "readelf -SW {much}").passes().group(r"^ *\[ *([0-9]*)\] \.debug_str ").parse().unwrap();
    let headers: usize = cmd!(sh, "readelf -hW {much}")
        .passes()
        .group("^ *Start of section headers: *([0-9]*)")
        .parse()
        .unwrap();
    let mut bytes = std::fs::read(&much).unwrap();
    bytes[headers + number * 64 + 32..][..4].copy_from_slice(&[0, 0, 0xc0, 0x12]);
    write(&much, bytes);
    cmd!(sh, "truncate --size=400M {much}").passes();
    has_no_lines(&sh, &much, "too much debug information; source lines are missing");
    std::fs::remove_file(&much).unwrap();

    cmd!(sh, "cargo rustc --quiet -p statictramp-cli --example bound -- -C split-debuginfo=unpacked")
        .passes();
    let split = r"the debug information is in other files \(split DWARF\), which are not read";
    has_no_lines(&sh, &root().join("target/debug/examples/bound"), split);
}

#[test]
fn a_process_cannot_exhaust_the_tools_memory() {
    let (sh, out, tool) = (shell(), new_directory("tool/many"), debug_tool());
    cmd!(sh, "gcc -O2 -Wall -Wextra {SOURCES}/many_tables.c -o {out}/many-tables").passes();
    let dump = |arguments: &str, option: Option<&str>| {
        let words = arguments.split(' ');
        let process = Process::ready(cmd!(sh, "{out}/many-tables {words...}"), out.join("text"));
        let id = process.id();
        cmd!(sh, "prlimit --data=51200000 {tool} dump {option...} {id}").ended()
    };
    // 2 files, 4,000 mappings, 256 tables, 1 slot.
    dump("2 4000 256 1", None).ends(2).has("more tables or slots than dump can list");
    dump("1 100 16 64", Some("--json")).ends(0).matches_times(102_400, "\"stub\"");
}
