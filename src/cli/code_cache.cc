#include "vyre/cli/code_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "vyre/base/digest.h"
#include "vyre/base/paths.h"

namespace vyre {
namespace {

namespace fs = std::filesystem;

bool is_digest(const std::string& name) {
  return name.size() == 2 * sizeof(Digest::bytes) && std::ranges::all_of(name, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

std::unexpected<Error> cannot(std::string_view doing, const fs::path& path,
                              const std::error_code& error) {
  return fail(Code::io, fmt::format("cannot {} {}: {}", doing, path.string(), error.message()));
}

// Calls visit(path, bytes) for every file of compiled code.
Result<KeptCode> walk(const std::function<Result<void>(const fs::path&)>& visit) {
  KeptCode out{.folder = cache_folder() / "code"};
  std::error_code error;
  fs::directory_iterator at(out.folder, error);
  if (error == std::errc::no_such_file_or_directory) return out;
  for (; !error && at != fs::directory_iterator(); at.increment(error)) {
    if (!is_digest(at->path().filename().string())) continue;
    std::error_code gone;  // another process may have removed it meanwhile
    const std::uintmax_t bytes = fs::is_regular_file(at->path(), gone) ? at->file_size(gone) : 0;
    if (gone || bytes == 0) continue;
    VYRE_CHECK(visit(at->path()));
    ++out.files;
    out.bytes += bytes;
  }
  if (error) return cannot("read", out.folder, error);
  return out;
}

}  // namespace

Result<KeptCode> count_code() {
  return walk([](const fs::path&) -> Result<void> { return {}; });
}

Result<KeptCode> clear_code() {
  return walk([](const fs::path& path) -> Result<void> {
    std::error_code error;
    fs::remove(path, error);
    if (error) return cannot("remove", path, error);
    return {};
  });
}

}  // namespace vyre
