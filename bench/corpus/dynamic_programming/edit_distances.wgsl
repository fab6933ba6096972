// sizes: n=40/512/8K/128K
// p: uniform n
// a: words 4 16
// b: words 4 n*16
// y: output n
// run: n
struct P { n: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> a: array<u32>;
@group(0) @binding(2) var<storage, read> b: array<u32>;
@group(0) @binding(3) var<storage, read_write> y: array<u32>;
// The edit distance of 16 letters from each of many words of 16.
@compute @workgroup_size(64) fn edit_distances(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= p.n) { return; }
  var row: array<u32, 17>;
  for (var j = 0u; j <= 16u; j++) { row[j] = j; }
  for (var i = 0u; i < 16u; i++) {
    var diagonal = row[0];
    row[0] = i + 1u;
    let letter = b[id.x * 16u + i];
    for (var j = 1u; j <= 16u; j++) {
      let replaced = diagonal + u32(a[j - 1u] != letter);
      diagonal = row[j];
      row[j] = min(replaced, min(diagonal, row[j - 1u]) + 1u);
    }
  }
  y[id.x] = row[16];
}
