#include <algorithm>
#include <filesystem>

#include "vyre/c/arguments_internal.h"
#include "vyre/c/objects_internal.h"
#include "vyre/c/stack_internal.h"
#include "vyre/pipeline/pipeline_file.h"

namespace vyre {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostNames = 65536;  // in one list
constexpr std::uint64_t kMostText = std::uint64_t{16} << 20U;

Outcome<> check_list(const void* list, std::uint64_t count, std::string_view name) {
  if (list == nullptr && count != 0) return null_pointer(name);
  if (count > kMostNames) {
    return failure(VYRE_LIMIT, fmt::format("{} {}; the most is {}", count, name, kMostNames));
  }
  return {};
}

// ---- A pipeline and its lock

Outcome<> publish_pipeline(const std::shared_ptr<SharedSession>& session, Pipeline pipeline,
                           ReadyOptions ready, vyre_pipeline* out) {
  auto state = std::make_unique<PipelineState>();
  state->pipeline = std::move(pipeline);
  state->options.ready = std::move(ready);
  state->options.ready.on_module = [warnings = state->warnings](const ParsedModule& module) {
    (*warnings)[std::string(module.source->name())] = module.message();
  };
  VYRE_TRY(*out, publish(PipelineObject{session, std::move(state)}));
  return {};
}

template <class Body>
vyre_code with_pipeline(vyre_pipeline id, const Body& body) {
  return guarded([&]() -> Outcome<> {
    VYRE_TRY(const auto pin, find<PipelineObject>(id));
    const std::scoped_lock lock(pin->state->mutex);
    return body(*pin, *pin->state);
  });
}
// One that can still grow.
template <class Body>
vyre_code with_growing(vyre_pipeline id, const Body& body) {
  return with_pipeline(id, [&](const PipelineObject& object, PipelineState& state) -> Outcome<> {
    if (state.prepared) {
      return failure(VYRE_INVALID_INPUT,
                     fmt::format("pipeline '{}' is prepared: nothing can be added to it",
                                 state.pipeline.name));
    }
    return body(object, state.pipeline);
  });
}
template <class Body>
vyre_code with_prepared(vyre_pipeline id, const Body& body) {
  return with_pipeline(id, [&](const PipelineObject& object, PipelineState& state) -> Outcome<> {
    if (!state.prepared) {
      return failure(VYRE_INVALID_INPUT,
                     fmt::format("pipeline '{}' is not prepared; call vyre_pipeline_prepare",
                                 state.pipeline.name));
    }
    return body(object, *state.prepared);
  });
}

// ---- Parts

Outcome<> load_pipeline(vyre_session id, const char* text, std::uint64_t length,
                        const char* file_name, const ParseOptions& how, vyre_pipeline* out) {
  VYRE_TRY(const auto session, find<SessionObject>(id));
  if (out == nullptr) return null_pointer("pipeline");
  if (text == nullptr && length != 0) return null_pointer("text");
  if (length == VYRE_TO_THE_END) length = std::strlen(text);
  if (length > kMostText) {
    return failure(VYRE_LIMIT,
                   fmt::format("the text has {} bytes; the most is {}", length, kMostText));
  }
  const fs::path file = file_name == nullptr ? "pipeline.toml" : file_name;
  VYRE_TRY(Pipeline pipeline,
           parse_pipeline(length == 0 ? std::string_view() : std::string_view(text, length),
                          file.string()));
  for (PipelineBuffer& buffer : pipeline.buffers) {
    // Sinks are for `vyre run`; here the caller reads the buffers.
    buffer.wanted = buffer.wanted || !buffer.sink.empty();
    buffer.sink.clear();
  }
  ReadyOptions ready;
  ready.parse = how;
  ready.place = [folder = file.parent_path()](const std::string& name) {
    return (folder / name).string();
  };
  return publish_pipeline(session->session, std::move(pipeline), std::move(ready), out);
}

Outcome<> add_dim(Pipeline& pipeline, const char* name, std::uint64_t value) {
  if (name == nullptr) return null_pointer("name");
  PipelineDim& out = pipeline.dims.emplace_back();
  out.name = name;
  if (value != 0) out.value = value;
  return {};
}

Outcome<> add_buffer(Pipeline& pipeline, const vyre_buffer_description* given) {
  VYRE_CHECK(check_struct(given, "buffer"));
  if (given->name == nullptr) return null_pointer("buffer.name");
  if (given->type == nullptr) return null_pointer("buffer.type");
  VYRE_CHECK(check_list(given->shape, given->axes, "buffer.shape"));
  if (given->use > VYRE_OUTPUT) {
    return failure(VYRE_INVALID_INPUT,
                   fmt::format("buffer.use is {}, which is no use", given->use));
  }
  PipelineBuffer out;
  out.name = given->name;
  out.type = given->type;
  out.given = given->use == VYRE_INPUT;
  out.wanted = given->use == VYRE_OUTPUT;
  if (given->source != nullptr) out.source = given->source;
  for (std::uint64_t i = 0; i < given->axes; ++i) {
    if (given->shape[i] == nullptr) return null_pointer("a size of buffer.shape");
    out.shape.emplace_back(given->shape[i]);
  }
  pipeline.buffers.push_back(std::move(out));
  return {};
}

Outcome<> add_uniform(Pipeline& pipeline, const char* name, const vyre_uniform_field* fields,
                      std::uint64_t count) {
  if (name == nullptr) return null_pointer("name");
  VYRE_CHECK(check_list(fields, count, "fields"));
  PipelineUniform out;
  out.name = name;
  for (std::uint64_t i = 0; i < count; ++i) {
    const vyre_uniform_field& field = fields[i];
    if (field.name == nullptr) return null_pointer("the name of a field");
    if (out.fields.empty() || out.fields.back().name != field.name) {
      out.fields.push_back({.name = field.name, .values = {}, .line = 0});
    }
    PipelineUniform::Value& value = out.fields.back().values.emplace_back();
    if (field.size != nullptr) {
      value.expression = field.size;
    } else {
      value.number = field.value;
    }
  }
  pipeline.uniforms.push_back(std::move(out));
  return {};
}

Outcome<> take_pairs(const vyre_name_pair* given, std::uint64_t count, std::string_view name,
                     std::vector<std::pair<std::string, std::string>>& out) {
  VYRE_CHECK(check_list(given, count, name));
  for (std::uint64_t i = 0; i < count; ++i) {
    if (given[i].first == nullptr || given[i].second == nullptr) {
      return null_pointer(fmt::format("a name of {}", name));
    }
    out.emplace_back(given[i].first, given[i].second);
  }
  return {};
}

Outcome<> add_stage(const PipelineObject& object, Pipeline& pipeline,
                    const vyre_stage_description* given) {
  VYRE_CHECK(check_struct(given, "stage"));
  VYRE_TRY(const auto kernel, find<KernelObject>(given->kernel));
  if (kernel->session != object.session) {
    return failure(VYRE_WRONG_SESSION, "the kernel is of another session than the pipeline");
  }
  if (given->unit > VYRE_INVOCATIONS) {
    return failure(VYRE_INVALID_INPUT,
                   fmt::format("stage.unit is {}, which is no unit", given->unit));
  }
  if (given->reserved != 0) return failure(VYRE_INVALID_INPUT, "stage.reserved is not 0");
  PipelineStage out;
  out.kernel = kernel->kernel;
  out.name = given->name != nullptr ? given->name : kernel->kernel.program->name;
  out.in_workgroups = given->unit == VYRE_WORKGROUPS;
  VYRE_CHECK(take_pairs(given->bindings, given->binding_count, "stage.bindings", out.bind));
  if (given->groups_from != nullptr) {
    out.groups_from = {given->groups_from, given->groups_offset};
  } else {
    for (const char* size : given->size) out.size.emplace_back(size != nullptr ? size : "1");
  }
  if (given->loop != nullptr) out.loop = given->loop;
  out.host = given->after_host != 0;
  pipeline.stages.push_back(std::move(out));
  return {};
}

Outcome<> add_loop(Pipeline& pipeline, const vyre_loop_description* given) {
  VYRE_CHECK(check_struct(given, "loop"));
  if (given->name == nullptr) return null_pointer("loop.name");
  if (given->most == nullptr) return null_pointer("loop.most");
  if (given->reserved != 0) return failure(VYRE_INVALID_INPUT, "loop.reserved is not 0");
  VYRE_CHECK(check_list(given->clear, given->clear_count, "loop.clear"));
  PipelineLoop out;
  out.name = given->name;
  out.most = given->most;
  if (given->until != nullptr) out.until = given->until;
  for (std::uint64_t i = 0; i < given->clear_count; ++i) {
    if (given->clear[i] == nullptr) return null_pointer("a name of loop.clear");
    out.clear.emplace_back(given->clear[i]);
  }
  VYRE_CHECK(take_pairs(given->swap, given->swap_count, "loop.swap", out.swap));
  pipeline.loops.push_back(std::move(out));
  return {};
}

// ---- Preparing and running

Outcome<> prepare(const PipelineObject& object, PipelineState& state,
                  const vyre_pipeline_options* given) {
  PipelineOptions options = state.options;
  options.plan = {};
  if (given != nullptr) {
    VYRE_CHECK(check_struct(given, "options"));
    options.plan.fuse = given->no_fusion == 0;
    if (given->memory_budget != 0) options.plan.memory_budget = given->memory_budget;
  }
  return with_enough_stack([&]() -> Outcome<> {
    if (state.prepared) {
      VYRE_CHECK(state.prepared->prepare_again(options, object.session->compiling));
      return {};
    }
    VYRE_TRY(auto prepared,
             object.session->session.prepare(state.pipeline, options, object.session->compiling));
    state.prepared = std::move(prepared);
    return {};
  });
}

Outcome<> set_dim(PipelineState& state, const char* name, std::uint64_t value) {
  if (name == nullptr) return null_pointer("name");
  if (std::ranges::find(state.pipeline.dims, name, &PipelineDim::name) ==
      state.pipeline.dims.end()) {
    return failure(VYRE_INVALID_INPUT,
                   fmt::format("pipeline '{}' has no dim '{}'", state.pipeline.name, name));
  }
  auto& dims = state.options.ready.dims;
  std::erase_if(dims, [&](const auto& dim) { return dim.first == name; });
  dims.emplace_back(name, value);
  return {};
}

Outcome<> bind_buffer(const PipelineObject& object, PreparedPipeline& prepared, const char* name,
                      vyre_buffer id) {
  if (name == nullptr) return null_pointer("name");
  VYRE_TRY(const auto buffer, find<BufferObject>(id));
  if (buffer->session != object.session) {
    return failure(VYRE_WRONG_SESSION, "the buffer is of another session than the pipeline");
  }
  return with_enough_stack([&]() -> Outcome<> {
    VYRE_CHECK(prepared.bind(name, buffer->buffer));
    return {};
  });
}

}  // namespace
}  // namespace vyre

using namespace vyre;

vyre_code vyre_pipeline_load(vyre_session session, const char* text, uint64_t length,
                             const char* file_name, vyre_pipeline* pipeline) {
  return guarded([&] {
    return with_enough_stack(
        [&] { return load_pipeline(session, text, length, file_name, {}, pipeline); });
  });
}

vyre_code vyre_pipeline_load_lenient(vyre_session session, const char* text, uint64_t length,
                                     const char* file_name, vyre_pipeline* pipeline) {
  return guarded([&] {
    return with_enough_stack([&] {
      return load_pipeline(session, text, length, file_name, {.lenient = true}, pipeline);
    });
  });
}

vyre_code vyre_pipeline_warnings(vyre_pipeline pipeline, char* text, uint64_t capacity,
                                 uint64_t* length) {
  return with_pipeline(pipeline, [&](const PipelineObject&, const PipelineState& state) {
    std::string all;
    for (const auto& [file, warnings] : *state.warnings) all += warnings;
    return give_text(all, text, capacity, length);
  });
}

vyre_code vyre_pipeline_create(vyre_session session, const char* name, vyre_pipeline* pipeline) {
  return guarded([&]() -> Outcome<> {
    VYRE_TRY(const auto pin, find<SessionObject>(session));
    if (name == nullptr) return null_pointer("name");
    if (pipeline == nullptr) return null_pointer("pipeline");
    Pipeline made;
    made.name = name;
    return publish_pipeline(pin->session, std::move(made), {}, pipeline);
  });
}

vyre_code vyre_pipeline_free(vyre_pipeline pipeline) {
  return guarded([&] { return release<PipelineObject>(pipeline); });
}

vyre_code vyre_pipeline_add_dim(vyre_pipeline pipeline, const char* name, uint64_t value) {
  return with_growing(pipeline, [&](const PipelineObject&, Pipeline& growing) {
    return add_dim(growing, name, value);
  });
}

vyre_code vyre_pipeline_add_buffer(vyre_pipeline pipeline, const vyre_buffer_description* buffer) {
  return with_growing(pipeline, [&](const PipelineObject&, Pipeline& growing) {
    return add_buffer(growing, buffer);
  });
}

vyre_code vyre_pipeline_add_uniform(vyre_pipeline pipeline, const char* name,
                                    const vyre_uniform_field* fields, uint64_t field_count) {
  return with_growing(pipeline, [&](const PipelineObject&, Pipeline& growing) {
    return add_uniform(growing, name, fields, field_count);
  });
}

vyre_code vyre_pipeline_add_stage(vyre_pipeline pipeline, const vyre_stage_description* stage) {
  return with_growing(pipeline, [&](const PipelineObject& object, Pipeline& growing) {
    return add_stage(object, growing, stage);
  });
}

vyre_code vyre_pipeline_add_loop(vyre_pipeline pipeline, const vyre_loop_description* loop) {
  return with_growing(
      pipeline, [&](const PipelineObject&, Pipeline& growing) { return add_loop(growing, loop); });
}

vyre_code vyre_pipeline_prepare(vyre_pipeline pipeline, const vyre_pipeline_options* options) {
  return with_pipeline(pipeline, [&](const PipelineObject& object, PipelineState& state) {
    return prepare(object, state, options);
  });
}

vyre_code vyre_pipeline_set_dim(vyre_pipeline pipeline, const char* name, uint64_t value) {
  return with_pipeline(pipeline, [&](const PipelineObject&, PipelineState& state) {
    return set_dim(state, name, value);
  });
}

vyre_code vyre_pipeline_buffer(vyre_pipeline pipeline, const char* name, vyre_buffer* buffer) {
  return with_prepared(pipeline,
                       [&](const PipelineObject& object, PreparedPipeline& prepared) -> Outcome<> {
                         if (name == nullptr) return null_pointer("name");
                         if (buffer == nullptr) return null_pointer("buffer");
                         VYRE_TRY(Buffer found, prepared.buffer(name));
                         VYRE_TRY(*buffer, publish(BufferObject{object.session, std::move(found)}));
                         return {};
                       });
}

vyre_code vyre_pipeline_bind(vyre_pipeline pipeline, const char* name, vyre_buffer buffer) {
  return with_prepared(pipeline, [&](const PipelineObject& object, PreparedPipeline& prepared) {
    return bind_buffer(object, prepared, name, buffer);
  });
}

vyre_code vyre_pipeline_set_uniform(vyre_pipeline pipeline, const char* name, const void* contents,
                                    uint64_t bytes) {
  return with_prepared(pipeline,
                       [&](const PipelineObject& object, PreparedPipeline& prepared) -> Outcome<> {
                         if (name == nullptr) return null_pointer("name");
                         if (contents == nullptr) return null_pointer("contents");
                         return with_enough_stack([&]() -> Outcome<> {
                           VYRE_CHECK(prepared.set_uniform(
                               name, std::span(static_cast<const std::byte*>(contents), bytes)));
                           VYRE_CHECK(prepared.apply_uniforms(object.session->compiling));
                           return {};
                         });
                       });
}

vyre_code vyre_pipeline_run(vyre_pipeline pipeline, uint64_t deadline_ns) {
  return with_prepared(pipeline,
                       [&](const PipelineObject&, PreparedPipeline& prepared) -> Outcome<> {
                         VYRE_CHECK(prepared.run(limits_of(deadline_ns)));
                         return {};
                       });
}

vyre_code vyre_pipeline_submit(vyre_pipeline pipeline, uint64_t deadline_ns) {
  return with_prepared(pipeline,
                       [&](const PipelineObject&, PreparedPipeline& prepared) -> Outcome<> {
                         VYRE_CHECK(prepared.submit(limits_of(deadline_ns)));
                         return {};
                       });
}

vyre_code vyre_pipeline_time(vyre_pipeline pipeline, uint32_t runs, double* ns) {
  return vyre_pipeline_time_within(pipeline, runs, VYRE_NO_DEADLINE, ns);
}

vyre_code vyre_pipeline_time_within(vyre_pipeline pipeline, uint32_t runs, uint64_t deadline_ns,
                                    double* ns) {
  return with_prepared(
      pipeline, [&](const PipelineObject&, PreparedPipeline& prepared) -> Outcome<> {
        if (ns == nullptr) return null_pointer("ns");
        VYRE_TRY(const std::chrono::nanoseconds mean, prepared.time(runs, limits_of(deadline_ns)));
        *ns = static_cast<double>(mean.count());
        return {};
      });
}

vyre_code vyre_pipeline_plan_text(vyre_pipeline pipeline, char* text, uint64_t capacity,
                                  uint64_t* length) {
  return with_prepared(pipeline, [&](const PipelineObject&, PreparedPipeline& prepared) {
    return give_text(prepared.plan(), text, capacity, length);
  });
}

vyre_code vyre_pipeline_plan_json(vyre_pipeline pipeline, char* text, uint64_t capacity,
                                  uint64_t* length) {
  return with_prepared(pipeline, [&](const PipelineObject&, PreparedPipeline& prepared) {
    return give_text(prepared.json(), text, capacity, length);
  });
}
