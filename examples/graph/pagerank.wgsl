// PageRank: each round gives every vertex (1 - damping) / n, and damping times the shares of the
// vertices that have an edge to it. A vertex shares its rank evenly among its outgoing edges.
override damping: f32 = 0.85;
override rounds: u32 = 20u;
// A run ends earlier when no rank changes by more than this.
override tolerance: f32 = 0.0;

@group(0) @binding(0) var<storage, read_write> rank: array<f32>;
@group(0) @binding(1) var<storage, read_write> share: array<f32>;
@group(0) @binding(2) var<storage, read> offsets: array<u32>;

fn share_of(vertex: u32, rank_now: f32) -> f32 {
  return rank_now / f32(max(offsets[vertex + 1u] - offsets[vertex], 1u));
}

fn init(vertex: u32) {
  let even = 1.0 / f32(arrayLength(&rank));
  rank[vertex] = even;
  share[vertex] = share_of(vertex, even);
}

fn gather(vertex: u32, source: u32, edge: u32, sum: f32) -> f32 {
  return sum + share[source];
}

fn apply(vertex: u32, sum: f32, round: u32) -> bool {
  let now = (1.0 - damping) / f32(arrayLength(&rank)) + damping * sum;
  let change = abs(now - rank[vertex]);
  rank[vertex] = now;
  share[vertex] = share_of(vertex, now);
  return round + 1u < rounds && change > tolerance;
}
