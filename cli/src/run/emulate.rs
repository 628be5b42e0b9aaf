//! `statictramp run --emulate`: runs a program that puts trampolines on its stack, without making that stack
//! executable. This file checks the program and makes a copy that does not request an executable stack; a preloaded
//! library, `emulate.so`, does the emulation.

use super::exec;
use crate::audit;
use crate::out::{Failure, complain};
use crate::shown::shown;
use object::Endianness;
use object::elf;
use object::read::elf::{FileHeader, ProgramHeader};
use std::env;
use std::ffi::{CString, OsStr, OsString};
use std::fs::{self, File};
use std::io::{Error, ErrorKind, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Replaces this process with the program. Returns only on failure.
pub fn run<'a>(program: &OsStr, words: impl Iterator<Item = &'a OsString>, report: Option<&Path>) -> Failure {
    let command = match prepared(program, report) {
        Ok(command) => command,
        Err(why) => return Failure::Unusable(why),
    };
    let Prepared { mut command, copy } = command;
    command.args(words).arg0(program);
    let failure = exec(command, program);
    drop(copy); // the copy must stay open until here, because the program is executed through the copy's descriptor
    failure
}

struct Prepared {
    command: Command,
    copy: Option<File>,
}

fn prepared(program: &OsStr, report: Option<&Path>) -> Result<Prepared, String> {
    if !cfg!(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64")) {
        return Err(
            "run --emulate is available only for x86-64 Linux with glibc; the program was not run".into()
        );
    }
    let name = shown(program.as_bytes());
    let library = library()?;
    let path = found(program).ok_or_else(|| format!("{name}: no such program"))?;
    if !may_be_executed(&path) {
        return Err(format!("{name}: {}", Error::last_os_error()));
    }
    let bytes = fs::read(&path).map_err(|error| format!("{name}: {error}"))?;
    let metadata = fs::metadata(&path).map_err(|error| format!("{name}: {error}"))?;
    let cannot = |why: &str| format!("{name} cannot be emulated: {why}; it was not run");
    let mut command;
    let mut copy = None;
    if let Some(line) = bytes.strip_prefix(b"#!") {
        // For a script, the emulation applies to the interpreter and to the programs that it executes.
        let line = line.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let words = line.split(|byte| b" \t".contains(byte)).find(|word| !word.is_empty());
        let interpreter = Path::new(OsStr::from_bytes(words.unwrap_or_default()));
        let bytes = fs::read(interpreter).map_err(|error| cannot(&format!("its interpreter: {error}")))?;
        loadable(&bytes).map_err(|why| cannot(&format!("its interpreter {why}")))?;
        command = Command::new(&path);
    } else {
        loadable(&bytes).map_err(|why| cannot(&format!("it {why}")))?;
        if metadata.mode() & 0o6000 != 0 || has_capabilities(&path) {
            return Err(cannot(
                "it is a set-user-ID or set-group-ID program or has capabilities, so the dynamic linker ignores \
                 preloaded libraries",
            ));
        }
        command = Command::new(&path);
        if let Some(request) = audit::stack_request(&path)
            && request.made
        {
            if request.needless {
                complain(format_args!(
                    "{name} requests an executable stack, but no code that needs one was found in it: \
                     `statictramp audit --clear` writes a copy that does not request one"
                ));
            }
            let mut bytes = bytes;
            if !audit::deny_stack(&mut bytes) {
                return Err(cannot(
                    "it has no PT_GNU_STACK, and no program header that can be turned into one",
                ));
            }
            let file = in_memory(&path, &bytes).map_err(|error| cannot(&format!("its copy: {error}")))?;
            command = Command::new(format!("/proc/self/fd/{}", file.as_raw_fd()));
            copy = Some(file);
        }
    }
    for variable in ["LD_AUDIT", "LD_PRELOAD"] {
        command.env(variable, before(library.as_os_str(), variable, ":"));
    }
    // If AddressSanitizer is a shared library, it normally requires that no other library be loaded before it.
    command.env("ASAN_OPTIONS", before("verify_asan_link_order=0".as_ref(), "ASAN_OPTIONS", ":"));
    if let Some(report) = report {
        let failed = |error: Error| format!("{}: {error}", shown(report.as_os_str().as_bytes()));
        if fs::metadata(report).is_ok_and(|it| it.file_type().is_fifo()) {
            return Err(failed(ErrorKind::Unsupported.into()));
        }
        File::create(report).map_err(failed)?;
        command.env("STATICTRAMP_EMULATE_REPORT", report.canonicalize().map_err(failed)?);
    }
    Ok(Prepared { command, copy })
}

/// Returns `word`, followed by the separator and the current value of an environment variable.
fn before(word: &OsStr, variable: &str, separator: &str) -> OsString {
    let mut value = word.to_owned();
    if let Some(present) = env::var_os(variable).filter(|present| !present.is_empty()) {
        value.push(separator);
        value.push(present);
    }
    value
}

/// Returns the path of the library to preload. `cli/install.sh` installs this library together with the tool.
fn library() -> Result<PathBuf, String> {
    let tool = env::current_exe()
        .and_then(|path| path.canonicalize())
        .map_err(|error| format!("this program: {error}"))?;
    let prefix = tool.parent().and_then(Path::parent).unwrap_or(Path::new("/"));
    let library = prefix.join("lib/statictramp/emulate.so");
    let name = shown(library.as_os_str().as_bytes());
    if !library.is_file() {
        return Err(format!("{name} is missing; install it with: cli/install.sh PREFIX"));
    }
    // In the values of LD_PRELOAD and LD_AUDIT, these characters separate paths or have other special meanings.
    if library.as_os_str().as_bytes().iter().any(|byte| b":; $\t\n".contains(byte)) {
        return Err(format!(
            "{name}: LD_PRELOAD cannot hold a path that contains a colon, semicolon, dollar sign or whitespace; \
             install under another PREFIX"
        ));
    }
    Ok(library)
}

/// Returns the path of a program. A name without a slash is looked up in PATH.
fn found(program: &OsStr) -> Option<PathBuf> {
    let path = Path::new(program);
    if program.as_bytes().contains(&b'/') {
        return path.canonicalize().ok();
    }
    let path = env::var_os("PATH").unwrap_or_else(|| "/bin:/usr/bin".into());
    env::split_paths(&path).map(|directory| directory.join(program)).find_map(|file| {
        let metadata = fs::metadata(&file).ok()?;
        (metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
            .then(|| file.canonicalize().ok())?
    })
}

/// Checks whether glibc's dynamic linker loads the program. The error text completes a sentence that begins with the
/// file's name.
fn loadable(bytes: &[u8]) -> Result<(), String> {
    let no = |why: &str| Err(why.to_owned());
    let Ok(header) = elf::FileHeader64::<Endianness>::parse(bytes) else {
        return no("is not a 64-bit ELF program or a script");
    };
    let Ok(endian) = header.endian() else { return no("has a damaged header") };
    if header.e_machine(endian) != elf::EM_X86_64 {
        return no("is not for x86-64");
    }
    let Ok(segments) = header.program_headers(endian, bytes) else { return no("has a damaged header") };
    match segments.iter().find_map(|it| it.interpreter(endian, bytes).ok().flatten()) {
        None => no("is statically linked, so no library can be loaded into it"),
        Some(linker) if !linker.windows(8).any(|part| part == b"ld-linux") => {
            no("uses a C library other than glibc")
        }
        Some(_) => Ok(()),
    }
}

/// Returns whether this process may execute a file. If not, errno contains the reason.
fn may_be_executed(path: &Path) -> bool {
    let Ok(path) = CString::new(path.as_os_str().as_bytes()) else { return false };
    // SAFETY: the string ends with a zero byte.
    unsafe { libc::access(path.as_ptr(), libc::X_OK) == 0 }
}

fn has_capabilities(path: &Path) -> bool {
    let Ok(path) = CString::new(path.as_os_str().as_bytes()) else { return false };
    // SAFETY: both strings end with a zero byte, and the kernel stores nothing in a buffer of length 0.
    unsafe { libc::getxattr(path.as_ptr(), c"security.capability".as_ptr(), std::ptr::null_mut(), 0) > 0 }
}

/// Creates an in-memory file with the bytes of a program that does not request an executable stack. The library reads
/// the file's name, which is the original's path or, if that is too long, the path's last component.
fn in_memory(path: &Path, bytes: &[u8]) -> std::io::Result<File> {
    let full = path.as_os_str().as_bytes();
    let short = path.file_name().unwrap_or_default().as_bytes();
    let name = if full.len() <= 240 { full } else { &short[..short.len().min(240)] };
    let name = CString::new(name)?;
    let mut file = [libc::MFD_CLOEXEC | libc::MFD_EXEC, libc::MFD_CLOEXEC] // older kernels do not support MFD_EXEC
        .into_iter()
        .find_map(|flags| {
            // SAFETY: the name ends with a zero byte. If a descriptor was created, no other code owns it.
            unsafe {
                let descriptor = libc::memfd_create(name.as_ptr(), flags);
                (descriptor >= 0).then(|| File::from_raw_fd(descriptor))
            }
        })
        .ok_or_else(Error::last_os_error)?;
    // The signal is ignored, because it would kill this process if the copy were longer than RLIMIT_FSIZE permits.
    // SAFETY: no other thread runs, and neither action installs a handler.
    let before = unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    let written = file.write_all(bytes);
    // SAFETY: as above, and this process has no handler for the signal.
    unsafe { libc::signal(libc::SIGXFSZ, before) };
    written.map(|()| file)
}
