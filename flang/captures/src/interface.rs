//! Interfaces of procedures, read from the symbol dump.

use super::symbols::{Scope, Symbol};
use statictramp_capture_rules::{Dummy, Procedure, may_capture};

/// A dummy argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A data object whose address is passed.
    Data {
        promised: bool,
        /// Whether the procedure does not keep the address of the argument's descriptor, if one is passed. No Fortran
        /// variable can keep that address, but a library that is not written in Fortran may keep it.
        descriptor: bool,
    },
    /// A scalar with VALUE that is passed in one register, so no address is passed.
    Register,
    /// A dummy procedure, for which no promise is made.
    Procedure,
    /// An alternate return (`*`), for which nothing is passed, so the later arguments have other positions in the call.
    AlternateReturn,
    /// A value that is passed in an unknown number of registers, so the positions of later arguments in the call are
    /// unknown.
    Shifting,
}

/// How a result is returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    /// There is no result, or the result is returned in registers.
    InRegisters,
    /// The caller passes memory for the result before the arguments.
    InMemory,
    /// The caller passes memory for the result before the arguments, and the procedure also returns the address of that
    /// memory.
    Address,
}

/// An interface that is completely known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    pub arguments: Vec<Argument>,
    pub returns: Returns,
}

/// Returns the interface of a `Subprogram` symbol in a scope, or `None` if any part of the interface is unknown.
pub fn interface(scopes: &[Scope], within: usize, symbol: &Symbol) -> Option<Interface> {
    const KNOWN: [&str; 11] = [
        "EXTERNAL",
        "PUBLIC",
        "PRIVATE",
        "PURE",
        "IMPURE",
        "ELEMENTAL",
        "RECURSIVE",
        "NON_RECURSIVE",
        "MODULE",
        "ABSTRACT",
        "BIND(C)",
    ];
    if symbol.attributes.iter().any(|it| !KNOWN.contains(&it.as_str())) {
        return None;
    }
    let bind_c = symbol.has("BIND(C)");
    let (head, list) = arguments(&symbol.details)?;
    let mut own = scopes
        .iter()
        .filter(|it| it.parent == Some(within) && it.kind == "Subprogram" && it.name == symbol.name);
    let (Some(scope), None) = (own.next(), own.next()) else { return None };
    let arguments = list.into_iter().map(|it| argument(it, scope, bind_c)).collect::<Option<_>>()?;
    Some(Interface { arguments, returns: returns(symbol, head, scope)? })
}

/// Splits a symbol's details into the list of arguments and the text before it.
pub fn arguments(details: &str) -> Option<(&str, Vec<&str>)> {
    let inner = details.strip_suffix(')')?;
    let mut depth = 1;
    let open = inner.char_indices().rev().find(|&(_, c)| {
        depth += i32::from(c == ')') - i32::from(c == '(');
        depth == 0
    })?;
    let (head, inner) = (inner[..open.0].strip_suffix(' ')?, &inner[open.0 + 1..]);
    if head.contains(['"', '\'']) || inner.contains(['"', '\'']) {
        return None; // a parenthesis in the string would be counted
    }
    let mut depth = 0;
    let pieces = inner.split(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth == 0 && c == ','
    });
    Some((head, pieces.filter(|it| !it.is_empty()).collect()))
}

/// Classifies a dummy argument. The list contains the argument as a type and a name, or as `*`.
fn argument(listed: &str, scope: &Scope, bind_c: bool) -> Option<Argument> {
    let name = listed.rsplit(' ').next()?;
    if name == "*" {
        return Some(Argument::AlternateReturn);
    }
    let mut same = scope.symbols.iter().filter(|it| it.name == name);
    let (Some(symbol), None) = (same.next(), same.next()) else { return None };
    if symbol.details.starts_with("ProcEntity") || symbol.details.starts_with("Subprogram isInterface dummy")
    {
        return Some(Argument::Procedure);
    }
    let data = symbol.details.strip_prefix("ObjectEntity dummy type: ")?;
    let (kind, bounds) =
        data.split_once(" shape: ").map_or((data, None), |(kind, bounds)| (kind, Some(bounds)));
    let dummy = dummy(symbol)?;
    if dummy.value {
        let in_register = bounds.is_none() && !symbol.has("OPTIONAL") && is_one_register(kind);
        return Some(if in_register { Argument::Register } else { Argument::Shifting });
    }
    // A library that is not written in Fortran may keep the address of a buffer. A dummy argument may be such a buffer
    // if its type is TYPE(*), or if a directive disables the check of its type. The dump lists such directives in
    // braces.
    let is_buffer = kind == "TYPE(*)" || data.contains('{');
    let of = Procedure { explicit_interface: true, bind_c };
    let descriptor = !(is_buffer || bind_c || dummy.asynchronous || dummy.volatile);
    Some(Argument::Data { promised: !is_buffer && !may_capture(of, dummy), descriptor })
}

/// Returns the attributes of a dummy argument, if all of them are known.
fn dummy(symbol: &Symbol) -> Option<Dummy> {
    let mut dummy = Dummy::DATA;
    for attribute in &symbol.attributes {
        match attribute.as_str() {
            "TARGET" => dummy.target = true,
            "POINTER" => dummy.pointer = true,
            "ASYNCHRONOUS" => dummy.asynchronous = true,
            "VOLATILE" => dummy.volatile = true,
            "VALUE" => dummy.value = true,
            "ALLOCATABLE" | "CONTIGUOUS" | "OPTIONAL" | "INTENT(IN)" | "INTENT(OUT)" | "INTENT(INOUT)" => {}
            _ => return None,
        }
    }
    Some(dummy)
}

/// Returns whether a type is a scalar that fits into one register, such as `INTEGER(4)`.
fn is_one_register(kind: &str) -> bool {
    let Some((name, size)) = kind.split_once('(') else { return false };
    ["INTEGER", "LOGICAL", "REAL"].contains(&name) && ["1)", "2)", "4)", "8)"].contains(&size)
}

/// Determines how a result is returned, from the text that precedes the arguments, such as `Subprogram isInterface
/// result:REAL(4) r, POINTER`, and from the result's symbol in the procedure's scope, which has its shape.
fn returns(symbol: &Symbol, head: &str, scope: &Scope) -> Option<Returns> {
    let Some((_, result)) = head.split_once(" result:") else {
        return (!symbol.is_flagged("Function")).then_some(Returns::InRegisters);
    };
    if result.starts_with("CHARACTER") {
        return Some(Returns::Address);
    }
    let (kind, name) = result.split_once(' ')?;
    if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Some(Returns::InMemory); // an attribute follows
    }
    let is_scalar = !scope.symbols.iter().find(|it| it.name == name)?.details.contains(" shape: ");
    Some(if is_scalar && is_one_register(kind) { Returns::InRegisters } else { Returns::InMemory })
}

/// Determines how a procedure without an explicit interface returns its result. For such a procedure, the dump contains
/// `ProcEntity` and a type.
pub fn implicit_returns(symbol: &Symbol) -> Returns {
    match symbol.details.strip_prefix("ProcEntity ") {
        _ if symbol.is_flagged("Subroutine") => Returns::InRegisters,
        Some(kind) if is_one_register(kind) => Returns::InRegisters,
        // A function of unknown type may return its result in any way.
        _ => Returns::Address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbols::parse;

    /// Returns the interface of `s`. `line` declares `s`, and the scope of `s` contains the symbols in `within`.
    fn found(line: &str, within: &[&str]) -> Option<Interface> {
        let mut text = format!(
            "Global scope: sourceRange=0 bytes\n  {line}\n  Subprogram scope: s sourceRange=0 bytes\n"
        );
        for symbol in within {
            text += &format!("    {symbol}\n");
        }
        let scopes = parse(&text).unwrap();
        interface(&scopes, 0, &scopes[0].symbols[0])
    }

    /// Classifies one argument with these attributes.
    fn one(attributes: &str, kind: &str) -> Option<Argument> {
        let symbol = format!("x{attributes} size=4 offset=0: ObjectEntity dummy type: {kind}");
        let it = found("s, EXTERNAL (Subroutine): Subprogram isInterface (REAL(4) x)", &[&symbol])?;
        Some(it.arguments[0])
    }

    #[test]
    fn an_unknown_attribute_makes_the_interface_unknown() {
        let promised = Some(Argument::Data { promised: true, descriptor: true });
        let kept = Some(Argument::Data { promised: false, descriptor: true });
        let kept_by_library = Some(Argument::Data { promised: false, descriptor: false });
        for attributes in ["", ", INTENT(IN)", ", ALLOCATABLE, OPTIONAL", ", CONTIGUOUS"] {
            assert_eq!(one(attributes, "REAL(4)"), promised, "{attributes}");
        }
        for attributes in [", TARGET", ", INTENT(IN), POINTER", ", CONTIGUOUS, TARGET"] {
            assert_eq!(one(attributes, "REAL(4)"), kept, "{attributes}");
        }
        for attributes in [", ASYNCHRONOUS", ", VOLATILE", ", TARGET, ASYNCHRONOUS"] {
            assert_eq!(one(attributes, "REAL(4)"), kept_by_library, "{attributes}");
        }
        for attributes in [", DEVICE", ", TARGET, NEW"] {
            assert_eq!(one(attributes, "REAL(4)"), None, "{attributes}");
        }
        assert_eq!(one("", "TYPE(*)"), kept_by_library);
        assert_eq!(one("", "REAL(4) {Type,Kind}"), kept_by_library);
        assert_eq!(one(", VALUE", "INTEGER(4)"), Some(Argument::Register));
        assert_eq!(one(", VALUE", "COMPLEX(8)"), Some(Argument::Shifting));
        assert_eq!(one(", OPTIONAL, VALUE", "INTEGER(4)"), Some(Argument::Shifting));
        let x = "x size=4 offset=0: ObjectEntity dummy type: REAL(4)";
        let of = |attributes| {
            found(&format!("s{attributes} (Subroutine): Subprogram isInterface bindName:s (REAL(4) x)"), &[x])
        };
        assert_eq!(of(", BIND(C), EXTERNAL").map(|it| it.arguments[0]), kept_by_library);
        assert_eq!(of(", NEW"), None);
    }

    #[test]
    fn an_argument_list_that_differs_from_its_scope_is_unknown() {
        let x = "x size=4 offset=0: ObjectEntity dummy type: REAL(4)";
        let f = "f, EXTERNAL: ProcEntity";
        let line = |list: &str| format!("s, EXTERNAL (Subroutine): Subprogram isInterface ({list})");
        let all = found(&line("TYPE(pt(k=4_4,l=*)) x,*,f"), &[x, f]).unwrap();
        assert_eq!(
            all.arguments,
            [
                Argument::Data { promised: true, descriptor: true },
                Argument::AlternateReturn,
                Argument::Procedure
            ]
        );
        for (list, within) in
            [("REAL(4) x", vec![]), ("REAL(4) x", vec![x, x]), ("REAL(4) x", vec![f]), ("REAL(4)", vec![x])]
        {
            assert_eq!(found(&line(list), &within), None, "{list} {within:?}");
        }
        for details in [
            "Subprogram isInterface",
            "Subprogram isInterface (REAL(4) x",
            "Subprogram isInterface (REAL(4) x) more",
        ] {
            assert_eq!(found(&format!("s, EXTERNAL (Subroutine): {details}"), &[x]), None, "{details}");
        }
    }

    #[test]
    fn results_in_memory_and_in_registers_are_distinguished() {
        let scalar = "r size=4 offset=0: ObjectEntity funcResult type: REAL(4)";
        let array = "r size=12 offset=0: ObjectEntity funcResult type: REAL(4) shape: 1_8:3_8";
        for (result, of, wanted) in [
            ("REAL(4) r", scalar, Some(Returns::InRegisters)),
            ("REAL(4) r", array, Some(Returns::InMemory)),
            ("REAL(4) r", "x: ObjectEntity type: REAL(4)", None),
            ("REAL(4) r, POINTER", scalar, Some(Returns::InMemory)),
            ("TYPE(t) r", scalar, Some(Returns::InMemory)),
            ("CHARACTER(5_4,1) r", scalar, Some(Returns::Address)),
        ] {
            let line = format!("s, EXTERNAL (Function): Subprogram isInterface result:{result} ()");
            assert_eq!(found(&line, &[of]).map(|it| it.returns), wanted, "{result}, {of}");
        }
        assert_eq!(found("s, EXTERNAL (Function): Subprogram isInterface ()", &[]), None);
    }
}
