// elements: 200
// Values of which only some parts are the same for all lanes.
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;

fn twice(v: u32) -> u32 {
  if (v > 5u) { return v * 2u; }
  return v + 1u;
}

@compute @workgroup_size(20)
fn argument(@builtin(global_invocation_id) id: vec3<u32>) {
  var v = vec2<u32>(x[id.x], 7u);
  v.x += 1u;
  y[id.x] = twice(v.y) + v.x;
}

@compute @workgroup_size(20)
fn leave(@builtin(global_invocation_id) id: vec3<u32>) {
  var v = vec2<bool>(x[id.x] > 3u, false);
  var n = 0u;
  loop {
    if (n >= 5u) { break; }
    n++;
    continuing { break if v.y && n == 3u; }
  }
  y[id.x] = n + select(0u, 10u, v.x);
}

@compute @workgroup_size(20)
fn remainder(@builtin(global_invocation_id) id: vec3<u32>) {
  y[id.x] = x[id.x] % id.x + (x[id.x] & 15u) % (id.x + 1u);
}

@compute @workgroup_size(20)
fn choose(@builtin(global_invocation_id) id: vec3<u32>) {
  var v = vec2<u32>(x[id.x], 2u);
  var sum = 0u;
  for (var i = 0u; i < 6u; i++) {
    switch (v.y + i) {
      case 3: { continue; }
      case 4, 5: { sum += v.x; }
      case 6: { break; }
      default: { sum += 100u; }
    }
    sum += i;
  }
  y[id.x] = sum;
}

@compute @workgroup_size(20)
fn large(@builtin(global_invocation_id) id: vec3<u32>) {
  var a: array<u32, 300>;
  a[x[id.x]] = id.x;
  if (id.x % 3u != 0u) {
    var b = a;
    b[id.x] += 5u;
    a = b;
    y[id.x] = a[x[id.x]] + a[id.x];
    a = array<u32, 300>();
  }
  y[id.x] += a[x[id.x]];
}
