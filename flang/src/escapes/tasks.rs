//! Determines whether OpenMP tasks, which may run later than the code that creates them, have completed when a host
//! returns.

use crate::calls::{TASK_ALLOC, is_fork, runtime};
use crate::llvm::*;
use std::cell::LazyCell;
use std::collections::HashSet;

const GROUP: &str = "__kmpc_taskgroup";
const GROUP_END: &str = "__kmpc_end_taskgroup";

/// Maximum nesting depth of task groups in one function.
const MOST_GROUPS: u32 = 64;

/// Returns the calls that allocate the tasks of a module.
pub fn all(module: Module) -> Vec<Value> {
    let allocators = module.functions().filter(|it| it.name() == TASK_ALLOC);
    allocators.flat_map(Value::users).filter(|it| runtime(*it).as_deref() == Some(TASK_ALLOC)).collect()
}

/// Returns whether a task may still be running `function` after the host has returned. `function` is called while the
/// host is active; `tasks` contains all tasks of the module.
pub fn function_outlives(host: Value, function: Value, tasks: &[Value]) -> bool {
    let mut seen = HashSet::new();
    let mut todo = vec![function];
    while let Some(function) = todo.pop() {
        if function == host || !seen.insert(function) {
            continue;
        }
        for user in function.users() {
            match User::of(user, function) {
                User::Call | User::Region => {}
                User::Task if may_be_left(host, user) => return true,
                User::Task => {}
                // Any task may call the function through a pointer.
                User::Other if tasks.iter().any(|task| may_be_left(host, *task)) => return true,
                User::Other => continue,
            }
            todo.push(user.function());
        }
    }
    false
}

/// Returns whether the task that this call allocates may still run after its host has returned.
pub fn task_outlives(host: Value, task: Value, tasks: &[Value]) -> bool {
    may_be_left(host, task) || function_outlives(host, task.function(), tasks)
}

/// Returns whether a host may return before the program has waited for a task. Searches all paths from the task's
/// allocation, or from a call to a function that left the task unfinished.
fn may_be_left(host: Value, task: Value) -> bool {
    let mut seen = HashSet::new();
    // Waiting for a task does not include waiting for the tasks that it has created.
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
                User::Region => {} // a region ends with a barrier
                User::Other => return true,
            }
        }
    }
    false
}

/// Returns true if every path from a call to the end of its function contains a wait for the task that the call created
/// or left unfinished.
fn is_awaited(call: Value, is_nested: bool) -> bool {
    let in_group = LazyCell::new(|| in_group(call));
    on_every_path(call.next(), |at, groups| match runtime(at).as_deref() {
        // A group waits only for tasks created inside it, so a group that began after this task does not wait for it.
        Some(GROUP_END) => groups == 0 && *in_group,
        Some(name) => waits(name, at, call, is_nested),
        None => false,
    })
}

/// Returns whether, on every path to a call, a task group that began in the same function is open at the call.
fn in_group(call: Value) -> bool {
    let mut open = true;
    let entry = call.function().entry_block();
    on_every_path(LLVMGetFirstInstruction(entry), |at, groups| {
        open &= at != call || groups > 0;
        false
    });
    open
}

/// Follows every path from an instruction to the end of its function. `is_over` receives each instruction and the
/// number of open task groups, and returns whether the path may end there. Returns false if a path may reach the end
/// before `is_over` returns true.
fn on_every_path(first: Option<Value>, mut is_over: impl FnMut(Value, u32) -> bool) -> bool {
    let mut seen = HashSet::new();
    let mut todo = vec![(first, 0)];
    let mut all = true;
    'paths: while let Some((first, mut groups)) = todo.pop() {
        let mut last = None;
        for at in std::iter::successors(first, |at| at.next()) {
            if is_over(at, groups) {
                continue 'paths;
            }
            match runtime(at).as_deref() {
                Some(GROUP) => groups += 1,
                Some(GROUP_END) => groups = groups.saturating_sub(1),
                _ => {}
            }
            last = Some(at);
        }
        let Some(last) = last else { continue };
        if groups > MOST_GROUPS || matches!(last.opcode(), Some(opcode::RET | opcode::RESUME)) {
            all = false;
            continue;
        }
        let unseen = last.successors().into_iter().filter(|block| seen.insert((*block, groups)));
        todo.extend(unseen.map(|block| (LLVMGetFirstInstruction(block), groups)));
    }
    all
}

fn waits(name: &str, at: Value, task: Value, is_nested: bool) -> bool {
    const NO_GROUP: u32 = 7;
    match name {
        "__kmpc_barrier" | "__kmpc_cancel_barrier" => true,
        "__kmpc_omp_taskwait" => !is_nested,
        "__kmpc_taskloop" | "__kmpc_taskloop_5" => at.operand(2) == task && at.operand(NO_GROUP).is_null(),
        _ => false,
    }
}

/// A use of a function.
enum User {
    Call,
    /// A team of threads runs the function, and the code that starts the team waits for it.
    Region,
    /// The function is the code of a task.
    Task,
    Other,
}

impl User {
    fn of(user: Value, function: Value) -> Self {
        if user.is_call() && user.called_value() == function {
            return User::Call;
        }
        match runtime(user).as_deref() {
            Some(name) if is_fork(name) => User::Region,
            Some(TASK_ALLOC) => User::Task,
            _ => User::Other,
        }
    }
}
