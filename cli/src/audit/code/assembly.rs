//! Assembly source files, and the directive that makes each assembler write the stack note.

/// An assembly source file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assembly {
    pub name: String,
    /// Whether the file is for NASM or YASM, which reject GNU `as` directives.
    nasm: bool,
}

impl Assembly {
    /// `producer` is the assembler named in debug information.
    pub fn new(name: String, producer: Option<&str>) -> Self {
        let nasm = match producer {
            Some(producer) => is_nasm(producer),
            None => ends_in(&name, &["asm", "nasm"]),
        };
        Assembly { name, nasm }
    }

    /// Recognises an assembly source file named in a symbol table by its extension.
    pub fn named(name: &str) -> Option<Self> {
        ends_in(name, &["s", "S", "sx", "asm", "nasm"]).then(|| Assembly::new(name.to_owned(), None))
    }

    /// Returns the source line that makes the assembler write the note.
    pub fn note(&self) -> &'static str {
        if self.nasm { NASM_NOTE } else { NOTE }
    }
}

/// The source line that makes GNU `as` and compatible assemblers write the note.
pub const NOTE: &str = ".section .note.GNU-stack,\"\",%progbits";
const NASM_NOTE: &str = "section .note.GNU-stack noalloc noexec nowrite progbits";

fn is_nasm(producer: &str) -> bool {
    let producer = producer.to_ascii_lowercase();
    producer.starts_with("nasm") || producer.starts_with("yasm")
}

fn ends_in(name: &str, ends: &[&str]) -> bool {
    name.rsplit_once('.').is_some_and(|(_, end)| ends.contains(&end))
}
