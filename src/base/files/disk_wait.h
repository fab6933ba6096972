// Files on a disk that may not answer, such as one of a network whose server is gone.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "vyre/base/error.h"
#include "vyre/base/process/abandonable.h"

namespace vyre {

// The longest time that a call waits for a disk.
inline constexpr std::chrono::milliseconds kDiskWait{5'000};

namespace disk_detail {
Result<void> wait_for(const std::filesystem::path& folder, std::function<void()> work,
                      const WorkLimits& limits);
}  // namespace disk_detail

// Runs work on the files of a folder on a thread of its own, and gives its Result. The caller waits
// kDiskWait, or as long as the limits allow if that is shorter. The work then goes on by itself, so
// it must own everything that it uses. Where the limits are over the result is over_error's. After
// kDiskWait it is Code::unavailable, and until the disk has answered it is so at once for all work
// on that folder.
template <class Work>
auto with_disk(const std::filesystem::path& folder, Work work, const WorkLimits& limits = {})
    -> decltype(work()) {
  auto result = std::make_shared<std::optional<decltype(work())>>();
  VYRE_CHECK(disk_detail::wait_for(
      folder, [work = std::move(work), result] { result->emplace(work()); }, limits));
  return std::move(**result);
}

}  // namespace vyre
