// size: 500
// elements: 64
// Atomic minima and maxima of 64 bits, the higher half in y.
enable atomic_vec2u_min_max;

struct Range { low: atomic<vec2u>, high: atomic<vec2u>, count: atomic<u32> }

@group(0) @binding(0) var<storage, read_write> all: Range;
@group(0) @binding(1) var<storage, read_write> each: array<atomic<vec2u>>;
@group(0) @binding(2) var<storage, read> x: array<vec2u>;

fn widen(p: ptr<storage, atomic<vec2u>, read_write>, v: vec2u) {
  atomicStoreMax(p, v);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let v = x[id.x % 61] * vec2u(2654435761u, 40503u) + id.xx;
  atomicStoreMin(&all.low, v.yx);
  widen(&all.high, v);
  atomicAdd(&all.count, 1);
  if id.x % 3 != 0 { widen(&each[(id.x * 7) % 70], vec2u(id.x, v.y & 3)); }  // some outside
  else { atomicStoreMin(&each[5], vec2(7)); }
}
