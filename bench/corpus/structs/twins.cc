#include "twin.h"

#ifdef __CUDACC__
template <class>
struct Body {
  float x, y, z, mass, vx, vy, vz, age;
};
#else
template <class R>
struct Body {
  R x, y, z, mass, vx, vy, vz, age;
};
#endif
TWIN(move_bodies, (N p, Body<R>* bodies)) {
  EACH(i, p.n) {
    Body<R> b = bodies[i];
    const R pull = R(0.01) * b.mass;
    b.vx -= pull * b.x;
    b.vy -= pull * b.y;
    b.vz -= pull * b.z;
    b.x += R(0.01) * b.vx;
    b.y += R(0.01) * b.vy;
    b.z += R(0.01) * b.vz;
    b.age += R(0.01);
    bodies[i] = b;
  }
}

TWIN(complex_multiply, (N p, const vec2<float>* __restrict a, const vec2<float>* __restrict b,
                        vec2<R>* __restrict c)) {
  EACH(i, p.n) {
    const vec2<float> u = a[i], v = b[i];
    c[i] = {R(u.x) * v.x - R(u.y) * v.y, R(u.x) * v.y + R(u.y) * v.x};
  }
}

TWIN(planes_to_pixels, (N p, const float* __restrict r, const float* __restrict g,
                        const float* __restrict b, vec4<R>* __restrict y)) {
  EACH(i, p.n) {
    const R light = R(0.25) * r[i] + R(0.625) * g[i] + R(0.125) * b[i];
    y[i] = {R(r[i]), R(g[i]), R(b[i]), light};
  }
}
