//! Checks which uses of `STATICTRAMP_BIND` compile. A compiler may be several words.

use crate::{Expect, line, multi_line, read, write};

const PROGRAMS: &str = "capi/tests/programs/c";

/// The correct uses compile without a warning. (With -fsyntax-only, gcc does not warn of uninitialized objects.)
#[track_caller]
pub fn uses(compiler: &str) {
    let warnings = "-Wall -Wextra -Wshadow -Wcast-qual -Wformat=2 -pedantic -Werror";
    line!("{compiler} {warnings} -Icapi/include -c {PROGRAMS}/bind_uses.c -o /dev/null").passes();
}

/// Each wrong use is rejected even with -w, and the error message names the cause. Use 0 is correct.
#[track_caller]
pub fn misuses(compiler: &str) {
    let file = format!("{PROGRAMS}/bind_misuse.c");
    let compile = format!("{compiler} -Icapi/include -fsyntax-only {file}");
    line!("{compile} -DUSE=0 -Wall -Wextra -Werror -Wno-unused-function").passes();
    let text = read(&file);
    let mut count = 0;
    for found in multi_line(r"^#elif USE == ([0-9]*) /\* expected: (.*) \*/$").captures_iter(&text) {
        let ended = line!("{compile} -DUSE={} -w", &found[1]).ended();
        assert!(ended.status != 0, "{compiler} accepts the wrong use {} of STATICTRAMP_BIND", &found[1]);
        ended.matches(&format!("error:.*({})", &found[2]));
        count += 1;
    }
    assert!(count >= 50, "{file} has only {count} wrong uses");
    println!("{compiler}: {count} wrong uses rejected");
}

/// In C++ and in older C, the header compiles, and the first error of a use names the remedy.
#[track_caller]
pub fn needs_c11(compiler: &str, out: &str) {
    let header = "#include <statictramp.h>\n";
    let compile = |text: &str, options: &str| {
        write(format!("{out}/bind.c"), text);
        line!("{compiler} {options} -Icapi/include -fsyntax-only {out}/bind.c").ended()
    };
    compile(header, "-Wall -Wextra -pedantic -Werror").ends(0);
    let uses =
        "int f(int *, int);\nint k;\nstatictramp_fn g(void) { return STATICTRAMP_BIND(f, &k, int, int); }\n";
    let ended = compile(&format!("{header}{uses}"), "-w");
    assert!(ended.status != 0, "{compiler} accepts STATICTRAMP_BIND");
    let first = ended.text.lines().find(|it| it.contains("error:")).unwrap_or_default();
    let remedy = multi_line(r"requires C11: compile with -std=c11|in C\+\+, use statictramp::callback");
    assert!(remedy.is_match(first), "the first error does not name the remedy: {ended}");
}

/// Code that the macro generates calls only the library's functions.
#[track_caller]
pub fn calls_no_memcpy(compiler: &str, out: &str) {
    let prefix = compiler.split("gcc").next().expect("a prefix");
    for level in ["-O0", "-Os", "-O2"] {
        line!("{compiler} {level} -DDOUBLE -ffreestanding -Icapi/include -c tests/programs/bare/c/costs.c -o {out}/costs.o").passes();
        let symbols = line!("{prefix}nm -u {out}/costs.o").passes();
        let mut names: Vec<&str> = symbols.text.split_whitespace().filter(|it| *it != "U").collect();
        names.sort_unstable();
        assert_eq!(names, ["statictramp_bind_types", "statictramp_free"], "{compiler} {level}");
    }
}
