// elements: 500
enable subgroups;
diagnostic(off, subgroup_uniformity);
@group(0) @binding(0) var<storage, read> f: array<f32>;
@group(0) @binding(1) var<storage, read> u: array<u32>;
@group(0) @binding(2) var<storage, read_write> out_f: array<f32>;
@group(0) @binding(3) var<storage, read_write> out_u: array<u32>;

fn mix_f(i: u32, v: f32) { out_f[i] = out_f[i] * 0.5 + v; }
fn mix_u(i: u32, v: u32) { out_u[i] = out_u[i] * 31u + v; }

fn float_operations(i: u32, x: f32) {
  mix_f(i, subgroupAdd(x));
  mix_f(i, subgroupMul(1.0 + x * 0.01));
  mix_f(i, subgroupMin(x));
  mix_f(i, subgroupMax(x));
  mix_f(i, subgroupInclusiveAdd(x));
  mix_f(i, subgroupExclusiveAdd(x));
  mix_f(i, subgroupInclusiveMul(1.0 - x * 0.01));
  mix_f(i, subgroupExclusiveMul(1.0 - x * 0.01));
  let v = subgroupAdd(vec3f(x, -x, 2.0));
  mix_f(i, v.x + v.y * v.z);
}

fn integer_operations(i: u32, x: u32) {
  mix_u(i, subgroupAdd(x));
  mix_u(i, subgroupMul(x | 1u));
  mix_u(i, subgroupMin(x));
  mix_u(i, subgroupMax(x));
  mix_u(i, bitcast<u32>(subgroupMin(i32(x) - 250)));
  mix_u(i, bitcast<u32>(subgroupMax(i32(x) - 250)));
  mix_u(i, bitcast<u32>(subgroupAdd(-i32(x))));
  mix_u(i, subgroupAnd(x | 256u));
  mix_u(i, subgroupOr(x));
  mix_u(i, subgroupXor(x));
  mix_u(i, subgroupInclusiveAdd(x));
  mix_u(i, subgroupExclusiveAdd(x));
  mix_u(i, subgroupInclusiveMul(x | 1u));
  mix_u(i, bitcast<u32>(subgroupExclusiveMul(i32(x) | 1)));
}

fn votes(i: u32, x: u32) {
  mix_u(i, select(0u, 1u, subgroupAll(x > 3u)));
  mix_u(i, select(0u, 1u, subgroupAny(x < 30u)));
  mix_u(i, select(0u, 1u, subgroupElect()));
  let b = subgroupBallot((x & 1u) == 0u);
  mix_u(i, b.x + b.y + b.z + b.w);
}

fn shuffles(i: u32, x: u32) {
  mix_u(i, subgroupBroadcastFirst(x));
  mix_u(i, subgroupBroadcast(x, 0u));
  mix_u(i, subgroupBroadcast(x, 17u));
  mix_u(i, subgroupShuffle(x, x & 31u));
  mix_u(i, subgroupShuffle(x, x));
  mix_u(i, subgroupShuffleUp(x, 3u));
  mix_u(i, subgroupShuffleDown(x, 5u));
  mix_u(i, subgroupShuffleXor(x, 12u));
  mix_u(i, quadBroadcast(x, 2u));
  mix_u(i, quadSwapX(x));
  mix_u(i, quadSwapY(x));
  mix_u(i, quadSwapDiagonal(x));
}

@compute @workgroup_size(64) fn floats(@builtin(global_invocation_id) g: vec3u) {
  float_operations(g.x, f[g.x]);
}
@compute @workgroup_size(64) fn integers(@builtin(global_invocation_id) g: vec3u) {
  integer_operations(g.x, u[g.x]);
}
@compute @workgroup_size(48) fn voting(@builtin(global_invocation_id) g: vec3u) {
  votes(g.x, u[g.x]);
}
@compute @workgroup_size(20) fn shuffling(@builtin(global_invocation_id) g: vec3u) {
  shuffles(g.x, u[g.x]);
}
// Holes everywhere.
@compute @workgroup_size(96) fn divided(@builtin(global_invocation_id) g: vec3u) {
  let x = u[g.x];
  if (x % 3u != 0u) {
    float_operations(g.x, f[g.x]);
    if (x % 5u == 0u) { shuffles(g.x, x); } else { votes(g.x, x); }
  } else {
    integer_operations(g.x, x);
  }
  votes(g.x, x + 1u);
}
@compute @workgroup_size(64) fn values(@builtin(global_invocation_id) g: vec3u,
    @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_size) size: u32) {
  out_u[g.x] = lane + size * 100u + subgroupAdd(lane);
}
