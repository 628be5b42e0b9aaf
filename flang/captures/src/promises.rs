//! Derives the list of arguments that procedures do not keep. The list follows from the rules of the language, and
//! covers all files that one command compiles.

use super::declared::{Dummy, functions, has_symbol, listed_dummies, named_interface};
use super::interface::{Argument, Interface, Returns, implicit_returns, interface};
use super::symbols::{Scope, Symbol, is_foreign};
use super::tree::{Actual, Call, Tree};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// A source file: its parse tree and its symbols.
pub struct File {
    pub tree: Tree,
    pub scopes: Vec<Scope>,
}

/// Name prefixes of library procedures that, according to the libraries' documentation, keep addresses regardless of
/// their interfaces.
const KEEPERS: [&str; 14] = [
    "mpi_",
    "pmpi_",
    "shmem_",
    "nfmpi_",
    "nf90mpi_",
    "adios_",
    "adios2_",
    "ga_nb",
    "nga_nb",
    "armci_nb",
    "dfftw_",
    "sfftw_",
    "lfftw_",
    "fftw_f77_",
];

/// Parts of such names. PETSc's procedures with these parts, such as `VecPlaceArray`, use the caller's array as the
/// storage of an object.
const KEEPERS_PARTS: [&str; 2] = ["placearray", "witharray"];

/// Names of two pseudo program units: one for the components of types, and one for all program units together. No real
/// program unit has such a name.
const COMPONENTS: &str = "%";
const ALL: &str = "*";

/// C functions that compiled code may call, and that return an address they were passed.
const RETURNING: [&str; 5] = ["memcpy", "memmove", "memset", "realloc", "mempcpy"];

/// The arguments that a procedure does not keep.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Promise {
    Nothing,
    Everything,
    /// Arguments by number, counted from 1.
    Arguments(BTreeSet<usize>),
}

/// The declarations of an external procedure.
#[derive(Default)]
pub struct External {
    pub interfaces: Vec<Option<Interface>>,
    /// How the procedure returns its result, for each scope without an explicit interface.
    pub implicit: Vec<Returns>,
}

#[derive(Default)]
pub struct Facts {
    pub externals: BTreeMap<String, External>,
    /// Binding names of BIND(C) procedures.
    pub bindings: HashSet<String>,
    /// Procedures of modules that are compiled elsewhere. Each symbol is mapped to the procedure's name and interface.
    pub module_procedures: BTreeMap<String, (String, Option<Interface>)>,
    /// External procedures that are declared in a file that does not define them.
    pub called_elsewhere: HashSet<String>,
    /// For each symbol in LLVM IR that a function of the files has: the dummy arguments, without alternate returns, of each
    /// procedure that may have this symbol.
    pub functions: HashMap<String, Vec<Vec<Dummy>>>,
    /// Names of variables with ASYNCHRONOUS or VOLATILE in any scope.
    pub asynchronous: HashSet<String>,
    /// Renamed procedures and variables of modules. Each local name is mapped to the names in the modules.
    pub renamed: HashMap<String, HashSet<String>>,
    /// The binding names of BIND(C) procedures, by the procedures' names.
    pub bound: HashMap<String, HashSet<String>>,
    /// For each program unit and name: whether all entities with this name in this unit are variables without an
    /// attribute that allows an address to be kept. The components of all types form one pseudo unit, and the names of
    /// all units form another.
    plain: HashMap<(String, String), bool>,
    /// For each program unit and associate name: the names in the selectors. An associate name has none of the attributes
    /// of the variable of which its selector is a part.
    selectors: HashMap<(String, String), HashSet<String>>,
    intrinsic: HashMap<String, bool>,
}

/// Facts about procedures, collected from the files.
pub struct Analysis<'a> {
    pub files: &'a [File],
    /// Procedures that do keep arguments, according to the user.
    pub keeps: &'a HashSet<String>,
    pub facts: Facts,
}

impl<'a> Analysis<'a> {
    pub fn new(files: &'a [File], keeps: &'a HashSet<String>) -> Self {
        let mut facts = Facts::default();
        for file in files {
            facts.read(&file.scopes, &file.tree.submodules);
        }
        Analysis { files, keeps, facts }
    }

    /// Returns whether a file contains a procedure's name, or a name that a module's procedure was renamed to.
    fn is_used(&self, name: &str) -> bool {
        let renamed = self.facts.renamed.iter().filter(|(_, originals)| originals.contains(name));
        let mut local = std::iter::once(name).chain(renamed.map(|it| it.0.as_str()));
        local.any(|name| self.files.iter().any(|it| it.tree.words.contains(name)))
    }

    /// Returns whether a procedure may keep its arguments regardless of its interfaces.
    pub fn is_kept(&self, name: &str) -> bool {
        self.keeps.contains(name)
            || KEEPERS.iter().any(|prefix| name.starts_with(prefix))
            || KEEPERS_PARTS.iter().any(|part| name.contains(part))
    }

    /// Returns whether a module procedure may keep its arguments regardless of its interface.
    pub fn is_module_procedure_kept(&self, symbol: &str, name: &str) -> bool {
        self.is_kept(name) || self.keeps.contains(&symbol.to_lowercase())
    }

    /// Returns whether promises for individual calls could add to the list. `lines` is the list for all calls to a
    /// procedure.
    pub fn has_promises_for_calls(&self, lines: &[String]) -> bool {
        let is_complete = |name: &str, symbol: &str| lines.iter().any(|it| it == name || it == symbol);
        let of_external = |(name, external): (&String, &External)| {
            let is_foreign = self.facts.called_elsewhere.contains(name) && self.is_used(name);
            let is_known = external.interfaces.iter().all(Option::is_some);
            is_foreign && is_known && !self.is_kept(name) && !is_complete(name, &format!("{name}_"))
        };
        let of_module = |(symbol, (name, interface)): (&String, &(String, Option<Interface>))| {
            let is_open = interface.is_some() && !is_complete(symbol, symbol);
            is_open && self.is_used(name) && !self.is_module_procedure_kept(symbol, name)
        };
        let mut dummies = self.facts.functions.values().flatten().flatten();
        dummies.any(|it| it.interfaces.iter().any(Option::is_some))
            || self.facts.externals.iter().any(of_external)
            || self.facts.module_procedures.iter().any(of_module)
    }

    /// Returns the list. Each line consists of a symbol, or of a name as spelled in the source, followed by argument
    /// numbers.
    pub fn lines(&self) -> Vec<String> {
        let facts = &self.facts;
        let calls: Vec<&Call> = self.files.iter().flat_map(|it| &it.tree.calls).collect();
        let values: HashSet<&String> = self.files.iter().flat_map(|it| &it.tree.values).collect();
        let mut lines = Vec::new();
        let mut promises = BTreeMap::new();
        for (name, external) in &facts.externals {
            let is_kept = self.is_kept(name);
            let promise =
                if is_kept { Promise::Nothing } else { facts.of_external(name, external, &calls, &values) };
            promises.insert(name.clone(), promise);
        }
        for (name, promise) in
            promises.iter().filter(|(name, _)| facts.called_elsewhere.contains(*name) && self.is_used(name))
        {
            // Prefer the source name, which matches several symbols. If it also matches a binding name, one of
            // `RETURNING`, or a procedure with a different promise, use the symbol `name_`. If that fails too, omit the
            // line.
            let mut spellings = [name.clone(), format!("{name}_")].into_iter();
            if let Some(spelling) = spellings.find(|it| facts.holds_for_all(it, promise, &promises)) {
                lines.extend(line(&spelling, promise));
            }
        }
        for (symbol, (name, interface)) in &facts.module_procedures {
            if self.is_used(name) && !self.is_module_procedure_kept(symbol, name) {
                lines.extend(line(symbol, &common(std::slice::from_ref(interface))));
            }
        }
        lines
    }
}

fn line(name: &str, promise: &Promise) -> Option<String> {
    match promise {
        Promise::Nothing => None,
        Promise::Everything => Some(name.into()),
        Promise::Arguments(numbers) => {
            Some(numbers.iter().fold(name.to_owned(), |line, number| format!("{line} {number}")))
        }
    }
}

impl Facts {
    fn read(&mut self, scopes: &[Scope], submodules: &[(String, String)]) {
        let global = &scopes[0];
        let defined: HashSet<&str> = global
            .symbols
            .iter()
            .filter(|it| {
                it.details.starts_with("Subprogram") && !it.details.starts_with("Subprogram isInterface")
            })
            .map(|it| it.name.as_str())
            .collect();
        for (index, scope) in scopes.iter().enumerate() {
            let around = || std::iter::successors(Some(scope), |it| it.parent.map(|parent| &scopes[parent]));
            if around().any(|it| it.kind == "IntrinsicModules") {
                continue;
            }
            let is_module = scope.kind == "Module" && scope.parent == Some(0);
            let foreign = is_foreign(scopes, index, submodules);
            let dummies = listed_dummies(scopes, index);
            if scope.kind == "Subprogram" && !foreign {
                for (symbol, dummies) in functions(scopes, index) {
                    self.functions.entry(symbol).or_default().push(dummies);
                }
            }
            // A generic interface with the same name as a procedure hides the procedure's symbol. The dump then does not
            // indicate which symbols are dummy arguments.
            let hidden = scope.kind == "Subprogram" && !has_symbol(scopes, scope);
            if hidden {
                self.externals.entry(scope.name.clone()).or_default().interfaces.push(None);
            }
            for symbol in &scope.symbols {
                // Local entities of procedures in modules of other files are skipped, because no name in this file can
                // refer to them.
                if !(foreign && around().any(|it| it.kind == "Subprogram")) {
                    let unit = around().find(|it| it.parent == Some(0)).map_or("", |it| &it.name);
                    self.read_name(if scope.kind == "DerivedType" { COMPONENTS } else { unit }, symbol);
                }
                if let Some((_, binding)) = symbol.details.split_once(" bindName:") {
                    let binding = binding.split(' ').next().unwrap_or_default();
                    self.bindings.insert(binding.into());
                    self.bound.entry(symbol.name.clone()).or_default().insert(binding.into());
                } else if symbol.has("BIND(C)") {
                    self.bindings.insert(symbol.name.clone());
                }
                let is_body = symbol.details.starts_with("Subprogram isInterface");
                if symbol.has("ABSTRACT") || symbol.has("POINTER") || dummies.contains(&symbol.name.as_str())
                {
                    continue;
                }
                if is_module && symbol.details.starts_with("Subprogram") && !symbol.has("EXTERNAL") {
                    // The body of a separate module procedure may be in another file.
                    if foreign || is_body {
                        let key = format!("_QM{}P{}", scope.name, symbol.name);
                        let found = (symbol.name.clone(), interface(scopes, index, symbol));
                        self.module_procedures.insert(key, found);
                    }
                    continue;
                }
                // A function that is called, but declared only by its type, is external, although it does not have the
                // attribute EXTERNAL.
                let is_external = symbol.has("EXTERNAL")
                    || (symbol.details.starts_with("ProcEntity") && !symbol.has("INTRINSIC"));
                let declared = is_external
                    && !symbol.details.contains("HostAssoc")
                    && !symbol.details.starts_with("Use ");
                if declared && !defined.contains(symbol.name.as_str()) {
                    self.called_elsewhere.insert(symbol.name.clone());
                }
                if declared && hidden {
                    self.externals.entry(symbol.name.clone()).or_default().interfaces.push(None);
                } else if is_body && declared {
                    let external = self.externals.entry(symbol.name.clone()).or_default();
                    external.interfaces.push(interface(scopes, index, symbol));
                } else if declared && symbol.details.starts_with("ProcEntity") {
                    self.read_declaration(scopes, symbol);
                } else if scope.kind == "Global" && defined.contains(symbol.name.as_str()) {
                    let external = self.externals.entry(symbol.name.clone()).or_default();
                    external.interfaces.push(interface(scopes, index, symbol));
                }
            }
        }
    }

    /// Reads the declaration of a procedure, such as `external f` or `procedure(like) :: f`.
    fn read_declaration(&mut self, scopes: &[Scope], symbol: &Symbol) {
        let rest = symbol.details.strip_prefix("ProcEntity").unwrap_or_default().trim_start();
        let external = self.externals.entry(symbol.name.clone()).or_default();
        if symbol.attributes.iter().any(|it| !["EXTERNAL", "PUBLIC", "PRIVATE"].contains(&it.as_str())) {
            return external.interfaces.push(None);
        }
        if rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_uppercase()) {
            return external.implicit.push(implicit_returns(symbol));
        }
        external.interfaces.extend(named_interface(scopes, rest));
    }

    /// Records properties of a symbol's name: whether an actual argument with this name rules out capture, whether the
    /// name is that of an intrinsic procedure, and which entity of a module was renamed to it.
    fn read_name(&mut self, unit: &str, symbol: &Symbol) {
        const CAPTURED: [&str; 4] = ["TARGET", "POINTER", "ASYNCHRONOUS", "VOLATILE"];
        const OTHERS: [&str; 14] = [
            "ALLOCATABLE",
            "CONTIGUOUS",
            "INTENT(IN)",
            "INTENT(OUT)",
            "INTENT(INOUT)",
            "OPTIONAL",
            "PARAMETER",
            "PRIVATE",
            "PROTECTED",
            "PUBLIC",
            "SAVE",
            "VALUE",
            "BIND(C)",
            "EXTERNAL",
        ];
        let details = symbol.details.as_str();
        let is_variable = details.starts_with("ObjectEntity") || is_associated(details);
        // For symbols with one of these details, another line describes the entity. A symbol with EXTERNAL is a
        // procedure, not a variable.
        let is_elsewhere = details.starts_with("HostAssoc") || details.starts_with("Use from ");
        let safe = (is_variable || is_elsewhere)
            && symbol
                .attributes
                .iter()
                .all(|it| !CAPTURED.contains(&it.as_str()) && OTHERS.contains(&it.as_str()))
            && !symbol.is_flagged("CrayPointee");
        if symbol.has("ASYNCHRONOUS") || symbol.has("VOLATILE") {
            let original = details.strip_prefix("Use from ").and_then(|it| it.split(' ').next());
            self.asynchronous.extend(original.into_iter().chain([symbol.name.as_str()]).map(str::to_owned));
        }
        for unit in [unit, ALL] {
            let key = (unit.to_owned(), symbol.name.clone());
            if let Some(names) = selected(details) {
                self.selectors.entry(key.clone()).or_default().extend(names.map(str::to_owned));
            }
            *self.plain.entry(key).or_insert(true) &= safe;
        }
        *self.intrinsic.entry(symbol.name.clone()).or_insert(true) &= symbol.has("INTRINSIC");
        if let Some(original) = details.strip_prefix("Use from ").and_then(|it| it.split(' ').next())
            && original != symbol.name
        {
            self.renamed.entry(symbol.name.clone()).or_default().insert(original.into());
        }
    }

    /// Returns true if no attribute of the variable `name` in a program unit allows its address to be kept. For an
    /// associate name, this holds only if it holds for all names in the selector.
    fn is_plain(&self, unit: Option<&str>, name: &str) -> bool {
        let mut names = vec![name];
        let mut seen = HashSet::new();
        while let Some(name) = names.pop() {
            if !seen.insert(name) {
                continue;
            }
            let within = |unit: &str| self.plain.get(&(unit.into(), name.into())).copied();
            let is_plain = match unit {
                Some(unit) => match (within(unit), within(COMPONENTS)) {
                    (None, None) => false,
                    (variable, component) => variable != Some(false) && component != Some(false),
                },
                None => within(ALL) == Some(true),
            };
            if !is_plain {
                return false;
            }
            let selectors = self.selectors.get(&(unit.unwrap_or(ALL).into(), name.into()));
            names.extend(selectors.into_iter().flatten().map(String::as_str));
        }
        true
    }

    fn of_external(
        &self,
        name: &str,
        external: &External,
        calls: &[&Call],
        values: &HashSet<&String>,
    ) -> Promise {
        let mut all = external.interfaces.clone();
        if let Some(&returns) = external.implicit.first() {
            let local = |it: &str| self.may_be(it, name, 0);
            // If a procedure is passed as an argument or assigned to a pointer, calls that do not contain its name may
            // reach it.
            if values.iter().any(|it| local(it)) || external.implicit.iter().any(|&it| it != returns) {
                return Promise::Nothing;
            }
            for call in calls.iter().filter(|it| local(&it.name)) {
                let arguments = call.arguments.iter().map(|it| self.implicit_argument(call, it)).collect();
                all.push(Some(Interface { arguments, returns }));
            }
        }
        common(&all)
    }

    /// Returns whether a name may refer to an external procedure that modules rename.
    fn may_be(&self, local: &str, name: &str, depth: usize) -> bool {
        let renamed =
            || self.renamed.get(local).into_iter().flatten().any(|it| self.may_be(it, name, depth + 1));
        // Without a limit, two names that are renamed to each other would cause endless recursion.
        local == name || depth > 32 || renamed()
    }

    /// Classifies a dummy argument of a procedure with an implicit interface by the actual argument of one call.
    fn implicit_argument(&self, call: &Call, actual: &Actual) -> Argument {
        match actual {
            Actual::Temporary => Argument::Data { promised: true, descriptor: false },
            Actual::Variable(names) => {
                let promised = names.iter().all(|it| self.is_plain(call.unit.as_deref(), it));
                Argument::Data { promised, descriptor: false }
            }
            Actual::Result(name) => {
                let is_temporary = self.intrinsic.get(name) == Some(&true) && name != "null";
                Argument::Data { promised: is_temporary, descriptor: false }
            }
            Actual::NoAddress => Argument::Shifting,
            Actual::Unknown => Argument::Data { promised: false, descriptor: false },
        }
    }

    /// Returns whether a promise holds for all procedures that a line of the list may refer to. These are the C
    /// function with that name, the Fortran procedures with that name, and external procedures whose name or symbol
    /// differs from that name only in a trailing `_`.
    fn holds_for_all(&self, spelling: &str, promise: &Promise, promises: &BTreeMap<String, Promise>) -> bool {
        let longer = format!("{spelling}_");
        let externals = [Some(spelling), spelling.strip_suffix('_'), Some(longer.as_str())];
        let of_externals = externals.into_iter().flatten().filter_map(|it| promises.get(it));
        let of_modules = self.module_procedures.values().filter(|(name, _)| name == spelling);
        !RETURNING.contains(&spelling)
            && !self.bindings.contains(spelling)
            && !self.bindings.contains(&longer)
            && of_externals.into_iter().all(|it| it == promise)
            && of_modules
                .into_iter()
                .all(|(_, interface)| common(std::slice::from_ref(interface)) == *promise)
    }
}

/// Returns the names in an associate name's selector, if the selector is a variable or a part of a variable. Any other
/// selector without parentheses is an expression, whose value is a temporary.
fn selected(details: &str) -> Option<impl Iterator<Item = &str>> {
    let (_, selector) = details.split_once(" expr:").filter(|_| details.starts_with("AssocEntity"))?;
    let is_designator = |c: char| c.is_ascii_alphanumeric() || "_%$".contains(c);
    let is_variable =
        !selector.starts_with(|c: char| c.is_ascii_digit()) && selector.chars().all(is_designator);
    is_variable.then(|| selector.split('%'))
}

/// Returns whether `details` describes an associate name. Returns false if the selector contains a parenthesis, because
/// it could then be a function result that is a pointer.
fn is_associated(details: &str) -> bool {
    details.starts_with("AssocEntity") && details.split_once(" expr:").is_some_and(|it| !it.1.contains('('))
}

/// Returns the promise on which all interfaces agree.
fn common(interfaces: &[Option<Interface>]) -> Promise {
    let Some(all) = interfaces.iter().map(Option::as_ref).collect::<Option<Vec<_>>>() else {
        return Promise::Nothing;
    };
    let Some(first) = all.first() else { return Promise::Nothing };
    if all.iter().any(|it| it.returns == Returns::Address || it.returns != first.returns) {
        return Promise::Nothing;
    }
    let mut numbers = BTreeSet::new();
    // Whether the current argument's number is known to equal its position in the call.
    let mut certain = true;
    let mut complete = all.iter().all(|it| it.arguments.len() == first.arguments.len());
    for position in 0..all.iter().map(|it| it.arguments.len()).min().unwrap_or(0) {
        let mut here = all.iter().map(|it| it.arguments[position]);
        certain &= here.clone().all(|it| it != Argument::Shifting && it != Argument::AlternateReturn);
        complete &= certain;
        if here.clone().all(|it| it == Argument::Register) {
            continue;
        }
        if certain && here.all(|it| matches!(it, Argument::Data { promised: true, .. })) {
            numbers.insert(position + 1);
        } else {
            complete = false;
        }
    }
    match (numbers.is_empty(), complete, first.returns) {
        (true, ..) => Promise::Nothing,
        (_, true, _) => Promise::Everything,
        (_, _, Returns::InRegisters) => Promise::Arguments(numbers),
        // The number of hidden arguments before the first argument is uncertain.
        _ => Promise::Nothing,
    }
}
