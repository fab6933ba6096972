/* Pipelines from C: built part by part and loaded from a text, run, resized, bound and timed; loops
 * and grids in buffers; and what is refused. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static const char* const kText =
    "struct Scale { gain: f32, width: u32 }\n"
    "@group(0) @binding(0) var<storage, read> a: array<f32>;\n"
    "@group(0) @binding(1) var<storage, read_write> b: array<f32>;\n"
    "@group(0) @binding(2) var<uniform> scale: Scale;\n"
    "@group(0) @binding(3) var<storage, read_write> moved: atomic<u32>;\n"
    "@group(0) @binding(4) var<storage, read_write> groups: array<u32>;\n"
    "@compute @workgroup_size(64) fn scaled(@builtin(global_invocation_id) id: vec3u) {\n"
    "  if (id.x < scale.width) { b[id.x] = a[id.x] * scale.gain; }\n}\n"
    "@compute @workgroup_size(64) fn add(@builtin(global_invocation_id) id: vec3u) {\n"
    "  b[id.x] += a[id.x];\n}\n"
    "@compute @workgroup_size(64) fn half(@builtin(global_invocation_id) id: vec3u) {\n"
    "  let next = floor(a[id.x] / 2);\n  b[id.x] = next;\n"
    "  if (next != a[id.x]) { atomicAdd(&moved, 1u); }\n}\n"
    "@compute @workgroup_size(1) fn choose() {\n"
    "  groups[0] = u32(a[0]); groups[1] = 1; groups[2] = 1;\n}\n"
    "@compute @workgroup_size(4) fn mark(@builtin(global_invocation_id) id: vec3u) {\n"
    "  b[id.x] = 1;\n}\n";

struct world {
  vyre_session session;
  vyre_module module;
};

static vyre_kernel kernel_of(const struct world* w, const char* entry) {
  vyre_kernel kernel = 0;
  CHECK_OK(vyre_kernel_create(w->module, entry, NULL, 0, &kernel));
  return kernel;
}

static void add_buffer(vyre_pipeline pipeline, const char* name, const char* type, uint32_t use,
                       const char* size) {
  const vyre_buffer_description buffer = {sizeof buffer, use,          name, type,
                                          &size,         size != NULL, NULL};
  CHECK_OK(vyre_pipeline_add_buffer(pipeline, &buffer));
}

static void add_stage(const struct world* w, vyre_pipeline pipeline, const char* entry,
                      const char* size, const char* loop, const vyre_name_pair* bindings,
                      uint64_t count) {
  vyre_stage_description stage = {0};
  stage.struct_size = sizeof stage;
  stage.unit = VYRE_INVOCATIONS;
  stage.kernel = kernel_of(w, entry);
  stage.bindings = bindings;
  stage.binding_count = count;
  stage.size[0] = size;
  stage.loop = loop;
  CHECK_OK(vyre_pipeline_add_stage(pipeline, &stage));
  CHECK_OK(vyre_kernel_free(stage.kernel)); /* the pipeline keeps what it needs */
}

/* x * gain -> t, t + y -> y */
static vyre_pipeline make_pair(const struct world* w) {
  vyre_pipeline pipeline = 0;
  CHECK_OK(vyre_pipeline_create(w->session, "pair", &pipeline));
  CHECK_OK(vyre_pipeline_add_dim(pipeline, "n", 100));
  add_buffer(pipeline, "x", "array<f32>", VYRE_INPUT, "n");
  add_buffer(pipeline, "t", "array<f32>", VYRE_TEMPORARY, "n");
  add_buffer(pipeline, "y", "array<f32>", VYRE_OUTPUT, "n");
  const vyre_uniform_field fields[] = {{"gain", NULL, 3}, {"width", "n", 0}};
  CHECK_OK(vyre_pipeline_add_uniform(pipeline, "scale", fields, 2));
  const vyre_name_pair first[] = {{"a", "x"}, {"b", "t"}, {"scale", "scale"}};
  const vyre_name_pair second[] = {{"a", "t"}, {"b", "y"}};
  add_stage(w, pipeline, "scaled", "n", NULL, first, 3);
  add_stage(w, pipeline, "add", "n", NULL, second, 2);
  return pipeline;
}

static void fill(vyre_pipeline pipeline, const char* name, uint32_t n) {
  float values[1000];
  vyre_buffer buffer = 0;
  for (uint32_t i = 0; i < n; ++i) values[i] = (float)i;
  CHECK_OK(vyre_pipeline_buffer(pipeline, name, &buffer));
  CHECK_OK(vyre_buffer_write(buffer, 0, values, 4 * n));
  CHECK_OK(vyre_buffer_free(buffer));
}

static float element(vyre_pipeline pipeline, const char* name, uint32_t index) {
  float value = -1;
  vyre_buffer buffer = 0;
  CHECK_OK(vyre_pipeline_buffer(pipeline, name, &buffer));
  CHECK_OK(vyre_buffer_read(buffer, 4 * index, &value, 4));
  CHECK_OK(vyre_buffer_free(buffer));
  return value;
}

static void runs_again_and_again(const struct world* w) {
  char text[8192];
  uint64_t length = 0;
  double ns = -1;
  vyre_pipeline pipeline = make_pair(w);
  CHECK_CODE(vyre_pipeline_run(pipeline, VYRE_NO_DEADLINE), VYRE_INVALID_INPUT);
  CHECK(strstr(vyre_last_error_text(), "not prepared") != NULL);
  CHECK_OK(vyre_pipeline_prepare(pipeline, NULL));
  CHECK_CODE(vyre_pipeline_add_dim(pipeline, "late", 1), VYRE_INVALID_INPUT);
  fill(pipeline, "x", 100);
  for (int i = 0; i < 3; ++i) {
    CHECK_OK(vyre_pipeline_run(pipeline, VYRE_NO_DEADLINE));
    CHECK(element(pipeline, "y", 99) == 297);
  }
  CHECK_OK(vyre_pipeline_submit(pipeline, VYRE_NO_DEADLINE));
  CHECK_OK(vyre_session_wait(w->session));
  CHECK_OK(vyre_pipeline_time(pipeline, 3, &ns));
  CHECK(ns >= 0);
  CHECK_OK(vyre_pipeline_time_within(pipeline, 3, 60000000000u, &ns));
  CHECK_CODE(vyre_pipeline_time_within(pipeline, 2000000000, 20000000, &ns), VYRE_DEVICE);
  CHECK_OK(vyre_pipeline_plan_text(pipeline, text, sizeof text, &length));
  CHECK(length < sizeof text && strstr(text, "pair: 2 stages in 1 launch") != NULL);
  CHECK_OK(vyre_pipeline_plan_json(pipeline, text, sizeof text, &length));
  CHECK(length < sizeof text && strstr(text, "\"pipeline\": \"pair\"") != NULL);

  /* Other contents of a uniform: inputs keep theirs. */
  struct {
    float gain;
    uint32_t width;
  } scale = {5, 100};
  CHECK_OK(vyre_pipeline_set_uniform(pipeline, "scale", &scale, sizeof scale));
  CHECK_OK(vyre_pipeline_run(pipeline, VYRE_NO_DEADLINE));
  CHECK(element(pipeline, "y", 99) == 495);
  scale.width = 99;
  CHECK_OK(vyre_pipeline_set_uniform(pipeline, "scale", &scale, sizeof scale));
  CHECK_OK(vyre_pipeline_run(pipeline, VYRE_NO_DEADLINE));
  CHECK(element(pipeline, "y", 98) == 490);
  CHECK(element(pipeline, "y", 99) == 0);
  scale.gain = 3;
  scale.width = 100;
  CHECK_OK(vyre_pipeline_set_uniform(pipeline, "scale", &scale, sizeof scale));

  /* Without fusion: the same results, and x keeps its contents. */
  vyre_pipeline_options apart = {0};
  apart.struct_size = sizeof apart;
  apart.no_fusion = 1;
  CHECK_OK(vyre_pipeline_prepare(pipeline, &apart));
  CHECK_OK(vyre_pipeline_plan_text(pipeline, text, sizeof text, &length));
  CHECK(strstr(text, "pair: 2 stages in 2 launches") != NULL);
  CHECK_OK(vyre_pipeline_run(pipeline, VYRE_NO_DEADLINE));
  CHECK(element(pipeline, "y", 99) == 297);

  /* Of another size x begins with zeros; what cannot be prepared changes nothing. */
  CHECK_OK(vyre_pipeline_set_dim(pipeline, "n", 1000));
  CHECK_OK(vyre_pipeline_prepare(pipeline, NULL));
  CHECK_OK(vyre_pipeline_run(pipeline, VYRE_NO_DEADLINE));
  CHECK(element(pipeline, "y", 999) == 0);
  fill(pipeline, "x", 1000);
  apart.memory_budget = 7;
  CHECK_CODE(vyre_pipeline_prepare(pipeline, &apart), VYRE_LIMIT);
  CHECK_CODE(vyre_pipeline_set_dim(pipeline, "m", 3), VYRE_INVALID_INPUT);
  CHECK_OK(vyre_pipeline_run(pipeline, VYRE_NO_DEADLINE));
  CHECK(element(pipeline, "y", 999) == 2997);
  CHECK_OK(vyre_pipeline_free(pipeline));
}

static void uses_the_callers_buffer(const struct world* w) {
  float values[100] = {0};
  vyre_buffer own = 0, small = 0;
  vyre_pipeline pipeline = make_pair(w);
  CHECK_OK(vyre_pipeline_prepare(pipeline, NULL));
  CHECK_OK(vyre_buffer_create(w->session, 400, &own));
  CHECK_OK(vyre_buffer_create(w->session, 396, &small));
  values[7] = 5;
  CHECK_OK(vyre_buffer_write(own, 0, values, 400));
  CHECK_OK(vyre_pipeline_bind(pipeline, "x", own));
  CHECK_CODE(vyre_pipeline_bind(pipeline, "x", small), VYRE_INVALID_INPUT);
  CHECK_CODE(vyre_pipeline_bind(pipeline, "t", own), VYRE_INVALID_INPUT);
  CHECK_OK(vyre_buffer_free(own)); /* the pipeline keeps its memory */
  CHECK_OK(vyre_pipeline_run(pipeline, VYRE_NO_DEADLINE));
  CHECK(element(pipeline, "y", 7) == 15);
  CHECK(element(pipeline, "x", 7) == 5);
}

static void loops_end(const struct world* w) {
  vyre_pipeline pipeline = 0;
  CHECK_OK(vyre_pipeline_create(w->session, "loop", &pipeline));
  add_buffer(pipeline, "x", "array<f32>", VYRE_INPUT, "64");
  add_buffer(pipeline, "next", "array<f32>", VYRE_TEMPORARY, "64");
  add_buffer(pipeline, "moved", "atomic<u32>", VYRE_TEMPORARY, NULL);
  const vyre_name_pair bindings[] = {{"a", "x"}, {"b", "next"}, {"moved", "moved"}};
  add_stage(w, pipeline, "half", "64", "settle", bindings, 3);
  const char* const clear[] = {"moved"};
  const vyre_name_pair swap[] = {{"x", "next"}};
  const vyre_loop_description loop = {sizeof loop, 0, "settle", "100", "moved == 0",
                                      clear,       1, swap,     1};
  CHECK_OK(vyre_pipeline_add_loop(pipeline, &loop));
  CHECK_OK(vyre_pipeline_prepare(pipeline, NULL));
  fill(pipeline, "x", 64);
  CHECK_OK(vyre_pipeline_run(pipeline, 10000000000u));
  CHECK(element(pipeline, "x", 63) == 0);
  fill(pipeline, "x", 64);
  CHECK_CODE(vyre_pipeline_run(pipeline, 1), VYRE_DEVICE);
  CHECK_OK(vyre_pipeline_run(pipeline, VYRE_NO_DEADLINE));
}

static void grids_in_buffers(const struct world* w) {
  const uint32_t grids[8] = {9, 2, 1, 1, 0, 1, 1, UINT32_MAX};
  float out[16];
  vyre_buffer grid = 0, marks = 0;
  vyre_dispatch dispatch = 0;
  vyre_kernel kernel = kernel_of(w, "mark");
  CHECK_OK(vyre_buffer_create(w->session, sizeof grids, &grid));
  CHECK_OK(vyre_buffer_create(w->session, sizeof out, &marks));
  CHECK_OK(vyre_buffer_write(grid, 0, grids, sizeof grids));
  const vyre_binding binding = {0, 1, marks, 0, VYRE_TO_THE_END};
  vyre_indirect_grid where = {grid, 4};
  CHECK_OK(vyre_dispatch_create_indirect(kernel, &binding, 1, &where, NULL, &dispatch));
  char plan[4096];
  CHECK_OK(vyre_dispatch_plan_text(dispatch, plan, sizeof plan, NULL));
  CHECK(strstr(plan, "from a buffer") != NULL && strstr(plan, "extent") == NULL);
  CHECK_OK(vyre_dispatch_plan_json(dispatch, plan, sizeof plan, NULL));
  CHECK(strstr(plan, "\"grid_from_buffer\": true") != NULL);
  CHECK(strstr(plan, "\"extent\": null") != NULL);
  CHECK(strstr(plan, "\"decided_by\": \"declared\"") != NULL);
  CHECK_OK(vyre_dispatch_run(dispatch, VYRE_NO_DEADLINE));
  CHECK_OK(vyre_buffer_read(marks, 0, out, sizeof out));
  CHECK(out[7] == 1 && out[8] == 0);
  where.offset = 16; /* 0 x 1 x 1 */
  CHECK_OK(vyre_buffer_clear(marks));
  CHECK_OK(vyre_run_indirect(kernel, &binding, 1, &where, NULL, VYRE_NO_DEADLINE));
  CHECK_OK(vyre_buffer_read(marks, 0, out, sizeof out));
  CHECK(out[0] == 0);
  where.offset = 20; /* 1 x 1 x 2^32 - 1 */
  CHECK_CODE(vyre_run_indirect(kernel, &binding, 1, &where, NULL, VYRE_NO_DEADLINE), VYRE_LIMIT);
  CHECK_OK(vyre_buffer_read(marks, 0, out, sizeof out));
  CHECK(out[0] == 0);
  where.offset = 24; /* beyond the end */
  CHECK_CODE(vyre_run_indirect(kernel, &binding, 1, &where, NULL, VYRE_NO_DEADLINE),
             VYRE_INVALID_INPUT);
  where.offset = 2;
  CHECK_CODE(vyre_run_indirect(kernel, &binding, 1, &where, NULL, VYRE_NO_DEADLINE),
             VYRE_INVALID_INPUT);
}

/* Writes a file into the tests' own folder; `path` has the whole name afterwards. */
static void write_file(char* path, size_t capacity, const char* name, const char* text) {
  const char* const folder = getenv("XDG_CACHE_HOME");
  snprintf(path, capacity, "%s/%s", folder != NULL ? folder : "/tmp", name);
  FILE* out = fopen(path, "w");
  CHECK(out != NULL);
  if (out == NULL) return;
  fputs(text, out);
  fclose(out);
}

static void loads_a_text(const struct world* w) {
  const char* const text =
      "vyre = 1\nname = \"text\"\n[dims]\nn = 8\n[buffers]\n"
      "x = { type = \"array<f32>\", shape = [\"n\"], source = \"fill:iota\" }\n"
      "y = { type = \"array<f32>\", shape = [\"n\"], sink = \"y.npy\" }\n"
      "[[stage]]\nname = \"add\"\nfile = \"k.wgsl\"\nsize = [\"n\"]\n"
      "bind = { a = \"x\", b = \"y\" }\n";
  char file[4200];
  write_file(file, sizeof file, "k.wgsl", kText);
  write_file(file, sizeof file, "p.toml", text);
  vyre_pipeline pipeline = 0;
  CHECK_OK(vyre_pipeline_load(w->session, text, VYRE_TO_THE_END, file, &pipeline));
  CHECK_OK(vyre_pipeline_prepare(pipeline, NULL));
  CHECK_OK(vyre_pipeline_run(pipeline, VYRE_NO_DEADLINE));
  CHECK(element(pipeline, "y", 7) == 7);
  CHECK_OK(vyre_pipeline_free(pipeline));
  CHECK_CODE(vyre_pipeline_load(w->session, "vyre = 1\nx", VYRE_TO_THE_END, "p.toml", &pipeline),
             VYRE_INVALID_INPUT);
  CHECK(strstr(vyre_last_error_text(), "p.toml:2:") != NULL);
  CHECK_OK(vyre_pipeline_load(w->session, text, VYRE_TO_THE_END, "/nowhere/p.toml", &pipeline));
  CHECK_CODE(vyre_pipeline_prepare(pipeline, NULL), VYRE_IO);
}

static void loads_a_text_for_wgpu(const struct world* w) {
  const char* const text =
      "vyre = 1\nname = \"loose\"\n[buffers]\n"
      "b = { type = \"array<u32>\", shape = [8], sink = \"b.npy\" }\n"
      "[[stage]]\nname = \"mix\"\nfile = \"loose.wgsl\"\nsize = [8]\nbind = { b = \"b\" }\n";
  char file[4200];
  write_file(file, sizeof file, "loose.wgsl",
             "@group(0) @binding(0) var<storage, read_write> b: array<u32>;\n"
             "@compute @workgroup_size(8) fn mix(@builtin(global_invocation_id) i: vec3u) {\n"
             "  b[i.x] = i.x + 1 << 1u;\n}\n");
  write_file(file, sizeof file, "loose.toml", text);
  vyre_pipeline pipeline = 0;
  CHECK_OK(vyre_pipeline_load(w->session, text, VYRE_TO_THE_END, file, &pipeline));
  CHECK_CODE(vyre_pipeline_prepare(pipeline, NULL), VYRE_INVALID_INPUT);
  CHECK_OK(vyre_pipeline_free(pipeline));
  CHECK_OK(vyre_pipeline_load_lenient(w->session, text, VYRE_TO_THE_END, file, &pipeline));
  char warnings[1024];
  uint64_t length = 1;
  CHECK_OK(vyre_pipeline_warnings(pipeline, warnings, sizeof warnings, &length));
  CHECK(length == 0);
  for (int i = 0; i < 2; ++i) { /* prepared again, it says the same once */
    CHECK_OK(vyre_pipeline_prepare(pipeline, NULL));
    CHECK_OK(vyre_pipeline_warnings(pipeline, warnings, sizeof warnings, &length));
    const char* const first = strstr(warnings, "without parentheses");
    CHECK(first != NULL && strstr(first + 1, "without parentheses") == NULL);
  }
  CHECK_OK(vyre_pipeline_run(pipeline, VYRE_NO_DEADLINE));
  vyre_buffer b = 0;
  uint32_t last = 0;
  CHECK_OK(vyre_pipeline_buffer(pipeline, "b", &b));
  CHECK_OK(vyre_buffer_read(b, 28, &last, sizeof last));
  CHECK(last == 16);
  CHECK_OK(vyre_buffer_free(b));
  CHECK_OK(vyre_pipeline_free(pipeline));
}

static void options_of_both_versions(void) {
  vyre_session session = 0;
  vyre_session_options options = {0};
  options.struct_size = offsetof(vyre_session_options, tuning);
  options.tuning = 99; /* beyond that size: not looked at */
  CHECK_OK(vyre_session_open("cpu", &options, &session));
  CHECK_OK(vyre_session_close(session));
  options.struct_size = sizeof options;
  CHECK_CODE(vyre_session_open("cpu", &options, &session), VYRE_INVALID_INPUT);
  options.tuning = VYRE_TUNER_OFF;
  options.evidence_file = "relative.jsonl";
  CHECK_CODE(vyre_session_open("cpu", &options, &session), VYRE_INVALID_INPUT);
  options.evidence_file = "/tmp/vyre_evidence_of_a_test.jsonl";
  CHECK_OK(vyre_session_open("cpu", &options, &session));
  CHECK_OK(vyre_session_close(session));
  options.least_gain = 2; /* beyond the next size: not looked at */
  CHECK_CODE(vyre_session_open("cpu", &options, &session), VYRE_INVALID_INPUT);
  options.struct_size = offsetof(vyre_session_options, least_gain);
  CHECK_OK(vyre_session_open("cpu", &options, &session));
  CHECK_OK(vyre_session_close(session));
}

/* Nothing compiles within a nanosecond; a shorter struct has no such limit. */
static void compiling_has_a_limit(void) {
  struct world w = {0};
  vyre_session_options options = {0};
  options.no_cache = 1;
  options.compile_ns = 1;
  for (int limited = 0; limited < 2; ++limited) {
    const vyre_code expected = limited ? VYRE_DEVICE : VYRE_OK;
    options.struct_size =
        limited ? sizeof options : (uint32_t)offsetof(vyre_session_options, compile_ns);
    CHECK_OK(vyre_session_open("cpu", &options, &w.session));
    CHECK_OK(vyre_module_load(w.session, kText, VYRE_TO_THE_END, NULL, &w.module));
    CHECK_CODE(vyre_pipeline_prepare(make_pair(&w), NULL), expected);
    const vyre_kernel choose = kernel_of(&w, "choose");
    vyre_buffer buffer = 0;
    vyre_dispatch dispatch = 0;
    CHECK_OK(vyre_buffer_create(w.session, 64, &buffer));
    const vyre_binding bindings[] = {{0, 0, buffer, 0, 4}, {0, 4, buffer, 16, 48}};
    const vyre_grid one = {VYRE_WORKGROUPS, 1, 1, 1};
    const vyre_indirect_grid grid = {buffer, 0};
    CHECK_CODE(vyre_dispatch_create(choose, bindings, 2, &one, NULL, &dispatch), expected);
    CHECK_CODE(vyre_dispatch_create_indirect(choose, bindings, 2, &grid, NULL, &dispatch),
               expected);
    CHECK_OK(vyre_run(choose, bindings, 2, &one, NULL, VYRE_NO_DEADLINE));
    CHECK_OK(vyre_session_close(w.session));
  }
}

static void misuse(const struct world* w, uint64_t bad) {
  const vyre_code no = VYRE_INVALID_HANDLE;
  uint64_t out = 123, length = 0;
  double ns = 0;
  char text[4];
  vyre_buffer_description buffer = {sizeof buffer, 0, "x", "f32", NULL, 0, NULL};
  vyre_stage_description stage = {0};
  stage.struct_size = sizeof stage;
  vyre_loop_description loop = {sizeof loop, 0, "l", "1", NULL, NULL, 0, NULL, 0};
  CHECK_CODE(vyre_pipeline_add_dim(bad, "n", 1), no);
  CHECK_CODE(vyre_pipeline_add_buffer(bad, &buffer), no);
  CHECK_CODE(vyre_pipeline_add_uniform(bad, "u", NULL, 0), no);
  CHECK_CODE(vyre_pipeline_add_stage(bad, &stage), no);
  CHECK_CODE(vyre_pipeline_add_loop(bad, &loop), no);
  CHECK_CODE(vyre_pipeline_prepare(bad, NULL), no);
  CHECK_CODE(vyre_pipeline_set_dim(bad, "n", 1), no);
  CHECK_CODE(vyre_pipeline_buffer(bad, "x", &out), no);
  CHECK_CODE(vyre_pipeline_bind(bad, "x", bad), no);
  CHECK_CODE(vyre_pipeline_set_uniform(bad, "u", &ns, sizeof ns), no);
  CHECK_CODE(vyre_pipeline_run(bad, 0), no);
  CHECK_CODE(vyre_pipeline_submit(bad, 0), no);
  CHECK_CODE(vyre_pipeline_time(bad, 1, &ns), no);
  CHECK_CODE(vyre_pipeline_time_within(bad, 1, 0, &ns), no);
  CHECK_CODE(vyre_pipeline_plan_text(bad, text, sizeof text, &length), no);
  CHECK_CODE(vyre_pipeline_plan_json(bad, text, sizeof text, &length), no);
  CHECK_CODE(vyre_pipeline_warnings(bad, text, sizeof text, &length), no);
  CHECK_CODE(vyre_pipeline_free(bad), bad == 0 ? VYRE_OK : no);
  CHECK(out == 123);
  if (bad >> 60 != w->session >> 60) {
    CHECK_CODE(vyre_pipeline_create(bad, "p", &out), no);
    CHECK_CODE(vyre_pipeline_load(bad, "vyre = 1", VYRE_TO_THE_END, NULL, &out), no);
    CHECK_CODE(vyre_pipeline_load_lenient(bad, "vyre = 1", VYRE_TO_THE_END, NULL, &out), no);
  }
}

static void null_pointers(const struct world* w) {
  const vyre_code no = VYRE_NULL_POINTER;
  const char text[8] = {0};
  vyre_pipeline pipeline = 0;
  uint64_t out = 0;
  CHECK_CODE(vyre_pipeline_create(w->session, NULL, &pipeline), no);
  CHECK_CODE(vyre_pipeline_create(w->session, "p", NULL), no);
  CHECK_CODE(vyre_pipeline_load(w->session, NULL, 3, NULL, &pipeline), no);
  CHECK_CODE(vyre_pipeline_load(w->session, "vyre = 1", VYRE_TO_THE_END, NULL, NULL), no);
  CHECK_CODE(vyre_pipeline_load_lenient(w->session, "vyre = 1", VYRE_TO_THE_END, NULL, NULL), no);
  CHECK(pipeline == 0);
  CHECK_OK(vyre_pipeline_create(w->session, "p", &pipeline));
  CHECK_CODE(vyre_pipeline_add_dim(pipeline, NULL, 3), no);
  CHECK_CODE(vyre_pipeline_add_buffer(pipeline, NULL), no);
  vyre_buffer_description buffer = {sizeof buffer, 0, NULL, "f32", NULL, 0, NULL};
  CHECK_CODE(vyre_pipeline_add_buffer(pipeline, &buffer), no);
  buffer.name = "x";
  buffer.axes = 1;
  CHECK_CODE(vyre_pipeline_add_buffer(pipeline, &buffer), no);
  buffer.axes = UINT64_MAX;
  buffer.shape = &buffer.name;
  CHECK_CODE(vyre_pipeline_add_buffer(pipeline, &buffer), VYRE_LIMIT);
  buffer.axes = 0;
  buffer.use = 3;
  CHECK_CODE(vyre_pipeline_add_buffer(pipeline, &buffer), VYRE_INVALID_INPUT);
  buffer.struct_size = 4;
  CHECK_CODE(vyre_pipeline_add_buffer(pipeline, &buffer), VYRE_WRONG_SIZE);
  CHECK_CODE(vyre_pipeline_add_uniform(pipeline, NULL, NULL, 0), no);
  CHECK_CODE(vyre_pipeline_add_uniform(pipeline, "u", NULL, 1), no);
  CHECK_CODE(vyre_pipeline_add_stage(pipeline, NULL), no);
  vyre_stage_description stage = {0};
  CHECK_CODE(vyre_pipeline_add_stage(pipeline, &stage), VYRE_WRONG_SIZE);
  stage.struct_size = sizeof stage;
  CHECK_CODE(vyre_pipeline_add_stage(pipeline, &stage), VYRE_INVALID_HANDLE);
  stage.kernel = kernel_of(w, "mark");
  stage.binding_count = 1;
  CHECK_CODE(vyre_pipeline_add_stage(pipeline, &stage), no);
  stage.binding_count = 0;
  stage.unit = 2;
  CHECK_CODE(vyre_pipeline_add_stage(pipeline, &stage), VYRE_INVALID_INPUT);
  CHECK_CODE(vyre_pipeline_add_loop(pipeline, NULL), no);
  vyre_loop_description loop = {sizeof loop, 0, "l", NULL, NULL, NULL, 0, NULL, 0};
  CHECK_CODE(vyre_pipeline_add_loop(pipeline, &loop), no);
  loop.most = "1";
  loop.clear_count = 1;
  CHECK_CODE(vyre_pipeline_add_loop(pipeline, &loop), no);
  loop.struct_size = 0;
  CHECK_CODE(vyre_pipeline_add_loop(pipeline, &loop), VYRE_WRONG_SIZE);
  vyre_pipeline_options options = {0};
  CHECK_CODE(vyre_pipeline_prepare(pipeline, &options), VYRE_WRONG_SIZE);
  CHECK_CODE(vyre_pipeline_prepare(pipeline, NULL), VYRE_INVALID_INPUT); /* it has no stages */
  CHECK_CODE(vyre_pipeline_set_dim(pipeline, NULL, 1), no);
  CHECK_OK(vyre_pipeline_free(pipeline));
  pipeline = make_pair(w);
  CHECK_OK(vyre_pipeline_prepare(pipeline, NULL));
  CHECK_CODE(vyre_pipeline_buffer(pipeline, NULL, &out), no);
  CHECK_CODE(vyre_pipeline_buffer(pipeline, "x", NULL), no);
  CHECK_CODE(vyre_pipeline_buffer(pipeline, "t", &out), VYRE_INVALID_INPUT);
  CHECK_CODE(vyre_pipeline_bind(pipeline, NULL, out), no);
  CHECK_CODE(vyre_pipeline_set_uniform(pipeline, NULL, text, 8), no);
  CHECK_CODE(vyre_pipeline_set_uniform(pipeline, "scale", NULL, 8), no);
  CHECK_CODE(vyre_pipeline_set_uniform(pipeline, "scale", text, 7), VYRE_INVALID_INPUT);
  CHECK_CODE(vyre_pipeline_set_uniform(pipeline, "x", text, 8), VYRE_INVALID_INPUT);
  CHECK_CODE(vyre_pipeline_time(pipeline, 1, NULL), no);
  CHECK_CODE(vyre_pipeline_plan_text(pipeline, NULL, 4, NULL), no);
  CHECK_OK(vyre_pipeline_free(pipeline));
  CHECK_CODE(vyre_pipeline_run(pipeline, 0), VYRE_INVALID_HANDLE);
}

static void two_sessions(const struct world* w) {
  struct world other = {0};
  CHECK_OK(vyre_session_open("cpu", NULL, &other.session));
  CHECK_OK(vyre_module_load(other.session, kText, VYRE_TO_THE_END, NULL, &other.module));
  vyre_pipeline pipeline = 0;
  vyre_buffer buffer = 0;
  CHECK_OK(vyre_pipeline_create(w->session, "p", &pipeline));
  vyre_stage_description stage = {0};
  stage.struct_size = sizeof stage;
  stage.kernel = kernel_of(&other, "mark");
  CHECK_CODE(vyre_pipeline_add_stage(pipeline, &stage), VYRE_WRONG_SESSION);
  vyre_pipeline pair = make_pair(&other);
  CHECK_OK(vyre_pipeline_prepare(pair, NULL));
  CHECK_OK(vyre_buffer_create(w->session, 400, &buffer));
  CHECK_CODE(vyre_pipeline_bind(pair, "x", buffer), VYRE_WRONG_SESSION);
  CHECK_OK(vyre_session_close(other.session));
  CHECK_CODE(vyre_pipeline_run(pair, 0), VYRE_INVALID_HANDLE);
}

int main(void) {
  struct world w = {0};
  CHECK_OK(vyre_session_open("cpu", NULL, &w.session));
  CHECK_OK(vyre_module_load(w.session, kText, VYRE_TO_THE_END, "k.wgsl", &w.module));
  runs_again_and_again(&w);
  uses_the_callers_buffer(&w);
  loops_end(&w);
  grids_in_buffers(&w);
  loads_a_text(&w);
  loads_a_text_for_wgpu(&w);
  options_of_both_versions();
  compiling_has_a_limit();
  misuse(&w, 0);
  misuse(&w, 1);
  misuse(&w, UINT64_MAX);
  misuse(&w, w.session);
  misuse(&w, w.module);
  null_pointers(&w);
  two_sessions(&w);
  CHECK_OK(vyre_session_close(w.session));
  return checks_failed();
}
