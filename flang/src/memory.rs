//! Where a pointer of the module points: to which variable, followed through parameters of local functions, through the
//! record in which an OpenMP region is given what it shares, and through what a host stores in its tuple.
//!
//! A variable is believed to hold what the module stores there only if all that can write it is seen (see [`crate::reach`]).
//! Whatever is not of one of these shapes is unknown, and nothing is done that relies on it.

use crate::llvm::{opcode::*, *};
use crate::points::Graph;
use crate::reach::{Reach, Reaches};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// Where a pointer points.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
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

/// What a parameter is in one call.
#[derive(Clone, Copy)]
pub enum Actual {
    Value(Value),
    Task(Value),
}

/// What it is in all calls, `None` if these are not all seen.
type Actuals = Option<Rc<[Actual]>>;

/// Follows pointers in one module.
pub struct Memory {
    module: Module,
    layout: DataLayout,
    graph: RefCell<Graph>,
    reaches: RefCell<Reaches>,
    actuals: RefCell<HashMap<(Value, u32), Actuals>>,
    visits: Cell<u64>,
}

/// A pointer that is made of another by more steps than this is not followed. No front end makes as many.
const MOST_STEPS: usize = 4096;

impl Memory {
    pub fn new(module: Module) -> Self {
        Memory {
            module,
            layout: LLVMGetModuleDataLayout(module),
            graph: RefCell::default(),
            reaches: RefCell::default(),
            actuals: RefCell::default(),
            visits: Cell::new(0),
        }
    }

    /// All places to which a pointer may point, `None` where that is unknown.
    pub fn places(&self, pointer: Value) -> Option<Vec<Place>> {
        self.graph.borrow_mut().places(self, pointer)
    }

    /// The parameters through which pointers come to where they are, as far as that is seen.
    pub fn parameters_on_the_way(&self, pointers: Vec<Value>) -> Vec<(Value, u32)> {
        self.graph.borrow_mut().way(self, pointers)
    }

    /// The pointer that another is made of by steps, and the sum of these, if they are constant.
    pub fn root(&self, pointer: Value) -> (Value, Option<i64>) {
        let (mut root, mut offset) = (pointer, Some(0i64));
        for _ in 0..MOST_STEPS {
            match root.opcode() {
                Some(GET_ELEMENT_PTR) => {
                    offset = offset.and_then(|offset| offset.checked_add(self.offset(root)?))
                }
                Some(BIT_CAST | ADDR_SPACE_CAST | FREEZE) => {}
                _ => return (root, offset),
            }
            root = root.operand(0);
            self.visit();
        }
        (root, None)
    }

    /// The variable of its own function to which a pointer points, if that can be seen at once.
    pub fn own_variable(&self, pointer: Value) -> Option<(Value, i64)> {
        let (root, offset) = self.root(pointer);
        if root.opcode() == Some(ALLOCA) && root.is_plain_pointer() { Some((root, offset?)) } else { None }
    }

    /// Bytes that a `getelementptr` adds, if they are constant.
    pub fn offset(&self, gep: Value) -> Option<i64> {
        if !gep.is_plain_pointer() {
            return None;
        }
        let mut ty = LLVMGetGEPSourceElementType(gep);
        let mut offset = 0i64;
        for (position, index) in gep.operands().skip(1).enumerate() {
            let index = index.as_integer()?;
            if position > 0 && ty.is_struct() {
                self.fixed_size(ty)?;
                offset = offset.checked_add(LLVMOffsetOfElement(self.layout, ty, index as u32) as i64)?;
                ty = LLVMStructGetTypeAtIndex(ty, index as u32);
                continue;
            }
            if position > 0 {
                ty = if ty.is_array() { LLVMGetElementType(ty) } else { return None };
            }
            let bytes = i64::try_from(self.fixed_size(ty)?).ok()?;
            offset = offset.checked_add(index.checked_mul(bytes)?)?;
        }
        Some(offset)
    }

    /// What a parameter of a function can be: `None` if there may be callers that are not seen.
    pub fn actual_arguments(&self, function: Value, number: u32) -> Actuals {
        if let Some(known) = self.actuals.borrow().get(&(function, number)) {
            return known.clone();
        }
        let found = if function.is_local() {
            let users = function.users();
            users.into_iter().map(|user| self.actual_argument(user, function, number)).collect()
        } else {
            None
        };
        self.actuals.borrow_mut().insert((function, number), found.clone());
        found
    }

    fn actual_argument(&self, user: Value, function: Value, number: u32) -> Option<Actual> {
        self.visit();
        // Once: neither an argument too, nor in a bundle of operands.
        if !user.is_call() || user.operands().filter(|operand| *operand == function).count() != 1 {
            return None;
        }
        if LLVMGetCalledValue(user) == function {
            return (number < user.argument_count()).then(|| Actual::Value(user.operand(number)));
        }
        let position = user.arguments().position(|argument| argument == function)?;
        match (runtime(user)?.as_str(), position) {
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

    /// What all that can write a variable stores at an offset of it, eight bytes at a time.
    pub fn contents(&self, variable: Value, offset: i64) -> Option<Vec<Value>> {
        let reach = self.reach(variable)?;
        reach.contents(self, offset)
    }

    /// The same for what a task shares.
    pub fn shared_contents(&self, task: Value, offset: i64) -> Option<Vec<Value>> {
        let reach = self.reach_of_shared(task)?;
        reach.contents(self, offset)
    }

    /// All that is done with a variable, a task or their parts, `None` if some of it is not seen.
    pub fn reach(&self, of: Value) -> Option<Rc<Reach>> {
        Reaches::of(&self.reaches, self, of)
    }

    /// The same with what a task shares.
    pub fn reach_of_shared(&self, task: Value) -> Option<Rc<Reach>> {
        Reaches::of_shared(&self.reaches, self, task)
    }

    /// The module that is looked at.
    pub fn module(&self) -> Module {
        self.module
    }

    /// Bytes from the start of a structure to one of its elements.
    pub fn offset_of(&self, structure: Type, element: u32) -> i64 {
        LLVMOffsetOfElement(self.layout, structure, element) as i64
    }

    /// The size in bytes of a type that has one.
    pub fn size(&self, ty: Type) -> u64 {
        self.fixed_size(ty).unwrap_or(0)
    }

    /// The same; `None` for what has no size, or one that only the processor knows.
    pub fn fixed_size(&self, ty: Type) -> Option<u64> {
        ty.has_fixed_size().then(|| LLVMABISizeOfType(self.layout, ty))
    }

    /// Counts a step of the analysis.
    pub fn visit(&self) {
        self.visits.set(self.visits.get() + 1);
    }

    /// How many steps there were.
    pub fn visits(&self) -> u64 {
        self.visits.get()
    }
}

/// The function that makes a task.
pub const TASK_ALLOC: &str = "__kmpc_omp_task_alloc";

/// The intrinsic that makes a trampoline of {memory, callee, chain}.
pub const INIT: &str = "llvm.init.trampoline";

/// The intrinsic that makes its memory an address.
pub const ADJUST: &str = "llvm.adjust.trampoline";

/// The name of the function that a call names.
pub fn called(call: Value) -> Option<String> {
    if call.is_call() { call.callee().map(Value::name) } else { None }
}

/// The same for a function of which the module has no definition: what goes by the name of one of the run-time library's
/// is that.
pub fn runtime(call: Value) -> Option<String> {
    called(call).filter(|_| call.callee().is_some_and(Value::is_declaration))
}

/// The number of the parameter that is the static chain: LLVM allows one.
pub fn chain_parameter(function: Value) -> Option<u32> {
    (0..LLVMCountParams(function)).find(|number| function.has_attribute(number + 1, "nest"))
}

/// Whether a parameter points to a copy that the call makes, not to what the caller named.
pub fn is_copy(function: Value, number: u32) -> bool {
    ["byval", "inalloca", "preallocated", "byref"].iter().any(|by| function.has_attribute(number + 1, by))
}
