#include "twin.h"

struct Scale {
  u32 n;
  float a, b;
};
TWIN(scale, (Scale p, const float* __restrict x, R* __restrict y)) {
  EACH(i, p.n) y[i] = p.a * x[i] + p.b;
}

TWIN(tanh_map, (const float* __restrict x, R* __restrict y, N p)) {
  EACH(i, p.n) y[i] = tanh(x[i] * R(0.5) + R(0.1));
}

TWIN(gelu, (const float* __restrict x, R* __restrict y, N p)) {
  EACH(i, p.n) {
    const R v = x[i];
    y[i] = R(0.5) * v * (R(1) + tanh(R(0.7978845608) * (v + R(0.044715) * v * v * v)));
  }
}

TWIN(swish_in_place, (R * y, N p)) { EACH(i, p.n) y[i] = y[i] / (R(1) + exp(-y[i])); }

TWIN(multiply_add, (const float* __restrict a, const float* __restrict b, const float* __restrict c,
                    R* __restrict y, N p)) {
  EACH(i, p.n) y[i] = R(a[i]) * b[i] + c[i];
}

TWIN(gamma_curve, (const float* __restrict x, R* __restrict y, N p)) {
  EACH(i, p.n) {
    const R v = x[i];
    y[i] = v <= R(0.0031308) ? R(12.92) * v : R(1.055) * pow(v, R(0.4166667)) - R(0.055);
  }
}

struct Adam {
  u32 n;
  float rate, b1, b2;
};
TWIN(adam, (Adam p, const float* __restrict g, R* __restrict w, R* __restrict m, R* __restrict v)) {
  EACH(i, p.n) {
    const R d = g[i];
    const R m1 = p.b1 * m[i] + (1 - p.b1) * d;
    const R v1 = p.b2 * v[i] + (1 - p.b2) * d * d;
    m[i] = m1;
    v[i] = v1;
    w[i] -= p.rate * m1 / (sqrt(v1) + R(1e-8));
  }
}

TWIN(sum_7, (const float* __restrict a, const float* __restrict b, const float* __restrict c,
             const float* __restrict d, const float* __restrict e, const float* __restrict f,
             const float* __restrict g, R* __restrict y, N p)) {
  EACH(i, p.n) y[i] = R(a[i]) + b[i] - c[i] + d[i] - e[i] + f[i] - g[i];
}
