//! Compiles the plugin's registration code against the headers of the LLVM that `LLVM_CONFIG` selects, and tells rustc
//! the directory of that LLVM's library.

use std::env;
use std::path::Path;
use std::process::{Command, exit};

/// The usual names of llvm-config, tried if `LLVM_CONFIG` is not set.
const USUAL: [&str; 4] = ["llvm-config-23", "llvm-config-22", "llvm-config-19", "llvm-config"];

/// The LLVM versions with which the plugin has been tested.
const TESTED: std::ops::RangeInclusive<u32> = 19..=23;

/// A file that exists if LLVM's headers are installed; Debian has a separate package for them.
const HEADER: &str = "llvm/IR/Function.h";

fn main() {
    println!("cargo:rerun-if-env-changed=LLVM_CONFIG");
    println!("cargo:rerun-if-changed=src/registration.cpp");
    println!("cargo:rerun-if-changed=src/direct.cpp");
    println!("cargo:rerun-if-changed=src/direct.h");
    let config = config();
    let version = ask(&config, &["--version"]);
    let major: u32 = version.split('.').next().and_then(|major| major.parse().ok()).unwrap_or(0);
    if !TESTED.contains(&major) {
        fail(&format!(
            "{config} belongs to LLVM {version}; the plugin supports {} to {}: set LLVM_CONFIG to one of those",
            TESTED.start(),
            TESTED.end()
        ));
    }
    println!("cargo:rustc-env=STATICTRAMP_LLVM_MAJOR={major}");

    let include = ask(&config, &["--includedir"]);
    if !Path::new(&include).join(HEADER).exists() {
        fail(&format!("{config} finds no LLVM headers: install them (Debian: llvm-{major}-dev)"));
    }
    // Since LLVM 21 plugins have a second callback.
    let api = if Path::new(&include).join("llvm/Plugins/PassPlugin.h").exists() { 2 } else { 1 };
    println!("cargo:rustc-cfg=plugin_api=\"{api}\"");

    // These flags change the layout of LLVM's classes. Compiler warnings about LLVM's headers are suppressed.
    let mut registration = cc::Build::new();
    registration
        .cpp(true)
        .files(["src/registration.cpp", "src/direct.cpp"])
        .std("c++17")
        .define("NDEBUG", None);
    registration.flag("-isystem").flag(&include).flag("-fno-rtti").flag("-fno-exceptions");
    for flag in ask(&config, &["--cppflags"]).split_whitespace().filter(|flag| flag.starts_with("-D")) {
        registration.flag(flag);
    }
    registration.compile("registration");

    // The compiler that loads the plugin already contains LLVM; only the rewriter links it.
    let libraries = ask(&config, &["--libdir"]);
    println!("cargo:rustc-link-arg-bins=-L{libraries}");
    if !loader_finds(&Path::new(&libraries).join(ask(&config, &["--link-shared", "--libnames"]))) {
        println!("cargo:rustc-link-arg-bins=-Wl,-rpath,{libraries}");
    }
    println!("cargo:rustc-link-arg-bins={}", ask(&config, &["--link-shared", "--libs"]));
    // Lazy binding lets a plugin that was built for another LLVM be loaded far enough to report the mismatch.
    println!("cargo:rustc-link-arg-cdylib=-Wl,-z,lazy");
}

/// Returns whether the loader finds exactly this library without a search path, as is the case for Debian's LLVM.
fn loader_finds(library: &Path) -> bool {
    let cache = Command::new("/sbin/ldconfig").arg("-p").output();
    let (Ok(library), Ok(cache)) = (library.canonicalize(), cache) else { return false };
    let cache = String::from_utf8_lossy(&cache.stdout);
    let mut known = cache.lines().filter_map(|line| Some(Path::new(line.split_once(" => ")?.1)));
    known.any(|known| {
        known.file_name() == library.file_name() && known.canonicalize().is_ok_and(|known| known == library)
    })
}

fn config() -> String {
    if let Ok(named) = env::var("LLVM_CONFIG") {
        return named;
    }
    let there = |name: &&str| {
        Command::new(name).arg("--version").output().is_ok_and(|output| {
            let version = String::from_utf8_lossy(&output.stdout).into_owned();
            version
                .split('.')
                .next()
                .and_then(|major| major.parse().ok())
                .is_some_and(|major| TESTED.contains(&major))
        })
    };
    match USUAL.iter().find(|name| there(name)) {
        Some(name) => (*name).into(),
        None => fail(
            "no LLVM was found: install its headers (Debian: llvm-19-dev), or set LLVM_CONFIG to the llvm-config of \
             the LLVM that your flang was built with",
        ),
    }
}

fn ask(config: &str, question: &[&str]) -> String {
    match Command::new(config).args(question).output() {
        Ok(answer) if answer.status.success() => String::from_utf8_lossy(&answer.stdout).trim().into(),
        Ok(answer) => {
            fail(&format!("{config} {}: {}", question.join(" "), String::from_utf8_lossy(&answer.stderr)))
        }
        Err(why) => {
            fail(&format!("LLVM_CONFIG is \"{config}\", but must be the path of an llvm-config: {why}"))
        }
    }
}

fn fail(why: &str) -> ! {
    println!("cargo::error={why}");
    exit(1)
}
