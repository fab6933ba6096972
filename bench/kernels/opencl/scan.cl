#define WIDTH 256
kernel void scan(global const uint* restrict values, global uint* restrict sums) {
  local uint slots[WIDTH];
  const uint lane = get_local_id(0);
  slots[lane] = values[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint distance = 1; distance < WIDTH; distance *= 2) {
    uint sum = slots[lane];
    if (lane >= distance) sum += slots[lane - distance];
    barrier(CLK_LOCAL_MEM_FENCE);
    slots[lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  sums[get_global_id(0)] = slots[lane];
}
