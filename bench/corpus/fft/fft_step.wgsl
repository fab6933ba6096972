// sizes: n=512/16K/512K/8M
// p: uniform n 8
// x: floats -1 1 n*2
// y: output n*2
// run: n/2
// tolerance: 1e-4 1e-4
struct P { n: u32, span: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> x: array<vec2f>;
@group(0) @binding(2) var<storage, read_write> y: array<vec2f>;
// One step of a radix-2 transform that keeps the order (Stockham).
@compute @workgroup_size(128) fn fft_step(@builtin(global_invocation_id) id: vec3u) {
  let half = p.n / 2u;
  if (id.x >= half) { return; }
  let k = id.x % p.span;
  let angle = -3.14159265 * f32(k) / f32(p.span);
  let w = vec2f(cos(angle), sin(angle));
  let a = x[id.x];
  let b = x[id.x + half];
  let t = vec2f(w.x * b.x - w.y * b.y, w.x * b.y + w.y * b.x);
  let at = 2u * id.x - k;
  y[at] = a + t;
  y[at + p.span] = a - t;
}
