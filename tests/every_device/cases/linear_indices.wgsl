// elements: 300
// Indices that grow by one from lane to lane and pass 0 or 2^32 between two of them.
@group(0) @binding(0) var<storage, read> values: array<u32>;
@group(0) @binding(1) var<storage, read> pairs: array<array<u32, 4>>;
@group(0) @binding(2) var<storage, read_write> sums: array<u32>;

@compute @workgroup_size(32)
fn signed_ones(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = i32(id.x);
  sums[id.x] = values[i - 3] + values[5 - i] * 3u + values[2 * i - 9] * 5u + values[i - 290] * 7u;
}

@compute @workgroup_size(32)
fn of_arrays(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
  var sum = pairs[i - 1u][i & 3u];
  sum = sum * 3u + pairs[i][i - 1u];
  sum = sum * 5u + pairs[i - 2u][(i - 7u) % 4u];
  sum = sum * 7u + pairs[i32(i) - 5][i - 6u];
  sums[i] = sum;
}

@compute @workgroup_size(32)
fn stored(@builtin(global_invocation_id) id: vec3<u32>) {
  sums[id.x - 3u] = values[id.x + 4294967293u] + 1u;
}

var<workgroup> doubled: array<u32, 32>;

// The workgroup waits, so that no row is tested as a whole.
@compute @workgroup_size(32)
fn stored_after_a_barrier(@builtin(global_invocation_id) id: vec3<u32>,
                          @builtin(local_invocation_index) l: u32) {
  doubled[31u - l] = 2u * values[id.x];
  workgroupBarrier();
  sums[id.x - 35u] = doubled[l] + values[id.x - 5u];
}
