/* Two kernels as one piece of work: prepared once, run again and again. */
#include <stdio.h>
#include <vyre/c.h>

static const char* const kText =
    "@group(0) @binding(0) var<storage, read> src: array<f32>;\n"
    "@group(0) @binding(1) var<storage, read_write> dst: array<f32>;\n"
    "@group(0) @binding(2) var<uniform> by: f32;\n"
    "\n"
    "@compute @workgroup_size(64)\n"
    "fn scale(@builtin(global_invocation_id) id: vec3<u32>) {\n"
    "  if (id.x < arrayLength(&dst)) { dst[id.x] = src[id.x] * by; }\n"
    "}\n"
    "\n"
    "@compute @workgroup_size(64)\n"
    "fn increase(@builtin(global_invocation_id) id: vec3<u32>) {\n"
    "  if (id.x < arrayLength(&dst)) { dst[id.x] = src[id.x] + by; }\n"
    "}\n";

static vyre_code add_buffer(vyre_pipeline pipeline, const char* name, uint32_t use) {
  const char* const shape[] = {"n"};
  const vyre_buffer_description buffer = {.struct_size = sizeof buffer,
                                          .use = use,
                                          .name = name,
                                          .type = "array<f32>",
                                          .shape = shape,
                                          .axes = 1};
  return vyre_pipeline_add_buffer(pipeline, &buffer);
}

static vyre_code add_stage(vyre_pipeline pipeline, vyre_module module, const char* entry,
                           const char* src, const char* dst, const char* by) {
  const vyre_name_pair bindings[] = {{"src", src}, {"dst", dst}, {"by", by}};
  vyre_kernel kernel = 0;
  vyre_code code = vyre_kernel_create(module, entry, NULL, 0, &kernel);
  if (code) return code;
  const vyre_stage_description stage = {.struct_size = sizeof stage,
                                        .unit = VYRE_INVOCATIONS,
                                        .kernel = kernel,
                                        .bindings = bindings,
                                        .binding_count = 3,
                                        .size = {"n", NULL, NULL}};
  code = vyre_pipeline_add_stage(pipeline, &stage);
  vyre_kernel_free(kernel);
  return code;
}

/* Handles that a failure leaves behind go with the session. */
static vyre_code run(vyre_session session, const float* x, float* y, uint64_t n) {
  const vyre_uniform_field two = {"value", NULL, 2}, one = {"value", NULL, 1};
  vyre_module module = 0;
  vyre_pipeline line = 0;
  vyre_buffer on_x = 0, on_y = 0;
  vyre_code code;
  if ((code = vyre_module_load(session, kText, VYRE_TO_THE_END, "pipeline.wgsl", &module)))
    return code;
  if ((code = vyre_pipeline_create(session, "line", &line))) return code;
  if ((code = vyre_pipeline_add_dim(line, "n", n))) return code;
  if ((code = add_buffer(line, "x", VYRE_INPUT))) return code;
  if ((code = add_buffer(line, "scaled", VYRE_TEMPORARY))) return code;
  if ((code = add_buffer(line, "y", VYRE_OUTPUT))) return code;
  if ((code = vyre_pipeline_add_uniform(line, "two", &two, 1))) return code;
  if ((code = vyre_pipeline_add_uniform(line, "one", &one, 1))) return code;
  if ((code = add_stage(line, module, "scale", "x", "scaled", "two"))) return code;
  if ((code = add_stage(line, module, "increase", "scaled", "y", "one"))) return code;
  if ((code = vyre_pipeline_prepare(line, NULL))) return code;

  if ((code = vyre_pipeline_buffer(line, "x", &on_x))) return code;
  if ((code = vyre_pipeline_buffer(line, "y", &on_y))) return code;
  if ((code = vyre_buffer_write(on_x, 0, x, n * sizeof *x))) return code;
  for (int i = 0; i < 3; ++i) {
    if ((code = vyre_pipeline_run(line, VYRE_NO_DEADLINE))) return code;
  }
  return vyre_buffer_read(on_y, 0, y, n * sizeof *y);
}

int main(void) {
  const float x[4] = {0, 1, 2, 3};
  float y[4] = {0, 0, 0, 0};
  vyre_session session = 0;
  vyre_code code = vyre_session_open("auto", NULL, &session);
  if (code == VYRE_OK) code = run(session, x, y, 4);
  vyre_session_close(session);
  if (code != VYRE_OK) {
    fprintf(stderr, "%s: %s\n", vyre_code_text(code), vyre_last_error_text());
    return 1;
  }
  printf("vyre %s: %g %g %g %g\n", vyre_version(), y[0], y[1], y[2], y[3]);
  return 0;
}
