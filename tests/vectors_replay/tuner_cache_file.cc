#include <filesystem>

#include "replay.h"
#include "vyre/base/files/files.h"
#include "vyre/tune/decisions/decision_tuner.h"

namespace vyre {
namespace {

Json entries_of(const Decisions& decisions) {
  Json list = Json::array();
  for (const auto& [key, workgroup] : decisions) list.push_back(Json::array({key, workgroup}));
  return list;
}

Decisions decisions_of(const Json& list) {
  Decisions decisions;
  for (const Json& item : to_list(list)) {
    const auto& pair = to_list(item);
    if (pair.size() != 2) throw MalformedVector("expected [key, [x, y, z]], got " + item.dump());
    decisions.insert_or_assign(to_text(pair[0]), to_extent(pair[1]));
  }
  return decisions;
}

Json load(const std::string& path) {
  const auto loaded = load_decisions(path);
  if (!loaded) return {{"error", wire_name(loaded.error())}};
  return {{"entries", entries_of(loaded->entries)}};
}

void write(const std::string& path, std::string_view content) {
  if (!replace_file(path, content)) throw std::runtime_error("cannot write " + path);
}

std::string read(const std::string& path) {
  auto content = read_file(path);
  if (!content) throw std::runtime_error(content.error().what);
  return *std::move(content);
}

Json replay_load(const Json& in) {
  const ScratchDirectory scratch;
  write(scratch.file("cache.toml"), to_text(at(in, "text")));
  return load(scratch.file("cache.toml"));
}

Json replay_load_special(const Json& in) {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("cache.toml");
  const std::string& source = to_text(at(in, "source"));
  if (source == "directory") {
    std::filesystem::create_directory(path);
  } else if (source == "bytes") {
    write(path, bytes_of_hex(to_text(at(in, "bytes_hex"))));
  } else if (source == "generated") {
    const std::string& fill = to_text(at(in, "fill"));
    std::string text = to_text(at(in, "prefix"));
    for (std::uint64_t i = to_u64(at(in, "fill_count")); i > 0; --i) text += fill;
    text += to_text(at(in, "suffix"));
    if (text.size() != to_u64(at(in, "total_bytes"))) {
      throw MalformedVector("the generated file has " + std::to_string(text.size()) + " bytes");
    }
    write(path, text);
  } else if (source != "missing_file") {
    throw MalformedVector("unknown source \"" + source + "\"");
  }
  return load(path);
}

Json replay_save(const Json& in) {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("folder/cache.toml");
  const auto saved = save_decisions(path, decisions_of(at(in, "entries")));
  if (!saved) return {{"error", wire_name(saved.error())}};
  return {{"text", read(path)}, {"reload", load(path)}};
}

Json replay_tuner_session(const Json& in) {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("cache.toml");
  if (const Json& text = at(in, "initial_text"); !text.is_null()) write(path, to_text(text));
  const std::string& key = to_text(at(in, "lookup"));
  Tuner tuner(path, TunerMode::natural_gradient);
  const Extent before = tuner.resolve(key);
  for (const Json& item : to_list(at(in, "decisions"))) {
    const auto recorded = tuner.record(to_text(item.at(0)), to_extent(item.at(1)));
    if (!recorded) return {{"error", to_error(recorded.error()).what}};
  }
  const Extent after = tuner.resolve(key);
  if (const auto saved = tuner.persist(); !saved) return {{"error", wire_name(saved.error())}};
  return {{"resolved_before", before}, {"resolved_after", after}, {"persisted_text", read(path)}};
}

const ReplayFamily family{"tuner_cache_file",
                          {{"load", replay_load},
                           {"load_special", replay_load_special},
                           {"save", replay_save},
                           {"tuner_session", replay_tuner_session}}};

}  // namespace
}  // namespace vyre
