// The k-core: what is left of a graph when vertices with fewer than k edges are removed until there
// are none. The graph has each edge in both directions, and all vertices are first. inside[vertex]
// is 1 for the vertices of the core.
override k: u32 = 3u;

@group(0) @binding(0) var<storage, read_write> inside: array<u32>;
@group(0) @binding(1) var<storage, read_write> edges_left: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> offsets: array<u32>;

fn init(vertex: u32) {
  let degree = offsets[vertex + 1u] - offsets[vertex];
  atomicStore(&edges_left[vertex], degree);
  inside[vertex] = select(0u, 1u, degree >= k);
}

fn visit(source: u32, edge: u32, neighbour: u32, round: u32) -> bool {
  // In the first round, the vertices with k edges or more are in the frontier as well.
  if (inside[source] == 1u) {
    return false;
  }
  return atomicSub(&edges_left[neighbour], 1u) == k;
}

fn after(vertex: u32, round: u32) -> bool {
  inside[vertex] = 0u;
  return true;
}
