// Calls by way of a trampoline whose procedure and chain are in sight.
#pragma once

#include "llvm/IR/Function.h"

namespace statictramp {
// Makes them direct, and removes what is needed no more. True if anything changed.
bool direct(llvm::Function &function);
} // namespace statictramp
