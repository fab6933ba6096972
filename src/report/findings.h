// Facts computed from a record once, for every part of the page.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vyre/report/page/spread.h"
#include "vyre/report/tune_record.h"

namespace vyre {

struct Promotion {
  std::size_t point = 0;  // in `calls`
  std::uint32_t from = 0, to = 0;
};

struct Findings {
  // By candidate; the median is its figure, which an earlier run may have measured: the count is
  // then 0.
  std::vector<TimeSpread> spreads{};
  std::vector<std::string> labels{};  // by candidate: the values of the parameters that vary
  std::string label_names{};          // of those parameters: "workgroup · items"
  std::vector<std::uint32_t>
      measured{};  // now or by an earlier run, and not dropped; fastest first
  std::vector<std::uint32_t> dropped{};
  std::vector<std::uint32_t> untried{};  // nothing is known of them
  std::optional<std::uint32_t> chosen{}, start{}, declared{};
  double chosen_ns = 0, start_ns = 0, declared_ns = 0;  // their figures; 0: not known
  // Those whose 99% interval holds the chosen one's time, without that itself: nothing shows that
  // they are faster or slower.
  std::vector<std::uint32_t> ties{};
  double reference_ns = 0;              // what times of candidates are compared with: chosen_ns
  double prior_scale = 0;               // times a prior gives a time; 0: nothing to compare with
  std::vector<Promotion> promotions{};  // none in the mode `on`
  std::vector<std::uint64_t> probes{};  // by candidate
};

Findings findings_of(const TuneRecord& record);

// The positions of parameters that vary, without those that other parameters determine, such as a
// workgroup that overrides set. Empty if candidates have no common parameters.
std::vector<std::size_t> telling_parameters(const TuneRecord& record);

// How many times as fast the chosen candidate is; 0: unknown.
double gain_over_start(const Findings& findings);
double gain_over_declared(const Findings& findings);

// "1.43× faster than the declared workgroup, 1.02× faster than the first guess": one sentence
// without a full stop, for the top of the page.
std::string headline(const TuneRecord& record, const Findings& findings);

}  // namespace vyre
