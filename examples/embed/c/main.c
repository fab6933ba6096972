/* A WGSL kernel from C: one launch to the end, then a prepared one that runs again and again. */
#include <stdio.h>
#include <vyre/c.h>

static const char* const kSaxpy =
    "@group(0) @binding(0) var<uniform> a: f32;\n"
    "@group(0) @binding(1) var<storage, read> x: array<f32>;\n"
    "@group(0) @binding(2) var<storage, read_write> y: array<f32>;\n"
    "\n"
    "@compute @workgroup_size(64)\n"
    "fn saxpy(@builtin(global_invocation_id) id: vec3<u32>) {\n"
    "  if (id.x < arrayLength(&y)) {\n"
    "    y[id.x] = a * x[id.x] + y[id.x];\n"
    "  }\n"
    "}\n";

static vyre_code buffer_with(vyre_session session, const void* data, uint64_t bytes,
                             vyre_buffer* buffer) {
  const vyre_code code = vyre_buffer_create(session, bytes, buffer);
  return code != VYRE_OK ? code : vyre_buffer_write(*buffer, 0, data, bytes);
}

/* Handles that a failure leaves behind go with the session. */
static vyre_code saxpy_twice(vyre_session session, float a, const float* x, float* y, uint32_t n) {
  vyre_module module = 0;
  vyre_kernel kernel = 0;
  vyre_buffer buffers[3] = {0, 0, 0};
  vyre_dispatch dispatch = 0;
  vyre_code code;
  if ((code = vyre_module_load(session, kSaxpy, VYRE_TO_THE_END, "saxpy.wgsl", &module)))
    return code;
  if ((code = vyre_kernel_create(module, "saxpy", NULL, 0, &kernel))) return code;
  if ((code = buffer_with(session, &a, sizeof a, &buffers[0]))) return code;
  if ((code = buffer_with(session, x, n * sizeof *x, &buffers[1]))) return code;
  if ((code = buffer_with(session, y, n * sizeof *y, &buffers[2]))) return code;

  const vyre_binding bindings[] = {
      {0, 0, buffers[0], 0, VYRE_TO_THE_END},
      {0, 1, buffers[1], 0, VYRE_TO_THE_END},
      {0, 2, buffers[2], 0, VYRE_TO_THE_END},
  };
  const vyre_grid workgroups = {VYRE_WORKGROUPS, (n + 63) / 64, 1, 1};
  if ((code = vyre_run(kernel, bindings, 3, &workgroups, NULL, VYRE_NO_DEADLINE))) return code;

  const vyre_grid invocations = {VYRE_INVOCATIONS, n, 1, 1};
  const uint64_t one_second = 1000000000;
  code = vyre_dispatch_create(kernel, bindings, 3, &invocations, NULL, &dispatch);
  if (code) return code;
  if ((code = vyre_dispatch_run(dispatch, one_second))) return code;
  return vyre_buffer_read(buffers[2], 0, y, n * sizeof *y);
}

int main(void) {
  const float x[4] = {0, 1, 2, 3};
  float y[4] = {1, 1, 1, 1};
  vyre_session session = 0;
  vyre_code code = vyre_session_open("auto", NULL, &session);
  if (code == VYRE_OK) code = saxpy_twice(session, 1, x, y, 4);
  vyre_session_close(session);
  if (code != VYRE_OK) {
    fprintf(stderr, "%s: %s\n", vyre_code_text(code), vyre_last_error_text());
    return 1;
  }
  printf("vyre %s: %g %g %g %g\n", vyre_version(), y[0], y[1], y[2], y[3]);
  return 0;
}
