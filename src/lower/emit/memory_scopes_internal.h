// Tells LLVM which accesses cannot touch the same memory: a binding that is written overlaps no
// other binding, and neither workgroup variables nor the cells of locals overlap anything else.
#pragma once

#include <llvm/IR/Function.h>

namespace vyre {

// bases: the value that points to the first byte of each piece of memory. Accesses that cannot be
// traced to one of them get no scope.
void mark_memory_scopes(llvm::Function& function, llvm::ArrayRef<const llvm::Value*> bases);

}  // namespace vyre
