// Records as a search would leave them, made up: for tests, and for looking at pages.
#pragma once

#include <cstdint>

#include "vyre/report/tune_record.h"

namespace vyre {

// A GPU's streaming kernel: 9 workgroups, 3 items a lane, 2 layouts; some promotions early, some
// candidates dropped, and the rest of the calls on the winner. The same seed gives the same record.
TuneRecord synthetic_gpu_record(std::uint64_t calls = 1000, std::uint64_t seed = 1);
// A CPU's kernel with two parameters and more noise.
TuneRecord synthetic_cpu_record(std::uint64_t calls = 400, std::uint64_t seed = 2);

// With the first record alone, or with `kernels` of them.
TuneReport synthetic_report(std::uint32_t kernels = 1, std::uint64_t calls = 1000);

// Every text is hostile: quotes, tags, scripts, bytes that are no UTF-8, line ends.
TuneReport hostile_report();

}  // namespace vyre
