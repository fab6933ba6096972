// The options that choose one way to run a kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "vyre/base/extent.h"
#include "vyre/cli/option_set.h"
#include "vyre/engine/session.h"
#include "vyre/target/variant.h"

namespace vyre {

// What is absent stays as the session would choose it.
struct VariantOptions {
  std::optional<std::uint32_t> items_per_lane;
  std::optional<ItemLayout> layout;
  std::optional<std::uint32_t> gang;
  std::optional<Extent> workgroup;
  std::optional<std::uint32_t> groups_per_task;

  // The first option that was given; empty when none was.
  std::string first() const;
};

void declare(OptionSet& set, VariantOptions& options);

// The session's variant for the kernel with these choices in it. Fails, with the reason, when the
// kernel cannot run that way, or the device does not allow it.
Result<Variant> choose_variant(const Session& session, const Kernel& kernel,
                               const VariantOptions& options);

// The two halves of it, for a device that is not there.
Variant with_options(Variant variant, const VariantOptions& options);
// `why` is why the kernel cannot run as the options say; empty is fine.
Result<void> check_variant(const Kernel& kernel, const VariantOptions& options,
                           const Limits& limits, std::string_view device, const std::string& why);

}  // namespace vyre
