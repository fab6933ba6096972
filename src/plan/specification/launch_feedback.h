// A bounded memory of measured launches and the workgroups chosen from them, shared by all threads.
// Choices, but not times, are also kept in the decision file of the device.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "vyre/base/memory/lru_index.h"
#include "vyre/base/process/fork_watch.h"
#include "vyre/plan/adapter.h"
#include "vyre/plan/specification/dispatch_config.h"
#include "vyre/plan/specification/eligibility.h"
#include "vyre/plan/specification/feedback_store.h"
#include "vyre/tune/decisions/candidates.h"
#include "vyre/tune/tuning_mode.h"

namespace vyre {

// In memory, and in each file.
inline constexpr std::size_t kMaxFeedbackEntries = 4096;
// The most widths remembered for one launch; no device has more.
inline constexpr std::size_t kMaxMeasuredWidths = 1024;

enum class FeedbackSource : std::uint8_t { cold_start, measured, stored };

struct Resolution {
  std::optional<Extent> workgroup;  // absent: keep the declared one
  FeedbackSource source = FeedbackSource::cold_start;
  // Why there is no answer; none: there is nothing to choose from.
  Ineligible ineligible = Ineligible::none;
};

enum class RecordRefusal : std::uint8_t {
  none,
  mode,          // only the natural-gradient mode learns
  no_time,       // the time is zero
  overridden,    // the caller fixed the workgroup or the grid
  does_not_fit,  // the measured workgroup is outside the limits, or has several axes
  ineligible,
  too_many_widths,
  no_selection,  // fewer than two widths fit
};

struct RecordAnswer {
  RecordRefusal refusal = RecordRefusal::none;
  Extent selected{};  // when accepted

  bool accepted() const { return refusal == RecordRefusal::none; }
};

struct LaunchObservation {
  const DispatchConfig& config;
  std::uint32_t element_count = 0;
  Extent workgroup{};
  std::uint64_t elapsed_ns = 0;
};

class LaunchFeedback {
 public:
  LaunchFeedback() = default;
  LaunchFeedback(const LaunchFeedback&) = delete;
  LaunchFeedback& operator=(const LaunchFeedback&) = delete;

  // The choice in memory, else the one in the file, else the cold start. The last two are
  // remembered; a cold start is never written to the file. Estimates and measurements are compared
  // directly.
  Resolution resolve(const ProgramFacts& program, const Adapter& adapter,
                     std::uint32_t element_count);

  // Records one measured launch. The measurement and the new choice are stored in one atomic step.
  // The choice is then written to the file; a failure to write is logged and changes no answer.
  RecordAnswer record(const ProgramFacts& program, const Adapter& adapter,
                      const LaunchObservation& observation, TunerMode mode);

  // The measurements of a launch, ascending by workgroup. Does not count as a use of the entry.
  std::vector<Measurement> measurements(const ProgramFacts& program, const Adapter& adapter,
                                        std::uint32_t element_count) const;

  std::size_t size() const;
  // Forgets everything in memory, as a restart of the process would.
  void forget_memory();

 private:
  struct Key {
    Digest fingerprint;
    Extent declared{};
    std::uint32_t element_count = 0;
    AdapterId adapter;

    bool operator==(const Key&) const = default;
  };
  struct Entry {
    Key key;
    Extent selected{};
    FeedbackSource source = FeedbackSource::cold_start;
    std::vector<Measurement> measured;  // ascending by workgroup
  };
  // A key that refers to its parts, for looking up without copying.
  struct KeyView {
    const Digest& fingerprint;
    const Extent& declared;
    std::uint32_t element_count;
    const AdapterId& adapter;
    std::uint64_t hash;

    KeyView(const ProgramFacts& program, const Adapter& adapter, std::uint32_t element_count);
    bool operator==(const Key& key) const;
    Key copy() const { return {fingerprint, declared, element_count, adapter}; }
  };

  // With the mutex held. find() counts as a use of the entry.
  Entry* find(const KeyView& key);
  Entry& insert(const KeyView& key);

  std::shared_ptr<FeedbackStore> store_of(const Adapter& adapter);

  mutable ForkSafeMutex mutex_;
  LruIndex<kMaxFeedbackEntries> index_;
  std::vector<Entry> entries_;  // by slot of the index

  // By path. Made on first use and kept until memory is forgotten.
  ForkSafeMutex stores_mutex_;
  std::map<std::filesystem::path, std::shared_ptr<FeedbackStore>> stores_;
};

}  // namespace vyre
