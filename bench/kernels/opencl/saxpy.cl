struct shape { float a; uint n; };
kernel void saxpy(constant struct shape* s, global const float* restrict x,
                  global const float* restrict y, global float* restrict z) {
  const uint i = get_global_id(0);
  if (i < s->n) z[i] = s->a * x[i] + y[i];
}
