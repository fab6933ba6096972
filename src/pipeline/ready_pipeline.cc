#include "vyre/pipeline/ready_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>

#include "vyre/base/arithmetic.h"
#include "vyre/ir/walk.h"
#include "vyre/pipeline/dim_expression.h"
#include "vyre/wgsl/module.h"

namespace vyre {
namespace {

constexpr std::uint64_t kMostElements = std::uint64_t{1} << 40;

template <class T>
const T* named(const std::vector<T>& all, std::string_view name) {
  const auto at = std::ranges::find(all, name, &T::name);
  return at == all.end() ? nullptr : &*at;
}
template <class T>
const T* given(const std::vector<std::pair<std::string, T>>& all, std::string_view name) {
  const auto at =
      std::ranges::find(all, name, [](const auto& one) { return std::string_view(one.first); });
  return at == all.end() ? nullptr : &at->second;
}

class Maker {
 public:
  Maker(const Pipeline& pipeline, const ReadyOptions& options)
      : pipeline_(pipeline), options_(options) {
    out_.name = pipeline.name;
  }

  Result<ReadyPipeline> run() {
    VYRE_CHECK(check_names());
    for (const PipelineBuffer& b : pipeline_.buffers) VYRE_CHECK(open_buffer(b));
    VYRE_CHECK(find_dims());
    for (std::size_t b = 0; b < pipeline_.buffers.size(); ++b) VYRE_CHECK(size_buffer(b));
    for (const PipelineUniform& u : pipeline_.uniforms) {
      ReadyBuffer& buffer = out_.buffers.emplace_back();
      buffer.name = u.name;
      buffer.uniform = true;
    }
    for (std::size_t b = 0; b < out_.buffers.size(); ++b) buffers_[out_.buffers[b].name] = b;
    for (const PipelineStage& s : pipeline_.stages) VYRE_CHECK(stage(s));
    VYRE_CHECK(check_uses());
    return std::move(out_);
  }

 private:
  std::unexpected<Error> bad(std::uint32_t line, const std::string& what,
                             std::string fix = "") const {
    return fail(Code::invalid_input, fmt::format("{}:{}: {}", pipeline_.file, line, what),
                std::move(fix));
  }
  std::unexpected<Error> bad(std::uint32_t line, const std::string& about,
                             const Error& error) const {
    return bad(line, fmt::format("{}: {}", about, error.what), error.fix);
  }

  Result<void> check_names() const {
    for (const auto& [name, source] : options_.sources) {
      if (named(pipeline_.buffers, name) == nullptr) return no_buffer("--in", name);
    }
    for (const auto& [name, sink] : options_.sinks) {
      if (named(pipeline_.buffers, name) == nullptr) return no_buffer("--out", name);
    }
    for (const auto& [name, value] : options_.dims) {
      if (named(pipeline_.dims, name) == nullptr) {
        return fail(Code::invalid_input, fmt::format("--dim: there is no dim '{}'", name));
      }
    }
    for (const PipelineUniform& u : pipeline_.uniforms) {
      if (named(pipeline_.buffers, u.name) != nullptr) {
        return bad(u.line, fmt::format("'{}' is a buffer and a uniform", u.name));
      }
    }
    return {};
  }
  static std::unexpected<Error> no_buffer(std::string_view option, const std::string& name) {
    return fail(Code::invalid_input, fmt::format("{}: there is no buffer '{}'", option, name));
  }

  // ---- Buffers and dims

  Result<void> open_buffer(const PipelineBuffer& b) {
    ReadyBuffer& out = out_.buffers.emplace_back();
    out.name = b.name;
    out.type = b.type;
    const std::string about = fmt::format("buffer '{}'", b.name);
    VYRE_CHECK(find_type(b, out));
    const DataSource* source = given(options_.sources, b.name);
    if (source != nullptr) {
      out.source = *source;
    } else if (!b.source.empty()) {
      auto parsed = parse_source(b.source);
      if (!parsed) return bad(b.line, about, parsed.error());
      out.source = beside(*std::move(parsed));
    }
    const DataSink* sink = given(options_.sinks, b.name);
    if (sink != nullptr) {
      out.sink = *sink;
    } else if (!b.sink.empty()) {
      auto parsed = parse_sink(b.sink);
      if (!parsed) return bad(b.line, about, parsed.error());
      out.sink = *std::move(parsed);
      out.sink->path = options_.place(out.sink->path);
    }
    if (out.sink) {
      if (auto fits = check_sink(*out.sink, out.data()); !fits) {
        return bad(b.line, about, fits.error());
      }
    }
    if (!out.source) return {};
    auto opened = open_source(*out.source, out.data(), options_.most_bytes);
    if (!opened) return bad(b.line, about, opened.error());
    out.opened = *std::move(opened);
    return {};
  }
  DataSource beside(DataSource source) const {
    std::visit(
        [&](auto& one) {
          if constexpr (requires { one.path; }) one.path = options_.place(one.path);
        },
        source);
    return source;
  }
  // Any type that a storage buffer can have, without structs of a module.
  Result<void> find_type(const PipelineBuffer& b, ReadyBuffer& out) const {
    const std::string text = fmt::format(
        "enable f16;\n@group(0) @binding(0) var<storage, read_write> buffer: {};\n"
        "@compute @workgroup_size(1) fn main() {{ _ = &buffer; }}\n",
        b.type);
    const ParsedModule parsed = parse_wgsl(text, "type");
    if (!parsed.module || b.type.find_first_of(";{}@=") != std::string::npos) {
      return bad(b.line,
                 fmt::format("buffer '{}': '{}' is no type of a storage buffer", b.name, b.type),
                 "write it as WGSL does: array<f32>, array<vec4<f32>>, atomic<u32>");
    }
    out.program = std::make_shared<const Program>(parsed.module->programs.at(0));
    out.layout = buffer_layout(out.program->types, out.program->globals.at(0).type);
    return {};
  }

  Result<void> find_dims() {
    for (const PipelineDim& d : pipeline_.dims) {
      std::uint64_t value = d.value.value_or(0);
      const std::uint64_t* other = given(options_.dims, d.name);
      if (other != nullptr) {
        value = *other;
      } else if (!d.of.empty()) {
        const ReadyBuffer* buffer = named(out_.buffers, d.of);
        if (buffer == nullptr) {
          return bad(d.line, fmt::format("dim '{}': there is no buffer '{}'", d.name, d.of));
        }
        if (!buffer->source || d.axis >= buffer->opened.shape.size()) {
          return bad(
              d.line,
              fmt::format("dim '{}': the data of '{}' have no axis {}", d.name, d.of, d.axis),
              fmt::format("give --dim {}=N, or data with a shape", d.name));
        }
        value = buffer->opened.shape[d.axis];
      }
      if (value == 0) return bad(d.line, fmt::format("dim '{}' is 0", d.name));
      out_.dims.emplace_back(d.name, value);
    }
    return {};
  }
  FindDim find_dim() const {
    return [this](std::string_view name) -> Result<std::uint64_t> {
      const std::uint64_t* value = given(out_.dims, name);
      if (value != nullptr) return *value;
      std::string known;
      for (const auto& [dim, number] : out_.dims) known += (known.empty() ? "" : ", ") + dim;
      return fail(Code::invalid_input, fmt::format("there is no dim '{}'", name),
                  known.empty() ? "" : "there are " + known);
    };
  }

  Result<void> size_buffer(std::size_t index) {
    const PipelineBuffer& b = pipeline_.buffers[index];
    ReadyBuffer& out = out_.buffers[index];
    const std::string about = fmt::format("buffer '{}'", b.name);
    std::uint64_t elements = 1;
    for (const std::string& size : b.shape) {
      auto value = evaluate_size(size, find_dim(), kMostElements);
      if (!value) return bad(b.line, about, value.error());
      out.shape.push_back(*value);
      elements = saturating_mul(elements, *value);
    }
    if (out.layout.runtime_sized && b.shape.empty()) {
      if (!out.opened.elements) return bad(b.line, fmt::format("{} has no shape", about));
      elements = *out.opened.elements;
      out.shape = {elements};
    }
    if (!out.layout.runtime_sized && !b.shape.empty() && elements != out.layout.count) {
      return bad(b.line, fmt::format("{} is {}, which has {} elements, and its shape has {}", about,
                                     b.type, out.layout.count, elements));
    }
    if (!out.layout.runtime_sized) elements = out.layout.count;
    const auto bytes = out.layout.bytes_for(elements);
    if (!bytes || elements > kMostElements) {
      return bad(b.line, fmt::format("{} has too many elements", about));
    }
    out.bytes = *bytes;
    if (out.source && out.opened.elements && *out.opened.elements != elements) {
      return bad(b.line, fmt::format("{}: its data have {} elements, and its shape has {}", about,
                                     *out.opened.elements, elements));
    }
    return {};
  }

  // ---- Stages

  Result<const ParsedModule*> module(const PipelineStage& s) {
    const auto known = modules_.find(s.file);
    if (known != modules_.end()) return &known->second;
    auto text = options_.read_file(s.file);
    if (!text) return bad(s.line, fmt::format("stage '{}'", s.name), text.error());
    ParsedModule parsed = parse_wgsl(*std::move(text), s.file);
    if (!parsed.module) {
      return bad(s.line, fmt::format("stage '{}': {}", s.name, parsed.message()));
    }
    return &modules_.emplace(s.file, std::move(parsed)).first->second;
  }

  Result<void> stage(const PipelineStage& s) {
    const std::string about = fmt::format("stage '{}'", s.name);
    if (!stage_names_.insert(s.name).second) {
      return bad(s.line, fmt::format("there are two stages '{}'", s.name),
                 "give one another name, and say entry = \"...\"");
    }
    VYRE_TRY(const ParsedModule* const parsed, module(s));
    auto kernel = parsed->kernel(s.entry, s.set);
    if (!kernel) return bad(s.line, about, kernel.error());
    ReadyStage out{.name = s.name, .kernel = *std::move(kernel), .bindings = {}, .host = s.host};
    for (std::size_t axis = 0; axis < s.size.size(); ++axis) {
      auto value =
          evaluate_size(s.size[axis], find_dim(), std::numeric_limits<std::uint32_t>::max());
      if (!value) return bad(s.line, about, value.error());
      std::uint64_t size = *value;
      if (s.in_workgroups)
        size = saturating_mul<std::uint64_t>(size, out.kernel.program->workgroup[axis]);
      if (size > std::numeric_limits<std::uint32_t>::max()) {
        return bad(s.line, fmt::format("{} has {} invocations on one axis", about, size));
      }
      out.extent[axis] = static_cast<std::uint32_t>(size);
    }
    for (std::size_t axis = s.size.size(); axis < 3 && s.in_workgroups; ++axis) {
      out.extent[axis] = out.kernel.program->workgroup[axis];
    }
    VYRE_CHECK(bind(s, out));
    out_.stages.push_back(std::move(out));
    return {};
  }

  Result<void> bind(const PipelineStage& s, ReadyStage& out) {
    const Program& program = *out.kernel.program;
    const std::string about = fmt::format("stage '{}'", s.name);
    for (const auto& [variable, name] : s.bind) {
      const auto at = std::ranges::find(program.globals, variable, &Global::name);
      if (at == program.globals.end() ||
          (at->memory != MemoryKind::storage && at->memory != MemoryKind::uniform)) {
        std::string known;
        for (const Global& g : program.globals) {
          if (g.memory != MemoryKind::storage && g.memory != MemoryKind::uniform) continue;
          known += (known.empty() ? "" : ", ") + g.name;
        }
        return bad(s.line, fmt::format("{}: '{}' uses no buffer '{}'", about, s.entry, variable),
                   known.empty() ? "" : "it uses " + known);
      }
    }
    for (const Global& g : program.globals) {
      if (g.memory != MemoryKind::storage && g.memory != MemoryKind::uniform) continue;
      const std::string* name = given(s.bind, g.name);
      if (name == nullptr) {
        return bad(s.line, fmt::format("{}: nothing is bound to '{}'", about, g.name),
                   fmt::format("add {} = \"...\" to bind", g.name));
      }
      const auto buffer = buffers_.find(*name);
      if (buffer == buffers_.end()) {
        return bad(s.line, fmt::format("{}: there is no buffer or uniform '{}'", about, *name));
      }
      const std::size_t index = buffer->second;
      VYRE_CHECK(check_binding(s, program, g, out_.buffers[index]));
      for (const StageBinding& other : out.bindings) {
        if (other.buffer != index) continue;
        const auto& first = *std::ranges::find_if(program.globals, [&](const Global& one) {
          return one.group == other.group && one.binding == other.binding;
        });
        if (g.access != Access::read || first.access != Access::read) {
          return bad(s.line,
                     fmt::format("{}: '{}' is bound to '{}' and '{}', and one of them is written",
                                 about, *name, first.name, g.name));
        }
      }
      out.bindings.push_back({g.group, g.binding, index});
    }
    return {};
  }

  Result<void> check_binding(const PipelineStage& s, const Program& program, const Global& g,
                             ReadyBuffer& buffer) {
    const std::string about = fmt::format("stage '{}': '{}'", s.name, g.name);
    const BufferLayout layout = buffer_layout(program.types, g.type);
    if (buffer.uniform) {
      if (g.memory != MemoryKind::uniform) {
        return bad(s.line, fmt::format("{} is in storage memory, and '{}' is a uniform", about,
                                       buffer.name));
      }
      return fill_uniform(s, program, g, buffer);
    }
    const bool fits =
        buffer.bytes >= layout.least_bytes() &&
        (!layout.runtime_sized || (buffer.bytes - layout.header_bytes) % layout.stride == 0);
    if (!fits) {
      return bad(s.line,
                 fmt::format("{} is {}, and the {} bytes of '{}' ({}) do not divide into it", about,
                             program.types.spell(g.type), buffer.bytes, buffer.name, buffer.type));
    }
    return {};
  }

  Result<void> fill_uniform(const PipelineStage& s, const Program& program, const Global& g,
                            ReadyBuffer& buffer) {
    const PipelineUniform& u = *named(pipeline_.uniforms, buffer.name);
    std::vector<std::byte> contents(program.types.layout(g.type).size);
    const auto* type = program.types.get_if<StructType>(g.type);
    std::vector<Member> members;
    if (type != nullptr) {
      members = type->members;
    } else {
      members.push_back({.name = "value", .type = g.type});
    }
    for (const PipelineUniform::Field& f : u.fields) {
      const Member* member = named(members, f.name);
      if (member == nullptr) {
        return bad(f.line, fmt::format("uniform '{}' of stage '{}' has no field '{}'", u.name,
                                       s.name, f.name));
      }
      const auto* scalar = program.types.get_if<ScalarType>(member->type);
      if (scalar == nullptr) {
        return bad(f.line, fmt::format("field '{}' is {}; only scalars can be given", f.name,
                                       program.types.spell(member->type)));
      }
      VYRE_CHECK(put_field(f, scalar->kind, std::span(contents).subspan(member->offset)));
    }
    for (const Member& m : members) {
      if (named(u.fields, m.name) == nullptr) {
        return bad(u.line, fmt::format("uniform '{}' has no value for the field '{}' of stage '{}'",
                                       u.name, m.name, s.name));
      }
    }
    if (!buffer.contents.empty() && buffer.contents != contents) {
      return bad(u.line, fmt::format("stages see the uniform '{}' as different types", u.name));
    }
    buffer.contents = std::move(contents);
    buffer.bytes = buffer.contents.size();
    buffer.type = program.types.spell(g.type);
    return {};
  }

  Result<void> put_field(const PipelineUniform::Field& f, ScalarKind kind,
                         std::span<std::byte> at) const {
    double value = f.number.value_or(0);
    if (!f.number) {
      auto fraction = evaluate(f.expression, find_dim());
      if (!fraction) return bad(f.line, fmt::format("field '{}'", f.name), fraction.error());
      value = fraction->as_double();
    }
    const auto store = [&](auto number) { std::memcpy(at.data(), &number, sizeof number); };
    const auto whole = [&](double low, double high) {
      return std::trunc(value) == value && value >= low && value <= high;
    };
    if (kind == ScalarKind::u32 && whole(0, 4294967295.0)) {
      store(static_cast<std::uint32_t>(value));
    } else if (kind == ScalarKind::i32 && whole(-2147483648.0, 2147483647.0)) {
      store(static_cast<std::int32_t>(value));
    } else if (kind == ScalarKind::f32) {
      store(static_cast<float>(value));
    } else if (kind == ScalarKind::f16) {
      store(double_to_f16(value));
    } else {
      return bad(f.line, fmt::format("field '{}' is {}, which cannot be {}", f.name,
                                     to_string(kind), value));
    }
    return {};
  }

  // ---- What is read was written, and what is kept is made

  Result<void> check_uses() const {
    std::vector<bool> filled(out_.buffers.size());
    for (std::size_t b = 0; b < filled.size(); ++b) {
      filled[b] = out_.buffers[b].source.has_value() || out_.buffers[b].uniform;
    }
    std::vector<bool> used(filled.size());
    for (std::size_t s = 0; s < out_.stages.size(); ++s) {
      const ReadyStage& stage = out_.stages[s];
      for (const StageBinding& b : stage.bindings) {
        used[b.buffer] = true;
        if (stage.writes(b.buffer)) filled[b.buffer] = true;
        if (!filled[b.buffer]) {
          return bad(pipeline_.stages[s].line,
                     fmt::format("stage '{}' reads '{}', which neither a source nor an earlier "
                                 "stage fills",
                                 stage.name, out_.buffers[b.buffer].name));
        }
      }
    }
    for (std::size_t b = 0; b < pipeline_.buffers.size(); ++b) {
      if (out_.buffers[b].sink && !filled[b]) {
        return bad(pipeline_.buffers[b].line,
                   fmt::format("'{}' has a sink, and no stage writes it", out_.buffers[b].name));
      }
    }
    for (std::size_t u = 0; u < pipeline_.uniforms.size(); ++u) {
      if (!used[pipeline_.buffers.size() + u]) {
        return bad(pipeline_.uniforms[u].line,
                   fmt::format("no stage binds the uniform '{}'", pipeline_.uniforms[u].name));
      }
    }
    return {};
  }

  const Pipeline& pipeline_;
  const ReadyOptions& options_;
  ReadyPipeline out_;
  std::map<std::string, ParsedModule> modules_;
  std::map<std::string, std::size_t> buffers_;
  std::set<std::string> stage_names_;
};

}  // namespace

bool ReadyStage::writes(std::size_t buffer) const {
  return std::ranges::any_of(bindings, [&](const StageBinding& b) {
    return b.buffer == buffer && std::ranges::any_of(kernel.program->globals, [&](const Global& g) {
             return g.memory == MemoryKind::storage && g.access != Access::read &&
                    g.group == b.group && g.binding == b.binding;
           });
  });
}

std::optional<std::size_t> ReadyPipeline::find(std::string_view buffer) const {
  const auto at = std::ranges::find(buffers, buffer, &ReadyBuffer::name);
  if (at == buffers.end()) return std::nullopt;
  return static_cast<std::size_t>(at - buffers.begin());
}

Result<ReadyPipeline> make_ready(const Pipeline& pipeline, const ReadyOptions& options) {
  return Maker(pipeline, options).run();
}

}  // namespace vyre
