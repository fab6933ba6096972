// The replay of conformance vectors (tests/vectors/FORMAT.md). A family is a set of operations; the
// framework reads the files, runs each case through the operation of its kind and compares.
//
// One family is one file here, which registers itself:
//
//   const ReplayFamily family{"tuner_keys", {{"program_key", program_key}, {"vsa_words", words}}};
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/base/extent.h"

namespace vyre {

using Json = nlohmann::json;

// A file or a case that is not in the form of FORMAT.md. Thrown by the readers below and caught by
// the framework, which names the file and the case.
struct MalformedVector : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Takes the "in" of a case and gives what we compute, in the form of its "out". Every case starts
// with the tuner's environment variable unset.
using ReplayOperation = Json (*)(const Json& in);

struct ReplayKind {
  std::string_view kind;
  ReplayOperation operation;
  // A field of "in" that tells this kind from one of the same name in another family; used only for
  // files whose name names no family.
  std::string_view told_by = {};
};

struct ReplayFamily {
  ReplayFamily(std::string_view name, std::vector<ReplayKind> kinds);
  ReplayFamily(const ReplayFamily&) = delete;
  ReplayFamily& operator=(const ReplayFamily&) = delete;

  std::string_view name;
  std::vector<ReplayKind> kinds;
};

// Readers of fields. `at` is the member `name` of an object.
const Json& at(const Json& object, std::string_view name);
std::uint64_t to_u64(const Json& value);
std::uint32_t to_u32(const Json& value);
std::uint16_t to_u16(const Json& value);
bool to_bool(const Json& value);
const std::string& to_text(const Json& value);
const Json::array_t& to_list(const Json& value);
Extent to_extent(const Json& value);
std::optional<Extent> to_optional_extent(const Json& value);  // null is absent
double to_f64(const Json& value);                             // [decimal, "0x<bits>"]
std::string bytes_of_hex(std::string_view hex);

// Writers.
Json from_f64(double value);
Json from_optional_extent(const std::optional<Extent>& value);

// Whether the value we got is the expected one: integers exactly, f64 pairs by their bits (any NaN
// matches any NaN), fields named *_v041 of the expected side left out.
bool matches(const Json& expected, const Json& got);

// Scratch directory of one case, removed at the end of the scope.
class ScratchDirectory {
 public:
  ScratchDirectory();
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string file(std::string_view name) const;

 private:
  std::string path_;
};

}  // namespace vyre
