// Recorded work as a CUDA graph whose nodes wait for what their items wait for, or as a list where
// the driver has no graphs.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "vyre/device/cuda/code_internal.h"
#include "vyre/device/cuda/launch_notes_internal.h"
#include "vyre/device/listed_work.h"

namespace vyre {

class CudaRecording final : public ListedWork {
 public:
  // With the context current. The items have been checked.
  static Result<std::shared_ptr<CudaRecording>> make(std::shared_ptr<CudaCore> core,
                                                     std::span<const WorkItem> items);
  ~CudaRecording() override;

  Result<void> set(std::uint32_t item, const Launch& launch) override;
  std::string_view one_by_one() const override;

  const CudaCore* core() const { return core_.get(); }
  // With the context current. `queue` is the one that owns the stream. A launch whose deadline is
  // among its parameters cannot be in a graph that is launched again; `capturing` streams take no
  // graphs.
  Result<void> play(Queue& queue, CuStream stream, bool capturing, LaunchNotes& notes,
                    const PlayLimits& limits);

 private:
  struct Graph;

  CudaRecording(std::shared_ptr<CudaCore> core, std::span<const WorkItem> items)
      : ListedWork(items), core_(std::move(core)), nodes_(items.size()) {}
  std::vector<ContentsSlot> contents_of(const Launch& launch) const override;
  Result<void> build(std::span<const WorkItem> items);
  Result<CuGraphNode> add(const WorkItem& item, std::uint32_t position,
                          const std::vector<CuGraphNode>& after);
  LaunchWords words() const;

  const std::shared_ptr<CudaCore> core_;
  std::shared_ptr<Graph> graph_;    // null: the items are submitted one after the other
  std::vector<CuGraphNode> nodes_;  // by item; null for an item that does nothing
};

// Whether the driver can build such graphs and change their kernels.
bool has_recordings(const CudaDriver& driver);

}  // namespace vyre
