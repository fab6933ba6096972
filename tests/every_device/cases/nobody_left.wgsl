// elements: 200
// One place that all lanes write, where the lanes of some gangs have all gone elsewhere before: their
// place keeps what it held. What is in `x` is below 300, as only the data tell.
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@group(0) @binding(2) var<storage, read_write> count: array<atomic<u32>>;

@compute @workgroup_size(20)
fn returned(@builtin(global_invocation_id) id: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
  if (x[id.x] < 300u && group.x % 2u == 1u) { return; }
  y[group.x] = 1000u;
  atomicAdd(&count[group.x], 1u);
}

@compute @workgroup_size(20)
fn broken(@builtin(global_invocation_id) id: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
  for (var i = 0u; i < 4u; i++) {
    if (x[id.x] < 300u && group.x % 3u == i) { break; }
    y[group.x * 4u + i] = 1000u + i;
    atomicAdd(&count[group.x * 4u + i], 1u);
  }
}

@compute @workgroup_size(20)
fn continued(@builtin(global_invocation_id) id: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
  for (var i = 0u; i < 4u; i++) {
    if (x[id.x] < 300u && group.x % 3u == i) { continue; }
    y[group.x * 4u + i] = 1000u + i;
    atomicMax(&count[group.x * 4u + i], 1000u);
  }
}

@compute @workgroup_size(40)
fn switched(@builtin(global_invocation_id) id: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
  switch (x[id.x] / 300u + group.x % 3u) {
    case 0u: { y[group.x] = 1000u; }
    case 1u: {
      if (x[id.x] < 300u && group.x < 3u) { break; }
      y[group.x] = 2000u;
      atomicOr(&count[group.x], 4096u);
    }
    default: {}
  }
}

fn last(value: u32, group: u32) -> u32 {
  if (value < 300u && group % 2u == 0u) { return 1u; }
  y[group] = 3000u;
  return 2u;
}

@compute @workgroup_size(40)
fn called(@builtin(global_invocation_id) id: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
  atomicAdd(&count[group.x], last(x[id.x], group.x));
}
