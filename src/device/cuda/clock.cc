// The cubin of the timer kernel is kept on disk under a key of its text, the architecture and the
// driver. The file has the magic "vyre-timer-1\n", the BLAKE3 of the rest (32 bytes), and the
// cubin.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "vyre/base/digest.h"
#include "vyre/base/files/disk_wait.h"
#include "vyre/base/files/private_folder.h"
#include "vyre/base/log.h"
#include "vyre/device/cuda/clock_internal.h"
#include "vyre/device/cuda/link_internal.h"

namespace vyre {
namespace {

constexpr const char* kEntry = "vyre_timer";
// The oldest architecture that drivers accept; they compile it for the actual one.
constexpr const char* kPtx = R"(.version 6.0
.target sm_50
.address_size 64
.visible .entry vyre_timer(.param .u64 word)
{
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [word];
  mov.u64 %rd2, %globaltimer;
  st.global.u64 [%rd1], %rd2;
  ret;
}
)";
constexpr unsigned kSamples = 7;
constexpr std::chrono::milliseconds kPatience{500};
constexpr std::chrono::nanoseconds kLongestWait = 2 * kDiskWait;  // with_disk waits no longer
constexpr std::uint64_t kWordBytes = 4096;
constexpr std::string_view kMagic = "vyre-timer-1\n";
constexpr std::size_t kHeader = kMagic.size() + 32;
constexpr std::uint64_t kMaxFile = std::uint64_t{1} << 20;

std::int64_t host_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             DeviceClock::Host::now().time_since_epoch())
      .count();
}

Result<std::optional<std::string>> read_kept(const std::filesystem::path& path,
                                             const WorkLimits& limits) {
  return with_disk(
      path.parent_path(),
      [path]() -> Result<std::optional<std::string>> {
        VYRE_TRY(const auto folder, PrivateFolder::find(path.parent_path()));
        if (!folder) return std::nullopt;
        return folder->read(path.filename().string(), kMaxFile);
      },
      limits);
}

std::vector<std::byte> kept_cubin(const std::filesystem::path& path, const WorkLimits& limits) {
  const auto text = read_kept(path, limits);
  if (!text && !limits.over()) warn_once("the timer's code is not used again", text.error());
  if (!text || !*text || (*text)->size() <= kHeader || !(*text)->starts_with(kMagic)) return {};
  const std::string_view body = std::string_view(**text).substr(kHeader);
  const Digest digest = Hasher().update(body).finish();
  if (std::memcmp(digest.bytes.data(), (*text)->data() + kMagic.size(), 32) != 0) return {};
  const auto bytes = std::as_bytes(std::span(body.data(), body.size()));
  return {bytes.begin(), bytes.end()};
}

// If the folder cannot be written, only the next start is some milliseconds slower.
void keep_cubin(const std::filesystem::path& path, const std::vector<std::byte>& cubin,
                const WorkLimits& limits) {
  const Digest digest = Hasher().update(std::span(cubin)).finish();
  std::string text(kMagic);
  text.append(reinterpret_cast<const char*>(digest.bytes.data()), digest.bytes.size());
  text.append(reinterpret_cast<const char*>(cubin.data()), cubin.size());
  const auto kept = with_disk(
      path.parent_path(),
      [path, text]() -> Result<void> {
        VYRE_TRY(const PrivateFolder folder, PrivateFolder::make(path.parent_path()));
        return folder.replace(path.filename().string(), text, Flush::later);
      },
      limits);
  if (!kept && !limits.over()) warn_once("the timer's code is not kept", kept.error());
}

}  // namespace

Result<std::vector<std::byte>> DeviceClock::cubin(const WorkLimits& limits) {
  if (!folder_) return link_ptx(context_, kPtx, kEntry);
  Hasher hasher;
  hasher.update("vyre-timer-v1").update(kPtx).update(processor_);
  int version = 0;
  context_.driver().driver_version(&version);
  hasher.update_u64(static_cast<std::uint64_t>(version));
  const std::filesystem::path path = *folder_ / to_hex(hasher.finish());
  if (auto kept = kept_cubin(path, limits); !kept.empty()) return kept;
  VYRE_TRY(auto made, link_ptx(context_, kPtx, kEntry));
  keep_cubin(path, made, limits);
  return made;
}

Result<void> DeviceClock::prepare(const WorkLimits& limits) {
  const CudaDriver& driver = context_.driver();
  if (image_.empty()) {
    VYRE_TRY(const auto made, cubin(limits));
    VYRE_TRY(image_, read_image(context_, libraries_, made, kEntry, processor_));
  }
  if (function_ == nullptr) {
    VYRE_TRY(function_, function_of(context_, image_));
  }
  if (stream_ == nullptr) {
    VYRE_CHECK(
        context_.check(driver.stream_create(&stream_, cu::kStreamNonBlocking), "cuStreamCreate"));
  }
  if (word_.host == nullptr) {
    VYRE_TRY(word_, pinned_.take(kWordBytes));
  }
  return {};
}

// The wait is short, because a kernel that stays on the device may leave no room for this one.
Result<void> DeviceClock::wait_a_moment() {
  const auto end = Host::now() + kPatience;
  for (;;) {
    const CuResult result = context_.driver().stream_query(stream_);
    if (result == cu::kSuccess) return {};
    if (result != cu::kNotReady) return context_.check(result, "cuStreamQuery", kEntry);
    if (Host::now() >= end) {
      return fail(Code::device,
                  fmt::format("{} does not tell its time, which a deadline needs: other kernels "
                              "leave no room on it",
                              context_.name()),
                  "launch something with a deadline before the work that stays");
    }
  }
}

Result<void> DeviceClock::measure(const WorkLimits& limits) {
  VYRE_CHECK(prepare(limits));
  const CudaDriver& driver = context_.driver();
  std::int64_t best = std::numeric_limits<std::int64_t>::max();
  std::int64_t offset = 0;
  for (unsigned i = 0; i < kSamples; ++i) {
    std::array<void*, 1> parameters{&word_.device};
    const std::int64_t before = host_now();
    VYRE_CHECK(context_.check(
        driver.launch_kernel(function_, 1, 1, 1, 1, 1, 1, 0, stream_, parameters.data(), nullptr),
        "cuLaunchKernel", kEntry));
    VYRE_CHECK(wait_a_moment());
    const std::int64_t after = host_now();
    if (after - before >= best) continue;
    best = after - before;
    const auto timer = std::atomic_ref(*reinterpret_cast<std::uint64_t*>(word_.host)).load();
    offset = static_cast<std::int64_t>(timer) - (before + best / 2);
  }
  offset_ = offset;
  uncertainty_ = best / 2;
  measured_ = Host::now();
  return {};
}

Result<std::uint64_t> DeviceClock::in(std::chrono::nanoseconds from_now) {
  WorkLimits limits;
  if (from_now.count() > 0) limits.deadline = Host::now() + std::min(from_now, kLongestWait);
  const std::scoped_lock lock(mutex_);
  if (!measured_) VYRE_CHECK(measure(limits));
  const std::int64_t now = host_now() + offset_;
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const std::int64_t ahead = std::max<std::int64_t>(from_now.count(), 0);
  return static_cast<std::uint64_t>(ahead > most - now ? most : now + ahead);
}

bool DeviceClock::stale() const {
  const std::scoped_lock lock(mutex_);
  return measured_ && Host::now() - *measured_ >= fresh_;
}

void DeviceClock::refresh() {
  const std::scoped_lock lock(mutex_);
  if (const auto measured = measure({}); !measured) {
    VYRE_LOG(debug, "the device's timer was not measured again: {}", describe(measured.error()));
  }
}

void DeviceClock::close() {
  const std::scoped_lock lock(mutex_);
  const CudaDriver& driver = context_.driver();
  if (stream_ != nullptr) driver.stream_destroy(stream_);
  unload(context_, libraries_, std::exchange(image_, {}));
  if (word_.host != nullptr) pinned_.give_back(word_);
  stream_ = nullptr;
  function_ = nullptr;
  word_ = {};
  measured_.reset();
}

std::chrono::nanoseconds DeviceClock::uncertainty() const {
  const std::scoped_lock lock(mutex_);
  return std::chrono::nanoseconds(uncertainty_);
}

}  // namespace vyre
