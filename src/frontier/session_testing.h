// The session that the tests of graph programs run on.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "vyre/engine/session.h"

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

}  // namespace vyre
