//! Writes random signatures: `generate SEED COUNT DIRECTORY` leaves `calls.c` and `main.rs`.
//!
//! For each signature C has a function that calls what it is given with known arguments and
//! checks every bit of the result; Rust binds a closure that checks every bit of the
//! arguments and what it captured. `calls.c` is compiled several times, PREFIX naming each.

use std::fmt::Write;

const PREFIXES: [&str; 4] = ["gcc_O0", "gcc_O2", "clang_O0", "clang_O2"];

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        // splitmix64, by Sebastiano Vigna, public domain
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

/// (in Rust, in C, bytes)
const SCALARS: [(&str, &str, u32); 12] = [
    ("i8", "int8_t", 1),
    ("u8", "uint8_t", 1),
    ("i16", "int16_t", 2),
    ("u16", "uint16_t", 2),
    ("i32", "int32_t", 4),
    ("u32", "uint32_t", 4),
    ("i64", "int64_t", 8),
    ("u64", "uint64_t", 8),
    ("f32", "float", 4),
    ("f64", "double", 8),
    ("*const u8", "const uint8_t *", 8),
    ("bool", "bool", 1),
];

type Scalar = (&'static str, &'static str, u32);

#[derive(Clone)]
enum Type {
    Scalar(Scalar),
    Struct(String, Vec<Scalar>),
}

impl Type {
    fn rust(&self) -> String {
        match self {
            Type::Scalar((name, ..)) => name.to_string(),
            Type::Struct(name, _) => name.clone(),
        }
    }

    fn c(&self) -> String {
        match self {
            Type::Scalar((_, name, _)) => name.to_string(),
            Type::Struct(name, _) => format!("struct {name}"),
        }
    }

    fn scalars(&self) -> Vec<Scalar> {
        match self {
            Type::Scalar(scalar) => vec![*scalar],
            Type::Struct(_, fields) => fields.clone(),
        }
    }

    /// How its parts are reached from a variable.
    fn parts(&self, variable: &str) -> Vec<String> {
        match self {
            Type::Scalar(_) => vec![variable.to_string()],
            Type::Struct(_, fields) => (0..fields.len()).map(|i| format!("{variable}.f{i}")).collect(),
        }
    }
}

/// Bits of a value that every comparison tells from any other: no NaN.
fn value(random: &mut Random, scalar: Scalar) -> u64 {
    let bits = random.next() >> (64 - 8 * scalar.2);
    match scalar.0 {
        "bool" => bits & 1,
        "f32" => bits & !(1 << 30),
        "f64" => bits & !(1 << 62),
        _ => bits,
    }
}

fn in_rust(scalar: Scalar, bits: u64) -> String {
    match scalar.0 {
        "f32" | "f64" => format!("{}::from_bits({bits:#x})", scalar.0),
        "bool" => format!("{}", bits == 1),
        "*const u8" => format!("std::ptr::without_provenance({bits:#x})"),
        name => format!("{bits:#x}u64 as {name}"),
    }
}

fn equal_in_rust(scalar: Scalar, part: &str, bits: u64) -> String {
    match scalar.0 {
        "f32" | "f64" => format!("{part}.to_bits() == {bits:#x}"),
        _ => format!("{part} == {}", in_rust(scalar, bits)),
    }
}

fn in_c(scalar: Scalar, bits: u64) -> String {
    match scalar.0 {
        "f32" => format!("f32_of({bits:#x}u)"),
        "f64" => format!("f64_of({bits:#x}ull)"),
        _ => format!("({}){bits:#x}ull", scalar.1),
    }
}

fn equal_in_c(scalar: Scalar, part: &str, bits: u64) -> String {
    match scalar.0 {
        "f32" => format!("bits_of_f32({part}) == {bits:#x}u"),
        "f64" => format!("bits_of_f64({part}) == {bits:#x}ull"),
        _ => format!("{part} == {}", in_c(scalar, bits)),
    }
}

fn type_of(random: &mut Random, number: usize, place: usize, out: &mut (String, String)) -> Type {
    let scalar = |random: &mut Random| SCALARS[random.below(SCALARS.len() as u64) as usize];
    let fields = match random.below(10) {
        0 | 1 => 1 + random.below(4), // mostly in registers, some split over both kinds
        2 => 3 + random.below(8),     // mostly in memory
        _ => return Type::Scalar(scalar(random)),
    };
    let fields: Vec<Scalar> = (0..fields).map(|_| scalar(random)).collect();
    let name = format!("S{number}_{place}");
    let declared = |write: fn(usize, &Scalar) -> String| -> String {
        fields.iter().enumerate().map(|(i, scalar)| write(i, scalar)).collect()
    };
    writeln!(out.0, "#[repr(C)] #[derive(Clone, Copy)] struct {name} {{ {} }}", declared(|i, s| format!("f{i}: {}, ", s.0))).unwrap();
    writeln!(out.1, "struct {name} {{ {} }};", declared(|i, s| format!("{} f{i}; ", s.1))).unwrap();
    Type::Struct(name, fields)
}

/// One signature: its part of both files.
fn signature(random: &mut Random, number: usize, out: &mut (String, String)) {
    let count = random.below(17) as usize;
    let types: Vec<Type> = (0..count).map(|place| type_of(random, number, place, out)).collect();
    let result = (random.below(8) > 0).then(|| type_of(random, number, 99, out));
    let values = |random: &mut Random, t: &Type| -> Vec<u64> { t.scalars().into_iter().map(|s| value(random, s)).collect() };
    let passed: Vec<Vec<u64>> = types.iter().map(|t| values(random, t)).collect();
    let returned = result.as_ref().map(|t| values(random, t)).unwrap_or_default();

    // C: the arguments in variables, the call, the result.
    let result_c = result.as_ref().map_or("void".into(), Type::c);
    let parameters = types.iter().map(Type::c).collect::<Vec<_>>().join(", ");
    let c = &mut out.1;
    writeln!(c, "typedef {result_c} (*fn{number})({});", if count == 0 { "void" } else { &parameters }).unwrap();
    writeln!(c, "int NAME({number})(fn{number} f) {{").unwrap();
    for (place, (t, bits)) in types.iter().zip(&passed).enumerate() {
        writeln!(c, "  {} a{place};", t.c()).unwrap();
        for ((part, scalar), bits) in t.parts(&format!("a{place}")).iter().zip(t.scalars()).zip(bits) {
            writeln!(c, "  {part} = {};", in_c(scalar, *bits)).unwrap();
        }
    }
    let arguments = (0..count).map(|place| format!("a{place}")).collect::<Vec<_>>().join(", ");
    match &result {
        None => writeln!(c, "  f({arguments}); return 1;\n}}").unwrap(),
        Some(t) => {
            let parts = t.parts("r");
            let checks = parts.iter().zip(t.scalars()).zip(&returned).map(|((part, s), bits)| equal_in_c(s, part, *bits));
            writeln!(c, "  {result_c} r = f({arguments});\n  return {};\n}}", checks.collect::<Vec<_>>().join(" && ")).unwrap();
        }
    }

    // Rust: one of the kinds of closures, and every caller.
    let (abi, start, end) = [("C", "", ""), ("C", "by_mut(", ")"), ("C-unwind", "unwind(", ")"), ("C", "boxed", "")][number % 4];
    let result_rust = result.as_ref().map_or("()".into(), Type::rust);
    let parameters = types.iter().map(Type::rust).collect::<Vec<_>>().join(", ");
    let named: Vec<_> = types.iter().enumerate().map(|(place, t)| format!("a{place}: {}", t.rust())).collect();
    let rust = &mut out.0;
    writeln!(rust, "unsafe extern \"C\" {{").unwrap();
    for prefix in PREFIXES {
        writeln!(rust, "    fn {prefix}_{number}(f: unsafe extern \"{abi}\" fn({parameters}) -> {result_rust}) -> i32;").unwrap();
    }
    writeln!(rust, "}}\nfn t{number}() {{\n    let (tag, hits) = (black_box({number}), Cell::new(0));").unwrap();
    writeln!(rust, "    let closure = |{}| -> {result_rust} {{", named.join(", ")).unwrap();
    writeln!(rust, "        let mut right = tag == {number};").unwrap();
    for (place, (t, bits)) in types.iter().zip(&passed).enumerate() {
        for ((part, scalar), bits) in t.parts(&format!("a{place}")).iter().zip(t.scalars()).zip(bits) {
            writeln!(rust, "        right &= {};", equal_in_rust(scalar, part, *bits)).unwrap();
        }
    }
    writeln!(rust, "        arrived(right, {number});\n        hits.set(hits.get() + 1);").unwrap();
    match &result {
        None => {}
        Some(Type::Scalar(scalar)) => writeln!(rust, "        {}", in_rust(*scalar, returned[0])).unwrap(),
        Some(Type::Struct(name, fields)) => {
            let fields = fields.iter().zip(&returned).enumerate();
            let fields: Vec<_> = fields.map(|(i, (s, bits))| format!("f{i}: {}", in_rust(*s, *bits))).collect();
            writeln!(rust, "        {name} {{ {} }}", fields.join(", ")).unwrap();
        }
    }
    writeln!(rust, "    }};").unwrap();
    if start == "boxed" {
        writeln!(rust, "    let bound = statictramp::boxed(closure).unwrap_or_else(|_| panic!());").unwrap();
    } else {
        writeln!(rust, "    let closure = {}{start}closure{end};\n    let bound = bind(&closure).unwrap();", if start.is_empty() { "" } else { "statictramp::" }).unwrap();
    }
    for prefix in PREFIXES {
        writeln!(rust, "    returned(unsafe {{ {prefix}_{number}(bound.as_fn()) }}, \"{prefix}\", {number});").unwrap();
    }
    writeln!(rust, "    drop(bound);\n    assert_eq!(hits.get(), {});\n}}", PREFIXES.len()).unwrap();
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, seed, count, directory] = &arguments[..] else { panic!("usage: generate SEED COUNT DIRECTORY") };
    let (seed, count) = (seed.parse().expect("a number"), count.parse::<usize>().expect("a number"));
    let mut random = Random(seed);
    let mut out = (
        "#![allow(improper_ctypes, improper_ctypes_definitions, dead_code, unused, clippy::all)]
use statictramp::bind;
use std::{cell::Cell, hint::black_box};
fn arrived(right: bool, number: usize) { assert!(right, \"signature {number}: an argument did not arrive\") }
fn returned(right: i32, by: &str, number: usize) { assert!(right == 1, \"signature {number}, called by {by}: the result did not arrive\") }
".to_string(),
        "#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#define JOIN(a, b) a##_##b
#define JOINED(a, b) JOIN(a, b)
#define NAME(number) JOINED(PREFIX, number)
static float f32_of(uint32_t bits) { float f; memcpy(&f, &bits, 4); return f; }
static double f64_of(uint64_t bits) { double f; memcpy(&f, &bits, 8); return f; }
static uint32_t bits_of_f32(float f) { uint32_t bits; memcpy(&bits, &f, 4); return bits; }
static uint64_t bits_of_f64(double f) { uint64_t bits; memcpy(&bits, &f, 8); return bits; }
".to_string(),
    );
    (0..count).for_each(|number| signature(&mut random, number, &mut out));
    let tests = (0..count).map(|number| format!("t{number}")).collect::<Vec<_>>().join(", ");
    writeln!(out.0, "fn main() {{\n    let all: [fn(); {count}] = [{tests}];\n    all.iter().for_each(|test| test());\n    println!(\"{count} signatures of seed {seed}, each called {} times: every bit arrived\");\n}}", PREFIXES.len()).unwrap();
    std::fs::write(format!("{directory}/main.rs"), out.0).expect("the directory is there");
    std::fs::write(format!("{directory}/calls.c"), out.1).expect("the directory is there");
}
