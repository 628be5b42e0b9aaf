//! What follows from what a file asks for and what its code does.

use super::file::{Asks, Facts};
use super::patterns::{self, Maker};

/// The answer for one file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It neither asks nor needs.
    Clean,
    /// It asks for an executable stack, and code in it writes trampolines.
    Needed,
    /// It asks, and nothing was found that needs it.
    AskedOnly,
    /// It does not ask, and code in it writes trampolines: a crash when it gets there.
    NotAsked,
    /// It says nothing, so that others decide.
    SaysNothing,
    /// It asks, and for its processor there are no patterns.
    Asked,
    /// There is no machine code to judge by.
    Unknown,
}

impl Verdict {
    pub fn of(facts: &Facts) -> Self {
        let writes = !facts.writes.is_empty() || facts.calls.contains(&"__trampoline_setup");
        match facts.asks {
            _ if facts.not_compiled => Verdict::Unknown,
            Asks::Yes if writes => Verdict::Needed,
            Asks::Yes if !patterns::known(facts.machine) => Verdict::Asked,
            Asks::Yes => Verdict::AskedOnly,
            Asks::No if writes => Verdict::NotAsked,
            Asks::No => Verdict::Clean,
            Asks::SaysNothing if writes => Verdict::Needed,
            Asks::SaysNothing => Verdict::SaysNothing,
        }
    }

    /// One word, for programs.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Clean => "clean",
            Verdict::Needed => "needed",
            Verdict::AskedOnly => "asked-only",
            Verdict::NotAsked => "not-asked",
            Verdict::SaysNothing => "says-nothing",
            Verdict::Asked => "asked",
            Verdict::Unknown => "unknown",
        }
    }

    /// One sentence, for people.
    pub fn sentence(self) -> &'static str {
        match self {
            Verdict::Clean => "needs no executable stack and asks for none",
            Verdict::Needed => "needs an executable stack: its code writes trampolines there",
            Verdict::AskedOnly => "asks for an executable stack, but no code was found that needs it",
            Verdict::NotAsked => {
                "writes trampolines on the stack without asking for an executable one: it will crash there"
            }
            Verdict::SaysNothing => {
                "does not say whether it needs an executable stack, so that linker, kernel and C library decide"
            }
            Verdict::Asked => {
                "asks for an executable stack; whether it needs that cannot be told for this processor"
            }
            Verdict::Unknown => "cannot be judged: there is no machine code in it",
        }
    }

    /// Whether a copy that does not ask is worth a try.
    pub fn may_be_cleared(self) -> bool {
        self == Verdict::AskedOnly
    }
}

/// What to do about it, a line each.
pub fn advice(verdict: Verdict, facts: &Facts) -> Vec<&'static str> {
    let mut lines = Vec::new();
    match verdict {
        Verdict::Needed | Verdict::NotAsked => {
            let by = |maker| {
                facts.writes.iter().any(|written| written.maker == maker || written.maker == Maker::Either)
            };
            if by(Maker::Gcc) {
                lines.push(
                    "GCC 14 and later: compile with -ftrampoline-impl=heap and link with -lstatictramp",
                );
                lines.push(
                    "older GCC: give the function its context by statictramp_bind instead of nesting it",
                );
            }
            if by(Maker::Llvm) {
                lines.push("flang 19 and later: compile with -fpass-plugin=libstatictramp_flang.so and link with -lstatictramp");
            }
        }
        Verdict::AskedOnly if facts.linked => {
            lines.push("find the object without .note.GNU-stack (audit the objects and archives it was linked from), or");
            lines.push("audit --clear writes a copy that does not ask: run its tests with that");
        }
        Verdict::AskedOnly | Verdict::SaysNothing if !facts.linked => {
            lines.push("assembly: add .section .note.GNU-stack,\"\",@progbits");
            lines.push("or link with -z noexecstack, if nothing else in the program needs it");
        }
        Verdict::SaysNothing => lines.push("link it again with -z noexecstack"),
        Verdict::Unknown if facts.not_compiled => lines.push("audit what it is linked into"),
        _ => {}
    }
    if facts.calls.contains(&"__gcc_nested_func_ptr_created") {
        lines.push("calls GCC's heap trampolines, for which libgcc wants memory that is writable and executable; -lstatictramp does not");
    }
    if facts.calls.iter().any(|call| call.starts_with("_Fortran")) {
        lines.push("calls flang's trampolines, for which its runtime writes code at run time; -lstatictramp does not");
    }
    if facts.calls.contains(&"__trampoline_setup") {
        lines.push("calls __trampoline_setup, which writes a trampoline on the stack");
    }
    lines
}
