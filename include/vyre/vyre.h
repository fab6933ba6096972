// The door: what a program that uses vyre includes. WGSL text becomes programs (parse_wgsl), a
// program a kernel (make_kernel), and the interpreter runs it on bytes (interpret).
#pragma once

#include "vyre/base/error.h"
#include "vyre/base/version.h"
#include "vyre/ir/interpret.h"
#include "vyre/ir/kernel.h"
#include "vyre/wgsl/module.h"
