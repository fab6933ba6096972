enable f16;
struct Inner { @align(16) a: vec3<f32>, @size(32) b: f32 }
struct Outer { head: array<Inner, 2>, m: mat3x2<f32>, tail: array<vec2<u32>> }
alias Half = vec4<f16>;
@group(1) @binding(3) var<storage, read_write> data: Outer;
var<private> seed: u32 = 7u;
var<workgroup> flags: array<atomic<u32>, 4>;

fn bump(p: ptr<function, i32>, by: i32) -> i32 { *p += by; return *p; }
fn pick(p: ptr<private, u32>) -> u32 { return (*p) * 1664525u + 1013904223u; }

@compute @workgroup_size(1)
fn main(@builtin(num_workgroups) groups: vec3<u32>) {
  var local = 3;
  let where_ = &local;
  let next = bump(where_, -2);
  seed = pick(&seed);
  data.head[1].a.zyx = vec3f(1.0, 2.0, f32(next));
  data.m[1][0] = data.head[0].b;
  data.tail[groups.x] = data.tail[seed % arrayLength(&data.tail)].yx;
  let swap = atomicCompareExchangeWeak(&flags[0], 0u, 1u);
  if swap.exchanged { atomicMax(&flags[1], swap.old_value); }
  storageBarrier();
  let all_same = workgroupUniformLoad(&seed_copy);
  var h = Half(1h, 2.5h, f16(local), 0x1p-3h);
  h += h;
}
var<workgroup> seed_copy: u32;
