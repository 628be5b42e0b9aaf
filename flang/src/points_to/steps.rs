//! Single steps from one pointer to another: an offset, or an argument of a visible call.

use crate::calls::{
    INIT, REGION, TASK_ALLOC, TASK_ENTRY, TASK_PARAMETER, chain_parameter, is_fork, region_argument, runtime,
};
use crate::llvm::{opcode::*, *};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// The target of a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Base {
    /// A variable in a function's frame.
    Frame(Value),
    /// A global variable.
    Global(Value),
    /// A parameter of a function that may be called by code that is not visible.
    Parameter(Value, u32),
    /// The result of `__kmpc_omp_task_alloc`, which begins with a pointer to the task's shared data.
    Task(Value),
    /// A task's shared data.
    Shared(Value),
}

/// A base and a byte offset from it.
pub type Location = (Base, i64);

/// The argument that one call passes for a parameter.
#[derive(Clone, Copy)]
pub enum Actual {
    Value(Value),
    Task(Value),
}

/// The arguments that all calls pass for a parameter, or `None` if not all calls are visible.
type Actuals = Option<Rc<[Actual]>>;

/// Finds the steps in one module.
pub struct Steps {
    module: Module,
    layout: DataLayout,
    actuals: RefCell<HashMap<(Value, u32), Actuals>>,
    visits: Cell<u64>,
}

/// Maximum number of steps from one pointer to another. The code that front ends generate has fewer.
const MOST_STEPS: usize = 4096;

impl Steps {
    pub fn new(module: Module) -> Self {
        Steps {
            module,
            layout: LLVMGetModuleDataLayout(module),
            actuals: RefCell::default(),
            visits: Cell::new(0),
        }
    }

    /// Returns the pointer from which `pointer` is derived by steps, and the total offset if every step's offset is
    /// constant.
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

    /// Returns the variable of the same function from which `pointer` is derived by steps, and the offset of `pointer`
    /// within the variable.
    pub fn own_variable(&self, pointer: Value) -> Option<(Value, i64)> {
        let (root, offset) = self.root(pointer);
        if root.opcode() == Some(ALLOCA) && root.is_plain_pointer() { Some((root, offset?)) } else { None }
    }

    /// Returns the offset in bytes that a `getelementptr` adds, if the offset is constant.
    pub fn offset(&self, gep: Value) -> Option<i64> {
        if !gep.is_plain_pointer() {
            return None;
        }
        let mut ty = gep.source_element_type();
        let mut offset = 0i64;
        for (position, index) in gep.operands().skip(1).enumerate() {
            let index = index.as_integer()?;
            if position > 0 && ty.is_struct() {
                self.fixed_size(ty)?;
                offset = offset.checked_add(self.layout.offset_of(ty, index as u32) as i64)?;
                ty = ty.element_at(index as u32);
                continue;
            }
            if position > 0 {
                ty = if ty.is_array() { ty.element() } else { return None };
            }
            let bytes = i64::try_from(self.fixed_size(ty)?).ok()?;
            offset = offset.checked_add(index.checked_mul(bytes)?)?;
        }
        Some(offset)
    }

    /// Returns the possible arguments for a function's parameter, or `None` if some callers may not be visible.
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
        // The call must use the function only as its callee, not as an argument or in an operand bundle.
        if !user.is_call() || user.operands().filter(|operand| *operand == function).count() != 1 {
            return None;
        }
        if user.called_value() == function {
            return (number < user.argument_count()).then(|| Actual::Value(user.operand(number)));
        }
        let position = user.arguments().position(|argument| argument == function)? as u32;
        match (runtime(user)?.as_str(), position) {
            (fork, REGION) if is_fork(fork) => {
                let argument = region_argument(fork, number)?;
                (argument < user.argument_count()).then(|| Actual::Value(user.operand(argument)))
            }
            (TASK_ALLOC, TASK_ENTRY) if number == TASK_PARAMETER => Some(Actual::Task(user)),
            (INIT, 1) if chain_parameter(function) == Some(number) => Some(Actual::Value(user.operand(2))),
            _ => None,
        }
    }

    /// Returns the module under analysis.
    pub fn module(&self) -> Module {
        self.module
    }

    /// Returns the byte offset of an element from the start of its structure.
    pub fn offset_of(&self, structure: Type, element: u32) -> i64 {
        self.layout.offset_of(structure, element) as i64
    }

    /// Returns the size in bytes of a type, or 0 if the type has no fixed size.
    pub fn size(&self, ty: Type) -> u64 {
        self.fixed_size(ty).unwrap_or(0)
    }

    /// Returns the size in bytes of a type, or `None` if the type is unsized or the size known only at run time.
    pub fn fixed_size(&self, ty: Type) -> Option<u64> {
        ty.has_fixed_size().then(|| self.layout.size_of(ty))
    }

    /// Counts a step of the analysis.
    pub fn visit(&self) {
        self.visits.set(self.visits.get() + 1);
    }

    /// Returns the number of steps so far.
    pub fn visits(&self) -> u64 {
        self.visits.get()
    }
}
