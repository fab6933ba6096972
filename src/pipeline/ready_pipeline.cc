#include "vyre/pipeline/ready_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <set>

#include "vyre/base/arithmetic.h"
#include "vyre/base/files/files.h"
#include "vyre/ir/slots.h"
#include "vyre/pipeline/ready_internal.h"
#include "vyre/pipeline/type_views.h"

namespace vyre {
namespace {

constexpr std::uint64_t kMostElements = std::uint64_t{1} << 40;
constexpr std::uint64_t kMostSource = std::uint64_t{16} << 20U;  // the most bytes of a WGSL file

bool is_identifier(std::string_view name) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::ranges::all_of(name, is_word);
}

class Maker : ReadyPart {
 public:
  Maker(const Pipeline& pipeline, const ReadyOptions& options, ReadyPipeline& out)
      : ReadyPart(pipeline, out), options_(options) {
    out_.name = pipeline.name;
  }

  Result<void> run() {
    VYRE_CHECK(check_names());
    for (const PipelineStage& s : pipeline_.stages) VYRE_CHECK(find_kernel(s));
    for (const PipelineBuffer& b : pipeline_.buffers) VYRE_CHECK(open_buffer(b));
    VYRE_CHECK(find_dims());
    for (std::size_t b = 0; b < pipeline_.buffers.size(); ++b) VYRE_CHECK(size_buffer(b));
    for (const PipelineUniform& u : pipeline_.uniforms) {
      ReadyBuffer& buffer = out_.buffers.emplace_back();
      buffer.name = u.name;
      buffer.uniform = true;
    }
    for (std::size_t b = 0; b < out_.buffers.size(); ++b) buffers_[out_.buffers[b].name] = b;
    for (std::size_t s = 0; s < pipeline_.stages.size(); ++s) VYRE_CHECK(stage(s));
    VYRE_CHECK(find_loops(pipeline_, out_));
    return check_uses();
  }

 private:
  Result<void> check_names() const {
    for (const auto& [name, source] : options_.sources) {
      if (named(pipeline_.buffers, name) == nullptr) return no_buffer("--in", name);
    }
    for (const auto& [name, sink] : options_.sinks) {
      if (named(pipeline_.buffers, name) == nullptr) return no_buffer("--out", name);
    }
    for (const auto& [name, value] : options_.dims) {
      if (named(pipeline_.dims, name) == nullptr) {
        return fail(Code::invalid_input,
                    fmt::format("pipeline '{}': there is no dim '{}'", pipeline_.name, name),
                    advice(name, names_of(pipeline_.dims)));
      }
    }
    std::set<std::string_view> dims;
    for (const PipelineDim& d : pipeline_.dims) {
      if (!is_identifier(d.name)) return bad(d.line, fmt::format("'{}' is no name", d.name));
      if (!dims.insert(d.name).second) {
        return bad(d.line, fmt::format("there are two dims '{}'", d.name));
      }
    }
    std::set<std::string_view> buffers;
    for (const PipelineBuffer& b : pipeline_.buffers) {
      if (!buffers.insert(b.name).second) {
        return bad(b.line, fmt::format("there are two buffers '{}'", b.name));
      }
    }
    for (const PipelineUniform& u : pipeline_.uniforms) {
      if (!buffers.insert(u.name).second) {
        return bad(u.line, fmt::format("'{}' is a buffer or uniform twice", u.name));
      }
    }
    std::set<std::string_view> loops;
    for (const PipelineLoop& l : pipeline_.loops) {
      if (!loops.insert(l.name).second) {
        return bad(l.line, fmt::format("there are two loops '{}'", l.name));
      }
    }
    if (pipeline_.stages.empty()) {
      return fail(Code::invalid_input, fmt::format("pipeline '{}' has no stages", pipeline_.name));
    }
    return {};
  }
  std::unexpected<Error> no_buffer(std::string_view option, const std::string& name) const {
    return fail(Code::invalid_input, fmt::format("{}: there is no buffer '{}'", option, name),
                advice(name, names_of(pipeline_.buffers)));
  }

  std::string place(const std::string& file) const {
    return options_.place ? options_.place(file) : file;
  }
  Result<std::string> read(const std::string& file) const {
    if (options_.read_file) return options_.read_file(file);
    return read_file(place(file), kMostSource);
  }

  // ---- Buffers and dims

  Result<void> open_buffer(const PipelineBuffer& b) {
    ReadyBuffer& out = out_.buffers.emplace_back();
    out.name = b.name;
    out.type = b.type;
    out.given = b.given;
    out.wanted = b.wanted;
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
      out.sink->path = place(out.sink->path);
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
          if constexpr (requires { one.path; }) one.path = place(one.path);
        },
        source);
    return source;
  }
  // Finds the type of a buffer: any type that a storage buffer can have. A struct's name is looked
  // up in a module whose stage binds the buffer as this struct.
  Result<void> find_type(const PipelineBuffer& b, ReadyBuffer& out) const {
    const std::string text = fmt::format(
        "enable f16;\n@group(0) @binding(0) var<storage, read_write> buffer: {};\n"
        "@compute @workgroup_size(1) fn main() {{ _ = &buffer; }}\n",
        b.type);
    const bool plain = b.type.find_first_of(";{}@=/") == std::string::npos;
    if (ParsedModule parsed; plain && (parsed = parse_wgsl(text, "type")).module) {
      out.program = std::make_shared<const Program>(parsed.module->programs.at(0));
      out.layout = buffer_layout(out.program->types, out.program->globals.at(0).type);
      return {};
    }
    for (std::size_t s = 0; s < pipeline_.stages.size(); ++s) {
      for (const auto& [variable, name] : pipeline_.stages[s].bind) {
        if (name != b.name) continue;
        const Program& program = *kernels_[s].program;
        const auto global = std::ranges::find(program.globals, variable, &Global::name);
        if (global == program.globals.end() ||
            program.types.spell(global->type) != without_spaces(b.type)) {
          continue;
        }
        out.program = kernels_[s].program;
        out.layout = buffer_layout(program.types, global->type);
        return {};
      }
    }
    return bad(
        b.line, fmt::format("buffer '{}': '{}' is no type of a storage buffer", b.name, b.type),
        "write it as WGSL does: array<f32>, array<vec4<f32>>, atomic<u32>, or array<S> with a "
        "struct S of a stage that binds the buffer as array<S>");
  }
  static std::string without_spaces(std::string text) {
    std::erase_if(text, [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; });
    return text;
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
          return bad(d.line, fmt::format("dim '{}': there is no buffer '{}'", d.name, d.of),
                     advice(d.of, names_of(pipeline_.buffers)));
        }
        if (!buffer->source || d.axis >= buffer->opened.shape.size()) {
          return bad(
              d.line,
              fmt::format("dim '{}': the data of '{}' have no axis {}", d.name, d.of, d.axis),
              fmt::format("give --dim {}=N, or data with a shape", d.name));
        }
        value = buffer->opened.shape[d.axis];
      }
      if (value == 0 && !d.value && other == nullptr && d.of.empty()) {
        return bad(d.line, fmt::format("dim '{}' has no value", d.name), "give it one");
      }
      if (value == 0) return bad(d.line, fmt::format("dim '{}' is 0", d.name));
      out_.dims.emplace_back(d.name, value);
    }
    return {};
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
    if (out.sink) {
      if (auto fits = check_sink_shape(*out.sink, out.data(), elements, out.shape); !fits) {
        fits.error().fix = "give it a shape of two axes: its height and its width";
        return bad(b.line, about, fits.error());
      }
    }
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
    auto text = read(s.file);
    if (!text) return bad(s.line, fmt::format("stage '{}'", s.name), text.error());
    ParsedModule parsed = parse_wgsl(*std::move(text), s.file, options_.parse);
    if (!parsed.module) {
      return bad(s.line, fmt::format("stage '{}': {}", s.name, parsed.message()));
    }
    if (options_.on_module) options_.on_module(parsed);
    return &modules_.emplace(s.file, std::move(parsed)).first->second;
  }

  Result<void> find_kernel(const PipelineStage& s) {
    const std::string about = fmt::format("stage '{}'", s.name);
    if (!stage_names_.insert(s.name).second) {
      return bad(s.line, fmt::format("there are two stages '{}'", s.name),
                 "give one another name, and say entry = \"...\"");
    }
    if (s.kernel) {
      kernels_.push_back(*s.kernel);
      return {};
    }
    const ParsedModule* parsed = s.module.get();
    if (parsed == nullptr) {
      VYRE_TRY(parsed, module(s));
    }
    auto kernel = parsed->kernel(s.entry, s.set);
    if (!kernel) return bad(s.line, about, kernel.error());
    kernels_.push_back(*std::move(kernel));
    return {};
  }

  Result<void> stage(std::size_t index) {
    const PipelineStage& s = pipeline_.stages[index];
    ReadyStage out;
    out.name = s.name;
    out.place = at(s.line);
    out.kernel = kernels_[index];
    out.host = s.host;
    if (s.groups_from) {
      VYRE_CHECK(find_grid(s, out));
    } else {
      VYRE_CHECK(find_extent(s, out));
    }
    VYRE_CHECK(bind(s, out));
    out_.stages.push_back(std::move(out));
    return {};
  }

  Result<void> find_extent(const PipelineStage& s, ReadyStage& out) const {
    const std::string about = fmt::format("stage '{}'", s.name);
    const Extent& workgroup = out.kernel.program->workgroup;
    if (s.size.empty() || s.size.size() > 3) {
      return bad(s.line, fmt::format("{} has {} sizes", about, s.size.size()),
                 "give one for each axis, at most 3");
    }
    for (std::size_t axis = 0; axis < s.size.size(); ++axis) {
      auto value =
          evaluate_size(s.size[axis], find_dim(), std::numeric_limits<std::uint32_t>::max());
      if (!value) return bad(s.line, about, value.error());
      std::uint64_t size = *value;
      if (s.in_workgroups) size = saturating_mul<std::uint64_t>(size, workgroup[axis]);
      if (size > std::numeric_limits<std::uint32_t>::max()) {
        return bad(s.line, fmt::format("{} has {} invocations on one axis", about, size));
      }
      out.extent[axis] = static_cast<std::uint32_t>(size);
    }
    for (std::size_t axis = s.size.size(); axis < 3 && s.in_workgroups; ++axis) {
      out.extent[axis] = workgroup[axis];
    }
    return {};
  }

  Result<void> find_grid(const PipelineStage& s, ReadyStage& out) const {
    const std::string about = fmt::format("the grid of stage '{}'", s.name);
    VYRE_TRY(const std::size_t buffer, storage(s.line, about, s.groups_from->buffer));
    const std::uint64_t offset = s.groups_from->offset;
    const std::uint64_t bytes = out_.buffers[buffer].bytes;
    if (offset % 4 != 0 || offset > bytes || bytes - offset < kGridBytes) {
      return bad(s.line,
                 fmt::format("{}: '{}' has {} bytes, and the three numbers would be at byte {}",
                             about, s.groups_from->buffer, bytes, offset),
                 "the offset is a multiple of 4, and 12 bytes follow it");
    }
    out.grid = GridPlace{buffer, offset};
    return {};
  }
  Result<void> bind(const PipelineStage& s, ReadyStage& out) {
    const Program& program = *out.kernel.program;
    const std::string about = fmt::format("stage '{}'", s.name);
    std::vector<std::string> known;
    for (const Global& g : program.globals) {
      if (g.memory == MemoryKind::storage || g.memory == MemoryKind::uniform) {
        known.push_back(g.name);
      }
    }
    std::set<std::string_view> bound;
    for (const auto& [variable, name] : s.bind) {
      if (std::ranges::find(known, variable) == known.end()) {
        return bad(s.line,
                   fmt::format("{}: '{}' uses no buffer '{}'", about, program.name, variable),
                   advice(variable, known));
      }
      if (!bound.insert(variable).second) {
        return bad(s.line, fmt::format("{}: '{}' is bound twice", about, variable));
      }
    }
    for (const Global& g : program.globals) {
      if (g.memory != MemoryKind::storage && g.memory != MemoryKind::uniform) continue;
      const std::string* name = given(s.bind, g.name);
      if (name == nullptr) {
        return bad(s.line, fmt::format("{}: nothing is bound to '{}'", about, g.name),
                   s.line != 0 ? fmt::format("add {} = \"...\" to bind", g.name) : "");
      }
      const auto buffer = buffers_.find(*name);
      if (buffer == buffers_.end()) {
        return bad(s.line, fmt::format("{}: there is no buffer or uniform '{}'", about, *name),
                   advice(*name, names_of(out_.buffers)));
      }
      const std::size_t index = buffer->second;
      VYRE_CHECK(check_binding(s, program, g, out_.buffers[index]));
      for (const StageBinding& other : out.bindings) {
        if (other.buffer != index) continue;
        const auto& first = *std::ranges::find_if(program.globals, [&](const Global& one) {
          return one.group == other.group && one.binding == other.binding;
        });
        if (is_written(g) || is_written(first)) {
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
      return fill_uniform(pipeline_, out_, s, program, g, buffer);
    }
    const bool fits =
        buffer.bytes >= layout.least_bytes() &&
        (!layout.runtime_sized || (buffer.bytes - layout.header_bytes) % layout.stride == 0);
    if (!fits) {
      return bad(s.line,
                 fmt::format("{} is {}, and the {} bytes of '{}' ({}) do not divide into it", about,
                             program.types.spell(g.type), buffer.bytes, buffer.name, buffer.type));
    }
    const auto other = first_difference(program.types, g.type, buffer.program->types,
                                        buffer.layout.type, buffer.bytes);
    if (other) {
      return bad(s.line,
                 fmt::format("{} is {}, and '{}' is {}: byte {} is of {} here and of {} there",
                             about, program.types.spell(g.type), buffer.name, buffer.type,
                             other->offset, to_string(other->first), to_string(other->second)),
                 "give both the same type");
    }
    return {};
  }

  // ---- Every buffer that is read is written, and every output is made

  Result<void> check_uses() const {
    std::vector<bool> filled(out_.buffers.size());
    for (std::size_t b = 0; b < filled.size(); ++b) filled[b] = !out_.buffers[b].starts_empty();
    std::vector<bool> used(filled.size());
    for (std::size_t s = 0; s < out_.stages.size(); ++s) {
      const ReadyStage& stage = out_.stages[s];
      const std::uint32_t line = pipeline_.stages[s].line;
      if (stage.loop && out_.loops[*stage.loop].first_stage == s) {
        VYRE_CHECK(fill_by_loop(*stage.loop, filled));
      }
      if (stage.grid && !filled[stage.grid->buffer])
        return unfilled(line, stage, stage.grid->buffer);
      for (const StageBinding& b : stage.bindings) {
        used[b.buffer] = true;
        if (stage.writes(b.buffer)) filled[b.buffer] = true;
        if (!filled[b.buffer]) return unfilled(line, stage, b.buffer);
      }
    }
    for (std::size_t b = 0; b < pipeline_.buffers.size(); ++b) {
      if (out_.buffers[b].seen_outside() && !filled[b]) {
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
  std::unexpected<Error> unfilled(std::uint32_t line, const ReadyStage& stage,
                                  std::size_t buffer) const {
    return bad(line, fmt::format("stage '{}' reads '{}', which neither a source nor an earlier "
                                 "stage fills",
                                 stage.name, out_.buffers[buffer].name));
  }
  // A round may read what the round before wrote.
  Result<void> fill_by_loop(std::size_t index, std::vector<bool>& filled) const {
    const ReadyLoop& loop = out_.loops[index];
    for (std::size_t s = loop.first_stage; s < loop.first_stage + loop.stage_count; ++s) {
      for (const StageBinding& b : out_.stages[s].bindings) {
        if (out_.stages[s].writes(b.buffer)) filled[b.buffer] = true;
      }
    }
    for (const std::size_t b : loop.clear) filled[b] = true;
    for (const SwapGroup& group : out_.swap_groups) {
      const auto is_filled = [&](std::size_t b) { return filled[b]; };
      if (std::ranges::none_of(group.members, is_filled)) continue;
      for (const auto& [a, b] : loop.swap) {
        if (group.position(a) != group.members.size()) filled[a] = filled[b] = true;
      }
    }
    if (!loop.until || filled[loop.until->buffer]) return {};
    return bad(pipeline_.loops[index].line,
               fmt::format("loop '{}' looks at '{}', which no stage writes", loop.name,
                           out_.buffers[loop.until->buffer].name));
  }

  const ReadyOptions& options_;
  std::map<std::string, ParsedModule> modules_;
  std::vector<Kernel> kernels_;  // by stage
  std::map<std::string, std::size_t> buffers_;
  std::set<std::string> stage_names_;
};

}  // namespace

bool ReadyStage::writes(std::size_t buffer) const {
  return std::ranges::any_of(bindings, [&](const StageBinding& b) {
    return b.buffer == buffer && std::ranges::any_of(kernel.program->globals, [&](const Global& g) {
             return is_written(g) && g.group == b.group && g.binding == b.binding;
           });
  });
}

bool ReadyLoop::clears(std::size_t buffer) const {
  return std::ranges::find(clear, buffer) != clear.end();
}

const SwapGroup* ReadyPipeline::swap_group(std::size_t buffer) const {
  const auto at = std::ranges::find_if(swap_groups, [&](const SwapGroup& group) {
    return group.position(buffer) != group.members.size();
  });
  return at == swap_groups.end() ? nullptr : &*at;
}

std::optional<std::size_t> ReadyPipeline::find(std::string_view buffer) const {
  const auto at = std::ranges::find(buffers, buffer, &ReadyBuffer::name);
  if (at == buffers.end()) return std::nullopt;
  return static_cast<std::size_t>(at - buffers.begin());
}

Result<ReadyPipeline> make_ready(const Pipeline& pipeline, const ReadyOptions& options) {
  ReadyPipeline out;
  VYRE_CHECK(Maker(pipeline, options, out).run());
  return out;
}

}  // namespace vyre
