// Replaces calls through trampolines with direct calls if the procedure and the chain are visible.
#pragma once

#include "llvm/IR/Function.h"

namespace statictramp {
// Replaces such calls in a function, and removes helper calls that are no longer needed. Returns true if anything
// changed.
bool direct(llvm::Function &function);
} // namespace statictramp
