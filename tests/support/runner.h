// Runs kernels on a device by its name; the one place where suites touch the Session.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "support/data.h"
#include "vyre/base/error.h"
#include "vyre/ir/kernel.h"
#include "vyre/target/variant.h"

namespace vyre {

class Runner {
 public:
  // "cpu", "cuda:0", ...; threads: of the CPU, 0 for all.
  static Result<Runner> open(const std::string& device, unsigned threads);

  const std::string& device() const { return device_; }

  // Changes the data as the kernel says. data[i] is bound to resources(program)[i].
  Result<void> run(const Kernel& kernel, Data& data, const Extent& extent,
                   const Variant& variant) const;
  // The same with the data in the middle of larger buffers; fails when a byte around it changes.
  Result<void> run_inside(const Kernel& kernel, Data& data, const Extent& extent,
                          const Variant& variant) const;
  // On the caller's own memory, where the device computes on the host's.
  Result<void> run_on(const Kernel& kernel, std::span<const std::span<std::byte>> memory,
                      const Extent& extent, const Variant& variant) const;
  // Why the device cannot run the kernel that way; empty when it can.
  std::string why_not(const Kernel& kernel, const Variant& variant) const;
  Variant default_variant(const Kernel& kernel) const;

 private:
  struct State;
  std::string device_;
  std::shared_ptr<State> state_;
};

struct Interpreted {
  Data data;
  std::uint64_t steps = 0;
};
// The oracle. step_budget 0: no limit.
Result<Interpreted> run_interpreter(const Kernel& kernel, Data data, const Extent& extent,
                                    std::uint64_t step_budget = 0);

// Variants worth comparing: gang widths, items per lane, layouts, bounds, another workgroup.
std::vector<Variant> all_variants(const Runner& runner, const Kernel& kernel);

// A dozen of them, each choice at least once.
std::vector<Variant> main_variants(const Runner& runner, const Kernel& kernel);

// Devices that suites run on: "cpu" and what VYRE_TEST_DEVICES names beside it, by commas.
std::vector<std::string> devices_to_test();

}  // namespace vyre
