//! `audit --hardening`: each property with and without the option that sets it, and agreement with readelf, scanelf and
//! hardening-check.

use crate::audit_files::copy;
use crate::{start, tool};
use std::fs::metadata;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use test_tools::{Expect, effort, files_in, write};
use xshell::cmd;

const SOURCE: &str = "cli/tests/programs/audit/hardened.c";

/// The properties that the line about a file contains, and the command that compiles the file.
const PROPERTIES: &str = "
type=pie bind-now=no relro=partial stack=RW textrel=no|gcc -O2 -fPIE -pie -z lazy -z relro
type=no-pie|gcc -O2 -fno-pie -no-pie
type=static bind-now=- canary=[?] fortify=[?]|gcc -O2 -static
type=static-pie|gcc -O2 -static-pie -fPIE
type=library|gcc -O2 -shared -fPIC -DLIBRARY
type=object relro=- bind-now=- textrel=- stack=RW|gcc -O2 -c
relro=none bind-now=no|gcc -z norelro -z lazy
relro=none bind-now=yes|gcc -z norelro -z now
relro=full bind-now=yes|gcc -z relro -z now
stack=RWE|gcc -z execstack
canary=yes|gcc -O2 -fstack-protector
canary=no|gcc -O2 -fno-stack-protector
canary=yes|gcc -O2 -fstack-protector -c
canary=no|gcc -O2 -fno-stack-protector -c
canary=yes|i686-linux-gnu-gcc -O2 -fPIC -fstack-protector -c
fortify=1/1|gcc -O2 -D_FORTIFY_SOURCE=2 -DLIBRARY -shared -fPIC
fortify=0/1|gcc -O2 -U_FORTIFY_SOURCE -DLIBRARY -shared -fPIC
fortify=-|gcc -O2 -DEMPTY -c
canary=[?] fortify=[?]|gcc -O2 -flto -fstack-protector -c
control-flow=IBT,SHSTK|gcc -O2 -fcf-protection=full -c
control-flow=IBT|gcc -O2 -fcf-protection=branch -c
control-flow=none|gcc -O2 -fcf-protection=none -c
control-flow=IBT,SHSTK|gcc -O2 -fPIC -fcf-protection=full -DLIBRARY -shared -nostartfiles
control-flow=none|gcc -O2 -fPIC -fcf-protection=none -DLIBRARY -shared -nostartfiles
control-flow=BTI,PAC|aarch64-linux-gnu-gcc -O2 -mbranch-protection=standard -c
control-flow=BTI|aarch64-linux-gnu-gcc -O2 -fPIC -mbranch-protection=bti -DLIBRARY -shared -nostartfiles
control-flow=none|aarch64-linux-gnu-gcc -O2 -mbranch-protection=none -c
control-flow=-|arm-linux-gnueabihf-gcc -O2 -c
textrel=yes|i686-linux-gnu-gcc -O2 -fno-pic -DLIBRARY -shared -Wl,-z,notext
textrel=no|i686-linux-gnu-gcc -O2 -fPIC -DLIBRARY -shared
";

/// Returns a file for each line of [`PROPERTIES`], named after the number of the line.
fn hardened() -> &'static Path {
    static HARDENED: OnceLock<PathBuf> = OnceLock::new();
    HARDENED.get_or_init(|| {
        let (sh, out) = start("audit/hardened");
        for (number, line) in (1..).zip(PROPERTIES.trim().lines()) {
            let options = line.split_once('|').expect("a command").1.split(' ');
            let file = out.join(format!("{number}"));
            cmd!(sh, "env {options...} {SOURCE} -o {file}").passes();
        }
        out
    })
}

#[track_caller]
fn property(word: &str, file: &Path) {
    let sh = crate::tool_shell();
    let ended = cmd!(sh, "statictramp audit --hardening {file}").ended().at_most(1);
    ended.matches(&format!("^{}: .*{word}( |$)", file.display()));
}

#[test]
fn each_property_is_recognised_with_and_without_its_option() {
    for (number, line) in (1..).zip(PROPERTIES.trim().lines()) {
        for word in line.split('|').next().unwrap().split(' ') {
            property(word, &hardened().join(number.to_string()));
        }
    }
    // musl has no checking variants, so symbols do not show FORTIFY.
    let (sh, out) = start("audit/musl");
    cmd!(sh, "gcc -shared -fPIC -DEMPTY -Wl,-soname,libc.so {SOURCE} -o {out}/musl.so").passes();
    cmd!(sh, "gcc -O2 -shared -fPIC -DLIBRARY {SOURCE} -Wl,--no-as-needed {out}/musl.so -o {out}/for-musl")
        .passes();
    property("canary=no fortify=[?]", &out.join("for-musl"));
}

#[test]
fn hardening_covers_pe_files_archives_and_packages() {
    let hardened = hardened();
    let (sh, out) = start("audit/hardening-formats");
    cmd!(sh, "x86_64-w64-mingw32-gcc -O2 -c {SOURCE} -o {out}/pe.o").passes();
    property("a PE file, not an ELF file", &out.join("pe.o"));
    let tree = out.join("tree");
    write(tree.join("text"), "text\n");
    cmd!(sh, "ar rcs {tree}/both.a {hardened}/11 {hardened}/12").passes();
    cmd!(sh, "tar -C {hardened} -czf {tree}/package.tar.gz 1 9").passes();
    let mut ended = cmd!(sh, "statictramp audit --hardening {tree}").ended().at_most(1);
    for line in [
        r"both.a\(11\): stack=RW .*canary=yes",
        r"both.a\(12\): stack=RW .*canary=no",
        "package.tar.gz:1: .*relro=partial",
        "package.tar.gz:9: .*relro=full",
    ] {
        ended = ended.matches(&format!("tree/{line}"));
    }
    cmd!(sh, "statictramp audit --hardening {tree}/text").fails_with(2, "text: not an ELF");
    for options in ["--format sarif", "--quick"] {
        let options = options.split(' ');
        let ended = cmd!(sh, "statictramp audit --hardening {options...} {hardened}/1").ended();
        assert_ne!(ended.status, 0, "{ended}");
    }
}

#[test]
fn hardening_changes_no_verdict_and_agrees_with_other_tools() {
    let (sh, out) = start("audit/hardening-agrees");
    let (tree, tool) = (out.join("tree"), tool());
    write(tree.join("text"), "text\n");
    for name in ["needed", "hidden", "mixed.a"] {
        copy(name, tree.join(name));
    }
    // Installed programs and libraries, small because hardening-check disassembles them.
    let mut all: Vec<PathBuf> =
        ["bin", "sbin", "lib/x86_64-linux-gnu", "i686-linux-gnu/lib", "aarch64-linux-gnu/lib"]
            .iter()
            .flat_map(|it| files_in(format!("/usr/{it}")))
            .filter(|it| !it.to_string_lossy().contains(".dpkg-")) // another leg may be installing a package
            .filter(|it| {
                it.is_file() && !it.is_symlink() && metadata(it).is_ok_and(|it| it.len() <= 199 << 10)
            })
            .collect();
    all.sort();
    let wanted = if effort() >= 100 { 60 } else { 15 };
    let chosen = all.iter().step_by(all.len() / wanted + 1);
    let list: String = chosen.map(|it| format!("{}\n", it.display())).collect();
    write(out.join("list"), list);
    let files = files_in(hardened());
    cmd!(sh, "python3 cli/tests/programs/audit/hardening.py {tool} {tree} {out}/list {files...}").passes();
}
