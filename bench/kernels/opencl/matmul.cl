#define TILE 16
struct shape { uint size; };
kernel void matmul(constant struct shape* s, global const float* restrict a,
                   global const float* restrict b, global float* restrict c) {
  local float tile_a[TILE][TILE];
  local float tile_b[TILE][TILE];
  const uint x = get_local_id(0), y = get_local_id(1);
  const uint column = get_global_id(0), row = get_global_id(1);
  float sum = 0.0f;
  for (uint first = 0; first < s->size; first += TILE) {
    tile_a[y][x] = a[row * s->size + first + x];
    tile_b[y][x] = b[(first + y) * s->size + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < TILE; ++k) sum += tile_a[y][k] * tile_b[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * s->size + column] = sum;
}
