// What LLVM offers to C++ alone: the registration of a pass, and two questions. Everything else is in Rust, over the C API.

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"

extern "C" bool statictramp_run(LLVMModuleRef module);

extern "C" bool statictramp_is_plain_alloca(LLVMValueRef value) {
    auto *alloca = llvm::unwrap<llvm::AllocaInst>(value);
    return !alloca->isUsedWithInAlloca() && !alloca->isSwiftError();
}

extern "C" LLVMValueRef statictramp_global(LLVMModuleRef module, const char *name, size_t bytes) {
    return llvm::wrap(llvm::unwrap(module)->getNamedValue(llvm::StringRef(name, bytes)));
}

namespace {
struct Statictramp : llvm::PassInfoMixin<Statictramp> {
    llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
        return statictramp_run(llvm::wrap(&module)) ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
    }
    static bool isRequired() { return true; } // at -O0 too
};
} // namespace

extern "C" void statictramp_register(llvm::PassBuilder &builder) {
    // The only point that every pipeline passes, at each level, and before anything is optimized.
    builder.registerPipelineStartEPCallback(
        [](llvm::ModulePassManager &manager, llvm::OptimizationLevel) { manager.addPass(Statictramp()); });
    builder.registerPipelineParsingCallback( // opt -passes=statictramp
        [](llvm::StringRef name, llvm::ModulePassManager &manager, llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
            if (name != "statictramp")
                return false;
            manager.addPass(Statictramp());
            return true;
        });
}
