#include "vyre/report/tune_record.h"

#include <fmt/format.h>

#include "vyre/report/report_text.h"

namespace vyre {

std::string again_words(const ReportBaseline& side, std::string_view name) {
  if (side.pairs == 0) return {};
  return "again, in pairs: " + paired_words(side.gain, side.pairs, name);
}

std::vector<std::string> ledger_remarks(const ReportLedger& ledger) {
  std::vector<std::string> out;
  if (ledger.doubted_ns > 0) {
    out.push_back(
        fmt::format("{} more is in doubt: a call was far too slow, and was not repeated yet",
                    time_text(ledger.doubted_ns)));
  }
  if (ledger.disturbed_ns > 0) {
    out.push_back(
        fmt::format("{} more passed while the machine stood still, as it does without a search",
                    time_text(ledger.disturbed_ns)));
  }
  return out;
}

}  // namespace vyre
