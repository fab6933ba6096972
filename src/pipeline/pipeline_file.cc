#include "vyre/pipeline/pipeline_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "vyre/base/text/nearest.h"
#include "vyre/base/text/toml.h"

namespace vyre {
namespace {

class Reader {
 public:
  Reader(const TomlDocument& document, std::string_view name) : document_(document) {
    out_.file = name;
  }

  Result<Pipeline> read() {
    bool version = false;
    for (const TomlId id : document_.children(kTomlRoot)) {
      const TomlNode& node = document_.node(id);
      if (node.key == "vyre") {
        if (node.kind != TomlKind::integer || node.integer != 1) {
          return bad(node, "this version reads pipelines of version 1", "write vyre = 1");
        }
        version = true;
      } else if (node.key == "name") {
        VYRE_TRY(out_.name, text(node));
      } else if (node.key == "dims") {
        VYRE_CHECK(each(id, "dims", [&](TomlId member) { return dim(member); }));
      } else if (node.key == "buffers") {
        VYRE_CHECK(each(id, "buffers", [&](TomlId member) { return buffer(member); }));
      } else if (node.key == "uniforms") {
        VYRE_CHECK(each(id, "uniforms", [&](TomlId member) { return uniform(member); }));
      } else if (node.key == "stage") {
        if (node.kind != TomlKind::array) {
          return bad(node, "stage is not a list", "write [[stage]], with two brackets");
        }
        for (const TomlId member : document_.children(id)) VYRE_CHECK(stage(member));
      } else if (node.key == "loops") {
        VYRE_CHECK(each(id, "loops", [&](TomlId member) { return loop(member); }));
      } else {
        return unknown(node, {"vyre", "name", "dims", "buffers", "uniforms", "stage", "loops"});
      }
    }
    if (!version) {
      return fail(Code::invalid_input, fmt::format("{}: vyre = 1 is missing", out_.file));
    }
    if (out_.stages.empty()) {
      return fail(Code::invalid_input, fmt::format("{}: there is no [[stage]]", out_.file));
    }
    return std::move(out_);
  }

 private:
  std::unexpected<Error> bad(const TomlNode& node, std::string_view what,
                             std::string fix = "") const {
    return fail(Code::invalid_input, fmt::format("{}:{}: {}", out_.file, node.line, what),
                std::move(fix));
  }
  std::unexpected<Error> unknown(const TomlNode& node,
                                 const std::vector<std::string>& known) const {
    const std::string meant = nearest(node.key, known);
    return bad(node, fmt::format("unknown key '{}'", node.key),
               meant.empty() ? fmt::format("there are {}", fmt::join(known, ", "))
                             : fmt::format("did you mean {}?", meant));
  }

  template <class F>
  Result<void> each(TomlId table, std::string_view name, F&& read) {
    const TomlNode& node = document_.node(table);
    if (node.kind != TomlKind::table) return bad(node, fmt::format("{} is not a table", name));
    for (const TomlId id : document_.children(table)) VYRE_CHECK(read(id));
    return {};
  }
  Result<std::string> text(const TomlNode& node) const {
    if (node.kind != TomlKind::string) return bad(node, fmt::format("{} is not a text", node.key));
    return std::string(node.text);
  }
  // A size: a number, or an expression in a text.
  Result<std::string> size(const TomlNode& node) const {
    if (node.kind == TomlKind::string) return std::string(node.text);
    if (node.kind == TomlKind::integer && node.integer >= 0) return std::to_string(node.integer);
    return bad(node, "a size is neither a number nor a text");
  }
  Result<std::vector<std::string>> sizes(TomlId list, std::size_t most) const {
    const TomlNode& node = document_.node(list);
    if (node.kind != TomlKind::array || node.child_count == 0 || node.child_count > most) {
      return bad(node, fmt::format("{} is not a list of 1 to {} sizes", node.key, most));
    }
    std::vector<std::string> out;
    for (const TomlId id : document_.children(list)) {
      VYRE_TRY(std::string one, size(document_.node(id)));
      out.push_back(std::move(one));
    }
    return out;
  }

  Result<void> dim(TomlId id) {
    const TomlNode& node = document_.node(id);
    PipelineDim out{.name = std::string(node.key), .value = {}, .of = {}, .line = node.line};
    if (node.kind == TomlKind::integer && node.integer > 0) {
      out.value = static_cast<std::uint64_t>(node.integer);
    } else if (node.kind == TomlKind::table) {
      for (const TomlId member : document_.children(id)) {
        const TomlNode& m = document_.node(member);
        if (m.key == "of") {
          VYRE_TRY(out.of, text(m));
        } else if (m.key == "axis" && m.kind == TomlKind::integer && m.integer >= 0 &&
                   m.integer < 16) {
          out.axis = static_cast<std::uint32_t>(m.integer);
        } else if (m.key == "axis") {
          return bad(m, "axis is not a whole number from 0 to 15");
        } else {
          return unknown(m, {"of", "axis"});
        }
      }
      if (out.of.empty()) return bad(node, fmt::format("dim '{}' has no `of`", out.name));
    } else {
      return bad(node, fmt::format("dim '{}' is not a whole number from 1 on", out.name),
                 "write a number, or { of = \"buffer\", axis = 0 }");
    }
    out_.dims.push_back(std::move(out));
    return {};
  }

  Result<void> buffer(TomlId id) {
    const TomlNode& node = document_.node(id);
    PipelineBuffer out{.name = std::string(node.key),
                       .type = {},
                       .shape = {},
                       .source = {},
                       .sink = {},
                       .line = node.line};
    if (node.kind != TomlKind::table) {
      return bad(node, fmt::format("buffer '{}' is not a table", out.name));
    }
    for (const TomlId member : document_.children(id)) {
      const TomlNode& m = document_.node(member);
      if (m.key == "type") {
        VYRE_TRY(out.type, text(m));
      } else if (m.key == "shape") {
        VYRE_TRY(out.shape, sizes(member, 8));
      } else if (m.key == "source") {
        VYRE_TRY(out.source, text(m));
      } else if (m.key == "sink") {
        VYRE_TRY(out.sink, text(m));
      } else {
        return unknown(m, {"type", "shape", "source", "sink"});
      }
    }
    if (out.type.empty()) return bad(node, fmt::format("buffer '{}' has no type", out.name));
    out_.buffers.push_back(std::move(out));
    return {};
  }

  Result<void> uniform(TomlId id) {
    const TomlNode& node = document_.node(id);
    PipelineUniform out{.name = std::string(node.key), .fields = {}, .line = node.line};
    if (node.kind != TomlKind::table) {
      return bad(node, fmt::format("uniform '{}' is not a table", out.name),
                 fmt::format("write [uniforms.{}] and its fields below", out.name));
    }
    for (const TomlId member : document_.children(id)) {
      const TomlNode& m = document_.node(member);
      PipelineUniform::Field field{.name = std::string(m.key), .values = {}, .line = m.line};
      if (m.kind == TomlKind::array) {
        for (const TomlId one : document_.children(member)) {
          VYRE_TRY(auto value, value_of(document_.node(one), m.key));
          field.values.push_back(std::move(value));
        }
      } else {
        VYRE_TRY(auto value, value_of(m, m.key));
        field.values.push_back(std::move(value));
      }
      out.fields.push_back(std::move(field));
    }
    out_.uniforms.push_back(std::move(out));
    return {};
  }

  Result<PipelineUniform::Value> value_of(const TomlNode& node, std::string_view field) const {
    PipelineUniform::Value out;
    if (node.kind == TomlKind::string) {
      out.expression = node.text;
    } else if (node.kind == TomlKind::integer) {
      out.number = static_cast<double>(node.integer);
    } else if (node.kind == TomlKind::real) {
      out.number = node.real;
    } else {
      return bad(node, fmt::format("field '{}' is neither a number nor a text", field),
                 "a vector is a list of numbers or texts");
    }
    return out;
  }

  Result<void> loop(TomlId id) {
    const TomlNode& node = document_.node(id);
    PipelineLoop out{.name = std::string(node.key),
                     .most = {},
                     .until = {},
                     .clear = {},
                     .swap = {},
                     .line = node.line};
    if (node.kind != TomlKind::table) {
      return bad(node, fmt::format("loop '{}' is not a table", out.name),
                 fmt::format("write [loops.{}] and its keys below", out.name));
    }
    for (const TomlId member : document_.children(id)) {
      const TomlNode& m = document_.node(member);
      if (m.key == "most") {
        VYRE_TRY(out.most, size(m));
      } else if (m.key == "until") {
        VYRE_TRY(out.until, text(m));
        if (out.until.empty()) return bad(m, "until is empty");
      } else if (m.key == "clear") {
        VYRE_TRY(out.clear, texts(member));
      } else if (m.key == "swap") {
        if (m.kind != TomlKind::array) return bad(m, "swap is not a list of pairs");
        for (const TomlId pair : document_.children(member)) {
          VYRE_TRY(auto names, texts(pair));
          if (names.size() != 2) {
            return bad(document_.node(pair), "a pair of swap has two buffers",
                       "write swap = [[\"a\", \"b\"]]");
          }
          out.swap.emplace_back(std::move(names[0]), std::move(names[1]));
        }
      } else {
        return unknown(m, {"most", "until", "clear", "swap"});
      }
    }
    if (out.most.empty()) return bad(node, fmt::format("loop '{}' has no `most`", out.name));
    out_.loops.push_back(std::move(out));
    return {};
  }
  Result<std::vector<std::string>> texts(TomlId list) const {
    const TomlNode& node = document_.node(list);
    if (node.kind != TomlKind::array) {
      return bad(node, fmt::format("{} is not a list", node.key.empty() ? "it" : node.key));
    }
    std::vector<std::string> out;
    for (const TomlId id : document_.children(list)) {
      VYRE_TRY(std::string one, text(document_.node(id)));
      out.push_back(std::move(one));
    }
    return out;
  }

  Result<void> stage(TomlId id) {
    const TomlNode& node = document_.node(id);
    if (node.kind != TomlKind::table) return bad(node, "a stage is not a table");
    PipelineStage out;
    out.line = node.line;
    for (const TomlId member : document_.children(id)) {
      const TomlNode& m = document_.node(member);
      if (m.key == "name") {
        VYRE_TRY(out.name, text(m));
      } else if (m.key == "entry") {
        VYRE_TRY(out.entry, text(m));
      } else if (m.key == "file") {
        VYRE_TRY(out.file, text(m));
      } else if (m.key == "size" || m.key == "groups") {
        if (!out.size.empty() || out.groups_from) {
          return bad(m, "size and groups say the same in two ways", "give one of them");
        }
        if (m.key == "groups" && m.kind == TomlKind::table) {
          VYRE_TRY(out.groups_from, groups_from(member));
          continue;
        }
        VYRE_TRY(out.size, sizes(member, 3));
        out.in_workgroups = m.key == "groups";
      } else if (m.key == "bind") {
        VYRE_CHECK(each(member, "bind", [&](TomlId one) -> Result<void> {
          VYRE_TRY(std::string buffer, text(document_.node(one)));
          out.bind.emplace_back(document_.node(one).key, std::move(buffer));
          return {};
        }));
      } else if (m.key == "set") {
        VYRE_CHECK(each(member, "set", [&](TomlId one) -> Result<void> {
          const TomlNode& value = document_.node(one);
          double number = value.real;
          if (value.kind == TomlKind::integer) {
            number = static_cast<double>(value.integer);
          } else if (value.kind == TomlKind::boolean) {
            number = value.boolean ? 1 : 0;
          } else if (value.kind != TomlKind::real) {
            return bad(value, fmt::format("override '{}' is not a number", value.key));
          }
          out.set.push_back({std::string(value.key), number});
          return {};
        }));
      } else if (m.key == "host") {
        if (m.kind != TomlKind::boolean) return bad(m, "host is neither true nor false");
        out.host = m.boolean;
      } else if (m.key == "loop") {
        VYRE_TRY(out.loop, text(m));
      } else {
        return unknown(m,
                       {"name", "entry", "file", "size", "groups", "bind", "set", "loop", "host"});
      }
    }
    if (out.name.empty()) return bad(node, "the stage has no name");
    if (out.file.empty()) return bad(node, fmt::format("stage '{}' has no file", out.name));
    if (out.size.empty() && !out.groups_from) {
      return bad(node, fmt::format("stage '{}' has no size", out.name));
    }
    if (out.entry.empty()) out.entry = out.name;
    out_.stages.push_back(std::move(out));
    return {};
  }

  Result<PipelineStage::GroupsFrom> groups_from(TomlId table) const {
    PipelineStage::GroupsFrom out;
    for (const TomlId id : document_.children(table)) {
      const TomlNode& m = document_.node(id);
      if (m.key == "from") {
        VYRE_TRY(out.buffer, text(m));
      } else if (m.key == "offset" && m.kind == TomlKind::integer && m.integer >= 0) {
        out.offset = static_cast<std::uint64_t>(m.integer);
      } else if (m.key == "offset") {
        return bad(m, "offset is not a whole number of bytes");
      } else {
        return unknown(m, {"from", "offset"});
      }
    }
    if (out.buffer.empty()) {
      return bad(document_.node(table), "groups has no `from`",
                 "write groups = { from = \"buffer\", offset = 0 }");
    }
    return out;
  }

  const TomlDocument& document_;
  Pipeline out_;
};

}  // namespace

Result<Pipeline> parse_pipeline(std::string_view text, std::string_view name) {
  const auto document = parse_toml(text);
  if (!document) {
    const TomlFault& fault = document.error();
    return fail(Code::invalid_input,
                fmt::format("{}:{}:{}: {}", name, fault.line, fault.column, fault.what));
  }
  return Reader(*document, name).read();
}

}  // namespace vyre
