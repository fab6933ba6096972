enable atomic_vec2u_min_max;
struct Range { low: atomic<vec2u>, high: array<atomic<vec2<u32>>, 4>, count: atomic<u32> }
@group(0) @binding(0) var<storage, read_write> r: Range;
fn widen(p: ptr<storage, atomic<vec2u>, read_write>, v: vec2u) { atomicStoreMax(p, v); }
@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3u) {
  atomicStoreMin(&r.low, id.yx);
  widen(&r.high[id.x], vec2(1, 2));
  atomicAdd(&r.count, 1);
}
