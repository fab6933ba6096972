// sizes: n=64/256/2K/8K
// p: uniform n
// score: floats -1 1 n
// gain: floats -1 1 n*n
// y: output n
// run: n
// tolerance: 1e-5 1e-5
struct P { n: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> score: array<f32>;
@group(0) @binding(2) var<storage, read> gain: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
// The best way into each state from any other.
@compute @workgroup_size(64) fn viterbi_step(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.n) { return; }
  var best = -3.0e38;
  for (var k = 0u; k < p.n; k++) { best = max(best, score[k] + gain[k * p.n + id.x]); }
  y[id.x] = best;
}
