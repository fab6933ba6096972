#include "vyre/cli/emit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "vyre/base/files.h"
#include "vyre/cli/json_text.h"
#include "vyre/cli/run_execute.h"
#include "vyre/cli/values.h"
#include "vyre/lower/host_compile.h"

namespace vyre {
namespace {

struct Emitter {
  std::string_view word;
  TargetKind target;
  Result<std::string> (*text)(const Kernel& kernel, const Variant& variant, const Target& target);
};

template <HostText kText>
Result<std::string> for_host(const Kernel& kernel, const Variant& variant, const Target&) {
  return host_text(kernel, variant, kText);
}

constexpr std::array kEmitters{
    Emitter{"llvm", TargetKind::host, for_host<HostText::llvm>},
    Emitter{"asm", TargetKind::host, for_host<HostText::assembly>},
};

std::string words_for(const Target* target) {
  std::vector<std::string> words;
  for (const Emitter& each : kEmitters) {
    if (target != nullptr && each.target != target->kind) continue;
    if (std::ranges::find(words, each.word) == words.end()) words.emplace_back(each.word);
  }
  return join_words(words);
}

Result<std::string> emitted(const RunOptions& options, const Kernel& kernel,
                            const Prepared& prepared) {
  const Target target = prepared.session.device().target();
  for (const Emitter& each : kEmitters) {
    if (each.word == options.emit && each.target == target.kind) {
      return each.text(kernel, prepared.variant, target);
    }
  }
  return fail(Code::invalid_input,
              fmt::format("--emit: {} has no {}", prepared.session.device().name(), options.emit),
              fmt::format("it has {}", words_for(&target)));
}

}  // namespace

std::string emit_words() { return words_for(nullptr); }

bool is_emit_word(std::string_view word) {
  return std::ranges::find(kEmitters, word, &Emitter::word) != kEmitters.end();
}

Exit emit_command(const RunOptions& options, const Kernel& kernel, Streams& streams) {
  const auto prepared = prepare_device(kernel, options);
  if (!prepared) return report(streams, prepared.error(), exit_for(prepared.error()));
  const auto text = emitted(options, kernel, *prepared);
  if (!text) return report(streams, text.error(), exit_for(text.error()));
  if (!options.emit_to.empty()) {
    if (const auto written = replace_file(options.emit_to, *text); !written) {
      return report(streams, written.error(), Exit::failed);
    }
  }
  const std::string device(prepared->session.device().name());
  if (options.json) {
    Json json;
    json["file"] = source_name(options.files.front());
    json["entry"] = kernel.program->name;
    json["fingerprint"] = to_hex(kernel.fingerprint);
    json["device"] = device;
    json["variant"] = to_string(prepared->variant);
    json["emit"] = options.emit;
    if (options.emit_to.empty()) {
      json["text"] = *text;
    } else {
      json["path"] = options.emit_to;
      json["bytes"] = text->size();
    }
    write_json(streams.out, json);
  } else if (options.emit_to.empty()) {
    streams.out.write(*text);
  } else {
    streams.out.print("{} for {} as {}\nwrote {} to {} ({})\n",
                      bold(streams.out, kernel.program->name), device, to_string(prepared->variant),
                      options.emit, options.emit_to, format_bytes(text->size()));
  }
  return Exit::done;
}

}  // namespace vyre
