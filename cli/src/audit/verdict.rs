//! The verdict on a file, derived from its flag and its code.

use super::files::facts::{Asks, Call, Facts, Format, Unjudged};
use super::files::machine::Outside;
use super::table::State;
use schemars::JsonSchema;
use serde::Serialize;

/// The verdict on one file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Verdict {
    /// The file does not request an executable stack, and no code that needs one was found. With `--quick`, the code is
    /// not searched.
    Clean,
    /// The file's code writes trampolines, and the file requests an executable stack or does not specify whether it
    /// needs one. On Windows, a file with such code gets this verdict even without a request.
    Needed,
    /// The file requests an executable stack, but no code that needs it was found.
    AskedOnly,
    /// The file's code writes trampolines, but the file does not request an executable stack. If a trampoline is on the
    /// stack, calling it crashes the program.
    NotAsked,
    /// The file does not specify whether it needs an executable stack, so the linker, the kernel and libc decide.
    SaysNothing,
    /// The file requests an executable stack, and its code cannot be analysed.
    Asked,
    /// The file's code cannot be analysed, or the stack note has no meaning for the file.
    Unknown,
}

impl Verdict {
    pub fn of(facts: &Facts) -> Self {
        let writes = !facts.writes.is_empty() || facts.calls.contains(&Call::TrampolineSetup);
        match facts.asks {
            _ if facts.outside.is_some() => Verdict::Unknown,
            // A file that is not yet compiled to machine code does not request an executable stack, even if the
            // compiled code will write trampolines.
            _ if facts.unjudged == Some(Unjudged::NotCompiled) => Verdict::Unknown,
            Asks::Yes | Asks::SaysNothing if writes => Verdict::Needed,
            _ if facts.has_default_flag() => Verdict::Unknown,
            // On Windows, GCC's code makes the stack executable at run time, page by page.
            Asks::No if writes && facts.format == Format::Pe => Verdict::Needed,
            Asks::No if writes => Verdict::NotAsked,
            Asks::Yes if facts.unjudged.is_some() => Verdict::Asked,
            Asks::Yes => Verdict::AskedOnly,
            Asks::SaysNothing => Verdict::SaysNothing,
            // With `--quick`, only the flag is read.
            Asks::No if facts.unjudged == Some(Unjudged::Quick) => Verdict::Clean,
            Asks::No if facts.unjudged.is_some() => Verdict::Unknown,
            Asks::No => Verdict::Clean,
        }
    }

    /// Returns the verdict as text.
    pub fn message(self, facts: &Facts) -> String {
        let doubt = facts.writes.iter().find_map(|it| it.doubt).filter(|_| facts.is_doubtful());
        match (self, doubt) {
            (Verdict::Needed, Some(doubt)) if facts.asks == Asks::SaysNothing => format!(
                "does not say whether it needs an executable stack, and may need it: its code writes trampolines, but {}",
                doubt.reason()
            ),
            (Verdict::Needed, Some(doubt)) => format!(
                "asks for an executable stack, and may need it: its code writes trampolines, but {}",
                doubt.reason()
            ),
            (Verdict::NotAsked, Some(doubt)) => format!(
                "may write trampolines on the stack without asking for an executable stack, but {}",
                doubt.reason()
            ),
            _ => self.plain_message(facts).to_owned(),
        }
    }

    fn plain_message(self, facts: &Facts) -> &'static str {
        match (self, facts.unjudged) {
            (Verdict::Unknown, _) if facts.outside == Some(Outside::NoMachineCode) => {
                "contains no machine code for a CPU"
            }
            (Verdict::Unknown, _) if facts.outside == Some(Outside::Firmware) => {
                "is for a board, a boot loader or the kernel, where the note has no meaning"
            }
            (Verdict::Unknown, _) if facts.has_default_flag() => {
                "has the flag that linkers for this processor set by default; no code that needs it was found"
            }
            (Verdict::Asked, Some(Unjudged::Quick)) => {
                "asks for an executable stack; whether it needs one was not examined (--quick)"
            }
            (Verdict::Clean, Some(Unjudged::Quick)) => {
                "does not ask for an executable stack; its code was not searched (--quick)"
            }
            (Verdict::Clean, _) => "neither needs nor asks for an executable stack",
            (Verdict::Needed, _) if facts.format == Format::Pe => {
                "makes its stack executable when it runs: its code writes trampolines there"
            }
            (Verdict::Needed, _) => "needs an executable stack: its code writes trampolines there",
            (Verdict::AskedOnly, _) => "asks for an executable stack, but no code was found that needs it",
            (Verdict::NotAsked, _) => {
                "writes trampolines on the stack without asking for an executable stack, so it will crash when it calls them"
            }
            (Verdict::SaysNothing, _) if facts.format == Format::Pe => {
                "does not say whether it can run with a non-executable stack (NX_COMPAT), so Windows decides"
            }
            (Verdict::SaysNothing, _) => {
                "does not say whether it needs an executable stack, so the linker, the kernel and the C library decide"
            }
            (Verdict::Asked, Some(Unjudged::Packed)) => {
                "asks for an executable stack; whether it needs one cannot be determined, because its code is compressed"
            }
            (Verdict::Asked, _) => {
                "asks for an executable stack; whether it needs one cannot be determined for this processor"
            }
            (Verdict::Unknown, Some(Unjudged::NotCompiled)) => {
                "cannot be checked: it contains no machine code"
            }
            (Verdict::Unknown, Some(Unjudged::Packed)) => {
                "does not ask for an executable stack, but its code cannot be checked, because it is compressed"
            }
            (Verdict::Unknown, _) => {
                "does not ask for an executable stack, but its code cannot be checked: the tool does not know what \
                 trampolines look like on this processor"
            }
        }
    }

    /// Returns whether the file probably works without the flag, so that a copy without it is useful.
    pub fn may_be_cleared(self, facts: &Facts) -> bool {
        self == Verdict::AskedOnly && facts.format == Format::Elf
    }

    /// Returns the reason why a file's flag is not cleared, unless [`Verdict::may_be_cleared`] is true.
    pub fn why_not_cleared(self, facts: &Facts) -> &'static str {
        match self {
            _ if facts.outside.is_some() => "the stack flag has no meaning for this file",
            Verdict::Needed if facts.asks == Asks::Yes => "its code needs an executable stack",
            Verdict::Needed | Verdict::SaysNothing if facts.linked => {
                "it has no PT_GNU_STACK header, so there is no flag to clear"
            }
            Verdict::Needed | Verdict::SaysNothing => {
                "it has no .note.GNU-stack section, so there is no flag to clear"
            }
            Verdict::Asked => "it is unknown whether its code needs an executable stack",
            Verdict::AskedOnly => "the flag can be cleared only in ELF files",
            Verdict::NotAsked | Verdict::Clean | Verdict::Unknown => "it requests no executable stack",
        }
    }

    /// Returns whether the verdict requires action.
    pub fn is_finding(self) -> bool {
        !matches!(self, Verdict::Clean | Verdict::Unknown)
    }
}

/// Returns whether a file requires action.
pub fn is_finding(verdict: Verdict, facts: &Facts) -> bool {
    verdict.is_finding() || has_more(facts)
}

/// Returns whether a linked file makes trampolines through an interface that is implemented by writing code at run
/// time. An object only calls the interface: the linker decides whether flang's runtime, libgcc or this library
/// implements it.
pub fn makes_code(facts: &Facts) -> bool {
    facts.linked && facts.calls.iter().any(|&call| call != Call::TrampolineSetup)
}

/// Returns whether a file has findings besides its verdict.
pub fn has_more(facts: &Facts) -> bool {
    let is_broken = facts.tables.iter().any(|table| matches!(table.state, State::Broken(_)));
    let other = facts.text_relocations || !facts.writable_code.is_empty() || makes_code(facts);
    is_broken || other && facts.outside.is_none()
}
