// Shortest paths: the least sum of weights from the first vertices to each vertex. A vertex whose
// distance became less passes it on in the next round. Sums stop at 0xfffffffe; 0xffffffff: the
// vertex was not reached.
@group(0) @binding(0) var<storage, read_write> distance: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read> weights: array<u32>;

const unreached = 0xffffffffu;
const farthest = 0xfffffffeu;

fn init(vertex: u32) { atomicStore(&distance[vertex], unreached); }

fn start(vertex: u32) { atomicStore(&distance[vertex], 0u); }

fn visit(source: u32, edge: u32, neighbour: u32, round: u32) -> bool {
  let before = atomicLoad(&distance[source]);
  let through = before + min(weights[edge], farthest - before);
  // The load spares most edges the more expensive atomic.
  if (atomicLoad(&distance[neighbour]) <= through) {
    return false;
  }
  return atomicMin(&distance[neighbour], through) > through;
}
