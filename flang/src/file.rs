//! Applies the pass to files, for build systems that cannot load plugins.

use crate::llvm::{LLVMContextCreate, Module};
use std::ffi::{CString, OsStr};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;

/// Rewrites a file of bitcode or textual IR. The path `-` means standard input or standard output.
///
/// # Errors
/// Returns an error message if a file cannot be read or written, or if LLVM rejects it.
pub fn rewrite_file(input: &OsStr, output: &OsStr, as_text: bool) -> Result<(), String> {
    let shown = input.to_string_lossy();
    let path = CString::new(input.as_bytes()).map_err(|_| format!("{shown}: invalid file name"))?;
    // The context lives until the program ends.
    let module = Module::read(LLVMContextCreate(), &path).map_err(|why| format!("{shown}: {why}"))?;
    module.verify().map_err(|why| format!("{shown} is invalid: {why}"))?;
    crate::plugin::run_alone(module);
    module
        .verify()
        .map_err(|why| format!("{shown}: the output is invalid, which is a bug in statictramp: {why}"))?;
    let text = if as_text { module.to_text() } else { module.to_bitcode() };
    write(output, &text).map_err(|why| format!("{}: {why}", output.to_string_lossy()))
}

/// Writes to a file or to standard output. On failure, leaves no partially written regular file behind.
fn write(output: &OsStr, text: &[u8]) -> std::io::Result<()> {
    if output == "-" {
        let mut out = std::io::stdout().lock();
        return out.write_all(text).and_then(|()| out.flush());
    }
    let mut file = std::fs::File::create(output)?;
    let written = file.write_all(text);
    if written.is_err() && file.metadata().is_ok_and(|it| it.is_file()) {
        let _ = std::fs::remove_file(output); // report the write error, not this one
    }
    written
}
