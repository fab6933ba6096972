override width: u32 = 128;
@group(0) @binding(0) var<storage, read> input: array<i32>;
@group(0) @binding(1) var<storage, read_write> total: atomic<i32>;
var<workgroup> partial: array<i32, width>;

@compute @workgroup_size(width)
fn reduce(@builtin(local_invocation_index) lane: u32,
          @builtin(global_invocation_id) id: vec3u) {
  var value = 0;
  if (id.x < arrayLength(&input)) { value = input[id.x]; }
  partial[lane] = value;
  workgroupBarrier();
  for (var step = width / 2; step > 0; step >>= 1) {
    if lane < step { partial[lane] += partial[lane + step]; }
    workgroupBarrier();
  }
  if lane == 0 { atomicAdd(&total, partial[0]); }
}
