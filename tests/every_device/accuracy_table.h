// What WGSL promises of its floating point functions: for each one a reference in more precision
// than the result has, the domain, and the error that is allowed there.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace vyre {

using Real = long double;

struct Arguments {
  Real x = 0, y = 0, z = 0;
};

// Of the type of the result: f32 or f16.
struct DeviceFloatFormat {
  int digits = 24;
  int lowest = -126;  // exponent of the smallest normal number
  Real largest = 0;

  static DeviceFloatFormat f32();
  static DeviceFloatFormat f16();
  // Distance of neighbours around v, also below the normal numbers.
  Real ulp(Real v) const;
};

struct AccuracyCase {
  std::string name;
  std::string expression;  // of x, y, z
  int arguments = 1;
  std::function<Real(const Arguments&)> reference;
  std::function<bool(const Arguments&)> domain;
  // The error allowed, absolute.
  std::function<Real(const Arguments&, Real reference, const DeviceFloatFormat&)> allowed;
};

std::vector<AccuracyCase> accuracy_cases(bool half);

}  // namespace vyre
