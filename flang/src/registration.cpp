// The parts of the plugin that, like direct.cpp, need LLVM's C++ API: the positions of the passes in a pipeline, and a
// few queries. All other parts are in Rust and use the C API.

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
// Replaces trampolines with calls to the helpers, which the optimizer treats as ordinary functions.
struct Statictramp : PassInfoMixin<Statictramp> {
    PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
        return statictramp_run(wrap(&module)) ? PreservedAnalyses::none() : PreservedAnalyses::all();
    }
    static bool isRequired() { return true; } // run even at -O0
};

// Replaces calls through trampolines with direct calls, which need no trampoline.
struct Direct : PassInfoMixin<Direct> {
    PreservedAnalyses run(Function &function, FunctionAnalysisManager &) {
        if (!statictramp::direct(function))
            return PreservedAnalyses::all();
        PreservedAnalyses preserved;
        preserved.preserveSet<CFGAnalyses>();
        return preserved;
    }
};

// Permits inlining of the helpers, and marks their callers for CellsToRegisters.
struct Finish : PassInfoMixin<Finish> {
    bool mark;
    explicit Finish(bool mark) : mark(mark) {}
    PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
        return statictramp_finish(wrap(&module), mark) ? PreservedAnalyses::none() : PreservedAnalyses::all();
    }
    static bool isRequired() { return true; }
};

// Turns cells that only their hosts use into registers.
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
    // This is the only extension point that precedes all optimizations in every pipeline at every optimization level.
    builder.registerPipelineStartEPCallback(
        [](ModulePassManager &manager, OptimizationLevel) { manager.addPass(Statictramp()); });
    // Direct runs after each run of InstCombine, the LLVM pass that replaces calls through llvm.init.trampoline with
    // direct calls. Direct does the same for calls through the helpers, so that the inliner can process them.
    builder.registerPeepholeEPCallback(
        [](FunctionPassManager &manager, OptimizationLevel) { manager.addPass(Direct()); });
    // Runs after inlining. (Since LLVM 20 a callback also receives the phase of link-time optimization.)
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
