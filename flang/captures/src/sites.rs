//! Promises for individual calls. For a procedure without an explicit interface, each call has its own promise, because
//! a TARGET in one call does not affect the others. The positions of the calls come from HLFIR (`lowered.rs`).
//!
//! A line of the list has the form `CALLEE@FUNCTION:LINE:COLUMN 1 3 of 4`, with the symbols and the number of arguments
//! in LLVM IR. `CALLEE` is `*` for a call through a dummy procedure. The words `none` or `none of 4` make no promise.
//! The list contains all calls to the callee in a function or none, so that the plugin can detect a call whose position
//! has changed.

use super::interface::{Argument, Interface, Returns};
use super::lowered::{Callee, Operand, Position, Site, llvm_symbol};
use super::passed::{is_keeper, passes_keeper};
use super::promises::{Analysis, External};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The promise for the calls at one position.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Promise {
    /// Positions of arguments in LLVM IR, counted from 1.
    numbers: BTreeSet<usize>,
    /// The number of arguments in LLVM IR, if it is known and equal for all calls at the position.
    count: Option<usize>,
}

impl Promise {
    fn none() -> Self {
        Promise { numbers: BTreeSet::new(), count: None }
    }

    /// Returns the promise that holds for both calls.
    fn and(&self, other: &Promise) -> Self {
        if self.count != other.count {
            return Promise::none();
        }
        Promise { numbers: &self.numbers & &other.numbers, count: self.count }
    }
}

/// The declarations that apply to a call.
struct Declared<'a> {
    interfaces: Vec<&'a Option<Interface>>,
    /// Whether a scope declares the procedure without an explicit interface.
    is_implicit: bool,
}

impl<'a> Declared<'a> {
    fn new(external: &'a External) -> Self {
        Declared {
            interfaces: external.interfaces.iter().collect(),
            is_implicit: !external.implicit.is_empty(),
        }
    }
}

/// The procedures that a call through a dummy procedure may reach.
struct Passed<'a> {
    /// Whether the files pass a procedure that may keep its arguments regardless of its interfaces.
    has_keeper: bool,
    /// The source names in the user's list.
    own: &'a HashSet<String>,
}

/// Returns the lines for the calls. `lines` are the lines of the list for all calls to a procedure, and `own` are the
/// source names in the user's list.
pub fn lines(
    analysis: &Analysis<'_>,
    sites: &[Site],
    lines: &[String],
    own: &HashSet<String>,
) -> Vec<String> {
    let passed = Passed { has_keeper: passes_keeper(analysis, own), own };
    // The callee and the calling function of the calls, and the promise at each position. `None`: a position is unknown.
    let mut groups: BTreeMap<(String, &str), Option<BTreeMap<Position, Promise>>> = BTreeMap::new();
    // Positions of other calls that may become calls to the callee, or move to its calls. A call through an unknown
    // value may become a call to any procedure.
    let mut unpromised: HashSet<(&str, Option<Position>)> = HashSet::new();
    for site in sites {
        let callee = match &site.callee {
            Callee::Symbol(symbol) => llvm_symbol(symbol),
            Callee::Dummy(..) | Callee::Unknown => "*".into(),
        };
        if site.callee == Callee::Unknown {
            unpromised.insert((&site.function, site.position));
        }
        unpromised.extend(site.parts.iter().map(|it| (site.function.as_str(), Some(*it))));
        let promise =
            promise(analysis, site, &passed).filter(|_| site.parts.is_empty()).unwrap_or(Promise::none());
        let group = groups.entry((callee, &site.function)).or_insert_with(|| Some(BTreeMap::new()));
        match (site.position, group.as_mut()) {
            (Some(position), Some(group)) => {
                let joined = group.get(&position).map_or_else(|| promise.clone(), |it| it.and(&promise));
                group.insert(position, joined);
            }
            _ => *group = None,
        }
    }
    let is_complete = |callee: &str| {
        let name = callee.strip_suffix('_').unwrap_or(callee);
        lines.iter().any(|line| line == callee || line == name)
    };
    let is_symbol =
        |it: &str| !it.contains(|c: char| c.is_whitespace() || "@#:".contains(c)) && !it.is_empty();
    let mut found = Vec::new();
    for ((callee, function), group) in groups {
        let Some(group) = group.filter(|_| is_symbol(&callee) && is_symbol(function)) else { continue };
        let is_unknown = |it| unpromised.contains(&(function, it));
        if is_complete(&callee) || is_unknown(None) {
            continue;
        }
        let promised =
            |position| if is_unknown(Some(position)) { Promise::none() } else { group[&position].clone() };
        if group.keys().all(|position| promised(*position).numbers.is_empty()) {
            continue;
        }
        for position in group.keys() {
            found.push(line(&callee, function, *position, &promised(*position)));
        }
    }
    found
}

fn line(callee: &str, function: &str, (line, column): Position, promise: &Promise) -> String {
    let numbers = match promise.numbers.is_empty() {
        true => " none".into(),
        false => promise.numbers.iter().fold(String::new(), |text, number| format!("{text} {number}")),
    };
    let count = promise.count.map_or(String::new(), |count| format!(" of {count}"));
    format!("{callee}@{function}:{line}:{column}{numbers}{count}")
}

/// Returns the promise for one call, or `None` if the call is not completely known.
fn promise(analysis: &Analysis<'_>, site: &Site, passed: &Passed<'_>) -> Option<Promise> {
    let (operands, hidden) = (site.operands.as_ref()?, site.hidden?);
    let lengths =
        operands.iter().filter(|it| matches!(it, Operand::Address { has_length: true, .. })).count();
    let count = Some(hidden + operands.len() + lengths);
    let declared = declared(analysis, site, passed)?;
    let mut interfaces: Vec<Vec<Argument>> = Vec::new();
    for interface in &declared.interfaces {
        let interface = interface.as_ref().filter(|it| it.returns != Returns::Address)?;
        let passed = interface.arguments.iter().filter(|it| **it != Argument::AlternateReturn);
        interfaces.push(passed.copied().collect());
        if interfaces.last()?.len() != operands.len() {
            return None;
        }
    }
    if interfaces.is_empty() && !declared.is_implicit {
        return None;
    }
    let is_promised = |index: usize| {
        let is_plain = match &operands[index] {
            Operand::Address { names: Some(names), .. } => {
                !names.iter().any(|it| analysis.facts.asynchronous.contains(it))
            }
            _ => false,
        };
        let by_interface = |it: &Vec<Argument>| match it[index] {
            Argument::Data { promised, descriptor } => match &operands[index] {
                Operand::Address { .. } => promised,
                Operand::Descriptor => promised || descriptor,
                _ => false,
            },
            _ => false,
        };
        interfaces.iter().all(by_interface) && (is_plain || !declared.is_implicit)
    };
    let numbers = (0..operands.len()).filter(|it| is_promised(*it)).map(|it| hidden + it + 1).collect();
    Some(Promise { numbers, count })
}

/// Returns the declarations of the called procedure, or `None` if no promise may be made for it.
fn declared<'a>(analysis: &'a Analysis<'_>, site: &Site, passed: &Passed<'_>) -> Option<Declared<'a>> {
    let facts = &analysis.facts;
    match &site.callee {
        Callee::Unknown => None,
        Callee::Symbol(symbol) => match symbol.strip_prefix("_QP") {
            Some(name) => {
                let is_foreign = facts.called_elsewhere.contains(name) && !analysis.is_kept(name);
                let is_in_c = facts.bindings.contains(&format!("{name}_"));
                (is_foreign && !is_in_c).then(|| facts.externals.get(name).map(Declared::new)).flatten()
            }
            None => {
                let (name, interface) = facts.module_procedures.get(symbol)?;
                (!analysis.is_module_procedure_kept(symbol, name))
                    .then(|| Declared { interfaces: vec![interface], is_implicit: false })
            }
        },
        Callee::Dummy(index, count) => {
            if passed.has_keeper || facts.bindings.contains(&site.function) {
                return None;
            }
            let mut interfaces = Vec::new();
            for dummies in facts.functions.get(&site.function)? {
                let dummy = dummies.get(*index).filter(|_| dummies.len() == *count)?;
                if dummy.names.iter().any(|it| is_keeper(analysis, passed.own, it)) {
                    return None;
                }
                interfaces.extend(&dummy.interfaces);
            }
            Some(Declared { interfaces, is_implicit: false })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::promises::{Facts, File};

    fn data(promised: bool) -> Argument {
        Argument::Data { promised, descriptor: true }
    }

    fn interface(arguments: &[Argument]) -> Option<Interface> {
        Some(Interface { arguments: arguments.into(), returns: Returns::InRegisters })
    }

    fn variable(name: Option<&str>) -> Operand {
        Operand::Address { names: name.map(|it| vec![it.into()]), has_length: false }
    }

    fn site(callee: &str, line: u32, operands: Vec<Operand>) -> Site {
        Site {
            function: "test_".into(),
            callee: Callee::Symbol(callee.into()),
            position: Some((line, 3)),
            parts: vec![],
            operands: Some(operands),
            hidden: Some(0),
        }
    }

    /// Returns the lines for calls to `f`, which has these declarations.
    fn of(interfaces: Vec<Option<Interface>>, is_implicit: bool, sites: &[Site]) -> Vec<String> {
        let mut facts = Facts::default();
        let implicit = if is_implicit { vec![Returns::InRegisters] } else { Vec::new() };
        facts.externals.insert("f".into(), External { interfaces, implicit });
        facts.called_elsewhere.insert("f".into());
        facts.asynchronous.insert("later".into());
        let (files, keeps): (Vec<File>, _) = Default::default();
        let mut analysis = Analysis::new(&files, &keeps);
        analysis.facts = facts;
        lines(&analysis, sites, &[], &HashSet::new())
    }

    #[test]
    fn a_target_in_one_call_does_not_affect_another_position() {
        let calls = [
            site("_QPf", 1, vec![variable(Some("x")), Operand::Register]),
            site("_QPf", 2, vec![variable(None), Operand::Register]),
            site("_QPf", 3, vec![variable(Some("x")), Operand::Register]),
            site("_QPf", 3, vec![variable(None), Operand::Register]),
            site("_QPf", 4, vec![variable(Some("later")), Operand::Register]),
            site("_QPf", 5, vec![variable(Some("x"))]),
            site("_QPf", 5, vec![variable(Some("x")), variable(Some("x"))]),
        ];
        assert_eq!(
            of(vec![], true, &calls),
            [
                "f_@test_:1:3 1 of 2",
                "f_@test_:2:3 none of 2",
                "f_@test_:3:3 none of 2",
                "f_@test_:4:3 none of 2",
                "f_@test_:5:3 none"
            ]
        );
        assert!(of(vec![], true, &calls[1..5]).is_empty());
    }

    #[test]
    fn an_unknown_position_or_callee_prevents_promises() {
        let plain = || vec![variable(Some("x"))];
        let unknown = |position| Site { callee: Callee::Unknown, position, ..site("", 1, vec![]) };
        let lost = Site { position: None, ..site("_QPf", 1, plain()) };
        assert!(of(vec![], true, &[site("_QPf", 1, plain()), lost]).is_empty());
        assert!(of(vec![], true, &[site("_QPf", 1, plain()), unknown(None)]).is_empty());
        assert!(of(vec![], true, &[site("_QPf", 1, plain()), unknown(Some((1, 3)))]).is_empty());
        assert_eq!(
            of(vec![], true, &[site("_QPf", 1, plain()), unknown(Some((2, 3)))]),
            ["f_@test_:1:3 1 of 1"]
        );
        assert!(of(vec![], true, &[site("f_", 1, plain())]).is_empty());
        let included =
            Site { parts: vec![(1, 3), (7, 3)], position: Some((0, 0)), ..site("_QPf", 7, plain()) };
        let calls = [site("_QPf", 1, plain()), site("_QPf", 2, plain()), included];
        let wanted = ["f_@test_:0:0 none", "f_@test_:1:3 none", "f_@test_:2:3 1 of 1"];
        assert_eq!(of(vec![], true, &calls), wanted);
    }

    #[test]
    fn an_explicit_interface_takes_precedence_and_alternate_returns_are_not_passed() {
        let dummies = [data(true), Argument::AlternateReturn, data(true), data(false), data(false)];
        let call = || {
            site("_QPf", 1, vec![variable(None), variable(None), variable(Some("x")), Operand::Descriptor])
        };
        assert_eq!(of(vec![interface(&dummies)], false, &[call()]), ["f_@test_:1:3 1 2 4 of 4"]);
        assert!(of(vec![interface(&dummies), None], false, &[call()]).is_empty());
        assert!(of(vec![interface(&dummies[1..])], false, &[call()]).is_empty());
        assert!(of(vec![interface(&dummies)], true, &[call()]).is_empty());
    }

    #[test]
    fn hidden_lengths_and_result_addresses_are_counted_as_arguments() {
        let text = Operand::Address { names: Some(vec![]), has_length: true };
        let call = Site { hidden: Some(1), ..site("_QPf", 1, vec![text, variable(Some("x"))]) };
        assert_eq!(of(vec![], true, &[call]), ["f_@test_:1:3 2 3 of 4"]);
    }
}
