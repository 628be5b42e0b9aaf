//! Parser for flang's parse-tree dump. It finds calls and other uses of names.
//!
//! ```text
//! | | Call
//! | | | ProcedureDesignator -> Name = 'report'
//! | | | ActualArgSpec
//! | | | | ActualArg -> Expr = 'x(1_8)'
//! | | | | | Designator -> DataRef -> ArrayElement
//! | | | | | | DataRef -> Name = 'x'
//! ```

use super::lines::{Line, children, parse_line};
use super::units::{Unit, submodules, units};
use std::collections::HashSet;

/// The calls to procedures by name, and the names that the file contains.
#[derive(Debug, Default)]
pub struct Tree {
    pub calls: Vec<Call>,
    /// The program units, in source order.
    pub units: Vec<Unit>,
    /// Ancestor and name of each submodule.
    pub submodules: Vec<(String, String)>,
    /// Names that are used as values: variables, and procedures that are passed as arguments or assigned to pointers.
    pub values: HashSet<String>,
    /// All words in the program.
    pub words: HashSet<String>,
}

/// A call to a procedure by its own name instead of through a component.
#[derive(Debug, PartialEq, Eq)]
pub struct Call {
    pub name: String,
    /// The enclosing program unit. For a submodule, it is the submodule's ancestor. It is empty for a main program
    /// without a name, and `None` if the dump does not show the unit.
    pub unit: Option<String>,
    pub arguments: Vec<Actual>,
}

/// An actual argument.
#[derive(Debug, PartialEq, Eq)]
pub enum Actual {
    /// The value of an expression, which is a temporary.
    Temporary,
    /// A variable. The strings are all names in its designator, including names of components and names in subscripts.
    Variable(Vec<String>),
    /// The result of the function with this name.
    Result(String),
    /// A label, or a value passed by an extension. No address is passed.
    NoAddress,
    Unknown,
}

/// Parses the dump.
///
/// # Errors
/// Returns an error if any line cannot be parsed.
pub fn parse(text: &str) -> Result<Tree, String> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        let next = parse_line(line).ok_or(line)?;
        if next.depth > lines.last().map_or(0, |last| last.depth + 1) {
            return Err(line.into());
        }
        lines.push(next);
    }
    if lines.is_empty() {
        return Err("no parse tree".into());
    }
    let mut tree = Tree { units: units(&lines), submodules: submodules(&lines), ..Tree::default() };
    let mut designators = 0i64;
    let mut inside = None;
    for (index, line) in lines.iter().enumerate() {
        if line.depth == 0 {
            inside = unit(line, children(&lines, index));
        }
        tree.words.extend(line.text.into_iter().flat_map(words));
        let is_value =
            |node: &&str| ["DataRef", "ProcPointerInit", "InitialDataTarget", "Expr"].contains(node);
        if line.nodes.last() == Some(&"Name") && line.nodes.iter().any(is_value) {
            tree.values.extend(line.text.map(str::to_owned));
        }
        designators += i64::from(line.nodes.contains(&"ProcedureDesignator"));
        if line.nodes.last() == Some(&"Call") {
            designators -= 1; // the call's own designator follows
            tree.calls.extend(call(children(&lines, index), &inside)?);
        }
    }
    if designators != 0 {
        return Err("a call has an unknown form".into());
    }
    Ok(tree)
}

/// Returns the name of the program unit that begins at a line.
fn unit(line: &Line<'_>, below: &[Line<'_>]) -> Option<String> {
    let kind = line.nodes.last()?;
    let depth = match *kind {
        "Module" | "MainProgram" => 1,
        "SubroutineSubprogram" | "FunctionSubprogram" => 2,
        "Submodule" => 3,
        _ => return None,
    };
    let is_name = |it: &&Line<'_>| it.nodes.last() == Some(&"Name") && it.depth == depth;
    let statement = if depth == 1 { "ModuleStmt|ProgramStmt" } else { "Name" };
    match below.iter().find(is_name).filter(|it| statement.contains(it.nodes[0])) {
        Some(name) => name.text.map(str::to_owned),
        None => (*kind == "MainProgram").then(String::new),
    }
}

/// Returns the call that these child lines describe, if the call is by name.
fn call(lines: &[Line<'_>], unit: &Option<String>) -> Result<Option<Call>, String> {
    let Some(first) = lines.first().filter(|it| it.nodes[0] == "ProcedureDesignator") else {
        return Err("a call without a procedure".into());
    };
    let mut arguments = Vec::new();
    for (index, line) in lines.iter().enumerate().skip(1).filter(|(_, it)| it.depth == first.depth) {
        if line.nodes[0] != "ActualArgSpec" {
            return Err(format!("a call's {}", line.nodes[0]));
        }
        let below = children(lines, index);
        let argument = below.iter().position(|it| it.nodes[0] == "ActualArg");
        arguments.push(match argument {
            Some(at) => actual(&below[at], children(below, at)),
            None => Actual::Unknown,
        });
    }
    Ok(match (&first.nodes[..], first.text) {
        (["ProcedureDesignator", "Name"], Some(name)) => {
            Some(Call { name: name.into(), unit: unit.clone(), arguments })
        }
        _ => None,
    })
}

fn actual(line: &Line<'_>, below: &[Line<'_>]) -> Actual {
    let text = match (&line.nodes[..], line.text) {
        (["ActualArg", "Expr"], Some(text)) => text,
        _ => return Actual::NoAddress,
    };
    let Some(first) = below.first() else { return Actual::Unknown };
    match first.nodes[0] {
        "Designator" => {
            let names = below.iter().filter(|it| it.nodes.last() == Some(&"Name")).map(|it| it.text);
            names
                .map(|name| name.map(str::to_owned))
                .collect::<Option<_>>()
                .map_or(Actual::Unknown, Actual::Variable)
        }
        "LiteralConstant" | "Parentheses" | "ArrayConstructor" | "StructureConstructor" => Actual::Temporary,
        // These are operators for intrinsic types. For an overloaded operator, the text contains the function's name.
        // The result of such a function may be a pointer.
        "UnaryPlus" | "Negate" | "Add" | "Subtract" | "Multiply" | "Divide" | "Power" | "Concat" | "NOT"
        | "AND" | "OR" | "EQV" | "NEQV" | "LT" | "LE" | "EQ" | "NE" | "GE" | "GT"
            if !is_reference(text) =>
        {
            Actual::Temporary
        }
        "FunctionReference" => match below.get(1).map(|it| (&it.nodes[..], it.text)) {
            Some((["ProcedureDesignator", "Name"], Some(name))) => Actual::Result(name.into()),
            _ => Actual::Unknown,
        },
        _ => Actual::Unknown,
    }
}

/// Returns whether a text consists only of a function's name and its arguments, as in `plus(a,b)`.
fn is_reference(text: &str) -> bool {
    let Some(start) = text.find(|c: char| !c.is_ascii_alphanumeric() && !"_%$".contains(c)) else {
        return true;
    };
    if start == 0 || !text[start..].starts_with('(') {
        return false;
    }
    let mut depth = 0;
    for (at, c) in text[start..].char_indices() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if depth == 0 {
            return start + at + 1 == text.len();
        }
    }
    true
}

/// Returns the words of a text that may be names.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|it| !it.is_empty())
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = "\
Program -> ProgramUnit -> SubroutineSubprogram
| SubroutineStmt
| | Name = 'unit'
| ExecutionPart -> Block
| | CallStmt = 'CALL foo(x(i),d%p,(z),z+1._4,plus(d,d),*10,f(x),bar)'
| | | Call
| | | | ProcedureDesignator -> Name = 'foo'
| | | | ActualArgSpec
| | | | | ActualArg -> Expr = 'x(i)'
| | | | | | Designator -> DataRef -> ArrayElement
| | | | | | | DataRef -> Name = 'x'
| | | | | | | SectionSubscript -> Integer -> Expr = 'i'
| | | | | | | | Designator -> DataRef -> Name = 'i'
| | | | ActualArgSpec
| | | | | ActualArg -> Expr = '(z)'
| | | | | | Parentheses -> Expr = 'z'
| | | | | | | Designator -> DataRef -> Name = 'z'
| | | | ActualArgSpec
| | | | | ActualArg -> Expr = 'z+1._4'
| | | | | | Add
| | | | | | | Expr = 'z'
| | | | | | | | Designator -> DataRef -> Name = 'z'
| | | | ActualArgSpec
| | | | | ActualArg -> Expr = 'plus(d,d)'
| | | | | | Add
| | | | ActualArgSpec
| | | | | ActualArg -> AltReturnSpec -> uint64_t = '10'
| | | | ActualArgSpec
| | | | | Keyword -> Name = 'k'
| | | | | ActualArg -> Expr = 'f(x)'
| | | | | | FunctionReference -> Call
| | | | | | | ProcedureDesignator -> Name = 'f'
| | | | ActualArgSpec
| | | | | ActualArg -> Expr = 'bar'
| | | | | | Designator -> DataRef -> Name = 'bar'
";

    #[test]
    fn calls_and_arguments_are_found() {
        let tree = parse(TREE).unwrap();
        let variable = |names: &[&str]| Actual::Variable(names.iter().map(|&it| it.into()).collect());
        assert_eq!(
            tree.calls,
            [
                Call {
                    name: "foo".into(),
                    unit: Some("unit".into()),
                    arguments: vec![
                        variable(&["x", "i"]),
                        Actual::Temporary,
                        Actual::Temporary,
                        Actual::Unknown,
                        Actual::NoAddress,
                        Actual::Result("f".into()),
                        variable(&["bar"]),
                    ]
                },
                Call { name: "f".into(), unit: Some("unit".into()), arguments: vec![] },
            ]
        );
        assert!(tree.values.contains("bar") && !tree.values.contains("foo") && tree.words.contains("plus"));
    }

    #[test]
    fn an_invalid_tree_is_an_error() {
        for line in [
            "| | | | | | | | Name = 'x'",
            "| -- ",
            "| Name = 'x",
            "| Chevrons -> ProcedureDesignator -> Name = 'x'",
        ] {
            assert!(parse(&format!("{TREE}{line}\n")).is_err(), "{line}");
        }
        assert!(parse("").is_err());
        assert!(parse("Program\n| Call -> ProcedureDesignator -> Name = 'f'\n").is_err());
    }
}
