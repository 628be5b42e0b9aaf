// Replaces calls through a trampoline whose procedure and chain are visible.
#pragma once

#include "llvm/IR/Function.h"

namespace statictramp {
// Replaces these calls in a function with direct calls, and removes helper calls that are no longer needed. Returns
// true if anything changed.
bool direct(llvm::Function &function);
} // namespace statictramp
