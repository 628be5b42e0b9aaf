//! Values in a procedure's HLFIR: the variables to which an address belongs, and the targets of calls.

use super::lowered::Callee;
use std::collections::HashMap;

/// The values of one procedure.
#[derive(Default)]
pub struct Values<'a> {
    /// For each value: the operation that defines it, without the result.
    definitions: HashMap<&'a str, &'a str>,
    /// The procedure's parameters, and whether each is the procedure's first argument for variables of the host.
    parameters: Vec<(&'a str, bool)>,
}

/// Attributes with which a variable's address may be kept.
const KEPT: [&str; 4] = ["target", "pointer", "asynchronous", "volatile"];

impl<'a> Values<'a> {
    /// Reads a procedure's parameters from its header.
    pub fn new(header: &'a str) -> Self {
        let pieces = header.split('%').skip(1);
        let parameters = pieces.filter_map(|piece| {
            let (name, rest) = piece.split_once(": ")?;
            Some((name, rest.contains("fir.host_assoc")))
        });
        Values { definitions: HashMap::new(), parameters: parameters.collect() }
    }

    /// Records the definition of a value, such as `%1:2`.
    pub fn define(&mut self, result: &'a str, operation: &'a str) {
        self.definitions.insert(value_name(result), operation);
    }

    fn definition(&self, value: &str) -> Option<(&'a str, &'a str)> {
        let operation = self.definitions.get(value_name(value))?;
        operation.split_once(' ').or_else(|| operation.split_once('('))
    }

    fn parameter(&self, value: &str) -> Option<usize> {
        let name = value_name(value).strip_prefix('%')?;
        self.parameters.iter().position(|it| it.0 == name)
    }

    /// Returns whether a value is the address of the host's variables.
    fn is_host(&self, value: &str) -> bool {
        self.parameter(value).is_some_and(|index| self.parameters[index].1)
    }

    /// Returns the target of a call through a value.
    pub fn callee(&self, value: &str) -> Callee {
        let mut value = value;
        loop {
            let Some((operation, rest)) = self.definition(value) else { return Callee::Unknown };
            let first = first(rest);
            match operation {
                "fir.convert" => value = first,
                "fir.box_addr" => {
                    let count = self.parameters.iter().filter(|it| !it.1).count();
                    return match self.parameter(first) {
                        Some(index) => Callee::Dummy(index, count),
                        None => Callee::Unknown,
                    };
                }
                _ => {
                    let symbol =
                        operation.strip_prefix("fir.address_of(@").and_then(|it| it.strip_suffix(')'));
                    return symbol.map_or(Callee::Unknown, |it| Callee::Symbol(it.trim_matches('"').into()));
                }
            }
        }
    }

    /// Returns the names of the variables to which an address belongs. The list is empty for a temporary. Returns `None`
    /// if the address is unknown or if a variable may be a TARGET or a POINTER.
    pub fn variables(&self, value: &str) -> Option<Vec<String>> {
        let mut names = Vec::new();
        let mut value = value;
        loop {
            if self.parameter(value).is_some() {
                return (!names.is_empty() && !self.is_host(value)).then_some(names);
            }
            let (operation, rest) = self.definition(value)?;
            if operation.starts_with("fir.address_of(") {
                return (!names.is_empty()).then_some(names);
            }
            match operation {
                "hlfir.declare" => {
                    names.push(variable(rest)?);
                    if is_kept(rest) {
                        return None;
                    }
                }
                "hlfir.designate" if is_kept(rest) => return None,
                "fir.box_addr" if is_pointer(rest) => return None,
                "fir.load" => {
                    let base = first(rest);
                    let is_captured = || {
                        let (operation, rest) = self.definition(base)?;
                        (operation == "fir.coordinate_of" && self.is_host(first(rest))).then_some(())
                    };
                    if !names.is_empty() && is_captured().is_some() {
                        return Some(names);
                    }
                    let (_, ty) = rest.split_once(" : ")?;
                    let is_allocatable = ty.starts_with("!fir.ref<!fir.box<!fir.heap<")
                        || ty.starts_with("!fir.ref<!fir.class<!fir.heap<");
                    if !is_allocatable {
                        return None;
                    }
                }
                "hlfir.designate" | "fir.box_addr" | "fir.convert" | "fir.embox" | "fir.rebox"
                | "fir.emboxchar" | "fir.unboxchar" | "fir.coordinate_of" | "fir.array_coor"
                | "hlfir.copy_in" => {}
                "fir.alloca" | "hlfir.associate" => return Some(names),
                _ => return None,
            }
            value = first(rest);
        }
    }
}

/// Returns the name of a value without the number of a result, as in `%1#0`, or the number of results, as in `%1:2`.
fn value_name(value: &str) -> &str {
    value.split(['#', ':']).next().unwrap_or_default()
}

/// Returns the first operand in a text.
fn first(text: &str) -> &str {
    let start = text.find('%').unwrap_or(text.len());
    let is_name = |c: char| c.is_ascii_alphanumeric() || "%_#$.-".contains(c);
    let end = text[start..].find(|c: char| !is_name(c)).map_or(text.len(), |it| start + it);
    &text[start..end]
}

/// Returns the source name of a declared variable.
fn variable(declaration: &str) -> Option<String> {
    let (_, rest) = declaration.split_once("uniq_name = \"")?;
    let (name, _) = rest.split_once('"')?;
    name.rsplit(|c: char| c.is_ascii_uppercase()).next().map(str::to_owned)
}

/// Returns whether a declaration or the selection of a component has an attribute with which the address may be kept.
fn is_kept(text: &str) -> bool {
    let Some((_, rest)) = text.split_once("fortran_attrs = #fir.var_attrs<") else { return false };
    let attributes = rest.split('>').next().unwrap_or_default();
    attributes.split(", ").any(|it| KEPT.contains(&it))
}

/// Returns whether the operand of `fir.box_addr` is the descriptor of a pointer.
fn is_pointer(text: &str) -> bool {
    let Some((_, ty)) = text.split_once(" : (") else { return true };
    ty.starts_with("!fir.box<!fir.ptr<") || ty.starts_with("!fir.class<!fir.ptr<")
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "%arg0: !fir.ref<f32> {fir.bindc_name = \"t\", fir.target} loc(\"a\":1:1), %arg1: !fir.ref<tuple<i32>> {fir.host_assoc} loc(\"a\":1:1)) {";

    fn names(lines: &[(&'static str, &'static str)], value: &str) -> Option<Vec<String>> {
        let mut values = Values::new(HEADER);
        lines.iter().for_each(|it| values.define(it.0, it.1));
        values.variables(value)
    }

    const OF_X: (&str, &str) = ("%1:2", "hlfir.declare %0 {uniq_name = \"_QFtestEx\"} : (!fir.ref<f32>)");
    const OF_T: (&str, &str) = (
        "%1:2",
        "hlfir.declare %0 {fortran_attrs = #fir.var_attrs<target>, uniq_name = \"_QFtestEt\"} : (!fir.ref<f32>)",
    );
    const STACK: (&str, &str) = ("%0", "fir.alloca f32 {bindc_name = \"x\"} loc(#loc)");

    #[test]
    fn a_part_of_a_variable_has_the_attributes_of_the_whole() {
        let part = ("%2", "hlfir.designate %1#0{\"r\"}   : (!fir.ref<f32>) -> !fir.ref<f32> loc(#loc)");
        let again = ("%3:2", "hlfir.declare %2 {uniq_name = \"_QFtestEa\"} : (!fir.ref<f32>)");
        let converted = ("%4", "fir.convert %3#1 : (!fir.ref<f32>) -> !fir.ref<i32> loc(#loc)");
        assert_eq!(names(&[STACK, OF_X, part, again, converted], "%4"), Some(vec!["a".into(), "x".into()]));
        assert_eq!(names(&[STACK, OF_T, part, again, converted], "%4"), None);
        let pointer = (
            "%2",
            "hlfir.designate %1#0{\"p\"}   {fortran_attrs = #fir.var_attrs<pointer>} : (!fir.ref<f32>)",
        );
        assert_eq!(names(&[STACK, OF_X, pointer, again], "%3#0"), None);
    }

    #[test]
    fn only_the_memory_of_an_allocatable_is_followed_through_a_load() {
        let load =
            |ty| (ty, ("%3", "fir.box_addr %2 : (!fir.box<!fir.heap<f32>>) -> !fir.heap<f32> loc(#loc)"));
        for (ty, is_known) in [
            ("fir.load %1#0 : !fir.ref<!fir.box<!fir.heap<f32>>> loc(#loc)", true),
            ("fir.load %1#0 : !fir.ref<!fir.box<!fir.ptr<f32>>> loc(#loc)", false),
            ("fir.load %1#0 : !fir.ref<!fir.ref<f32>> loc(#loc)", false),
        ] {
            let (load, address) = load(ty);
            assert_eq!(names(&[STACK, OF_X, ("%2", load), address], "%3").is_some(), is_known, "{ty}");
        }
        let pointer = ("%3", "fir.box_addr %1 : (!fir.box<!fir.ptr<f32>>) -> !fir.ptr<f32> loc(#loc)");
        assert_eq!(names(&[STACK, OF_X, pointer], "%3"), None);
    }

    #[test]
    fn unknown_operations_and_undeclared_parameters_are_unknown() {
        assert_eq!(names(&[], "%arg0"), None);
        assert_eq!(names(&[("%0", "fir.if %1 -> (!fir.ref<f32>) {"), OF_X], "%1#0"), None);
        assert_eq!(names(&[("%0", "fir.address_of(@_QMmEx) : !fir.ref<f32>")], "%0"), None);
        assert_eq!(
            names(&[("%0", "fir.address_of(@_QMmEx) : !fir.ref<f32>"), OF_X], "%1#1"),
            Some(vec!["x".into()])
        );
        let host = (
            "%5",
            "fir.coordinate_of %arg1, %c0 : (!fir.ref<tuple<i32>>, i32) -> !fir.llvm_ptr<!fir.ref<f32>>",
        );
        let load = ("%0", "fir.load %5 : !fir.llvm_ptr<!fir.ref<f32>> loc(#loc)");
        assert_eq!(names(&[host, load, OF_X], "%1#0"), Some(vec!["x".into()]));
        assert_eq!(names(&[host, load, OF_T], "%1#0"), None);
        assert_eq!(names(&[host, load], "%0"), None);
        assert_eq!(names(&[("%0", "hlfir.associate %9 {adapt.valuebyref} : (f32)")], "%0#1"), Some(vec![]));
    }
}
