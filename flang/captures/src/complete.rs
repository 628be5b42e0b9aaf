//! Checks that a symbol dump is complete. The dump has no end marker, but the parse tree indicates which scopes and
//! variables the dump must contain.

use super::symbols::{Scope, around, is_foreign};
use super::tree::Tree;
use super::units::Unit;
use std::collections::HashMap;

/// Finds a program unit, a procedure, an interface body, a variable or a module that is in the parse tree but missing
/// from the dump of symbols.
pub fn missing(tree: &Tree, scopes: &[Scope]) -> Option<String> {
    let is_module = |name: &str| scopes.iter().any(|it| it.kind == "Module" && it.name == name);
    let global = &scopes[0].symbols;
    if let Some(module) = global.iter().find(|it| it.details == "Module" && !is_module(&it.name)) {
        return Some(module.name.clone());
    }
    // The scopes of this file, by path. Scopes with the same path are in source order.
    let mut found: HashMap<Vec<&str>, Vec<usize>> = HashMap::new();
    for (index, _) in scopes.iter().enumerate().filter(|(_, it)| has_name(it)) {
        let is_intrinsic = around(scopes, index).any(|it| scopes[it].kind == "IntrinsicModules");
        if !is_intrinsic && !is_foreign(scopes, index, &tree.submodules) {
            found.entry(path(scopes, index)).or_default().push(index);
        }
    }
    let mut wanted: HashMap<Vec<&str>, Vec<&Unit>> = HashMap::new();
    for unit in &tree.units {
        wanted.entry(unit.path.iter().map(String::as_str).collect()).or_default().push(unit);
    }
    for (path, units) in wanted {
        let here = found.get(&path).map_or(&[][..], Vec::as_slice);
        if here.len() < units.len() {
            return path.last().map(|&name| name.into());
        }
        for (unit, &scope) in units.iter().zip(here) {
            // The variables of a BLOCK construct are in a separate scope.
            let is_within =
                |index: usize| around(scopes, index).find(|&it| has_name(&scopes[it])) == Some(scope);
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

/// Returns the names of the program unit, of each enclosing scope, and of the scope itself, in this order. A submodule
/// is a separate program unit, although its scope is inside the scope of its parent.
fn path(scopes: &[Scope], index: usize) -> Vec<&str> {
    let mut names = Vec::new();
    for scope in around(scopes, index).map(|it| &scopes[it]).filter(|it| has_name(it) && !it.name.is_empty())
    {
        names.push(scope.name.as_str());
        if scope.kind == "Module" {
            break;
        }
    }
    names.reverse();
    names
}

/// Returns whether a scope belongs to a procedure or a program unit.
fn has_name(scope: &Scope) -> bool {
    ["Subprogram", "Module", "MainProgram", "BlockData"].contains(&scope.kind.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbols::parse;

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
    Module scope: elsewhere sourceRange=9 bytes
      Subprogram scope: s sourceRange=9 bytes
      Module scope: part sourceRange=9 bytes
        Subprogram scope: s sourceRange=9 bytes
          z size=4 offset=0: ObjectEntity type: REAL(4)
  Subprogram scope: u sourceRange=9 bytes
    Subprogram scope: keep sourceRange=9 bytes
      x, TARGET size=4 offset=0: ObjectEntity dummy type: REAL(4)
";

    fn tree(units: &[(&[&str], &[&str])]) -> Tree {
        let all = |names: &[&str]| names.iter().map(|&it| it.into()).collect();
        Tree {
            units: units.iter().map(|it| Unit { path: all(it.0), declared: all(it.1) }).collect(),
            submodules: vec![("lib".into(), "part".into())],
            ..Tree::default()
        }
    }

    #[test]
    fn a_truncated_dump_is_incomplete() {
        // The dump lists a submodule inside its parent, so its units are in a different order.
        let tree = tree(&[
            (&["t"], &["x", "y"]),
            (&["u"], &[]),
            (&["u", "keep"], &["x"]),
            (&["part"], &[]),
            (&["part", "s"], &["z"]),
        ]);
        let lines: Vec<&str> = DUMP.lines().collect();
        assert_eq!(missing(&tree, &parse(DUMP).unwrap()), None);
        for length in 1..lines.len() {
            let scopes = parse(&lines[..length].join("\n")).unwrap();
            assert!(missing(&tree, &scopes).is_some(), "{length} lines");
        }
    }

    #[test]
    fn procedures_in_modules_of_other_files_are_not_counted() {
        for path in [&["s"][..], &["lib", "s"], &["elsewhere", "s"]] {
            assert_eq!(missing(&tree(&[(path, &[])]), &parse(DUMP).unwrap()), Some("s".into()), "{path:?}");
        }
    }
}
