// Connected components: the smallest vertex of each vertex's component, where edges join in both
// directions. All vertices are first, and one round over all edges is enough: each edge joins the
// trees of its two vertices, and then every vertex looks for its root.
@group(0) @binding(0) var<storage, read_write> label: array<atomic<u32>>;

fn init(vertex: u32) { atomicStore(&label[vertex], vertex); }

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

fn visit(source: u32, edge: u32, neighbour: u32, round: u32) -> bool {
  // Most edges join vertices that were joined by others.
  if (atomicLoad(&label[source]) == atomicLoad(&label[neighbour])) {
    return true;
  }
  var a = root_of(source);
  var b = root_of(neighbour);
  while (a != b) {
    let high = max(a, b);
    let low = min(a, b);
    if (atomicCompareExchangeWeak(&label[high], high, low).exchanged) {
      break;
    }
    // Another edge has given this root a parent.
    a = root_of(high);
    b = root_of(low);
  }
  return true;
}

// root_of would give other vertices grandparents again that have found their roots already.
fn after(vertex: u32, round: u32) -> bool {
  var at = vertex;
  var parent = atomicLoad(&label[at]);
  while (parent != at) {
    at = parent;
    parent = atomicLoad(&label[at]);
  }
  atomicStore(&label[vertex], at);
  return false;
}
