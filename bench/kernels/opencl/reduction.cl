#define WIDTH 256
kernel void reduction(global const float* restrict values, global float* restrict sums) {
  local float partial[WIDTH];
  const uint lane = get_local_id(0);
  partial[lane] = values[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint half_width = WIDTH / 2; half_width > 0; half_width /= 2) {
    if (lane < half_width) partial[lane] += partial[lane + half_width];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lane == 0) sums[get_group_id(0)] = partial[0];
}
