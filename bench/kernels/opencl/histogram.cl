#define BINS 256
#define WIDTH 256
#define EACH 16
kernel void histogram(global const uint* restrict values, global uint* restrict bins) {
  local uint local_bins[BINS];
  const uint lane = get_local_id(0);
  const uint first = get_group_id(0) * WIDTH * EACH + lane;
  local_bins[lane] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = 0; i < EACH; ++i) atomic_inc(&local_bins[values[first + i * WIDTH] >> 24]);
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint count = local_bins[lane];
  if (count > 0) atomic_add(&bins[lane], count);
}
