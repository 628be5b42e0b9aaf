//! Whether the tasks of OpenMP, which may run later than the code that makes them, are over when a host ends.

use crate::llvm::*;
use crate::memory::{TASK_ALLOC, runtime};
use std::collections::HashSet;
use std::ffi::c_uint;

#[allow(non_snake_case)]
unsafe extern "C" {
    safe fn LLVMGetNumSuccessors(terminator: Value) -> c_uint;
    safe fn LLVMGetSuccessor(terminator: Value, number: c_uint) -> Block;
}

/// Whether a function that runs while a host does may still run, in a task, when that has ended.
pub fn function_outlives(host: Value, function: Value) -> bool {
    let mut seen = HashSet::new();
    let mut todo = vec![function];
    while let Some(function) = todo.pop() {
        if function == host || !seen.insert(function) {
            continue;
        }
        for user in function.users().into_iter().filter(|user| user.is_call()) {
            match User::of(user, function) {
                User::Call | User::Region => {}
                User::Task if may_be_left(host, user) => return true,
                User::Task => {}
                User::Other => continue, // the procedure that has it made is looked at for itself
            }
            todo.push(user.function());
        }
    }
    false
}

/// The same for a task, by the call that allocates it.
pub fn task_outlives(host: Value, task: Value) -> bool {
    may_be_left(host, task) || function_outlives(host, task.function())
}

/// Whether a host may end before a task is awaited: on the way from where it is allocated, and then from each call of
/// the function that has left it.
fn may_be_left(host: Value, task: Value) -> bool {
    let mut seen = HashSet::new();
    // A task of a task is not awaited where that is.
    let mut todo = vec![(task, false)];
    while let Some((call, is_nested)) = todo.pop() {
        if !seen.insert((call, is_nested)) || is_awaited(call, is_nested) {
            continue;
        }
        let function = call.function();
        if function == host {
            return true;
        }
        for user in function.users() {
            match User::of(user, function) {
                User::Call => todo.push((user, is_nested)),
                User::Task => todo.push((user, true)),
                User::Region => {} // which ends in a barrier
                User::Other => return true,
            }
        }
    }
    false
}

/// Whether every way from a call to the end of its function leads through one that waits for the task that the call has
/// made or left.
fn is_awaited(call: Value, is_nested: bool) -> bool {
    let mut seen = HashSet::new();
    let mut todo = vec![LLVMGetNextInstruction(call)];
    while let Some(first) = todo.pop() {
        let mut last = None;
        let awaits = std::iter::successors(first, |at| LLVMGetNextInstruction(*at))
            .inspect(|at| last = Some(*at))
            .any(|at| waits(at, call, is_nested));
        if awaits {
            continue;
        }
        let Some(last) = last else { continue };
        if matches!(last.opcode(), Some(opcode::RET | opcode::RESUME)) {
            return false;
        }
        let next = (0..LLVMGetNumSuccessors(last)).map(|number| LLVMGetSuccessor(last, number));
        todo.extend(next.filter(|block| seen.insert(*block)).map(|block| LLVMGetFirstInstruction(block)));
    }
    true
}

fn waits(at: Value, task: Value, is_nested: bool) -> bool {
    const NO_GROUP: u32 = 7;
    runtime(at).is_some_and(|name| match name.as_str() {
        "__kmpc_end_taskgroup" | "__kmpc_barrier" | "__kmpc_cancel_barrier" => true,
        "__kmpc_omp_taskwait" => !is_nested,
        "__kmpc_taskloop" | "__kmpc_taskloop_5" => at.operand(2) == task && at.operand(NO_GROUP).is_null(),
        _ => false,
    })
}

/// How a function is used.
enum User {
    Call,
    /// It is run by a team, which is awaited.
    Region,
    /// It is what a task does.
    Task,
    Other,
}

impl User {
    fn of(user: Value, function: Value) -> Self {
        if user.is_call() && LLVMGetCalledValue(user) == function {
            return User::Call;
        }
        match runtime(user).as_deref() {
            Some("__kmpc_fork_call" | "__kmpc_fork_call_if" | "__kmpc_fork_teams") => User::Region,
            Some(TASK_ALLOC) => User::Task,
            _ => User::Other,
        }
    }
}
