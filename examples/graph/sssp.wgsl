// Shortest paths: the least sum of weights from the first vertices to each vertex. A vertex whose
// distance became less passes it on in the next round, unless it waits: vertices that are far behind
// the nearest ones would pass on distances that become less again. Sums stop at 0xfffffffe;
// 0xffffffff: the vertex was not reached.
//
// How far is far; 0: half of the largest weight that is the first one of a vertex.
override delta: u32 = 0u;

@group(0) @binding(0) var<storage, read_write> distance: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read> weights: array<u32>;
@group(0) @binding(2) var<storage, read> offsets: array<u32>;
// The least distance in the frontier of a round, by the round's remainder by 3.
@group(0) @binding(3) var<storage, read_write> nearest: array<atomic<u32>, 3>;
@group(0) @binding(4) var<storage, read_write> widest: atomic<u32>;

const unreached = 0xffffffffu;
const farthest = 0xfffffffeu;

fn init(vertex: u32) {
  atomicStore(&distance[vertex], unreached);
  if (vertex == 0u) {
    atomicStore(&nearest[0], 0u);
    atomicStore(&nearest[1], unreached);
    atomicStore(&nearest[2], unreached);
  }
  let first = offsets[vertex];
  if (first != offsets[vertex + 1u] && weights[first] > atomicLoad(&widest)) {
    atomicMax(&widest, weights[first]);
  }
}

fn start(vertex: u32) { atomicStore(&distance[vertex], 0u); }

// The vertex is in the next frontier with this distance.
fn note(far: u32, round: u32) {
  let next = (round + 1u) % 3u;
  if (far < atomicLoad(&nearest[next])) {
    atomicMin(&nearest[next], far);
  }
}

fn waits(vertex: u32, round: u32) -> bool {
  // What the round before this one read is what the round after the next one will write.
  let old = (round + 2u) % 3u;
  if (atomicLoad(&nearest[old]) != unreached) {
    atomicStore(&nearest[old], unreached);
  }
  let far = atomicLoad(&distance[vertex]);
  let near = atomicLoad(&nearest[round % 3u]);
  let step = select(delta, atomicLoad(&widest) / 2u + 1u, delta == 0u);
  if (far <= near || far - near < step) {
    return false;
  }
  note(far, round);
  return true;
}

fn visit(source: u32, edge: u32, neighbour: u32, round: u32) -> bool {
  let before = atomicLoad(&distance[source]);
  let through = before + min(weights[edge], farthest - before);
  // The load spares most edges the more expensive atomic.
  if (atomicLoad(&distance[neighbour]) <= through) {
    return false;
  }
  if (atomicMin(&distance[neighbour], through) <= through) {
    return false;
  }
  note(through, round);
  return true;
}
