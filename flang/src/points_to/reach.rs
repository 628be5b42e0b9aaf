//! All uses of a variable in a module, followed through pointer steps, through parameters of local functions, and into
//! OpenMP regions and tasks. If any use is unsupported, nothing is known about the variable.

use super::steps::{Base, Steps};
use crate::calls::{
    ADJUST, INIT, REGION, TASK_ALLOC, TASK_ENTRY, TASK_PARAMETER, chain_parameter, is_byval, is_memory_copy,
    region_parameter, runtime,
};
use crate::llvm::{opcode::*, *};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Uses of a variable, with their offsets.
#[derive(Default)]
pub struct Reach {
    /// Loads from the variable.
    pub loads: Vec<(Value, i64)>,
    /// Stores to the variable.
    stores: Vec<(Value, i64)>,
    /// Copies to the variable.
    copies: Vec<(Value, i64)>,
    /// Copies from the variable.
    pub copied: Vec<(Value, i64)>,
    /// Offsets that the run-time library may write.
    written: Vec<i64>,
    /// Instructions that store the address of the variable.
    pub kept: Vec<Value>,
    /// Calls that make a trampoline in the variable, or that turn a trampoline in the variable into an address.
    pub trampolines: Vec<Value>,
    /// Whether a pointer to the variable is merged with other pointers.
    pub is_merged: bool,
    /// Results for the offsets queried so far.
    known: RefCell<HashMap<i64, Option<Vec<Value>>>>,
}

/// Maximum number of different offsets at which pointers point into one variable. Even a large record has fewer fields.
const MOST_OFFSETS: usize = 4096;

/// Maximum number of pointers to one record. Front ends make fewer pointers than this.
const MOST_POINTERS: usize = 16384;

/// Maximum number of values stored at one offset of a record: usually one for each copy of the host that an optimizer
/// has made.
const MOST_VALUES: usize = 64;

/// Caches the results of [`of`](Self::of) and [`of_shared`](Self::of_shared). `None` means that not all uses are
/// visible.
pub struct Reaches {
    pub steps: Rc<Steps>,
    variables: RefCell<HashMap<Value, Option<Rc<Reach>>>>,
    shared: RefCell<HashMap<Value, Option<Rc<Reach>>>>,
}

impl Reaches {
    pub fn new(steps: Rc<Steps>) -> Self {
        Reaches { steps, variables: RefCell::default(), shared: RefCell::default() }
    }

    /// Returns all uses of a variable or a task, including uses of its parts, or `None` if not all uses are visible.
    pub fn of(&self, variable: Value) -> Option<Rc<Reach>> {
        if let Some(known) = self.variables.borrow().get(&variable) {
            return known.clone();
        }
        let found = Walk::from(&self.steps, vec![variable]).map(Rc::new);
        self.variables.borrow_mut().insert(variable, found.clone());
        found
    }

    /// Returns all uses of a task's shared data. Both the host and the task load the data's address from offset 0 in
    /// the task structure.
    pub fn of_shared(&self, task: Value) -> Option<Rc<Reach>> {
        if let Some(known) = self.shared.borrow().get(&task) {
            return known.clone();
        }
        let found = self.of(task).and_then(|of_task| {
            let is_pointer = |(load, offset): &(Value, i64)| *offset == 0 && load.is_plain_pointer();
            let overlapping = of_task.loads.iter().filter(|(_, offset)| *offset < 8);
            let kept = of_task.kept.is_empty() && of_task.copies.is_empty() && of_task.copied.is_empty();
            let stored = of_task.stores.iter().any(|(_, offset)| *offset < 8);
            let loads: Vec<_> = overlapping.collect();
            if !kept || stored || of_task.is_merged || !loads.iter().all(|load| is_pointer(load)) {
                return None;
            }
            Walk::from(&self.steps, loads.into_iter().map(|(load, _)| *load).collect()).map(Rc::new)
        });
        self.shared.borrow_mut().insert(task, found.clone());
        found
    }

    /// Returns all eight-byte values that any code may store at an offset in a variable.
    pub fn contents(&self, variable: Value, offset: i64) -> Option<Vec<Value>> {
        self.of(variable)?.contents(self, offset)
    }

    /// Returns all eight-byte values that any code may store at an offset in a task's shared data.
    pub fn shared_contents(&self, task: Value, offset: i64) -> Option<Vec<Value>> {
        self.of_shared(task)?.contents(self, offset)
    }

    /// Returns the record that contains a location, if the record is in a frame or is a task's shared data.
    pub fn record(&self, (base, offset): (Base, i64)) -> Option<(Rc<Reach>, i64)> {
        match base {
            Base::Frame(variable) => Some((self.of(variable)?, offset)),
            Base::Shared(task) => Some((self.of_shared(task)?, offset)),
            _ => None,
        }
    }
}

impl Reach {
    /// Returns the possible values of the eight bytes at an offset, or `None` if these bytes may contain an unknown
    /// value or only part of a value.
    fn contents(&self, reaches: &Reaches, offset: i64) -> Option<Vec<Value>> {
        if let Some(known) = self.known.borrow().get(&offset) {
            return known.clone();
        }
        let found = self.find_contents(reaches, offset);
        self.known.borrow_mut().insert(offset, found.clone());
        found
    }

    fn find_contents(&self, reaches: &Reaches, offset: i64) -> Option<Vec<Value>> {
        const POINTER: i64 = 8;
        if !self.kept.is_empty() || !self.trampolines.is_empty() || self.is_merged {
            return None;
        }
        let overlaps = |at: i64, bytes: i64| at < offset + POINTER && offset < at.saturating_add(bytes);
        if self.written.iter().any(|at| overlaps(*at, POINTER)) {
            return None;
        }
        let mut values = Vec::new();
        let mut seen = HashSet::new();
        for (store, at) in &self.stores {
            reaches.steps.visit();
            let value = store.operand(0);
            let bytes = i64::try_from(reaches.steps.fixed_size(LLVMTypeOf(value))?).ok()?;
            if overlaps(*at, bytes) && (*at, bytes) != (offset, POINTER) {
                return None;
            }
            if *at == offset && seen.insert(value) {
                values.push(value);
            }
        }
        for (copy, at) in &self.copies {
            let bytes = copy.operand(2).as_integer()?;
            if !overlaps(*at, bytes) {
                continue;
            }
            // The copy's source must be a record in its host's frame, and the copy must include all eight bytes at
            // `offset`.
            let (from, further) = reaches.steps.own_variable(copy.operand(1))?;
            let whole = *at <= offset && offset + POINTER <= at.checked_add(bytes)?;
            let source = whole.then(|| reaches.of(from))??;
            if !source.copies.is_empty() {
                return None;
            }
            values.extend(source.contents(reaches, offset - at + further)?);
        }
        (1..=MOST_VALUES).contains(&values.len()).then_some(values)
    }
}

/// A traversal of all pointers to a variable.
struct Walk<'a> {
    steps: &'a Steps,
    seen: HashSet<(Value, i64)>,
    offsets: HashSet<i64>,
    todo: Vec<(Value, i64)>,
    reach: Reach,
}

impl<'a> Walk<'a> {
    fn from(steps: &'a Steps, pointers: Vec<Value>) -> Option<Reach> {
        let mut walk = Walk {
            steps,
            seen: HashSet::new(),
            offsets: HashSet::new(),
            todo: Vec::new(),
            reach: Reach::default(),
        };
        for pointer in pointers {
            walk.pointer(pointer, 0)?;
        }
        while let Some((pointer, offset)) = walk.todo.pop() {
            for user in pointer.users() {
                steps.visit();
                walk.user(user, pointer, offset)?;
            }
        }
        Some(walk.reach)
    }

    fn pointer(&mut self, pointer: Value, offset: i64) -> Option<()> {
        if !pointer.is_plain_pointer() {
            return None;
        }
        self.offsets.insert(offset);
        if self.offsets.len() > MOST_OFFSETS {
            return None;
        }
        if self.seen.insert((pointer, offset)) {
            self.todo.push((pointer, offset));
        }
        (self.seen.len() <= MOST_POINTERS).then_some(())
    }

    fn user(&mut self, user: Value, pointer: Value, offset: i64) -> Option<()> {
        match user.opcode()? {
            GET_ELEMENT_PTR if user.operand(0) == pointer => {
                let further = self.steps.offset(user)?;
                self.pointer(user, offset.checked_add(further)?)
            }
            BIT_CAST | FREEZE => self.pointer(user, offset),
            PHI | SELECT => {
                self.reach.is_merged = true;
                self.pointer(user, offset)
            }
            LOAD => {
                self.reach.loads.push((user, offset));
                Some(())
            }
            STORE => {
                if user.operand(0) == pointer {
                    self.reach.kept.push(user);
                }
                if user.operand(1) == pointer {
                    self.reach.stores.push((user, offset));
                }
                Some(())
            }
            ICMP => Some(()),
            CALL | INVOKE => self.call(user, pointer, offset),
            _ => None,
        }
    }

    fn call(&mut self, call: Value, pointer: Value, offset: i64) -> Option<()> {
        let positions: Vec<u32> =
            (0..call.argument_count()).filter(|position| call.operand(*position) == pointer).collect();
        // The pointer must be an argument, not the callee or part of an operand bundle.
        let uses = call.operands().filter(|operand| *operand == pointer).count();
        if uses != positions.len() || positions.len() != 1 {
            return None;
        }
        let position = positions[0];
        let function = call.called_function()?;
        let name = function.name();
        match (name.as_str(), position) {
            (INIT, 0) | (ADJUST, 0) if offset == 0 => self.reach.trampolines.push(call),
            // The procedure receives the pointer as its chain, no matter who calls it.
            (INIT, 2) => {
                let procedure = LLVMIsAFunction(call.operand(1))?;
                match chain_parameter(procedure) {
                    Some(number) => self.parameter(procedure, number, offset)?,
                    None if procedure.is_declaration() => return None,
                    None => {}
                }
            }
            (name, _) if name.starts_with("llvm.lifetime.") => {}
            (_, 0) if is_memory_copy(call) => self.reach.copies.push((call, offset)),
            (_, 1) if is_memory_copy(call) => self.reach.copied.push((call, offset)),
            _ if !function.is_declaration() => {
                if !function.is_local() || is_byval(call, position) {
                    return None;
                }
                self.parameter(function, position, offset)?
            }
            (name, _) => match region_parameter(name, position) {
                Some(number) => self.parameter(call.operand(REGION), number, offset)?,
                None => self.task(call, name, pointer, position, offset)?,
            },
        }
        Some(())
    }

    /// Records how the run-time library uses a task. The library passes the task, or copies of it, to the task's entry
    /// and to the task-duplication function (`task_dup`), which completes a copy.
    fn task(&mut self, call: Value, name: &str, pointer: Value, position: u32, offset: i64) -> Option<()> {
        match (name, position) {
            ("__kmpc_omp_task" | "__kmpc_omp_task_with_deps" | "__kmpc_omp_taskwait_deps_51", 2)
            | ("__kmpc_omp_task_begin_if0" | "__kmpc_omp_task_complete_if0", 2)
            | ("__kmpc_taskloop" | "__kmpc_taskloop_5", 2)
                if offset == 0 =>
            {
                let task = task_of(pointer)?;
                self.parameter(task.operand(TASK_ENTRY), TASK_PARAMETER, 0)?;
                if name.starts_with("__kmpc_taskloop") {
                    let completes = call.operand(10);
                    if LLVMIsAFunction(completes).is_some() {
                        self.parameter(completes, 0, 0)?;
                        self.parameter(completes, 1, 0)?;
                    } else if !completes.is_null() {
                        return None;
                    }
                }
                Some(())
            }
            // The run-time library may write the loop bounds.
            ("__kmpc_taskloop" | "__kmpc_taskloop_5", 4 | 5) => {
                self.reach.written.push(offset);
                Some(())
            }
            _ => None,
        }
    }

    fn parameter(&mut self, function: Value, number: u32, offset: i64) -> Option<()> {
        let function = LLVMIsAFunction(function)?;
        let is_seen =
            !function.is_declaration() && function.is_local() && number < function.parameter_count();
        if !is_seen || is_byval(function, number) {
            return None;
        }
        self.pointer(function.parameter(number), offset)
    }
}

/// Returns the call that allocates a task, if `pointer` is the result of that call.
fn task_of(pointer: Value) -> Option<Value> {
    (runtime(pointer).as_deref() == Some(TASK_ALLOC)).then_some(pointer)
}
