#include <fmt/format.h>

#include <algorithm>

#include "vyre/device/cuda/graph_internal.h"
#include "vyre/device/cuda/recording_internal.h"

namespace vyre {

bool has_recordings(const CudaDriver& d) {
  return has_graphs(d) && d.graph_add_memset != nullptr && d.graph_add_copy != nullptr &&
         d.graph_set_kernel != nullptr;
}

// The nodes of a graph identify the kernels of the executable graph that was instantiated from it,
// so both are kept. Submitted work may still use the executable graph when the recording is
// destroyed.
struct CudaRecording::Graph {
  CuGraph graph = nullptr;
  CuGraphExec exec = nullptr;

  void destroy(const CudaDriver& driver) {
    if (exec != nullptr) driver.graph_exec_destroy(exec);
    if (graph != nullptr) driver.graph_destroy(graph);
    exec = nullptr;
    graph = nullptr;
  }
};

Result<std::shared_ptr<CudaRecording>> CudaRecording::make(std::shared_ptr<CudaCore> core,
                                                           std::span<const WorkItem> items) {
  auto out = std::shared_ptr<CudaRecording>(new CudaRecording(std::move(core), items));
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    if (items[i].kind == WorkItem::Kind::launch) out->keep(i, items[i].launch);
  }
  if (has_recordings(out->core_->driver)) VYRE_CHECK(out->build(items));
  return out;
}

CudaRecording::~CudaRecording() {
  if (graph_ == nullptr) return;
  core_->reclaim.retire(ReleaseWhen::passed, 0, [core = core_.get(), graph = graph_] {
    if (!core->context.lost()) graph->destroy(core->driver);
  });
}

std::vector<ContentsSlot> CudaRecording::contents_of(const Launch& launch) const {
  return static_cast<const CudaCode&>(*launch.code).layout().contents();
}

LaunchWords CudaRecording::words() const {
  return {.deadline = kNoDeadline, .status = core_->ignored_status.address};
}

Result<void> CudaRecording::build(std::span<const WorkItem> items) {
  CudaContext& context = core_->context;
  graph_ = std::make_shared<Graph>();
  VYRE_CHECK(context.check(core_->driver.graph_create(&graph_->graph, 0), "cuGraphCreate"));
  // The nodes for which an item waits. An item that does nothing passes on the nodes for which it
  // would have waited.
  std::vector<std::vector<CuGraphNode>> behind(items.size());
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    std::vector<CuGraphNode> after;
    for (const std::uint32_t earlier : items[i].after) {
      after.insert(after.end(), behind[earlier].begin(), behind[earlier].end());
    }
    std::ranges::sort(after);
    after.erase(std::ranges::unique(after).begin(), after.end());
    VYRE_TRY(nodes_[i], add(items[i], i, after));
    behind[i] = nodes_[i] == nullptr ? std::move(after) : std::vector{nodes_[i]};
  }
  return context.check(core_->driver.graph_instantiate(&graph_->exec, graph_->graph, 0),
                       "cuGraphInstantiateWithFlags");
}

Result<CuGraphNode> CudaRecording::add(const WorkItem& item, std::uint32_t position,
                                       const std::vector<CuGraphNode>& after) {
  const CudaDriver& driver = core_->driver;
  CudaContext& context = core_->context;
  CuGraphNode node = nullptr;
  if (item.kind == WorkItem::Kind::launch) {
    const Launch launch = items_[position].launch.launch();
    if (is_empty(launch)) return node;
    const KernelNode kernel(static_cast<const CudaCode&>(*launch.code), launch, words());
    VYRE_CHECK(context.check(
        driver.graph_add_kernel(&node, graph_->graph, after.data(), after.size(), &kernel.node),
        "cuGraphAddKernelNode", launch.kernel));
    return node;
  }
  const std::uint64_t bytes = item.kind == WorkItem::Kind::copy ? item.from.bytes : item.to.bytes;
  if (bytes == 0) return node;
  if (item.kind == WorkItem::Kind::clear) {
    const bool words = item.to.address % 4 == 0 && bytes % 4 == 0;
    const CuMemsetNode clear{.address = item.to.address,
                             .pitch = 0,
                             .value = 0,
                             .element_bytes = words ? 4U : 1U,
                             .width = words ? bytes / 4 : bytes,
                             .height = 1};
    VYRE_CHECK(context.check(driver.graph_add_memset(&node, graph_->graph, after.data(),
                                                     after.size(), &clear, context.handle()),
                             "cuGraphAddMemsetNode"));
    return node;
  }
  const auto end_at = [](std::uint64_t address) {
    CuCopyEnd end{};
    end.memory = cu::kMemoryOfDevice;
    end.address = address;
    return end;
  };
  const CuCopyNode copy{.from = end_at(item.from.address),
                        .to = end_at(item.to.address),
                        .width_bytes = bytes,
                        .height = 1,
                        .depth = 1};
  VYRE_CHECK(context.check(driver.graph_add_copy(&node, graph_->graph, after.data(), after.size(),
                                                 &copy, context.handle()),
                           "cuGraphAddMemcpyNode"));
  return node;
}

Result<void> CudaRecording::set(std::uint32_t item, const Launch& launch) {
  VYRE_CHECK(check_item(item, launch));
  const std::scoped_lock lock(mutex_);
  if (graph_ != nullptr) {
    if (is_empty(launch) != (nodes_[item] == nullptr)) {
      return fail(
          Code::invalid_input,
          fmt::format("item {} of a recording runs nothing, and its place cannot change that",
                      item),
          "record the work again");
    }
    if (nodes_[item] != nullptr) {
      CurrentContext current(core_->context);
      if (!current) return current.error();
      const KernelNode kernel(static_cast<const CudaCode&>(*launch.code), launch, words());
      VYRE_CHECK(core_->context.check(
          core_->driver.graph_set_kernel(graph_->exec, nodes_[item], &kernel.node),
          "cuGraphExecKernelNodeSetParams", launch.kernel));
    }
  }
  keep(item, launch);
  return {};
}

std::string_view CudaRecording::one_by_one() const {
  return graph_ != nullptr ? "" : "the driver is older than CUDA 11.4 and has no graphs";
}

Result<void> CudaRecording::play(Queue& queue, CuStream stream, bool capturing, LaunchNotes& notes,
                                 const PlayLimits& limits) {
  const std::scoped_lock lock(mutex_);
  const auto takes_deadline = [](const Item& item) {
    return item.kind == WorkItem::Kind::launch &&
           static_cast<const CudaCode&>(*item.launch.launch().code).layout().takes_deadline();
  };
  const bool ends_early = limits.deadline && std::ranges::any_of(items_, takes_deadline);
  if (graph_ == nullptr || capturing || ends_early) return play_in_order(queue, limits);
  VYRE_CHECK(
      core_->context.check(core_->driver.graph_launch(graph_->exec, stream), "cuGraphLaunch"));
  const std::size_t noted = std::min<std::size_t>(items_.size(), LaunchNotes::kKept);
  for (std::size_t i = items_.size() - noted; i < items_.size(); ++i) {
    if (items_[i].kind == WorkItem::Kind::launch) notes.add(items_[i].launch.launch().kernel);
  }
  return {};
}

}  // namespace vyre
