// What LLVM offers to C++ alone: where in a pipeline the passes run, and a few questions. The rest is in Rust, over the
// C API, but for what the optimizer is told (direct.cpp).

#include "direct.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/Scalar/SROA.h"

using namespace llvm;

extern "C" bool statictramp_run(LLVMModuleRef module);
extern "C" bool statictramp_finish(LLVMModuleRef module, bool mark);

extern "C" bool statictramp_is_plain_alloca(LLVMValueRef value) {
    auto *alloca = unwrap<AllocaInst>(value);
    return !alloca->isUsedWithInAlloca() && !alloca->isSwiftError();
}

extern "C" LLVMValueRef statictramp_global(LLVMModuleRef module, const char *name, size_t bytes) {
    return wrap(unwrap(module)->getNamedValue(StringRef(name, bytes)));
}

extern "C" bool statictramp_direct(LLVMValueRef function) { return statictramp::direct(*unwrap<Function>(function)); }

namespace {
// Trampolines become calls of the helpers, which the optimizer sees as no more than that.
struct Statictramp : PassInfoMixin<Statictramp> {
    PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
        return statictramp_run(wrap(&module)) ? PreservedAnalyses::none() : PreservedAnalyses::all();
    }
    static bool isRequired() { return true; } // at -O0 too
};

// Calls that need no trampoline any more.
struct Direct : PassInfoMixin<Direct> {
    PreservedAnalyses run(Function &function, FunctionAnalysisManager &) {
        if (!statictramp::direct(function))
            return PreservedAnalyses::all();
        PreservedAnalyses preserved;
        preserved.preserveSet<CFGAnalyses>();
        return preserved;
    }
};

// The helpers are to be inlined; functions that call them are marked for CellsToRegisters.
struct Finish : PassInfoMixin<Finish> {
    bool mark;
    explicit Finish(bool mark) : mark(mark) {}
    PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
        return statictramp_finish(wrap(&module), mark) ? PreservedAnalyses::none() : PreservedAnalyses::all();
    }
    static bool isRequired() { return true; }
};

// Cells that their hosts alone have become registers.
struct CellsToRegisters : PassInfoMixin<CellsToRegisters> {
    PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
        if (!function.hasFnAttribute("statictramp"))
            return PreservedAnalyses::all();
        function.removeFnAttr("statictramp");
        return SROAPass(SROAOptions::ModifyCFG).run(function, analyses);
    }
};

void finish(ModulePassManager &manager, OptimizationLevel level) {
    manager.addPass(Finish(level != OptimizationLevel::O0));
    manager.addPass(AlwaysInlinerPass(/*InsertLifetime=*/false));
    if (level != OptimizationLevel::O0)
        manager.addPass(createModuleToFunctionPassAdaptor(CellsToRegisters()));
}
} // namespace

extern "C" void statictramp_register(PassBuilder &builder) {
    // The only point that every pipeline passes, at each level, and before anything is optimized.
    builder.registerPipelineStartEPCallback(
        [](ModulePassManager &manager, OptimizationLevel) { manager.addPass(Statictramp()); });
    // Where the optimizer itself has calls by way of llvm.init.trampoline made direct ones: the inliner goes on from there.
    builder.registerPeepholeEPCallback(
        [](FunctionPassManager &manager, OptimizationLevel) { manager.addPass(Direct()); });
    // When inlining has had its turn. (From LLVM 20 on a callback is told the phase of link-time optimization, too.)
    builder.registerOptimizerEarlyEPCallback([](ModulePassManager &manager, OptimizationLevel level, auto...) {
        if (level != OptimizationLevel::O0)
            finish(manager, level);
    });
    builder.registerOptimizerLastEPCallback(
        [](ModulePassManager &manager, OptimizationLevel level, auto...) { finish(manager, level); });
    builder.registerPipelineParsingCallback( // opt -passes=statictramp
        [](StringRef name, ModulePassManager &manager, ArrayRef<PassBuilder::PipelineElement>) {
            if (name != "statictramp")
                return false;
            manager.addPass(Statictramp());
            manager.addPass(createModuleToFunctionPassAdaptor(Direct()));
            finish(manager, OptimizationLevel::O0);
            return true;
        });
}
