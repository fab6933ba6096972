kernel void gather(global const float* restrict table, global const uint* restrict indices,
                   global float* restrict picked) {
  const uint i = get_global_id(0);
  picked[i] = table[indices[i]];
}
