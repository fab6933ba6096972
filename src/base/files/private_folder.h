// Folders and files that vyre trusts: compiled code, which it runs, and evidence and decisions,
// which it follows. They are opened, read and written only here.
//
// A folder is used only if its path is absolute, and if it and every folder above it belong to the
// user of this process or to root and nobody else may write to them. A folder above may be writable
// for others if it is sticky, as /tmp is. Symbolic links to folders are followed if the user or
// root made them. The same rules hold for files, which must also be regular files: a link, a pipe
// or a device is refused without waiting for it. The checks are made on open descriptors, so that
// nothing can be exchanged after a check.
//
// Folders are made with mode 0700 and files with mode 0600. Folders of the user's cache (`vyre` and
// the folders in it) that others may read are set to 0700; a folder that a person named keeps its
// mode.
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
#include "vyre/base/files/file_handle.h"
#include "vyre/base/files/files.h"

namespace vyre {

class PrivateFolder {
 public:
  // Absent if the folder does not exist.
  static Result<std::optional<PrivateFolder>> find(const std::filesystem::path& path);
  // Makes the folder and its parents if they do not exist.
  static Result<PrivateFolder> make(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }

  // open(2) of a file in the folder, given by its name. If there is no such file and the flags do
  // not create one, the handle is not open.
  Result<FileHandle> open(const std::string& name, int flags) const;
  // The file's mode; absent if there is no file.
  Result<std::optional<unsigned>> mode(const std::string& name) const;
  // Whether this name still refers to the open file.
  bool is_current(const FileHandle& file, const std::string& name) const;

  Result<std::optional<std::string>> read(const std::string& name, std::uint64_t max_bytes) const;
  // Like replace_file: a new file is written and renamed to `name`. An existing file's mode is
  // kept.
  Result<void> replace(const std::string& name, std::span<const std::byte> content,
                       Flush flush = Flush::now) const;
  Result<void> replace(const std::string& name, std::string_view content,
                       Flush flush = Flush::now) const;
  // Removes temporary files of a replace() of this name whose process was killed. The caller must
  // hold the lock of the name.
  void remove_abandoned_temporaries(const std::string& name) const;
  Result<void> remove(const std::string& name) const;  // a missing file is not an error
  Result<std::vector<std::string>> names() const;

 private:
  PrivateFolder(FileHandle folder, std::filesystem::path path)
      : folder_(std::move(folder)), path_(std::move(path)) {}

  FileHandle folder_;
  std::filesystem::path path_;
};

// Logs "<consequence>: <error>" once per process for each folder or file.
void warn_once(std::string_view consequence, const Error& error);

}  // namespace vyre
