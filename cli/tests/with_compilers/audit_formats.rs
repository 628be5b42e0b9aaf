//! `audit` of formats and inputs that must be read, or counted as skipped with the reason, both alone and in a directory: archives,
//! compressed files, standard input, links, pseudo file systems, invalid section headers.

use crate::audit_files::{copy, files, verdict};
use crate::start;
use std::fs::File;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use test_tools::{Ended, Expect, Job, copy_file, files_in, new_directory, write};
use xshell::{Shell, cmd};

/// Runs a script, whose argument `$1` is the directory of the common files.
#[track_caller]
fn script(sh: &Shell, text: &str) -> Ended {
    let common = files();
    cmd!(sh, "bash -euo pipefail -c {text} - {common}").passes()
}

/// Runs `audit` with arguments that are separated by blanks.
fn audit(sh: &Shell, arguments: &str) -> Ended {
    let words = arguments.split_whitespace();
    cmd!(sh, "statictramp audit {words...}").ended()
}

/// Runs `audit` of standard input.
fn audit_input(sh: &Shell, arguments: &str, file: impl AsRef<Path>) -> Ended {
    let words = arguments.split_whitespace();
    let file = File::open(sh.current_dir().join(file)).expect("the input");
    Job::from(cmd!(sh, "statictramp audit {words...}")).input(file).ended()
}

#[test]
fn compressed_members_that_are_not_archives_are_not_unpacked() {
    let (sh, tree) = start("audit/members");
    sh.change_dir(&tree);
    script(
        &sh,
        "mkdir -p usr/share/man/man1 foo.tar.d
        echo '.TH X 1' | gzip >usr/share/man/man1/x.1.gz
        echo '<svg/>' | gzip >usr/share/man/man1/x.svg.gz
        cp usr/share/man/man1/x.1.gz foo.tar.d
        tar cf - usr | zstd -q >x-1-1-x86_64.pkg.tar.zst
        tar czf x-1.tgz -C usr/share/man/man1 x.1.gz
        for letter in z J j; do tar c${letter}f x-1.tar.$letter usr; done
        echo '{}' >metadata.json
        tar cf - usr | zstd -q >pkg-x.tar.zst
        zip -q0 x.conda metadata.json pkg-x.tar.zst
        tar cf x.gem pkg-x.tar.zst",
    );
    for package in
        "x-1-1-x86_64.pkg.tar.zst x-1.tgz x-1.tar.z x-1.tar.J x-1.tar.j x.conda x.gem foo.tar.d .".split(' ')
    {
        audit(&sh, package).ends(0);
    }
    // Other programs close the pipe, so their exit statuses do not count.
    script(&sh, "tar cf - usr | gzip >all.gz && head -c 100 all.gz >cut.tar.gz");
    audit(&sh, "cut.tar.gz").ends(2);
}

/// Creates `x.so`, which only requests an executable stack, and `x.tar` and `x.zip` with it.
fn archives(directory: &str) -> (Shell, PathBuf) {
    let (sh, out) = start(directory);
    sh.change_dir(&out);
    copy("asks", out.join("x.so"));
    script(&sh, "tar cf x.tar x.so; zip -q x.zip x.so; lzip -c x.tar >x.tar.lz; gzip -c x.so >x.so.gz");
    (sh, out)
}

#[test]
fn files_in_archives_and_compressed_files_are_examined() {
    let (sh, out) = archives("audit/formats-read");
    script(
        &sh,
        "mkdir read early
        tar cf - x.so | lz4 -q >read/x.tar.lz4
        lz4 -q -l -c x.tar >read/old.lz4
        lz4 -q -B4 -BD -c x.tar >read/linked.tar.lz4
        cp x.tar.lz x.so.gz read
        (lzip -c x.so && lzip -c x.so) >read/two.so.lz
        for form in newc crc odc; do echo x.so | cpio -o -H $form --quiet >read/$form.cpio; done
        (cd early && echo text >text && echo text | cpio -o -H newc --quiet) >early.cpio
        (cat early.cpio && gzip -c read/newc.cpio) >read/initrd
        (echo '#!/usr/bin/env python3' && cat x.zip) >read/x.pex
        (cat /bin/true x.zip) >read/extracting
        zip -q -z x.zip <<<'a comment'
        (cat /bin/true x.zip) >read/commented
        (printf '#!/bin/sh\\nexit 0\\n' && gzip -c x.tar) >read/x.run
        xz -c x.so >read/x.ko.xz
        zstd -q -c x.zip >read/x.zip.zst
        ln -s ../x.so read/link.so",
    );
    let read = files_in(out.join("read"));
    for file in &read {
        verdict("asked-only", 1, file);
    }
    audit(&sh, "--json read").ends(1).matches_times(read.len(), "\"verdict\": \"asked-only\"");
    for name in ["x.tar.lz4", "linked.tar.lz4", "x.tar.lz"] {
        let bytes = std::fs::read(out.join("read").join(name)).unwrap();
        write(out.join(format!("cut-{name}")), &bytes[..1500]);
        audit(&sh, &format!("cut-{name}")).ends(2);
    }
}

#[test]
fn unsupported_formats_are_counted_as_skipped() {
    let (sh, out) = archives("audit/formats-skipped");
    script(
        &sh,
        r"mkdir skipped
        : >skipped/empty.deb
        ar rc --thin skipped/thin.a $1/answer.o
        printf 'hsqs%500s' '' >skipped/x.snap
        cp /bin/true skipped/x.AppImage
        printf 'AI\2' | dd of=skipped/x.AppImage bs=1 seek=8 conv=notrunc status=none
        echo x.so | cpio -o -H bin --quiet >skipped/x.cpio
        printf 'Rar!\032\007%500s' '' >skipped/x.rar
        printf '#!/bin/sh\nexit 0\n\1\2\3\4\5\6' >skipped/unknown.run
        printf 'MZ' | cat - <(printf 'MEI\014\013\012\013\016%80s' '') >skipped/frozen.exe",
    );
    for file in files_in(out.join("skipped")) {
        let name = file.file_name().unwrap().to_str().unwrap();
        let in_skipped = format!("skipped/{name}");
        audit(&sh, &in_skipped)
            .ends(0)
            .matches(&format!("^{in_skipped}: not examined: ..."))
            .has(", 1 skipped");
        let alone = new_directory("audit/formats-skipped/alone");
        copy_file(&file, alone.join(name));
        audit(&sh, "alone").ends(0).matches(r"^not examined: 1 \(").has(", 1 skipped");
        audit(&sh, "--strict alone").ends(2);
        audit(&sh, &format!("--strict {in_skipped}")).ends(2);
    }
    audit(&sh, "--strict /bin/true").ends(0);
}

#[test]
fn standard_input_is_examined_to_its_end() {
    let (sh, _) = archives("audit/input");
    script(
        &sh,
        "mkdir -p blobs/sha256
        gzip -c x.tar >blobs/sha256/a
        cp x.tar blobs/sha256/b
        tar cf image.tar blobs x.tar
        head -c 1500 x.tar.lz >cut-x.tar.lz
        head -c 100 x.so.gz >cut.gz
        : >empty",
    );
    let mut image = audit_input(&sh, "-", "image.tar").ends(1);
    for member in ["blobs/sha256/a", "blobs/sha256/b", "x.tar"] {
        image = image.matches(&format!("^-:{member}:x.so: asks for"));
    }
    // The tool does not close the pipe before the end of an archive.
    script(&sh, "tar c blobs x.tar | { statictramp audit - >/dev/null || [ $? = 1 ]; }");
    for file in ["x.so", "x.zip", "x.so.gz"] {
        audit_input(&sh, "-", file).ends(1).lacks("--clear");
    }
    let source = test_tools::root().join("cli/tests/programs/audit/plain.c");
    for file in
        [Path::new("empty"), Path::new("/dev/null"), &source, Path::new("cut-x.tar.lz"), Path::new("cut.gz")]
    {
        audit_input(&sh, "-", file).ends(2);
    }
    audit_input(&sh, "--quick -", "image.tar").ends(0).has(", 1 skipped");
}

#[test]
fn links_are_followed_once_and_pseudo_file_systems_are_not_entered() {
    let (sh, out) = archives("audit/links");
    for directory in ["real", "links", "directories", "missing", "itself", "nothing"] {
        std::fs::create_dir(out.join(directory)).unwrap();
    }
    copy("asks", out.join("real/x.so"));
    let file = out.join("x.so");
    let links: [(&Path, &str); 7] = [
        (&file, "links/x.so"),
        (&file, "links/again.so"),
        (Path::new("../real"), "directories/real"),
        (Path::new("nothing"), "missing/link"),
        (Path::new("."), "itself/link"),
        (Path::new("real"), "directory"),
        (&file, "link.so"),
    ];
    for (target, link) in links {
        symlink(target, out.join(link)).unwrap();
    }
    for named in ["directory", "links", "links/x.so"] {
        audit(&sh, named).ends(1).matches("^1 file examined, 1 with findings");
    }
    audit(&sh, "real links").ends(1);
    audit(&sh, "real nothing").ends(1);
    audit(&sh, "--exclude * nothing").ends(0);
    audit(&sh, "nothing").ends(2).matches("^statictramp: nothing: no file was examined");
    for named in ["directories", "missing", "itself", "--strict /proc"] {
        audit(&sh, named).ends(2);
    }
    let ended = audit(&sh, "/proc").ends(0).matches("^/proc: not examined: a pseudo file system");
    assert!(ended.count("^.") <= 3, "{ended}");
    let mounts =
        "mkdir mounts mounts/proc mounts/memory && mount -t tmpfs x mounts/memory && cp x.so mounts/memory &&
        mount --rbind /proc mounts/proc && statictramp audit mounts; statictramp audit -x mounts";
    let ended = cmd!(sh, "unshare -rm sh -c {mounts}").ends(2);
    ended
        .matches("^0 files examined, 0 with findings, 1 unreadable$")
        .matches("^1 file examined, 1 with findings, 0 unreadable$");
}

#[test]
fn files_with_invalid_section_headers_are_examined_by_their_program_headers() {
    let (sh, out) = start("audit/sections");
    let common = files();
    cmd!(sh, "python3 cli/tests/programs/audit/sections.py {common}/needed {out}/").passes();
    for file in files_in(&out) {
        cmd!(sh, "chmod +x {file}").passes();
        cmd!(sh, "{file}").passes(); // the kernel accepts it
        verdict("needed", 1, &file);
        cmd!(sh, "statictramp audit {file}").fails_with(1, "section headers are invalid");
    }
    let needed = std::fs::read(common.join("needed")).unwrap();
    write(out.join("cut"), &needed[..5000]);
    cmd!(sh, "statictramp audit {out}/cut").ends(2);
}

#[test]
fn headers_that_linux_ignores_do_not_hide_a_program() {
    let (sh, out) = start("audit/ignored");
    let sources = "cli/tests/programs/audit";
    cmd!(sh, "gcc -O2 -static {sources}/nested.c -o {out}/static").passes();
    cmd!(sh, "gcc -m32 -O2 -DWITHOUT_MAIN -c {sources}/nested.c -o {out}/i386.o").passes();
    cmd!(sh, "arm-linux-gnueabihf-gcc -O2 -shared -fPIC -fshort-enums -nostdlib -DWITHOUT_MAIN")
        .args([format!("{sources}/nested.c"), "-o".into(), format!("{}/arm.so", out.display())])
        .passes();
    let needed = std::fs::read(files().join("needed")).unwrap();
    let word = |at: usize| u64::from_le_bytes(needed[at..at + 8].try_into().unwrap()) as usize;
    let mut without_code = needed.clone();
    for section in (0..usize::from(needed[60])).map(|index| word(40) + 64 * index) {
        if needed[section + 8] & 4 != 0 {
            without_code[section + 4] = 8; // SHF_EXECINSTR, SHT_NOBITS
        }
    }
    let changed = |of: &[u8], at: usize, byte: u8| {
        let mut code = of.to_vec();
        code[at] = byte;
        code
    };
    let of = |name: &str| std::fs::read(out.join(name)).unwrap();
    let programs = [
        ("standalone", changed(&needed, 7, 255)),
        ("standalone-static", changed(&of("static"), 7, 255)),
        ("abi-version", changed(&needed, 8, 9)),
        ("version", changed(&needed, 20, 77)),
        ("flags", changed(&needed, 48, 255)),
        ("module.c32", needed.clone()),
        ("grub/kernel.img", of("static")),
        ("without-code", without_code),
        ("class", changed(&needed, 4, 1)),
    ];
    for (name, code) in programs {
        let program = out.join(name);
        write(&program, code);
        cmd!(sh, "chmod +x {program}").passes();
        cmd!(sh, "{program}").passes(); // the kernel accepts it
        if name == "class" {
            cmd!(sh, "statictramp audit {program}").fails_with(2, "its class contradicts its processor");
        } else {
            verdict("needed", 1, program);
        }
    }
    let object = std::fs::read(files().join("nested.o")).unwrap();
    write(out.join("standalone.o"), changed(&object, 7, 255));
    write(out.join("i486.o"), changed(&of("i386.o"), 18, 6));
    cmd!(sh, "statictramp audit --machine i386 {out}/i486.o").ends(1);
    for name in ["standalone.o", "arm.so"] {
        verdict("needed", 1, out.join(name));
    }
}

#[test]
fn zip_archives_after_other_headers_and_empty_libraries_are_not_overlooked() {
    let (sh, out) = start("audit/headers");
    sh.change_dir(&out);
    script(
        &sh,
        r"mkdir d && zip -qj z.zip $1/needed
        (echo '@echo off'; cat z.zip) >d/run.bat && cp d/run.bat run.txt
        (echo text; cat z.zip) >d/text.pyz
        (printf 'Cr24\3\0\0\0'; cat z.zip) >d/e.crx
        echo '@echo off' >d/plain.bat && echo text >d/plain.pyz
        : >d/libempty.a && : >d/empty.so
        tar cf d.tar d",
    );
    for file in ["d", "d.tar"] {
        let mut ended = audit(&sh, &format!("--all {file}")).ends(1);
        for name in ["run.bat", "text.pyz", "e.crx"] {
            ended = ended.has(&format!("d/{name}:needed: needs an executable stack"));
        }
        for name in ["libempty.a", "empty.so", "plain.pyz"] {
            ended = ended.has(&format!("d/{name}: not examined: "));
        }
        ended.lacks("plain.bat").has(", 3 with findings, 0 unreadable, 3 skipped");
    }
    for file in ["d/run.bat", "run.txt"] {
        audit(&sh, file).ends(1);
    }
    audit(&sh, "d/plain.bat").ends(2);
}
