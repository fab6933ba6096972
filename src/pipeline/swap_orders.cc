#include "vyre/pipeline/swap_orders.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace vyre {
namespace {

using Pair = std::pair<std::size_t, std::size_t>;

// The sets of buffers that pairs join, each sorted.
std::vector<std::vector<std::size_t>> joined(std::span<const std::vector<Pair>> swaps) {
  std::map<std::size_t, std::size_t>
      label;  // for each buffer, the smallest buffer that it is joined with
  for (const auto& pairs : swaps) {
    for (const auto& [a, b] : pairs) {
      label.try_emplace(a, a);
      label.try_emplace(b, b);
      const std::size_t low = std::min(label[a], label[b]);
      const std::size_t high = std::max(label[a], label[b]);
      for (auto& [buffer, its] : label) {
        if (its == high) its = low;
      }
    }
  }
  std::map<std::size_t, std::vector<std::size_t>> sets;
  for (const auto& [buffer, its] : label) sets[its].push_back(buffer);
  std::vector<std::vector<std::size_t>> out;
  for (auto& [first, members] : sets) out.push_back(std::move(members));
  return out;
}

Result<void> find_orders(SwapGroup& group, std::span<const std::vector<Pair>> swaps,
                         std::size_t most) {
  std::vector<std::uint32_t> first(group.members.size());
  std::iota(first.begin(), first.end(), 0U);
  group.orders.push_back(first);
  std::map<std::vector<std::uint32_t>, std::uint32_t> known{{first, 0}};
  group.after.resize(swaps.size());
  for (std::size_t o = 0; o < group.orders.size(); ++o) {
    for (std::size_t loop = 0; loop < swaps.size(); ++loop) {
      std::vector<std::uint32_t> order = group.orders[o];
      for (const auto& [a, b] : swaps[loop]) {
        const std::size_t x = group.position(a);
        if (x != group.members.size()) std::swap(order[x], order[group.position(b)]);
      }
      const auto [at, fresh] =
          known.try_emplace(order, static_cast<std::uint32_t>(group.orders.size()));
      if (fresh) group.orders.push_back(std::move(order));
      group.after[loop].push_back(at->second);
      if (group.orders.size() > most) {
        return fail(Code::limit,
                    fmt::format("{} buffers change places with each other in more than {} orders",
                                group.members.size(), most),
                    "exchange fewer buffers with each other");
      }
    }
  }
  return {};
}

}  // namespace

std::size_t SwapGroup::position(std::size_t buffer) const {
  return static_cast<std::size_t>(std::ranges::find(members, buffer) - members.begin());
}

Result<std::vector<SwapGroup>> find_swap_groups(std::span<const std::vector<Pair>> swaps,
                                                std::size_t most) {
  std::vector<SwapGroup> out;
  for (auto& members : joined(swaps)) {
    SwapGroup& group = out.emplace_back();
    group.members = std::move(members);
    VYRE_CHECK(find_orders(group, swaps, most));
  }
  return out;
}

}  // namespace vyre
