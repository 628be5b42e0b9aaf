//! Closures that take Fortran descriptors. Code from two versions of gfortran and of flang calls them, with and without BIND(C).
//! Also tests descriptors that Rust creates for Fortran procedures, the type codes in the compilers' headers, and the C
//! functions, which are compiled together with those headers.

use crate::*;
use regex::Regex;
use std::collections::BTreeSet;
use test_tools::{
    Expect, command, copy_file, copy_files, in_sid, library_archive, line, new_directory, new_sid_directory,
    one_of, read, sid, stack_rights, write,
};

fn flang(version: u32) -> &'static str {
    if version == 19 { "flang-new-19" } else { "flang-22" }
}

fn headers_of_flang(version: u32) -> &'static str {
    if version == 19 { "/usr/lib/llvm-19/lib/clang/19/include" } else { "/usr/lib/llvm-22/include/flang" }
}

fn headers_of_gfortran() -> String {
    let header = command("gcc -print-file-name=include/ISO_Fortran_binding.h").passes().text;
    Path::new(header.trim()).parent().unwrap().display().to_string()
}

fn runtime_of_flang(version: u32) -> String {
    let libraries = if version == 19 {
        "-L/usr/lib/llvm-19/lib -lFortranRuntime -lFortranDecimal".to_owned()
    } else {
        command("find /usr/lib/llvm-22 -name libflang_rt.runtime.a").passes().text
    };
    format!("{} -lstdc++ -lm", libraries.trim())
}

fn source(name: &str) -> String {
    programs("descriptors").join(name).display().to_string()
}

const PARTS: [&str; 3] = ["callers", "plain", "arrays"];

/// Writes a part of the program for a compiler.
fn write_part(compiler: &str, part: &str, directory: &Path) -> String {
    let file = format!("{}/{compiler}-{part}.f90", directory.display());
    write(&file, read(source(&format!("{part}.f90"))).replace("COMPILER", compiler));
    file
}

#[test]
fn descriptors_from_gfortran_12_and_flang_19_are_converted() {
    dummy_procedures(12, 19);
}

#[test]
fn descriptors_from_gfortran_12_and_flang_22_are_converted() {
    dummy_procedures(12, 22);
}

/// The later gfortran is in Debian sid. Both versions of its run-time library have the functions that these programs use.
#[test]
fn descriptors_from_gfortran_16_and_flang_22_are_converted() {
    dummy_procedures(16, 22);
}

/// The program, which Rust and both compilers make, and which gets the numbers of types in both compilers' headers.
fn dummy_procedures(gfortran: u32, version: u32) {
    let out = new_directory(&format!("descriptors/{gfortran}-{version}"));
    let in_chroot = new_sid_directory(&format!("statictramp-descriptors/{gfortran}-{version}"));
    let numbers = out.join("numbers");
    write(
        &numbers,
        type_numbers(&out, headers_of_flang(version)) + &type_numbers(&out, &headers_of_gfortran()),
    );
    let shown = out.display();
    for level in ["-O0", "-O2"] {
        let mut objects = String::new();
        for part in PARTS {
            if gfortran == 16 {
                write_part("gfortran", part, &in_chroot);
                let line = format!("gfortran-16 {level} -c gfortran-{part}.f90 -o gfortran-{part}.o");
                in_sid(&in_chroot, &line).passes();
                objects += &format!("{}/gfortran-{part}.o ", in_chroot.display());
            } else {
                let file = write_part("gfortran", part, &out);
                line!("gfortran {level} -J {shown} -c {file} -o {shown}/gfortran-{part}.o").passes();
                objects += &format!("{shown}/gfortran-{part}.o ");
            }
            let file = write_part("flang", part, &out);
            // Flang 19 compiles no procedure with an assumed-rank argument.
            if (version, part) == (19, "arrays") {
                let text = read(&file).replace("rank_of = rank(a)", "rank_of = -1");
                let any = "integer(c_int), intent(in) :: a(..)";
                assert!(text.contains(any));
                write(&file, text.replace(any, "type(c_ptr), value :: a"));
            }
            let flang = flang(version);
            line!("{flang} {level} -module-dir {shown} -c {file} -o {shown}/flang-{part}.o").passes();
            objects += &format!("{shown}/flang-{part}.o ");
        }
        let callee = root().join("target/descriptors/build/release/libdummy_procedures.a");
        let link = format!("{} {} -lgfortran -pthread", callee.display(), runtime_of_flang(version));
        line!("gcc {objects} {link} -o {shown}/program").passes();
        assert_eq!(stack_rights(out.join("program")), "RW", "{level}");
        line!("{shown}/program {version} {}", numbers.display()).passes();
    }
}

/// Returns the numbers of types in a header, each on a line with the header's version and the number of bits.
fn type_numbers(out: &Path, headers: &str) -> String {
    let header = format!("{headers}/ISO_Fortran_binding.h");
    let others = ["mask", "kind_shift", "Integer", "Logical", "Real", "Complex", "Character"];
    let names = Regex::new("define CFI_type_([A-Za-z0-9_]*)").unwrap();
    let text = read(&header);
    let names: BTreeSet<&str> = names.captures_iter(&text).map(|it| it.extract::<1>().1[0]).collect();
    let prints: String = names
        .iter()
        .filter(|it| !others.contains(it))
        .map(|name| format!("printf(\"%d {name} %d 8\\n\", CFI_VERSION, CFI_type_{name});\n"))
        .collect();
    let includes = "#include <stdio.h>\n#include <stdint.h>\n#include <stddef.h>";
    let program = format!("{includes}\n#include \"{header}\"\nint main(void) {{\n{prints}}}\n");
    write(out.join("numbers.c"), program);
    let out = out.display();
    line!("gcc -w {out}/numbers.c -o {out}/numbers.out").passes();
    line!("{out}/numbers.out").passes().text
}

/// Returns the layouts of the compiler's own descriptors, and of another version's.
fn layouts(version: u32) -> String {
    let (own, other) = if version == 19 { (2018, 2024) } else { (2024, 2018) };
    let layout = "STATICTRAMP_DESCRIPTOR_LAYOUT_FLANG";
    format!("-DOWN={layout}{own} -DOTHER={layout}{other}")
}

/// Returns the optimization levels, in a short run one of them.
fn levels() -> impl Iterator<Item = &'static str> {
    ["-O2", "-O0"].into_iter().filter(|level| *level == "-O2" || one_of(2, 1))
}

/// Returns a directory with one header: flang 19's is in the directory of clang's own headers.
fn header_alone(out: &Path, headers: &str) -> String {
    let directory = out.join("headers");
    std::fs::create_dir_all(&directory).unwrap();
    let header = "ISO_Fortran_binding.h";
    copy_file(Path::new(headers).join(header), directory.join(header));
    format!("-Icapi/include -Iinterop/capi/include -isystem {}", directory.display())
}

/// Deep copies, and types that survive conversions.
fn deep_copies(version: u32) {
    let out = new_directory(&format!("descriptors/deep-{version}"));
    let include = header_alone(&out, headers_of_flang(version));
    let out = out.display();
    for level in levels() {
        let flang = flang(version);
        line!("{flang} {level} -module-dir {out} -c {} -o {out}/deep.o", source("deep.f90")).passes();
        let compile = format!("gcc -O2 -Wall -Wextra {} {include} {}", layouts(version), source("deep.c"));
        let runtime = runtime_of_flang(version);
        line!("{compile} {out}/deep.o {} {runtime} -o {out}/deep", library_archive()).passes();
        line!("{out}/deep").passes();
    }
}

#[test]
fn deep_copies_work_with_flang_19() {
    deep_copies(19);
}

#[test]
fn deep_copies_work_with_flang_22() {
    deep_copies(22);
}

#[test]
fn deep_copies_work_with_flang_23() {
    let directory = new_sid_directory("statictramp-descriptors/deep");
    for include in ["capi/include", "interop/capi/include"] {
        copy_files(root().join(include), &directory);
    }
    copy_file(library_archive(), directory.join("libstatictramp.a"));
    copy_file(root().join("tests/common/check.h"), directory.join("check.h"));
    write(directory.join("deep.f90"), read(source("deep.f90")));
    let program = read(source("deep.c"));
    let header = "#include \"../../../../tests/common/check.h\"";
    assert!(program.contains(header));
    write(directory.join("deep.c"), program.replace(header, "#include \"check.h\""));
    let binding = sid().join("usr/lib/llvm-23/include/flang/ISO_Fortran_binding.h");
    write(directory.join("include/ISO_Fortran_binding.h"), read(binding));
    for level in levels() {
        in_sid(&directory, &format!("flang-23 {level} -c deep.f90")).passes();
        let compile = format!("gcc-16 -O2 -Wall -Wextra {} -I. -isystem include", layouts(23));
        in_sid(&directory, &format!("{compile} -c deep.c -o deep-in-c.o")).passes();
        in_sid(&directory, "flang-23 deep-in-c.o deep.o libstatictramp.a -o deep").passes();
        in_sid(&directory, "./deep").passes();
    }
}

/// The C functions with gfortran's and flang's own headers: one layout is converted to the other and back.
#[test]
fn the_c_functions_work_with_the_compilers_own_headers() {
    for (own, other, headers, runtime) in [
        ("GFORTRAN", "FLANG2018", headers_of_gfortran(), "-lgfortran".to_owned()),
        ("FLANG2018", "GFORTRAN", headers_of_flang(19).to_owned(), runtime_of_flang(19)),
        ("FLANG2024", "GFORTRAN", headers_of_flang(22).to_owned(), runtime_of_flang(22)),
    ] {
        let out = new_directory(&format!("descriptors/binding-{own}"));
        let include = header_alone(&out, &headers);
        let layout = "STATICTRAMP_DESCRIPTOR_LAYOUT_";
        let compile = format!("gcc -O2 -Wall -Wextra -DOWN={layout}{own} -DOTHER={layout}{other} {include}");
        let program = out.join("binding");
        let program = program.display();
        line!("{compile} {} {} {runtime} -o {program}", source("binding.c"), library_archive()).passes();
        line!("{program}").passes();
    }
}

/// Tests two versions of gfortran.
#[test]
fn class_dummy_arguments_of_gfortran_are_read() {
    let out = new_directory("descriptors/classes");
    let in_chroot = new_sid_directory("statictramp-descriptors/classes");
    let plain = write_part("gfortran", "plain", &out);
    line!("gfortran -O2 -J {0} -c {plain} -o {0}/plain.o", out.display()).passes();
    write_part("gfortran", "plain", &in_chroot);
    in_sid(&in_chroot, "gfortran-16 -O2 -c gfortran-plain.f90 -o plain.o").passes();
    for made in [&out, &in_chroot] {
        let program = out.join("classes");
        let (program, object) = (program.display(), made.join("plain.o"));
        let link = format!("{} {} -lgfortran -o {program}", object.display(), library_archive());
        line!("gcc -O2 -Wall -Wextra -Icapi/include -Iinterop/capi/include {} {link}", source("classes.c"))
            .passes();
        line!("{program}").passes();
    }
}
