// elements: 300
// Calls that would expand to a hundred thousand statements: most functions stay functions. They take
// uniform, linear and varying arguments, vectors, structs, arrays and bools, pointers to variables of
// every kind, return early from some lanes, loop, and write memory.
struct Pair { first: u32, second: vec2<f32> }
@group(0) @binding(0) var<storage, read_write> y: array<u32>;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> z: array<f32>;
@group(0) @binding(3) var<uniform> n: u32;
var<private> counter: u32;
var<workgroup> shared_sum: array<u32, 64>;

fn mixed(a: u32, b: u32) -> u32 {
  var h = a * 747796405u + b;
  h = ((h >> ((h >> 28u) + 4u)) ^ h) * 277803737u;
  h = (h >> 22u) ^ h;
  counter = counter + (h & 3u);
  if ((h & 7u) == 0u) { return h ^ 5u; }
  h = h + x[h % n] * 3u + x[a];
  return h ^ (b << 3u);
}
fn step(state: ptr<function, u32>, by: u32) -> bool {
  *state = *state * 1664525u + by + 1013904223u;
  if ((*state & 31u) == 3u) { return true; }
  *state = *state ^ mixed(*state, by);
  return (*state & 1u) == 0u;
}
fn loops(a: u32, rounds: u32) -> u32 {
  var sum = a;
  for (var i = 0u; i < (rounds & 7u); i++) {
    if ((sum & 15u) == 9u) { continue; }
    sum = mixed(sum, i);
    if ((sum & 63u) == 1u) { break; }
  }
  return sum;
}
fn pairs(p: Pair, flag: bool) -> Pair {
  var q = p;
  if (flag) { q.first = mixed(q.first, 3u); }
  q.second = q.second.yx * 0.5 + vec2<f32>(f32(q.first & 255u), 1.0);
  return q;
}
fn fill(to: ptr<function, array<u32, 12>>, seed: u32) -> array<u32, 12> {
  for (var i = 0u; i < 12u; i++) { (*to)[i] = (*to)[i] + mixed(seed, i); }
  (*to)[seed % 12u] = 1u;
  return *to;
}
fn writes(i: u32, v: u32) {
  if (i >= arrayLength(&y)) { return; }
  y[i] = y[i] + v;
}
fn tree0(a: u32, u: u32) -> u32 { return mixed(a, u) + mixed(a + 1u, u + counter); }
fn tree1(a: u32, u: u32) -> u32 { return tree0(a, u + 1u) ^ tree0(a * 3u, u); }
fn tree2(a: u32, u: u32) -> u32 { return tree1(a, u + 2u) ^ tree1(a * 5u, u); }
fn tree3(a: u32, u: u32) -> u32 { return tree2(a, u + 3u) ^ tree2(a * 7u, u); }
fn tree4(a: u32, u: u32) -> u32 { return tree3(a, u + 4u) ^ tree3(a * 9u, u); }
fn tree5(a: u32, u: u32) -> u32 { return tree4(a, u + 5u) ^ tree4(a * 11u, u); }
fn tree6(a: u32, u: u32) -> u32 { return tree5(a, u + 6u) ^ tree5(a * 13u, u); }
fn tree7(a: u32, u: u32) -> u32 { return tree6(a, u + 7u) ^ tree6(a * 15u, u); }
fn tree8(a: u32, u: u32) -> u32 { return tree7(a, u + 8u) ^ tree7(a * 17u, u); }
fn tree9(a: u32, u: u32) -> u32 { return tree8(a, u + 9u) ^ tree8(a * 19u, u); }
fn tree10(a: u32, u: u32) -> u32 { return tree9(a, u + 10u) ^ tree9(a * 21u, u); }
fn tree11(a: u32, u: u32) -> u32 { return tree10(a, u + 11u) ^ tree10(a * 23u, u); }

fn all_of_it(i: u32, local: u32) -> u32 {
  var state = i + n;
  var r = tree11(i, n) + tree11(local, 7u);
  if (step(&state, r)) { r = r + 1u; }
  if (step(&state, 3u) || i % 3u == 0u) { r = r ^ tree5(r, i); }
  r = r + loops(r, i) + loops(n, 5u);
  var p = Pair(r, vec2<f32>(f32(i), 2.0));
  p = pairs(p, i % 2u == 0u);
  p = pairs(p, n > 4u);
  z[i] = p.second.x + p.second.y;
  var a: array<u32, 12>;
  let b = fill(&a, r);
  let c = fill(&a, n);
  r = r + p.first + a[r % 12u] + b[i % 12u] + c[3];
  writes(i, r);
  writes(i + 1000000u, r);
  return r + counter;
}
@compute @workgroup_size(64)
fn rows(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
  if (id.x >= n) { return; }
  writes(id.x, all_of_it(id.x, local));
}
@compute @workgroup_size(64)
fn groups(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
  shared_sum[local] = all_of_it(id.x, local);
  workgroupBarrier();
  if (id.x % 5u != 0u) { writes(id.x, tree6(shared_sum[63u - local], id.x)); }
}
