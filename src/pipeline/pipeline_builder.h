// A pipeline written in C++:
//
//   PipelineBuilder p("edges");
//   const Dim w = p.dim("width"), h = p.dim("height");
//   VYRE_TRY(const WgslModule wgsl, load_wgsl("edges.wgsl"));
//   const auto image = p.input("photo", "array<vec4<f32>>", {h, w});
//   const auto grey = p.temporary("grey", "array<f32>", {h, w});
//   const auto edge = p.output("edges", "array<f32>", {h, w});
//   const auto view = p.uniform("view", {{"width", w}, {"height", h}});
//   p.stage(wgsl["grey"], {{"image", image}, {"out", grey}, {"view", view}}, {w, h});
//   p.stage(wgsl["sobel"], {{"src", grey}, {"dst", edge}, {"view", view}}, {w, h});
//
// Mistakes are found when the pipeline is prepared; the error names the stage and the buffer.
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/pipeline/pipeline.h"

namespace vyre {

// A size: a whole number, a dim of a pipeline, or an expression of them. Divisions are exact.
class Dim {
 public:
  template <std::integral T>
  Dim(T number) : text_(std::to_string(number)) {}  // NOLINT: a number is a size
  explicit Dim(std::string expression) : text_(std::move(expression)) {}

  const std::string& text() const { return text_; }

  friend Dim operator+(const Dim& a, const Dim& b) { return joined(a, '+', b); }
  friend Dim operator-(const Dim& a, const Dim& b) { return joined(a, '-', b); }
  friend Dim operator*(const Dim& a, const Dim& b) { return joined(a, '*', b); }
  friend Dim operator/(const Dim& a, const Dim& b) { return joined(a, '/', b); }
  friend Dim ceil(const Dim& a) { return Dim("ceil(" + a.text_ + ")"); }
  friend Dim floor(const Dim& a) { return Dim("floor(" + a.text_ + ")"); }
  friend Dim min(const Dim& a, const Dim& b) { return called("min", a, b); }
  friend Dim max(const Dim& a, const Dim& b) { return called("max", a, b); }

 private:
  static Dim joined(const Dim& a, char sign, const Dim& b) {
    return Dim("(" + a.text_ + " " + sign + " " + b.text_ + ")");
  }
  static Dim called(const char* name, const Dim& a, const Dim& b) {
    return Dim(std::string(name) + "(" + a.text_ + ", " + b.text_ + ")");
  }
  std::string text_;
};

// The value of a dim, when a pipeline is prepared or resized.
struct DimValue {
  Dim dim;
  std::uint64_t value = 0;
};

// A buffer or uniform of a pipeline, by its name.
struct BufferRef {
  std::string name;
  operator std::string_view() const { return name; }  // NOLINT: functions take either
};

// An entry point of a WGSL module, with values for its overrides.
class WgslEntry {
 public:
  WgslEntry(std::shared_ptr<const ParsedModule> module, std::string name)
      : module_(std::move(module)), name_(std::move(name)) {}
  WgslEntry with(std::string name, double value) const;
  Result<Kernel> kernel() const;

 private:
  friend class PipelineBuilder;
  std::shared_ptr<const ParsedModule> module_;
  std::string name_;
  std::vector<OverrideValue> set_;
};

class WgslModule {
 public:
  explicit WgslModule(std::shared_ptr<const ParsedModule> module) : module_(std::move(module)) {}
  // An unknown name is an error when the pipeline is prepared.
  WgslEntry operator[](std::string entry) const { return {module_, std::move(entry)}; }

 private:
  std::shared_ptr<const ParsedModule> module_;
};
// The error has all diagnostics.
Result<WgslModule> load_wgsl(const std::filesystem::path& file);
Result<WgslModule> make_wgsl(std::string text, std::string name = {});

// What a stage binds to a variable of its kernel.
struct Bind {
  std::string variable;
  BufferRef buffer;
};

// The size of a stage: invocations along x, y and z, workgroups, or a buffer that holds their
// number.
class StageSize {
 public:
  StageSize(std::initializer_list<Dim> invocations) : sizes_(invocations) {}
  explicit StageSize(std::vector<Dim> invocations) : sizes_(std::move(invocations)) {}
  static StageSize workgroups(std::initializer_list<Dim> groups);
  // The numbers of workgroups along x, y and z are three u32 in a buffer, read when the stage
  // begins.
  static StageSize from(const BufferRef& buffer, std::uint64_t offset = 0);

 private:
  friend class PipelineBuilder;
  std::vector<Dim> sizes_;
  bool in_workgroups_ = false;
  std::optional<PipelineStage::GroupsFrom> from_;
};

// The value of a field of a uniform: a number, a size, or a list of them for a vector.
class UniformValue {
 public:
  template <class T>
    requires std::is_arithmetic_v<T>
  UniformValue(T number) : values_{{.expression = {}, .number = double(number)}} {}    // NOLINT
  UniformValue(const Dim& dim) : values_{{.expression = dim.text(), .number = {}}} {}  // NOLINT
  UniformValue(std::initializer_list<UniformValue> scalars);

 private:
  friend class PipelineBuilder;
  std::vector<PipelineUniform::Value> values_;
};
struct UniformField {
  std::string name;
  UniformValue value;
};

class PipelineBuilder {
 public:
  // A stage that was just added.
  class StageRef {
   public:
    StageRef& named(std::string name);  // otherwise the stage has the name of its entry point
    StageRef& after_host();             // the host may read what earlier stages wrote

   private:
    friend class PipelineBuilder;
    StageRef(PipelineBuilder* builder, std::size_t index) : builder_(builder), index_(index) {}
    PipelineBuilder* builder_;
    std::size_t index_;
  };
  // A loop that was just added. Each round clears buffers, runs the stages, tests the condition,
  // and exchanges the names of buffers.
  class LoopRef {
   public:
    LoopRef& until(std::string condition);  // "moved == 0", "error[1] < 0.001"
    LoopRef& clear(const BufferRef& buffer);
    LoopRef& swap(const BufferRef& a, const BufferRef& b);

   private:
    friend class PipelineBuilder;
    LoopRef(PipelineBuilder* builder, std::size_t index) : builder_(builder), index_(index) {}
    PipelineBuilder* builder_;
    std::size_t index_;
  };

  explicit PipelineBuilder(std::string name);

  // A size that is given when the pipeline is prepared; with a default it may be left out.
  Dim dim(std::string name, std::optional<std::uint64_t> value = {});

  // `type` is spelled as in WGSL; `shape` has the slowest axis first, and is empty for one element.
  //
  // A buffer that the caller fills. It keeps its contents from run to run.
  BufferRef input(std::string name, std::string type, std::vector<Dim> shape = {});
  // A buffer that begins with data, spelled as `vyre run --in` takes them ("fill:random=1",
  // "x.npy"), and keeps its contents from run to run.
  BufferRef data(std::string name, std::string type, std::vector<Dim> shape, std::string source);
  // A buffer that the caller reads after a run. It holds zeros where the run has not written it.
  BufferRef output(std::string name, std::string type, std::vector<Dim> shape = {});
  // A buffer that only the stages use. It may never be in memory.
  BufferRef temporary(std::string name, std::string type, std::vector<Dim> shape = {});
  BufferRef uniform(std::string name, std::vector<UniformField> fields);

  StageRef stage(const WgslEntry& entry, std::vector<Bind> bind, StageSize size);
  StageRef stage(const Kernel& kernel, std::vector<Bind> bind, StageSize size);
  StageRef stage(Program program, std::vector<Bind> bind, StageSize size);

  // The stages that `add` adds run at most `most` times.
  LoopRef loop(std::string name, Dim most, const std::function<void()>& add);

  // The pipeline. Fails with the first error of a Program that was added as a stage.
  Result<Pipeline> finish() &&;

 private:
  BufferRef buffer(PipelineBuffer buffer, const std::vector<Dim>& shape);
  StageRef add(PipelineStage stage, std::vector<Bind> bind, StageSize size);

  Pipeline pipeline_;
  std::string loop_;  // around the stages that are added now
  std::optional<Error> error_;
};

}  // namespace vyre
