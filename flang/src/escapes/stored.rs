//! Stores into a variable.

use super::context::entered;
use super::library::{Use, known_use};
use crate::calls::{INIT, called, chain_parameter, is_memory_copy, runtime};
use crate::llvm::{opcode::*, *};
use crate::points_to::Steps;
use std::collections::HashSet;

/// A value that is stored in a variable at a byte offset.
#[derive(Clone, Copy)]
pub struct Stored {
    pub what: What,
    pub at: i64,
    pub bytes: i64,
}

#[derive(Clone, Copy)]
pub enum What {
    Value(Value),
    /// A copy of the memory to which this pointer points.
    Copy(Value),
    /// The address of memory that the run-time library allocates for the descriptor at this offset.
    Allocated,
}

/// The stores to a variable.
#[derive(Clone, Default)]
pub struct Stores {
    pub found: Vec<Stored>,
    /// Whether the list is complete.
    pub all: bool,
}

/// Maximum number of values visited in one search.
const MOST_VALUES: usize = 20_000;

/// Size of an address in bytes.
const ADDRESS: i64 = 8;

/// Run-time library functions that allocate memory and store its address, as the base address, in the descriptor to
/// which their first argument points.
const ALLOCATE: [&str; 5] = [
    "_FortranAAllocatableAllocate",
    "_FortranAAllocatableAllocateSource",
    "_FortranAPointerAllocate",
    "_FortranAPointerAllocateSource",
    "_FortranAAssign",
];

/// Prefixes of the names of functions that change a descriptor but leave its base address unchanged or set it to null.
const SET_NO_BASE: [&str; 14] = [
    "_FortranAAllocatableApplyMold",
    "_FortranAAllocatableDeallocate",
    "_FortranAAllocatableInit",
    "_FortranAAllocatableSet",
    "_FortranADestroy",
    "_FortranAFinalize",
    "_FortranAInitialize",
    "_FortranAPointerApplyMold",
    "_FortranAPointerDeallocate",
    "_FortranAPointerNullify",
    "_FortranAPointerSet",
    "_FortranAioInputDescriptor",
    "_FortranAioOutputDescriptor",
    "_FortranAioOutputDerivedType",
];

/// Finds the stores to a variable. By definition, a procedure that receives the variable as its chain only reads the
/// variable.
pub fn find_stores(steps: &Steps, variable: Value) -> Stores {
    let owner = variable.as_parameter().map_or_else(|| variable.function(), |(function, _)| function);
    let is_tuple = variable.users().into_iter().any(|user| is_chain_of(user, variable));
    let mut stores = Stores { found: Vec::new(), all: true };
    let mut todo = vec![(variable, 0)];
    let mut seen = HashSet::new();
    while let Some((pointer, at)) = todo.pop() {
        if !seen.insert((pointer, at)) {
            continue;
        }
        if seen.len() > MOST_VALUES {
            stores.all = false;
            break;
        }
        for user in pointer.users() {
            let pointer_use = Pointer { steps, owner, is_tuple, pointer, at };
            stores.all &= pointer_use.of(user, &mut stores.found, &mut todo).is_some();
        }
    }
    stores.all &= !stores.found.is_empty();
    stores
}

/// A pointer to a byte of a variable.
struct Pointer<'a> {
    steps: &'a Steps,
    owner: Value,
    is_tuple: bool,
    pointer: Value,
    at: i64,
}

impl Pointer<'_> {
    /// Adds the values that an instruction stores through this pointer, and the pointers that the instruction derives
    /// from it. Returns `None` if the instruction may store a value that is not visible.
    fn of(&self, user: Value, found: &mut Vec<Stored>, todo: &mut Vec<(Value, i64)>) -> Option<()> {
        let Pointer { steps, owner, pointer, at, .. } = *self;
        match user.opcode() {
            Some(LOAD | ICMP) => {}
            Some(STORE) if user.operand(0) == pointer => return self.is_tuple.then_some(()),
            // A value that a called function stores belongs to another context, and cannot be followed here.
            Some(STORE) if user.function() != owner => return None,
            Some(STORE) => {
                let bytes = steps.size(LLVMTypeOf(user.operand(0))) as i64;
                found.push(Stored { what: What::Value(user.operand(0)), at, bytes })
            }
            Some(GET_ELEMENT_PTR) => todo.push((user, at.checked_add(steps.offset(user)?)?)),
            Some(BIT_CAST | ADDR_SPACE_CAST) => todo.push((user, at)),
            Some(CALL | INVOKE) => {
                let arguments = 0..user.argument_count();
                let given = arguments.filter(|argument| user.operand(*argument) == pointer);
                return given
                    .map(|argument| self.given(user, argument, found, todo))
                    .fold(Some(()), Option::and);
            }
            _ => return None,
        }
        Some(())
    }

    /// Like `of`, but for a call that receives the pointer as an argument.
    fn given(
        &self,
        call: Value,
        argument: u32,
        found: &mut Vec<Stored>,
        todo: &mut Vec<(Value, i64)>,
    ) -> Option<()> {
        let at = self.at;
        if is_read_alone(call, argument) || is_chain_of(call, self.pointer) {
            return Some(());
        }
        let is_own = call.function() == self.owner;
        if argument == 0 && is_memory_copy(call) && is_own {
            let bytes = call.operand(2).as_integer()?;
            found.push(Stored { what: What::Copy(call.operand(1)), at, bytes });
            return Some(());
        }
        if argument == 0 && runtime(call).is_some_and(|name| ALLOCATE.contains(&name.as_str())) && is_own {
            found.push(Stored { what: What::Allocated, at, bytes: ADDRESS });
            return Some(());
        }
        let (function, number) = entered(call, argument)?;
        todo.push((function.parameter(number), at));
        Some(())
    }
}

/// Returns whether a call, or the creation of a trampoline, passes a pointer as the chain.
fn is_chain_of(user: Value, pointer: Value) -> bool {
    if !user.is_call() {
        return false;
    }
    if called(user).as_deref() == Some(INIT) {
        return user.operand(2) == pointer;
    }
    user.called_function()
        .and_then(chain_parameter)
        .is_some_and(|number| number < user.argument_count() && user.operand(number) == pointer)
}

/// Returns true if a call is known to store no address in the memory to which an argument points.
fn is_read_alone(call: Value, argument: u32) -> bool {
    let name = called(call).unwrap_or_default();
    ["llvm.lifetime.", "llvm.dbg."].iter().any(|prefix| name.starts_with(prefix))
        || (argument == 1 && is_memory_copy(call))
        || runtime(call).is_some_and(|name| {
            known_use(&name, argument) == Some(Use::Nothing)
                || SET_NO_BASE.iter().any(|prefix| name.starts_with(prefix))
        })
}
