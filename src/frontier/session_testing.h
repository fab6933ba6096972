// The session that the tests of graph programs run on.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "vyre/engine/session.h"
#include "vyre/frontier/workers_internal.h"

namespace vyre {

// On the device that VYRE_TEST_DEVICES names, or on two threads of the CPU. No code is kept.
inline Session session_to_test() {
  const char* named = std::getenv("VYRE_TEST_DEVICES");
  const std::string device = named == nullptr ? "cpu" : named;
  auto session = Session::open(device, {.cpu = {.threads = 2}, .code_folder = {}});
  if (!session) {
    ADD_FAILURE() << describe(session.error());
    std::abort();
  }
  return *std::move(session);
}

// The shapes of kernels that a test runs on that session. On a GPU there is one.
enum class KernelShape : std::uint8_t { device, groups };

inline std::vector<KernelShape> shapes_to_test() {
  if (std::getenv("VYRE_TEST_DEVICES") != nullptr) return {KernelShape::device};
  return {KernelShape::device, KernelShape::groups};
}

// While it lives, what is prepared for the CPU uses the kernels of this shape.
class UseShape {
 public:
  explicit UseShape(KernelShape shape) { use_groups_on_host(shape == KernelShape::groups); }
  ~UseShape() { use_groups_on_host(false); }
  UseShape(const UseShape&) = delete;
  UseShape& operator=(const UseShape&) = delete;
};

inline std::string name_of(KernelShape shape) {
  return shape == KernelShape::device ? "device" : "groups";
}

}  // namespace vyre
