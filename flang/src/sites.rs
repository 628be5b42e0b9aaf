//! Finds the instructions in a module that make trampolines, and decides whether each can be rewritten.

use crate::calls::{ADJUST, INIT, called};
use crate::llvm::{opcode::*, *};
use crate::points_to::{Base, PointsTo};
use crate::report::{Remark, Severity};
use std::collections::{HashMap, HashSet};

/// A call to `llvm.init.trampoline`.
pub struct Site {
    /// The call to the intrinsic.
    pub init: Value,
    /// The function that contains the call.
    pub function: Value,
    /// The memory that the front end reserved for code: a variable of this function or, in an OpenMP region, of the
    /// function that contains the region.
    pub memory: Value,
    /// The procedure to call.
    pub callee: Value,
    /// The value for the static-chain register.
    pub chain: Value,
    /// The alias class of `memory`. Memory areas that may be the same share a class.
    pub class: usize,
}

/// A call to `llvm.adjust.trampoline`, which turns a trampoline's memory into an address.
pub struct Adjust {
    pub adjust: Value,
    pub memory: Value,
    pub class: usize,
}

/// All trampoline sites of a module.
pub struct Scan {
    pub sites: Vec<Site>,
    pub adjusts: Vec<Adjust>,
    /// One remark for each unsupported site.
    pub remarks: Vec<Remark>,
}

impl Scan {
    /// Returns a scan that leaves the whole module unchanged, with a remark on each call. The remark gives `why` as the
    /// reason.
    pub fn left(mut self, why: &str) -> Self {
        let calls = self.sites.iter().map(|site| site.init).chain(self.adjusts.iter().map(|it| it.adjust));
        self.remarks.extend(calls.map(|call| left(call, why)));
        Scan { sites: Vec::new(), adjusts: Vec::new(), remarks: self.remarks }
    }
}

fn left(call: Value, why: &str) -> Remark {
    let text = format!("{why}: this trampoline is left to the compiler, and the stack will be executable");
    Remark::new(Severity::Warning, call, text)
}

type Why = &'static str;

/// Collects all supported sites, and one remark for each unsupported site.
pub fn find(pointers: &PointsTo) -> Scan {
    let module = pointers.steps.module();
    let inits = calls(module, INIT);
    let adjusts = calls(module, ADJUST);
    let mut finder =
        Finder { pointers, functions: Exits::default(), class_of: HashMap::new(), classes: Vec::new() };
    let classes: Vec<usize> = inits.iter().chain(&adjusts).map(|call| finder.classify(*call)).collect();
    let remarks = inits
        .iter()
        .chain(&adjusts)
        .zip(&classes)
        .filter_map(|(call, class)| finder.classes[*class].map(|why| left(*call, why)));
    let remarks = remarks.collect();
    let (of_inits, of_adjusts) = classes.split_at(inits.len());
    let understood = |class: &usize| finder.classes[*class].is_none();
    let sites = inits.iter().zip(of_inits).filter(|(_, class)| understood(class));
    let adjusts = adjusts.iter().zip(of_adjusts).filter(|(_, class)| understood(class));
    Scan {
        sites: sites
            .map(|(init, class)| Site {
                init: *init,
                function: init.function(),
                memory: init.operand(0),
                callee: init.operand(1),
                chain: init.operand(2),
                class: *class,
            })
            .collect(),
        adjusts: adjusts
            .map(|(adjust, class)| Adjust { adjust: *adjust, memory: adjust.operand(0), class: *class })
            .collect(),
        remarks,
    }
}

/// Returns the calls to an intrinsic in their order in the module. (The order of an intrinsic's uses differs between
/// bitcode and text.)
fn calls(module: Module, intrinsic: &str) -> Vec<Value> {
    let Some(intrinsic) = module.function(intrinsic) else { return Vec::new() };
    let users = intrinsic.users().into_iter().filter(|user| user.is_call());
    let functions: HashSet<Value> = users.map(Value::function).collect();
    let all = module.functions().filter(|function| functions.contains(function));
    all.flat_map(|function| function.instructions())
        .filter(|at| at.is_call() && at.called_function() == Some(intrinsic))
        .collect()
}

struct Finder<'a> {
    pointers: &'a PointsTo,
    functions: Exits,
    class_of: HashMap<Value, usize>,
    /// The reason why each class's calls must remain unchanged, or `None` if they may be rewritten.
    classes: Vec<Option<Why>>,
}

impl Finder<'_> {
    /// Returns the alias class of the memory in a call to one of the intrinsics. A reason not to rewrite this call
    /// applies to the whole class, because one call reads a value that another stores.
    fn classify(&mut self, call: Value) -> usize {
        let memory = call.operand(0);
        let class = match self.class_of.get(&memory) {
            Some(class) => *class,
            None => self.new_class(memory),
        };
        if self.classes[class].is_none() {
            self.classes[class] = self.why_not(call);
        }
        class
    }

    /// Returns the reason, if any, why a call to one of the intrinsics must remain unchanged. Reasons that concern the
    /// call's memory are found by `new_class` instead.
    fn why_not(&mut self, call: Value) -> Option<Why> {
        let pointer = LLVMTypeOf(call.operand(0));
        if call.arguments().any(|argument| !argument.is_plain_pointer()) {
            return Some("its memory or its host's is in another address space");
        }
        if self.pointers.steps.size(pointer) != 8 {
            return Some("the library supports flang on 64-bit targets only");
        }
        self.functions.why_none(call.function())
    }

    fn new_class(&mut self, memory: Value) -> usize {
        let mut class = Class { pointers: self.pointers, reached: HashSet::new(), todo: Vec::new() };
        let why = class.collect(memory).err();
        // The memory may belong to an existing class whose pointers could not be followed when that class was created.
        let number = self.classes.len();
        self.classes.push(why);
        for pointer in class.reached {
            if let Some(other) = self.class_of.insert(pointer, number) {
                let why = self.classes[other].or(self.classes[number]);
                self.classes[other] = why;
                self.classes[number] = why;
            }
        }
        number
    }
}

/// The pointers found so far that belong to a new class of memory (see [`Site::class`]).
struct Class<'a> {
    pointers: &'a PointsTo,
    reached: HashSet<Value>,
    todo: Vec<Value>,
}

/// The front end also uses the memory elsewhere and expects code in it, so it cannot hold an address. (An optimizer may
/// have merged the uses of several variables, or a region may receive the memory.)
const USED_OTHERWISE: Why = "its memory is also used for something else";
const NOT_A_VARIABLE: Why = "its memory is not a variable of the same function";

impl Class<'_> {
    fn collect(&mut self, memory: Value) -> Result<(), Why> {
        self.add(memory);
        while let Some(pointer) = self.todo.pop() {
            self.pointers.steps.visit();
            self.origin(pointer)?;
            for user in pointer.users() {
                self.pointers.steps.visit();
                self.user(user, pointer)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, pointer: Value) {
        if self.reached.insert(pointer) {
            self.todo.push(pointer);
        }
    }

    fn origin(&mut self, pointer: Value) -> Result<(), Why> {
        match pointer.opcode() {
            Some(ALLOCA) if holds_address(self.pointers, pointer) => {}
            Some(PHI) => pointer.operands().for_each(|value| self.add(value)),
            Some(SELECT) => pointer.operands().skip(1).for_each(|value| self.add(value)),
            // In IR from flang, such a load reads an argument of an OpenMP region.
            Some(LOAD) => {
                for location in self.pointers.locations(pointer).ok_or(NOT_A_VARIABLE)? {
                    match location {
                        (Base::Frame(variable), 0) => self.add(variable),
                        _ => return Err(NOT_A_VARIABLE),
                    }
                }
            }
            _ => return Err(NOT_A_VARIABLE),
        }
        Ok(())
    }

    fn user(&mut self, user: Value, pointer: Value) -> Result<(), Why> {
        match user.opcode() {
            Some(PHI | SELECT) => self.add(user),
            Some(STORE) if user.operand(0) == pointer && user.operand(1) != pointer => {
                self.kept(user).ok_or(USED_OTHERWISE)?
            }
            _ if is_known_use(user, pointer) => {}
            _ => return Err(USED_OTHERWISE),
        }
        Ok(())
    }

    /// Handles a store of the address to the record that is passed to an OpenMP region. Every load from the same offset
    /// yields this address.
    fn kept(&mut self, store: Value) -> Option<()> {
        let mut records = self.pointers.locations(store.operand(1))?;
        let mut next = 0;
        while let Some(location) = records.get(next).copied() {
            next += 1;
            let (reach, offset) = self.pointers.reaches.record(location)?;
            if !reach.kept.is_empty() || reach.is_merged {
                return None;
            }
            let within = |at: i64, bytes: i64| at < offset + 8 && offset < at.saturating_add(bytes);
            for (load, at) in &reach.loads {
                let bytes = self.pointers.steps.fixed_size(LLVMTypeOf(*load))? as i64;
                if within(*at, bytes) {
                    (*at == offset && load.is_plain_pointer()).then(|| self.add(*load))?;
                }
            }
            for (copy, at) in &reach.copied {
                if within(*at, copy.operand(2).as_integer()?) {
                    let copies = self.pointers.locations(copy.operand(0))?;
                    let copies = copies.into_iter().map(|(base, further)| (base, further + offset - at));
                    let new: Vec<_> = copies.filter(|copy| !records.contains(copy)).collect();
                    records.extend(new);
                }
            }
        }
        Some(())
    }
}

/// Returns whether a variable has room for an address.
fn holds_address(pointers: &PointsTo, variable: Value) -> bool {
    let count = variable.operand(0).as_integer();
    let size = pointers.steps.fixed_size(variable.allocated_type());
    variable.is_plain_alloca() && count.is_some_and(|count| count >= 1) && size.is_some_and(|size| size >= 8)
}

fn is_known_use(user: Value, memory: Value) -> bool {
    called(user).is_some_and(|name| {
        name == ADJUST
            || name.starts_with("llvm.lifetime.")
            || (name == INIT && user.operand(0) == memory && user.operand(2) != memory)
    })
}

/// The reason why the exits of each function examined so far cannot free trampolines, or `None` if they can.
#[derive(Default)]
pub struct Exits(HashMap<Value, Option<Why>>);

impl Exits {
    /// Returns the reason, if any, why a function's exits cannot free trampolines.
    pub fn why_none(&mut self, function: Value) -> Option<Why> {
        *self.0.entry(function).or_insert_with(|| why_no_exits(function))
    }
}

fn why_no_exits(function: Value) -> Option<Why> {
    if function.has_attribute(FUNCTION_ATTRIBUTES, "presplitcoroutine") {
        return Some("a coroutine has no exit at which the trampoline could be freed");
    }
    if function.has_attribute(FUNCTION_ATTRIBUTES, "naked") {
        return Some("a naked function has no frame");
    }
    (function.has_personality() && function.instructions().any(is_funclet))
        .then_some("its host uses funclets to handle exceptions")
}

fn is_funclet(instruction: Value) -> bool {
    matches!(instruction.opcode(), Some(CLEANUP_RET | CATCH_SWITCH))
}
