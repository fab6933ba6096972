// Connected components: the smallest vertex of each vertex's component, where edges join in both
// directions. All vertices are first. Each joins its tree with those of two neighbours, which is
// nearly always enough for one large component; then the vertices outside of that one look at all of
// their edges. `waits` does this for every vertex in the only round, and leaves no edge to `visit`.
//
// Whether each edge has its reverse. Where one does not, every vertex looks at all of its edges.
override undirected: bool = false;

@group(0) @binding(0) var<storage, read_write> label: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read> offsets: array<u32>;
@group(0) @binding(2) var<storage, read> columns: array<u32>;
// The first vertex of the largest degree, which is nearly always in the largest component.
@group(0) @binding(3) var<storage, read_write> hub: atomic<u32>;
@group(0) @binding(4) var<storage, read_write> most: atomic<u32>;

const few = 2u;

fn init(vertex: u32) {
  atomicStore(&label[vertex], vertex);
  if (vertex == 0u) {
    atomicStore(&hub, 0xffffffffu);
  }
  let degree = offsets[vertex + 1u] - offsets[vertex];
  if (degree > atomicLoad(&most)) {
    atomicMax(&most, degree);
  }
}

// The parent of a vertex is smaller than the vertex, so this ends. Every vertex on the way gets its
// grandparent as its parent, which it may have lost already for a smaller ancestor: both are right.
fn root_of(vertex: u32) -> u32 {
  var at = vertex;
  var parent = atomicLoad(&label[at]);
  while (parent != at) {
    let above = atomicLoad(&label[parent]);
    if (above == parent) {
      return parent;
    }
    atomicStore(&label[at], above);
    at = above;
    parent = atomicLoad(&label[at]);
  }
  return at;
}

// Most edges join vertices that were joined by others, or whose parents are roots.
fn join(left: u32, right: u32) {
  var a = atomicLoad(&label[left]);
  var b = atomicLoad(&label[right]);
  while (a != b) {
    let high = max(a, b);
    let low = min(a, b);
    let above = atomicLoad(&label[high]);
    if (above == low) {
      return;
    }
    if (above == high && atomicCompareExchangeWeak(&label[high], high, low).exchanged) {
      return;
    }
    a = root_of(high);
    b = root_of(low);
  }
}

fn start(vertex: u32) {
  let first = offsets[vertex];
  let last = offsets[vertex + 1u];
  for (var edge = first; edge < min(last, first + few); edge++) {
    join(vertex, columns[edge]);
  }
  if (last - first == atomicLoad(&most) && vertex < atomicLoad(&hub)) {
    atomicMin(&hub, vertex);
  }
}

// A vertex that is in the hub's component now leaves its edges to the vertices that are not, for
// which they are edges as well.
fn waits(vertex: u32, round: u32) -> bool {
  if (!undirected || root_of(vertex) != root_of(atomicLoad(&hub))) {
    for (var edge = offsets[vertex] + few; edge < offsets[vertex + 1u]; edge++) {
      join(vertex, columns[edge]);
    }
  }
  return true;
}

fn visit(source: u32, edge: u32, neighbour: u32, round: u32) -> bool { return false; }

// root_of would give other vertices grandparents again that have found their roots already.
fn after(vertex: u32, round: u32) -> bool {
  var at = vertex;
  var parent = atomicLoad(&label[at]);
  while (parent != at) {
    at = parent;
    parent = atomicLoad(&label[at]);
  }
  if (at != vertex) {
    atomicStore(&label[vertex], at);
  }
  return false;
}
