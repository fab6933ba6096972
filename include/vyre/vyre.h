// The header for programs that use vyre without LLVM. WGSL text becomes a kernel by
// parse_wgsl(text).kernel("entry"), a program built in C++ by make_kernel, and interpret runs a
// kernel on bytes.
#pragma once

#include "vyre/base/error.h"
#include "vyre/base/version.h"
#include "vyre/ir/interpret/interpret.h"
#include "vyre/ir/kernel.h"
#include "vyre/wgsl/module.h"
