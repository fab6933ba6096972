// A layer of a transformer: normalise, project, rotate, attend, project, add. A row of an array is a
// token; a token has `heads` heads of `width / heads` numbers each.
struct Shape { tokens: u32, width: u32, heads: u32 }

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> gain: array<f32>;
@group(0) @binding(3) var<storage, read> weight: array<f32>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;
@group(0) @binding(5) var<storage, read> q: array<f32>;
@group(0) @binding(6) var<storage, read> k: array<f32>;
@group(0) @binding(7) var<storage, read> v: array<f32>;

override BASE: f32 = 10000.0;

const kLanes = 64u;
var<workgroup> partial: array<f32, kLanes>;

// Rows of mean square 1, times a gain for each column: one workgroup a row.
@compute @workgroup_size(kLanes)
fn normalise(@builtin(workgroup_id) row: vec3<u32>, @builtin(local_invocation_id) lane: vec3<u32>) {
  var sum = 0.0;
  for (var c = lane.x; c < shape.width; c += kLanes) {
    let value = x[row.x * shape.width + c];
    sum += value * value;
  }
  partial[lane.x] = sum;
  workgroupBarrier();
  for (var half = kLanes / 2; half > 0; half /= 2) {
    if (lane.x < half) { partial[lane.x] += partial[lane.x + half]; }
    workgroupBarrier();
  }
  let scale = inverseSqrt(partial[0] / f32(shape.width) + 1e-5);
  for (var c = lane.x; c < shape.width; c += kLanes) {
    y[row.x * shape.width + c] = x[row.x * shape.width + c] * scale * gain[c];
  }
}

// y = x * weight; the rows of weight are the inputs.
@compute @workgroup_size(16, 4)
fn project(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= shape.width || id.y >= shape.tokens) { return; }
  var sum = 0.0;
  for (var i = 0u; i < shape.width; i++) {
    sum += x[id.y * shape.width + i] * weight[i * shape.width + id.x];
  }
  y[id.y * shape.width + id.x] = sum;
}

// Turns each pair of neighbouring numbers of a head, by an angle that grows with the token: in place.
@compute @workgroup_size(16, 4)
fn rotate(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= shape.width / 2 || id.y >= shape.tokens) { return; }
  let head_width = shape.width / shape.heads;
  let pair = id.x % (head_width / 2);
  let angle = f32(id.y) * pow(BASE, -2.0 * f32(pair) / f32(head_width));
  let at = id.y * shape.width + 2 * id.x;
  let a = y[at];
  let b = y[at + 1];
  y[at] = a * cos(angle) - b * sin(angle);
  y[at + 1] = a * sin(angle) + b * cos(angle);
}

fn likeness(token: u32, other: u32, head: u32) -> f32 {
  let head_width = shape.width / shape.heads;
  var sum = 0.0;
  for (var i = 0u; i < head_width; i++) {
    sum += q[token * shape.width + head * head_width + i] *
           k[other * shape.width + head * head_width + i];
  }
  return sum / sqrt(f32(head_width));
}

// Each token's mean of the values of the tokens up to itself, weighted by likeness.
@compute @workgroup_size(16, 4)
fn attend(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= shape.width || id.y >= shape.tokens) { return; }
  let head = id.x / (shape.width / shape.heads);
  var largest = -1e30;
  var total = 0.0;
  var sum = 0.0;
  for (var other = 0u; other <= id.y; other++) {
    let score = likeness(id.y, other, head);
    let before = exp(largest - max(largest, score));
    largest = max(largest, score);
    let share = exp(score - largest);
    total = total * before + share;
    sum = sum * before + share * v[other * shape.width + id.x];
  }
  y[id.y * shape.width + id.x] = sum / total;
}

@compute @workgroup_size(16, 4)
fn add(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= shape.width || id.y >= shape.tokens) { return; }
  let at = id.y * shape.width + id.x;
  y[at] = x[at] + q[at];
}
