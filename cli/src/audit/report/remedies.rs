//! Remedies for a verdict, one per line. Commands can be typed exactly as printed.

use crate::audit::code::assembly::{Assembly, NOTE};
use crate::audit::code::patterns::Maker;
use crate::audit::files::facts::{Call, Facts, Format, Unjudged, Written};
use crate::audit::verdict::Verdict;
use crate::shown::shown;
use object::Architecture;

/// Maximum number of commands to list.
const MOST_COMMANDS: usize = 5;

/// Returns one line of text for each remedy. `name` is the file's name, quoted for a shell, or `None` for a part of a
/// file; `searched` is true if the user has named the objects with `--objects`.
pub fn lines(verdict: Verdict, facts: &Facts, name: Option<&str>, searched: bool) -> Vec<String> {
    let mut lines = Vec::new();
    match verdict {
        _ if facts.outside.is_some() => {}
        Verdict::Needed | Verdict::NotAsked => {
            if verdict == Verdict::Needed {
                rejected(facts, &mut lines);
            }
            recompile(facts, &mut lines);
            emulate(facts, name, &mut lines);
        }
        Verdict::AskedOnly if facts.linked || facts.format == Format::MachO => {
            clear(facts, name, searched, &mut lines);
        }
        Verdict::AskedOnly | Verdict::SaysNothing if !facts.linked => add_note(facts, name, &mut lines),
        Verdict::SaysNothing => says_nothing(facts, &mut lines),
        Verdict::Unknown if facts.unjudged == Some(Unjudged::NotCompiled) => {
            lines.push("audit the program that it is linked into".to_owned());
        }
        Verdict::Asked | Verdict::Unknown if facts.unjudged == Some(Unjudged::Packed) => {
            let name = name.unwrap_or("FILE");
            lines.push(format!("unpack a copy, and audit the copy: upx -d -o {name}.unpacked {name}"));
        }
        Verdict::Asked if facts.unjudged == Some(Unjudged::Quick) => {
            lines.push("audit it without --quick".to_owned());
        }
        Verdict::Asked => lines.push(
            "ask its developers whether nested functions are called through pointers, or audit its objects"
                .to_owned(),
        ),
        _ => {}
    }
    if facts.text_relocations && facts.outside.is_none() {
        lines.push(match facts.idle_text_relocations {
            true => format!(
                "text relocations: no relocation changes code, so DT_TEXTREL is a linker artefact: {} with \
                 another linker, or a later version",
                relink(facts)
            ),
            false => {
                "text relocations: compile all of its objects with -fPIC, or -fPIE for a program".to_owned()
            }
        });
    }
    for call in &facts.calls {
        lines.push(match call {
            Call::GccHeap if !facts.linked => {
                "calls GCC's interface for heap trampolines: link with -lstatictramp, which, unlike libgcc's \
                 implementation, needs no writable and executable memory"
            }
            Call::FlangPool if !facts.linked => {
                "calls flang's interface for trampolines: link with -lstatictramp, which, unlike the pool in \
                 flang's runtime, writes no code"
            }
            Call::GccHeap => {
                "contains GCC's heap trampolines, for which libgcc allocates writable and executable memory \
                 (denied by PR_SET_MDWE, SELinux and systemd's MemoryDenyWriteExecute): link -lstatictramp, \
                 which needs no such memory, before libgcc"
            }
            Call::FlangPool => {
                "uses the trampoline pool in flang's runtime, which generates code (denied by PR_SET_MDWE, \
                 SELinux and systemd's MemoryDenyWriteExecute): link -lstatictramp, which writes no code, \
                 before flang's runtime"
            }
            Call::TrampolineSetup => "calls __trampoline_setup, which writes a trampoline on the stack",
        }.to_owned());
    }
    lines
}

/// If the file is an ELF library, adds a line about the systems that reject libraries requesting an executable stack.
fn rejected(facts: &Facts, lines: &mut Vec<String>) {
    if facts.is_library && facts.format == Format::Elf {
        lines.push(
            "glibc 2.41 and later reject dlopen of this library, unless the program itself has an executable stack \
             (GLIBC_TUNABLES=glibc.rtld.execstack=2 permits it)"
                .to_owned(),
        );
    }
}

/// Adds lines that name the compilers and commands that avoid the problem.
fn recompile(facts: &Facts, lines: &mut Vec<String>) {
    use Architecture::{Aarch64, X86_64};
    if facts.is_doubtful() {
        lines.push(
            "if the code writes the trampolines to memory that it allocates, as closure libraries do, it \
             needs neither an executable stack nor a change; otherwise:"
                .to_owned(),
        );
    }
    // GCC's heap trampolines and LLVM's run-time interface are available for these targets.
    let supported = matches!(facts.machine, X86_64 | Aarch64) && facts.format == Format::Elf;
    let made_by = |maker| facts.writes.iter().any(|it| it.maker == maker || it.maker == Maker::Either);
    let by_name = |name: &str| facts.compilers.iter().any(|text| text.contains(name));
    let gcc = made_by(Maker::Gcc) && (!by_name("clang") || by_name("GCC"));
    // The flang plugin is available for these processors.
    let has_plugin = matches!(facts.machine, X86_64 | Aarch64 | Architecture::Riscv64);
    let llvm = made_by(Maker::Llvm) && has_plugin || made_by(Maker::Either) && by_name("flang") && has_plugin;
    let mut commands: Vec<String> = Vec::new();
    for written in &facts.writes {
        let command = command(written, supported);
        if let Some(command) = command.filter(|command| !commands.contains(command)) {
            commands.push(command);
        }
    }
    let many = commands.len() > MOST_COMMANDS;
    lines.extend(commands.into_iter().take(MOST_COMMANDS).map(|command| format!("recompile: {command}")));
    if many {
        lines.push("do the same for each of the files above".to_owned());
    }
    if gcc && supported {
        lines.push(
            "GCC 14 and later: compile with -ftrampoline-impl=heap and link with -lstatictramp".to_owned(),
        );
    }
    if gcc {
        let who = if supported {
            "older GCC"
        } else {
            {
                match facts.format {
                    Format::Elf => "GCC cannot avoid stack trampolines on this processor",
                    _ => "GCC cannot avoid stack trampolines on this system",
                }
            }
        };
        lines.push(format!("{who}: pass the context with statictramp_bind instead of nesting the function"));
    }
    if !gcc && !llvm {
        lines.push("pass the context with statictramp_bind instead of nesting the function".to_owned());
    }
    if llvm {
        lines.push(
            "flang 19 and later: compile with -fpass-plugin=PREFIX/lib/libstatictramp_flang-N.so, where N is flang's LLVM version, \
             and link with -lstatictramp; to print both options, run \"statictramp flags FLANG\""
                .to_owned(),
        );
    }
}

/// Adds the command that emulates an executable stack for a program, if available on its system.
fn emulate(facts: &Facts, name: Option<&str>, lines: &mut Vec<String>) {
    if facts.machine != Architecture::X86_64 || facts.format != Format::Elf || facts.linked && facts.is_static
    {
        return;
    }
    let (command, what) = match name {
        _ if !facts.linked => ("PROGRAM".to_owned(), "a program that contains it"),
        _ if facts.is_library => ("PROGRAM".to_owned(), "a program that loads it"),
        Some(name) if name.contains('/') => (name.to_owned(), "it"),
        Some(name) => (format!("./{name}"), "it"),
        None => ("PROGRAM".to_owned(), "it"),
    };
    lines.push(format!(
        "until then, to run {what} without an executable stack (Linux with glibc only): statictramp run \
         --emulate {command}"
    ));
}

/// Returns the command that recompiles a source file without stack trampolines, if debug information names the file and
/// a suitable compiler.
fn command(written: &Written, supported: bool) -> Option<String> {
    let (producer, source) = (written.producer.as_deref()?, written.source.as_deref()?);
    let file = source
        .rsplit_once(':')
        .filter(|(_, line)| line.bytes().all(|it| it.is_ascii_digit()))
        .map_or(source, |it| it.0);
    let file = typed_path(file.as_bytes());
    if producer.contains("flang") {
        let version =
            producer.split_once(" version ").and_then(|it| it.1.split('.').next()?.parse::<u32>().ok());
        let flang = match version {
            Some(version @ ..20) => format!("flang-new-{version}"),
            Some(version) => format!("flang-{version}"),
            None => "flang".into(),
        };
        return Some(format!("{flang} -c {file} $(statictramp flags {flang}), and link with -lstatictramp"));
    }
    let language = producer.strip_prefix("GNU ")?;
    let compiler = match language {
        _ if !supported => return None,
        _ if language.starts_with("Fortran") => "gfortran",
        _ if language.starts_with("Ada") => "gnatmake",
        _ if language.starts_with("C++") => "g++",
        _ => "gcc",
    };
    // The text has the form "GNU C17 12.2.0 -mtune=generic -O2". Keeps only options that are valid in the command.
    let mut words = language.split(' ').skip(1);
    let version: u32 = words.next()?.split('.').next()?.parse().ok()?;
    let kept: Vec<String> = words
        .filter(|word| {
            word.starts_with("-O")
                || word.starts_with("-std")
                || *word == "-fPIC"
                || word.starts_with("-fcf-")
        })
        .map(|word| typed(word.as_bytes()))
        .collect();
    let compiler = format!("{compiler}-{}", version.max(14));
    let options = kept.iter().map(|word| format!("{word} ")).collect::<String>();
    Some(format!("{compiler} {options}-ftrampoline-impl=heap -c {file}, and link with -lstatictramp"))
}

/// Returns a word quoted for a shell. Unprintable bytes, which must not reach the terminal, are written in the
/// `$'\033'` form of bash, zsh and POSIX.1-2024. On Windows, quotes the word for Windows shells. (File names contain no
/// `"` there.)
pub fn typed(word: &[u8]) -> String {
    let more: &[u8] = if cfg!(windows) { b"_-./=+,:@\\" } else { b"_-./=+,:@%" };
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || more.contains(byte);
    let text = String::from_utf8_lossy(word);
    if !word.is_empty() && word.iter().all(plain) {
        return text.into_owned();
    }
    if cfg!(windows) && shown(word) == text && !text.contains('"') {
        return format!("\"{text}\"");
    }
    if shown(word).replace(r"\\", r"\") == text {
        return format!("'{}'", text.replace('\'', "'\\''"));
    }
    let bytes = word.iter().map(|&byte| match byte {
        b'\'' | b'\\' => format!("\\{}", char::from(byte)),
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("\\{byte:03o}"),
    });
    format!("$'{}'", bytes.collect::<String>())
}

/// Returns a path quoted for a shell. A path that begins with `-` is changed, because it would be read as an option.
pub fn typed_path(path: &[u8]) -> String {
    if path.starts_with(b"-") { typed(&[b"./", path].concat()) } else { typed(path) }
}

/// Returns the lines to add to assembly source files: the names of the files, escaped for a terminal, and the note in
/// the syntax of their assembler.
fn notes(files: &[Assembly]) -> impl Iterator<Item = (String, &'static str)> {
    let (nasm, gnu): (Vec<_>, Vec<_>) = files.iter().partition(|file| file.note() != NOTE);
    let group = |files: Vec<&Assembly>| {
        let note = files.first()?.note();
        Some((files.iter().map(|file| shown(file.name.as_bytes())).collect::<Vec<_>>().join(", "), note))
    };
    [gnu, nasm].into_iter().filter_map(group)
}

/// Adds the remedies for a file that requests an executable stack without needing one. `name` occurs only once in the
/// remedies, because it may be long.
fn clear(facts: &Facts, name: Option<&str>, searched: bool, lines: &mut Vec<String>) {
    if facts.format == Format::MachO {
        return lines.push("link it without -allow_stack_execute".to_owned());
    }
    if let Some(it) = facts.origin {
        lines.push(format!(
            "the likely cause is the assembly of {} ({}), which has the note since {}: update it, or report this file \
             to {}",
            it.project, it.files, it.fixed, it.page
        ));
    }
    match facts.assembly.as_slice() {
        [] if searched || facts.origin.is_some() => {}
        [] => lines.push(
            "the usual cause is an object without .note.GNU-stack: to get the object's name, link with \
             -Wl,--warn-execstack, or audit with --objects DIRECTORY"
                .to_owned(),
        ),
        files => {
            lines.extend(notes(files).map(|(names, note)| {
                format!("the assembly source may lack the note: in {names}, add {note}")
            }))
        }
    }
    rejected(facts, lines);
    lines.push(match name {
        Some(name) => format!(
            "or {} with -Wl,-z,noexecstack, or clear the flag in a copy: statictramp audit --clear {name}",
            relink(facts)
        ),
        None => format!("or {} with -Wl,-z,noexecstack", relink(facts)),
    });
    let test = match () {
        () if facts.text_relocations => {
            "then run its tests, but not under \"statictramp run\", which forbids text relocations"
        }
        () if facts.is_library => "then, under \"statictramp run\", run the tests of a program that loads it",
        () if facts.is_static => {
            "then run its tests under \"statictramp run\" (a static program normally loads no library that could make \
             its stack executable)"
        }
        () => "then run its tests under \"statictramp run\"",
    };
    lines.push(format!("{test}: a crash at an address on the stack means that a trampoline was called"));
    if !facts.text_relocations && !facts.is_static {
        lines.push(
            "a program with a JIT compiler, such as node or Java, fails under \"statictramp run\" because of its own \
             writable and executable memory: run its tests without \"statictramp run\""
                .to_owned(),
        );
    }
}

fn add_note(facts: &Facts, name: Option<&str>, lines: &mut Vec<String>) {
    match facts.assembly.as_slice() {
        [] => lines.push(format!("assembly: add {NOTE}")),
        files => lines.extend(notes(files).map(|(names, note)| format!("in {names}: add {note}"))),
    }
    let asks = facts.asks == crate::audit::files::facts::Asks::Yes;
    lines.extend(name.map(|name| {
        let how = if asks {
            "--set-section-flags .note.GNU-stack=readonly"
        } else {
            "--add-section .note.GNU-stack=/dev/null"
        };
        format!("or, for the object: objcopy {how} {name}")
    }));
    lines.push(
        "or link with -Wl,-z,noexecstack, if nothing else in the program needs an executable stack"
            .to_owned(),
    );
}

/// Returns the phrase that tells the user to relink the file.
fn relink(facts: &Facts) -> &'static str {
    if facts.is_bolted { "run BOLT again, on a program that was linked" } else { "relink it" }
}

fn says_nothing(facts: &Facts, lines: &mut Vec<String>) {
    use Architecture::{
        Aarch64, Alpha, Arm, Hppa, I386, LoongArch64, M68k, Mips, Mips64, Mips64_N32, PowerPc, PowerPc64,
        Riscv32, Riscv64, S390x, Sparc, Sparc32Plus, Sparc64, SuperH, X86_64, X86_64_X32,
    };
    if facts.format == Format::Pe {
        return lines.push("link it with --nxcompat (GNU ld) or /NXCOMPAT (link.exe): otherwise, Windows may leave its stack executable".to_owned());
    }
    // Whether glibc makes thread stacks executable if the file has no PT_GNU_STACK (DEFAULT_STACK_PERMS); `None` if
    // unknown.
    let threads = match facts.machine {
        X86_64 | X86_64_X32 | I386 | Arm | PowerPc | S390x | Mips | Mips64 | Mips64_N32 | Sparc
        | Sparc32Plus | Sparc64 | Alpha | Hppa | M68k | SuperH => Some(true),
        Aarch64 | Riscv32 | Riscv64 | PowerPc64 | LoongArch64 => Some(false),
        _ => None,
    };
    let (name, denied) = if facts.is_library {
        (
            "a program that loads this library",
            "dlopen of this library fails with glibc 2.41 and later, and where such memory is denied",
        )
    } else {
        let who = if facts.is_static { "this static program" } else { "the program" };
        lines.push(match facts.machine {
            X86_64 | X86_64_X32 => format!(
                "without PT_GNU_STACK, Linux before 5.8 gives {who} an executable stack; later versions do not"
            ),
            I386 | Arm => format!(
                "without PT_GNU_STACK, Linux makes the stack and all readable memory of {who} executable"
            ),
            _ if threads == Some(false) => {
                format!("without PT_GNU_STACK, Linux gives {who} a non-executable stack")
            }
            _ => "without PT_GNU_STACK, the kernel uses the processor's default".to_owned(),
        });
        (who, "pthread_create fails where such memory is denied")
    };
    match threads {
        Some(true) => lines.push(format!(
            "without PT_GNU_STACK, glibc makes the stacks of the threads of {name} executable, so {denied} (PR_SET_MDWE, SELinux, \
             systemd's MemoryDenyWriteExecute)"
        )),
        Some(false) => lines.push(format!("on this processor, glibc gives {name} no executable stack")),
        None => {}
    }
    lines.push(format!("{} with -Wl,-z,noexecstack", relink(facts)));
}

#[cfg(all(test, not(windows)))] // tests Unix shell quoting
mod tests {
    use super::{typed, typed_path};

    #[test]
    fn a_shell_reads_a_quoted_name_unchanged() {
        assert_eq!(typed_path(b"-rf x"), "'./-rf x'");
        for (name, wanted) in [
            (&b"plain_name.so.1"[..], "plain_name.so.1"),
            (b"", "''"),
            (b"two words", "'two words'"),
            (b"it's", "'it'\\''s'"),
            (b"back\\slash", "'back\\slash'"),
            (b"\x1b[2J\n'\\\xff", "$'\\033[2J\\012\\'\\\\\\377'"),
        ] {
            assert_eq!(typed(name), wanted);
        }
        for byte in 1..=255 {
            let word = [b'a', byte, b'\'', b'\\', b'0'];
            let says = format!("printf %s {}", typed(&word));
            let output = std::process::Command::new("bash").args(["-c", &says]).output().unwrap();
            assert_eq!(output.stdout, word);
            assert!(!says.bytes().any(|byte| byte < b' ' || byte == 0x7f));
        }
    }
}
