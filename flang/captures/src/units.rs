//! Program units, procedures and interface bodies in flang's dump of the parse tree, and their declarations.

use super::lines::{Line, children};

/// A program unit, procedure or interface body.
#[derive(Debug, PartialEq, Eq)]
pub struct Unit {
    /// The unit's name, preceded by the names of the enclosing units.
    pub path: Vec<String>,
    /// The variables and procedures that the unit itself declares. For a function, this includes the result.
    pub declared: Vec<String>,
}

/// Returns the units that have a name, with their declarations.
pub fn units(lines: &[Line<'_>]) -> Vec<Unit> {
    const BEGIN: [&str; 7] = [
        "SubroutineStmt",
        "FunctionStmt",
        "MpSubprogramStmt",
        "ModuleStmt",
        "SubmoduleStmt",
        "ProgramStmt",
        "BlockDataStmt",
    ];
    let mut units: Vec<Unit> = Vec::new();
    // The units that enclose the current line, with the depth of the statement that begins each.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut is_component = false;
    for (index, line) in lines.iter().enumerate() {
        while open.last().is_some_and(|it| it.0 > line.depth) {
            open.pop();
        }
        let own_name =
            || children(lines, index).iter().find(|it| it.depth == line.depth + 1 && it.nodes == ["Name"]);
        let has = |node: &str| line.nodes.contains(&node);
        if line.nodes.iter().any(|it| BEGIN.contains(it)) {
            let name = if line.nodes.last() == Some(&"Name") {
                line.text
            } else {
                own_name().and_then(|it| it.text)
            };
            if let Some(name) = name {
                open.retain(|it| it.0 != line.depth);
                let mut path: Vec<String> = open.last().map_or(Vec::new(), |it| units[it.1].path.clone());
                path.push(name.into());
                open.push((line.depth, units.len()));
                // The result of a function has the function's name, unless RESULT specifies another name.
                let is_result =
                    has("FunctionStmt") && !children(lines, index).iter().any(|it| it.nodes[0] == "Suffix");
                let declared = if is_result { vec![name.into()] } else { Vec::new() };
                units.push(Unit { path, declared });
            }
        }
        is_component = (is_component || has("ProcComponentDefStmt")) && !has("ProcedureDeclarationStmt");
        if has("EntityDecl") || (has("ProcDecl") && !is_component) {
            let name = own_name().and_then(|it| it.text);
            if let (Some(&(_, unit)), Some(name)) = (open.last(), name) {
                units[unit].declared.push(name.into());
            }
        }
    }
    units
}

/// Returns the ancestor and the name of each submodule.
pub fn submodules(lines: &[Line<'_>]) -> Vec<(String, String)> {
    let statements = (0..lines.len()).filter(|&index| lines[index].nodes.last() == Some(&"SubmoduleStmt"));
    statements
        .filter_map(|index| {
            // The ancestor's name is first, and the submodule's own name is last.
            let mut names = children(lines, index).iter().filter_map(|it| it.text);
            Some((names.next()?.into(), names.next_back()?.into()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::parse;

    #[test]
    fn the_path_of_a_unit_includes_the_enclosing_units() {
        const SUBMODULE: &str = "\
Program -> ProgramUnit -> Submodule
| SubmoduleStmt
| | ParentIdentifier
| | | Name = 'ancestor'
| | | Name = 'parent'
| | Name = 'own'
| SpecificationPart
| | TypeDeclarationStmt
| | | EntityDecl
| | | | Name = 'variable'
| ModuleSubprogramPart
| | ModuleSubprogram -> SeparateModuleSubprogram
| | | MpSubprogramStmt -> Name = 'part'
| | | InternalSubprogramPart
| | | | InternalSubprogram -> SubroutineSubprogram
| | | | | SubroutineStmt
| | | | | | Name = 'inner'
Program -> ProgramUnit -> MainProgram
| ProgramStmt -> Name = 'main'
";
        let tree = parse(SUBMODULE).unwrap();
        let unit = |path: &[&str], declared: &[&str]| Unit {
            path: path.iter().map(|&it| it.into()).collect(),
            declared: declared.iter().map(|&it| it.into()).collect(),
        };
        assert_eq!(tree.submodules, [("ancestor".into(), "own".into())]);
        assert_eq!(
            tree.units,
            [
                unit(&["own"], &["variable"]),
                unit(&["own", "part"], &[]),
                unit(&["own", "part", "inner"], &[]),
                unit(&["main"], &[]),
            ]
        );
    }
}
