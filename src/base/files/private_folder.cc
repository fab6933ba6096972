#include "vyre/base/files/private_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <deque>
#include <memory>
#include <mutex>
#include <set>

#include "vyre/base/files/paths.h"
#include "vyre/base/log.h"
#include "vyre/base/process/fork_watch.h"

namespace vyre {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;
constexpr mode_t kFolderMode = 0700;
constexpr mode_t kFileMode = 0600;
constexpr int kMostLinks = 40;  // what Linux follows
constexpr std::string_view kTemporarySuffix = ".tmp";

std::unexpected<Error> refuse(const fs::path& path, std::string_view why, std::string fix) {
  return fail(Code::io, fmt::format("{} is neither read nor written: {}", path.string(), why),
              std::move(fix));
}

Result<void> check_owner(const struct stat& status, const fs::path& path) {
  if (status.st_uid == 0 || status.st_uid == ::geteuid()) return {};
  return refuse(path,
                fmt::format("it belongs to user {}, and this process runs as user {}",
                            status.st_uid, ::geteuid()),
                "use a file in a folder of your own");
}

Result<void> check_writers(const struct stat& status, const fs::path& path) {
  if ((status.st_mode & kOthersWrite) == 0) return {};
  return refuse(path,
                fmt::format("other users may write to it (mode {:04o})", status.st_mode & 07777),
                fmt::format("look at what is there, then chmod go-w {}", path.string()));
}

Result<void> check_file(const struct stat& status, const fs::path& path) {
  if (S_ISLNK(status.st_mode)) return refuse(path, "it is a symbolic link", "name the file itself");
  if (S_ISDIR(status.st_mode)) return fail_io("use", path, EISDIR);
  if (!S_ISREG(status.st_mode)) return refuse(path, "it is not a plain file", "remove it");
  VYRE_CHECK(check_owner(status, path));
  return check_writers(status, path);
}

// The number of trailing path components that belong to the user's cache: `vyre` and the folders in
// it.
std::size_t parts_of_own_cache(const fs::path& path) {
  const fs::path own = cache_folder();
  const auto [end_of_own, end] = std::ranges::mismatch(own, path);
  if (end_of_own != own.end()) return 0;
  return 1 + static_cast<std::size_t>(std::distance(end, path.end()));
}

// Walks along a path from the root. Each folder stays open while its entry is checked.
class Walk {
 public:
  Walk(const fs::path& path, bool make) : make_(make) {
    for (const fs::path& part : path.relative_path()) rest_.push_back(part.string());
    ours_ = parts_of_own_cache(path);
  }

  // Not open if there is no such folder.
  Result<FileHandle> run() {
    VYRE_CHECK(begin_at_root());
    while (!rest_.empty()) {
      const bool ours = rest_.size() <= ours_;
      const std::string name = std::move(rest_.front());
      rest_.pop_front();
      if (name.empty() || name == ".") continue;
      VYRE_TRY(const bool found, enter(name, ours));
      if (!found) return FileHandle();
    }
    return std::move(at_);
  }

 private:
  Result<void> begin_at_root() {
    shown_ = "/";
    at_ = FileHandle::open(shown_, O_PATH | O_DIRECTORY);
    if (!at_.is_open()) return fail_io("open", shown_, errno);
    struct stat status{};
    if (::fstat(at_.get(), &status) != 0) return fail_io("open", shown_, errno);
    return check_folder(status, shown_, false);
  }

  static Result<void> check_folder(const struct stat& status, const fs::path& path, bool ours) {
    VYRE_CHECK(check_owner(status, path));
    const bool sticky = (status.st_mode & S_ISVTX) != 0;
    return sticky && !ours ? Result<void>{} : check_writers(status, path);
  }

  Result<bool> enter(const std::string& name, bool ours) {
    const fs::path path = shown_ / name;
    FileHandle next = FileHandle::open_at(at_.get(), name, O_PATH | O_NOFOLLOW);
    if (!next.is_open() && errno == ENOENT && make_) {
      if (::mkdirat(at_.get(), name.c_str(), kFolderMode) != 0 && errno != EEXIST) {
        return fail_io("make the folder", path, errno);
      }
      next = FileHandle::open_at(at_.get(), name, O_PATH | O_NOFOLLOW);
    }
    if (!next.is_open() && errno == ENOENT && !make_) return false;
    struct stat status{};
    if (!next.is_open() || ::fstat(next.get(), &status) != 0) return fail_io("open", path, errno);
    if (S_ISLNK(status.st_mode)) {
      VYRE_CHECK(check_owner(status, path));
      VYRE_CHECK(follow(next, path));
      return true;
    }
    if (!S_ISDIR(status.st_mode)) return fail_io("open", path, ENOTDIR);
    VYRE_CHECK(check_folder(status, path, ours));
    if (ours && status.st_uid == ::geteuid() && (status.st_mode & 0777) != kFolderMode &&
        ::fchmodat(at_.get(), name.c_str(), kFolderMode, 0) != 0) {
      return fail_io("make private", path, errno);
    }
    at_ = std::move(next);
    shown_ = path;
    return true;
  }

  Result<void> follow(const FileHandle& link, const fs::path& path) {
    if (++links_ > kMostLinks) return fail_io("open", path, ELOOP);
    std::array<char, PATH_MAX> text;
    const ssize_t size = ::readlinkat(link.get(), "", text.data(), text.size());
    if (size < 0) return fail_io("open", path, errno);
    const fs::path target(std::string(text.data(), static_cast<std::size_t>(size)));
    std::deque<std::string> parts;
    for (const fs::path& part : target.relative_path()) parts.push_back(part.string());
    rest_.insert(rest_.begin(), parts.begin(), parts.end());
    // A person chose the target of the link.
    ours_ = std::min(ours_, rest_.size() - parts.size());
    return target.is_absolute() ? begin_at_root() : Result<void>{};
  }

  const bool make_;
  FileHandle at_;
  fs::path shown_;
  std::deque<std::string> rest_;
  std::size_t ours_ = 0;  // the number of trailing components of rest_ that are in the user's cache
  int links_ = 0;
};

Result<FileHandle> walk(const fs::path& path, bool make) {
  if (!path.is_absolute()) {
    // One warning is enough for the whole cache.
    return refuse(parts_of_own_cache(path) > 0 ? cache_folder() : path,
                  "it is relative to the current folder, where anybody may have left files",
                  "set XDG_CACHE_HOME or HOME to an absolute path");
  }
  return Walk(path, make).run();
}

std::string temporary_prefix(const std::string& name) {
  constexpr std::size_t kLongest = 200;  // leaves room for the suffix within the limit of names
  return fmt::format(".{}.vyre-", name.substr(0, kLongest));
}

}  // namespace

Result<std::optional<PrivateFolder>> PrivateFolder::find(const fs::path& path) {
  VYRE_TRY(FileHandle folder, walk(path, false));
  if (!folder.is_open()) return std::nullopt;
  return PrivateFolder(std::move(folder), path);
}

Result<PrivateFolder> PrivateFolder::make(const fs::path& path) {
  VYRE_TRY(FileHandle folder, walk(path, true));
  return PrivateFolder(std::move(folder), path);
}

Result<FileHandle> PrivateFolder::open(const std::string& name, int flags) const {
  // Does not wait for the other end of a pipe.
  constexpr int kCareful = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  FileHandle file = FileHandle::open_at(folder_.get(), name, flags | kCareful, kFileMode);
  if (!file.is_open()) {
    const int error_number = errno;
    if (error_number == ENOENT && (flags & O_CREAT) == 0) return file;
    VYRE_CHECK(mode(name));  // gives a better error if there is something
    return fail_io("open", path_ / name, error_number);
  }
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return fail_io("open", path_ / name, errno);
  VYRE_CHECK(check_file(status, path_ / name));
  return file;
}

Result<std::optional<unsigned>> PrivateFolder::mode(const std::string& name) const {
  struct stat status{};
  if (::fstatat(folder_.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return std::nullopt;
    return fail_io("open", path_ / name, errno);
  }
  VYRE_CHECK(check_file(status, path_ / name));
  return status.st_mode & 07777;
}

bool PrivateFolder::is_current(const FileHandle& file, const std::string& name) const {
  struct stat opened{};
  struct stat named{};
  return ::fstat(file.get(), &opened) == 0 &&
         ::fstatat(folder_.get(), name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

Result<std::optional<std::string>> PrivateFolder::read(const std::string& name,
                                                       std::uint64_t max_bytes) const {
  VYRE_TRY(const FileHandle file, open(name, O_RDONLY));
  if (!file.is_open()) return std::nullopt;
  VYRE_TRY(std::string content, read_all(file, path_ / name, max_bytes));
  return content;
}

Result<void> PrivateFolder::replace(const std::string& name, std::span<const std::byte> content,
                                    Flush flush) const {
  VYRE_TRY(const std::optional<unsigned> before, mode(name));
  static std::atomic<std::uint32_t> counter = 0;
  std::string temporary;
  FileHandle file;
  do {
    temporary =
        fmt::format("{}{}-{}{}", temporary_prefix(name), ::getpid(), counter++, kTemporarySuffix);
    file = FileHandle::open_at(folder_.get(), temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
                               kFileMode);
  } while (!file.is_open() && errno == EEXIST);
  if (!file.is_open()) return fail_io("write a temporary file beside", path_ / name, errno);

  const bool written =
      (!before || ::fchmod(file.get(), *before) == 0) && write_all(file.get(), content) &&
      (flush == Flush::later || ::fsync(file.get()) == 0) &&
      ::renameat(folder_.get(), temporary.c_str(), folder_.get(), name.c_str()) == 0;
  if (!written) {
    const int error_number = errno;
    ::unlinkat(folder_.get(), temporary.c_str(), 0);
    return fail_io("write", path_ / name, error_number);
  }
  if (flush == Flush::later) return {};
  // A rename is durable when its folder is flushed. File systems that cannot do that return an
  // error.
  const FileHandle folder = FileHandle::open_at(folder_.get(), ".", O_RDONLY | O_DIRECTORY);
  if (folder.is_open() && ::fsync(folder.get()) != 0 && errno != EINVAL && errno != ENOTSUP) {
    return fail_io("flush the folder of", path_ / name, errno);
  }
  return {};
}

Result<void> PrivateFolder::replace(const std::string& name, std::string_view content,
                                    Flush flush) const {
  return replace(name, std::as_bytes(std::span(content.data(), content.size())), flush);
}

void PrivateFolder::remove_abandoned_temporaries(const std::string& name) const {
  const auto all = names();
  if (!all) return;
  const std::string prefix = temporary_prefix(name);
  for (const std::string& each : *all) {
    if (each.starts_with(prefix) && each.ends_with(kTemporarySuffix)) {
      ::unlinkat(folder_.get(), each.c_str(), 0);
    }
  }
}

Result<void> PrivateFolder::remove(const std::string& name) const {
  if (::unlinkat(folder_.get(), name.c_str(), 0) == 0 || errno == ENOENT) return {};
  return fail_io("remove", path_ / name, errno);
}

Result<std::vector<std::string>> PrivateFolder::names() const {
  const int descriptor = ::openat(folder_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, decltype([](DIR* d) { ::closedir(d); })> entries(
      descriptor < 0 ? nullptr : ::fdopendir(descriptor));
  if (!entries) return fail_io("read", path_, errno);
  std::vector<std::string> out;
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") out.emplace_back(name);
  }
  return out;
}

void warn_once(std::string_view consequence, const Error& error) {
  constexpr std::size_t kMostTold = 256;
  static auto& mutex = *new ForkSafeMutex;
  static auto& told = *new std::set<std::string>;
  {
    const std::scoped_lock lock(mutex);
    if (told.size() >= kMostTold || !told.insert(error.what).second) return;
  }
  VYRE_LOG(warn, "{}: {}", consequence, describe(error));
}

}  // namespace vyre
