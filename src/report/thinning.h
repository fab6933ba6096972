// Fewer points for the same picture.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace vyre {

// Indices of at most about `most` points, rising. The places are cut into equal bins, and a bin
// keeps its first, its lowest and its highest point; all are kept where there are few enough. Both
// spans are of one size; points whose value is not known are left out.
std::vector<std::size_t> thinned(std::span<const double> places, std::span<const double> values,
                                 std::size_t most);

}  // namespace vyre
