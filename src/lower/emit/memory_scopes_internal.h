// Tells LLVM which accesses cannot meet: bindings do not overlap where one is written, and neither
// workgroup variables nor the cells of locals overlap anything else.
#pragma once

#include <llvm/IR/Function.h>

namespace vyre {

// bases: the first byte of each piece of memory, as the function's accesses spell it. Accesses that
// cannot be traced to one of them are left alone.
void mark_memory_scopes(llvm::Function& function, llvm::ArrayRef<const llvm::Value*> bases);

}  // namespace vyre
