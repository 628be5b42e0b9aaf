//! All that a module does with a variable: followed from the variable through steps, through parameters of local
//! functions, and into the regions and tasks of OpenMP. If any of it is not understood, nothing is known of the
//! variable.

use crate::llvm::{opcode::*, *};
use crate::memory::{ADJUST, Base, INIT, Memory, TASK_ALLOC, chain_parameter, is_copy, runtime};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// What is done with a variable, at which offset.
#[derive(Default)]
pub struct Reach {
    /// Loads from it.
    pub loads: Vec<(Value, i64)>,
    /// Stores to it.
    stores: Vec<(Value, i64)>,
    /// Copies into it.
    copies: Vec<(Value, i64)>,
    /// Copies of it.
    pub copied: Vec<(Value, i64)>,
    /// What the run-time library may write.
    written: Vec<i64>,
    /// Stores of its address.
    pub kept: Vec<Value>,
    /// Calls that make trampolines of it, or addresses of these.
    pub trampolines: Vec<Value>,
    /// Whether a pointer to it is merged with others.
    pub is_merged: bool,
    /// What was found at offsets that were asked for.
    known: RefCell<HashMap<i64, Option<Vec<Value>>>>,
}

/// A pointer to a variable has no more offsets than fields of a large record.
const MOST_OFFSETS: usize = 4096;

/// More pointers than a front end makes to one record.
const MOST_POINTERS: usize = 16384;

/// More values than one place of a record is given: one for each copy of a host.
const MOST_VALUES: usize = 64;

/// The variables that were looked at; those of a question that is not yet answered are `None` meanwhile.
#[derive(Default)]
pub struct Reaches {
    variables: HashMap<Value, Option<Rc<Reach>>>,
    shared: HashMap<Value, Option<Rc<Reach>>>,
}

impl Reaches {
    pub fn of(all: &RefCell<Self>, memory: &Memory, variable: Value) -> Option<Rc<Reach>> {
        if let Some(known) = all.borrow().variables.get(&variable) {
            return known.clone();
        }
        let found = Walk::from(memory, vec![variable]).map(Rc::new);
        all.borrow_mut().variables.insert(variable, found.clone());
        found
    }

    /// A task begins with a pointer to what it shares, which the host loads, and the task too.
    pub fn of_shared(all: &RefCell<Self>, memory: &Memory, task: Value) -> Option<Rc<Reach>> {
        if let Some(known) = all.borrow().shared.get(&task) {
            return known.clone();
        }
        let found = Self::of(all, memory, task).and_then(|of_task| {
            let is_pointer = |(load, offset): &(Value, i64)| *offset == 0 && load.is_plain_pointer();
            let overlapping = of_task.loads.iter().filter(|(_, offset)| *offset < 8);
            let kept = of_task.kept.is_empty() && of_task.copies.is_empty() && of_task.copied.is_empty();
            let stored = of_task.stores.iter().any(|(_, offset)| *offset < 8);
            let loads: Vec<_> = overlapping.collect();
            if !kept || stored || of_task.is_merged || !loads.iter().all(|load| is_pointer(load)) {
                return None;
            }
            Walk::from(memory, loads.into_iter().map(|(load, _)| *load).collect()).map(Rc::new)
        });
        all.borrow_mut().shared.insert(task, found.clone());
        found
    }
}

impl Reach {
    /// The values that may be in the eight bytes at an offset; `None` if others may be there, or parts of one.
    pub fn contents(&self, memory: &Memory, offset: i64) -> Option<Vec<Value>> {
        if let Some(known) = self.known.borrow().get(&offset) {
            return known.clone();
        }
        let found = self.find_contents(memory, offset);
        self.known.borrow_mut().insert(offset, found.clone());
        found
    }

    fn find_contents(&self, memory: &Memory, offset: i64) -> Option<Vec<Value>> {
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
            memory.visit();
            let value = store.operand(0);
            let bytes = i64::try_from(memory.fixed_size(LLVMTypeOf(value))?).ok()?;
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
            // Of a record in its host's frame, and all of this pointer.
            let (from, further) = memory.own_variable(copy.operand(1))?;
            let whole = *at <= offset && offset + POINTER <= at.checked_add(bytes)?;
            let source = whole.then(|| memory.reach(from))??;
            if !source.copies.is_empty() {
                return None;
            }
            values.extend(source.contents(memory, offset - at + further)?);
        }
        (1..=MOST_VALUES).contains(&values.len()).then_some(values)
    }
}

/// A walk through all pointers to a variable.
struct Walk<'a> {
    memory: &'a Memory,
    seen: HashSet<(Value, i64)>,
    offsets: HashSet<i64>,
    todo: Vec<(Value, i64)>,
    reach: Reach,
}

impl<'a> Walk<'a> {
    fn from(memory: &'a Memory, pointers: Vec<Value>) -> Option<Reach> {
        let mut walk = Walk {
            memory,
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
                memory.visit();
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
                let further = self.memory.offset(user)?;
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
        // Not as what is called, nor in a bundle of operands.
        let uses = call.operands().filter(|operand| *operand == pointer).count();
        if uses != positions.len() || positions.len() != 1 {
            return None;
        }
        let position = positions[0];
        let function = call.callee()?;
        let name = function.name();
        match (name.as_str(), position) {
            (INIT, 0) | (ADJUST, 0) if offset == 0 => self.reach.trampolines.push(call),
            // The procedure is given it, whoever calls.
            (INIT, 2) => {
                let procedure = LLVMIsAFunction(call.operand(1))?;
                match chain_parameter(procedure) {
                    Some(number) => self.parameter(procedure, number, offset)?,
                    None if procedure.is_declaration() => return None,
                    None => {}
                }
            }
            (name, _) if name.starts_with("llvm.lifetime.") => {}
            (name, 0) if is_copy_of_memory(name) => self.reach.copies.push((call, offset)),
            (name, 1) if is_copy_of_memory(name) => self.reach.copied.push((call, offset)),
            _ if !function.is_declaration() => {
                if !function.is_local() || is_copy(call, position) {
                    return None;
                }
                self.parameter(function, position, offset)?
            }
            ("__kmpc_fork_call" | "__kmpc_fork_teams", 3..) => {
                self.parameter(call.operand(2), position - 1, offset)?
            }
            ("__kmpc_fork_call_if", 4) => self.parameter(call.operand(2), 2, offset)?,
            (name, _) if name.starts_with("__kmpc_") => self.task(call, name, pointer, position, offset)?,
            _ => return None,
        }
        Some(())
    }

    /// What the run-time library does with a task: it copies it, and gives it to the task's function and to the one that
    /// completes a copy.
    fn task(&mut self, call: Value, name: &str, pointer: Value, position: u32, offset: i64) -> Option<()> {
        match (name, position) {
            ("__kmpc_omp_task" | "__kmpc_omp_task_with_deps" | "__kmpc_omp_taskwait_deps_51", 2)
            | ("__kmpc_omp_task_begin_if0" | "__kmpc_omp_task_complete_if0", 2)
            | ("__kmpc_taskloop" | "__kmpc_taskloop_5", 2)
                if offset == 0 =>
            {
                let task = task_of(pointer)?;
                self.parameter(task.operand(5), 1, 0)?;
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
            // The bounds of a loop.
            ("__kmpc_taskloop" | "__kmpc_taskloop_5", 4 | 5) => {
                self.reach.written.push(offset);
                Some(())
            }
            _ => None,
        }
    }

    fn parameter(&mut self, function: Value, number: u32, offset: i64) -> Option<()> {
        let function = LLVMIsAFunction(function)?;
        let is_seen = !function.is_declaration() && function.is_local() && number < LLVMCountParams(function);
        if !is_seen || is_copy(function, number) {
            return None;
        }
        self.pointer(LLVMGetParam(function, number), offset)
    }
}

fn is_copy_of_memory(name: &str) -> bool {
    name.starts_with("llvm.memcpy.") || name.starts_with("llvm.memmove.")
}

/// The call that made a task, which a call of the run-time library is given by name.
fn task_of(pointer: Value) -> Option<Value> {
    (runtime(pointer).as_deref() == Some(TASK_ALLOC)).then_some(pointer)
}

/// The record of which a place is, if it is one in a frame or what a task shares.
pub fn record((base, offset): (Base, i64), memory: &Memory) -> Option<(Rc<Reach>, i64)> {
    match base {
        Base::Frame(variable) => Some((memory.reach(variable)?, offset)),
        Base::Shared(task) => Some((memory.reach_of_shared(task)?, offset)),
        _ => None,
    }
}
