//! The functions that flang's code calls by name, and what is asked of a call or of a parameter.

use crate::llvm::*;

/// The function that makes a task.
pub const TASK_ALLOC: &str = "__kmpc_omp_task_alloc";

/// The number of its argument that is the function of the task.
pub const TASK_ENTRY: u32 = 5;

/// The number of that function's parameter that is the task.
pub const TASK_PARAMETER: u32 = 1;

/// The number of the argument that is the function of a region, in the calls that [`is_fork`] names.
pub const REGION: u32 = 2;

/// The intrinsic that makes a trampoline of {memory, callee, chain}.
pub const INIT: &str = "llvm.init.trampoline";

/// The intrinsic that makes its memory an address.
pub const ADJUST: &str = "llvm.adjust.trampoline";

/// The name of the function that a call names.
pub fn called(call: Value) -> Option<String> {
    if call.is_call() { call.called_function().map(Value::name) } else { None }
}

/// The name of the function that a call names, if the module has no definition of it. A function without definition that
/// has the name of one of the run-time library's is taken for that.
pub fn runtime(call: Value) -> Option<String> {
    called(call).filter(|_| call.called_function().is_some_and(Value::is_declaration))
}

/// Whether a call copies memory: {to, from, bytes}.
pub fn is_memory_copy(call: Value) -> bool {
    called(call).is_some_and(|name| name.starts_with("llvm.memcpy.") || name.starts_with("llvm.memmove."))
}

/// Whether this function of the run-time library has a team run a region, and waits for it.
pub fn is_fork(name: &str) -> bool {
    ["__kmpc_fork_call", "__kmpc_fork_teams", "__kmpc_fork_call_if"].contains(&name)
}

/// The number of the argument of such a function that a parameter of the region is. The two numbers of the thread, which
/// the library passes, come first.
pub fn region_argument(fork: &str, parameter: u32) -> Option<u32> {
    match (fork, parameter) {
        ("__kmpc_fork_call" | "__kmpc_fork_teams", 2..) => Some(parameter + 1),
        ("__kmpc_fork_call_if", 2) => Some(4),
        _ => None,
    }
}

/// The number of the region's parameter that an argument of such a function becomes.
pub fn region_parameter(fork: &str, argument: u32) -> Option<u32> {
    match (fork, argument) {
        ("__kmpc_fork_call" | "__kmpc_fork_teams", 3..) => Some(argument - 1),
        ("__kmpc_fork_call_if", 4) => Some(2),
        _ => None,
    }
}

/// The number of the parameter that is the static chain: LLVM allows one.
pub fn chain_parameter(function: Value) -> Option<u32> {
    (0..function.parameter_count()).find(|number| function.has_attribute(number + 1, "nest"))
}

/// Whether a parameter points to a copy that the call makes, not to what the caller named.
pub fn is_byval(function: Value, number: u32) -> bool {
    ["byval", "inalloca", "preallocated", "byref"].iter().any(|by| function.has_attribute(number + 1, by))
}
