/* Ways to use the library, for processes in which memory may run out at any point. Each function
 * says whether it was done; otherwise memory ran out. Anything else ends the process. */
#ifndef MEMORY_USES_H
#define MEMORY_USES_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { kFault = 3, kRuns = 200, kTunerCalls = 2000, kPipelineRuns = 20 };

static int is_done(vyre_code code, const char* call) {
  if (code == VYRE_OK) return 1;
  if (code == VYRE_OUT_OF_MEMORY) return 0;
  printf("%s gives %s: %s\n", call, vyre_code_text(code), vyre_last_error_text());
  fflush(stdout);
  _exit(kFault);
}
#define DONE(call) is_done(call, #call)

static const char* kernel_of(int branches) {
  static char text[8192];
  size_t end = (size_t)snprintf(
      text, sizeof text,
      "@group(0) @binding(0) var<storage, read_write> x: array<f32>;\n"
      "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
      "  var a = x[id.x];\n");
  for (int i = 0; i < branches; ++i) {
    end += (size_t)snprintf(text + end, sizeof text - end,
                            "  if (a > %d.0) { a = sin(a) * %d.5 + x[id.x + %du]; }\n", i, i, i);
  }
  snprintf(text + end, sizeof text - end, "  x[id.x] = a;\n}\n");
  return text;
}

/* One kernel, compiled and launched once; nothing on disk. */
static int compile_and_run(const char* device, const char* text) {
  const vyre_session_options options = {sizeof options, 2, NULL, 1, 0,
                                        VYRE_TUNER_OFF, 0, NULL, 0, 0};
  vyre_session session = 0;
  vyre_module module = 0;
  vyre_kernel kernel = 0;
  vyre_buffer buffer = 0;
  if (!DONE(vyre_session_open(device, &options, &session))) return 0;
  int done = DONE(vyre_module_load(session, text, VYRE_TO_THE_END, NULL, &module)) &&
             DONE(vyre_kernel_create(module, "main", NULL, 0, &kernel)) &&
             DONE(vyre_buffer_create(session, 4096, &buffer));
  if (done) {
    const vyre_binding binding = {0, 0, buffer, 0, VYRE_TO_THE_END};
    const vyre_grid grid = {VYRE_WORKGROUPS, 16, 1, 1};
    done = DONE(vyre_run(kernel, &binding, 1, &grid, NULL, VYRE_NO_DEADLINE));
  }
  const int closed = DONE(vyre_session_close(session));
  return done && closed;
}

/* With workgroup memory, so that each thread of the pool needs memory of its own. */
static const char* const kShared =
    "@group(0) @binding(0) var<storage, read_write> x: array<f32>;\n"
    "var<workgroup> seen: array<f32, 64>;\n"
    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>,\n"
    "    @builtin(local_invocation_index) i: u32) {\n"
    "  seen[i] = x[id.x];\n"
    "  workgroupBarrier();\n"
    "  x[id.x] = sin(seen[63u - i]) + 1.0;\n"
    "}\n";

/* Default options: the cache, tuning, and evidence in a file. A dispatch runs often, and every
 * other time with a deadline, which a thread watches over. */
static int run_often(const char* device, const char* text) {
  const uint64_t minutes = 600000000000U;
  vyre_session session = 0;
  vyre_module module = 0;
  vyre_kernel kernel = 0;
  vyre_buffer buffer = 0;
  vyre_dispatch dispatch = 0;
  if (!DONE(vyre_session_open(device, NULL, &session))) return 0;
  int done = DONE(vyre_module_load(session, text, VYRE_TO_THE_END, NULL, &module)) &&
             DONE(vyre_kernel_create(module, "main", NULL, 0, &kernel)) &&
             DONE(vyre_buffer_create(session, 1 << 20, &buffer));
  const vyre_binding binding = {0, 0, buffer, 0, VYRE_TO_THE_END};
  const vyre_grid grid = {VYRE_INVOCATIONS, 1 << 18, 1, 1};
  done = done && DONE(vyre_dispatch_create(kernel, &binding, 1, &grid, NULL, &dispatch));
  for (int i = 0; done && i < kRuns; ++i) {
    done = DONE(vyre_dispatch_run(dispatch, i % 2 == 0 ? VYRE_NO_DEADLINE : minutes));
  }
  const int closed = DONE(vyre_session_close(session));
  return done && closed;
}

static const char* const kStages =
    "@group(0) @binding(0) var<storage, read> a: array<f32>;\n"
    "@group(0) @binding(1) var<storage, read_write> b: array<f32>;\n"
    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {\n"
    "  if (id.x < arrayLength(&b)) { b[id.x] = a[id.x] * 2.0; }\n}\n";

static int add_buffer(vyre_pipeline pipeline, const char* name, uint32_t use) {
  const char* const shape[] = {"n"};
  const vyre_buffer_description buffer = {sizeof buffer, use, name, "array<f32>", shape, 1, NULL};
  return DONE(vyre_pipeline_add_buffer(pipeline, &buffer));
}

static int add_stage(vyre_pipeline pipeline, vyre_kernel kernel, const char* name, const char* from,
                     const char* to) {
  const vyre_name_pair bindings[] = {{"a", from}, {"b", to}};
  vyre_stage_description stage;
  memset(&stage, 0, sizeof stage);
  stage.struct_size = sizeof stage;
  stage.unit = VYRE_INVOCATIONS;
  stage.name = name;
  stage.kernel = kernel;
  stage.bindings = bindings;
  stage.binding_count = 2;
  stage.size[0] = "n";
  return DONE(vyre_pipeline_add_stage(pipeline, &stage));
}

/* Two stages over a buffer between them, in one launch or two. */
static int run_pipeline(const char* device, const char* text) {
  vyre_session session = 0;
  vyre_module module = 0;
  vyre_kernel kernel = 0;
  vyre_pipeline pipeline = 0;
  if (!DONE(vyre_session_open(device, NULL, &session))) return 0;
  int done = DONE(vyre_module_load(session, text, VYRE_TO_THE_END, NULL, &module)) &&
             DONE(vyre_kernel_create(module, "main", NULL, 0, &kernel)) &&
             DONE(vyre_pipeline_create(session, "pair", &pipeline)) &&
             DONE(vyre_pipeline_add_dim(pipeline, "n", 10000)) &&
             add_buffer(pipeline, "x", VYRE_INPUT) && add_buffer(pipeline, "t", VYRE_TEMPORARY) &&
             add_buffer(pipeline, "y", VYRE_OUTPUT) &&
             add_stage(pipeline, kernel, "first", "x", "t") &&
             add_stage(pipeline, kernel, "second", "t", "y") &&
             DONE(vyre_pipeline_prepare(pipeline, NULL));
  for (int i = 0; done && i < kPipelineRuns; ++i) {
    done = DONE(vyre_pipeline_run(pipeline, VYRE_NO_DEADLINE));
  }
  const int closed = DONE(vyre_session_close(session));
  return done && closed;
}

/* The tuner for kernels of others, with the user's own evidence file. */
static int tune(const char* device, const char* text) {
  static const char* const candidates[] = {"a=1", "a=2", "a=3", "a=4"};
  vyre_tuner_key key;
  vyre_tuner_call call;
  vyre_tuner tuner = 0;
  (void)device;
  memset(&key, 0, sizeof key);
  memset(&call, 0, sizeof call);
  key.struct_size = sizeof key;
  call.struct_size = sizeof call;
  key.name = text;
  if (!DONE(vyre_tuner_open(NULL, &key, candidates, 4, NULL, &tuner))) return 0;
  int done = 1;
  for (int i = 0; i < kTunerCalls; ++i) {
    const int told = DONE(vyre_tuner_next(tuner, &call));
    done = done && told;
    if (!told || !call.timed) continue;
    done = DONE(vyre_tuner_report(tuner, &call, 1e5 * (1 + call.candidate))) && done;
  }
  const int closed = DONE(vyre_tuner_close(tuner));
  return done && closed;
}

#endif
