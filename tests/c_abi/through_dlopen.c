/* The library opened at run time, in a process that may have another LLVM in it.
 *
 *   through_dlopen LIBVYRE [OTHER_LIBRARY...] */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <vyre/c.h>

static const char* const kText =
    "@group(0) @binding(0) var<storage, read_write> x: array<f32>;\n"
    "@compute @workgroup_size(8)\n"
    "fn root(@builtin(global_invocation_id) id: vec3<u32>) {\n"
    "  if (id.x < arrayLength(&x)) { x[id.x] = sqrt(x[id.x]); }\n"
    "}\n";

/* A function of the header under its own type. */
#define FUNCTION(name)                           \
  union {                                        \
    void* object;                                \
    __typeof__(&name) call;                      \
  } name##_;                                     \
  name##_.object = dlsym(library, #name);        \
  if (name##_.object == NULL) {                  \
    printf("%s is not in the library\n", #name); \
    return 1;                                    \
  }

static int use(void* library) {
  FUNCTION(vyre_c_version)
  FUNCTION(vyre_session_open)
  FUNCTION(vyre_module_load)
  FUNCTION(vyre_kernel_create)
  FUNCTION(vyre_buffer_create)
  FUNCTION(vyre_buffer_write)
  FUNCTION(vyre_buffer_read)
  FUNCTION(vyre_run)
  FUNCTION(vyre_last_error_text)
  FUNCTION(vyre_session_close)
  if (vyre_c_version_.call() != VYRE_C_VERSION) return 1;
  /* Compiled here, not found on disk. */
  vyre_session_options options = {0};
  options.struct_size = sizeof options;
  options.no_cache = 1;
  vyre_session session = 0, left_open = 0;
  vyre_module module = 0;
  vyre_kernel kernel = 0;
  vyre_buffer buffer = 0;
  float x[4] = {1, 4, 9, 16};
  const vyre_grid grid = {VYRE_INVOCATIONS, 4, 1, 1};
  vyre_code code = vyre_session_open_.call("cpu", &options, &session);
  if (!code) code = vyre_module_load_.call(session, kText, VYRE_TO_THE_END, NULL, &module);
  if (!code) code = vyre_kernel_create_.call(module, "root", NULL, 0, &kernel);
  if (!code) code = vyre_buffer_create_.call(session, sizeof x, &buffer);
  if (!code) code = vyre_buffer_write_.call(buffer, 0, x, sizeof x);
  const vyre_binding binding = {0, 0, buffer, 0, VYRE_TO_THE_END};
  if (!code) code = vyre_run_.call(kernel, &binding, 1, &grid, NULL, VYRE_NO_DEADLINE);
  if (!code) code = vyre_buffer_read_.call(buffer, 0, x, sizeof x);
  if (!code) code = vyre_session_close_.call(session);
  /* Its threads are still there when the library is closed. */
  if (!code) code = vyre_session_open_.call("cpu", &options, &left_open);
  if (code) {
    printf("%d: %s\n", (int)code, vyre_last_error_text_.call());
    return 1;
  }
  printf("%g %g %g %g\n", (double)x[0], (double)x[1], (double)x[2], (double)x[3]);
  return x[0] == 1 && x[1] == 2 && x[2] == 3 && x[3] == 4 ? 0 : 1;
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  for (int i = 2; i < argc; ++i) {
    if (dlopen(argv[i], RTLD_NOW | RTLD_GLOBAL) == NULL) {
      printf("%s\n", dlerror());
      return 1;
    }
  }
  for (int times = 0; times < 3; ++times) {
    void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
      printf("%s\n", dlerror());
      return 1;
    }
    if (use(library) != 0) return 1;
    if (dlclose(library) != 0) return 1;
  }
  return 0;
}
