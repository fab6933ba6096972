// C = A * B, row by row, like matmul.wgsl, with tiles whose sides are chosen one by one: a workgroup
// computes BX x BY values of C and takes BK values of each row and column at a time. What is fastest
// depends on the device:
//
//   vyre tune examples/tiled.wgsl --size 192,192 --in a=fill:random=1:36864 \
//       --in b=fill:random=2:36864 --uniform shape=192:192:192 --tune BX=4,8,16,32,64 \
//       --tune BY=1,2,4,8,16 --tune BK=4,8,16,32 --where "BX*BY <= 256" --budget 30s

override BX: u32 = 16;
override BY: u32 = 16;
override BK: u32 = 16;

struct Shape {
  rows: u32,     // of A and C
  inner: u32,    // columns of A, rows of B
  columns: u32,  // of B and C
}

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;

var<workgroup> tile_a: array<f32, BY * BK>;  // BY rows of A
var<workgroup> tile_b: array<f32, BK * BX>;  // BK rows of B

@compute @workgroup_size(BX, BY)
fn tiled(@builtin(global_invocation_id) global: vec3<u32>,
         @builtin(local_invocation_id) local: vec3<u32>,
         @builtin(local_invocation_index) lane: u32,
         @builtin(workgroup_id) group: vec3<u32>) {
  let column = global.x;
  let row = global.y;
  let lanes = BX * BY;
  var sum = 0.0;
  for (var k0 = 0u; k0 < shape.inner; k0 += BK) {
    // The lanes bring both tiles together; beyond the edges of the matrices these are zeros.
    for (var i = lane; i < BY * BK; i += lanes) {
      let y = group.y * BY + i / BK;
      let k = k0 + i % BK;
      tile_a[i] = select(0.0, a[y * shape.inner + k], y < shape.rows && k < shape.inner);
    }
    for (var i = lane; i < BK * BX; i += lanes) {
      let k = k0 + i / BX;
      let x = group.x * BX + i % BX;
      tile_b[i] = select(0.0, b[k * shape.columns + x], k < shape.inner && x < shape.columns);
    }
    workgroupBarrier();
    for (var k = 0u; k < BK; k++) {
      sum += tile_a[local.y * BK + k] * tile_b[k * BX + local.x];
    }
    workgroupBarrier();
  }
  if (row < shape.rows && column < shape.columns) {
    c[row * shape.columns + column] = sum;
  }
}
