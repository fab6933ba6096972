// Sorting that keeps the order of equals. The standard library's own is deprecated inside, where
// clang compiles it with the headers of g++ 12.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

namespace vyre {

// Sorts by `key(item)`, ascending.
template <class T, class Key>
void sort_stably(std::vector<T>& items, Key&& key) {
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const auto& left = std::invoke(key, std::as_const(items[a]));
    const auto& right = std::invoke(key, std::as_const(items[b]));
    if (left < right) return true;
    if (right < left) return false;
    return a < b;
  });
  std::vector<T> out;
  out.reserve(items.size());
  for (const std::size_t i : order) out.push_back(std::move(items[i]));
  items = std::move(out);
}

}  // namespace vyre
