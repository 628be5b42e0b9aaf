//! `signatures COUNT SEED DIRECTORY FIELD=VALUE...`: random signatures for `statictramp_bind_raw`,
//! `statictramp_bind_first` and `statictramp_bind_types`. The fields are those of a row in
//! `tests/legs/parts/machines.sh`.
//!
//! - `types.h`: struct types, and the values that are passed and returned
//! - `calls.c`: for each signature a caller, which passes the values and checks the result, and a function with a context
//!   as its first parameter, which checks its arguments (for a variadic signature, one that reads a `va_list`); compiled
//!   several times, once for each `PREFIX`
//! - `table.c`: the signatures as data, and the number of integer registers that each one's arguments take
//!
//! `main.c` in `capi/tests/programs/signatures`, which is not generated, runs through the table.

mod convention;
mod types;

use crate::random::Random;
use crate::{Outcome, usage, write};
use convention::{Convention, Count};
use std::collections::HashSet;
use std::rc::Rc;
use types::{Class, Type, Types};

const TYPES: &str = "#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
typedef uint32_t vector8 __attribute__((vector_size(8))), vector16 __attribute__((vector_size(16)));
";
const CALLS: &str = r#"#define NAME(name) JOINED(PREFIX, name)
#define JOINED(a, b) JOIN(a, b)
#define JOIN(a, b) a##_##b
#include "types.h"
typedef void (*function)(void);
extern volatile int first_right;
"#;

pub fn run(arguments: &[&str]) -> Outcome {
    const USAGE: &str = "COUNT SEED DIRECTORY FIELD=VALUE...";
    let [count, seed, directory, fields @ ..] = arguments else { return Err(usage(USAGE)) };
    let count: usize = count.parse().map_err(|_| usage(USAGE))?;
    let mut random = Random::new(seed).ok_or_else(|| usage(USAGE))?;
    let convention = Convention::new(fields)?;
    let mut program = Program::new(&convention);
    while program.signatures < count {
        program.add_signature(&mut random);
    }
    let put = |name: &str, text: &str| write(&format!("{directory}/{name}"), text.as_bytes());
    put("types.h", &format!("{TYPES}{}{}", program.types.definitions, program.values))?;
    put("calls.c", &format!("{CALLS}{}", program.calls))?;
    put("table.c", &format!("{}static const struct row rows[] = {{\n{}}};\n", program.table, program.rows))
}

struct Program<'a> {
    convention: &'a Convention,
    types: Types<'a>,
    described: HashSet<usize>,
    signatures: usize,
    values: String,
    calls: String,
    table: String,
    rows: String,
}

impl Program<'_> {
    fn new(convention: &Convention) -> Program<'_> {
        let types = Types::new(convention);
        let mut table = String::new();
        if convention.by_members {
            for scalar in [10, 11, 14].map(|index| types.scalars[index]) {
                let (kind, size) = (scalar.kind, scalar.size);
                table += &format!(
                    "static const statictramp_leaf only_{kind} = {{0, STATICTRAMP_KIND_{kind}}};\n\
                     static const statictramp_struct one_{kind} = {{{size}, 1, &only_{kind}}};\n"
                );
            }
        }
        Program {
            convention,
            types,
            described: HashSet::new(),
            signatures: 0,
            values: String::new(),
            calls: String::new(),
            table,
            rows: String::new(),
        }
    }

    /// Adds a signature, unless compilers differ in how they pass the chosen one.
    fn add_signature(&mut self, random: &mut Random) {
        let is_variadic = random.chance(0.15);
        let has_others = random.chance(0.3);
        let set = if has_others { self.types.every.clone() } else { self.types.scalars.clone() };
        let result = (!random.chance(0.1)).then(|| self.types.choose(&set, &set, random));
        let last = if random.chance(0.5) { 17 } else { 65 };
        let most = random.pick(&[4, 4, 4, 8, 8, 17, 17, last]);
        let number = random.below(most);
        let mut arguments: Vec<_> = (0..number).map(|_| self.types.choose(&set, &set, random)).collect();
        if is_variadic && arguments.is_empty() {
            arguments.push(self.types.scalar(self.types.scalars[4]));
        }
        let named = arguments.len();
        if is_variadic {
            let promoted = self.types.promoted(!has_others);
            for _ in 0..=random.below(6) {
                arguments.push(self.types.choose(&promoted, &set, random));
            }
        }
        let is_counted = !has_others || self.convention.counts_others();
        let Some(count) = self.count(result.as_deref(), &arguments, named, is_counted) else { return };
        self.write(
            result.as_ref(),
            &arguments,
            is_variadic.then_some(named),
            is_counted.then_some(count),
            random,
        );
        self.signatures += 1;
    }

    /// Counts the registers, or returns `None` if compilers differ, with or without the context before the arguments.
    fn count(
        &self,
        result: Option<&Type>,
        arguments: &[Rc<Type>],
        named: usize,
        is_counted: bool,
    ) -> Option<Count> {
        if !is_counted {
            return Some(Count::default());
        }
        let list: Vec<&Type> = arguments.iter().map(|argument| &**argument).collect();
        let count = self.convention.count(result, &list, named);
        let context = self.types.scalar(self.types.scalars[8]);
        let with_context = self.convention.count(result, &[&[&*context], &list[..]].concat(), named + 1);
        (!count.differ && !with_context.differ).then_some(count)
    }

    fn write(
        &mut self,
        result: Option<&Rc<Type>>,
        arguments: &[Rc<Type>],
        variadic: Option<usize>,
        count: Option<Count>,
        random: &mut Random,
    ) {
        let n = self.signatures;
        let named = variadic.unwrap_or(arguments.len());
        let join = |each: &dyn Fn(usize, &Type) -> String, separator| {
            arguments.iter().enumerate().map(|(i, of)| each(i, of)).collect::<Vec<_>>().join(separator)
        };
        let types = arguments[..named].iter().map(|of| of.c.as_str()).collect::<Vec<_>>().join(", ");
        let parameters = match (variadic, &*types) {
            (Some(_), _) => format!("{types}, ..."),
            (None, "") => "void".to_owned(),
            _ => types,
        };
        let r = result.map_or("void", |result| &*result.c);
        for (i, of) in arguments.iter().enumerate() {
            self.values += &format!("static const {} a{n}_{i} = {};\n", of.c, of.initial(random));
        }
        if let Some(result) = result {
            self.values += &format!("static const {r} r{n} = {};\n", result.initial(random));
        }

        let call = format!("(({r} (*)({parameters}))f)({})", join(&|i, _| format!("a{n}_{i}"), ", "));
        self.calls += &format!("int NAME(call{n})(function f)\n{{\n");
        self.calls += &match result {
            Some(result) => {
                format!("    {r} r = {call};\n    return {};\n}}\n", result.compare("r", &format!("r{n}")))
            }
            None => format!("    {call};\n    return 1;\n}}\n"),
        };
        if variadic.is_none() {
            let list = join(&|i, of| format!(", {} b{i}", of.c), "");
            let checks =
                join(&|i, of| format!(" && {}", of.compare(&format!("b{i}"), &format!("a{n}_{i}"))), "");
            let end = if result.is_some() { format!("    return r{n};\n") } else { String::new() };
            self.calls += &format!(
                "{r} NAME(first{n})(void *context{list})\n{{\n    first_right = context == (void *)&first_right{checks};\n{end}}}\n"
            );
        } else {
            let read = |i: usize, of: &Type| match i < named {
                true => String::new(),
                false => format!(
                    "    {} b{i} = va_arg(list, {0});\n    right &= {};\n",
                    of.c,
                    of.compare(&format!("b{i}"), &format!("a{n}_{i}"))
                ),
            };
            self.calls += &format!(
                "int NAME(read{n})(va_list list)\n{{\n    int right = 1;\n{}    return right;\n}}\n",
                join(&read, "")
            );
        }

        for of in arguments.iter().chain(result) {
            self.describe_struct(of, random);
        }
        let expected = join(&|_, of| format!(", {}", describe(of)), "");
        let given = join(&|i, _| format!(", &a{n}_{i}"), "");
        let (of_result, address) = match result {
            Some(result) => (describe(result), format!("&r{n}")),
            None => ("{0, NULL, ffi_VOID, 0}".to_owned(), "NULL".to_owned()),
        };
        let firsts = format!("{}({n})\n", if variadic.is_none() { "FIRSTS" } else { "READS" });
        self.table += &format!(
            "static const struct described d{n}[] = {{{of_result}{expected}}};\n\
             static const void *const v{n}[] = {{{address}{given}}};\nCALLS({n})\n{firsts}"
        );
        let (named, callees) = match variadic {
            Some(named) => (named.to_string(), format!("NONE, READERS({n})")),
            None => ("STATICTRAMP_NOT_VARIADIC".to_owned(), format!("CALLEES({n}), NONE")),
        };
        let used = count.as_ref().map_or("UNKNOWN".to_owned(), |count| format!("{}u", count.used));
        let Count { memory, pair, .. } = count.unwrap_or_default();
        let (memory, pair, number) = (u8::from(memory), u8::from(pair), arguments.len());
        self.rows += &format!(
            "    {{{number}, {named}, d{n}, v{n}, CALLERS({n}), {callees}, {used}, {memory}, {pair}}},\n"
        );
    }

    /// Describes a struct as data: by all scalars in it, or by its members.
    fn describe_struct(&mut self, of: &Type, random: &mut Random) {
        if of.scalar.is_some() || !self.described.insert(of.id) {
            return;
        }
        for member in &of.members {
            self.describe_struct(&member.of, random);
        }
        let id = of.id;
        let always = self.convention.by_members;
        let leaves: Vec<(usize, String)> = if always || random.chance(0.5) {
            let kind = |member: &types::Member| match member.of.scalar {
                None => format!("STRUCT, &type{}", member.of.id),
                // In a description by members, each element is in its own struct.
                Some(scalar) if always && member.is_element && scalar.class == Class::Float => {
                    format!("STRUCT, &one_{}", scalar.kind)
                }
                Some(scalar) => scalar.kind.to_owned(),
            };
            of.members.iter().map(|member| (member.offset, kind(member))).collect()
        } else {
            of.leaves.iter().map(|leaf| (leaf.offset, leaf.scalar.kind.to_owned())).collect()
        };
        // A complex number is one leaf or two.
        let leaves: Vec<(usize, String)> = leaves
            .into_iter()
            .flat_map(|(offset, kind)| match kind.strip_prefix("COMPLEX_") {
                Some(part) if !always && random.chance(0.3) => {
                    let size = match part {
                        "FLOAT" => 4,
                        "DOUBLE" => 8,
                        _ => self.convention.long_double,
                    };
                    vec![(offset, part.to_owned()), (offset + size, part.to_owned())]
                }
                _ => vec![(offset, kind)],
            })
            .collect();
        let list = leaves.iter().map(|(offset, kind)| format!("{{{offset}, STATICTRAMP_KIND_{kind}}}"));
        let (list, number) = (list.collect::<Vec<_>>().join(", "), leaves.len());
        let fields = of.members.iter().map(|member| match member.of.scalar {
            Some(scalar) => format!("ffi_{}, ", scalar.kind),
            None => format!("FFI_STRUCT({}), ", member.of.id),
        });
        self.table += &format!(
            "static const statictramp_leaf leaves{id}[] = {{{list}}};
static const statictramp_struct type{id} = {{sizeof({}), {number}, leaves{id}}};
#ifdef LIBFFI
static ffi_type *fields{id}[] = {{{}NULL}};
static ffi_type ffi_struct{id} = {{0, 0, FFI_TYPE_STRUCT, fields{id}}};
#endif
",
            of.c,
            fields.collect::<String>()
        );
    }
}

/// Returns the initializer for a type's description: its kind, or the description of the struct.
fn describe(of: &Type) -> String {
    match of.scalar {
        Some(scalar) => format!("{{STATICTRAMP_KIND_{0}, NULL, ffi_{0}, {1}}}", scalar.kind, of.size),
        None => format!("{{0, &type{0}, FFI_STRUCT({0}), {1}}}", of.id, of.size),
    }
}
