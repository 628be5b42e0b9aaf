//! Finds the source locations of Rust function declarations by path.

use super::{Address, Debug, Dwarf, Sections, Unit, directory_of, file_name, text_of, with_units};
use gimli::AttributeValue;
use std::collections::{BTreeMap, BTreeSet};

/// Name of the function in `src/diagnosis/names.rs` that is instantiated for each bound closure's type. It has no path,
/// because function names in debug information have none. If the function is renamed, this constant must also be
/// changed.
const FOR_CLOSURE: &str = "fill_bound_closure_record";

/// Maximum nesting depth of the namespaces to search.
const DEEPEST: usize = 64;

/// Finds a source location (directory, file and line) for each item of `wanted`: an address and, optionally, a function
/// name. If the function at the address is an instance of `fill_bound_closure_record` for a closure, finds the
/// closure's declaration; otherwise, finds the declaration of the function with the given name.
pub fn declared(
    sections: &Sections<'_>,
    wanted: &[(Address, Option<String>)],
) -> (Vec<Option<String>>, Debug) {
    let addresses: Vec<Address> = wanted.iter().map(|(address, _)| *address).collect();
    let mut debug = Debug::in_sections(sections, &addresses);
    let paths: Vec<Option<String>> = wanted
        .iter()
        .zip(&debug.origins)
        .map(|((_, name), origin)| {
            origin.closure.as_deref().or(name.as_deref().map(path_of)).map(str::to_owned)
        })
        .collect();
    let mut found: BTreeMap<String, Option<String>> = BTreeMap::new();
    let sought = Sought::of(paths.iter().flatten());
    if !sought.paths.is_empty() {
        debug.whole &= with_units(sections, |dwarf, unit, _| _ = sought.in_unit(dwarf, unit, &mut found));
    }
    (paths.into_iter().map(|path| found.get(&path?).cloned().flatten()).collect(), debug)
}

/// Returns the path of the closure for which a library function was instantiated: `a::main::{closure#0}` for
/// `fill_bound_closure_record<Typed<(i32), Bare<a::main::{closure_env#0}>>>`. Ignores closures in that closure's
/// parameter types.
///
/// In the library's own wrappers, the wrapped type is the last type parameter. In other wrappers, such as `Box`, it is
/// the first.
pub(super) fn closure_in(name: &str) -> Option<String> {
    let (path, parameters) = arguments(name)?;
    let mut ty = *parameters.last().filter(|_| path == FOR_CLOSURE)?;
    loop {
        ty = ty.trim_start_matches('&').trim_start();
        ty = ty.strip_prefix("mut ").unwrap_or(ty);
        let (path, parameters) = arguments(ty).unwrap_or((ty, vec![]));
        if path.contains(['<', '>', '(', '[', ' ', ',', '*', '&']) {
            return None; // no path
        }
        if let Some((around, number)) = path.rsplit_once("{closure_env#") {
            return number.ends_with('}').then(|| format!("{around}{{closure#{number}"));
        }
        ty = match path.starts_with("statictramp::") {
            true => parameters.last()?,
            false => parameters.first()?,
        };
    }
}

/// Returns the path of a bound function: its name without generic parameters and wrappers.
fn path_of(mut name: &str) -> &str {
    loop {
        match arguments(name) {
            Some(("ByMut" | "Once" | "Unwind", parameters)) if !parameters.is_empty() => name = parameters[0],
            Some((path, _)) => return path,
            None => return name,
        }
    }
}

/// Splits a name into its generic parameters and the part before them. Returns `None` if the name does not end with
/// generic parameters.
fn arguments(name: &str) -> Option<(&str, Vec<&str>)> {
    let (path, rest) = name.split_once('<')?;
    let (mut depth, mut start, mut before) = (0usize, 0, ' ');
    let mut found = vec![];
    for (at, character) in rest.char_indices() {
        match character {
            '<' | '(' | '[' => depth += 1,
            '>' if before == '-' => {} // the arrow of a function's result
            '>' if depth == 0 => {
                found.push(rest[start..at].trim());
                return (at + 1 == rest.len()).then_some((path, found));
            }
            '>' | ')' | ']' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                found.push(rest[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
        before = character;
    }
    None
}

/// Joins a file name to the directory that it is relative to.
pub fn within(directory: Option<&str>, file: &str) -> String {
    match directory.filter(|_| !file.starts_with('/')) {
        Some(directory) => format!("{}/{}", directory.trim_end_matches('/'), file.trim_start_matches("./")),
        None => file.to_owned(),
    }
}

struct Sought<'w> {
    paths: BTreeSet<&'w str>,
    /// The last component of each path.
    last: BTreeSet<&'w str>,
}

impl<'w> Sought<'w> {
    fn of(paths: impl Iterator<Item = &'w String>) -> Self {
        let paths: BTreeSet<&str> = paths.map(String::as_str).collect();
        let last = paths.iter().filter_map(|path| path.rsplit("::").next()).collect();
        Sought { paths, last }
    }

    fn in_unit(
        &self,
        dwarf: &Dwarf<'_>,
        unit: &Unit<'_>,
        found: &mut BTreeMap<String, Option<String>>,
    ) -> gimli::Result<()> {
        let Some(program) = &unit.line_program else { return Ok(()) };
        let header = program.header();
        let mut around: Vec<(isize, String)> = vec![];
        let (mut entries, mut depth) = (unit.entries(), 0isize);
        while let Some((change, entry)) = entries.next_dfs()? {
            depth = depth.saturating_add(change);
            while around.last().is_some_and(|&(at, _)| at >= depth) {
                around.pop();
            }
            let is_namespace = entry.tag() == gimli::DW_TAG_namespace;
            if !is_namespace && entry.tag() != gimli::DW_TAG_subprogram {
                continue;
            }
            let name = entry.attr_value(gimli::DW_AT_name)?.and_then(|value| text_of(dwarf, unit, value));
            let Some(name) = name else { continue };
            if is_namespace {
                if around.len() < DEEPEST {
                    around.push((depth, name));
                }
                continue;
            }
            let plain = name.split('<').next().unwrap_or(&name);
            if !self.last.contains(plain) {
                continue;
            }
            let path: String =
                around.iter().map(|(_, name)| format!("{name}::")).chain([plain.into()]).collect();
            if !self.paths.contains(&*path) {
                continue;
            }
            let Some(AttributeValue::FileIndex(index)) = entry.attr_value(gimli::DW_AT_decl_file)? else {
                continue;
            };
            let line = entry.attr_value(gimli::DW_AT_decl_line)?.and_then(|line| line.udata_value());
            let file = header.file(index).and_then(|file| file_name(dwarf, unit, header, file));
            let (Some(file), Some(line)) = (file, line) else { continue };
            let origin = within(directory_of(unit).as_deref(), &format!("{file}:{line}"));
            // If two locations are found, neither is reported, because either could be wrong.
            found
                .entry(path)
                .and_modify(|known| *known = known.take().filter(|known| *known == origin))
                .or_insert(Some(origin));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{closure_in, path_of, within};

    #[test]
    fn a_closure_path_is_found_in_a_function_name() {
        let bare = |types: &str, closure: &str| {
            format!(
                "fill_bound_closure_record<statictramp::closure::Typed<{types}, statictramp::closure::bound::Bare<{closure}>>>"
            )
        };
        for (name, wanted) in [
            (bare("(i32)", "a::main::{closure_env#3}"), Some("a::main::{closure#3}")),
            (bare("()", "&mut a::f::{closure#0}::{closure_env#1}<i32>"), Some("a::f::{closure#0}::{closure#1}")),
            // The closure's own type, or a parameter's type, contains another closure.
            (bare("(*mut a::main::{closure_env#0})", "a::f::{closure_env#1}"), Some("a::f::{closure#1}")),
            (
                bare("(fn(a::m::{closure_env#2}) -> i32, [u8; 3])", "a::f::{closure_env#0}<a::m::{closure_env#2}, fn() -> i32>"),
                Some("a::f::{closure#0}"),
            ),
            (bare("(i32)", "statictramp::closure::kinds::ByMut<a::{impl#1}::f::{closure_env#0}>"), Some("a::{impl#1}::f::{closure#0}")),
            (bare("(i32)", "alloc::boxed::Box<a::main::{closure_env#0}, alloc::alloc::Global>"), Some("a::main::{closure#0}")),
            // The bound value is not a closure.
            (bare("(i32)", "fn(i32) -> i32"), None),
            (bare("(*mut a::main::{closure_env#0})", "fn(*mut a::main::{closure_env#0}) -> u64"), None),
            (bare("(i32)", "unsafe extern \"C\" fn(*mut a::main::{closure_env#0})"), None),
            (
                bare("(i32)", "alloc::boxed::Box<(dyn core::ops::function::Fn<(a::main::{closure_env#0}), Output=i32> + Send), alloc::alloc::Global>"),
                None,
            ),
            (
                bare("(i32)", "alloc::boxed::Box<dyn core::ops::function::Fn<(a::main::{closure_env#0}), Output=i32>, alloc::alloc::Global>"),
                None,
            ),
            ("fill_bound_closure_record<statictramp_raw::closure::Entry<statictramp::closure::bound::Bare<a::{closure_env#0}>>>".into(), Some("a::{closure#0}")),
            ("fill_bound_closure_record<b::Other<a::{closure_env#0}, i32>>".into(), Some("a::{closure#0}")),
            ("of_another<a::{closure_env#0}>".into(), None),
            ("{closure_env#0".into(), None),
            ("fill_bound_closure_record<{closure_env#0".into(), None),
            ("fill_bound_closure_record<a)>, {closure_env#0}>".into(), None),
            ("fill_bound_closure_record<>".into(), None),
        ] {
            assert_eq!(closure_in(&name).as_deref(), wanted, "{name}");
        }
    }

    #[test]
    fn the_path_of_a_bound_function_is_found() {
        for (name, wanted) in [
            ("a::f", "a::f"),
            ("a::f<u8, fn() -> a::S<i32>>", "a::f"),
            ("ByMut<Unwind<a::f<u8>>>", "a::f"),
            ("a::S<u8>::f", "a::S<u8>::f"),
        ] {
            assert_eq!(path_of(name), wanted);
        }
    }

    #[test]
    fn a_file_name_includes_its_directory() {
        assert_eq!(within(Some("/a/b"), "src/lib.rs:1"), "/a/b/src/lib.rs:1");
        assert_eq!(within(Some("/"), "./c:1"), "/c:1");
        assert_eq!(within(Some("/a/b"), "/c:1"), "/c:1");
        assert_eq!(within(None, "c:1"), "c:1");
    }
}
