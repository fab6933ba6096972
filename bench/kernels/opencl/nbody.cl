struct shape { uint count; float softening; };
kernel void nbody(constant struct shape* s, global const float4* restrict bodies,
                  global float4* restrict pulls) {
  const uint i = get_global_id(0);
  if (i >= s->count) return;
  const float3 here = bodies[i].xyz;
  float3 pull = (float3)(0.0f);
  for (uint j = 0; j < s->count; ++j) {
    const float4 other = bodies[j];
    const float3 towards = other.xyz - here;
    const float inverse = rsqrt(dot(towards, towards) + s->softening);
    pull += towards * (other.w * inverse * inverse * inverse);
  }
  pulls[i] = (float4)(pull, 0.0f);
}
