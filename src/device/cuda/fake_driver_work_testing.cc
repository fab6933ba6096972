#include "vyre/device/cuda/fake_driver_state_testing.h"

namespace vyre::fake {
namespace {

FakeLaunch record_of(CuFunction function, Extent grid, Extent block, unsigned shared,
                     void** parameters) {
  const FakeKernel& kernel = active->kernels.at(function->name);
  FakeLaunch record{.grid = grid, .block = block, .dynamic_shared = shared, .parameters = {}};
  for (std::size_t i = 0; i < kernel.parameter_bytes.size(); ++i) {
    const auto* bytes = static_cast<const std::byte*>(parameters[i]);
    record.parameters.emplace_back(bytes, bytes + kernel.parameter_bytes[i]);
  }
  return record;
}

CuResult launch(CuFunction function, FakeLaunch record, CuStream stream) {
  const FakeKernel& kernel = active->kernels.at(function->name);
  if (function->name != "vyre_timer") state->launches.push_back(record);
  CuContext context = current;
  enqueue(stream, [context, name = function->name, run = kernel.run, record = std::move(record)] {
    if (active->staying.contains(name)) return false;
    if (context->sticky != 0) return true;
    if (const CuResult result = run ? run(record) : 0; result != 0) context->sticky = result;
    return true;
  });
  return cu::kSuccess;
}

// What the fake linker makes: the header of an ELF file for NVIDIA's processors, and a word.
constexpr std::size_t kElfHeader = 64;
constexpr const char* kCubinWord = "cubin";

std::string cubin_text() {
  std::string text(
      "\x7F"
      "ELF\x02");
  text.resize(kElfHeader);
  text[18] = static_cast<char>(190);
  return text + kCubinWord;
}

}  // namespace

void fill_copies(CudaDriver& t) {
  t.copy_to_device = [](CuAddress to, const void* from, std::size_t bytes, CuStream stream) {
    return call("cuMemcpyHtoDAsync", Needs::context, [&] {
      return enqueue_always(stream, [=] { std::memcpy(pointer(to), from, bytes); });
    });
  };
  t.copy_to_host = [](void* to, CuAddress from, std::size_t bytes, CuStream stream) {
    return call("cuMemcpyDtoHAsync", Needs::context, [&] {
      return enqueue_always(stream, [=] { std::memcpy(to, pointer(from), bytes); });
    });
  };
  t.copy_on_device = [](CuAddress to, CuAddress from, std::size_t bytes, CuStream stream) {
    return call("cuMemcpyDtoDAsync", Needs::context, [&] {
      return enqueue_always(stream, [=] { std::memcpy(pointer(to), pointer(from), bytes); });
    });
  };
  t.set_bytes = [](CuAddress at, unsigned char value, std::size_t count, CuStream stream) {
    return call("cuMemsetD8Async", Needs::context, [&] {
      return enqueue_always(stream, [=] { std::memset(pointer(at), value, count); });
    });
  };
  t.set_words = [](CuAddress at, unsigned value, std::size_t count, CuStream stream) {
    return call("cuMemsetD32Async", Needs::context, [&] {
      if (value != 0) return cu::kInvalidValue;
      const std::size_t bytes = std::min<std::size_t>(count * 4, std::size_t{64} << 20);
      return enqueue_always(stream, [=] { std::memset(pointer(at), 0, bytes); });
    });
  };
}

void fill_code(CudaDriver& t) {
  t.link_create = [](unsigned count, int* options, void** values, CuLink* link) {
    return call("cuLinkCreate", Needs::context, [&] {
      *link = state->links.emplace_back(std::make_unique<CUlinkState_st>()).get();
      for (unsigned i = 0; i < count; ++i) {
        if (options[i] == cu::kJitErrorLogBuffer)
          (*link)->error_log = static_cast<char*>(values[i]);
      }
      return 0;
    });
  };
  t.link_add = [](CuLink link, int, void* data, std::size_t bytes, const char*, unsigned, int*,
                  void**) {
    return call("cuLinkAddData", Needs::context, [&] {
      const std::string_view text(static_cast<const char*>(data), bytes);
      if (text.find("wrong") != std::string_view::npos) {
        std::strcpy(link->error_log, "ptxas fatal : line 3: the fake does not like it\n");
        return cu::kInvalidPtx;
      }
      link->text = cubin_text();
      return 0;
    });
  };
  t.link_complete = [](CuLink link, void** cubin, std::size_t* bytes) {
    return call("cuLinkComplete", Needs::context, [&] {
      *cubin = link->text.data();
      *bytes = link->text.size() + 1;
      return 0;
    });
  };
  t.link_destroy = [](CuLink link) {
    return call("cuLinkDestroy", Needs::nothing, [&] {
      std::erase_if(state->links, [&](const auto& made) { return made.get() == link; });
      return 0;
    });
  };
  t.module_load = [](CuModule* module, const void* image) {
    return call("cuModuleLoadData", Needs::context, [&] {
      const std::string text(static_cast<const char*>(image) + kElfHeader);
      if (text != kCubinWord) return cu::kNoBinaryForGpu;
      state->modules.push_back(std::make_unique<CUmod_st>());
      *module = state->modules.back().get();
      ++state->live_modules;
      return 0;
    });
  };
  t.module_unload = [](CuModule) {
    return call("cuModuleUnload", Needs::context, [&] {
      --state->live_modules;
      return 0;
    });
  };
  t.module_function = [](CuFunction* function, CuModule, const char* name) {
    return call("cuModuleGetFunction", Needs::context, [&] {
      if (!active->kernels.contains(name)) return cu::kNotFound;
      state->functions.push_back(std::make_unique<CUfunc_st>());
      state->functions.back()->name = name;
      *function = state->functions.back().get();
      return 0;
    });
  };
  t.library_load = [](CuLibrary* library, const void* image, int*, void**, unsigned, int*, void**,
                      unsigned) {
    return call("cuLibraryLoadData", Needs::nothing, [&] {
      const std::string text(static_cast<const char*>(image) + kElfHeader);
      if (text != kCubinWord) return cu::kNoBinaryForGpu;
      state->modules.push_back(std::make_unique<CUmod_st>());
      *library = reinterpret_cast<CuLibrary>(state->modules.back().get());
      ++state->live_modules;
      return 0;
    });
  };
  t.library_unload = [](CuLibrary) {
    return call("cuLibraryUnload", Needs::nothing, [&] {
      --state->live_modules;
      return 0;
    });
  };
  t.library_kernel = [](CuKernel* kernel, CuLibrary, const char* name) {
    return call("cuLibraryGetKernel", Needs::nothing, [&] {
      if (!active->kernels.contains(name)) return cu::kNotFound;
      state->functions.push_back(std::make_unique<CUfunc_st>());
      state->functions.back()->name = name;
      *kernel = reinterpret_cast<CuKernel>(state->functions.back().get());
      return 0;
    });
  };
  t.kernel_function = [](CuFunction* function, CuKernel kernel) {
    return call("cuKernelGetFunction", Needs::context, [&] {
      *function = reinterpret_cast<CuFunction>(kernel);
      return 0;
    });
  };
  t.function_attribute = [](int* value, int attribute, CuFunction function) {
    return call("cuFuncGetAttribute", Needs::context, [&] {
      const FakeKernel& kernel = active->kernels.at(function->name);
      *value = attribute == cu::kFunctionMaxThreads    ? std::min(1024, 65536 / kernel.registers)
               : attribute == cu::kFunctionRegisters   ? kernel.registers
               : attribute == cu::kFunctionSharedBytes ? kernel.static_shared
               : attribute == cu::kFunctionLocalBytes && kernel.local_bytes ? kernel.local_bytes()
                                                                            : 0;
      return 0;
    });
  };
  t.function_set_attribute = [](CuFunction function, int attribute, int value) {
    return call("cuFuncSetAttribute", Needs::context, [&] {
      function->max_dynamic = value;
      return attribute == cu::kFunctionMaxDynamicShared ? 0 : cu::kInvalidValue;
    });
  };
  t.function_parameter = [](CuFunction function, std::size_t index, std::size_t* offset,
                            std::size_t* bytes) {
    const auto& sizes = active->kernels.at(function->name).parameter_bytes;
    if (index >= sizes.size()) return cu::kInvalidValue;
    *offset = 8 * index;
    *bytes = sizes[index];
    return cu::kSuccess;
  };
  t.function_load = [](CuFunction) { return call("cuFuncLoad", Needs::context, [] { return 0; }); };
  t.active_blocks = [](int* blocks, CuFunction, int threads, std::size_t) {
    return call("cuOccupancyMaxActiveBlocksPerMultiprocessor", Needs::context, [&] {
      *blocks = 2048 / threads;
      return 0;
    });
  };
  t.potential_block = [](int* grid, int* threads, CuFunction, std::size_t (*)(int), std::size_t,
                         int) {
    return call("cuOccupancyMaxPotentialBlockSize", Needs::context, [&] {
      *grid = 264;
      *threads = 1024;
      return 0;
    });
  };
}

void fill_streams(CudaDriver& t) {
  t.stream_create = [](CuStream* stream, unsigned) {
    return call("cuStreamCreate", Needs::context, [&] {
      state->streams.push_back(std::make_unique<CUstream_st>());
      *stream = state->streams.back().get();
      return 0;
    });
  };
  t.stream_destroy = [](CuStream stream) {
    return call("cuStreamDestroy", Needs::context, [&] {
      stream->destroyed = true;
      return 0;
    });
  };
  t.stream_query = [](CuStream stream) {
    return call("cuStreamQuery", Needs::context,
                [&] { return stream_of(stream).work.empty() ? 0 : cu::kNotReady; });
  };
  t.stream_synchronize = [](CuStream) {
    return call("cuStreamSynchronize", Needs::context, [&] {
      run_all(true);
      return current->sticky;
    });
  };
  t.stream_wait_event = [](CuStream stream, CuEvent event, unsigned) {
    return call("cuStreamWaitEvent", Needs::context, [&] {
      return enqueue(stream, [event, at = event->recorded] { return event->passed >= at; });
    });
  };
  t.stream_is_capturing = [](CuStream, int* status) {
    return call("cuStreamIsCapturing", Needs::context, [&] {
      *status = active->capturing ? 1 : 0;
      return 0;
    });
  };
  t.event_create = [](CuEvent* event, unsigned) {
    return call("cuEventCreate", Needs::context, [&] {
      state->events.push_back(std::make_unique<CUevent_st>());
      *event = state->events.back().get();
      return 0;
    });
  };
  t.event_destroy = [](CuEvent) {
    return call("cuEventDestroy", Needs::context, [] { return 0; });
  };
  t.event_record = [](CuEvent event, CuStream stream) {
    return call("cuEventRecord", Needs::context, [&] {
      return enqueue_always(stream, [event, at = ++event->recorded] {
        event->passed = std::max(event->passed, at);
        event->when = std::chrono::steady_clock::now();
      });
    });
  };
  t.event_query = [](CuEvent event) {
    return call("cuEventQuery", Needs::context,
                [&] { return event->done() ? current->sticky : cu::kNotReady; });
  };
  t.event_synchronize = [](CuEvent) {
    return call("cuEventSynchronize", Needs::context, [&] {
      run_all(true);
      return current->sticky;
    });
  };
  t.event_elapsed = [](float* milliseconds, CuEvent start, CuEvent end) {
    return call("cuEventElapsedTime", Needs::context, [&] {
      if (!start->done() || !end->done()) return cu::kNotReady;
      *milliseconds = std::chrono::duration<float, std::milli>(end->when - start->when).count();
      return 0;
    });
  };
  t.launch_kernel = [](CuFunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                       unsigned by, unsigned bz, unsigned shared, CuStream stream,
                       void** parameters, void**) {
    return call("cuLaunchKernel", Needs::context, [&] {
      return launch(function, record_of(function, {gx, gy, gz}, {bx, by, bz}, shared, parameters),
                    stream);
    });
  };
  t.launch_together = [](CuFunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                         unsigned by, unsigned bz, unsigned shared, CuStream stream,
                         void** parameters) {
    return call("cuLaunchCooperativeKernel", Needs::context, [&] {
      return launch(function, record_of(function, {gx, gy, gz}, {bx, by, bz}, shared, parameters),
                    stream);
    });
  };
}

namespace {

std::function<CuResult(CuStream)> launch_of(const CuKernelNode& kernel) {
  return [function = kernel.function,
          record = record_of(kernel.function, {kernel.grid_x, kernel.grid_y, kernel.grid_z},
                             {kernel.block_x, kernel.block_y, kernel.block_z},
                             kernel.dynamic_shared, kernel.parameters)](CuStream stream) {
    return launch(function, record, stream);
  };
}

CuResult add_node(CuGraphNode* out, CuGraph graph, const CuGraphNode* after, std::size_t count,
                  bool is_kernel, std::function<CuResult(CuStream)> run) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto is_it = [&](const auto& node) { return node.get() == after[i]; };
    if (std::ranges::none_of(graph->nodes, is_it)) return cu::kInvalidValue;
  }
  auto node = std::make_unique<CUgraphNode_st>();
  node->after.assign(after, after + count);
  node->is_kernel = is_kernel;
  node->run = std::move(run);
  *out = graph->nodes.emplace_back(std::move(node)).get();
  return cu::kSuccess;
}

}  // namespace

void fill_graphs(CudaDriver& t) {
  t.graph_create = [](CuGraph* graph, unsigned) {
    return call("cuGraphCreate", Needs::nothing, [&] {
      *graph = state->graphs.emplace_back(std::make_unique<CUgraph_st>()).get();
      return 0;
    });
  };
  t.graph_add_kernel = [](CuGraphNode* node, CuGraph graph, const CuGraphNode* after,
                          std::size_t count, const CuKernelNode* kernel) {
    return call("cuGraphAddKernelNode", Needs::nothing,
                [&] { return add_node(node, graph, after, count, true, launch_of(*kernel)); });
  };
  t.graph_add_memset = [](CuGraphNode* node, CuGraph graph, const CuGraphNode* after,
                          std::size_t count, const CuMemsetNode* clear, CuContext context) {
    return call("cuGraphAddMemsetNode", Needs::nothing, [&] {
      if (context == nullptr || clear->value != 0 || clear->height != 1) return cu::kInvalidValue;
      if (clear->element_bytes != 1 && clear->element_bytes != 4) return cu::kInvalidValue;
      return add_node(node, graph, after, count, false, [what = *clear](CuStream stream) {
        return enqueue_always(stream, [what] {
          std::memset(pointer(what.address), 0, what.width * what.element_bytes);
        });
      });
    });
  };
  t.graph_add_copy = [](CuGraphNode* node, CuGraph graph, const CuGraphNode* after,
                        std::size_t count, const CuCopyNode* copy, CuContext context) {
    return call("cuGraphAddMemcpyNode", Needs::nothing, [&] {
      const bool on_device =
          copy->from.memory == cu::kMemoryOfDevice && copy->to.memory == cu::kMemoryOfDevice;
      if (context == nullptr || !on_device || copy->height != 1 || copy->depth != 1) {
        return cu::kInvalidValue;
      }
      return add_node(node, graph, after, count, false, [what = *copy](CuStream stream) {
        return enqueue_always(stream, [what] {
          std::memcpy(pointer(what.to.address), pointer(what.from.address), what.width_bytes);
        });
      });
    });
  };
  t.graph_set_kernel = [](CuGraphExec graph, CuGraphNode node, const CuKernelNode* kernel) {
    return call("cuGraphExecKernelNodeSetParams", Needs::context, [&] {
      const auto found = std::ranges::find(graph->nodes, node, &CUgraphExec_st::Node::of);
      if (found == graph->nodes.end() || !found->node.is_kernel) return cu::kInvalidValue;
      found->node.run = launch_of(*kernel);
      return cu::kSuccess;
    });
  };
  t.graph_instantiate = [](CuGraphExec* out, CuGraph graph, unsigned long long) {
    return call("cuGraphInstantiateWithFlags", Needs::context, [&] {
      auto made = std::make_unique<CUgraphExec_st>();
      for (const auto& node : graph->nodes) made->nodes.push_back({node.get(), *node});
      *out = state->graph_execs.emplace_back(std::move(made)).get();
      return 0;
    });
  };
  t.graph_upload = [](CuGraphExec, CuStream) {
    return call("cuGraphUpload", Needs::context, [] { return 0; });
  };
  t.graph_launch = [](CuGraphExec graph, CuStream stream) {
    return call("cuGraphLaunch", Needs::context, [&] {
      // Of the nodes that wait for nothing more, the last one added runs first, so that a graph
      // with too few dependencies gives wrong results.
      std::vector<const CUgraphExec_st::Node*> left;
      for (const auto& node : graph->nodes) left.push_back(&node);
      const auto is_free = [&](const CUgraphExec_st::Node* node) {
        return std::ranges::none_of(left, [&](const CUgraphExec_st::Node* other) {
          return std::ranges::find(node->node.after, other->of) != node->node.after.end();
        });
      };
      while (!left.empty()) {
        const auto next = std::ranges::find_if(left.rbegin(), left.rend(), is_free);
        const CUgraphExec_st::Node* node = *next;
        left.erase(std::next(next).base());
        if (const CuResult result = node->node.run(stream); result != 0) return result;
      }
      return cu::kSuccess;
    });
  };
  t.graph_destroy = [](CuGraph graph) {
    return call("cuGraphDestroy", Needs::nothing, [&] {
      std::erase_if(state->graphs, [&](const auto& it) { return it.get() == graph; });
      return 0;
    });
  };
  t.graph_exec_destroy = [](CuGraphExec graph) {
    return call("cuGraphExecDestroy", Needs::nothing, [&] {
      std::erase_if(state->graph_execs, [&](const auto& it) { return it.get() == graph; });
      return 0;
    });
  };
}

}  // namespace vyre::fake
