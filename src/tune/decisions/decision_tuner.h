// The decisions of one adapter, as sweeps and launches use them.
#pragma once

#include <expected>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "vyre/base/extent.h"
#include "vyre/tune/decisions/candidates.h"
#include "vyre/tune/decisions/decision_cache.h"
#include "vyre/tune/errors.h"
#include "vyre/tune/tuning_mode.h"

namespace vyre {

class Tuner {
 public:
  explicit Tuner(std::filesystem::path path, TunerMode mode)
      : cache_(std::move(path)), mode_(mode) {}
  // Uses the adapter's file in the user's cache folder.
  static Tuner for_adapter(std::string_view adapter, TunerMode mode) {
    return Tuner(decision_cache_path(CacheEnvironment::of_process(), adapter), mode);
  }

  // Only stored and reported; it changes neither resolving nor sweeping.
  TunerMode mode() const { return mode_; }
  const std::filesystem::path& path() const { return cache_.path(); }
  // Why the decisions of the file are not used; the file is then never overwritten.
  std::optional<CacheError> load_error() const { return cache_.load_error(); }

  // The decision for the key, else the default workgroup.
  Extent resolve(std::string_view key) { return cache_.find(key).value_or(kDefaultWorkgroup); }
  std::expected<void, InvalidDecision> record(std::string_view key, const Extent& workgroup) {
    return cache_.record(key, workgroup);
  }
  std::expected<SaveReport, CacheError> persist() { return cache_.save(); }

 private:
  DecisionCache cache_;
  TunerMode mode_;
};

}  // namespace vyre
