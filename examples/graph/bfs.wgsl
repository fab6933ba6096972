// Breadth-first search: the least number of edges from the first vertices to each vertex.
// 0xffffffff: the vertex was not reached.
@group(0) @binding(0) var<storage, read_write> depth: array<atomic<u32>>;

const unreached = 0xffffffffu;

fn init(vertex: u32) { atomicStore(&depth[vertex], unreached); }

fn start(vertex: u32) { atomicStore(&depth[vertex], 0u); }

fn wants(vertex: u32) -> bool { return atomicLoad(&depth[vertex]) == unreached; }

// Sources that reach a vertex in the same round all store the same depth, so that no exchange is
// needed to choose one of them.
fn visit(source: u32, edge: u32, neighbour: u32, round: u32) -> bool {
  if (atomicLoad(&depth[neighbour]) != unreached) {
    return false;
  }
  atomicStore(&depth[neighbour], round + 1u);
  return true;
}
