#include <omp.h>

#include "native.h"

namespace vyre::bench {
void set_native_threads(unsigned threads) { omp_set_num_threads(static_cast<int>(threads)); }
}  // namespace vyre::bench
