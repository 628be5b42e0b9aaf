//! The manual pages, whose examples compile and run, and a Lua module.

use test_tools::{Expect, files_in, line, new_directory, prepared, read, write};

const COMPILERS: [&str; 2] = ["gcc", "clang-19"];

#[test]
fn the_examples_in_the_manual_pages_run() {
    let out = new_directory("install/pages").display().to_string();
    let prefix = prepared("target/prefix").display().to_string();
    let mut examples = 0;
    for page in files_in(format!("{prefix}/share/man/man3")) {
        let name = page.file_stem().unwrap().to_string_lossy().into_owned();
        let warnings = line!("env -C {prefix}/share/man man --warnings -l man3/{name}.3")
            .output_to(std::fs::File::create(format!("{out}/page")).unwrap())
            .ended()
            .ends(0);
        assert_eq!(warnings.text, "", "the manual page {name} has errors");
        let text = read(&page);
        if let Some(other) = text.lines().find_map(|it| it.strip_prefix(".so ")) {
            prepared(&format!("target/prefix/share/man/{other}"));
        }
        let blocks = text.split("\n.EX\n").skip(1).map(|it| it.split("\n.EE").next().unwrap());
        let example = blocks.collect::<Vec<_>>().join("\n").replace("\\-", "-").replace("\\e", "\\");
        if example.is_empty() {
            let without = ["statictramp", "statictramp_interop", "statictramp_registers"];
            assert!(
                text.starts_with(".so ") || without.contains(&&*name),
                "the manual page {name} has no example"
            );
            continue;
        }
        write(format!("{out}/{name}.c"), example + "\n");
        for compiler in COMPILERS {
            let strict = "-O2 -Wall -Wextra -Werror -pedantic -Wno-overlength-strings";
            line!("{compiler} {strict} -I{prefix}/include {out}/{name}.c {prefix}/lib/libstatictramp.a -o {out}/{name}").passes();
            line!("{out}/{name}").passes();
        }
        examples += 1;
    }
    assert!(examples >= 10, "the manual pages contain only {examples} examples");
    println!("{examples} examples");
}

/// The module turns Lua functions into callbacks by means of raw trampolines.
#[test]
fn a_lua_module_turns_functions_into_callbacks() {
    let out = new_directory("install/lua").display().to_string();
    let prefix = prepared("target/prefix").display().to_string();
    for compiler in COMPILERS {
        let links = format!("-L{prefix}/lib -lstatictramp -Wl,-rpath,{prefix}/lib");
        let flags = "-O2 -Wall -Wextra -Werror -shared -fPIC -I/usr/include/lua5.4";
        line!("{compiler} {flags} -I{prefix}/include examples/lua/callbacks.c {links} -o {out}/callbacks.so")
            .passes();
        println!(
            "{compiler}: {}",
            line!("lua5.4 examples/lua/demo.lua").env("LUA_CPATH", format!("{out}/?.so")).passes().text
        );
    }
}
