#include "vyre/cli/run/emit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "vyre/base/files/files.h"
#include "vyre/cli/json_text.h"
#include "vyre/cli/plan.h"
#include "vyre/cli/run/run_execute.h"
#include "vyre/cli/values.h"
#include "vyre/lower/gpu_compile.h"
#include "vyre/lower/host_compile.h"
#include "vyre/plan/variants/variant_legality.h"

namespace vyre {
namespace {

// What the code is made for, and how.
struct Emission {
  std::string device;
  Target target;
  Variant variant;
  bool absent = false;  // no such device is there
};

struct Emitter {
  std::string_view word;
  TargetKind target;
  Result<std::string> (*text)(const Kernel& kernel, const Emission& emission);
};

template <HostText kText>
Result<std::string> for_host(const Kernel& kernel, const Emission& emission) {
  return host_text(kernel, emission.variant, kText);
}

Result<std::string> gpu_llvm(const Kernel& kernel, const Emission& emission) {
  return gpu_llvm_text(kernel, emission.variant, {.processor = emission.target.processor});
}

Result<std::string> ptx(const Kernel& kernel, const Emission& emission) {
  VYRE_TRY(GpuCode code,
           compile_gpu(kernel, emission.variant, {.processor = emission.target.processor}));
  return std::move(code.ptx);
}

constexpr std::array kEmitters{
    Emitter{"llvm", TargetKind::host, for_host<HostText::llvm>},
    Emitter{"asm", TargetKind::host, for_host<HostText::assembly>},
    Emitter{"llvm", TargetKind::nvptx, gpu_llvm},
    Emitter{"ptx", TargetKind::nvptx, ptx},
};

std::string words_for(const Target* target) {
  std::vector<std::string> words;
  for (const Emitter& each : kEmitters) {
    if (target != nullptr && each.target != target->kind) continue;
    if (std::ranges::find(words, each.word) == words.end()) words.emplace_back(each.word);
  }
  return join_words(words);
}

Result<void> check_variant(const Kernel& kernel, const Variant& variant, const std::string& why) {
  if (why.empty()) return {};
  return fail(Code::invalid_input, fmt::format("kernel '{}' cannot run as {}: {}",
                                               kernel.program->name, to_string(variant), why));
}

// The device of --device; PTX by itself is for the GPU that is there.
Result<Emission> emission_on(const std::string& device, const Kernel& kernel,
                             const RunOptions& options) {
  RunOptions named = options;
  named.device = device;
  VYRE_TRY(const Session session, open_session(named));
  Emission out{.device = std::string(session.device().name()),
               .target = session.device().target(),
               .variant = options.fixed.applied_to(session.default_variant(kernel))};
  VYRE_CHECK(check_variant(kernel, out.variant, session.why_not(kernel, out.variant)));
  return out;
}

// Making code for a GPU needs none.
Result<Emission> emission_without_gpu(const Kernel& kernel, const RunOptions& options) {
  Variant declared;
  declared.workgroup = kernel.program->workgroup;
  Emission out{.device = "cuda",
               .target = {TargetKind::nvptx, GpuOptions{}.processor},
               .variant = options.fixed.applied_to(declared),
               .absent = true};
  VYRE_CHECK(check_variant(kernel, out.variant,
                           why_not(kernel, out.variant, out.target.kind, default_limits())));
  return out;
}

Result<Emission> choose_emission(const Kernel& kernel, const RunOptions& options) {
  const bool for_gpu =
      options.device.starts_with("cuda") || (options.device == "auto" && options.emit == "ptx");
  const std::string device = for_gpu && options.device == "auto" ? "cuda" : options.device;
  auto emission = emission_on(device, kernel, options);
  if (for_gpu && !emission && emission.error().code == Code::unavailable) {
    return emission_without_gpu(kernel, options);
  }
  return emission;
}

Result<std::string> emitted(const Kernel& kernel, const Emission& emission,
                            const std::string& word) {
  for (const Emitter& each : kEmitters) {
    if (each.word == word && each.target == emission.target.kind) {
      return each.text(kernel, emission);
    }
  }
  return fail(Code::invalid_input, fmt::format("--emit: {} has no {}", emission.device, word),
              fmt::format("it has {}", words_for(&emission.target)));
}

}  // namespace

std::string emit_words() { return words_for(nullptr); }

bool is_emit_word(std::string_view word) {
  return std::ranges::find(kEmitters, word, &Emitter::word) != kEmitters.end();
}

Exit emit_command(const RunOptions& options, const Kernel& kernel, Streams& streams) {
  const auto emission = choose_emission(kernel, options);
  if (!emission) return report(streams, emission.error(), exit_for(emission.error()));
  const auto text = emitted(kernel, *emission, options.emit);
  if (!text) return report(streams, text.error(), exit_for(text.error()));
  if (emission->absent) {
    streams.err.print("vyre: note: there is no GPU here; the code is for {}\n",
                      emission->target.processor);
    streams.err.flush();
  }
  if (!options.emit_to.empty()) {
    if (const auto written = replace_file(options.emit_to, *text); !written) {
      return report(streams, written.error(), Exit::failed);
    }
  }
  if (options.json) {
    Json json;
    json["file"] = source_name(options.files.front());
    json["entry"] = kernel.program->name;
    json["fingerprint"] = to_hex(kernel.fingerprint);
    json["device"] = emission->device;
    json["target"] = to_string(emission->target);
    json["variant"] = to_string(emission->variant);
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
                      bold(streams.out, kernel.program->name), emission->device,
                      to_string(emission->variant), options.emit, options.emit_to,
                      format_bytes(text->size()));
  }
  return Exit::done;
}

}  // namespace vyre
