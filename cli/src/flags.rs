//! `statictramp flags`: what to add to a command line. Paths are those of the checkout the
//! tool was built from, or of the directory it lies in.

use std::path::{Path, PathBuf};

/// Prints the flags of each kind that is wanted, or of all.
pub fn print(wanted: &[&str]) -> Result<(), String> {
    let library = built("libstatictramp.a", "statictramp-capi")?;
    let plugin = built("libstatictramp_flang.so", "statictramp-flang");
    let flang = plugin.map(|plugin| format!("-fpass-plugin={} {}", plugin.display(), library.display()));
    let script = script()?;
    let c = format!("-I{} {}", include(&script).display(), library.display());
    let script = format!("-Wl,-T,{}", script.display());
    match wanted {
        [] => println!(
            "flang:  {}\nflang 23, without the plugin:  -fsafe-trampoline {}\nC:  {c}\n\
             slots on pages of their own (GNU ld, lld):  {script}",
            flang.unwrap_or_else(|why| why),
            library.display()
        ),
        ["--flang"] => println!("{}", flang?),
        ["--c"] => println!("{c}"),
        ["--script"] => println!("{script}"),
        other => return Err(format!("flags takes --flang, --c or --script, not \"{}\"", other.join(" "))),
    }
    Ok(())
}

/// What a member of the workspace leaves: in the directory of this program, or where cargo puts it.
fn built(file: &str, member: &str) -> Result<PathBuf, String> {
    let program = std::env::current_exe().map_err(|e| format!("where this program lies: {e}"))?;
    let beside = program.with_file_name(file);
    let released = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release").join(file);
    let found = [beside, released].into_iter().find_map(|path| path.canonicalize().ok());
    found.ok_or_else(|| format!("{file} is not built; build it with: cargo build --release -p {member}"))
}

fn script() -> Result<PathBuf, String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../linker/statictramp.ld");
    script.canonicalize().map_err(|e| format!("{}: {e}", script.display()))
}

fn include(script: &Path) -> PathBuf {
    script.with_file_name("").parent().unwrap_or(Path::new("/")).join("capi/include")
}
