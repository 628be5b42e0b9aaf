//! `statictramp flags`: compiler and linker flags with the paths of an installation made by `capi/install.sh`. With
//! `--prefix`, only that prefix is searched; otherwise, the installation is located by pkg-config, near this program,
//! or in /usr/local or /usr.

use crate::out::{complain, say};
use crate::shown::shown;
use std::env::{current_exe, var_os};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Prints the requested kind of flags, or all kinds. `compiler` is the flang executable that the plugin must match.
pub fn print(
    prefix: Option<&Path>,
    kind: Option<&str>,
    compiler: Option<&OsStr>,
    json: bool,
) -> Result<(), String> {
    let installed = Installed::find(prefix)?;
    let archive = word(&installed.archive)?;
    let c = format!("-I{} {archive}", word(&installed.include)?);
    let safe = format!("-fsafe-trampoline {archive}");
    match kind {
        None if json => say!(
            "{:#}",
            serde_json::json!({
                "flang": installed.flang(None).ok(),
                "flang_without_plugin": safe,
                "c": c,
                "script": installed.script().ok(),
            })
        ),
        None => say!(
            "flang:  {}\nflang 23, without the plugin:  {safe}\nC:  {c}\n\
             slots on separate pages (GNU ld, lld):  {}",
            installed.flang(None).unwrap_or_else(|why| why),
            installed.script().unwrap_or_else(|why| why),
        ),
        Some("flang") => say!("{}", installed.flang(compiler)?),
        Some("script") => say!("{}", installed.script()?),
        Some(_) => say!("{c}"),
    }
    Ok(())
}

/// The usual installation prefixes. Windows has none, because any user may create such a directory there.
const USUAL: &[&str] = if cfg!(windows) { &[] } else { &["/usr/local", "/usr"] };

/// An installation of libstatictramp.
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
                    "libstatictramp.a and its header were not found below {}; install them with: capi/install.sh PREFIX",
                    shown(prefix.as_os_str().as_encoded_bytes())
                )
            });
        }
        let around = program_directory()?;
        Self::by_pkg_config()
            .or_else(|| {
                [around.join(".."), around.join("../prefix"), around].iter().find_map(|p| Self::below(p))
            })
            .or_else(|| USUAL.iter().find_map(|p| Self::below(Path::new(p))))
            .ok_or_else(|| {
                let usual = if USUAL.is_empty() { "" } else { " or below /usr/local or /usr" };
                format!(
                    "pkg-config found no C library, and there is none near this program{usual}; install it with: \
                     capi/install.sh PREFIX, then pass --prefix PREFIX"
                )
            })
    }

    /// Searches a prefix for the libraries, in lib, in lib64 and, as on Debian, in a subdirectory of lib.
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
            let output = Command::new(var_os("PKG_CONFIG").unwrap_or("pkg-config".into()))
                .arg(format!("--variable={name}"))
                .arg("statictramp")
                .stderr(Stdio::null())
                .output()
                .ok()?;
            let path = String::from_utf8(output.stdout).ok()?;
            output.status.success().then(|| PathBuf::from(path.trim_end()))
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

    /// Returns the flags for flang 19 and later, including the one that loads the plugin. The plugin is searched for
    /// near the archive and near this program. `flang/install.sh` installs one plugin per LLVM version, and includes
    /// the version in the plugin's name. If `compiler` is given, the plugin for its LLVM version is used.
    fn flang(&self, compiler: Option<&OsStr>) -> Result<String, String> {
        if cfg!(windows) {
            return Err("the plugin is not available on Windows".into());
        }
        let around = program_directory()?;
        let libraries = self.archive.parent().unwrap_or(Path::new("/"));
        let directories = [
            libraries,
            &libraries.join("statictramp"),
            &around,
            &around.join("../lib"),
            &around.join("../release"),
        ];
        let numbered = directories.map(numbered_plugins).into_iter();
        let built = directories.iter().find_map(|directory| directory.join(PLUGIN).canonicalize().ok());
        let with = |plugin: &Path| Ok(format!("-fpass-plugin={} {}", word(plugin)?, word(&self.archive)?));
        let install = |llvm: &str| {
            format!(
                "build it with: cargo build --release -p statictramp-flang, or install it with: LLVM_CONFIG=llvm-config-{llvm} \
                 flang/install.sh PREFIX"
            )
        };
        if let Some(compiler) = compiler {
            let llvm = llvm_of(compiler)?;
            let plugin = numbered.flatten().find(|it| it.0 == llvm).map(|it| it.1).or(built);
            let none = || {
                let name = shown(compiler.as_encoded_bytes());
                let install = install(&llvm.to_string());
                format!(
                    "no plugin for LLVM {llvm}, which {name} uses, found near this program or libstatictramp.a; {install}"
                )
            };
            return with(&plugin.ok_or_else(none)?);
        }
        if let Some(built) = built {
            return with(&built);
        }
        let installed = numbered.into_iter().find(|it| !it.is_empty()).unwrap_or_default();
        let Some((latest, plugin)) = installed.last() else {
            return Err(format!("no plugin found near this program or libstatictramp.a; {}", install("N")));
        };
        if installed.len() > 1 {
            complain(format_args!(
                "several plugins are installed, and this is the one for LLVM {latest}; to choose the plugin for a compiler, run \
                 \"statictramp flags FLANG\""
            ));
        }
        with(plugin)
    }

    fn script(&self) -> Result<String, String> {
        if cfg!(windows) {
            return Err("the script is not available on Windows".into());
        }
        let named = shown(self.script.as_os_str().as_encoded_bytes());
        let script = self.script.canonicalize().map_err(|e| format!("{named}: {e}"))?;
        Ok(format!("-Wl,-T,{}", word(&script)?))
    }
}

/// Returns a path as one word that remains unchanged when a shell expands `$(statictramp flags)`, or an error if a
/// shell would change the path. Quotes cannot protect the path, because the shell does not interpret quotes in
/// command output.
fn word(path: &Path) -> Result<String, String> {
    let is_plain = |c: char| !c.is_whitespace() && !c.is_control() && !"*?[\\".contains(c);
    path.to_str()
        .map(|path| if cfg!(windows) { with_slashes(path) } else { path.to_owned() })
        .filter(|path| path.chars().all(is_plain))
        .ok_or_else(|| {
            format!(
                "a shell would change this path, or it is not UTF-8: {}",
                shown(path.as_os_str().as_encoded_bytes())
            )
        })
}

/// Returns a Windows path in a form that compilers and all shells accept. For example, `\\?\C:\lib` becomes `C:/lib`.
fn with_slashes(path: &str) -> String {
    let path = path.strip_prefix(r"\\?\").map_or(path.to_owned(), |path| match path.strip_prefix(r"UNC\") {
        Some(share) => format!(r"\\{share}"),
        None => path.to_owned(),
    });
    path.replace('\\', "/")
}

/// The name under which cargo builds the plugin.
const PLUGIN: &str = "libstatictramp_flang.so";

/// Returns the plugins installed in this directory and their LLVM versions, in ascending version order.
fn numbered_plugins(directory: &Path) -> Vec<(u32, PathBuf)> {
    let files = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut numbered: Vec<_> = files
        .filter_map(|file| {
            let name = file.file_name().into_string().ok()?;
            let llvm = name.strip_prefix("libstatictramp_flang-")?.strip_suffix(".so")?.parse().ok()?;
            Some((llvm, file.path().canonicalize().ok()?))
        })
        .collect();
    numbered.sort();
    numbered
}

/// Returns the LLVM version of a flang executable, as printed by `FLANG --version`.
fn llvm_of(compiler: &OsStr) -> Result<u32, String> {
    let name = shown(compiler.as_encoded_bytes());
    let output = Command::new(compiler).arg("--version").stderr(Stdio::null()).output();
    let output = output.map_err(|error| format!("{name}: {error}"))?;
    version_in(&String::from_utf8_lossy(&output.stdout))
        .ok_or(format!("{name} --version does not print the version of a flang"))
}

/// Returns the major version in a text such as "Debian flang-new version 19.1.7 (3+b1)".
fn version_in(text: &str) -> Option<u32> {
    let (name, version) = text.lines().next()?.split_once(" version ")?;
    name.contains("flang").then(|| version.split('.').next()?.parse().ok())?
}

fn program_directory() -> Result<PathBuf, String> {
    let program = current_exe().map_err(|e| format!("cannot find the directory of this program: {e}"))?;
    Ok(program.parent().unwrap_or(Path::new("/")).into())
}

#[cfg(test)]
mod tests {
    use super::{version_in, with_slashes};

    #[test]
    fn the_version_of_a_flang_is_read() {
        assert_eq!(
            version_in("Debian flang-new version 19.1.7 (3+b1)\nTarget: x86_64-pc-linux-gnu\n"),
            Some(19)
        );
        assert_eq!(version_in("flang version 23.0.0git\n"), Some(23));
        assert_eq!(version_in("Debian clang version 19.1.7 (3+b1)\n"), None);
    }

    #[test]
    fn windows_paths_are_passed_to_compilers_with_forward_slashes() {
        for (path, wanted) in [
            (r"\\?\C:\lib\a.h", "C:/lib/a.h"),
            (r"\\?\UNC\server\share\a.h", "//server/share/a.h"),
            (r"D:\a.h", "D:/a.h"),
            ("C:/a.h", "C:/a.h"),
        ] {
            assert_eq!(with_slashes(path), wanted);
        }
    }
}
