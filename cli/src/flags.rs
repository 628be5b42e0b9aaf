//! `statictramp flags`: what to add to a command line. The paths are those of what `capi/install.sh` has laid down: below
//! `--prefix`, else where pkg-config knows of it, else around the directory of this program.

use crate::out::say;
use std::env::{current_exe, var_os};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Prints the flags of the kind that is wanted, or of all.
pub fn print(words: &[&str]) -> Result<(), String> {
    let (prefix, wanted) = prefix_and_kind(words)?;
    let installed = Installed::find(prefix)?;
    let archive = installed.archive.display();
    let c = format!("-I{} {archive}", installed.include.display());
    match wanted {
        None => say!(
            "flang:  {}\nflang 23, without the plugin:  -fsafe-trampoline {archive}\nC:  {c}\n\
             slots on pages of their own (GNU ld, lld):  {}",
            installed.flang().unwrap_or_else(|why| why),
            installed.script().unwrap_or_else(|why| why),
        ),
        Some("--flang") => say!("{}", installed.flang()?),
        Some("--script") => say!("{}", installed.script()?),
        Some(_) => say!("{c}"),
    }
    Ok(())
}

/// What `--prefix` names, and which flags are wanted.
fn prefix_and_kind<'a>(words: &[&'a str]) -> Result<(Option<&'a Path>, Option<&'a str>), String> {
    let (mut prefix, mut kind) = (None, None);
    let mut words = words.iter();
    while let Some(&word) = words.next() {
        if word == "--prefix" {
            let directory = words.next().ok_or("--prefix wants a directory behind it")?;
            prefix = Some(Path::new(*directory));
        } else if let Some(directory) = word.strip_prefix("--prefix=") {
            prefix = Some(Path::new(directory));
        } else if ["--flang", "--c", "--script"].contains(&word) && kind.is_none() {
            kind = Some(word);
        } else {
            return Err(format!(
                "flags takes --prefix DIRECTORY and one of --flang, --c and --script, not \"{word}\""
            ));
        }
    }
    Ok((prefix, kind))
}

/// The C library, where it is installed.
struct Installed {
    archive: PathBuf,
    include: PathBuf,
    script: PathBuf,
}

impl Installed {
    fn find(prefix: Option<&Path>) -> Result<Self, String> {
        if let Some(prefix) = prefix {
            return Self::below(prefix).ok_or_else(|| {
                format!(
                    "there is no libstatictramp.a with its header below {0}; install them with: capi/install.sh {0}",
                    prefix.display()
                )
            });
        }
        let around = program_directory()?;
        Self::by_pkg_config()
            .or_else(|| {
                [around.join(".."), around.join("../prefix"), around].iter().find_map(|p| Self::below(p))
            })
            .ok_or_else(|| {
                "neither pkg-config nor this program's own place leads to the C library; \
                 install it with: capi/install.sh PREFIX, and name that with --prefix"
                    .into()
            })
    }

    /// Where libraries lie below a prefix: in lib, lib64 or, as Debian has it, in a directory of lib.
    fn below(prefix: &Path) -> Option<Self> {
        let lib = prefix.join("lib");
        let within = fs::read_dir(&lib).into_iter().flatten().flatten().map(|entry| entry.path());
        [lib.clone(), prefix.join("lib64")]
            .into_iter()
            .chain(within)
            .find_map(|libraries| Self::at(&libraries, &prefix.join("include"), prefix))
    }

    fn by_pkg_config() -> Option<Self> {
        let variable = |name: &str| {
            let said = Command::new(var_os("PKG_CONFIG").unwrap_or("pkg-config".into()))
                .arg(format!("--variable={name}"))
                .arg("statictramp")
                .stderr(Stdio::null())
                .output()
                .ok()?;
            let path = String::from_utf8(said.stdout).ok()?;
            said.status.success().then(|| PathBuf::from(path.trim_end()))
        };
        Self::at(&variable("libdir")?, &variable("includedir")?, &variable("prefix")?)
    }

    fn at(libraries: &Path, include: &Path, prefix: &Path) -> Option<Self> {
        let archive = libraries.join("libstatictramp.a").canonicalize().ok()?;
        let header = include.join("statictramp.h").canonicalize().ok()?;
        Some(Self {
            archive,
            include: header.parent()?.into(),
            script: prefix.join("share/statictramp/statictramp.ld"),
        })
    }

    /// For flang 19 and later, with the plugin: beside the archive, or beside this program.
    fn flang(&self) -> Result<String, String> {
        let around = program_directory()?;
        let libraries = self.archive.parent().unwrap_or(Path::new("/"));
        [libraries, &around, &around.join("../lib"), &around.join("../release")]
            .iter()
            .find_map(|place| place.join("libstatictramp_flang.so").canonicalize().ok())
            .map(|plugin| format!("-fpass-plugin={} {}", plugin.display(), self.archive.display()))
            .ok_or_else(|| {
                "libstatictramp_flang.so is neither beside this program nor beside libstatictramp.a; \
                 build it with: cargo build --release -p statictramp-flang"
                    .into()
            })
    }

    fn script(&self) -> Result<String, String> {
        let script = self.script.canonicalize().map_err(|e| format!("{}: {e}", self.script.display()))?;
        Ok(format!("-Wl,-T,{}", script.display()))
    }
}

fn program_directory() -> Result<PathBuf, String> {
    let program = current_exe().map_err(|e| format!("where this program lies: {e}"))?;
    Ok(program.parent().unwrap_or(Path::new("/")).into())
}
