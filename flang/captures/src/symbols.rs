//! Parser for flang's symbol dump, which contains scopes and the symbols in each scope.
//!
//! ```text
//! Global scope: size=0 alignment=1 sourceRange=0 bytes
//!   lib (ModFile): Module
//!   Subprogram scope: report size=4 alignment=4 sourceRange=38 bytes
//!     x, INTENT(IN), TARGET size=4 offset=0: ObjectEntity dummy type: REAL(4)
//! ```

/// A scope in the program.
#[derive(Debug)]
pub struct Scope {
    /// The kind of scope: `Module`, `Subprogram` and others.
    pub kind: String,
    /// The name of the scope, which is empty for constructs.
    pub name: String,
    /// Index of the enclosing scope.
    pub parent: Option<usize>,
    pub symbols: Vec<Symbol>,
}

/// A line that describes a symbol.
#[derive(Debug, PartialEq, Eq)]
pub struct Symbol {
    pub name: String,
    /// Attributes such as `TARGET` and `INTENT(IN)`.
    pub attributes: Vec<String>,
    /// Flags such as `Function` and `Implicit`.
    pub flags: Vec<String>,
    /// The rest of the line, such as `ObjectEntity dummy type: REAL(4)`.
    pub details: String,
}

impl Symbol {
    pub fn has(&self, attribute: &str) -> bool {
        self.attributes.iter().any(|it| it == attribute)
    }

    pub fn is_flagged(&self, flag: &str) -> bool {
        self.flags.iter().any(|it| it == flag)
    }
}

/// Parses the dump.
///
/// # Errors
/// Returns an error if any line cannot be parsed.
pub fn parse(text: &str) -> Result<Vec<Scope>, String> {
    let mut scopes: Vec<Scope> = Vec::new();
    // The scopes that enclose the line, outermost first. The symbols of a scope are one level below its header.
    let mut open: Vec<usize> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        let mut rest = line.trim_start_matches(' ');
        let spaces = line.len() - rest.len();
        let depth = spaces / 2;
        if spaces % 2 != 0 && rest.starts_with("size=") {
            // For a blank COMMON, the line begins with a blank instead of a name.
            rest = &line[spaces - 1..];
        } else if spaces % 2 != 0 {
            return Err(line.into());
        }
        if depth > open.len() || (depth == 0) != scopes.is_empty() {
            return Err(line.into());
        }
        open.truncate(depth);
        if let Some((kind, name)) = header(rest) {
            let parent = open.last().copied();
            open.push(scopes.len());
            scopes.push(Scope { kind, name, parent, symbols: Vec::new() });
            continue;
        }
        if rest.starts_with("Equivalence Sets: (") {
            continue;
        }
        let Some(&scope) = open.last() else { return Err(line.into()) };
        scopes[scope].symbols.push(symbol(rest).ok_or(line)?);
    }
    if scopes.is_empty() { Err("no scope".into()) } else { Ok(scopes) }
}

/// Returns the scope and its enclosing scopes, innermost first.
pub fn around(scopes: &[Scope], index: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(index), |&it| scopes[it].parent)
}

/// Returns whether a scope belongs to a module or submodule of another file. `submodules` lists the submodules of this
/// file, each with its ancestor. The scope of a submodule is inside the scope of its parent.
pub fn is_foreign(scopes: &[Scope], index: usize, submodules: &[(String, String)]) -> bool {
    let mut modules = around(scopes, index).filter(|&it| scopes[it].kind == "Module");
    let Some(own) = modules.next() else { return false };
    let name = &scopes[own].name;
    match modules.last() {
        Some(ancestor) => !submodules.iter().any(|it| it.0 == scopes[ancestor].name && it.1 == *name),
        None => {
            let is_read =
                |it: &Symbol| it.name == *name && it.details == "Module" && it.is_flagged("ModFile");
            scopes[0].symbols.iter().any(is_read)
        }
    }
}

/// Parses the kind and the name in a scope's header line.
fn header(line: &str) -> Option<(String, String)> {
    let (kind, rest) = line.split_once(" scope:")?;
    let rest = rest.strip_suffix(" bytes")?;
    let name = rest.split_whitespace().next().filter(|word| !word.contains('='));
    (kind.chars().all(|c| c.is_ascii_alphabetic()) && rest.contains(" sourceRange="))
        .then(|| (kind.into(), name.unwrap_or_default().into()))
}

/// Parses `NAME, ATTRIBUTE, ... (FLAG, ...) size=N offset=N: DETAILS`.
fn symbol(line: &str) -> Option<Symbol> {
    let (name, mut rest) = name(line)?;
    let mut symbol =
        Symbol { name: name.into(), attributes: Vec::new(), flags: Vec::new(), details: "".into() };
    while let Some(after) = rest.strip_prefix(", ") {
        let end = after.find([',', ' ', ':'])?;
        let attribute = &after[..end];
        let is_one = attribute.starts_with(|c: char| c.is_ascii_uppercase())
            && attribute.chars().all(|c| c.is_ascii_uppercase() || "()_".contains(c));
        symbol.attributes.push(is_one.then(|| attribute.into())?);
        rest = &after[end..];
    }
    if let Some(after) = rest.strip_prefix(" (") {
        let (flags, after) = after.split_once(')')?;
        let is_one = |it: &str| it.chars().all(|c| c.is_ascii_alphanumeric());
        symbol.flags = flags.split(", ").map(|it| is_one(it).then(|| it.into())).collect::<Option<_>>()?;
        rest = after;
    }
    for field in [" size=", " offset="] {
        if let Some(after) = rest.strip_prefix(field) {
            rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
        }
    }
    symbol.details = rest.strip_prefix(": ")?.trim_end().into();
    Some(symbol)
}

/// Splits a line into a name, such as `x`, `.c.t` or `operator(==)`, and the rest. A main program may have no name,
/// and a blank COMMON never has one.
fn name(line: &str) -> Option<(&str, &str)> {
    if line.starts_with(": ") || line.starts_with(" size=") {
        return Some(("", line));
    }
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.' || c == '$';
    let end = line.find(|c| !word(c)).filter(|&end| end > 0)?;
    if line[end..].starts_with('(') {
        // The name of an operator contains no space within the parentheses.
        let close = end + line[end..].find(')')?;
        return (!line[..close].contains(' ')).then(|| line.split_at(close + 1));
    }
    Some(line.split_at(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DUMP: &str = "\
Global scope: size=0 alignment=1 sourceRange=0 bytes
  foo, EXTERNAL (Subroutine): ProcEntity
  Module scope: m size=4 alignment=4 sourceRange=9 bytes
    operator(==) (Function): Generic Equal procs: same
    x, INTENT(IN), TARGET (Implicit) size=4 offset=8: ObjectEntity dummy type: REAL(4)
    Equivalence Sets: (a,b)
    DerivedType scope: size=56 alignment=8 instantiation of pt(k=4_4) sourceRange=0 bytes
      kk: TypeParam type:INTEGER(4) Kind init:4_4
  MAIN: MainProgram
  : MainProgram
   size=8 offset=0: CommonBlockDetails alignment=4: a b
  BlockData scope: bd size=0 alignment=1 sourceRange=42 bytes
";

    #[test]
    fn indentation_determines_how_scopes_and_symbols_nest() {
        let scopes = parse(DUMP).unwrap();
        let names: Vec<_> = scopes.iter().map(|it| (it.kind.as_str(), it.name.as_str(), it.parent)).collect();
        assert_eq!(
            names,
            [
                ("Global", "", None),
                ("Module", "m", Some(0)),
                ("DerivedType", "", Some(1)),
                ("BlockData", "bd", Some(0))
            ]
        );
        assert_eq!(scopes[1].symbols[0].name, "operator(==)");
        let x = &scopes[1].symbols[1];
        assert!(x.has("TARGET") && x.has("INTENT(IN)") && x.is_flagged("Implicit"), "{x:?}");
        assert_eq!(x.details, "ObjectEntity dummy type: REAL(4)");
        let common = scopes[0].symbols.last().unwrap();
        assert!(common.name.is_empty() && common.details.starts_with("CommonBlockDetails"), "{common:?}");
    }

    #[test]
    fn an_invalid_line_is_an_error() {
        for line in [
            "  Cray Pointers: (p,q)",
            "  x ObjectEntity",
            "  x, target: ObjectEntity",
            "      x: Misc",
            "x: Misc",
            "   x: Misc",
            "   size=8 offset=0",
        ] {
            assert_eq!(parse(&format!("{DUMP}{line}\n")).unwrap_err(), line);
        }
        assert!(parse("").is_err());
    }
}
