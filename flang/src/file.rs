//! The pass without a compiler: for build systems that cannot load plugins.

use crate::llvm::{LLVMContextCreate, Module};

/// Rewrites a file of bitcode or textual IR; `-` is the standard input or output.
///
/// # Errors
/// A sentence: the file cannot be read or written, or LLVM finds it broken.
pub fn rewrite_file(input: &str, output: &str, as_text: bool) -> Result<(), String> {
    // The program ends with the context.
    let module = Module::read(LLVMContextCreate(), input).map_err(|why| format!("{input}: {why}"))?;
    module.verify().map_err(|why| format!("{input} is broken: {why}"))?;
    crate::plugin::run_alone(module);
    module.verify().map_err(|why| format!("{input} came out broken, which is a bug here: {why}"))?;
    module.write(output, as_text).map_err(|why| format!("{output}: {why}"))
}
