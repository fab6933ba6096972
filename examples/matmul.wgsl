// C = A * B, row by row, through square tiles in workgroup memory: each value of A and B is read
// from storage once for each tile that needs it, instead of once for each product.
//
//   vyre run examples/matmul.wgsl --size 64,64 --in a=fill:iota:4096 --in b=fill:const=1:4096 \
//       --uniform shape=64:64:64

override TILE: u32 = 16;

struct Shape {
  rows: u32,     // of A and C
  inner: u32,    // columns of A, rows of B
  columns: u32,  // of B and C
}

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;

// Row after row: an array cannot hold arrays whose length an override decides.
var<workgroup> tile_a: array<f32, TILE * TILE>;
var<workgroup> tile_b: array<f32, TILE * TILE>;

@compute @workgroup_size(TILE, TILE)
fn matmul(@builtin(global_invocation_id) global: vec3<u32>,
          @builtin(local_invocation_id) local: vec3<u32>) {
  let column = global.x;
  let row = global.y;
  var sum = 0.0;
  let tiles = (shape.inner + TILE - 1) / TILE;
  for (var tile = 0u; tile < tiles; tile++) {
    // Each lane brings one value of either matrix; beyond their edges these are zeros.
    let k_a = tile * TILE + local.x;
    let k_b = tile * TILE + local.y;
    tile_a[local.y * TILE + local.x] =
        select(0.0, a[row * shape.inner + k_a], row < shape.rows && k_a < shape.inner);
    tile_b[local.y * TILE + local.x] =
        select(0.0, b[k_b * shape.columns + column], k_b < shape.inner && column < shape.columns);
    workgroupBarrier();
    for (var k = 0u; k < TILE; k++) {
      sum += tile_a[local.y * TILE + k] * tile_b[k * TILE + local.x];
    }
    workgroupBarrier();
  }
  if (row < shape.rows && column < shape.columns) {
    c[row * shape.columns + column] = sum;
  }
}
