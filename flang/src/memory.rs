//! Where a pointer of the module points: to which variable, followed through parameters of local functions, through the
//! record in which an OpenMP region is given what it shares, and through what a host stores in its tuple.
//!
//! The front end fills such a record in one place and reads it elsewhere; a store to it by anybody else is not looked
//! for. Whatever is not of one of these shapes is unknown, and nothing is done that relies on it.

use crate::llvm::{opcode::*, *};
use std::cell::Cell;

/// Where a pointer points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base {
    /// A variable in the frame of a function.
    Frame(Value),
    /// A global variable.
    Global(Value),
    /// Whatever the caller passes to a function that others may call.
    Parameter(Value, u32),
    /// What `__kmpc_omp_task_alloc` returned, which begins with a pointer to what the task shares.
    Task(Value),
    /// What a task shares.
    Shared(Value),
}

/// A base and bytes beyond it.
pub type Place = (Base, i64);

/// Follows pointers in one module.
pub struct Memory {
    module: Module,
    layout: DataLayout,
    /// How many loads deep a question is.
    depth: Cell<u32>,
}

/// A host's variable, reached by a task in a region in an internal procedure, is four loads deep.
const DEEPEST: u32 = 16;

impl Memory {
    pub fn new(module: Module) -> Self {
        Memory { module, layout: LLVMGetModuleDataLayout(module), depth: Cell::new(0) }
    }

    /// All places to which a pointer may point, `None` where that is unknown.
    pub fn places(&self, pointer: Value) -> Option<Vec<Place>> {
        let mut found = Vec::new();
        self.collect(pointer, 0, &mut Vec::new(), &mut found)?;
        Some(found)
    }

    /// The places of a pointer that is itself loaded, unless that goes too deep.
    fn places_deeper(&self, pointer: Value) -> Option<Vec<Place>> {
        if self.depth.get() == DEEPEST {
            return None;
        }
        self.depth.set(self.depth.get() + 1);
        let places = self.places(pointer);
        self.depth.set(self.depth.get() - 1);
        places
    }

    /// The pointer that another is made of by steps, and the sum of these, if they are constant.
    pub fn root(&self, pointer: Value) -> (Value, Option<i64>) {
        match pointer.opcode() {
            Some(GET_ELEMENT_PTR) => {
                let (root, offset) = self.root(pointer.operand(0));
                (root, offset.and_then(|offset| Some(offset + self.offset(pointer)?)))
            }
            Some(BIT_CAST | ADDR_SPACE_CAST | FREEZE) => self.root(pointer.operand(0)),
            _ => (pointer, Some(0)),
        }
    }

    /// The variable of its own function to which a pointer points, if that can be seen at once.
    pub fn own_variable(&self, pointer: Value) -> Option<(Value, i64)> {
        let (root, offset) = self.root(pointer);
        if root.opcode() == Some(ALLOCA) { Some((root, offset?)) } else { None }
    }

    fn collect(
        &self,
        pointer: Value,
        offset: i64,
        seen: &mut Vec<(Value, i64)>,
        found: &mut Vec<Place>,
    ) -> Option<()> {
        if seen.contains(&(pointer, offset)) {
            return Some(()); // by another way, or round a loop
        }
        seen.push((pointer, offset));
        let mut add = |base| {
            if !found.contains(&(base, offset)) {
                found.push((base, offset));
            }
            Some(())
        };
        if let Some((function, number)) = pointer.as_parameter() {
            return match self.actual_arguments(function, number) {
                Some(actual) => actual.into_iter().try_for_each(|value| match value {
                    Actual::Value(value) => self.collect(value, offset, seen, found),
                    Actual::Task(call) => {
                        found.push((Base::Task(call), offset));
                        Some(())
                    }
                }),
                None => add(Base::Parameter(function, number)),
            };
        }
        if LLVMIsAGlobalVariable(pointer).is_some() {
            return add(Base::Global(pointer));
        }
        match pointer.opcode()? {
            ALLOCA => add(Base::Frame(pointer)),
            GET_ELEMENT_PTR => {
                let further = self.offset(pointer)?;
                self.collect(pointer.operand(0), offset + further, seen, found)
            }
            BIT_CAST | ADDR_SPACE_CAST | FREEZE => self.collect(pointer.operand(0), offset, seen, found),
            PHI => pointer.operands().try_for_each(|value| self.collect(value, offset, seen, found)),
            SELECT => (1..3).try_for_each(|index| self.collect(pointer.operand(index), offset, seen, found)),
            CALL if called(pointer).as_deref() == Some(TASK_ALLOC) => add(Base::Task(pointer)),
            LOAD => {
                let values = self.stored(pointer.operand(0))?;
                values.into_iter().try_for_each(|value| match value {
                    Stored::Value(value) => self.collect(value, offset, seen, found),
                    Stored::Shared(call) => {
                        found.push((Base::Shared(call), offset));
                        Some(())
                    }
                })
            }
            _ => None,
        }
    }

    /// Bytes that a `getelementptr` adds, if they are constant.
    pub fn offset(&self, gep: Value) -> Option<i64> {
        let mut ty = LLVMGetGEPSourceElementType(gep);
        let mut offset = 0;
        for (position, index) in gep.operands().skip(1).enumerate() {
            let index = index.as_integer()?;
            if position == 0 {
                offset += index * LLVMABISizeOfType(self.layout, ty) as i64;
            } else if ty.is_struct() {
                offset += LLVMOffsetOfElement(self.layout, ty, index as u32) as i64;
                ty = LLVMStructGetTypeAtIndex(ty, index as u32);
            } else if ty.is_array() {
                ty = LLVMGetElementType(ty);
                offset += index * LLVMABISizeOfType(self.layout, ty) as i64;
            } else {
                return None;
            }
        }
        Some(offset)
    }

    /// What may be in the memory at a pointer: all that is stored there, if that can be seen.
    fn stored(&self, pointer: Value) -> Option<Vec<Stored>> {
        let mut values = Vec::new();
        for place in self.places_deeper(pointer)? {
            match place {
                (Base::Frame(variable), offset) => values.extend(self.stored_in(variable, offset)?),
                (Base::Task(call), 0) => values.push(Stored::Shared(call)),
                (Base::Shared(call), offset) => values.extend(self.stored_in(self.record_of(call)?, offset)?),
                _ => return None,
            }
        }
        (!values.is_empty()).then_some(values)
    }

    /// What its own function stores in a variable at an offset.
    fn stored_in(&self, variable: Value, offset: i64) -> Option<Vec<Stored>> {
        let mut values = Vec::new();
        let mut known = vec![(variable, 0)];
        while let Some((pointer, at)) = known.pop() {
            for user in pointer.users() {
                match user.opcode() {
                    Some(STORE) if user.operand(1) == pointer && at == offset => {
                        values.push(Stored::Value(user.operand(0)))
                    }
                    Some(GET_ELEMENT_PTR) => known.push((user, at + self.offset(user)?)),
                    Some(BIT_CAST | ADDR_SPACE_CAST) => known.push((user, at)),
                    _ => {}
                }
            }
        }
        (!values.is_empty()).then_some(values)
    }

    /// The variable that is copied into what a task shares: its host fills that, and copies it.
    fn record_of(&self, task: Value) -> Option<Value> {
        let shared =
            task.users().into_iter().filter(|user| user.opcode() == Some(LOAD) && user.operand(0) == task);
        let copies = shared.flat_map(Value::users).filter(|user| {
            called(*user).is_some_and(|name| name.starts_with("llvm.memcpy"))
                && user.operand(0).opcode() == Some(LOAD)
        });
        let mut records = copies.filter_map(|copy| self.own_variable(copy.operand(1)));
        match (records.next(), records.next()) {
            (Some((record, 0)), None) => Some(record),
            _ => None,
        }
    }

    /// What a parameter of a function can be: `None` if there may be callers that are not seen.
    fn actual_arguments(&self, function: Value, number: u32) -> Option<Vec<Actual>> {
        if !function.is_local() {
            return None;
        }
        function.users().into_iter().map(|user| self.actual_argument(user, function, number)).collect()
    }

    fn actual_argument(&self, user: Value, function: Value, number: u32) -> Option<Actual> {
        if !user.is_call() {
            return None;
        }
        if LLVMGetCalledValue(user) == function && !user.arguments().any(|argument| argument == function) {
            return (number < user.argument_count()).then(|| Actual::Value(user.operand(number)));
        }
        let position = user.arguments().position(|argument| argument == function)?;
        match (called(user)?.as_str(), position) {
            // The two numbers of a thread come before what a region is given.
            ("__kmpc_fork_call" | "__kmpc_fork_teams", 2) if number >= 2 => {
                (number + 1 < user.argument_count()).then(|| Actual::Value(user.operand(number + 1)))
            }
            ("__kmpc_fork_call_if", 2) if number == 2 => Some(Actual::Value(user.operand(4))),
            (TASK_ALLOC, 5) if number == 1 => Some(Actual::Task(user)),
            (INIT, 1) if chain_parameter(function) == Some(number) => Some(Actual::Value(user.operand(2))),
            _ => None,
        }
    }

    /// The module that is looked at.
    pub fn module(&self) -> Module {
        self.module
    }

    /// Bytes from the start of a structure to one of its elements.
    pub fn offset_of(&self, structure: Type, element: u32) -> i64 {
        LLVMOffsetOfElement(self.layout, structure, element) as i64
    }

    /// The size of a type in bytes.
    pub fn size(&self, ty: Type) -> u64 {
        LLVMABISizeOfType(self.layout, ty)
    }
}

enum Actual {
    Value(Value),
    Task(Value),
}

enum Stored {
    Value(Value),
    Shared(Value),
}

const TASK_ALLOC: &str = "__kmpc_omp_task_alloc";

/// The intrinsic that makes a trampoline of {memory, callee, chain}.
pub const INIT: &str = "llvm.init.trampoline";

/// The intrinsic that makes its memory an address.
pub const ADJUST: &str = "llvm.adjust.trampoline";

/// The name of the function that a call names.
pub fn called(call: Value) -> Option<String> {
    if call.is_call() { call.callee().map(Value::name) } else { None }
}

/// The number of the parameter that is the static chain: LLVM allows one.
pub fn chain_parameter(function: Value) -> Option<u32> {
    (0..LLVMCountParams(function)).find(|number| function.has_attribute(number + 1, "nest"))
}
