// elements: 600
// Elements of two to sixteen words, with gaps and without, side by side and at indices of their own.
struct Four { a: f32, b: u32, c: f32, d: i32 }
struct Gaps { position: vec3<f32>, velocity: vec3<f32> }
struct Eight { position: vec3<f32>, mass: f32, velocity: vec3<f32>, age: f32 }
struct Three { a: f32, b: f32, c: f32 }
@group(0) @binding(0) var<storage, read_write> two: array<vec2<f32>>;
@group(0) @binding(1) var<storage, read_write> three: array<vec3<f32>>;
@group(0) @binding(2) var<storage, read_write> four: array<Four>;
@group(0) @binding(3) var<storage, read_write> gaps: array<Gaps>;
@group(0) @binding(4) var<storage, read_write> eight: array<Eight>;
@group(0) @binding(5) var<storage, read_write> packed: array<Three>;
@group(0) @binding(6) var<storage, read_write> matrices: array<mat4x4<f32>>;
@group(0) @binding(7) var<storage, read> places: array<u32>;

@compute @workgroup_size(64) fn side_by_side(@builtin(global_invocation_id) g: vec3<u32>) {
  let i = g.x;
  two[i] = two[i].yx * 2.0;
  three[i] = three[i].zxy + 1.0;
  var f = four[i];
  f.b = f.b + 3u;
  f.d = -f.d;
  four[i] = f;
  var e = eight[i];
  e.velocity.y = e.velocity.y - 0.5;
  e.position = e.position + e.velocity * 0.25;
  if (e.position.x < 0.0) { e.age = e.age + 1.0; }
  eight[i] = e;
  packed[i] = Three(packed[i].c, packed[i].a, packed[i].b);
}

@compute @workgroup_size(64) fn with_gaps(@builtin(global_invocation_id) g: vec3<u32>) {
  let i = g.x;
  var p = gaps[i];
  p.position = p.position + p.velocity;
  p.velocity = p.velocity * 0.5;
  gaps[i] = p;
  eight[i].velocity = eight[i].position;
  gaps[i].velocity.z = 7.0;
  matrices[i] = transpose(matrices[i]);
}

@compute @workgroup_size(64) fn where_some_run(@builtin(global_invocation_id) g: vec3<u32>) {
  let i = g.x;
  if (two[i].x > 0.0) {
    two[i] = -two[i];
    three[i] = three[i] * 3.0;
    eight[i] = Eight(three[i], 1.0, three[i].zyx, 2.0);
  }
  if (i % 5u < 3u) {
    gaps[i].position = three[i];
    four[i] = Four(1.0, 2u, 3.0, 4);
  }
}

@compute @workgroup_size(64) fn at_places(@builtin(global_invocation_id) g: vec3<u32>) {
  let start = places[g.x];
  two[g.x] = vec2<f32>(eight[start].mass, eight[start].age);
  three[g.x] = eight[start].velocity + gaps[start].position;
  let to = (g.x * 7u) % 601u;
  four[to] = Four(eight[start].position.y, start, three[g.x].x, i32(g.x));
}

@compute @workgroup_size(32) fn in_loops(@builtin(workgroup_id) wg: vec3<u32>,
                                         @builtin(local_invocation_index) l: u32) {
  var s = vec2<f32>(0.0, 0.0);
  for (var i = l; i < 590u; i += 32u) {
    s = s * 0.5 + two[i] + eight[i].position.xy;
  }
  workgroupBarrier();
  if (wg.x == 0u) { matrices[l][1] = vec4<f32>(s, s.yx); }
}
