//! The captured variables of internal procedures, which are located by the layout of their host's tuple. The layout is a
//! declaration, or comes from flang's own LLVM IR. The variables are read in the process itself and by `statictramp dump`.

use crate::*;
use test_tools::{copy_file, wait_until, write};

for_each_flang!(
    variables_are_read_by_a_declared_layout_and_by_llvms_type,
    dump_prints_the_captured_variables
);

const DECLARED: &str = "grid: descriptor(2), text: character, p: pointer, z: complex(8), n: integer(4), list: allocatable, at: address, \
    fixed: character, local: descriptor(1), flag: logical(1), none: allocatable, f: procedure, any: class(0), absent: integer(4), \
    missing: character, sized: allocatable, unsized: allocatable, poly: class(0), head: pointer";
const NAMES: &str = "grid, text, p: pointer, z: complex(8), n: integer(4), list: allocatable, at, fixed, local, flag: logical(1), \
    none: allocatable, f: procedure, any, absent: integer(4), missing, sized: allocatable, unsized: allocatable, poly, head: pointer";

/// Returns a directory with the program, compiled at this level.
fn compiled(version: u32, name: &str, level: &str) -> PathBuf {
    let directory = new_directory(&format!("instances-{name}-{version}{level}"));
    let [include, interop] = ["capi/include", "interop/capi/include"].map(|it| root().join(it));
    let look = programs("instances/look.c");
    let line = format!(
        "gcc -O2 -Wall -Wextra -I{} -I{} -c {} -o look.o",
        include.display(),
        interop.display(),
        look.display()
    );
    host(&directory, &line).passes();
    copy_file(programs("instances/host.f90"), directory.join("host.f90"));
    let line = format!("{level} {} host.f90 look.o {} -o host-{version}", plugin(version), archive());
    flang(version, &directory, &line).passes();
    directory
}

fn variables_are_read_by_a_declared_layout_and_by_llvms_type(version: u32) {
    for level in ["-O0", "-O2"] {
        let directory = compiled(version, "layout", level);
        flang(version, &directory, "-O0 -S -emit-llvm host.f90 -o host.ll").passes();
        let ir = read(directory.join("host.ll"));
        let internal = multi_line(r"^define internal void @_QMhostsFhostPinternal(?s:.*?)^\}")
            .find(&ir)
            .expect("the procedure");
        // The type with which the internal procedure accesses the tuple.
        let tuple = groups(r"getelementptr [^{\n]*(\{ .* \}), ptr %[0-9]*, i32 0, i32 0$", internal.as_str());
        let tuple = tuple.first().expect("a tuple in the IR of the internal procedure");
        for text in [DECLARED.to_owned(), format!("{tuple} {NAMES}")] {
            run(version, &directory, &format!("./host-{version}")).var("TEXT", text).passes().has("a text");
        }
    }
}

fn dump_prints_the_captured_variables(version: u32) {
    let directory = compiled(version, "dump", "-O2");
    let layout = directory.join("layout");
    write(&layout, format!("# of tests\n_QMhostsFhostPinternal {DECLARED}\n"));
    let errors = directory.join("errors");
    let mut command =
        run(version, &directory, &format!("./host-{version}")).var("WAIT", "1").var("TEXT", DECLARED);
    command.stdout(Stdio::null()).stderr(std::fs::File::create(&errors).unwrap());
    // The commands before the program (the guard, chroot) replace themselves with the program, so this is the
    // program's process.
    let mut process = spawn(&mut command);
    wait_until("the program", || read(&errors).contains("ready"));
    let id = process.id();
    let tool = root().join("target/debug/statictramp");
    let mut dump = host(&directory, &format!("{} dump {id} --layout {}", tool.display(), layout.display()));
    let dump = spawn(dump.stdout(Stdio::piped()).stderr(Stdio::piped())).wait_with_output();
    process.kill().unwrap();
    process.wait().unwrap();
    let dump = dump.unwrap();
    let errors = String::from_utf8_lossy(&dump.stderr);
    assert!(dump.status.success(), "{errors}");
    let variables: String = groups("^    (.*)$", &String::from_utf8_lossy(&dump.stdout))
        .iter()
        .map(|it| format!("{it}\n"))
        .collect();
    let variables = multi_line("0x[0-9a-f]*").replace_all(&variables, "ADDRESS").into_owned();
    assert_eq!(variables, read(programs("instances/dump.txt")));
}

#[test]
fn dump_rejects_an_invalid_layout() {
    let directory = new_directory("instances-invalid");
    write(directory.join("layout"), "_QMhostsFhostPinternal n: integer(5)\n");
    let tool = root().join("target/debug/statictramp");
    let line = format!("{} dump {} --layout layout", tool.display(), std::process::id());
    let ended = host(&directory, &line).ended();
    assert!(ended.status != 0, "{ended}");
    ended.has("integer(5)");
}
