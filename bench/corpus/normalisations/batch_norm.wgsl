// sizes: n=3000/64K/1M/16M channels=30/64/64/256
// p: uniform n channels
// x: floats -2 2 n
// mean: floats -1 1 channels
// scale: floats 0.5 1.5 channels
// y: output n
// run: n
// tolerance: 1e-5 1e-5
struct P { n: u32, channels: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> mean: array<f32>;
@group(0) @binding(3) var<storage, read> scale: array<f32>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;
// Statistics that are known, by channel, which is the innermost index; then a leaky threshold.
@compute @workgroup_size(256) fn batch_norm(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.n) { return; }
  let c = id.x % p.channels;
  let v = (x[id.x] - mean[c]) * scale[c];
  y[id.x] = max(v, 0.01 * v);
}
