// Pointers that are kept across barriers, and handed to functions.
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;

var<workgroup> shared_words: array<u32, 64>;

fn add(place: ptr<function, u32>, by: u32) {
  *place += by;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let mine = &y[id.x];
  let others = &x[(id.x * 7u + 3u) % 1200u];  // some of them outside
  var sum = 1u;
  shared_words[lane] = x[id.x];
  workgroupBarrier();
  for (var i = 0u; i < 3; i++) {
    add(&sum, shared_words[(lane + i) % 64] + *others);
    workgroupBarrier();
    shared_words[lane] = sum;
    workgroupBarrier();
  }
  *mine = sum + shared_words[63 - lane];
}
