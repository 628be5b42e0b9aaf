//! Completeness check of a symbol dump, which has no end marker: the parse tree shows which scopes and variables the
//! dump must contain.

use super::symbols::Scope;
use super::tree::Unit;
use std::collections::HashMap;

/// Finds a program unit, procedure, interface body, variable or module that the dump of symbols lacks.
pub fn missing(units: &[Unit], scopes: &[Scope]) -> Option<String> {
    let is_module = |name: &str| scopes.iter().any(|it| it.kind == "Module" && it.name == name);
    let global = &scopes[0].symbols;
    if let Some(module) = global.iter().find(|it| it.details == "Module" && !is_module(&it.name)) {
        return Some(module.name.clone());
    }
    let is_foreign = |name: &str| global.iter().any(|it| it.name == name && it.is_flagged("ModFile"));
    let around = |index: usize| std::iter::successors(Some(index), |&it| scopes[it].parent);
    // The scopes of this file, in source order.
    let mut found: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, scope) in scopes.iter().enumerate().filter(|(_, it)| has_name(it)) {
        let is_here = !around(index).any(|it| {
            scopes[it].kind == "IntrinsicModules"
                || (scopes[it].kind == "Module"
                    && scopes[it].parent == Some(0)
                    && is_foreign(&scopes[it].name))
        });
        if is_here {
            found.entry(&scope.name).or_default().push(index);
        }
    }
    let mut wanted: HashMap<&str, Vec<&Unit>> = HashMap::new();
    for unit in units {
        wanted.entry(&unit.name).or_default().push(unit);
    }
    for (name, units) in wanted {
        let here = found.get(name).map_or(&[][..], Vec::as_slice);
        if here.len() < units.len() {
            return Some(name.into());
        }
        for (unit, &scope) in units.iter().zip(here) {
            // The variables of a BLOCK construct are in a scope of its own.
            let is_within = |index: usize| around(index).find(|&it| has_name(&scopes[it])) == Some(scope);
            let has = |name: &String| {
                let own = (scope..scopes.len()).filter(|&it| is_within(it));
                own.into_iter().any(|it| scopes[it].symbols.iter().any(|it| it.name == *name))
            };
            if let Some(name) = unit.declared.iter().find(|it| !has(it)) {
                return Some(name.clone());
            }
        }
    }
    None
}

/// Whether a scope belongs to a procedure or a program unit.
fn has_name(scope: &Scope) -> bool {
    ["Subprogram", "Module", "MainProgram", "BlockData"].contains(&scope.kind.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::captures::symbols::parse;

    const DUMP: &str = "\
Global scope: sourceRange=0 bytes
  lib (ModFile): Module
  t (Subroutine): Subprogram ()
  Subprogram scope: t sourceRange=9 bytes
    x size=4 offset=0: ObjectEntity type: REAL(4)
    Block scope: sourceRange=9 bytes
      y size=4 offset=0: ObjectEntity type: REAL(4)
  Module scope: lib sourceRange=9 bytes
    s (Subroutine): Subprogram (REAL(4) x)
    Subprogram scope: s sourceRange=9 bytes
      x size=4 offset=0: ObjectEntity dummy type: REAL(4)
  Subprogram scope: u sourceRange=9 bytes
    Subprogram scope: keep sourceRange=9 bytes
      x, TARGET size=4 offset=0: ObjectEntity dummy type: REAL(4)
";

    #[test]
    fn a_dump_without_its_last_lines_lacks_something() {
        let unit = |name: &str, declared: &[&str]| Unit {
            name: name.into(),
            declared: declared.iter().map(|&it| it.into()).collect(),
        };
        let units = [unit("t", &["x", "y"]), unit("u", &[]), unit("keep", &["x"])];
        let lines: Vec<&str> = DUMP.lines().collect();
        assert_eq!(missing(&units, &parse(DUMP).unwrap()), None);
        for length in 1..lines.len() {
            let scopes = parse(&lines[..length].join("\n")).unwrap();
            assert!(missing(&units, &scopes).is_some(), "{length} lines");
        }
        // A procedure of a module file is not part of this file.
        assert_eq!(missing(&[unit("s", &[])], &parse(DUMP).unwrap()), Some("s".into()));
    }
}
