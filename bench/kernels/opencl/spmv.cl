kernel void spmv(global const uint* restrict starts, global const uint* restrict columns,
                 global const float* restrict values, global const float* restrict x,
                 global float* restrict y) {
  const uint row = get_global_id(0);
  float sum = 0.0f;
  const uint end = starts[row + 1];
  for (uint k = starts[row]; k < end; ++k) sum += values[k] * x[columns[k]];
  y[row] = sum;
}
