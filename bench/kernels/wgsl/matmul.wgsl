// C = A*B for square matrices, through tiles in workgroup memory.
const TILE = 16u;
struct Shape {
  size: u32,  // a multiple of TILE
}
@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;

var<workgroup> tile_a: array<array<f32, TILE>, TILE>;
var<workgroup> tile_b: array<array<f32, TILE>, TILE>;

@compute @workgroup_size(TILE, TILE)
fn matmul(@builtin(global_invocation_id) id: vec3<u32>,
          @builtin(local_invocation_id) local: vec3<u32>) {
  var sum = 0.0;
  for (var first = 0u; first < shape.size; first += TILE) {
    tile_a[local.y][local.x] = a[id.y * shape.size + first + local.x];
    tile_b[local.y][local.x] = b[(first + local.y) * shape.size + id.x];
    workgroupBarrier();
    for (var k = 0u; k < TILE; k++) {
      sum += tile_a[local.y][k] * tile_b[k][local.x];
    }
    workgroupBarrier();
  }
  c[id.y * shape.size + id.x] = sum;
}
