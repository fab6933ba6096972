#include <fmt/format.h>

#include <algorithm>

#include "vyre/report/page/charts.h"
#include "vyre/report/report_text.h"

namespace vyre {

std::string candidates_table(const KernelView& view) {
  std::string out = "<div class=\"box data\">";
  const Findings& findings = view.findings;
  std::vector<std::uint32_t> order = findings.measured;
  order.insert(order.end(), findings.dropped.begin(), findings.dropped.end());
  order.insert(order.end(), findings.untried.begin(), findings.untried.end());
  const std::size_t all = order.size();
  order.resize(std::min(order.size(), kMostTableRows));
  const bool with_rate = is_known(view.record.bytes);
  std::vector<std::string> heads{findings.label_names.empty() ? "candidate" : findings.label_names,
                                 "time",
                                 "99% interval",
                                 "to the chosen",
                                 "spread",
                                 "samples",
                                 "expected"};
  if (with_rate) heads.emplace_back("rate");
  heads.emplace_back("state");
  std::vector<std::vector<Cell>> rows;
  for (const std::uint32_t i : order) {
    const CandidateRecord& candidate = view.record.candidates[i];
    const TimeSpread& spread = findings.spreads[i];
    const std::string none = "\xE2\x80\x93";
    const bool known = is_known(spread.median), run_now = spread.count > 0;
    const double ratio =
        is_known(findings.reference_ns) ? spread.median / findings.reference_ns : 0;
    const double expected = findings.prior_scale * candidate.prior_ns;
    std::vector<Cell> row;
    row.push_back({findings.labels[i], {}, findings.label_names.empty() ? "wrap" : ""});
    row.push_back({known ? time_text(spread.median) : none, known ? spread.median : 1e300});
    const std::string interval = interval_text(candidate.time);
    row.push_back({interval.empty() ? none : interval, candidate.time.low_ns});
    row.push_back({is_known(ratio) ? ratio_text(ratio) : none, is_known(ratio) ? ratio : 1e300});
    row.push_back({run_now ? percent_text(spread.deviation / spread.median) : none,
                   run_now ? spread.deviation / spread.median : 1e300});
    row.push_back(
        {count_text(static_cast<double>(spread.count)), static_cast<double>(spread.count)});
    row.push_back(
        {is_known(expected) ? time_text(expected) : none, is_known(expected) ? expected : 1e300});
    if (with_rate) {
      const double rate = known ? view.record.bytes / spread.median * 1e9 : 0;
      row.push_back({known ? rate_text(rate) : none, rate});
    }
    std::string state = role_text(findings, i);
    const auto also = [&](std::string_view text) {
      if (!text.empty()) state += fmt::format("{}{}", state.empty() ? "" : ", ", text);
    };
    if (!candidate.dropped.empty())
      also("dropped: " + candidate.dropped);
    else if (std::ranges::find(findings.ties, i) != findings.ties.end())
      also("within noise of the chosen");
    if (candidate.dropped.empty() && !run_now) also(known ? "run earlier" : "not run");
    if (candidate.verified) also("verified");
    row.push_back({state, {}, "wrap"});
    rows.push_back(std::move(row));
  }
  const std::string caption =
      all > order.size() ? fmt::format("The first {} of {}; the JSON has all", order.size(), all)
                         : "Spread is 1.48 times the median distance from the median. Expected is "
                           "the model's figure, scaled to the times that were measured";
  add_table(out,
            view.record.unlisted != 0
                ? fmt::format("The {} candidates that were tried as a table", all)
            : all == 1 ? "The candidate as a table"
                       : fmt::format("All {} candidates as a table", all),
            caption, heads, rows);
  out += "</div>\n";
  return out;
}

}  // namespace vyre
