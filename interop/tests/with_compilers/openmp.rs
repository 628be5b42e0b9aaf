//! Function pointers on OpenMP devices. LLVM's own offload runtime with its host plugin is used, whose devices have their own
//! images. Also tests the entries that two versions of clang emit, and the rejection of invalid tables.

use crate::*;
use regex::Regex;
use test_tools::{
    Ended, Expect, copy_file, library, library_archive, line, new_directory, read, share, stack_rights,
};

/// Versions of clang and optimization levels.
const BUILDS: [(u32, &str); 3] = [(19, "-O0"), (19, "-O2"), (22, "-O2")];

const OFFLOAD: &str = "-fopenmp -fopenmp-version=52 -fopenmp-targets=x86_64-pc-linux-gnu";

/// A test's directory, with the shared library.
struct Test {
    out: String,
}

impl Test {
    fn new(name: &str) -> Test {
        let out = new_directory(&format!("openmp/{name}"));
        copy_file(library().join("libstatictramp.so.0"), out.join("libstatictramp.so.0"));
        std::os::unix::fs::symlink("libstatictramp.so.0", out.join("libstatictramp.so")).unwrap();
        Test { out: out.display().to_string() }
    }

    /// Compiles for the host and its devices. Only one version of libomp can be installed, so the libomptarget of LLVM 22 is used
    /// with the libomp of LLVM 19 and its header.
    fn compile(&self, (version, level): (u32, &str), source: &str, options: &str) {
        let out = &self.out;
        let clang = if source.ends_with(".cpp") { "clang++" } else { "clang" };
        let source = programs("openmp").join(source);
        let mut more = String::new();
        if version == 22 {
            std::fs::create_dir_all(format!("{out}/include")).unwrap();
            copy_file("/usr/lib/llvm-19/lib/clang/19/include/omp.h", format!("{out}/include/omp.h"));
            more = format!("-I{out}/include -L/usr/lib/llvm-22/lib -L/usr/lib/llvm-19/lib");
        }
        let source = source.display();
        line!("{clang}-{version} {level} -Wall -Wextra {OFFLOAD} -Icapi/include -Iinterop/capi/include {source} {options} {more}")
            .passes();
    }

    /// Runs a program with that version's libomptarget.
    fn offload(&self, version: u32, program: &str) -> Ended {
        let out = &self.out;
        let libraries = format!("/usr/lib/llvm-{version}/lib:/usr/lib/llvm-19/lib:{out}");
        let command = line!("{out}/{program}").env("LD_LIBRARY_PATH", libraries);
        command.env("OMP_TARGET_OFFLOAD", "MANDATORY").within(300).ended().ends(0)
    }

    fn shared(&self) -> String {
        format!("-L{} -lstatictramp", self.out)
    }
}

/// Returns the option that links the archive into the images of devices.
fn in_image() -> String {
    format!("-Xoffload-linker {}", library_archive())
}

/// The program is linked with the archive and with the shared library, with and without variables of its own.
#[test]
fn tables_are_accepted_or_rejected() {
    let test = Test::new("tables");
    let out = &test.out;
    for own in ["", "-DOWN_GLOBALS"] {
        for link in [library_archive(), test.shared()] {
            let source = programs("openmp/tables.c");
            let source = source.display();
            line!("gcc -O2 -Wall -Wextra -Icapi/include -Iinterop/capi/include {source} {own} {link} -o {out}/tables").passes();
            line!("{out}/tables").env("LD_LIBRARY_PATH", out).passes();
        }
    }
}

fn build_entries(out: &str) {
    let source = programs("openmp/entries.c");
    let source = source.display();
    line!(
        "gcc -O2 -Wall -Wextra -Icapi/include -Iinterop/capi/include {source} {} -o {out}/entries",
        library_archive()
    )
    .passes();
}

#[test]
fn the_entries_of_clangs_objects_are_read() {
    let test = Test::new("entries");
    let out = &test.out;
    build_entries(out);
    let source = programs("openmp/functions.c");
    for (version, size) in [(19, 32), (22, 56)] {
        let compile = format!("clang-{version} -O2 -Wall -Wextra -fPIC {OFFLOAD} -c {}", source.display());
        line!("{compile} --offload-host-only -o {out}/host.o").passes();
        line!("{compile} -DON_DEVICE --offload-device-only -o {out}/device.o").passes();
        for side in ["host", "device"] {
            line!("gcc -shared {out}/{side}.o -o {out}/{side}.so").passes();
        }
        line!("{out}/entries {size} {out}/host.so {out}/device.so").passes();
    }
}

/// Entries of size 0, as in LLVM's document, are accepted; entries of other sizes are rejected.
#[test]
fn entries_of_an_unknown_size_are_rejected() {
    let test = Test::new("sizes");
    let out = &test.out;
    build_entries(out);
    let source = programs("openmp/document.c");
    for (size, unknown) in [(0, ""), (4, "unknown")] {
        for compiler in ["gcc", "clang-22"] {
            let compile =
                format!("{compiler} -O2 -Wall -Wextra -fPIC -shared -DSIZE={size} {}", source.display());
            line!("{compile} -o {out}/host.so").passes();
            line!("{compile} -DON_DEVICE -o {out}/device.so").passes();
            line!("{out}/entries 32 {out}/host.so {out}/device.so {unknown}").passes();
        }
    }
}

#[test]
fn devices_use_their_copy_of_the_library_or_the_shared_one() {
    let test = Test::new("devices");
    let out = &test.out;
    for build in BUILDS {
        let link = format!("-DCOPY_IN_IMAGE=1 {} {} -o {out}/copy", in_image(), library_archive());
        test.compile(build, "devices.c", &link);
        test.compile(build, "devices.c", &format!("-DCOPY_IN_IMAGE=0 {} -o {out}/shared", test.shared()));
        for program in ["copy", "shared"] {
            assert_eq!(stack_rights(format!("{out}/{program}")), "RW");
            test.offload(build.0, &format!("{program} {}", share(2_000_000)));
        }
    }
}

/// Runs the sample in LLVM's document.
#[test]
fn a_plugin_writes_the_two_variables_of_a_devices_image() {
    let test = Test::new("sample");
    let out = &test.out;
    let (own, shared) = (format!("-DOWN=1 {} {}", in_image(), library_archive()), test.shared());
    for build in [(19, "-O2"), (22, "-O2")] {
        for link in [
            &own,
            &format!("-DOWN=0 {shared}"),
            &format!("{own} -DDEFINED"),
            &format!("-DOWN=1 -DDEFINED {shared}"),
        ] {
            test.compile(build, "sample.c", &format!("{link} -o {out}/sample"));
            test.offload(build.0, "sample");
        }
    }
}

const LOOKUP: &str = "-O2 -Wall -Wextra -Werror -ffreestanding interop/capi/device/statictramp_device.c";

#[test]
fn the_lookup_in_c_compiles_for_gpus() {
    let test = Test::new("gpus");
    let out = &test.out;
    let symbols = [
        ("func .*", "__kmpc_target_translate_fptr"),
        ("func .*", "__llvm_omp_indirect_call_lookup"),
        ("global .*", "__omp_offloading_fptr_map_p"),
        ("global .*", "__omp_offloading_fptr_map_size"),
    ];
    for version in [19, 22] {
        let target = "--target=nvptx64-nvidia-cuda -march=sm_70 -Xclang -target-feature -Xclang +ptx60";
        line!("clang-{version} {target} -nogpulib {LOOKUP} -S -o {out}/device.ptx").passes();
        let code = read(format!("{out}/device.ptx"));
        for (kind, symbol) in symbols {
            let pattern = Regex::new(&format!(r"(?m)^[.](?:weak|visible) \.{kind}{symbol}")).unwrap();
            assert!(pattern.is_match(&code), "clang {version}: the PTX code does not define {symbol}");
        }
        assert!(!code.contains("\n.extern"), "the PTX code refers to undefined symbols");
        let target = "--target=amdgcn-amd-amdhsa -mcpu=gfx90a";
        line!("clang-{version} {target} -nogpulib {LOOKUP} -c -o {out}/device.amdgcn").passes();
        let mut defined = line!("llvm-nm-19 {out}/device.amdgcn").passes();
        for (_, symbol) in symbols {
            defined = defined.matches(&format!(" [TWV] {symbol}$"));
        }
        assert_eq!(line!("llvm-nm-19 -u {out}/device.amdgcn").passes().text, "", "undefined symbols");
    }
}

/// Tests the lookup also on a device that cannot read the host's memory.
#[test]
fn the_lookup_in_c_finds_functions_on_this_machine() {
    let test = Test::new("lookup");
    let out = &test.out;
    let object = format!("{out}/device-lookup.o");
    line!("clang-19 {LOOKUP} -fPIC -c -o {object}").passes();
    let source = programs("openmp/orders.c");
    for lookup in [&object, &library_archive()] {
        line!("gcc -Wall -Wextra -Werror {} {lookup} -o {out}/orders", source.display()).passes();
        line!("{out}/orders").passes();
    }
    for build in BUILDS {
        let link = format!("-o {out}/recipe -Xoffload-linker {object} {}", test.shared());
        test.compile(build, "recipe.c", &link);
        test.offload(build.0, "recipe");
    }
}

/// With clang 22, also tests virtual member functions.
#[test]
fn pointers_to_member_functions_work() {
    let test = Test::new("members");
    for build in BUILDS {
        test.compile(build, "members.cpp", &format!("{} -o {}/members", test.shared(), test.out));
        test.offload(build.0, "members");
    }
}

#[test]
fn fortran_procedure_pointers_work() {
    let test = Test::new("fortran");
    let out = &test.out;
    let (generic, procedures) = (programs("openmp/generic.c"), programs("openmp/procedures.f90"));
    line!("clang-22 -O1 -Wall -Wextra -fPIC -c {} -o {out}/generic.o", generic.display()).passes();
    for level in ["-O0", "-O2"] {
        let link = format!("-o {out}/procedures -Xoffload-linker {out}/generic.o {}", test.shared());
        let libraries = "-L/usr/lib/llvm-22/lib -L/usr/lib/llvm-19/lib";
        let source = procedures.display();
        line!("flang-22 {level} {OFFLOAD} -module-dir {out} {source} {link} {libraries}").passes();
        test.offload(22, "procedures");
    }
}
