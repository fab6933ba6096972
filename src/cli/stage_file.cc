#include "vyre/cli/stage_file.h"

#include <fmt/format.h>

#include <cstring>

#include "vyre/base/digest.h"
#include "vyre/base/text/toml.h"
#include "vyre/cli/values.h"

namespace vyre {
namespace {

class StageReader {
 public:
  StageReader(const TomlDocument& document, std::string_view name)
      : document_(document), name_(name) {}

  Result<StageFile> read() {
    for (const TomlId id : document_.children(kTomlRoot)) {
      const TomlNode& node = document_.node(id);
      if (node.key == "budget") {
        VYRE_TRY(file_.budget, bytes(node));
      } else if (node.key == "stage") {
        VYRE_CHECK(stages(id));
      } else {
        return bad(node, fmt::format("unknown key {}", quote(node.key)),
                   "there are budget and [[stage]]");
      }
    }
    return std::move(file_);
  }

 private:
  std::unexpected<Error> bad(const TomlNode& node, std::string_view what,
                             std::string fix = "") const {
    return fail(Code::invalid_input, fmt::format("{}:{}: {}", name_, node.line, what),
                std::move(fix));
  }

  Result<void> stages(TomlId list) {
    if (document_.node(list).kind != TomlKind::array) {
      return bad(document_.node(list), "stage is not a list", "write [[stage]], with two brackets");
    }
    for (const TomlId id : document_.children(list)) {
      const TomlNode& node = document_.node(id);
      if (node.kind != TomlKind::table) return bad(node, "a stage is not a table");
      VYRE_CHECK(stage(id));
    }
    return {};
  }

  Result<void> stage(TomlId table) {
    FusionStage stage;
    stage.id = static_cast<std::uint32_t>(file_.stages.size());
    std::string name, layout = "0";
    bool has_input = false, has_output = false;
    for (const TomlId id : document_.children(table)) {
      const TomlNode& node = document_.node(id);
      if (node.key == "id") {
        VYRE_TRY(const std::uint64_t value, whole(node, UINT32_MAX));
        stage.id = static_cast<std::uint32_t>(value);
      } else if (node.key == "name") {
        if (node.kind != TomlKind::string) return bad(node, "name is not a text");
        name = node.text;
      } else if (node.key == "layout") {
        VYRE_TRY(stage.layout_hash, layout_hash(node, layout));
      } else if (node.key == "input") {
        VYRE_TRY(stage.input_bytes, bytes(node));
        has_input = true;
      } else if (node.key == "output") {
        VYRE_TRY(stage.output_bytes, bytes(node));
        has_output = true;
      } else if (node.key == "scratch") {
        VYRE_TRY(stage.scratch_bytes, bytes(node));
      } else if (node.key == "host") {
        if (node.kind != TomlKind::boolean) return bad(node, "host is neither true nor false");
        stage.needs_host_materialization = node.boolean;
      } else {
        return bad(node, fmt::format("unknown key {}", quote(node.key)),
                   "a stage has id, name, layout, input, output, scratch and host");
      }
    }
    if (!has_input || !has_output) {
      return bad(document_.node(table),
                 fmt::format("the stage has no {}", has_input ? "output" : "input"));
    }
    file_.stages.push_back(stage);
    file_.names.push_back(std::move(name));
    file_.layouts.push_back(std::move(layout));
    return {};
  }

  Result<std::uint64_t> whole(const TomlNode& node, std::uint64_t most) const {
    if (node.kind != TomlKind::integer || node.integer < 0 ||
        static_cast<std::uint64_t>(node.integer) > most) {
      return bad(node, fmt::format("{} is not a whole number from 0 to {}", node.key, most));
    }
    return static_cast<std::uint64_t>(node.integer);
  }

  Result<std::uint64_t> bytes(const TomlNode& node) const {
    if (node.kind == TomlKind::string) {
      const auto value = parse_bytes(node.text);
      if (!value) return bad(node, value.error().what, value.error().fix);
      return *value;
    }
    if (node.kind != TomlKind::integer || node.integer < 0) {
      return bad(node, fmt::format("{} is not a number of bytes", node.key),
                 "write it like 4096 or \"64KiB\"");
    }
    return static_cast<std::uint64_t>(node.integer);
  }

  Result<std::uint64_t> layout_hash(const TomlNode& node, std::string& shown) const {
    if (node.kind == TomlKind::string) {
      shown = node.text;
      if (node.text.starts_with("0x")) {
        const auto value = parse_whole(node.text);
        if (!value) return bad(node, value.error().what);
        return *value;
      }
      const Digest digest = digest_of(node.text);
      std::uint64_t hash = 0;
      std::memcpy(&hash, digest.bytes.data(), sizeof hash);
      return hash;
    }
    VYRE_TRY(const std::uint64_t hash, whole(node, INT64_MAX));
    shown = fmt::format("{}", hash);
    return hash;
  }

  const TomlDocument& document_;
  std::string_view name_;
  StageFile file_;
};

}  // namespace

Result<StageFile> parse_stages(std::string_view text, std::string_view name) {
  const auto document = parse_toml(text);
  if (!document) {
    const TomlFault& fault = document.error();
    return fail(Code::invalid_input,
                fmt::format("{}:{}:{}: {}", name, fault.line, fault.column, fault.what));
  }
  return StageReader(*document, name).read();
}

}  // namespace vyre
