//! The shared libraries: those that a program links with `-lstatictramp`, the table that they share, and their
//! versions.

use test_tools::{
    Expect, copy_shared_library, library, library_archive, line, new_directory, printed, read, root, write,
};

const PROGRAMS: &str = "capi/tests/programs/shared";
const FLAGS: &str = "-O2 -Wall -Wextra -Werror -Icapi/include -Iinterop/capi/include";

fn directory(name: &str) -> String {
    new_directory(&format!("shared/{name}")).display().to_string()
}

/// Returns which of our libraries a file needs.
fn needed(file: &str) -> Vec<String> {
    let text = printed(&format!("readelf -dW {file}"));
    let names = text.lines().filter(|line| line.contains("(NEEDED)"));
    let names = names.filter_map(|line| line.split_once("[libstatictramp")?.1.strip_suffix(".so.0]"));
    names.map(str::to_owned).collect()
}

/// Options for a program that links a library, and finds it when it runs.
fn linked(directory: &str, library: &str) -> String {
    format!("-L{directory} {library} -Wl,-rpath,{directory}")
}

#[test]
fn a_program_needs_only_the_shared_libraries_that_it_uses() {
    let (out, library) = (directory("needed"), library().display().to_string());
    let archive = "capi/tests/programs/archive";
    for (source, wanted) in [
        (format!("{archive}/user.c"), &["_core"][..]),
        (format!("{archive}/both.c"), &["_core", "_runtime"]),
        (format!("{PROGRAMS}/pool.c"), &["_core", "_interop", "_runtime"]),
    ] {
        for linker in
            ["gcc -fuse-ld=bfd", "gcc -fuse-ld=gold", "clang-19 -fuse-ld=lld", "clang-19 -fuse-ld=mold"]
        {
            let by_path = format!("{library}/libstatictramp.so");
            for (named, choice) in [("-lstatictramp", "--no-as-needed"), (&*by_path, "--as-needed")] {
                let links = linked(&library, named);
                line!("{linker} {FLAGS} {source} -Wl,{choice} {links} -o {out}/program").passes();
                let mut names = needed(&format!("{out}/program"));
                names.sort();
                assert_eq!(names, wanted, "{linker} {source} {named} {choice}");
                line!("{out}/program").passes();
            }
        }
    }
}

/// The program uses only functions of `statictramp.h`.
#[test]
fn a_programs_own_runtime_libraries_are_not_replaced() {
    let (out, library) = (directory("kept"), library().display().to_string());
    line!("gcc -O2 -shared -fPIC {PROGRAMS}/runtime.c -o {out}/libruntime.so").passes();
    let program = |links: &str| {
        let runtime = linked(&out, "-lruntime");
        line!("gcc {FLAGS} {PROGRAMS}/user.c -Wl,--no-as-needed {links} {runtime} -o {out}/program").passes();
        line!("{out}/program").passes().text
    };
    assert_eq!(program(&linked(&library, "-lstatictramp")), format!("{out}/libruntime.so\n").repeat(2));
    // Only a program's own code uses the archive's functions.
    let names = "-Wl,-u,_FortranATrampolineInit -Wl,-u,__gcc_nested_func_ptr_created";
    assert_eq!(
        program(&format!("{names} {}", library_archive())),
        format!("{out}/libruntime.so\n").repeat(2)
    );
    // With the runtime functions' own library, or with the library that contains all functions.
    for (name, file) in [("-lstatictramp_runtime -lstatictramp", "_runtime"), ("-l:libstatictramp.so.0", "")]
    {
        assert_eq!(
            program(&linked(&library, name)),
            format!("{library}/libstatictramp{file}.so.0\n").repeat(2)
        );
    }
}

#[test]
fn all_shared_libraries_use_one_table() {
    let (out, library) = (directory("pool"), library().display().to_string());
    let named = |name: &str| format!("{library}/libstatictramp{name}.so.0");
    for links in ["-lstatictramp", "-l:libstatictramp.so.0"] {
        let links = linked(&library, links);
        line!("gcc {FLAGS} {PROGRAMS}/pool.c {links} -o {out}/linked").passes();
        for preloaded in ["", "_core", "_runtime", "_interop"] {
            line!("{out}/linked").env("LD_PRELOAD", named(preloaded)).passes();
        }
        line!("{out}/linked").passes();
    }
    line!("gcc {FLAGS} -DDLOPENED {PROGRAMS}/pool.c -o {out}/loads").passes();
    for name in ["", "_runtime"] {
        line!("{out}/loads {}", named(name)).passes();
    }
}

/// Each trampoline must be freed by the copy that made it, or it stays live.
#[test]
fn programs_and_libraries_with_the_archive_use_their_own_copies() {
    let (out, archive) = (directory("copies"), library_archive());
    let preloaded = format!("{}/libstatictramp.so.0", library().display());
    let libraries = format!("{out}/libfirst.so {out}/libsecond.so");
    let passes = |words: &str, preloaded: &str| {
        let printed = line!("{out}/{words}").env("LD_PRELOAD", preloaded).passes().text;
        assert_eq!(printed, "0 0\n", "{words} {preloaded}");
    };
    for (compiler, level, symbolic, exported) in [
        ("g++", "-O2", "", ""),
        ("g++", "-O0", "", "-rdynamic"),
        ("clang++-19 -fuse-ld=lld", "-O2", "-Wl,-Bsymbolic", ""),
    ] {
        let compile = format!("{compiler} {FLAGS} {level} -std=c++17 {PROGRAMS}/copies.cpp");
        for (name, which) in [("first", "FIRST"), ("second", "SECOND")] {
            line!("{compile} -D{which} -shared -fPIC {archive} {symbolic} -o {out}/lib{name}.so").passes();
            let dynamic = line!("nm -D {out}/lib{name}.so").passes().text;
            assert!(!dynamic.contains("5thunkI") && !dynamic.contains("6changeE"), "{compiler}: {dynamic}");
        }
        line!("{compile} {exported} {archive} {} -lsecond -o {out}/program", linked(&out, "-lfirst"))
            .passes();
        line!("{compile} -DLOADS {exported} {archive} -o {out}/loads").passes();
        for preloaded in ["", &preloaded] {
            passes("program", preloaded);
            for how in ["l", "g"] {
                passes(&format!("loads {how} {libraries}"), preloaded);
            }
        }
    }
}

#[test]
fn the_archive_and_the_shared_library_work_in_one_process() {
    let (out, archive, library) = (directory("beside"), library_archive(), library().display().to_string());
    let compile = format!("{FLAGS} {PROGRAMS}/beside.c");
    let shared = linked(&library, "-lstatictramp");
    line!("gcc {compile} -DLIBRARY -shared -fPIC {shared} -o {out}/libbeside.so").passes();
    for linker in ["gcc -fuse-ld=bfd", "gcc -fuse-ld=gold", "clang-19 -fuse-ld=lld", "clang-19 -fuse-ld=mold"]
    {
        for libraries in [format!("{archive} {out}/libbeside.so"), format!("{out}/libbeside.so {archive}")] {
            line!("{linker} {compile} {libraries} {shared} -o {out}/program").passes();
            line!("{out}/program").passes();
        }
    }
}

#[test]
fn libraries_of_different_versions_do_not_load() {
    let out = directory("versions");
    copy_shared_library(&out);
    let file = format!("{out}/libstatictramp_runtime.so.0");
    let symbols = line!("readelf -VW {file}").passes();
    symbols.matches("Name: GCC_14.0.0").matches("Name: STATICTRAMP_PRIVATE_[0-9.]*  Flags: none");
    line!("gcc {FLAGS} -DDLOPENED {PROGRAMS}/pool.c -o {out}/loads").passes();
    line!("{out}/loads {file}").passes();
    let mut bytes = std::fs::read(&file).unwrap();
    let at = bytes.windows(20).position(|it| it == b"STATICTRAMP_PRIVATE_").unwrap() + 20;
    bytes[at] = b'9';
    write(&file, bytes);
    line!("LD_DEBUG=libs {out}/loads {file}").ended().ends(1).has("version `STATICTRAMP_PRIVATE_9");
}

/// The rows of the table in docs/cost.md, and how the program calls the library.
const ROWS: [&str; 4] = ["archive", "`-lstatictramp`", "`libstatictramp.so.0`", "`dlopen`"];

/// Counts instructions, and compares them with docs/cost.md. A new version of the compiler changes a number slightly, so a row may
/// differ by five; with STATICTRAMP_WRITE_SIZES=1, the test writes the rows. A call to another library takes at most five more.
#[test]
fn a_call_to_another_library_takes_at_most_five_instructions() {
    let (out, library) = (directory("counted"), library().display().to_string());
    let counts = |how: &str, links: &str, argument: &str| -> Vec<usize> {
        line!("gcc {FLAGS} {how} capi/tests/programs/c/counted.c {links} -o {out}/counted").passes();
        let text = line!("{out}/counted {argument}").passes().text;
        let numbers = text.lines().take(3).map(|line| {
            let count = line.split_once(": ").unwrap().1.split(' ').next().unwrap();
            count.parse().unwrap()
        });
        numbers.collect()
    };
    let shared = "-DMORE=15";
    let runtime = format!("{library}/libstatictramp_runtime.so.0");
    let measured = [
        counts("", &library_archive(), ""),
        counts(shared, &linked(&library, "-lstatictramp"), ""),
        counts(shared, &linked(&library, "-l:libstatictramp.so.0"), ""),
        counts(&format!("{shared} -DDLOPENED"), "", &runtime),
    ];
    let mut page = read("docs/cost.md");
    let mut differ = Vec::new();
    for (name, row) in ROWS.iter().zip(&measured) {
        println!("{name}: {row:?}");
        // flang's three functions, and the two functions of each other interface, are called once each.
        for ((count, direct), calls) in row.iter().zip(&measured[0]).zip([2, 3, 2]) {
            assert!(*count <= direct + 5 * calls, "{name}: {count} instructions, {direct} with the archive");
        }
        let start = format!("| {name} | ");
        let stated = page.lines().find(|line| line.starts_with(&start)).expect("a row").to_owned();
        let figures: Vec<usize> =
            stated.split(" | ").filter_map(|it| it.trim_end_matches(" |").parse().ok()).collect();
        if figures.len() != 3 || !figures.iter().zip(row).all(|(stated, count)| stated.abs_diff(*count) <= 5)
        {
            let [alloc, flang, gcc] = row[..] else { panic!("{row:?}") };
            let row = format!("{start}{alloc} | {flang} | {gcc} |");
            page = page.replace(&stated, &row);
            differ.push(row);
        }
    }
    if std::env::var_os("STATICTRAMP_WRITE_SIZES").is_some() {
        write(root().join("docs/cost.md"), page);
    } else {
        assert!(differ.is_empty(), "STATICTRAMP_WRITE_SIZES=1 corrects these rows: {differ:#?}");
    }
}
