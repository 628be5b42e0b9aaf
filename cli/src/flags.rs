//! `statictramp flags`: what to add to a command line. Paths are those of the checkout the
//! tool was built from, or of the directory it lies in.

use std::path::{Path, PathBuf};

/// Prints the flags of each kind that is wanted, or of all.
pub fn print(wanted: &[&str]) -> Result<(), String> {
    let library = library()?;
    let script = script()?;
    let flang = format!("-fsafe-trampoline {}", library.display());
    let c = format!("-I{} {}", include(&script).display(), library.display());
    let script = format!("-Wl,-T,{}", script.display());
    match wanted {
        [] => println!(
            "flang 23:  {flang}\nC:         {c}\nslots on pages of their own (GNU ld, lld):  {script}"
        ),
        ["--flang"] => println!("{flang}"),
        ["--c"] => println!("{c}"),
        ["--script"] => println!("{script}"),
        other => return Err(format!("flags takes --flang, --c or --script, not \"{}\"", other.join(" "))),
    }
    Ok(())
}

/// The archive: in the directory of this program, or where cargo leaves it.
fn library() -> Result<PathBuf, String> {
    let program = std::env::current_exe().map_err(|e| format!("where this program lies: {e}"))?;
    let beside = program.with_file_name("libstatictramp.a");
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release/libstatictramp.a");
    let found = [beside, built].into_iter().find_map(|path| path.canonicalize().ok());
    found.ok_or_else(|| {
        "libstatictramp.a is not built; build it with: cargo build --release -p statictramp-capi".into()
    })
}

fn script() -> Result<PathBuf, String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../linker/statictramp.ld");
    script.canonicalize().map_err(|e| format!("{}: {e}", script.display()))
}

fn include(script: &Path) -> PathBuf {
    script.with_file_name("").parent().unwrap_or(Path::new("/")).join("capi/include")
}
