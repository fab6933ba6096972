#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "vyre/base/sort.h"
#include "vyre/tune/foreign/kernel_tuner_internal.h"
#include "vyre/tune/time_words.h"

namespace vyre {
namespace {

constexpr std::size_t kMostShown = 32;

std::string state_text(const CandidateView& row, bool is_best) {
  if (row.stage == CandidateStage::dropped) return "out: " + row.dropped;
  if (is_best) return "served";
  return row.samples == 0 ? "not tried" : "";
}

// The served candidate, then the measured ones by their time, then the others.
std::vector<std::size_t> order_of(const std::vector<CandidateView>& view, std::size_t best) {
  std::vector<std::size_t> order(view.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto rank = [&](std::size_t i) {
    const bool is_out = view[i].stage == CandidateStage::dropped;
    const int group = i == best ? 0 : is_out ? 3 : view[i].samples > 0 ? 1 : 2;
    return std::pair(group, group == 1 ? view[i].time.ns : 0.0);
  };
  sort_stably(order, rank);
  return order;
}

}  // namespace

std::string explain_kernel(const TuningKey& key, const std::vector<CandidateView>& view,
                           std::uint32_t best, const Ledger& ledger, const std::string& why) {
  std::string text = fmt::format("kernel      {}", key.name);
  const auto add = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) text += fmt::format(", {} {}", name, value);
  };
  add("version", key.generator);
  add("size", key.size);
  add("on", key.device);
  add("driver", key.driver);
  add("with", key.overrides);
  text += fmt::format("\nserves      {}\n", why);
  text += fmt::format("ledger      {} spent, {} lost, {} allowed\n", time_words(ledger.spent_ns),
                      time_words(ledger.lost_ns), time_words(ledger.bound_ns));
  if (ledger.doubted_ns > 0) {
    text +=
        fmt::format("            {} in doubt: a call was far too slow, and was not repeated yet\n",
                    time_words(ledger.doubted_ns));
  }
  if (ledger.disturbed_ns > 0) {
    text += fmt::format(
        "            {} in pauses of the machine, which are no loss: it has them without a "
        "search\n",
        time_words(ledger.disturbed_ns));
  }
  std::size_t width = 0;
  for (const CandidateView& row : view) width = std::max(width, row.text.size());
  std::size_t shown = 0;
  for (const std::size_t i : order_of(view, best)) {
    if (shown++ == kMostShown) {
      text += fmt::format("  and {} more\n", view.size() - kMostShown);
      break;
    }
    const CandidateView& row = view[i];
    const std::string time =
        row.time.ns == 0 ? ""
                         : fmt::format("{} ({} to {})", time_words(row.time.ns),
                                       time_words(row.time.low_ns), time_words(row.time.high_ns));
    std::string line = fmt::format("  {:<{}}  {:>32}  {:>5} times  {}", row.text, width, time,
                                   row.samples, state_text(row, i == best));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace vyre
