// Included before LLVM's headers in code that is built with the address sanitizer. Their allocators
// poison memory and lift the poison again; the LLVM that we link is not instrumented and does
// neither, so that what our code poisoned would stay poisoned while LLVM hands it out.
#pragma once

#include <sanitizer/asan_interface.h>

#define __asan_poison_memory_region(address, size) static_cast<void>(address)
#define __asan_unpoison_memory_region(address, size) static_cast<void>(address)
