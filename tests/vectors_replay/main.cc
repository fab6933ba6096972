// vectors_replay DIR [DIR or FILE ...]
//
// Replays every vector file (*.json), prints each failing case with what was expected and what we
// got, and ends with "N passed, N failed". Exit 0: none failed and at least one ran. 1: a case
// failed, or none ran. 2: a file or the command line is wrong.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "replay.h"

namespace vyre {
namespace {

// Built on first use, because families register themselves before main.
std::vector<const ReplayFamily*>& families() {
  static std::vector<const ReplayFamily*> all;
  return all;
}

struct Tally {
  std::size_t passed = 0;
  std::size_t failed = 0;
  std::size_t malformed = 0;
};

std::string shortened(const std::string& text) {
  constexpr std::size_t kLongest = 4000;
  if (text.size() <= kLongest) return text;
  return text.substr(0, kLongest) + "... (" + std::to_string(text.size()) + " bytes)";
}

std::string dumped(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// The family a file's name names: itself, or with something added ("tuner_keys.seed7").
const ReplayFamily* family_of(const std::string& stem) {
  const ReplayFamily* best = nullptr;
  for (const ReplayFamily* family : families()) {
    if (stem.find(family->name) == std::string::npos) continue;
    if (best == nullptr || family->name.size() > best->name.size()) best = family;
  }
  return best;
}

const ReplayKind* kind_in(const ReplayFamily& family, std::string_view kind) {
  const auto found = std::find_if(family.kinds.begin(), family.kinds.end(),
                                  [&](const ReplayKind& entry) { return entry.kind == kind; });
  return found == family.kinds.end() ? nullptr : &*found;
}

const ReplayKind* find_kind(const ReplayFamily* named, std::string_view kind, const Json& in) {
  if (named != nullptr) {
    if (const ReplayKind* entry = kind_in(*named, kind)) return entry;
  }
  for (const ReplayFamily* family : families()) {
    const ReplayKind* entry = kind_in(*family, kind);
    if (entry == nullptr) continue;
    if (entry->told_by.empty() || in.contains(std::string(entry->told_by))) return entry;
  }
  return nullptr;
}

void replay_case(const std::string& file, const ReplayFamily* named, const Json& item,
                 Tally& tally) {
  const std::uint64_t id = to_u64(at(item, "id"));
  const std::string& kind = to_text(at(item, "kind"));
  const Json& in = at(item, "in");
  const Json& expected = at(item, "out");
  const ReplayKind* entry = find_kind(named, kind, in);
  if (entry == nullptr) throw MalformedVector("no family knows the kind \"" + kind + "\"");
  unsetenv("VYRE_AUTOTUNER");
  const Json got = entry->operation(in);
  if (matches(expected, got)) {
    ++tally.passed;
    return;
  }
  ++tally.failed;
  std::printf("%s: case %llu (%s) failed\n  in:       %s\n  expected: %s\n  got:      %s\n",
              file.c_str(), static_cast<unsigned long long>(id), kind.c_str(),
              shortened(dumped(in)).c_str(), shortened(dumped(expected)).c_str(),
              shortened(dumped(got)).c_str());
}

void replay_file(const std::filesystem::path& path, Tally& tally) {
  const std::string name = path.string();
  std::ifstream stream(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  if (!stream.is_open() || stream.bad()) {
    ++tally.malformed;
    std::fprintf(stderr, "%s: cannot be read\n", name.c_str());
    return;
  }
  Json cases;
  try {
    cases = Json::parse(text);
  } catch (const Json::exception& fault) {
    ++tally.malformed;
    std::fprintf(stderr, "%s: not JSON: %s\n", name.c_str(), fault.what());
    return;
  }
  if (!cases.is_array()) {
    ++tally.malformed;
    std::fprintf(stderr, "%s: not a list of cases\n", name.c_str());
    return;
  }
  const Tally before = tally;
  const ReplayFamily* named = family_of(path.stem().string());
  std::set<std::string> ids;
  for (std::size_t index = 0; index < cases.size(); ++index) {
    const Json& item = cases[index];
    try {
      if (!ids.insert(dumped(at(item, "id"))).second) {
        throw MalformedVector("the id " + dumped(at(item, "id")) + " is not unique in the file");
      }
      replay_case(name, named, item, tally);
    } catch (const std::exception& fault) {
      ++tally.malformed;
      std::fprintf(stderr, "%s: entry %zu is malformed: %s\n", name.c_str(), index, fault.what());
    }
  }
  std::printf("%s: %zu passed, %zu failed\n", name.c_str(), tally.passed - before.passed,
              tally.failed - before.failed);
}

std::vector<std::filesystem::path> vector_files(const std::filesystem::path& place,
                                                std::error_code& fault) {
  if (!std::filesystem::is_directory(place, fault)) {
    if (fault) return {};
    return {place};
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(place, fault)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

int replay(int count, char** arguments) {
  if (count < 2 || std::string_view(arguments[1]).starts_with("-")) {
    std::fprintf(stderr, "usage: vectors_replay DIR...\n");
    return 2;
  }
  Tally tally;
  for (int i = 1; i < count; ++i) {
    std::error_code fault;
    const auto files = vector_files(arguments[i], fault);
    if (fault) {
      ++tally.malformed;
      std::fprintf(stderr, "%s: %s\n", arguments[i], fault.message().c_str());
    }
    for (const auto& file : files) replay_file(file, tally);
  }
  std::printf("%zu passed, %zu failed\n", tally.passed, tally.failed);
  if (tally.malformed > 0) return 2;
  return tally.failed == 0 && tally.passed > 0 ? 0 : 1;
}

}  // namespace

ReplayFamily::ReplayFamily(std::string_view family_name, std::vector<ReplayKind> family_kinds)
    : name(family_name), kinds(std::move(family_kinds)) {
  families().push_back(this);
}

}  // namespace vyre

int main(int argc, char** argv) {
  try {
    return vyre::replay(argc, argv);
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "vectors_replay: %s\n", fault.what());
    return 2;
  }
}
