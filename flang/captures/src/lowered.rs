//! Parser for the procedure calls in flang's high-level intermediate representation (HLFIR). Unlike the dump of the
//! parse tree, HLFIR contains the source position of each call, which flang also writes to the line tables.
//!
//! ```text
//! func.func @_QPtest(%arg0: !fir.ref<f32> {fir.bindc_name = "t", fir.target} loc("a.f90":1:1)) {
//!   %1:2 = hlfir.declare %arg0 {fortran_attrs = #fir.var_attrs<target>, uniq_name = "_QFtestEt"} : ... loc(#loc2)
//!   fir.call @_QPreport(%1#0) fastmath<contract> : (!fir.ref<f32>) -> () loc(#loc3)
//! #loc3 = loc("a.f90":3:3)
//! ```

use super::values::Values;
use std::collections::HashMap;

/// Line and column in the source file or in a file that it includes.
pub type Position = (u32, u32);

/// A procedure call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The symbol of the procedure that contains the call, as in LLVM IR.
    pub function: String,
    pub callee: Callee,
    /// The position in the line tables.
    pub position: Option<Position>,
    /// The positions from which `position` was computed, if the call is in an included file.
    pub parts: Vec<Position>,
    /// The actual arguments, or `None` if they are unknown.
    pub operands: Option<Vec<Operand>>,
    /// The number of arguments that precede the actual arguments in LLVM IR, or `None` if it is unknown.
    pub hidden: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Callee {
    /// The symbol of the called procedure, as in HLFIR.
    Symbol(String),
    /// The calling procedure's dummy argument with this index, and the number of its dummy arguments.
    Dummy(usize, usize),
    Unknown,
}

/// An actual argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A number that is passed in one register.
    Register,
    Procedure,
    /// The address of a variable or of a temporary.
    Address {
        /// Names of the variables to which the address belongs, or `None` if a variable may be a TARGET or POINTER.
        names: Option<Vec<String>>,
        /// Whether the length of a CHARACTER is passed after all arguments.
        has_length: bool,
    },
    /// The address of a descriptor.
    Descriptor,
}

/// Returns the calls in a dump.
///
/// # Errors
/// Returns an error if a call has an unknown form.
pub fn parse(text: &str) -> Result<Vec<Site>, String> {
    let locations = locations(text);
    let mut sites = Vec::new();
    let mut values = Values::default();
    let mut function = None;
    for line in text.lines() {
        let operation = line.trim_start();
        if let Some(header) = operation.strip_prefix("func.func ").filter(|it| it.ends_with('{')) {
            let (_, rest) = header.split_once('@').ok_or(line)?;
            let (name, rest) = symbol(rest).ok_or(line)?;
            values = Values::new(rest);
            function = Some(llvm_symbol(name));
            continue;
        }
        if line.starts_with("  }") {
            function = None;
        }
        let Some(function) = &function else { continue };
        let (result, operation) = match operation.split_once(" = ").filter(|it| it.0.starts_with('%')) {
            Some((result, operation)) => (Some(result), operation),
            None => (None, operation),
        };
        if operation.starts_with("\"fir.call\"") || operation.starts_with("\"fir.dispatch\"") {
            return Err(line.into());
        }
        if operation.starts_with("fir.call ") || operation.starts_with("fir.dispatch ") {
            let location =
                operation.rsplit_once(" loc(").and_then(|it| it.1.strip_suffix(')')).unwrap_or_default();
            let parts =
                locations.get(location).cloned().unwrap_or_else(|| position(location).into_iter().collect());
            sites.push(site(function.clone(), operation, parts, &values));
        }
        if let Some(result) = result {
            values.define(result, operation);
        }
    }
    Ok(sites)
}

/// Returns the symbol that a procedure has in LLVM IR.
pub fn llvm_symbol(symbol: &str) -> String {
    symbol.strip_prefix("_QP").map_or_else(|| symbol.into(), |name| format!("{name}_"))
}

/// Returns the named locations. A location in an included file consists of the positions of the call and of each `include`
/// line: `#loc9 = loc(fused<...>[#loc1, #loc2])`.
fn locations(text: &str) -> HashMap<&str, Vec<Position>> {
    let mut locations = HashMap::new();
    let lines = text.lines().filter_map(|line| line.split_once(" = loc("));
    let mut fused: Vec<(&str, Vec<&str>)> = Vec::new();
    for (name, location) in lines.filter(|it| it.0.starts_with("#loc")) {
        let Some(location) = location.strip_suffix(')') else { continue };
        if let Some(position) = position(location) {
            locations.insert(name, vec![position]);
        } else if let Some((_, parts)) = location.strip_suffix(']').and_then(|it| it.rsplit_once('[')) {
            fused.push((name, parts.split(", ").collect()));
        }
    }
    for (name, parts) in fused {
        // A part that is fused itself is unknown, so the whole is unknown.
        let parts: Option<Vec<Vec<Position>>> = parts.iter().map(|it| locations.get(it).cloned()).collect();
        if let Some(parts) = parts.filter(|it| it.iter().all(|it| it.len() == 1)) {
            locations.insert(name, parts.concat());
        }
    }
    locations
}

/// Returns the position that flang writes to the line tables for a location with these parts. Parts on different lines result
/// in line 0.
fn merged(parts: &[Position]) -> Option<Position> {
    let first = parts.first()?;
    let is_same = |of: fn(&Position) -> u32| parts.iter().all(|it| of(it) == of(first));
    Some(match (is_same(|it| it.0), is_same(|it| it.1)) {
        (true, true) => *first,
        (true, false) => (first.0, 0),
        _ => (0, 0),
    })
}

/// Parses `"FILE":LINE:COLUMN`.
fn position(text: &str) -> Option<Position> {
    let mut parts = text.rsplitn(3, ':');
    let (column, line, file) = (parts.next()?, parts.next()?, parts.next()?);
    let is_position = file.starts_with('"') && file.ends_with('"') && file.len() > 1;
    Some((line.parse().ok()?, column.parse().ok()?)).filter(|it: &Position| is_position && it.0 != 0)
}

/// Splits a text after `@` into the symbol and the rest after the opening parenthesis.
fn symbol(text: &str) -> Option<(&str, &str)> {
    match text.strip_prefix('"') {
        Some(quoted) => quoted.split_once("\"("),
        None => text.split_once('('),
    }
}

fn site(function: String, operation: &str, parts: Vec<Position>, values: &Values<'_>) -> Site {
    let position = merged(&parts);
    let parts = if parts.len() > 1 { parts } else { Vec::new() };
    let mut site = Site { function, callee: Callee::Unknown, position, parts, operands: None, hidden: None };
    let Some(call) = operation.strip_prefix("fir.call ") else { return site };
    let (callee, rest) = match call.strip_prefix('@') {
        Some(direct) => match symbol(direct) {
            Some((name, rest)) => (Callee::Symbol(name.into()), rest),
            None => return site,
        },
        None => match call.split_once('(') {
            Some((value, rest)) => (values.callee(value), rest),
            None => return site,
        },
    };
    site.callee = callee;
    let Some((operands, types, attributes, result)) = signature(rest) else { return site };
    if operands.len() != types.len() || attributes.contains("bind_c") {
        return site;
    }
    site.operands = operands.iter().zip(types).map(|(value, ty)| operand(value, ty, values)).collect();
    site.hidden = hidden(result);
    site
}

/// Splits `OPERANDS) ATTRIBUTES : (TYPES) -> RESULT loc(...)`.
fn signature(text: &str) -> Option<(Vec<&str>, Vec<&str>, &str, &str)> {
    let (operands, rest) = closed(text)?;
    let (attributes, rest) = rest.split_once(": (")?;
    let (types, rest) = closed(rest)?;
    let (result, _) = rest.strip_prefix(" -> ")?.rsplit_once(" loc(")?;
    Some((list(operands), list(types), attributes, result))
}

/// Splits a text at the parenthesis that closes an earlier one.
fn closed(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0;
    text.char_indices().find_map(|(at, c)| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        (depth < 0).then(|| (&text[..at], &text[at + 1..]))
    })
}

/// Splits a list at the commas outside brackets.
fn list(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let mut before = ' ';
    let items = text.split(|c: char| {
        let is_arrow = before == '-' && c == '>';
        before = c;
        depth += i32::from("(<[{".contains(c)) - i32::from(")>]}".contains(c) && !is_arrow);
        depth == 0 && c == ','
    });
    items.map(str::trim).filter(|it| !it.is_empty()).collect()
}

/// Classifies an actual argument by its type. Returns `None` if it may be passed in several registers.
fn operand(value: &str, ty: &str, values: &Values<'_>) -> Option<Operand> {
    const NUMBERS: [&str; 8] = ["i1", "i8", "i16", "i32", "i64", "index", "f32", "f64"];
    let starts = |with: &str| ty.starts_with(with);
    if NUMBERS.contains(&ty) || starts("!fir.logical<") {
        return Some(Operand::Register);
    }
    if starts("!fir.boxproc<") {
        return Some(Operand::Procedure);
    }
    if starts("!fir.box<")
        || starts("!fir.class<")
        || starts("!fir.ref<!fir.box<")
        || starts("!fir.ref<!fir.class<")
    {
        return Some(Operand::Descriptor);
    }
    let has_length = starts("!fir.boxchar<");
    let is_address = has_length || starts("!fir.ref<") || starts("!fir.heap<");
    is_address.then(|| Operand::Address { names: values.variables(value), has_length })
}

/// Returns the number of arguments that precede the actual arguments, for a result of this type.
fn hidden(result: &str) -> Option<usize> {
    const IN_REGISTERS: [&str; 9] = ["()", "i1", "i8", "i16", "i32", "i64", "index", "f32", "f64"];
    if IN_REGISTERS.contains(&result) || result.starts_with("!fir.logical<") {
        return Some(0);
    }
    let in_memory = ["!fir.array<", "!fir.type<", "!fir.box<", "!fir.class<"];
    in_memory.iter().any(|it| result.starts_with(it)).then_some(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "module {\n  func.func @_QPtest(%arg0: !fir.ref<f32> {fir.bindc_name = \"t\", fir.target} loc(\"a b.f90\":1:1), \
                          %arg1: !fir.boxproc<() -> ()> loc(\"a b.f90\":1:1)) {\n";
    const DEFINITIONS: &str = "\
    %0 = fir.alloca f32 {bindc_name = \"x\"} loc(#loc2)
    %1:2 = hlfir.declare %0 {uniq_name = \"_QFtestEx\"} : (!fir.ref<f32>) -> (!fir.ref<f32>, !fir.ref<f32>) loc(#loc2)
    %2:2 = hlfir.declare %arg0 dummy_scope %9 {fortran_attrs = #fir.var_attrs<intent_in, target>, uniq_name = \"_QFtestEt\"} : (!fir.ref<f32>, !fir.dscope) -> (!fir.ref<f32>, !fir.ref<f32>) loc(#loc2)
    %3 = fir.address_of(@_QPother) : (!fir.ref<i32>) -> () loc(#loc3)
    %4 = fir.convert %3 : ((!fir.ref<i32>) -> ()) -> ((!fir.ref<f32>) -> ()) loc(#loc3)
    %5 = fir.box_addr %arg1 : (!fir.boxproc<() -> ()>) -> ((!fir.ref<f32>) -> f32) loc(#loc3)
";
    const END: &str = "    return loc(#loc3)\n  } loc(#loc2)\n} loc(#loc)\n#loc = loc(unknown)\n#loc2 = loc(\"a b.f90\":2:5)\n#loc3 = loc(\"a b.f90\":3:7)\n#loc4 = loc(fused[#loc4, #loc3])\n\
                       #loc5 = loc(fused<#fir<loc_kind_array[ base,  inclusion]>>[#loc2, #loc3])\n#loc6 = loc(fused[#loc3, #loc3])\n";

    /// Returns the only call in a procedure with this line.
    fn one(line: &str) -> Site {
        let mut sites = parse(&format!("{HEADER}{DEFINITIONS}    {line}\n{END}")).unwrap();
        assert_eq!(sites.len(), 1, "{line}");
        sites.remove(0)
    }

    fn address(name: Option<&str>) -> Operand {
        Operand::Address { names: name.map(|it| vec![it.into()]), has_length: false }
    }

    #[test]
    fn callee_position_and_arguments_of_a_call_are_found() {
        let site = one(
            "%6 = fir.call @_QPreport(%1#0, %2#1, %arg1, %7, %8) fastmath<contract> : (!fir.ref<f32>, !fir.ref<f32>, \
             !fir.boxproc<() -> ()>, i32, !fir.box<!fir.array<?xf32>>) -> !fir.array<3xf32> loc(#loc3)",
        );
        assert_eq!(
            site,
            Site {
                function: "test_".into(),
                callee: Callee::Symbol("_QPreport".into()),
                position: Some((3, 7)),
                parts: vec![],
                operands: Some(vec![
                    address(Some("x")),
                    address(None),
                    Operand::Procedure,
                    Operand::Register,
                    Operand::Descriptor
                ]),
                hidden: Some(1),
            }
        );
        let callee = |value: &str| {
            one(&format!("fir.call {value}(%1#0) : (!fir.ref<f32>) -> () loc(\"i\":9:1)")).callee
        };
        assert_eq!(callee("%4"), Callee::Symbol("_QPother".into()));
        assert_eq!(callee("%5"), Callee::Dummy(1, 2));
        assert_eq!(callee("%1"), Callee::Unknown);
        assert_eq!(callee("@\"a b\""), Callee::Symbol("a b".into()));
    }

    #[test]
    fn an_unknown_form_leaves_the_arguments_unknown() {
        for line in [
            "fir.call @_QPf(%1#0) : (!fir.ref<f32>, i32) -> () loc(#loc3)",
            "fir.call @_QPf(%1#0) : (complex<f32>) -> () loc(#loc3)",
            "fir.call @_QPf(%1#0) proc_attrs<bind_c> : (!fir.ref<f32>) -> () loc(#loc3)",
            "fir.call @_QPf(%1#0) {is_bind_c} : (!fir.ref<f32>) -> () loc(#loc3)",
            "fir.dispatch \"f\"(%1#0 : !fir.ref<f32>) (%1#0 : !fir.ref<f32>) loc(#loc3)",
        ] {
            let site = one(line);
            assert_eq!((site.operands, site.position), (None, Some((3, 7))), "{line}");
        }
        for location in ["#loc", "#loc4", "#loc9", "unknown", "\"a\":0:0", "\"a\":1:2 to :3"] {
            let site = one(&format!("fir.call @_QPf(%1#0) : (!fir.ref<f32>) -> () loc({location})"));
            assert_eq!(site.position, None, "{location}");
        }
        for (location, position) in [("#loc5", (0, 0)), ("#loc6", (3, 7))] {
            let site = one(&format!("fir.call @_QPf(%1#0) : (!fir.ref<f32>) -> () loc({location})"));
            assert_eq!((site.position, site.parts.len()), (Some(position), 2), "{location}");
        }
        assert_eq!(one("%8 = fir.call @_QPf() : () -> complex<f32> loc(#loc3)").hidden, None);
        assert_eq!(one("%8 = fir.call @_QPf() : () -> !fir.boxchar<1> loc(#loc3)").hidden, None);
        assert!(
            parse(&format!("{HEADER}    \"fir.call\"(%1) : (!fir.ref<f32>) -> () loc(#loc3)\n{END}"))
                .is_err()
        );
    }
}
