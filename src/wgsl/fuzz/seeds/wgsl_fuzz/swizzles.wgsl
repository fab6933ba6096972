requires swizzle_assignment, pointer_composite_access;
var<private> a: array<vec4u, 3>;
fn f(p: ptr<function, vec3f>) -> u32 { p.zx = p.xy; p.yzx += vec3f(1); return 1; }
@compute @workgroup_size(1) fn main() {
  var v: vec3f; a[f(&v)].wx ^= a[2].xy; a[1].bgr.yx = vec2(f(&v)); v.xyz.z = 2; (v).xyz = v.zzz;
}
