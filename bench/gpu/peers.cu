// The twelve kernels as a CUDA programmer would write them, at the same workgroup sizes. Uniforms
// come by value, buffers as pointers in order, and last the number of words of the last buffer.
struct SaxpyShape {
  float a;
  unsigned n;
};
struct StencilShape {
  unsigned width, height;
  float rate;
  unsigned unused;
};
struct MatmulShape {
  unsigned size;
};
struct NbodyShape {
  unsigned count;
  float softening;
};
struct BlackScholesShape {
  float rate, volatility;
  unsigned n;
};
struct MandelbrotShape {
  float left, top, pixel;
  unsigned width, limit, height;
};
struct BitonicShape {
  unsigned block, distance, n;
};

extern "C" {

__global__ void empty() {}

__global__ void saxpy(SaxpyShape shape, const float* __restrict__ x, const float* __restrict__ y,
                      float* __restrict__ z, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = shape.a * x[i] + y[i];
}

__global__ void stencil(StencilShape shape, const float* __restrict__ before,
                        float* __restrict__ after, unsigned) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= shape.width || y >= shape.height) return;
  const unsigned i = y * shape.width + x;
  const float centre = before[i];
  if (x == 0 || y == 0 || x == shape.width - 1 || y == shape.height - 1) {
    after[i] = centre;
    return;
  }
  const float around = before[i - 1] + before[i + 1] + before[i - shape.width] +
                       before[i + shape.width];
  after[i] = centre + shape.rate * (around - 4.0f * centre);
}

__global__ void gather(const float* __restrict__ table, const unsigned* __restrict__ indices,
                       float* __restrict__ picked, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) picked[i] = table[indices[i]];
}

__global__ void spmv(const unsigned* __restrict__ starts, const unsigned* __restrict__ columns,
                     const float* __restrict__ values, const float* __restrict__ x,
                     float* __restrict__ y, unsigned n) {
  const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  float sum = 0;
  const unsigned end = starts[row + 1];
  for (unsigned k = starts[row]; k < end; ++k) sum += values[k] * x[columns[k]];
  y[row] = sum;
}

__global__ void matmul(MatmulShape shape, const float* __restrict__ a, const float* __restrict__ b,
                       float* __restrict__ c, unsigned) {
  constexpr unsigned kTile = 16;
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const unsigned row = blockIdx.y * kTile + threadIdx.y;
  const unsigned column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (unsigned first = 0; first < shape.size; first += kTile) {
    tile_a[threadIdx.y][threadIdx.x] = a[row * shape.size + first + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * shape.size + column];
    __syncthreads();
    for (unsigned k = 0; k < kTile; ++k) sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
    __syncthreads();
  }
  c[row * shape.size + column] = sum;
}

__global__ void reduction(const float* __restrict__ values, float* __restrict__ sums, unsigned) {
  constexpr unsigned kWidth = 256;
  __shared__ float partial[kWidth];
  const unsigned lane = threadIdx.x;
  partial[lane] = values[blockIdx.x * kWidth + lane];
  __syncthreads();
  for (unsigned half = kWidth / 2; half > 0; half /= 2) {
    if (lane < half) partial[lane] += partial[lane + half];
    __syncthreads();
  }
  if (lane == 0) sums[blockIdx.x] = partial[0];
}

__global__ void scan(const unsigned* __restrict__ values, unsigned* __restrict__ sums, unsigned) {
  constexpr unsigned kWidth = 256;
  __shared__ unsigned slots[kWidth];
  const unsigned lane = threadIdx.x;
  const unsigned i = blockIdx.x * kWidth + lane;
  slots[lane] = values[i];
  __syncthreads();
  for (unsigned distance = 1; distance < kWidth; distance *= 2) {
    unsigned sum = slots[lane];
    if (lane >= distance) sum += slots[lane - distance];
    __syncthreads();
    slots[lane] = sum;
    __syncthreads();
  }
  sums[i] = slots[lane];
}

__global__ void histogram(const unsigned* __restrict__ values, unsigned* __restrict__ bins,
                          unsigned) {
  constexpr unsigned kWidth = 256, kEach = 16;
  __shared__ unsigned local_bins[256];
  const unsigned lane = threadIdx.x;
  local_bins[lane] = 0;
  __syncthreads();
  const unsigned first = blockIdx.x * kWidth * kEach + lane;
  for (unsigned i = 0; i < kEach; ++i) atomicAdd(&local_bins[values[first + i * kWidth] >> 24], 1u);
  __syncthreads();
  const unsigned count = local_bins[lane];
  if (count > 0) atomicAdd(&bins[lane], count);
}

__global__ void nbody(NbodyShape shape, const float4* __restrict__ bodies,
                      float4* __restrict__ pulls, unsigned) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= shape.count) return;
  const float4 here = bodies[i];
  float px = 0, py = 0, pz = 0;
  for (unsigned j = 0; j < shape.count; ++j) {
    const float4 other = bodies[j];
    const float x = other.x - here.x, y = other.y - here.y, z = other.z - here.z;
    const float inverse = rsqrtf(x * x + y * y + z * z + shape.softening);
    const float scale = other.w * inverse * inverse * inverse;
    px += x * scale;
    py += y * scale;
    pz += z * scale;
  }
  pulls[i] = make_float4(px, py, pz, 0);
}

static __device__ float normal(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  const float series =
      k * (0.31938153f +
           k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const float tail = 0.39894228f * expf(-0.5f * d * d) * series;
  return d > 0 ? 1.0f - tail : tail;
}

__global__ void black_scholes(BlackScholesShape shape, const float* __restrict__ spots,
                              const float* __restrict__ strikes, const float* __restrict__ years,
                              float* __restrict__ calls, float* __restrict__ puts, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float spot = spots[i], strike = strikes[i], t = years[i];
  const float spread = shape.volatility * sqrtf(t);
  const float d1 =
      (logf(spot / strike) + (shape.rate + 0.5f * shape.volatility * shape.volatility) * t) / spread;
  const float d2 = d1 - spread;
  const float discounted = strike * expf(-shape.rate * t);
  const float n1 = normal(d1), n2 = normal(d2);
  calls[i] = spot * n1 - discounted * n2;
  puts[i] = discounted * (1.0f - n2) - spot * (1.0f - n1);
}

__global__ void mandelbrot(MandelbrotShape shape, unsigned* __restrict__ rounds, unsigned) {
  const unsigned px = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned py = blockIdx.y * blockDim.y + threadIdx.y;
  const float cx = shape.left + px * shape.pixel;
  const float cy = shape.top + py * shape.pixel;
  float x = 0, y = 0;
  unsigned round = 0;
  while (round < shape.limit && x * x + y * y <= 4.0f) {
    const float next = x * x - y * y + cx;
    y = 2.0f * x * y + cy;
    x = next;
    ++round;
  }
  rounds[py * shape.width + px] = round;
}

__global__ void bitonic(BitonicShape shape, unsigned* __restrict__ values, unsigned) {
  const unsigned low = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned high = low ^ shape.distance;
  if (high > low) {
    const unsigned first = values[low], second = values[high];
    const bool ascending = (low & shape.block) == 0;
    if ((first > second) == ascending) {
      values[low] = second;
      values[high] = first;
    }
  }
}

}  // extern "C"
