//! The types of the JSON output. `audit --schema` prints the JSON Schema of [`Document`].

use super::Totals;
use super::tags::{Level, Tag};
use crate::audit::code::patterns::Doubt;
use crate::audit::files::facts::{Asks, Call, Feature, Format, PoolOf, Relro, WritableCode};
use crate::audit::files::hardening::Hardening;
use crate::audit::files::machine::Outside;
use crate::audit::objects::Why;
use crate::audit::verdict::Verdict;
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use std::sync::Arc;

/// The version of the format. The number changes when a field is removed or changes its meaning, but not when fields
/// are added.
pub const VERSION: u32 = 1;

/// The number in "schema" changes if a field is removed or changes its meaning; fields and tags may be added under the
/// same number.
#[derive(JsonSchema)]
#[schemars(title = "Output of statictramp audit --json", deny_unknown_fields)]
#[allow(dead_code, reason = "the parts are printed one after the other")]
struct Document {
    #[schemars(flatten)]
    head: Head,
    /// Files with at least one unaccepted finding.
    #[schemars(schema_with = "with_tags")]
    findings: Vec<File>,
    #[schemars(flatten)]
    rest: Rest,
}

/// Returns the JSON Schema of the output.
pub fn schema() -> String {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<Document>();
    // "uint64" and the like are not formats of JSON Schema.
    RecursiveTransform(|schema: &mut Schema| _ = schema.remove("format")).transform(&mut schema);
    format!("{:#}\n", schema.as_value())
}

fn with_tags(generator: &mut SchemaGenerator) -> Schema {
    let file = generator.subschema_for::<File>();
    json_schema!({
        "type": "array",
        "items": { "allOf": [file, { "properties": { "tags": { "minItems": 1 } } }] },
    })
}

/// The fields before the findings.
#[derive(Serialize, JsonSchema)]
pub struct Head {
    #[schemars(extend("const" = VERSION))]
    pub schema: u32,
    /// The tool's version.
    pub version: &'static str,
}

/// The fields after the findings.
#[derive(Default, Serialize, JsonSchema)]
pub struct Rest {
    /// Findings in a process, with --pid.
    pub process: Vec<InProcess>,
    /// Files without findings: those named on the command line, and those whose code cannot be analysed although patterns
    /// for the processor are known; with --all or --hardening, all files without findings.
    pub files: Vec<File>,
    /// The findings of each file or process whose findings are all accepted.
    pub excepted: Vec<AcceptedIn>,
    pub unused_exceptions: Vec<Unused>,
    /// Inputs that could not be read.
    pub errors: Vec<Unreadable>,
    /// Inputs of a known kind that were not examined. If one file contains very many such inputs, only the first ones
    /// are listed.
    pub not_looked_into: Vec<Skipped>,
    /// Copies that --clear has written.
    pub cleared: Vec<Cleared>,
    /// With --clear: files whose flag was not cleared, if they have findings or are named on the command line.
    pub not_cleared: Vec<Skipped>,
    #[serde(flatten)]
    pub totals: Totals,
}

/// The name: FILE, or PACKAGE:PATH in a package, followed by (MEMBER) for a member of an archive. Bytes that are not UTF-8
/// are written as \\xNN.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Escaped(String);

/// All bytes of the name in hexadecimal, if the name is not UTF-8.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Hex(#[schemars(regex(pattern = "^([0-9a-f]{2})+$"))] String);

/// Returns a name as text and, if it is not valid UTF-8, its bytes.
fn escaped(name: &[u8]) -> (Escaped, Option<Hex>) {
    let mut text = String::new();
    for chunk in name.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    let hex = || Hex(name.iter().map(|byte| format!("{byte:02x}")).collect());
    (Escaped(text), std::str::from_utf8(name).is_err().then(hex))
}

/// The path of an input.
#[derive(Serialize, JsonSchema)]
pub struct Path {
    path: Escaped,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Hex")]
    path_bytes: Option<Hex>,
}

impl From<&[u8]> for Path {
    fn from(name: &[u8]) -> Self {
        let (path, path_bytes) = escaped(name);
        Path { path, path_bytes }
    }
}

/// The path of a copy.
#[derive(Serialize, JsonSchema)]
pub struct Copy {
    cleared: Escaped,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Hex")]
    cleared_bytes: Option<Hex>,
}

impl From<&[u8]> for Copy {
    fn from(name: &[u8]) -> Self {
        let (cleared, cleared_bytes) = escaped(name);
        Copy { cleared, cleared_bytes }
    }
}

/// A file and its verdict.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "file", deny_unknown_fields)]
pub struct File {
    #[serde(flatten)]
    pub path: Path,
    /// The member's name, if the file is a member of an archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub member: Option<String>,
    pub verdict: Verdict,
    /// The stack permissions that the file requests; none if it has no PT_GNU_STACK or .note.GNU-stack.
    pub stack: Asks,
    /// False if code writes trampolines, but none is known to be on the stack.
    pub certain: bool,
    /// The verdict, worded for human readers. The wording may change.
    #[serde(rename = "sentence")]
    pub message: String,
    /// The findings that are not accepted by an exception.
    pub tags: Vec<Finding>,
    /// The findings that an exception accepts.
    pub excepted: Vec<Accepted>,
    pub format: Format,
    pub kind: Kind,
    pub linked: bool,
    /// The processor, in the form accepted by --machine; other for rare processors.
    pub machine: &'static str,
    /// The reason why the note has no meaning for the file.
    pub outside: Option<Outside>,
    /// The locations where code writes trampolines.
    pub writes: Vec<Write>,
    /// Whether each trampoline has its own entry in `writes`. If false, the code at one location may write several
    /// trampolines.
    pub writes_complete: bool,
    pub compilers: Vec<String>,
    /// The interfaces, other than this library's, through which the file creates trampolines.
    pub calls: Vec<Call>,
    /// The pools from which compiled code in a linked file takes its trampolines.
    pub pools: Vec<PoolOf>,
    pub writable_code: Vec<WritableCode>,
    pub text_relocations: bool,
    /// Whether the section headers are invalid. If so, the verdict is based on the segments.
    pub invalid_sections: bool,
    pub control_flow_protection: Vec<Feature>,
    pub relro: Option<Relro>,
    /// Present with --hardening if the file is an ELF file.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Hardening")]
    pub hardening: Option<Hardening>,
    /// Tables of this library.
    pub tables: Vec<Table>,
    /// Assembly source files named in debugging information or the symbol table.
    pub assembly: Vec<String>,
    /// With --objects: the objects that cause the flag to be set.
    pub objects: Vec<Object>,
    /// Remedies, worded for human readers. The wording may change.
    #[serde(rename = "advice")]
    pub remedies: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Kind {
    Object,
    Library,
    StaticProgram,
    Program,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
pub struct Finding {
    pub tag: &'static Tag,
    pub level: Level,
    /// lintian's nearest tag.
    pub lintian: Option<&'static str>,
    /// rpmlint's nearest tag.
    pub rpmlint: Option<&'static str>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "excepted", deny_unknown_fields)]
pub struct Accepted {
    pub tag: &'static Tag,
    pub reason: String,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
pub struct Write {
    /// The address of the code; in an object, the offset in its section.
    pub address: u64,
    /// The function that contains the address, if a symbol or debugging information names it.
    pub function: Option<Arc<str>>,
    /// The source file and, if known, the line.
    pub source: Option<Arc<str>>,
    /// The compiler and its options, from debugging information.
    pub producer: Option<Arc<str>>,
    pub doubt: Option<Doubt>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
pub struct Table {
    pub slots: u64,
    pub state: TableState,
    pub why: Option<String>,
    pub landing_pads: Option<bool>,
    /// Whether each stub authenticates its jump target (AArch64 pointer authentication).
    pub signed: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum TableState {
    Whole,
    NotLinked,
    NotDecoded,
    Broken,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
pub struct Object {
    #[serde(flatten)]
    pub path: Path,
    pub why: Why,
    pub source: Option<String>,
    /// The line to add to the source.
    pub add: Option<&'static str>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
pub struct InProcess {
    pub process: String,
    pub tag: &'static Tag,
    #[serde(rename = "sentence")]
    pub message: String,
    pub details: Details,
}

/// The location of a finding in a process.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
#[cfg_attr(windows, allow(dead_code))] // unused without process auditing
pub enum Details {
    Mapping {
        start: u64,
        end: u64,
        path: String,
    },
    Trampoline {
        thread: String,
        address: u64,
        callee: u64,
        chain: u64,
        /// False if the trampoline might be left over from a call that has returned.
        live: bool,
    },
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
pub struct AcceptedIn {
    #[serde(flatten)]
    pub path: Path,
    pub tag: &'static Tag,
    pub reason: String,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
pub struct Unused {
    pub pattern: String,
    pub tag: &'static Tag,
    /// The line in the exceptions file.
    pub line: usize,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
pub struct Unreadable {
    #[serde(flatten)]
    pub path: Path,
    pub error: String,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
pub struct Skipped {
    #[serde(flatten)]
    pub path: Path,
    pub reason: String,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
pub struct Cleared {
    #[serde(flatten)]
    pub path: Path,
    #[serde(flatten)]
    pub copy: Copy,
    /// The changed members, if the file is a wheel.
    pub members: Vec<String>,
}
