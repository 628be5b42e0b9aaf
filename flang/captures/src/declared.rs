//! Declarations of procedures and of dummy procedures in the symbol dump.

use super::interface::{Interface, arguments, interface};
use super::lowered::llvm_symbol;
use super::symbols::{Scope, Symbol, around};

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

/// A dummy argument.
#[derive(Default)]
pub struct Dummy {
    /// The names of the dummy argument and of the procedures or abstract interfaces that its declaration refers to.
    pub names: Vec<String>,
    /// The interfaces that the dummy procedure may have. The element is `None` for a dummy argument that is not a procedure
    /// with an explicit interface.
    pub interfaces: Vec<Option<Interface>>,
}

/// Returns each function that a subprogram's scope may have in LLVM IR, as its symbol and its dummy arguments without
/// alternate returns. The list of dummy arguments is empty if it is not known exactly, as for a subprogram with ENTRY
/// statements. The symbol of a subprogram with BIND(C) does not follow from its name, so such a subprogram has no element.
pub fn functions(scopes: &[Scope], index: usize) -> Vec<(String, Vec<Dummy>)> {
    let scope = &scopes[index];
    let within = scope.parent.map_or(&[][..], |it| &scopes[it].symbols);
    let is_in_c = |name: &str| within.iter().any(|it| it.name == name && it.has("BIND(C)"));
    let entry = format!("Subprogram entry in {} ", scope.name);
    let entries: Vec<&Symbol> = within.iter().filter(|it| it.details.starts_with(&entry)).collect();
    let prefixes = prefixes(scopes, index);
    let mut found = Vec::new();
    for name in entries.iter().map(|it| &it.name).chain([&scope.name]).filter(|it| !is_in_c(it)) {
        for prefix in &prefixes {
            let symbol = llvm_symbol(&format!("{prefix}P{name}"));
            found.push((symbol, if entries.is_empty() { dummies(scopes, index) } else { Vec::new() }));
        }
    }
    found
}

/// Returns the texts that may precede `P` and the name of a subprogram in its symbol in HLFIR: the names of the modules,
/// submodules and hosts. A separate module procedure has the symbol of a procedure of its ancestor module, or of a submodule
/// in between. Returns no text if the form of the symbol is not known.
fn prefixes(scopes: &[Scope], index: usize) -> Vec<String> {
    let mut modules: Vec<&str> = Vec::new();
    let mut hosts: Vec<String> = vec![String::new()];
    for scope in around(scopes, index).skip(1).map(|it| &scopes[it]) {
        match scope.kind.as_str() {
            "Global" => {}
            "Module" => modules.push(&scope.name),
            "Subprogram" if modules.is_empty() => {
                hosts.iter_mut().for_each(|it| *it = format!("F{}{it}", scope.name));
            }
            // Some versions omit the name of the main program.
            "MainProgram" if modules.is_empty() => {
                let name = scope.name.to_lowercase();
                hosts = hosts.iter().flat_map(|it| [format!("F{it}"), format!("F{name}{it}")]).collect();
            }
            _ => return Vec::new(),
        }
    }
    let mut prefixes = Vec::new();
    let mut prefix = "_Q".to_owned();
    if modules.is_empty() {
        prefixes.extend(hosts.iter().map(|it| format!("{prefix}{it}")));
    }
    for (depth, module) in modules.iter().rev().enumerate() {
        prefix += &format!("{}{module}", if depth == 0 { 'M' } else { 'S' });
        prefixes.extend(hosts.iter().map(|it| format!("{prefix}{it}")));
    }
    prefixes
}

/// Returns the dummy arguments of a subprogram's scope, without alternate returns.
fn dummies(scopes: &[Scope], index: usize) -> Vec<Dummy> {
    let scope = &scopes[index];
    let of = |name: &str| {
        let mut dummy = Dummy { names: vec![name.into()], interfaces: vec![None] };
        let mut same = scope.symbols.iter().filter(|it| it.name == name);
        let (Some(symbol), None) = (same.next(), same.next()) else { return dummy };
        let is_plain = || symbol.attributes.iter().all(|it| it == "EXTERNAL" || it == "OPTIONAL");
        match symbol.details.strip_prefix("ProcEntity ") {
            Some(rest) if is_plain() && rest.starts_with(|c: char| c.is_ascii_lowercase()) => {
                dummy.names.extend(rest.split(' ').map(str::to_owned));
                dummy.interfaces = named_interface(scopes, rest);
            }
            None if symbol.details.starts_with("Subprogram isInterface dummy ") => {
                dummy.interfaces = vec![interface(scopes, index, symbol)];
            }
            _ => {}
        }
        dummy
    };
    let own = scope.parent.and_then(|parent| {
        let mut own = scopes[parent]
            .symbols
            .iter()
            .filter(|it| it.name == scope.name && it.details.starts_with("Subprogram "));
        own.next().filter(|_| own.next().is_none())
    });
    let Some((_, listed)) = own.and_then(|it| arguments(&it.details)) else { return Vec::new() };
    let names = listed.iter().map(|it| it.rsplit(' ').next().unwrap_or_default());
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbols::parse;

    #[test]
    fn a_function_has_the_symbol_of_its_procedure_and_of_no_other() {
        const DUMP: &str = "\
Global scope: sourceRange=0 bytes
  apply_ (Subroutine): Subprogram (f)
  host (Subroutine): Subprogram (f)
  step (Subroutine): Subprogram entry in host (g)
  main: MainProgram
  Subprogram scope: apply_ sourceRange=9 bytes
    f, EXTERNAL (Subroutine): Subprogram isInterface dummy (REAL(4) x)
  Subprogram scope: host sourceRange=9 bytes
  Module scope: m sourceRange=9 bytes
    apply (Subroutine): Subprogram (f,n)
    one, BIND(C) (Subroutine): Subprogram bindName:two (f)
    Subprogram scope: apply sourceRange=9 bytes
      Subprogram scope: inner sourceRange=9 bytes
    Subprogram scope: one sourceRange=9 bytes
    Module scope: part sourceRange=9 bytes
      Subprogram scope: apply sourceRange=9 bytes
  MainProgram scope: MAIN sourceRange=9 bytes
    Subprogram scope: inner sourceRange=9 bytes
";
        let scopes = parse(DUMP).unwrap();
        let subprograms = (0..scopes.len()).filter(|&it| scopes[it].kind == "Subprogram");
        let found = subprograms.map(|it| {
            let functions = functions(&scopes, it);
            functions.into_iter().map(|(symbol, dummies)| (symbol, dummies.len())).collect::<Vec<_>>()
        });
        let wanted: &[&[(&str, usize)]] = &[
            &[("apply__", 1)],
            &[("step_", 0), ("host_", 0)],
            &[("_QMmPapply", 2)],
            &[("_QMmFapplyPinner", 0)],
            &[],
            &[("_QMmPapply", 0), ("_QMmSpartPapply", 0)],
            &[("_QFPinner", 0), ("_QFmainPinner", 0)],
        ];
        for (found, wanted) in found.zip(wanted) {
            let wanted: Vec<_> = wanted.iter().map(|it| (it.0.to_owned(), it.1)).collect();
            assert_eq!(found, wanted);
        }
    }
}
