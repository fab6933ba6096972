#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "vyre/base/digest.h"
#include "vyre/base/files/files.h"
#include "vyre/base/files/private_folder.h"
#include "vyre/cli/cache/cache_actions.h"
#include "vyre/cli/cache/cache_decisions.h"
#include "vyre/cli/cache/cache_keys.h"
#include "vyre/cli/gzip_file.h"
#include "vyre/cli/table.h"
#include "vyre/cli/values.h"
#include "vyre/engine/devices.h"
#include "vyre/engine/plan_facts.h"
#include "vyre/tune/evidence/evidence_file.h"
#include "vyre/tune/evidence/evidence_text.h"
#include "vyre/tune/evidence/t4.h"

namespace vyre {
namespace {

using States = std::map<std::string, KeyState>;

States by_id(const EvidenceStore& store) {
  States states;
  for (KeyState& state : store.all()) states.emplace(key_id(state.key), state);
  return states;
}

std::vector<std::string> devices_here() {
  std::vector<std::string> names;
  for (const DeviceStatus& status : list_devices()) {
    if (!status.missing.empty()) continue;
    const auto device = open_device(status.name, {});
    if (!device) continue;
    names.emplace_back((*device)->name());
    if (const auto profile = (*device)->told_profile()) names.push_back(profile->device_name);
  }
  return names;
}

// For each device that is not in this machine, the number of keys that belong to it. Their evidence
// is only a hint.
std::map<std::string, std::size_t> foreign_devices(std::span<const std::string> devices) {
  std::map<std::string, std::size_t> foreign;
  if (devices.empty()) return foreign;
  const std::vector<std::string> here = devices_here();
  for (const std::string& device : devices) {
    // The name of a processor may be followed by the number of its cores that are used.
    const bool is_here = std::ranges::any_of(here, [&](const std::string& name) {
      return !name.empty() && (device == name || device.starts_with(name + " x"));
    });
    if (!is_here) ++foreign[device];
  }
  return foreign;
}

struct TakenOver {
  std::size_t lines = 0, copies = 0;
  std::vector<std::string> devices;  // of the keys that it is about, one each
};

Exit report_taken(const TakenOver& taken, const CacheOptions& options, Streams& streams) {
  const auto foreign = foreign_devices(taken.devices);
  const std::string into = evidence_file(options).string();
  if (options.json) {
    Json hints = Json::array();
    for (const auto& [device, keys] : foreign)
      hints.push_back({{"device", device}, {"keys", keys}});
    write_json(streams.out, {{"lines_taken", taken.lines},
                             {"lines_known", taken.copies},
                             {"keys", taken.devices.size()},
                             {"hints", std::move(hints)},
                             {"store", into}});
    return Exit::done;
  }
  streams.out.print("added {} about {} to {}", counted(taken.lines, "line"),
                    counted(taken.devices.size(), "key"), into);
  if (taken.copies > 0) streams.out.print(" ({} already known)", with_commas(taken.copies));
  streams.out.write("\n");
  for (const auto& [device, keys] : foreign) {
    streams.out.print("{} for {}, which is not in this machine: {} as a hint\n",
                      counted(keys, "key"), device.empty() ? "an unnamed device" : device,
                      keys == 1 ? "it serves" : "they serve");
  }
  return Exit::done;
}

Result<void> merge_file(EvidenceStore& store, const std::string& file, Streams& streams,
                        TakenOver& taken) {
  VYRE_TRY(const std::string text, read_packed_input(file, streams));
  VYRE_TRY(const EvidenceStore::Merged merged, store.merge(text, source_name(file)));
  taken.lines += merged.taken;
  taken.copies += merged.copies;
  const auto theirs = EvidenceStore::in_memory();
  VYRE_CHECK(theirs->merge(text, source_name(file)));
  for (const KeyState& state : theirs->all()) taken.devices.push_back(state.key.device);
  return {};
}

// The key of T4 results: first from the file, then from the options.
Result<TuningKey> key_of_results(const T4File& file, const CacheOptions& options) {
  TuningKey key = file.key.value_or(TuningKey());
  const auto set = [](std::string& field, const std::string& text) {
    if (!text.empty()) field = text;
  };
  set(key.program, options.program);
  set(key.name, options.name);
  set(key.overrides, options.overrides);
  set(key.size, options.size);
  set(key.device, options.device);
  if (key.program.empty() || key.device.empty()) {
    return fail(Code::invalid_input,
                "the file does not name the program and the device of its results",
                "give --program and --device");
  }
  if (key.name.empty()) key.name = key.program;
  return key;
}

Result<void> import_t4(EvidenceStore& store, const CacheOptions& options, Streams& streams,
                       TakenOver& taken) {
  const std::string name = source_name(options.words[1]);
  VYRE_TRY(const std::string text, read_packed_input(options.words[1], streams));
  VYRE_TRY(const T4File file, parse_t4(text, name));
  VYRE_TRY(const TuningKey key, key_of_results(file, options));
  auto events = evidence_of(file, std::filesystem::path(name).filename().string());
  VYRE_CHECK(check_writable(key, events));
  // The lines are named by the file's content, so that importing it again counts nothing twice.
  const std::string writer = to_hex(digest_of(text)).substr(0, 16);
  std::string lines = evidence_text(KeyLine{key});
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].at_ms == 0) events[i].at_ms = now_ms();
    lines += evidence_text(EventLine{key_id(key), fmt::format("{}-{}", writer, i), events[i]});
  }
  VYRE_TRY(const EvidenceStore::Merged merged, store.merge(lines, name));
  taken.lines = merged.taken;
  taken.copies = merged.copies;
  taken.devices.push_back(key.device);
  return {};
}

// The lines of the wanted keys, unchanged.
Result<std::string> lines_of(const std::filesystem::path& path, const States& wanted) {
  VYRE_TRY(const auto folder, PrivateFolder::find(path.parent_path()));
  if (!folder) return std::string();
  VYRE_TRY(const auto text, folder->read(path.filename().string(), kMaxEvidenceBytes));
  VYRE_TRY(const ParsedEvidence parsed, parse_evidence(text.value_or(""), 0, path));
  std::string lines;
  for (const EvidenceLine& line : parsed.lines) {
    const auto* key = std::get_if<KeyLine>(&line);
    const auto* event = std::get_if<EventLine>(&line);
    const std::string id = key != nullptr     ? key_id(key->key)
                           : event != nullptr ? event->key_id
                                              : std::get<SummaryLine>(line).key_id;
    if (wanted.contains(id)) lines += evidence_text(line);
  }
  return lines;
}

Result<States> wanted_keys(const EvidenceStore& store, const CacheOptions& options) {
  const auto all = store.all();
  const auto words = std::span(options.words).subspan(2);
  States wanted;
  if (words.empty()) wanted = by_id(store);
  for (const std::string& word : words) {
    VYRE_TRY(const std::vector<KeyState> found, find_keys(all, word));
    for (const KeyState& state : found) wanted.emplace(key_id(state.key), state);
  }
  if (wanted.empty()) {
    return fail(Code::invalid_input,
                fmt::format("there is no evidence in {}", store.path().string()));
  }
  if (options.t4 && wanted.size() > 1) {
    return fail(Code::invalid_input,
                fmt::format("a T4 file holds the results of one key; there are {}", wanted.size()),
                "name a key; vyre cache list shows them");
  }
  return wanted;
}

// The adapters of this machine's devices.
std::vector<std::string> adapters_here() {
  std::vector<std::string> out;
  for (const DeviceStatus& status : list_devices()) {
    if (!status.missing.empty()) continue;
    const auto device = open_device(status.name, {});
    if (!device) continue;
    out.emplace_back(adapter_of(plan_device_of(**device)).id.view());
  }
  return out;
}

Exit import_toml(const CacheOptions& options, Streams& streams) {
  const std::string& file = options.words[1];
  const auto adapter = adapter_of_file(file, options.adapter);
  if (!adapter) return report(streams, adapter.error());
  const auto done = import_decisions(file, *adapter, streams);
  if (!done) return report(streams, done.error(), exit_for(done.error()));
  const auto here = adapters_here();
  const bool is_here = std::ranges::find(here, *adapter) != here.end();
  if (options.json) {
    write_json(streams.out, {{"decisions_taken", done->taken},
                             {"decisions_known", done->known},
                             {"skipped", done->skipped},
                             {"adapter_is_here", is_here},
                             {"path", done->into.string()}});
    return Exit::done;
  }
  streams.out.print("added {} to {}", counted(done->taken, "decision"), done->into.string());
  if (done->known > 0) streams.out.print(" ({} already known)", with_commas(done->known));
  streams.out.write("\n");
  if (done->skipped > 0) {
    streams.out.print("left out {}: not a decision\n", counted(done->skipped, "value"));
  }
  if (!is_here) {
    streams.out.write(
        "they are for a device, driver or code generator that is not in this machine, which "
        "will not use them\n");
  }
  return Exit::done;
}

Result<std::string> toml_text(const CacheOptions& options) {
  VYRE_TRY(const auto files, read_decision_files(options.adapter));
  if (files.empty()) {
    return fail(Code::invalid_input,
                fmt::format("there are no decisions in {}", decision_folder().string()));
  }
  if (files.size() > 1) {
    return fail(Code::invalid_input,
                fmt::format("a decision file holds the decisions of one adapter; there are {}",
                            files.size()),
                "give --adapter ID; vyre cache list shows them");
  }
  if (files.front().fault) return std::unexpected(*files.front().fault);
  return decision_text(files.front().content.entries);
}

std::string or_none(std::string_view decision) {
  return decision.empty() ? "-" : std::string(decision);
}

}  // namespace

Exit cache_diff(const CacheOptions& options, Streams& streams) {
  const bool with_store = options.words.size() == 2;
  const auto left = with_store ? open_evidence(options) : open_named_evidence(options.words[1]);
  if (!left) return report(streams, left.error());
  const auto right = open_named_evidence(options.words.back());
  if (!right) return report(streams, right.error());
  const States ours = by_id(**left);
  States all = ours;
  const States theirs = by_id(**right);
  all.insert(theirs.begin(), theirs.end());

  std::vector<KeyState> states;
  for (const auto& [id, state] : all) states.push_back(state);
  const ShortIds short_id(states);
  const auto decision = [](const States& side, const std::string& id) {
    const auto found = side.find(id);
    return found == side.end() ? std::string() : std::string(found->second.decision());
  };
  Json json = Json::array();
  Table table({"key", "kernel", "size", "device", with_store ? "here" : options.words[1],
               options.words.back()});
  for (const auto& [id, state] : all) {
    const std::string mine = decision(ours, id);
    const std::string other = decision(theirs, id);
    if (mine == other) continue;
    table.add({short_id(state), kernel_name(state), size_text_of(state), state.key.device,
               or_none(mine), or_none(other)});
    json.push_back({{"key", id},
                    {"name", state.key.name},
                    {"size", state.key.size},
                    {"device", state.key.device},
                    {"left", mine.empty() ? Json(nullptr) : Json(mine)},
                    {"right", other.empty() ? Json(nullptr) : Json(other)}});
  }
  if (options.json) {
    write_json(streams.out, {{"keys", all.size()}, {"different", std::move(json)}});
  } else if (table.empty()) {
    streams.out.print("the decisions of {} are the same\n", counted(all.size(), "key"));
  } else {
    table.print(streams.out);
  }
  return Exit::done;
}

Exit cache_merge(const CacheOptions& options, Streams& streams) {
  const auto store = open_evidence(options);
  if (!store) return report(streams, store.error());
  TakenOver taken;
  for (const std::string& file : std::span(options.words).subspan(1)) {
    const auto merged = merge_file(**store, file, streams, taken);
    if (!merged) return report(streams, merged.error(), exit_for(merged.error()));
  }
  return report_taken(taken, options, streams);
}

Exit cache_import(const CacheOptions& options, Streams& streams) {
  if (options.toml) return import_toml(options, streams);
  if (!options.t4) return cache_merge(options, streams);
  const auto store = open_evidence(options);
  if (!store) return report(streams, store.error());
  TakenOver taken;
  const auto imported = import_t4(**store, options, streams, taken);
  if (!imported) return report(streams, imported.error(), exit_for(imported.error()));
  return report_taken(taken, options, streams);
}

namespace {

Exit export_toml(const CacheOptions& options, Streams& streams) {
  const std::string& file = options.words[1];
  const auto text = toml_text(options);
  if (!text) return report(streams, text.error());
  if (file == "-") {
    streams.out.write(*text);
    return Exit::done;
  }
  const auto written = replace_file(file, *text);
  if (!written) return report(streams, written.error(), Exit::failed);
  const auto decisions = static_cast<std::size_t>(std::ranges::count(*text, '\n'));
  if (options.json) {
    write_json(streams.out, {{"decisions", decisions}, {"bytes", text->size()}, {"path", file}});
  } else {
    streams.out.print("wrote {} to {}\n", counted(decisions, "decision"), file);
  }
  return Exit::done;
}

}  // namespace

Exit cache_export(const CacheOptions& options, Streams& streams) {
  if (options.toml) return export_toml(options, streams);
  const std::string& file = options.words[1];
  const auto store = open_evidence(options);
  if (!store) return report(streams, store.error());
  const auto wanted = wanted_keys(**store, options);
  if (!wanted) return report(streams, wanted.error());
  const auto text = options.t4 ? Result<std::string>(t4_text(wanted->begin()->second))
                               : lines_of((*store)->path(), *wanted);
  if (!text) return report(streams, text.error(), exit_for(text.error()));
  if (file == "-") {
    streams.out.write(*text);
    return Exit::done;
  }
  std::error_code error;
  if (std::filesystem::equivalent(file, (*store)->path(), error)) {
    return report(streams,
                  {Code::invalid_input, fmt::format("{} is the evidence file itself", quote(file)),
                   "name another file"});
  }
  const auto written = replace_file(file, *text);
  if (!written) return report(streams, written.error(), Exit::failed);
  if (options.json) {
    write_json(streams.out, {{"keys", wanted->size()}, {"bytes", text->size()}, {"path", file}});
  } else {
    streams.out.print("wrote {} to {}\n", counted(wanted->size(), "key"), file);
  }
  return Exit::done;
}

}  // namespace vyre
