// Folders and files that vyre trusts: compiled code, which it runs, and what was learned or
// decided, which it believes. Every one of them is found, opened, read and written here and nowhere
// else.
//
// A folder is used only when its path is absolute, and when it and every folder above it belong to
// the user of this process or to root, and nobody else may write to them. A folder above may also
// be one where others write but cannot rename what is not theirs (the sticky bit, as of /tmp).
// Symbolic links to folders are followed where the user or root made them. The same holds for the
// files, which must be plain files besides: a link, a pipe or a device is refused, and no call
// waits for one. What is checked is what is open, so that nobody can exchange it after the check.
//
// Folders are made with mode 0700 and files with mode 0600. Folders of the user's own cache (the
// `vyre` folder and those inside) that others may read are set to 0700; a folder that a person
// named keeps its mode.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/base/file_handle.h"
#include "vyre/base/files.h"

namespace vyre {

class PrivateFolder {
 public:
  // Nothing where the folder does not exist.
  static Result<std::optional<PrivateFolder>> find(const std::filesystem::path& path);
  // Makes it, and those above it, where they do not exist.
  static Result<PrivateFolder> make(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }

  // open(2) of a file in the folder, which is given by its name alone. A handle that is not open
  // where there is no such file, unless the flags make one.
  Result<FileHandle> open(const std::string& name, int flags) const;
  // The file's mode, or nothing where there is none.
  Result<std::optional<unsigned>> mode(const std::string& name) const;
  // Whether the open file is still the one of this name.
  bool is_current(const FileHandle& file, const std::string& name) const;

  Result<std::optional<std::string>> read(const std::string& name, std::uint64_t max_bytes) const;
  // As replace_file: a fresh file is written and renamed over the name. An old file's mode is kept.
  Result<void> replace(const std::string& name, std::span<const std::byte> content,
                       Flush flush = Flush::now) const;
  Result<void> replace(const std::string& name, std::string_view content,
                       Flush flush = Flush::now) const;
  // Removes what a replace() of this name left behind when its process was killed. Only for one who
  // holds the name's lock.
  void remove_abandoned_temporaries(const std::string& name) const;
  Result<void> remove(const std::string& name) const;  // fine where there is none
  Result<std::vector<std::string>> names() const;

 private:
  PrivateFolder(FileHandle folder, std::filesystem::path path)
      : folder_(std::move(folder)), path_(std::move(path)) {}

  FileHandle folder_;
  std::filesystem::path path_;
};

// One warning in a process for each folder or file that is not used: "<consequence>: <error>".
void warn_once(std::string_view consequence, const Error& error);

}  // namespace vyre
