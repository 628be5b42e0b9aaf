//! Declares the library functions and the helpers in a module.

use crate::llvm::*;

const TAKE: &str = "statictramp.take";
const TAKE_SHARED: &str = "statictramp.take.shared";
const END: &str = "statictramp.end";
const SHARE: &str = "statictramp_share";

const HELPERS: &str = include_str!("helpers.ll");

/// The run-time library functions called by the helpers, and the function called by rewritten code.
const RUN_TIME: [&str; 4] =
    ["_FortranAInitTrampoline", "_FortranAAdjustTrampoline", "_FortranAFreeTrampoline", SHARE];

/// A function and its type, which does not depend on how the module declares the function.
#[derive(Clone, Copy)]
pub struct Declared {
    function: Value,
    ty: Type,
}

impl Declared {
    pub fn call(&self, builder: &Builder, arguments: &[Value]) -> Value {
        builder.call(self.ty, self.function, arguments)
    }
}

/// The functions called by rewritten code.
pub struct Library {
    pub take: Declared,
    pub take_shared: Declared,
    pub end: Declared,
    pub share: Declared,
}

impl Library {
    pub fn declare(module: Module) -> Self {
        let context = LLVMGetModuleContext(module);
        let pointer = context.pointer();
        let declare = |name: &str, result, parameters: &[Type]| {
            let ty = function_type(result, parameters);
            let function = module.function(name).unwrap_or_else(|| module.add_function(name, ty));
            Declared { function, ty }
        };
        let void = LLVMVoidTypeInContext(context);
        Library {
            take: declare(TAKE, pointer, &[pointer; 4]),
            take_shared: declare(TAKE_SHARED, pointer, &[pointer; 4]),
            end: declare(END, void, &[pointer]),
            share: declare(SHARE, pointer, &[pointer; 2]),
        }
    }

    /// Removes declarations that no call uses.
    pub fn remove_unused(&self) {
        for Declared { function, .. } in [self.take, self.take_shared, self.end, self.share] {
            if LLVMGetFirstUse(function).is_none() && function.is_declaration() {
                function.delete_function();
            }
        }
    }
}

/// Returns a name that rewritten code needs but the module uses for another purpose, if there is one.
pub fn taken(module: Module) -> Option<&'static str> {
    let is_ours = |name: &&str| match module.global(name) {
        None => true,
        Some(global) => LLVMIsAFunction(global).is_some_and(|function| {
            // A module that was partly rewritten earlier already contains the helpers.
            function.is_declaration() || function.linkage() == LINK_ONCE_ODR
        }),
    };
    let run_time = |name: &&str| match module.global(name) {
        None => true,
        Some(global) => LLVMIsAFunction(global).is_some_and(|function| !function.is_local()),
    };
    let helpers = [TAKE, TAKE_SHARED, END].into_iter().find(|name| !is_ours(name));
    helpers.or_else(|| RUN_TIME.into_iter().find(|name| !run_time(name)))
}

/// Links the helpers that the module calls.
pub fn link_helpers(module: Module) {
    module.link(HELPERS)
}

/// Ends the special treatment of the helpers: from now on the optimizer inlines them, and no attributes describe their
/// effects. If `mark` is true, marks each function that calls a helper, for a later pass. Returns true if anything
/// changed.
pub fn finish(module: Module, mark: bool) -> bool {
    let mut changed = false;
    let helpers = [TAKE, TAKE_SHARED, END].into_iter().filter_map(|name| module.function(name));
    for helper in helpers
        .filter(|it| it.linkage() == LINK_ONCE_ODR && it.has_attribute(FUNCTION_ATTRIBUTES, "noinline"))
    {
        helper.remove_attribute(FUNCTION_ATTRIBUTES, "noinline");
        helper.remove_attribute(FUNCTION_ATTRIBUTES, "memory");
        for parameter in 1..=helper.parameter_count() {
            ["nocapture", "captures", "readnone"]
                .iter()
                .for_each(|limit| helper.remove_attribute(parameter, limit));
        }
        helper.add_attribute(FUNCTION_ATTRIBUTES, "alwaysinline");
        for user in helper.users().into_iter().filter(|user| mark && user.is_call()) {
            user.function().mark("statictramp");
        }
        changed = true;
    }
    changed
}
