//! Tests of the archive's parts: the sizes of C programs, and the program that divides the C library's object. This program
//! is run on the object of a small library, in a 64-bit form with RELA relocations, and in a 32-bit form with REL relocations
//! and COMDAT groups.

use std::collections::{BTreeMap, BTreeSet};
use test_tools::{
    Ended, Expect, library_archive, line, multi_line, new_directory, printed, read, root, write,
};

/// The rows of the table in docs/cost.md: the functions without their prefix, and the most bytes of code and constants of a program
/// that uses them.
const ROWS: [(&str, &str, usize); 14] = [
    ("`statictramp_alloc`, `statictramp_free`", "alloc free", 70_000),
    ("`statictramp_bind`, `statictramp_free`", "bind free", 70_000),
    ("`STATICTRAMP_BIND` (if every type is word-sized), `statictramp_free`", "bind_first free", 70_000),
    ("`STATICTRAMP_BIND` (for other types), `statictramp_free`", "bind_types bind_types_last free", 85_000),
    ("`statictramp_bind_signature`, `statictramp_free`", "bind_signature signature_error free", 85_000),
    (
        "`statictramp_bind_raw`, `statictramp_raw_next` and the like",
        "bind_raw raw_check raw_expect raw_next raw_next_struct raw_return raw_return_struct raw_va_list",
        90_000,
    ),
    ("`statictramp_lookup`, `statictramp_rebind`", "lookup rebind version", 65_000),
    (
        "table functions, such as `statictramp_reserve` and `statictramp_on_dead_call`",
        "live capacity reserve set_limit on_dead_call on_dead_call_from free_all",
        80_000,
    ),
    (
        "flang's calls",
        "_FortranATrampolineInit _FortranATrampolineAdjust _FortranATrampolineFree _FortranAInitTrampoline \
         _FortranAAdjustTrampoline _FortranAFreeTrampoline",
        80_000,
    ),
    ("GCC's calls", "__gcc_nested_func_ptr_created __gcc_nested_func_ptr_deleted", 80_000),
    (
        "OpenMP's calls, and device functions",
        "share set_functions set_functions_of_entries function_on on_device __tgt_rtl_set_function_ptr_map \
         __kmpc_target_translate_fptr __llvm_omp_indirect_call_lookup __omp_offloading_fptr_map_p \
         __omp_offloading_fptr_map_size",
        105_000,
    ),
    (
        "flang's descriptors",
        "view_descriptor convert_descriptor copy_back_descriptor make_descriptor section_descriptor is_contiguous \
         type_name of_gfortran of_gfortran_class to_gfortran copy_back_to_gfortran deep_copy deep_free",
        50_000,
    ),
    (
        "memrefs",
        "check_lowering check_memref check_memref_identity check_memref_sizes bind_memref unranked_result",
        95_000,
    ),
    ("rules for captured arguments", "captured may_capture", 70_000),
];

/// Measures the table of sizes. A new version of the compiler or of libc changes a size by a few bytes, so a row may differ by two
/// thousand; with STATICTRAMP_WRITE_SIZES=1, the test writes the rows.
#[test]
fn programs_link_only_the_functions_that_they_use() {
    let (out, archive) = (new_directory("parts/sizes").display().to_string(), library_archive());
    let map = read("capi/install/statictramp.map");
    let interface: BTreeSet<String> =
        multi_line(r"^ *([a-zA-Z_]\w*);").captures_iter(&map).map(|found| found[1].to_owned()).collect();
    let mut page = read("docs/cost.md");
    let (mut covered, mut differ) = (BTreeSet::new(), Vec::new());
    for (name, functions, most) in ROWS {
        let mut words = String::new();
        for function in functions.split_whitespace() {
            let function =
                if function.starts_with('_') { function.into() } else { format!("statictramp_{function}") };
            words += &format!(" -Wl,-u,{function}");
            covered.insert(function);
        }
        line!("gcc -O2 capi/tests/programs/archive/empty.c{words} {archive} -o {out}/program").passes();
        let sizes = printed(&format!("size {out}/program"));
        let sizes: Vec<usize> =
            sizes.lines().nth(1).unwrap().split_whitespace().take(3).map(|it| it.parse().unwrap()).collect();
        println!("{name}: {sizes:?}");
        assert!(
            sizes[0] <= most,
            "a program that uses {name} has {} bytes of code, more than {most}",
            sizes[0]
        );
        let start = format!("| {name} | ");
        let stated = page.lines().find(|line| line.starts_with(&start)).unwrap_or_default().to_owned();
        let figures: Vec<usize> = stated[start.len().min(stated.len())..]
            .split(" | ")
            .filter_map(|it| it.trim_end_matches(" |").replace(',', "").parse().ok())
            .collect();
        let is_near = |(stated, measured): (&usize, &usize)| stated.abs_diff(*measured) <= 2000;
        if figures.len() != 3 || !figures.iter().zip(&sizes).all(is_near) {
            let row = format!(
                "{start}{} | {} | {} |",
                thousands(sizes[0]),
                thousands(sizes[1]),
                thousands(sizes[2])
            );
            page = page.replace(&stated, &row);
            differ.push(row);
        }
    }
    assert_eq!(covered, interface, "each function must be in a row");
    if std::env::var_os("STATICTRAMP_WRITE_SIZES").is_some() {
        write(root().join("docs/cost.md"), page);
    } else {
        assert!(differ.is_empty(), "STATICTRAMP_WRITE_SIZES=1 corrects these rows: {differ:#?}");
    }
}

/// Writes a number with commas.
fn thousands(number: usize) -> String {
    if number < 1000 {
        number.to_string()
    } else {
        format!("{},{:03}", thousands(number / 1000), number % 1000)
    }
}

const PROGRAMS: &str = "capi/tests/programs/parts";
const FUNCTIONS: [&str; 6] = ["first", "second", "name_of_table", "unused", "pair_one", "pair_two"];
const MAP: &str = "{\n    first;\n    second;\n    name_of_table;\n    unused;\n    /* part pair */\n    pair_one;\n    pair_two;\n};\n";

/// A library before and after it has been divided.
struct Library {
    out: String,
    /// Options for a program that uses the library.
    linked: &'static str,
}

/// Options for compiling the library, and for a program that uses it.
const HOSTED: (&str, &str) = ("", "-DUNWIND");
const ALONE: (&str, &str) = ("-m32 -DALONE", "-m32 -DALONE -nostdlib -static");

impl Library {
    fn new(name: &str, (compiled, linked): (&'static str, &'static str), more: &str) -> Self {
        let out = new_directory(&format!("parts/{name}")).display().to_string();
        line!("gcc {compiled} {more} -O2 -fPIC -ffunction-sections -fdata-sections -c {PROGRAMS}/library.c -o {out}/library.o").passes();
        line!("gcc {compiled} -nostdlib -r {out}/library.o -o {out}/linked.o").passes();
        write(
            root().join(&out).join("kept"),
            format!("{}\nprefix_stubs\nprefix_mark\n", FUNCTIONS.join("\n")),
        );
        write(root().join(&out).join("map"), MAP);
        line!("objcopy --keep-global-symbols={out}/kept {out}/linked.o {out}/whole.o").passes();
        Self { out, linked }
    }

    fn divide(&self, into: &str) -> Ended {
        let out = &self.out;
        line!("mkdir {out}/{into}").passes();
        line!("cargo run --quiet -p statictramp-parts -- {out}/whole.o {out}/{into} {out}/map prefix_")
            .ended()
    }

    /// Creates the archive, and returns the names of its members.
    fn archive(&self) -> Vec<String> {
        let (out, divided) = (&self.out, self.divide("members").ends(0));
        let members: Vec<String> = divided.text.lines().map(str::to_owned).collect();
        let paths: Vec<String> = members.iter().map(|name| format!("{out}/members/{name}")).collect();
        line!("ar rcs {out}/library.a {}", paths.join(" ")).passes();
        members
    }

    /// Hides the functions without dividing the library.
    fn hide(&self) -> String {
        let out = &self.out;
        line!("cargo run --quiet -p statictramp-parts -- {out}/whole.o {out}").passes();
        format!("{out}/statictramp.o")
    }

    fn symbols(&self, file: &str) -> String {
        printed(&format!("nm {}/{file}", self.out))
    }

    /// Links a program and runs it.
    fn runs(&self, words: &str) {
        let (out, linked) = (&self.out, self.linked);
        line!("clang-19 -O1 -Wno-unused-command-line-argument {linked} {words} -o {out}/program").passes();
        line!("{out}/program").passes();
    }
}

#[test]
fn each_function_links_only_the_functions_that_it_needs() {
    for (name, options) in [("64", HOSTED), ("32", ALONE)] {
        let library = Library::new(name, options, "");
        let members = library.archive();
        assert!(members.contains(&"first.o".into()) && members.contains(&"pair.o".into()), "{members:?}");
        let out = &library.out;
        for linker in ["bfd", "lld", "mold"] {
            library.runs(&format!("-fuse-ld={linker} {PROGRAMS}/program.c {out}/library.a"));
            let symbols = library.symbols("program");
            assert!(symbols.contains(" first\n"), "{symbols}");
            for other in ["unused", "memory", "pair_one", "prefix_mark"] {
                assert!(!symbols.contains(&format!(" {other}\n")), "{linker} links {other}: {symbols}");
            }
            for all in [
                format!("{out}/library.a"),
                format!("-Wl,--whole-archive {out}/library.a -Wl,--no-whole-archive"),
            ] {
                library.runs(&format!("-fuse-ld={linker} -DALL {PROGRAMS}/program.c {all}"));
                // No function refers to this symbol, but linker scripts may.
                assert!(library.symbols("program").contains(" prefix_mark\n"), "{linker}");
            }
        }
    }
}

#[test]
fn all_symbols_become_hidden_and_private_ones_get_the_prefix() {
    let library = Library::new("symbols", HOSTED, "");
    let mut defined = BTreeMap::new();
    for member in library.archive() {
        for symbol in printed(&format!("readelf -sW {}/members/{member}", library.out)).lines() {
            let words: Vec<&str> = symbol.split_whitespace().collect();
            if let [_, _, _, _, "GLOBAL", visibility, section, name] = words[..]
                && section != "UND"
            {
                assert!(defined.insert(name.to_owned(), member.clone()).is_none(), "{name} is defined twice");
                assert!(FUNCTIONS.contains(&name) || name.starts_with("prefix_"), "{symbol}");
                assert_eq!(visibility, "HIDDEN", "{symbol}");
            }
        }
    }
    assert!(defined.keys().any(|name| name.starts_with("prefix_part_")), "{defined:?}");
    assert!(defined["pair_one"] == "pair.o" && defined["pair_two"] == "pair.o", "{defined:?}");

    for (name, options) in [("hidden-64", HOSTED), ("hidden-32", ALONE)] {
        let hidden = printed(&format!("readelf -sW {}", Library::new(name, options, "-g").hide()));
        let functions = hidden.lines().filter(|line| line.contains(" FUNC ") && line.contains(" GLOBAL "));
        let functions: Vec<&str> = functions.collect();
        assert_eq!(functions.len(), FUNCTIONS.len(), "{hidden}");
        assert!(functions.iter().all(|line| line.contains(" HIDDEN ")), "{hidden}");
    }
}

/// Unwind information would otherwise link the functions that it describes.
#[test]
fn each_object_has_unwind_information_for_its_functions() {
    for (name, options) in [("frames-64", HOSTED), ("frames-32", ALONE)] {
        let library = Library::new(name, options, "");
        let mut functions = 0;
        for member in library.archive() {
            let path = format!("{}/members/{member}", library.out);
            let of = printed(&format!("readelf -sW {path}"));
            let sections: BTreeSet<&str> = of
                .lines()
                .filter(|line| line.contains(" FUNC "))
                .filter_map(|line| line.split_whitespace().nth(6).filter(|&section| section != "UND"))
                .collect();
            let frames = line!("readelf --debug-dump=frames {path}").passes();
            assert_eq!(frames.count(" FDE "), sections.len(), "{member}: {frames}");
            functions += sections.len();
        }
        assert!(functions >= FUNCTIONS.len() + 2, "{functions}");
    }
}

#[test]
fn a_library_is_always_divided_into_the_same_objects() {
    let library = Library::new("again", HOSTED, "");
    library.divide("members").ends(0);
    library.divide("again").ends(0);
    line!("diff -r {0}/members {0}/again", library.out).passes();
}

#[test]
fn an_object_that_cannot_be_divided_is_rejected() {
    let split = Library::new("split", HOSTED, "-DSPLIT").divide("members");
    split.ends(1).has("the functions of the part pair would be in several objects");
    Library::new("debug", HOSTED, "-g").divide("members").ends(1).has("debugging information");
}
