//! Finds where a module makes trampolines, and whether each place is of a shape that can be rewritten.

use crate::llvm::{opcode::*, *};
use crate::memory::{ADJUST, INIT, called};
use crate::report::{Remark, Severity};

/// One `llvm.init.trampoline`.
pub struct Site {
    /// The call of the intrinsic.
    pub init: Value,
    /// The function that it is in.
    pub function: Value,
    /// The memory that the front end set aside for code, a variable of the function.
    pub memory: Value,
    /// The procedure to call.
    pub callee: Value,
    /// What it is given in the static-chain register.
    pub chain: Value,
}

/// Memory for a trampoline, and the calls that make it an address.
pub struct Adjust {
    pub adjust: Value,
    pub memory: Value,
}

/// What a module has of them.
pub struct Found {
    pub sites: Vec<Site>,
    pub adjusts: Vec<Adjust>,
    /// About whatever is not understood.
    pub remarks: Vec<Remark>,
}

/// All that is understood, and a remark for whatever is not.
pub fn find(module: Module) -> Found {
    let mut remarks = Vec::new();
    let layout = LLVMGetModuleDataLayout(module);
    let mut understood = |call: Value| match why_not(call, layout) {
        None => true,
        Some(why) => {
            remarks.push(Remark::new(
                Severity::Warning,
                call,
                format!("{why}: this trampoline is left to the compiler, and the stack will be executable"),
            ));
            false
        }
    };
    let inits = calls(module, INIT).into_iter().filter(|call| understood(*call));
    let sites: Vec<_> = inits
        .map(|init| Site {
            init,
            function: init.function(),
            memory: init.operand(0),
            callee: init.operand(1),
            chain: init.operand(2),
        })
        .collect();
    let adjusts = calls(module, ADJUST).into_iter().filter(|call| understood(*call));
    let adjusts = adjusts.map(|adjust| Adjust { adjust, memory: adjust.operand(0) }).collect();
    Found { sites, adjusts, remarks }
}

/// The calls of an intrinsic, in the order of the module: that of the uses differs between a file and its text.
fn calls(module: Module, intrinsic: &str) -> Vec<Value> {
    let Some(intrinsic) = module.function(intrinsic) else { return Vec::new() };
    let users = intrinsic.users();
    let has_one = |function: &Value| users.iter().any(|user| user.is_call() && user.function() == *function);
    let all = module.functions().filter(has_one).flat_map(|function| function.instructions());
    all.filter(|at| at.is_call() && at.callee() == Some(intrinsic)).collect()
}

/// Why a call of one of the intrinsics has to stay.
fn why_not(call: Value, layout: DataLayout) -> Option<&'static str> {
    let function = call.function();
    let pointer = LLVMTypeOf(call.operand(0));
    if LLVMGetPointerAddressSpace(pointer) != 0 {
        return Some("its memory is in another address space");
    }
    if LLVMABISizeOfType(layout, pointer) != 8 {
        return Some("the library serves flang on targets of 64 bits");
    }
    if let Some(why) = why_no_exits(function) {
        return Some(why);
    }
    why_not_memory(call.operand(0))
}

/// Why the memory of a trampoline cannot be where an address is kept: the front end's other uses of it, which expect
/// code, would find that. An optimizer may have merged what uses one of several variables.
fn why_not_memory(memory: Value) -> Option<&'static str> {
    let mut reached = vec![memory];
    let mut next = 0;
    while let Some(pointer) = reached.get(next).copied() {
        next += 1;
        let mut merged = match pointer.opcode() {
            Some(ALLOCA) => Vec::new(),
            Some(PHI) => pointer.operands().collect(),
            Some(SELECT) => pointer.operands().skip(1).collect(),
            _ => return Some("its memory is not a variable of the same function"),
        };
        for user in pointer.users() {
            match user.opcode() {
                Some(PHI | SELECT) => merged.push(user),
                _ if is_known_use(user, pointer) => {}
                _ => return Some("its memory is used otherwise, too"),
            }
        }
        merged.retain(|value| !reached.contains(value));
        reached.extend(merged);
    }
    None
}

fn is_known_use(user: Value, memory: Value) -> bool {
    called(user).is_some_and(|name| {
        name == ADJUST || name.starts_with("llvm.lifetime.") || (name == INIT && user.operand(0) == memory)
    })
}

/// Why nothing can be freed at the exits of a function.
pub fn why_no_exits(function: Value) -> Option<&'static str> {
    if function.has_attribute(FUNCTION_ATTRIBUTES, "presplitcoroutine") {
        return Some("a coroutine has no exit at which to free it");
    }
    (LLVMHasPersonalityFn(function) != 0 && function.instructions().any(is_funclet))
        .then_some("its host has funclets for exceptions")
}

fn is_funclet(instruction: Value) -> bool {
    matches!(instruction.opcode(), Some(CLEANUP_RET | CATCH_SWITCH))
}
