//! Stable names of findings, and the names that lintian and rpmlint use for similar findings.

use crate::audit::files::facts::{Call, Facts};
use crate::audit::table::State;
use crate::audit::verdict::Verdict;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use std::borrow::Cow;

/// Severity of a finding, in SARIF's terms.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Level {
    Error,
    Warning,
}

/// A kind of finding. The meaning of a name never changes.
#[derive(PartialEq, Eq, Debug)]
pub struct Tag {
    pub name: &'static str,
    pub level: Level,
    /// The closest equivalent tags in other tools. Those tools check only linked files.
    pub lintian: Option<&'static str>,
    pub rpmlint: Option<&'static str>,
    pub meaning: &'static str,
}

/// Machine-readable output represents a tag by its name.
impl Serialize for Tag {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

impl JsonSchema for Tag {
    fn schema_name() -> Cow<'static, str> {
        "tag".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = ALL.iter().map(|tag| tag.name).collect();
        json_schema!({ "enum": names })
    }
}

macro_rules! tags {
    ($($constant:ident $name:literal $level:ident $lintian:expr, $rpmlint:expr, $meaning:literal;)*) => {
        $(
            pub const $constant: Tag = Tag {
                name: $name, level: Level::$level, lintian: $lintian, rpmlint: $rpmlint, meaning: $meaning,
            };
        )*
        /// All tags.
        pub const ALL: &[Tag] = &[$($constant),*];
    };
}

const EXECUTABLE: Option<&str> = Some("executable-stack-in-shared-library");
const RPM_EXECUTABLE: Option<&str> = Some("executable-stack");

tags! {
    STACK_NEEDED "stack-needed" Error EXECUTABLE, RPM_EXECUTABLE, "The file requests an executable stack, and its code writes trampolines.";
    STACK_ASKED_ONLY "stack-asked-only" Error EXECUTABLE, RPM_EXECUTABLE, "The file requests an executable stack, but no code was found that needs it.";
    STACK_ASKED "stack-asked" Error EXECUTABLE, RPM_EXECUTABLE, "The file requests an executable stack; whether its code needs it is unknown.";
    STACK_NOT_ASKED "stack-not-asked" Error None, None, "The file requests no executable stack, but its code writes trampolines on the stack.";
    STACK_MAY_BE_NEEDED "stack-may-be-needed" Warning None, None, "The file requests no executable stack, but its code writes trampolines, possibly on the stack.";
    STACK_NOTE_MISSING "stack-note-missing" Error Some("shared-library-lacks-stack-section"), Some("missing-PT_GNU_STACK-section"), "The file does not say whether it needs an executable stack.";
    TEXT_RELOCATIONS "text-relocations" Warning Some("specific-address-in-shared-library"), Some("shlib-with-non-pic-code"), "Code is modified when the file is loaded.";
    WRITABLE_CODE "writable-code" Warning None, None, "A segment or section is writable and executable.";
    HEAP_TRAMPOLINES "heap-trampolines" Warning None, None, "The file contains GCC's heap trampolines, which need writable and executable memory.";
    POOL_TRAMPOLINES "pool-trampolines" Warning None, None, "The file uses flang's trampoline pool, whose code is written at run time.";
    TABLE_BROKEN "table-broken" Error None, None, "The file contains an invalid statictramp table.";
    PROCESS_STACK "process-stack-executable" Error None, None, "The main thread's stack is executable.";
    PROCESS_WRITABLE_CODE "process-writable-code" Warning None, None, "A mapping of the process is writable and executable.";
    PROCESS_TRAMPOLINE "process-trampoline" Warning None, None, "A trampoline is on a stack of the process.";
}

/// Returns the tag with this name.
pub fn named(name: &str) -> Option<&'static Tag> {
    ALL.iter().find(|tag| tag.name == name)
}

/// Returns the tags for the findings in a file.
pub fn of(verdict: Verdict, facts: &Facts) -> Vec<&'static Tag> {
    let verdict = match verdict {
        Verdict::Needed => Some(&STACK_NEEDED),
        Verdict::AskedOnly => Some(&STACK_ASKED_ONLY),
        Verdict::Asked => Some(&STACK_ASKED),
        Verdict::NotAsked if facts.is_doubtful() => Some(&STACK_MAY_BE_NEEDED),
        Verdict::NotAsked => Some(&STACK_NOT_ASKED),
        Verdict::SaysNothing => Some(&STACK_NOTE_MISSING),
        Verdict::Clean | Verdict::Unknown => None,
    };
    let is_broken = facts.tables.iter().any(|table| matches!(table.state, State::Broken(_)));
    let others = [
        (facts.text_relocations, &TEXT_RELOCATIONS),
        (!facts.writable_code.is_empty(), &WRITABLE_CODE),
        (facts.linked && facts.calls.contains(&Call::GccHeap), &HEAP_TRAMPOLINES),
        (facts.linked && facts.calls.contains(&Call::FlangPool), &POOL_TRAMPOLINES),
        (is_broken, &TABLE_BROKEN),
    ];
    if facts.outside.is_some() {
        // If the stack note has no meaning for the file, only an invalid table of this library is a finding.
        return if is_broken { vec![&TABLE_BROKEN] } else { Vec::new() };
    }
    verdict.into_iter().chain(others.into_iter().filter(|it| it.0).map(|it| it.1)).collect()
}
