// The door: what a program that uses vyre includes. WGSL text becomes a kernel
// (parse_wgsl(text).kernel("entry")), as does a program that was built in C++ (make_kernel), and
// the interpreter runs it on bytes (interpret).
#pragma once

#include "vyre/base/error.h"
#include "vyre/base/version.h"
#include "vyre/ir/interpret/interpret.h"
#include "vyre/ir/kernel.h"
#include "vyre/wgsl/module.h"
