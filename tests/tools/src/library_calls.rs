//! `library-calls LIBGCC LIBM`: prints a C program that calls each function of two lists, one name per line, with many
//! inputs, and prints a digest of each one's results.
//!
//! The argument types of libgcc's functions follow from their names (GCC internals, "Library functions"), those of
//! libm's from `<math.h>`. An unknown name is an error.

use crate::{Outcome, print, read, regex, usage};

/// The program, in which the lines FUNCTIONS and CALLS are replaced.
const PROGRAM: &str = include_str!("library_calls.c");

pub fn run(arguments: &[&str]) -> Outcome {
    let [libgcc, libm] = arguments else { return Err(usage("LIBGCC LIBM")) };
    print(&program(libgcc, libm)?)
}

/// Returns the program that calls the functions in these two files.
pub fn program(libgcc: &str, libm: &str) -> Result<String, String> {
    let (libgcc, libm) = (read(libgcc)?, read(libm)?);
    let (mut functions, mut calls) = (String::new(), String::new());
    // These are aliases for Arm's compilers, and atomic exchanges, whose results involve no rounding.
    let left_out = regex("^__aeabi_|^__aarch64_(?:cas|swp|ld)");
    // On Arm, these have two calling conventions.
    let half = regex("^__gnu_.2._ieee$");
    let is_arm = libgcc.lines().any(|name| name == "__aeabi_dadd");
    for name in libgcc.lines() {
        if left_out.is_match(name) || (is_arm && half.is_match(name)) {
            continue;
        }
        let prototype = Prototype::of(name).ok_or_else(|| format!("the arguments of {name} are unknown"))?;
        functions += &prototype.function(name);
        calls += &format!("    begin(); of_{name}(); end(\"{name}\");\n");
    }
    for name in libm.lines() {
        calls += &format!("    begin(); OF({name}); end(\"{name}\");\n");
    }
    let text = PROGRAM.replace("\nFUNCTIONS\n", &format!("\n{functions}\n"));
    Ok(text.replace("\nCALLS\n", &format!("\n{calls}\n")))
}

/// An argument of a function in libgcc.
enum Argument {
    /// The value of this C expression.
    Value { mode: String, value: String },
    /// A pointer to a variable, in which the function stores a second result.
    Rest { mode: String },
}

struct Prototype {
    result: String,
    arguments: Vec<Argument>,
}

/// Returns the C type of a machine mode.
fn c_type(mode: &str) -> &'static str {
    match mode {
        "hf" => "_Float16",
        "sf" => "float",
        "df" => "double",
        "tf" => "quad",
        "si" => "int32_t",
        "di" => "int64_t",
        "ti" => "__int128",
        "sc" => "_Complex float",
        "dc" => "_Complex double",
        _ => "_Complex quad",
    }
}

/// Names of functions, then the mode of the result and each argument's kind and mode. `F` stands for a floating-point
/// mode, `I` for an integer mode and `C` for a complex mode; `1` and `2` are the first and the second of these, and `P`
/// is the mode of a complex number's parts.
const PROTOTYPES: [(&str, &str, &[&str]); 18] = [
    ("__(?:add|sub|mul|div)F3", "1", &["any 1", "any 1"]),
    ("__(?:eq|ne|lt|le|gt|ge|unord|cmp)F2", "si", &["any 1", "any 1"]),
    ("__negF2", "1", &["any 1"]),
    ("__fix(?:uns)?FI", "2", &["any 1"]),
    ("__float(?:un)?IF", "2", &["any 1"]),
    ("__(?:extend|trunc)FF2", "2", &["any 1"]),
    ("__powiF2", "1", &["any 1", "power si"]),
    ("__(?:mul|div)C3", "1", &["any P", "any P", "any P", "any P"]),
    ("__(?:ashl|ashr|lshr)I3", "1", &["any 1", "shift 1"]),
    ("__mulI3", "1", &["any 1", "any 1"]),
    ("__u?(?:div|mod)I3", "1", &["any 1", "divisor 1"]),
    ("__(?:add|sub|mul)vI3", "1", &["small 1", "small 1"]),
    ("__(?:neg|abs)vI2", "1", &["small 1"]),
    ("__(?:neg|bswap)I2", "1", &["any 1"]),
    ("__c[lt]zI2", "si", &["divisor 1"]), // undefined for zero
    ("__(?:ffs|popcount|parity|clrsb)I2", "si", &["any 1"]),
    ("__u?cmpI2", "si", &["any 1", "any 1"]),
    ("__u?divmodI4", "1", &["any 1", "divisor 1", "rest 1"]),
];

impl Prototype {
    /// Returns the prototype of a function, or `None` if its name is unknown.
    fn of(name: &str) -> Option<Prototype> {
        PROTOTYPES.iter().find_map(|(pattern, result, arguments)| {
            let pattern =
                pattern.replace('F', "(hf|sf|df|tf)").replace('I', "(si|di|ti)").replace('C', "(sc|dc|tc)");
            let found = regex(&format!("^{pattern}$")).captures(name)?;
            let mode = |mode: &str| match mode {
                "1" => found[1].to_owned(),
                "2" => found[2].to_owned(),
                "P" => found[1].replace('c', "f"),
                mode => mode.to_owned(),
            };
            let argument = |argument: &&str| {
                let (kind, of) = argument.split_once(' ')?;
                let mode = mode(of);
                Some(match kind {
                    "rest" => Argument::Rest { mode },
                    // The number of bits is an int, whatever the mode of the shifted number.
                    "shift" => Argument::Value { value: format!("shift_{mode}()"), mode: "si".to_owned() },
                    _ => Argument::Value { value: format!("{kind}_{mode}()"), mode },
                })
            };
            Some(Prototype {
                result: mode(result),
                arguments: arguments.iter().map(argument).collect::<Option<_>>()?,
            })
        })
    }

    /// Returns the declaration of the function, and a C function that calls it with many inputs.
    fn function(&self, name: &str) -> String {
        // For these functions, Arm's run-time ABI passes floating-point arguments in core registers, whatever
        // convention the program uses.
        let by_program = name.contains("powi") || regex("[ds]c3$").is_match(name);
        let convention = if by_program { "" } else { "RUN_TIME_ABI " };
        let result = c_type(&self.result);
        let (mut types, mut given, mut made) = (vec![], vec![], String::new());
        let (mut rest, mut digest) = (String::new(), "");
        for (number, argument) in self.arguments.iter().enumerate() {
            match argument {
                Argument::Value { mode, value } => {
                    let ty = c_type(mode);
                    made += &format!("        {ty} a{number} = {value};\n");
                    types.push(ty.to_owned());
                    given.push(format!("a{number}"));
                }
                Argument::Rest { mode } => {
                    types.push(format!("{} *", c_type(mode)));
                    given.push("&rest".to_owned());
                    rest = format!("    {result} rest;\n");
                    digest = "        digest(&rest, sizeof rest);\n";
                }
            }
        }
        let (types, given) = (types.join(", "), given.join(", "));
        format!(
            "{convention}{result} {name}({types});
static void of_{name}(void) {{
    {convention}{result} (*volatile call)({types}) = {name};
{rest}    for (long n = 0; n < rounds; n++) {{
{made}        {result} result = call({given});
        digest(&result, sizeof result);
{digest}    }}
}}
"
        )
    }
}
