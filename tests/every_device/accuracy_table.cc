#include "accuracy_table.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace vyre {
namespace {

using Allowed = std::function<Real(const Arguments&, Real, const DeviceFloatFormat&)>;
using Domain = std::function<bool(const Arguments&)>;

const Real kPi = std::numbers::pi_v<Real>;
const Real kLn2 = std::numbers::ln2_v<Real>;

bool always(const Arguments&) { return true; }
Domain within(Real low, Real high) {
  return [=](const Arguments& a) { return a.x >= low && a.x <= high; };
}

Allowed ulps(Real n) {
  return [=](const Arguments&, Real r, const DeviceFloatFormat& f) { return n * f.ulp(r); };
}
Allowed absolute(Real v) {
  return [=](const Arguments&, Real, const DeviceFloatFormat&) { return v; };
}
Allowed either(const Allowed& a, const Allowed& b) {
  return [=](const Arguments& x, Real r, const DeviceFloatFormat& f) {
    return std::max(a(x, r, f), b(x, r, f));
  };
}
Allowed rounded() { return ulps(0.5L); }

// 3 + 2·|x| ULP (f16: 1 + 2·|x|).
Real exponential_ulps(Real x, const DeviceFloatFormat& f) {
  return (f.digits == 24 ? 3 : 1) + 2 * std::fabs(x);
}
// The logarithm of v: 2^-21 (f16: 2^-7) on [0.5, 2], else 3 ULP.
Real logarithm_error(Real v, Real result, const DeviceFloatFormat& f) {
  if (v >= 0.5L && v <= 2) return f.digits == 24 ? 0x1p-21L : 0x1p-7L;
  return 3 * f.ulp(result);
}
Real epsilon(const DeviceFloatFormat& f) {
  return std::ldexp(1.0L, -f.digits);
}  // half an ULP of 1
Real sine_error(const DeviceFloatFormat& f) { return f.digits == 24 ? 0x1p-11L : 0x1p-7L; }

// sinh, cosh: half the sum or difference of two exponentials, each with its error.
Real hyperbolic_error(const Arguments& a, Real r, const DeviceFloatFormat& f) {
  const Real big = std::exp(std::fabs(a.x)), small = std::exp(-std::fabs(a.x));
  return 0.5L * exponential_ulps(a.x, f) * (f.ulp(big) + f.ulp(small)) + 1.5L * f.ulp(r);
}

Real power_error(const Arguments& a, Real r, const DeviceFloatFormat& f) {
  const Real log = std::log2(a.x), z = a.y * log;
  const Real dz = std::fabs(a.y) * logarithm_error(a.x, log, f) + 2 * std::fabs(z) * epsilon(f);
  return std::fabs(r) * std::expm1(dz * kLn2) + exponential_ulps(z, f) * f.ulp(r);
}

Real tangent_error(const Arguments& a, Real r, const DeviceFloatFormat& f) {
  const Real s = std::sin(a.x), c = std::cos(a.x), e = sine_error(f);
  if (std::fabs(c) <= 2 * e) return INFINITY;
  return (std::fabs(s) + e) / (std::fabs(c) - e) - std::fabs(s) / std::fabs(c) + 2.5L * f.ulp(r);
}

Real acosh_error(const Arguments& a, Real r, const DeviceFloatFormat& f) {
  const Real s = std::sqrt(a.x * a.x - 1), sum = a.x + s;
  // x·x - 1 loses what the product was rounded by.
  const Real ds =
      std::min(2 * epsilon(f) * a.x * a.x / std::max(s, 1e-30L), std::sqrt(2 * epsilon(f)) * a.x) +
      3 * s * epsilon(f);
  return logarithm_error(sum, r, f) + (ds + sum * epsilon(f)) / sum + f.ulp(r);
}

Real asinh_error(const Arguments& a, Real r, const DeviceFloatFormat& f) {
  // x + sqrt(x·x + 1) with a negative x cancels: nothing is promised beyond the logarithm of that.
  return logarithm_error(std::fabs(a.x) + std::sqrt(a.x * a.x + 1), r, f) + 6 * epsilon(f) +
         f.ulp(r);
}

Real atanh_error(const Arguments& a, Real r, const DeviceFloatFormat& f) {
  const Real q = (1 + a.x) / (1 - a.x);
  return 0.5L * (logarithm_error(q, 2 * r, f) + 9 * epsilon(f)) + f.ulp(r);
}

Real remainder_error(const Arguments& a, Real r, const DeviceFloatFormat& f) {
  // x - y·trunc(x / y), where the quotient is off by 2.5 ULP and may cross a whole number.
  const Real q = std::fabs(a.x / a.y);
  const Real near = std::fabs(q - std::round(q));
  const Real slip = near <= 2.5L * f.ulp(q) ? std::fabs(a.y) : 0;
  return slip + (2 * q + 2) * std::fabs(a.y) * 2 * epsilon(f) + f.ulp(r);
}

Real round_even(Real v) {
  const Real down = std::floor(v), rest = v - down;
  if (rest > 0.5L || (rest == 0.5L && std::fmod(down, 2.0L) != 0)) return down + 1;
  return down;
}

}  // namespace

DeviceFloatFormat DeviceFloatFormat::f32() { return {24, -126, 0x1.fffffep127L}; }
DeviceFloatFormat DeviceFloatFormat::f16() { return {11, -14, 65504}; }

Real DeviceFloatFormat::ulp(Real v) const {
  v = std::fabs(v);
  if (!(v < INFINITY)) return INFINITY;
  int exponent = lowest;
  if (v > 0) exponent = std::max(lowest, static_cast<int>(std::ilogb(v)));
  return std::ldexp(1.0L, exponent - digits + 1);
}

std::vector<AccuracyCase> accuracy_cases(bool half) {
  std::vector<AccuracyCase> out;
  const auto one = [&](const char* name, Real (*reference)(Real), const Domain& domain,
                       const Allowed& allowed) {
    out.push_back({name, std::string(name) + "(x)", 1,
                   [=](const Arguments& a) { return reference(a.x); }, domain, allowed});
  };
  const Allowed exponential = [](const Arguments& a, Real r, const DeviceFloatFormat& f) {
    return exponential_ulps(a.x, f) * f.ulp(r);
  };
  const Allowed logarithm = [](const Arguments& a, Real r, const DeviceFloatFormat& f) {
    return logarithm_error(a.x, r, f);
  };
  const Allowed sine = [](const Arguments&, Real, const DeviceFloatFormat& f) {
    return sine_error(f);
  };
  const Allowed arc = half ? ulps(5) : ulps(4096);
  const Real largest = half ? 65504 : 0x1.fffffep127L;
  const auto positive = within(half ? 0x1p-24L : 0x1p-149L, largest);

  one("abs", [](Real v) { return std::fabs(v); }, always, absolute(0));
  one("ceil", [](Real v) { return std::ceil(v); }, always, absolute(0));
  one("floor", [](Real v) { return std::floor(v); }, always, absolute(0));
  one("trunc", [](Real v) { return std::trunc(v); }, always, absolute(0));
  one("round", round_even, always, absolute(0));
  one("fract", [](Real v) { return v - std::floor(v); }, always, rounded());
  one("sign", [](Real v) { return Real(v > 0 ? 1 : v < 0 ? -1 : 0); }, always, absolute(0));
  one("saturate", [](Real v) { return std::clamp(v, 0.0L, 1.0L); }, always, absolute(0));
  one(
      "acos", [](Real v) { return std::acos(v); }, within(-1, 1),
      either(absolute(half ? 3.91e-3L : 6.77e-5L), arc));
  one(
      "asin", [](Real v) { return std::asin(v); }, within(-1, 1),
      either(absolute(half ? 3.91e-3L : 6.81e-5L), arc));
  one("atan", [](Real v) { return std::atan(v); }, always, arc);
  one("acosh", [](Real v) { return std::acosh(v); }, within(1, std::sqrt(largest)), acosh_error);
  one(
      "asinh", [](Real v) { return std::asinh(v); },
      within(-std::sqrt(largest), std::sqrt(largest)), asinh_error);
  one(
      "atanh", [](Real v) { return std::atanh(v); },
      [](const Arguments& a) { return std::fabs(a.x) < 1; }, atanh_error);
  one("sin", [](Real v) { return std::sin(v); }, within(-kPi, kPi), sine);
  one("cos", [](Real v) { return std::cos(v); }, within(-kPi, kPi), sine);
  // WGSL promises nothing beyond a turn; we go on for a while, and stay a sine and a cosine.
  const auto turns = [=](Real v) {
    return [=](const Arguments& a) { return std::fabs(a.x) > kPi && std::fabs(a.x) < v; };
  };
  const auto again = [&](const char* name, const char* expression, Real (*reference)(Real),
                         const Domain& domain, const Allowed& allowed) {
    out.push_back(
        {name, expression, 1, [=](const Arguments& a) { return reference(a.x); }, domain, allowed});
  };
  again("sin of turns", "sin(x)", [](Real v) { return std::sin(v); }, turns(1e6L), sine);
  again("cos of turns", "cos(x)", [](Real v) { return std::cos(v); }, turns(1e6L), sine);
  again("sin of anything", "sin(x)", [](Real) { return 0.0L; }, always, absolute(1.000001L));
  again("cos of anything", "cos(x)", [](Real) { return 0.0L; }, always, absolute(1.000001L));
  one("tan", [](Real v) { return std::tan(v); }, within(-kPi, kPi), tangent_error);
  one("sinh", [](Real v) { return std::sinh(v); }, always, hyperbolic_error);
  one("cosh", [](Real v) { return std::cosh(v); }, always, hyperbolic_error);
  one("tanh", [](Real v) { return std::tanh(v); }, always, either(absolute(1e-5L), ulps(2.5L)));
  one("exp", [](Real v) { return std::exp(v); }, always, exponential);
  one("exp2", [](Real v) { return std::exp2(v); }, always, exponential);
  one("log", [](Real v) { return std::log(v); }, positive, logarithm);
  one("log2", [](Real v) { return std::log2(v); }, positive, logarithm);
  one("inverseSqrt", [](Real v) { return 1 / std::sqrt(v); }, positive, ulps(2));
  // Our own promise is more than WGSL's, which follows 1 / inverseSqrt(x).
  // 1 / inverseSqrt: the error of both.
  one("sqrt", [](Real v) { return std::sqrt(v); }, within(0, largest), ulps(4.5L));
  one("degrees", [](Real v) { return v * 180 / kPi; }, always, ulps(2));
  one("radians", [](Real v) { return v * kPi / 180; }, always, ulps(2));
  if (!half) {
    out.push_back({"quantizeToF16", "quantizeToF16(x)", 1,
                   [](const Arguments& a) {
                     const Real step = DeviceFloatFormat::f16().ulp(a.x);
                     return round_even(a.x / step) * step;
                   },
                   within(-65504, 65504), absolute(0)});
  }

  const auto two = [&](const char* name, const char* expression,
                       const std::function<Real(Real, Real)>& reference, const Domain& domain,
                       const Allowed& allowed) {
    out.push_back({name, expression, 2, [=](const Arguments& a) { return reference(a.x, a.y); },
                   domain, allowed});
  };
  const Real tiny = half ? 0x1p-14L : 0x1p-126L, huge = half ? 0x1p14L : 0x1p126L;
  const Domain divides = [=](const Arguments& a) {
    return std::fabs(a.y) >= tiny && std::fabs(a.y) <= huge;
  };
  two("division", "x / y", [](Real x, Real y) { return x / y; }, divides, ulps(2.5L));
  two(
      "remainder", "x % y", [](Real x, Real y) { return std::fmod(x, y); },
      [=](const Arguments& a) { return divides(a) && std::fabs(a.x / a.y) < huge; },
      remainder_error);
  two("addition", "x + y", [](Real x, Real y) { return x + y; }, always, rounded());
  two("subtraction", "x - y", [](Real x, Real y) { return x - y; }, always, rounded());
  two("multiplication", "x * y", [](Real x, Real y) { return x * y; }, always, rounded());
  two("min", "min(x, y)", [](Real x, Real y) { return std::min(x, y); }, always, absolute(0));
  two("max", "max(x, y)", [](Real x, Real y) { return std::max(x, y); }, always, absolute(0));
  two(
      "step", "step(x, y)", [](Real x, Real y) { return Real(x <= y ? 1 : 0); }, always,
      absolute(0));
  two(
      "atan2", "atan2(x, y)", [](Real x, Real y) { return std::atan2(x, y); },
      [=](const Arguments& a) { return divides(a) && std::fabs(a.x) >= tiny; }, arc);
  two(
      "pow", "pow(x, y)", [](Real x, Real y) { return std::pow(x, y); },
      [](const Arguments& a) { return a.x > 0; }, power_error);
  two(
      "ldexp",
      half ? "ldexp(x, i32(clamp(y, -12.0, 12.0)))" : "ldexp(x, i32(clamp(y, -120.0, 120.0)))",
      [=](Real x, Real y) {
        const Real limit = half ? 12 : 120;
        return std::ldexp(x, static_cast<int>(std::clamp(y, -limit, limit)));
      },
      always, rounded());

  const auto three = [&](const char* name, const char* expression,
                         const std::function<Real(const Arguments&)>& reference,
                         const Domain& domain, const Allowed& allowed) {
    out.push_back({name, expression, 3, reference, domain, allowed});
  };
  const Domain moderate = [=](const Arguments& a) {
    const auto fits = [=](Real v) { return std::fabs(v) < (half ? 100 : 0x1p40L); };
    return fits(a.x) && fits(a.y) && fits(a.z);
  };
  three(
      "fma", "fma(x, y, z)", [](const Arguments& a) { return a.x * a.y + a.z; }, moderate,
      [](const Arguments& a, Real r, const DeviceFloatFormat& f) {
        return f.ulp(a.x * a.y) + f.ulp(r);
      });
  three(
      "mix", "mix(x, y, z)", [](const Arguments& a) { return a.x * (1 - a.z) + a.y * a.z; },
      moderate,
      [](const Arguments& a, Real r, const DeviceFloatFormat& f) {
        const Real left = std::fabs(a.x) * (std::fabs(a.z) + 1);
        return 2 * f.ulp(left) + f.ulp(a.y * a.z) + f.ulp(r);
      });
  three(
      "clamp", "clamp(x, min(y, z), max(y, z))",
      [](const Arguments& a) { return std::clamp(a.x, std::min(a.y, a.z), std::max(a.y, a.z)); },
      always, absolute(0));
  three(
      "smoothstep", "smoothstep(x, y, z)",
      [](const Arguments& a) {
        const Real t = std::clamp((a.z - a.x) / (a.y - a.x), 0.0L, 1.0L);
        return t * t * (3 - 2 * t);
      },
      [=](const Arguments& a) {
        return moderate(a) && a.y - a.x > (std::fabs(a.x) + std::fabs(a.y)) / 8 &&
               a.y - a.x > tiny * 64;
      },
      [](const Arguments& a, Real, const DeviceFloatFormat& f) {
        const Real size = std::max({std::fabs(a.x), std::fabs(a.y), std::fabs(a.z)});
        return std::min(1.0L, 64 * epsilon(f) * (1 + size / (a.y - a.x)));
      });
  return out;
}

}  // namespace vyre
