#include "vyre/cli/cache/code_cache.h"

#include <algorithm>
#include <functional>

#include "vyre/base/digest.h"
#include "vyre/base/files/paths.h"
#include "vyre/base/files/private_folder.h"

namespace vyre {
namespace {

namespace fs = std::filesystem;

bool is_digest(const std::string& name) {
  return name.size() == 2 * sizeof(Digest::bytes) && std::ranges::all_of(name, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

// Calls visit(folder, name) for every file of compiled code.
Result<KeptCode> walk(
    const std::function<Result<void>(const PrivateFolder&, const std::string&)>& visit) {
  KeptCode out{.folder = cache_folder() / "code"};
  VYRE_TRY(const auto folder, PrivateFolder::find(out.folder));
  if (!folder) return out;
  VYRE_TRY(const auto names, folder->names());
  for (const std::string& name : names) {
    if (!is_digest(name)) continue;
    std::error_code gone;  // another process may have removed it meanwhile
    const fs::path path = out.folder / name;
    const std::uintmax_t bytes =
        fs::is_regular_file(fs::symlink_status(path, gone)) ? fs::file_size(path, gone) : 0;
    if (gone || bytes == 0) continue;
    VYRE_CHECK(visit(*folder, name));
    ++out.files;
    out.bytes += bytes;
  }
  return out;
}

}  // namespace

Result<KeptCode> count_code() {
  return walk([](const PrivateFolder&, const std::string&) -> Result<void> { return {}; });
}

Result<KeptCode> clear_code() {
  return walk(
      [](const PrivateFolder& folder, const std::string& name) { return folder.remove(name); });
}

}  // namespace vyre
