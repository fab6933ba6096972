// y = a * x + y, one element for each invocation.
//
//   vyre run examples/saxpy.wgsl --in x=fill:iota:8 --in y=fill:const=1:8 --uniform a=2

@group(0) @binding(0) var<uniform> a: f32;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn saxpy(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
  // Runs that round the size up to whole workgroups have invocations beyond the end.
  if (i >= arrayLength(&y)) {
    return;
  }
  y[i] = a * x[i] + y[i];
}
