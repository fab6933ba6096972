// Reduces the number of points without changing the picture.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace vyre {

// The indices of at most about `most` points, ascending. The positions are divided into equal bins,
// and each bin keeps its first, its lowest and its highest point; if there are few points, all are
// kept. Both spans have the same size; points with unknown values are left out.
std::vector<std::size_t> thinned(std::span<const double> places, std::span<const double> values,
                                 std::size_t most);

}  // namespace vyre
