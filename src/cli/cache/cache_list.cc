#include <fmt/format.h>

#include <algorithm>

#include "vyre/base/sort.h"
#include "vyre/cli/cache/cache_actions.h"
#include "vyre/cli/cache/cache_decisions.h"
#include "vyre/cli/cache/cache_keys.h"
#include "vyre/cli/cache/code_cache.h"
#include "vyre/cli/table.h"
#include "vyre/cli/values.h"

namespace vyre {
namespace {

std::uint64_t file_bytes(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  return error ? 0 : bytes;
}

// The decision, truncated to fit into a table.
std::string shown_decision(const KeyState& state) {
  constexpr std::size_t kMost = 60;
  const std::string_view text = state.decision();
  if (text.empty()) return "-";
  if (text.size() <= kMost) return std::string(text);
  const std::size_t space = text.substr(0, kMost).rfind(' ');
  return std::string(text.substr(0, space == std::string_view::npos ? kMost : space)) + " ...";
}

void print_keys(Output& out, const CacheOptions& options, std::vector<KeyState> states) {
  const std::filesystem::path path = evidence_file(options);
  if (states.empty()) {
    out.print("no evidence in {}\n", path.string());
    return;
  }
  const ShortIds short_id(states);
  sort_stably(states, [](const KeyState& s) { return -s.last_ms; });
  Table table({"key", "kernel", "size", "device", "decision", "gain", "samples", "state", "age"},
              {5, 6, 8});
  for (const KeyState& state : states) {
    table.add({short_id(state), kernel_name(state), size_text_of(state), state.key.device,
               shown_decision(state),
               state.gain == 0 || !state.pin.empty() ? "-" : gain_text(state.gain),
               with_commas(sample_count(state)), state_text(state), age_text(state.last_ms)});
  }
  table.print(out);
  out.print("{} in {} ({})\n", counted(states.size(), "key"), path.string(),
            format_bytes(file_bytes(path)));
}

void print_code(Output& out, const KeptCode& code) {
  if (code.files == 0) {
    out.print("no compiled code in {}\n", code.folder.string());
  } else {
    out.print("compiled code of {}, {}, in {}\n", counted(code.files, "kernel"),
              format_bytes(code.bytes), code.folder.string());
  }
}

Json keys_json(const CacheOptions& options, const Result<std::vector<KeyState>>& states) {
  Json json;
  json["path"] = evidence_file(options).string();
  json["bytes"] = file_bytes(evidence_file(options));
  json["problem"] = states ? Json(nullptr) : Json(states.error().what);
  json["keys"] = Json::array();
  if (!states) return json;
  for (const KeyState& state : *states) {
    Json key = to_json(state);
    key.erase("candidates");
    json["keys"].push_back(std::move(key));
  }
  return json;
}

}  // namespace

Exit cache_list(const CacheOptions& options, Streams& streams) {
  const auto files = read_decision_files(options.adapter);
  if (!files) return report(streams, files.error());
  const auto code = count_code();
  if (!code) return report(streams, code.error(), Exit::failed);
  const auto store = open_evidence(options);
  const Result<std::vector<KeyState>> states =
      store ? Result<std::vector<KeyState>>((*store)->all()) : std::unexpected(store.error());
  if (options.json) {
    Json json;
    json["evidence"] = keys_json(options, states);
    json["folder"] = decision_folder().string();
    json["adapters"] = Json::array();
    for (const DecisionFile& file : *files) json["adapters"].push_back(to_json(file));
    json["code"] = {
        {"folder", code->folder.string()}, {"files", code->files}, {"bytes", code->bytes}};
    write_json(streams.out, json);
    return Exit::done;
  }
  if (!options.adapter.empty()) {
    print_decision_files(streams.out, *files);
    return Exit::done;
  }
  if (states) {
    print_keys(streams.out, options, *states);
  } else {
    streams.out.print("evidence that is not understood: {}\n", states.error().what);
  }
  if (!options.store.empty()) return Exit::done;
  if (!files->empty()) print_decision_files(streams.out, *files);
  print_code(streams.out, *code);
  return Exit::done;
}

}  // namespace vyre
