//! `cpp-signatures COUNT SEED ARGUMENTS RESULTS`: prints random signatures for the C++ wrapper. For each, there is a
//! callback that checks its arguments, and a caller, which another compiler may compile (`-DCALLERS`). ARGUMENTS and
//! RESULTS are lists of the sets in `SETS` that the target's arguments and results may have besides the types that every
//! target accepts (`wrapper_arguments` and `wrapper_results` in `tests/legs/parts/machines.sh`).

use crate::random::Random;
use crate::{Outcome, print, usage};
use std::fmt::Write;

// The types of arguments and results on every target, and 128-bit integers.
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
const SCALARS: [&str; 27] = [
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

const WIDE: [&str; 2] = ["statictramp::detail::signed_wide", "statictramp::detail::unsigned_wide"];
/// The sets of types that only some targets accept.
const SETS: [(&str, &[&str]); 12] = [
    ("char32", &["char32_t"]),
    (
        "complex",
        &[
            "statictramp::detail::complex_float",
            "statictramp::detail::complex_double",
            "statictramp::detail::longest_complex",
        ],
    ),
    ("int128", &WIDE),
    // A 128-bit integer is passed only as the second of three arguments: clang 19 differs from gcc in how it passes
    // parameters after a 128-bit integer that does not fit into registers.
    (SECOND_INT128, &[]),
    ("vector8", &["vector8"]),
    ("vector16", &["vector16"]),
    (
        "large",
        &[
            "words3",
            "words4",
            "doubles3",
            "bytes17",
            "packed19",
            "mixed4",
            "either",
            "shorts15",
            "moved_only",
        ],
    ),
    ("wide_fields", &["wide_fields"]),
    ("cache_line", &["cache_line"]),
    ("aligned", &["wide_fields", "cache_line"]),
    ("small", &["of_bit", "of_bytes", "of_short"]),
    ("empty", &["empty", "empty16", "two_empty"]),
];
const SECOND_INT128: &str = "second_int128";

pub fn run(arguments: &[&str]) -> Outcome {
    const USAGE: &str = "COUNT SEED ARGUMENTS RESULTS";
    let [count, seed, arguments, results] = arguments else { return Err(usage(USAGE)) };
    let count: u64 = count.parse().map_err(|_| usage(USAGE))?;
    let mut random = Random::new(seed).ok_or_else(|| usage(USAGE))?;
    let types = Types::new(arguments, results)?;

    let mut program = "#include \"signatures.hpp\"\n".to_owned();
    let (mut callbacks, mut callers) = (String::new(), String::new());
    for case in 1..=count {
        let (declared, caller, callback) = signature(case, &types, &mut random);
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
    has_second_int128: bool,
}

impl Types {
    fn new(arguments: &str, results: &str) -> Result<Types, String> {
        // Classes whose members are listed are twice as likely among the arguments.
        let always: [&[&str]; 4] = [&SCALARS, &CLASSES, &LISTED, &LISTED];
        Ok(Types {
            arguments: [always.concat(), of_sets(arguments)?].concat(),
            results: [vec!["void"], always[..3].concat(), of_sets(results)?].concat(),
            has_second_int128: arguments.split_whitespace().any(|set| set == SECOND_INT128),
        })
    }
}

/// Returns the types of the sets with these names.
fn of_sets(names: &str) -> Result<Vec<&'static str>, String> {
    let mut types = vec![];
    for name in names.split_whitespace() {
        let (_, set) = SETS
            .iter()
            .find(|(it, _)| *it == name)
            .ok_or_else(|| format!("no set of types is called {name}"))?;
        types.extend(*set);
    }
    Ok(types)
}

/// Returns a signature's types with the declaration of its caller, the caller, and the callback.
fn signature(case: u64, types: &Types, random: &mut Random) -> (String, String, String) {
    let result = random.pick(&types.results);
    let most = if random.chance(0.1) { 40 } else { 13 };
    let number = random.below(most);
    let mut chosen: Vec<&str> = (0..number).map(|_| random.pick(&types.arguments)).collect();
    if types.has_second_int128 && random.chance(0.05) {
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
