//! Writes random signatures: `generate SEED COUNT TARGET DIRECTORY PREFIX...` writes `calls.c` and `main.rs`.
//!
//! For each signature, a C function calls a function pointer with known arguments and checks every bit of the result. A
//! Rust closure checks every bit of the arguments and of its captures. `calls.c` is compiled several times, once for
//! each PREFIX.
//!
//! A plain Rust function of the same signature is called first. If this function receives other values, the two
//! compilers disagree about the signature, which no adapter can fix. Rust code also calls the closure's pointer. Each
//! test runs twice. The second time, the state is that of a signal handler that has interrupted a call while a
//! closure's address was pending (`tests/common/pending.rs`).

mod types;

use std::fmt::Write;
use types::{Target, Type, Types};

pub struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        // splitmix64, by Sebastiano Vigna, public domain
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    pub fn wide(&mut self) -> u128 {
        u128::from(self.next()) << 64 | u128::from(self.next())
    }
}

/// Returns the body of a Rust function that checks its arguments, reports through `printed`, and returns the result.
fn body(types: &[Type], passed: &[Vec<u128>], returned: &Option<(Type, Vec<u128>)>, printed: &str) -> String {
    let mut out = String::new();
    for (position, (t, bits)) in types.iter().zip(passed).enumerate() {
        for (part, bits) in t.parts_in_rust(&format!("a{position}")).iter().zip(bits) {
            writeln!(out, "        right &= bits_of({{ {part} }}) == {bits:#x};").unwrap();
        }
    }
    writeln!(out, "        {printed}").unwrap();
    if let Some((t, bits)) = returned {
        writeln!(out, "        unsafe {{ {} }}", t.value_in_rust(&mut bits.iter())).unwrap();
    }
    out
}

fn signature(random: &mut Random, types: &mut Types, number: usize, prefixes: &[String], out: &mut (String, String)) {
    let most = match random.below(4) {
        0 | 1 => 17,
        2 => 8,
        _ => 4,
    };
    let count = random.below(most);
    let result = match random.below(10) {
        0 | 1 => None,
        2 => Some(types.unaligned(random)),
        _ => Some(types.result(random)),
    };
    let arguments: Vec<_> = match random.below(6) {
        0 => types.run(random),
        _ => (0..count).map(|_| types.choose(random)).collect(),
    };
    let mut values = |t: &Type| t.leaves().iter().map(|leaf| leaf.value(random)).collect::<Vec<_>>();
    let passed: Vec<_> = arguments.iter().map(&mut values).collect();
    let returned = result.map(|t| {
        let bits = values(&t);
        (t, bits)
    });

    let (new_rust, new_c) = types.declarations();
    let (rust, c) = (&mut out.0, &mut out.1);
    rust.push_str(&new_rust);
    c.push_str(&new_c);

    // C: the caller.
    let result_c = returned.as_ref().map_or("void".into(), |(t, _)| t.c());
    let parameters = arguments.iter().map(Type::c).collect::<Vec<_>>().join(", ");
    let parameters = if arguments.is_empty() { "void" } else { &parameters };
    writeln!(c, "typedef {result_c} (*fn{number})({parameters});\nint NAME({number})(fn{number} f) {{").unwrap();
    for (position, (t, bits)) in arguments.iter().zip(&passed).enumerate() {
        writeln!(c, "  {} a{position};", t.c()).unwrap();
        for ((part, leaf), bits) in t.parts_in_c(&format!("a{position}")).iter().zip(t.leaves()).zip(bits) {
            writeln!(c, "  put(&{part}, {});", leaf.in_c(*bits)).unwrap();
        }
    }
    let named = (0..arguments.len()).map(|position| format!("a{position}")).collect::<Vec<_>>().join(", ");
    match &returned {
        None => writeln!(c, "  f({named}); return 1;\n}}").unwrap(),
        Some((t, bits)) => {
            writeln!(c, "  {result_c} r = f({named});\n  return 1").unwrap();
            for ((part, leaf), bits) in t.parts_in_c("r").iter().zip(t.leaves()).zip(bits) {
                writeln!(c, "    && same(&{part}, {})", leaf.in_c(*bits)).unwrap();
            }
            writeln!(c, "  ;\n}}").unwrap();
        }
    }

    // Rust: one kind of closure, and every caller.
    let (abi, start, end) = [("C", "", ""), ("C", "by_mut(", ")"), ("C-unwind", "unwind(", ")"), ("C", "boxed", "")][number % 4];
    let result_rust = returned.as_ref().map_or("()".into(), |(t, _)| t.rust());
    let parameters = arguments.iter().map(Type::rust).collect::<Vec<_>>().join(", ");
    let named: Vec<_> = arguments.iter().enumerate().map(|(position, t)| format!("a{position}: {}", t.rust())).collect();
    let named = named.join(", ");
    let pointer = format!("unsafe extern \"{abi}\" fn({parameters}) -> {result_rust}");
    writeln!(rust, "unsafe extern \"C\" {{").unwrap();
    for prefix in prefixes {
        writeln!(rust, "    fn {prefix}_{number}(f: {pointer}) -> i32;").unwrap();
    }
    let plain = body(&arguments, &passed, &returned, "PLAIN.set(PLAIN.get() & right);");
    writeln!(rust, "}}\nunsafe extern \"{abi}\" fn plain{number}({named}) -> {result_rust} {{\n        let mut right = true;\n{plain}}}").unwrap();
    let arrived = body(&arguments, &passed, &returned, &format!("arrived(right, {number});\n        hits.set(hits.get() + 1);"));
    writeln!(rust, "fn t{number}() {{\n    let (tag, hits) = (black_box({number}), Cell::new(0));").unwrap();
    writeln!(rust, "    let closure = |{named}| -> {result_rust} {{\n        let mut right = tag == {number};\n{arrived}    }};").unwrap();
    if start == "boxed" {
        writeln!(rust, "    let bound = statictramp::boxed(closure).unwrap_or_else(|_| panic!());").unwrap();
    } else {
        writeln!(rust, "    let closure = {}{start}closure{end};\n    let bound = bind(&closure).unwrap();", if start.is_empty() { "" } else { "statictramp::" }).unwrap();
    }
    writeln!(rust, "    let mut wanted = 0;").unwrap();
    for prefix in prefixes {
        writeln!(rust, "    if agree({number}, \"{prefix}\", || unsafe {{ {prefix}_{number}(plain{number}) }}) {{\n        wanted += 1;").unwrap();
        writeln!(rust, "        returned(unsafe {{ {prefix}_{number}(bound.as_fn()) }}, \"{prefix}\", {number});\n    }}").unwrap();
    }
    let values: Vec<_> = arguments.iter().zip(&passed).map(|(t, bits)| t.value_in_rust(&mut bits.iter())).collect();
    writeln!(rust, "    wanted += 1;\n    let result = unsafe {{ (bound.as_fn())({}) }};", values.join(", ")).unwrap();
    if let Some((t, bits)) = &returned {
        for (part, bits) in t.parts_in_rust("result").iter().zip(bits) {
            writeln!(rust, "    returned((bits_of({{ {part} }}) == {bits:#x}).into(), \"Rust\", {number});").unwrap();
        }
    }
    writeln!(rust, "    drop(bound);\n    assert_eq!(hits.get(), wanted);\n}}").unwrap();
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, seed, count, target, directory, prefixes @ ..] = &arguments[..] else {
        panic!("usage: generate SEED COUNT TARGET DIRECTORY PREFIX...")
    };
    let (seed, count) = (seed.parse().expect("a number"), count.parse::<usize>().expect("a number"));
    let target = Target::named(target);
    let mut random = Random(seed);
    let mut out = (format!("{}\nmod pending {{\n{}}}\n", include_str!("head.rs"), include_str!("../../common/pending.rs")), format!("{}{}", target.headers(), include_str!("head.c")));
    let mut types = Types::new(target);
    (0..count).for_each(|number| signature(&mut random, &mut types, number, prefixes, &mut out));
    let tests = (0..count).map(|number| format!("t{number}")).collect::<Vec<_>>().join(", ");
    writeln!(
        out.0,
        "fn main() {{\n    let all: [fn(); {count}] = [{tests}];\n    pending::at_rest_and_between(|| all.iter().for_each(|test| test()));\n    finish({count}, {seed}, {});\n}}",
        prefixes.len()
    )
    .unwrap();
    std::fs::write(format!("{directory}/main.rs"), out.0).expect("the directory is there");
    std::fs::write(format!("{directory}/calls.c"), out.1).expect("the directory is there");
}
