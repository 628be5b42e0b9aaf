//! Names of functions that flang-compiled code calls, and queries about calls and parameters.

use crate::llvm::*;

/// The function that allocates temporary variables and a task's copies of firstprivate variables.
pub const MALLOC: &str = "malloc";

/// The function that allocates a task.
pub const TASK_ALLOC: &str = "__kmpc_omp_task_alloc";

/// Index of the [`TASK_ALLOC`] argument that points to the task's function.
pub const TASK_ENTRY: u32 = 5;

/// Index of the parameter through which a task's function receives the task.
pub const TASK_PARAMETER: u32 = 1;

/// Index of the fork call's argument (see [`is_fork`]) that points to the region's function.
pub const REGION: u32 = 2;

/// The intrinsic that makes a trampoline from three arguments: {memory, callee, chain}.
pub const INIT: &str = "llvm.init.trampoline";

/// The intrinsic that turns a trampoline's memory into the address to call.
pub const ADJUST: &str = "llvm.adjust.trampoline";

/// Returns the name of a direct call's callee.
pub fn called(call: Value) -> Option<String> {
    if call.is_call() { call.called_function().map(Value::name) } else { None }
}

/// Returns the name of a direct call's callee, unless the module defines it. An undefined function with the name of a
/// run-time library function is assumed to be that function.
pub fn runtime(call: Value) -> Option<String> {
    called(call).filter(|_| call.called_function().is_some_and(Value::is_declaration))
}

/// Returns whether a call copies memory. Its arguments are then {destination, source, size in bytes}.
pub fn is_memory_copy(call: Value) -> bool {
    called(call).is_some_and(|name| name.starts_with("llvm.memcpy.") || name.starts_with("llvm.memmove."))
}

/// Returns whether this run-time library function runs a region in a team of threads and waits for the team.
pub fn is_fork(name: &str) -> bool {
    ["__kmpc_fork_call", "__kmpc_fork_teams", "__kmpc_fork_call_if"].contains(&name)
}

/// Returns the fork call's argument index for a region parameter. The OpenMP library passes thread numbers for the
/// first two parameters of a region.
pub fn region_argument(fork: &str, parameter: u32) -> Option<u32> {
    match (fork, parameter) {
        ("__kmpc_fork_call" | "__kmpc_fork_teams", 2..) => Some(parameter + 1),
        ("__kmpc_fork_call_if", 2) => Some(4),
        _ => None,
    }
}

/// Returns the index of the region parameter that receives an argument of a fork call.
pub fn region_parameter(fork: &str, argument: u32) -> Option<u32> {
    match (fork, argument) {
        ("__kmpc_fork_call" | "__kmpc_fork_teams", 3..) => Some(argument - 1),
        ("__kmpc_fork_call_if", 4) => Some(2),
        _ => None,
    }
}

/// Returns the index of the static-chain parameter. LLVM allows at most one.
pub fn chain_parameter(function: Value) -> Option<u32> {
    (0..function.parameter_count()).find(|number| function.has_attribute(number + 1, "nest"))
}

/// Returns whether a parameter may point to a copy that the call made, rather than to a variable that the caller owns.
pub fn is_byval(function: Value, number: u32) -> bool {
    ["byval", "inalloca", "preallocated", "byref"].iter().any(|by| function.has_attribute(number + 1, by))
}
