// How the steps of a pipeline are submitted.
//
// A run is open or closed. An open run submits one launch after the other, so that the tuner can
// try, compare and time each of them. A closed run plays a recording of all launches: a GPU takes
// the recording in one call, and the CPU may run neighbouring launches in bands of rows. Runs are
// open while a step is being tuned. Afterwards they are closed, except for at most one in
// kClosedPlays + 1, in which the tuner takes times.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vyre/base/process/fork_watch.h"
#include "vyre/engine/pipeline/pipeline_bands.h"
#include "vyre/engine/session.h"

namespace vyre {

// A launch of a pipeline, with the memory that must hold zeros before it.
struct PlayStep {
  std::vector<Buffer> cleared;
  Dispatch dispatch;
  std::shared_ptr<const LaunchReach> reach{};  // null: not known
  bool host_looks = false;                     // the host may read what earlier launches wrote
};

// An error if the pipeline was stopped or its deadline has passed; no further launch may begin
// then.
Result<void> check_goes_on(std::string_view pipeline, const RunLimits& limits);

class RecordedPlay {
 public:
  static constexpr std::uint32_t kClosedPlays = 63;

  // `pipeline` is the name for messages.
  RecordedPlay(Session session, std::string pipeline, std::vector<PlayStep> steps)
      : session_(std::move(session)), pipeline_(std::move(pipeline)), steps_(std::move(steps)) {}

  // Returns as soon as everything is queued.
  Result<void> submit(const RunLimits& limits);
  // How the last play was submitted: "as a recording of 5 items", "launch by launch: ...".
  std::string how() const;

 private:
  // A step as it was recorded.
  struct Recorded {
    const ServedLaunch* served = nullptr;
    std::shared_ptr<const ServedLaunch> fixed;  // what `served` is where nothing is tuned
    std::vector<std::uint32_t> launches;        // their positions in the recording
    std::vector<std::byte> uniforms;            // the contents that the launches took by value
  };

  enum class Last : std::uint8_t { none, open_for_good, comparing, closed };

  Result<void> open(const RunLimits& limits);
  Result<void> closed(const RunLimits& limits);
  std::string why_open() const;
  bool is_settled() const;
  bool count_closed();
  void charge_opening(double open_ns);
  Result<void> record();
  Result<void> bring_up_to_date();
  static void forget_host_copy(const Buffer& buffer);

  const Session session_;
  const std::string pipeline_;
  const std::vector<PlayStep> steps_;
  mutable ForkSafeMutex mutex_{HeldFor::work};  // one play at a time
  bool looked_ = false;
  std::string why_open_;  // why no play is closed
  Last last_ = Last::none;
  std::shared_ptr<WorkRecording> recording_;  // null: nothing was recorded
  std::vector<Recorded> recorded_;            // by step
  std::size_t items_ = 0;
  std::uint32_t closed_plays_ = 0;  // since the last open one
  double closed_ns_ = 0;            // the average time to submit a closed play
};

}  // namespace vyre
