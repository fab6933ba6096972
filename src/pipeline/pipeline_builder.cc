#include "vyre/pipeline/pipeline_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "vyre/base/files/files.h"

namespace vyre {
namespace {

constexpr std::uint64_t kMostSource = std::uint64_t{16} << 20U;  // the most bytes of a WGSL file

std::vector<std::string> texts_of(const std::vector<Dim>& sizes) {
  std::vector<std::string> out;
  for (const Dim& size : sizes) out.push_back(size.text());
  return out;
}

}  // namespace

WgslEntry WgslEntry::with(std::string name, double value) const {
  WgslEntry out = *this;
  out.set_.push_back({std::move(name), value});
  return out;
}

Result<Kernel> WgslEntry::kernel() const { return module_->kernel(name_, set_); }

Result<WgslModule> make_wgsl(std::string text, std::string name) {
  auto parsed = std::make_shared<ParsedModule>(parse_wgsl(std::move(text), std::move(name)));
  if (!parsed->module) return fail(Code::invalid_input, parsed->message());
  return WgslModule(std::move(parsed));
}

Result<WgslModule> load_wgsl(const std::filesystem::path& file) {
  VYRE_TRY(std::string text, read_file(file, kMostSource));
  return make_wgsl(std::move(text), file.string());
}

StageSize StageSize::workgroups(std::initializer_list<Dim> groups) {
  StageSize out(groups);
  out.in_workgroups_ = true;
  return out;
}

StageSize StageSize::from(const BufferRef& buffer, std::uint64_t offset) {
  StageSize out{};
  out.from_ = {buffer.name, offset};
  return out;
}

UniformValue::UniformValue(std::initializer_list<UniformValue> scalars) {
  for (const UniformValue& one : scalars) {
    values_.insert(values_.end(), one.values_.begin(), one.values_.end());
  }
}

PipelineBuilder::StageRef& PipelineBuilder::StageRef::named(std::string name) {
  builder_->pipeline_.stages[index_].name = std::move(name);
  return *this;
}

PipelineBuilder::StageRef& PipelineBuilder::StageRef::after_host() {
  builder_->pipeline_.stages[index_].host = true;
  return *this;
}

PipelineBuilder::LoopRef& PipelineBuilder::LoopRef::until(std::string condition) {
  builder_->pipeline_.loops[index_].until = std::move(condition);
  return *this;
}

PipelineBuilder::LoopRef& PipelineBuilder::LoopRef::clear(const BufferRef& buffer) {
  builder_->pipeline_.loops[index_].clear.push_back(buffer.name);
  return *this;
}

PipelineBuilder::LoopRef& PipelineBuilder::LoopRef::swap(const BufferRef& a, const BufferRef& b) {
  builder_->pipeline_.loops[index_].swap.emplace_back(a.name, b.name);
  return *this;
}

PipelineBuilder::PipelineBuilder(std::string name) { pipeline_.name = std::move(name); }

Dim PipelineBuilder::dim(std::string name, std::optional<std::uint64_t> value) {
  PipelineDim& out = pipeline_.dims.emplace_back();
  out.name = name;
  out.value = value;
  return Dim(std::move(name));
}

BufferRef PipelineBuilder::buffer(PipelineBuffer buffer, const std::vector<Dim>& shape) {
  buffer.shape = texts_of(shape);
  pipeline_.buffers.push_back(std::move(buffer));
  return {pipeline_.buffers.back().name};
}

BufferRef PipelineBuilder::input(std::string name, std::string type, std::vector<Dim> shape) {
  PipelineBuffer out;
  out.name = std::move(name);
  out.type = std::move(type);
  out.given = true;
  return buffer(std::move(out), shape);
}

BufferRef PipelineBuilder::data(std::string name, std::string type, std::vector<Dim> shape,
                                std::string source) {
  PipelineBuffer out;
  out.name = std::move(name);
  out.type = std::move(type);
  out.source = std::move(source);
  return buffer(std::move(out), shape);
}

BufferRef PipelineBuilder::output(std::string name, std::string type, std::vector<Dim> shape) {
  PipelineBuffer out;
  out.name = std::move(name);
  out.type = std::move(type);
  out.wanted = true;
  return buffer(std::move(out), shape);
}

BufferRef PipelineBuilder::temporary(std::string name, std::string type, std::vector<Dim> shape) {
  PipelineBuffer out;
  out.name = std::move(name);
  out.type = std::move(type);
  return buffer(std::move(out), shape);
}

BufferRef PipelineBuilder::uniform(std::string name, std::vector<UniformField> fields) {
  PipelineUniform& out = pipeline_.uniforms.emplace_back();
  out.name = std::move(name);
  for (UniformField& field : fields) {
    out.fields.push_back(
        {.name = std::move(field.name), .values = std::move(field.value.values_), .line = 0});
  }
  return {out.name};
}

PipelineBuilder::StageRef PipelineBuilder::add(PipelineStage stage, std::vector<Bind> bind,
                                               StageSize size) {
  const std::string name = stage.entry;
  const auto is_taken = [&](const std::string& wanted) {
    return std::ranges::find(pipeline_.stages, wanted, &PipelineStage::name) !=
           pipeline_.stages.end();
  };
  stage.name = name;
  for (int n = 2; is_taken(stage.name); ++n) stage.name = fmt::format("{} {}", name, n);
  for (Bind& one : bind) {
    stage.bind.emplace_back(std::move(one.variable), std::move(one.buffer.name));
  }
  stage.size = texts_of(size.sizes_);
  stage.in_workgroups = size.in_workgroups_;
  stage.groups_from = std::move(size.from_);
  stage.loop = loop_;
  pipeline_.stages.push_back(std::move(stage));
  return {this, pipeline_.stages.size() - 1};
}

PipelineBuilder::StageRef PipelineBuilder::stage(const WgslEntry& entry, std::vector<Bind> bind,
                                                 StageSize size) {
  PipelineStage out;
  out.entry = entry.name_;
  out.module = entry.module_;
  out.set = entry.set_;
  return add(std::move(out), std::move(bind), std::move(size));
}

PipelineBuilder::StageRef PipelineBuilder::stage(const Kernel& kernel, std::vector<Bind> bind,
                                                 StageSize size) {
  PipelineStage out;
  out.entry = kernel.program->name;
  out.kernel = kernel;
  return add(std::move(out), std::move(bind), std::move(size));
}

PipelineBuilder::StageRef PipelineBuilder::stage(Program program, std::vector<Bind> bind,
                                                 StageSize size) {
  PipelineStage out;
  out.entry = program.name;
  auto kernel = make_kernel(std::move(program));
  if (kernel) {
    out.kernel = *std::move(kernel);
  } else if (!error_) {
    error_ = kernel.error();
    error_->what = fmt::format("pipeline '{}': stage '{}': {}", pipeline_.name, out.entry,
                               kernel.error().what);
  }
  return add(std::move(out), std::move(bind), std::move(size));
}

PipelineBuilder::LoopRef PipelineBuilder::loop(std::string name, Dim most,
                                               const std::function<void()>& add) {
  if (!loop_.empty() && !error_) {
    error_ = fail(Code::invalid_input,
                  fmt::format("pipeline '{}': the loop '{}' is inside the loop '{}'",
                              pipeline_.name, name, loop_))
                 .error();
  }
  PipelineLoop& out = pipeline_.loops.emplace_back();
  out.name = name;
  out.most = most.text();
  const std::size_t index = pipeline_.loops.size() - 1;
  loop_ = std::move(name);
  add();
  loop_.clear();
  return {this, index};
}

Result<Pipeline> PipelineBuilder::finish() && {
  if (error_) return std::unexpected(*std::move(error_));
  return std::move(pipeline_);
}

}  // namespace vyre
