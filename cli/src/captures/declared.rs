//! Declarations of procedures and of dummy procedures in the symbol dump.

use super::interface::{Interface, arguments, interface};
use super::symbols::{Scope, Symbol};

/// Returns the interfaces that a declaration such as `procedure(like) :: f` may refer to. `reference` is `like` or `like ->
/// original`. If the procedure was renamed, its original name comes last. Every symbol with the original name, in any
/// scope, must be an interface.
pub fn named_interface(scopes: &[Scope], reference: &str) -> Vec<Option<Interface>> {
    let other = reference.rsplit(' ').next().unwrap_or_default();
    let mut found = Vec::new();
    for (index, scope) in scopes.iter().enumerate() {
        let is_elsewhere =
            |it: &&Symbol| it.details.starts_with("HostAssoc") || it.details.starts_with("Use from ");
        for symbol in scope.symbols.iter().filter(|it| it.name == other && !is_elsewhere(it)) {
            let is_interface = symbol.details.starts_with("Subprogram");
            found.push(is_interface.then(|| interface(scopes, index, symbol)).flatten());
        }
    }
    if found.is_empty() { vec![None] } else { found }
}

/// Returns the interfaces of each dummy argument of a subprogram's scope, without alternate returns. A dummy argument that
/// is not a procedure with an explicit interface has the interface `None`.
pub fn dummy_procedures(scopes: &[Scope], index: usize) -> Vec<Vec<Option<Interface>>> {
    let scope = &scopes[index];
    let unknown = || vec![None];
    let of = |name: &str| {
        let mut same = scope.symbols.iter().filter(|it| it.name == name);
        let (Some(symbol), None) = (same.next(), same.next()) else { return unknown() };
        let is_plain = || symbol.attributes.iter().all(|it| it == "EXTERNAL" || it == "OPTIONAL");
        match symbol.details.strip_prefix("ProcEntity ") {
            Some(rest) if is_plain() && rest.starts_with(|c: char| c.is_ascii_lowercase()) => {
                named_interface(scopes, rest)
            }
            None if symbol.details.starts_with("Subprogram isInterface dummy ") => {
                vec![interface(scopes, index, symbol)]
            }
            _ => unknown(),
        }
    };
    let own = scope.parent.and_then(|parent| {
        let mut own = scopes[parent]
            .symbols
            .iter()
            .filter(|it| it.name == scope.name && it.details.starts_with("Subprogram "));
        own.next().filter(|_| own.next().is_none())
    });
    let Some((_, dummies)) = own.and_then(|it| arguments(&it.details)) else { return Vec::new() };
    let names = dummies.iter().map(|it| it.rsplit(' ').next().unwrap_or_default());
    names.filter(|&it| it != "*").map(of).collect()
}

/// Returns the names of the dummy arguments of a subprogram's scope.
pub fn listed_dummies(scopes: &[Scope], index: usize) -> Vec<&str> {
    let scope = &scopes[index];
    let Some(parent) = scope.parent.filter(|_| scope.kind == "Subprogram") else { return Vec::new() };
    let entry = format!(" entry in {} ", scope.name);
    let own = scopes[parent].symbols.iter().filter(|it| {
        it.details.starts_with("Subprogram") && (it.name == scope.name || it.details.contains(&entry))
    });
    own.flat_map(|it| it.details.rsplit(" (").next().unwrap_or_default().split([',', ' ', ')'])).collect()
}

/// Returns whether a subprogram's parent scope has a symbol for it.
pub fn has_symbol(scopes: &[Scope], scope: &Scope) -> bool {
    scope.parent.is_some_and(|parent| {
        scopes[parent].symbols.iter().any(|it| it.name == scope.name && it.details.starts_with("Subprogram"))
    })
}
