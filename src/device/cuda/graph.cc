#include "vyre/device/cuda/graph_internal.h"

namespace vyre {

bool has_graphs(const CudaDriver& d) {
  return d.graph_create != nullptr && d.graph_add_kernel != nullptr &&
         d.graph_instantiate != nullptr && d.graph_upload != nullptr && d.graph_launch != nullptr &&
         d.graph_destroy != nullptr && d.graph_exec_destroy != nullptr;
}

KernelNode::KernelNode(const CudaCode& code, const Launch& l, const LaunchWords& w) : words(w) {
  code.layout().fill(parameters.data(), l, words);
  node = {.function = code.function(),
          .grid_x = l.grid[0],
          .grid_y = l.grid[1],
          .grid_z = l.grid[2],
          .block_x = l.workgroup[0],
          .block_y = l.workgroup[1],
          .block_z = l.workgroup[2],
          .dynamic_shared = code.dynamic_shared(),
          .parameters = parameters.data(),
          .extra = nullptr};
}

Result<SharedGraph> make_graph(CudaCore& core, const CudaCode& code, const Launch& l,
                               const LaunchWords& words, std::uint32_t times) {
  const CudaDriver& driver = core.driver;
  CuGraph graph = nullptr;
  VYRE_CHECK(core.context.check(driver.graph_create(&graph, 0), "cuGraphCreate"));
  const std::unique_ptr<std::remove_pointer_t<CuGraph>, CuResult (*)(CuGraph)> guard(
      graph, driver.graph_destroy);
  const KernelNode kernel(code, l, words);
  CuGraphNode last = nullptr;
  for (std::uint32_t i = 0; i < times; ++i) {
    CuGraphNode node = nullptr;
    VYRE_CHECK(core.context.check(
        driver.graph_add_kernel(&node, graph, &last, i == 0 ? 0 : 1, &kernel.node),
        "cuGraphAddKernelNode"));
    last = node;
  }
  CuGraphExec out = nullptr;
  VYRE_CHECK(
      core.context.check(driver.graph_instantiate(&out, graph, 0), "cuGraphInstantiateWithFlags"));
  return SharedGraph(out, [&core](CuGraphExec made) {
    if (!core.context.lost()) core.driver.graph_exec_destroy(made);
  });
}

}  // namespace vyre
