// elements: 2048
// size: 32,32
// Uniform loops between barriers, whose gangs run in step where they have long chains.
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

const SIDE = 8u;
var<workgroup> tile_a: array<array<f32, SIDE>, SIDE>;
var<workgroup> tile_b: array<array<f32, SIDE>, SIDE>;

@compute @workgroup_size(SIDE, SIDE)
fn product(@builtin(global_invocation_id) id: vec3<u32>,
           @builtin(local_invocation_id) l: vec3<u32>) {
  var sum = 0.0;
  var least = 1e30;
  for (var first = 0u; first < 32; first += SIDE) {
    tile_a[l.y][l.x] = a[id.y * 32 + first + l.x];
    tile_b[l.y][l.x] = b[(first + l.y) * 32 + id.x];
    workgroupBarrier();
    for (var k = 0u; k < SIDE; k++) {
      let p = tile_a[l.y][k] * tile_b[k][l.x];
      sum += p;
      least = min(least, p);
    }
    workgroupBarrier();
  }
  c[id.y * 32 + id.x] = sum + least;
}

var<workgroup> line: array<f32, 64>;

// Every gang stores where others load in the next region; a local array goes along.
@compute @workgroup_size(32, 2)
fn chains(@builtin(global_invocation_id) id: vec3<u32>,
          @builtin(local_invocation_index) lane: u32) {
  var kept: array<f32, 4>;
  line[lane] = a[id.y * 32 + id.x];
  for (var round = 0u; round < 4; round++) {
    workgroupBarrier();
    var v = line[(lane + 1) % 64];
    for (var k = 0u; k < 12; k++) {
      v = fma(v, 0.5, line[k]);
    }
    kept[round] = v;
    workgroupBarrier();
    line[lane] = v;
  }
  c[1024 + id.y * 32 + id.x] = kept[0] + kept[1] + kept[2] + kept[3];
}

// Lanes that left early stay away from what follows.
@compute @workgroup_size(16, 4)
fn leavers(@builtin(global_invocation_id) id: vec3<u32>,
           @builtin(local_invocation_index) lane: u32) {
  line[lane] = b[id.y * 32 + id.x];
  workgroupBarrier();
  var v = 1.0;
  for (var k = 0u; k < 64; k++) {
    v = v * 0.75 + line[k];
  }
  if (id.x % 5 == 3) {
    return;
  }
  var other = v;
  for (var k = 0u; k < 10; k++) {
    other = fma(other, 0.25, line[63 - k]);
  }
  c[id.y * 32 + id.x] = other;
}
