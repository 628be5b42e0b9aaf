//! `cpp-signatures COUNT SEED [TARGET]`: prints random signatures for the C++ wrapper. For each, there is a callback
//! that checks its arguments, and a caller, which another compiler may compile (`-DCALLERS`).

use crate::random::Random;
use crate::{Outcome, print, usage};
use std::fmt::Write;

// The types of arguments and results on every target.
const CLASSES: [&str; 6] =
    ["copied", "destroyed", "with_table", "holds_nothing", "std::string", "std::unique_ptr<long>"];
const LISTED: [&str; 9] = [
    "point",
    "tagged",
    "small",
    "halves",
    "triple_float",
    "nested",
    "with_array",
    "bits_and_float",
    "long_fields",
];
const SCALARS: [&str; 28] = [
    "bool",
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "wchar_t",
    "char16_t",
    "char32_t",
    "small_enum",
    "long_enum",
    "void *",
    "const char *",
    "int (*)(double)",
    "long host::*",
    "int &",
    "const words3 &",
    "std::string &",
    "double &&",
    "words3 &&",
    "float",
    "double",
    "long double",
];

// The types that only some targets accept.
const WIDE: [&str; 2] = ["statictramp::detail::signed_wide", "statictramp::detail::unsigned_wide"];
const COMPLEX: [&str; 3] = [
    "statictramp::detail::complex_float",
    "statictramp::detail::complex_double",
    "statictramp::detail::longest_complex",
];
const LARGE: [&str; 9] =
    ["words3", "words4", "doubles3", "bytes17", "packed19", "mixed4", "either", "shorts15", "moved_only"];
const ALIGNED: [&str; 2] = ["wide_fields", "cache_line"];
const WIDE_FIELDS: [&str; 1] = ["wide_fields"];
const CACHE_LINE: [&str; 1] = ["cache_line"];
const SMALL: [&str; 3] = ["of_bit", "of_bytes", "of_short"];
const EMPTY: [&str; 3] = ["empty", "empty16", "two_empty"];

pub fn run(arguments: &[&str]) -> Outcome {
    const USAGE: &str = "COUNT SEED [TARGET]";
    let (count, seed, target) = match arguments {
        [count, seed] => (count, seed, "x86_64"),
        [count, seed, target] => (count, seed, *target),
        _ => return Err(usage(USAGE)),
    };
    let count: u64 = count.parse().map_err(|_| usage(USAGE))?;
    let mut random = Random::new(seed).ok_or_else(|| usage(USAGE))?;
    let types = Types::new(target).ok_or_else(|| format!("no calling convention is called {target}"))?;

    let mut program = "#include \"signatures.hpp\"\n".to_owned();
    let (mut callbacks, mut callers) = (String::new(), String::new());
    for case in 1..=count {
        let (declared, caller, callback) = signature(case, &types, target, &mut random);
        program += &declared;
        callers += &caller;
        callbacks += &callback;
    }
    let calls = (1..=count).fold(String::new(), |calls, case| calls + &format!("    callback_{case}();\n"));
    print(&format!("{program}#ifdef CALLERS\n{callers}#else\n{callbacks}int main()\n{{\n{calls}}}\n#endif\n"))
}

/// The types that a target's arguments and results may have.
struct Types {
    arguments: Vec<&'static str>,
    results: Vec<&'static str>,
}

impl Types {
    fn new(target: &str) -> Option<Types> {
        let arguments: &[&[&str]] = match target {
            "x86_64" => &[&LARGE, &WIDE_FIELDS, &EMPTY],
            "aarch64" => &[&CACHE_LINE],
            "riscv64" => &[&LARGE, &ALIGNED],
            "ppc" => &[&LARGE, &WIDE_FIELDS, &SMALL, &EMPTY],
            "windows" => &[&LARGE, &ALIGNED, &SMALL],
            "s390x" => &[&LARGE],
            "i386" => &[&LARGE, &SMALL],
            "sparc64" => &[&LARGE, &WIDE_FIELDS],
            _ => &[],
        };
        let results: &[&[&str]] = match target {
            "x86_64" => &[&LARGE, &ALIGNED, &EMPTY],
            "aarch64" | "riscv64" | "windows" | "mips64el" | "sparc64" => &[&LARGE, &ALIGNED, &SMALL],
            "ppc64le" => &[&SMALL],
            "ppc" => &[&LARGE, &ALIGNED, &SMALL, &EMPTY],
            "s390x" => &[&LARGE, &SMALL],
            "i386" => &[&LARGE, &ALIGNED],
            "arm" => &[&SMALL, &CACHE_LINE],
            _ => return None,
        };
        let vectors: &[&str] = match target {
            "x86_64" | "aarch64" | "arm" => &["vector8", "vector16"],
            "ppc64le" | "windows" => &["vector16"],
            _ => &[],
        };
        // On MIPS, clang differs from gcc in how it passes complex numbers. On SPARC, gcc 12 fails to compile some
        // signatures.
        let complex: &[&str] = match target {
            "ppc" | "sparc64" | "mips64el" => &[],
            _ => &COMPLEX,
        };
        let wide_arguments: &[&str] = match target {
            "aarch64" | "riscv64" | "ppc64le" | "windows" | "s390x" => &WIDE,
            _ => &[],
        };
        let wide_results: &[&str] = match target {
            "i386" | "arm" | "ppc" | "mips64el" | "sparc64" => &[],
            _ => &WIDE,
        };
        // On MIPS, clang extends a `char32_t` with zeros, and gcc extends it with its sign.
        let scalars: Vec<&str> =
            SCALARS.into_iter().filter(|&scalar| scalar != "char32_t" || target != "mips64el").collect();
        // Classes whose members are listed are twice as likely among the arguments.
        let always: [&[&str]; 5] = [&scalars, &CLASSES, &LISTED, &LISTED, vectors];
        Some(Types {
            arguments: [&always.concat(), &arguments.concat(), complex, wide_arguments].concat(),
            results: [
                &["void"],
                &always[..3].concat()[..],
                &results.concat(),
                vectors,
                complex,
                wide_results,
            ]
            .concat(),
        })
    }
}

/// Returns a signature's types with the declaration of its caller, the caller, and the callback.
fn signature(case: u64, types: &Types, target: &str, random: &mut Random) -> (String, String, String) {
    let result = random.pick(&types.results);
    let most = if random.chance(0.1) { 40 } else { 13 };
    let number = random.below(most);
    let mut chosen: Vec<&str> = (0..number).map(|_| random.pick(&types.arguments)).collect();
    // clang 19 differs from gcc in how it passes parameters after a 128-bit integer that does not fit into registers.
    if target == "x86_64" && random.chance(0.05) {
        chosen = vec![random.pick(&SCALARS), random.pick(&WIDE), random.pick(&SCALARS)];
    }
    let mut declared = String::new();
    let (mut list, mut parameters, mut values, mut checks) = (vec![], vec![], vec![], vec![]);
    for (number, chosen) in (0..).zip(&chosen) {
        let (name, of) = (format!("t{case}_{number}"), case + 3 * number);
        let _ = writeln!(declared, "using {name} = {chosen};");
        parameters.push(format!("{name} a{number}"));
        checks.push(format!("CHECK(value<{name}>::is(a{number}, {of}));"));
        values.push(format!("value<{name}>::of({of})"));
        list.push(name);
    }
    let (list, parameters, checks) = (list.join(", "), parameters.join(", "), checks.join("\n        "));
    let of_result = case + 5;
    let _ = writeln!(declared, "using r{case} = {result};\nvoid call_{case}(r{case} (*function)({list}));");
    let call = format!("function({})", values.join(", "));
    let (checked, returned) = if result == "void" {
        (format!("{call};"), String::new())
    } else {
        (
            format!("r{case} got = {call}; CHECK(value<r{case}>::is(got, {of_result}));"),
            format!("return value<r{case}>::of({of_result});"),
        )
    };
    let caller = format!("void call_{case}(r{case} (*function)({list}))\n{{\n    {checked}\n}}\n");
    let callback = format!(
        "static void callback_{case}()
{{
    unsigned long tag = {case} * 0x1234567UL;
    int calls = 0;
    auto function = [tag, &calls]({parameters}) -> r{case} {{
        CHECK(tag == {case} * 0x1234567UL);
        calls++;
        {checks}
        {returned}
    }};
    statictramp::callback<decltype(function)> bound(std::move(function));
    call_{case}(bound.get());
    call_{case}(bound.get());
    CHECK(calls == 2);
}}
"
    );
    (declared, caller, callback)
}
