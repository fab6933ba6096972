// One step of a fluid in a box, after Stam's "Stable Fluids". A cell has a velocity in cells a step,
// a pressure, and an amount of dye. The cells of the border are walls: no stage writes their
// velocities, which stay 0.
struct Box { width: u32, height: u32 }

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> now: array<vec2<f32>>;
@group(0) @binding(2) var<storage, read> guess: array<vec2<f32>>;
@group(0) @binding(3) var<storage, read_write> better: array<vec2<f32>>;
@group(0) @binding(4) var<storage, read_write> velocity: array<vec2<f32>>;
@group(0) @binding(5) var<storage, read> flow: array<vec2<f32>>;
@group(0) @binding(6) var<storage, read_write> divergence: array<f32>;
@group(0) @binding(7) var<storage, read> sources: array<f32>;
@group(0) @binding(8) var<storage, read> pressure: array<f32>;
@group(0) @binding(9) var<storage, read_write> next_pressure: array<f32>;
@group(0) @binding(10) var<storage, read> dye: array<f32>;
@group(0) @binding(11) var<storage, read_write> moved_dye: array<f32>;
@group(0) @binding(12) var<storage, read_write> painted: array<f32>;

override VISCOSITY: f32 = 0.2;
override FORCE: f32 = 0.3;

fn cell(x: u32, y: u32) -> u32 { return y * box.width + x; }
fn is_inside(id: vec3<u32>) -> bool {
  return id.x >= 1 && id.y >= 1 && id.x + 1 < box.width && id.y + 1 < box.height;
}

// A jet at the left that blows to the right and a little upwards, and brings dye.
@compute @workgroup_size(16, 8)
fn push(@builtin(global_invocation_id) id: vec3<u32>) {
  if (!is_inside(id)) { return; }
  let from_jet = vec2<f32>(id.xy) - vec2<f32>(f32(box.width) * 0.2, f32(box.height) * 0.5);
  let strength = max(0.0, 1.0 - dot(from_jet, from_jet) / 16.0);
  let i = cell(id.x, id.y);
  velocity[i] += vec2<f32>(1.0, -0.25) * (FORCE * strength);
  painted[i] = max(painted[i], strength);
}

// A round of Jacobi's method: the velocity in which each cell drags its neighbours.
@compute @workgroup_size(16, 8)
fn diffuse(@builtin(global_invocation_id) id: vec3<u32>) {
  if (!is_inside(id)) { return; }
  let i = cell(id.x, id.y);
  let around = guess[i - 1] + guess[i + 1] + guess[i - box.width] + guess[i + box.width];
  better[i] = (now[i] + VISCOSITY * around) / (1.0 + 4.0 * VISCOSITY);
}

@compute @workgroup_size(16, 8)
fn diverge(@builtin(global_invocation_id) id: vec3<u32>) {
  if (!is_inside(id)) { return; }
  let i = cell(id.x, id.y);
  divergence[i] = 0.5 * (flow[i + 1].x - flow[i - 1].x + flow[i + box.width].y -
                         flow[i - box.width].y);
}

// A round of Jacobi's method: the pressure that would undo the divergence.
@compute @workgroup_size(16, 8)
fn relax(@builtin(global_invocation_id) id: vec3<u32>) {
  if (!is_inside(id)) { return; }
  let i = cell(id.x, id.y);
  next_pressure[i] = 0.25 * (pressure[i - 1] + pressure[i + 1] + pressure[i - box.width] +
                             pressure[i + box.width] - sources[i]);
}

@compute @workgroup_size(16, 8)
fn project(@builtin(global_invocation_id) id: vec3<u32>) {
  if (!is_inside(id)) { return; }
  let i = cell(id.x, id.y);
  velocity[i] -= 0.5 * vec2<f32>(pressure[i + 1] - pressure[i - 1],
                                 pressure[i + box.width] - pressure[i - box.width]);
}

// Where the flow comes from, one step back, between four cells: the upper left one and the shares.
struct Origin { cell: u32, share: vec2<f32> }
fn origin(id: vec3<u32>) -> Origin {
  let far = vec2<f32>(f32(box.width) - 1.5, f32(box.height) - 1.5);
  let at = clamp(vec2<f32>(id.xy) - flow[cell(id.x, id.y)], vec2<f32>(0.5), far);
  let corner = floor(at);
  return Origin(cell(u32(corner.x), u32(corner.y)), at - corner);
}

@compute @workgroup_size(16, 8)
fn carry_velocity(@builtin(global_invocation_id) id: vec3<u32>) {
  if (!is_inside(id)) { return; }
  let from_ = origin(id);
  let above = mix(flow[from_.cell], flow[from_.cell + 1], from_.share.x);
  let below = mix(flow[from_.cell + box.width], flow[from_.cell + box.width + 1], from_.share.x);
  velocity[cell(id.x, id.y)] = mix(above, below, from_.share.y);
}

@compute @workgroup_size(16, 8)
fn carry_dye(@builtin(global_invocation_id) id: vec3<u32>) {
  if (!is_inside(id)) { return; }
  let from_ = origin(id);
  let above = mix(dye[from_.cell], dye[from_.cell + 1], from_.share.x);
  let below = mix(dye[from_.cell + box.width], dye[from_.cell + box.width + 1], from_.share.x);
  moved_dye[cell(id.x, id.y)] = mix(above, below, from_.share.y);
}
