/* Everything one can do wrong gives an error code, changes nothing, and leaves the session working.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static const char* const kText =
    "override n: u32 = 4;\n"
    "@group(0) @binding(0) var<storage, read_write> x: array<u32>;\n"
    "@group(0) @binding(1) var<uniform> u: vec4<u32>;\n"
    "var<workgroup> w: array<u32, n>;\n"
    "@compute @workgroup_size(4) fn first() { x[0] += u.x; w[0] = 1; }\n"
    "@compute @workgroup_size(1) fn endless() { loop { x[1] += 1u; if (x[2] == 9) { break; } } }\n";

struct world {
  vyre_session session;
  vyre_module module;
  vyre_kernel kernel;
  vyre_buffer x, u;
  vyre_dispatch dispatch;
};

static const char* device = "cpu";
static int on_cpu = 1;

static const vyre_grid kOne = {VYRE_WORKGROUPS, 1, 1, 1};

static struct world make_world(void) {
  struct world w;
  CHECK_OK(vyre_session_open(device, NULL, &w.session));
  CHECK_OK(vyre_module_load(w.session, kText, VYRE_TO_THE_END, NULL, &w.module));
  CHECK_OK(vyre_kernel_create(w.module, "first", NULL, 0, &w.kernel));
  CHECK_OK(vyre_buffer_create(w.session, 64, &w.x));
  CHECK_OK(vyre_buffer_create(w.session, 16, &w.u));
  const uint32_t ones[4] = {1, 1, 1, 1};
  CHECK_OK(vyre_buffer_write(w.u, 0, ones, sizeof ones));
  const vyre_binding bindings[] = {{0, 0, w.x, 0, VYRE_TO_THE_END}, {0, 1, w.u, 0, 16}};
  CHECK_OK(vyre_dispatch_create(w.kernel, bindings, 2, &kOne, NULL, &w.dispatch));
  return w;
}

/* The kernel adds 4 to x[0] (four invocations race to add one, so it grows at least by one). */
static void still_works(const struct world* w) {
  uint32_t before = 0, after = 0;
  CHECK_OK(vyre_buffer_read(w->x, 0, &before, 4));
  CHECK_OK(vyre_dispatch_run(w->dispatch, VYRE_NO_DEADLINE));
  CHECK_OK(vyre_buffer_read(w->x, 0, &after, 4));
  CHECK(after > before);
}

/* Every function that takes a handle, with a handle that is none of its kind. */
static void with_bad_handle(const struct world* w, uint64_t bad) {
  const vyre_code no = VYRE_INVALID_HANDLE;
  uint32_t count = 0, size[3];
  uint64_t length = 0, out = 123;
  char text[16];
  vyre_limits limits = {0};
  limits.struct_size = sizeof limits;
  vyre_binding_info info = {0};
  info.struct_size = sizeof info;
  vyre_variant variant = {0};
  variant.struct_size = sizeof variant;
  const vyre_binding binding = {0, 0, bad, 0, VYRE_TO_THE_END};
  const vyre_binding bindings[] = {{0, 0, w->x, 0, 64}, {0, 1, bad, 0, 16}};

  if (bad >> 60 != w->session >> 60) {
    CHECK_CODE(vyre_session_limits(bad, &limits), no);
    CHECK_CODE(vyre_session_wait(bad), no);
    CHECK_CODE(vyre_module_load(bad, kText, VYRE_TO_THE_END, NULL, &out), no);
    CHECK_CODE(vyre_buffer_create(bad, 4, &out), no);
    CHECK_CODE(vyre_buffer_adopt(bad, text, sizeof text, &out), no);
    CHECK_CODE(vyre_buffer_adopt_address(bad, 4096, 16, &out), no);
    CHECK_CODE(vyre_dispatch_create_gpu(bad, NULL, NULL, 0, &kOne, &out), no);
    CHECK_CODE(vyre_session_close(bad), bad == 0 ? VYRE_OK : no);
  }
  if (bad >> 60 != w->module >> 60) {
    CHECK_CODE(vyre_module_warnings(bad, text, sizeof text, &length), no);
    CHECK_CODE(vyre_module_entry_count(bad, &count), no);
    CHECK_CODE(vyre_module_entry_name(bad, 0, text, sizeof text, &length), no);
    CHECK_CODE(vyre_kernel_create(bad, "first", NULL, 0, &out), no);
    CHECK_CODE(vyre_module_free(bad), bad == 0 ? VYRE_OK : no);
  }
  if (bad >> 60 != w->kernel >> 60) {
    CHECK_CODE(vyre_kernel_workgroup_size(bad, size), no);
    CHECK_CODE(vyre_kernel_binding_count(bad, &count), no);
    CHECK_CODE(vyre_kernel_binding(bad, 0, &info), no);
    CHECK_CODE(vyre_dispatch_create(bad, &binding, 1, &kOne, NULL, &out), no);
    CHECK_CODE(vyre_run(bad, &binding, 1, &kOne, NULL, VYRE_NO_DEADLINE), no);
    CHECK_CODE(vyre_kernel_free(bad), bad == 0 ? VYRE_OK : no);
  }
  if (bad >> 60 != w->x >> 60) {
    CHECK_CODE(vyre_buffer_size(bad, &length), no);
    CHECK_CODE(vyre_buffer_write(bad, 0, text, 4), no);
    CHECK_CODE(vyre_buffer_read(bad, 0, text, 4), no);
    CHECK_CODE(vyre_buffer_copy(bad, 0, w->x, 0, 4), no);
    CHECK_CODE(vyre_buffer_copy(w->x, 0, bad, 0, 4), no);
    CHECK_CODE(vyre_buffer_clear(bad), no);
    CHECK_CODE(vyre_dispatch_create(w->kernel, bindings, 2, &kOne, NULL, &out), no);
    CHECK_CODE(vyre_run(w->kernel, bindings, 2, &kOne, NULL, VYRE_NO_DEADLINE), no);
    CHECK_CODE(vyre_buffer_free(bad), bad == 0 ? VYRE_OK : no);
  }
  if (bad >> 60 != w->dispatch >> 60) {
    CHECK_CODE(vyre_dispatch_variant(bad, &variant), no);
    CHECK_CODE(vyre_dispatch_run(bad, VYRE_NO_DEADLINE), no);
    CHECK_CODE(vyre_dispatch_submit(bad, VYRE_NO_DEADLINE), no);
    CHECK_CODE(vyre_dispatch_free(bad), bad == 0 ? VYRE_OK : no);
  }
  CHECK(out == 123);
}

static void bad_handles(const struct world* w) {
  with_bad_handle(w, 0);
  with_bad_handle(w, 1);
  with_bad_handle(w, UINT64_MAX);
  with_bad_handle(w, (uint64_t)(uintptr_t)&kOne);
  with_bad_handle(w, w->session);
  with_bad_handle(w, w->module);
  with_bad_handle(w, w->kernel);
  with_bad_handle(w, w->x);
  with_bad_handle(w, w->dispatch);
  /* Of the right kind, but another place or generation. */
  for (int bit = 0; bit < 60; ++bit) {
    uint64_t bytes = 0;
    const uint64_t other = w->x ^ (uint64_t)1 << bit;
    if (other != w->u) CHECK_CODE(vyre_buffer_size(other, &bytes), VYRE_INVALID_HANDLE);
    CHECK_CODE(vyre_session_close(w->session ^ (uint64_t)1 << bit), VYRE_INVALID_HANDLE);
    CHECK_CODE(vyre_dispatch_free(w->dispatch ^ (uint64_t)1 << bit), VYRE_INVALID_HANDLE);
  }
  still_works(w);
}

static void freed_handles(const struct world* unused) {
  (void)unused;
  struct world w = make_world();
  CHECK_OK(vyre_module_free(w.module));
  CHECK_CODE(vyre_module_free(w.module), VYRE_INVALID_HANDLE);
  vyre_kernel kernel = 0;
  CHECK_CODE(vyre_kernel_create(w.module, "first", NULL, 0, &kernel), VYRE_INVALID_HANDLE);
  CHECK_OK(vyre_dispatch_free(w.dispatch));
  CHECK_CODE(vyre_dispatch_free(w.dispatch), VYRE_INVALID_HANDLE);
  CHECK_CODE(vyre_dispatch_run(w.dispatch, VYRE_NO_DEADLINE), VYRE_INVALID_HANDLE);
  CHECK(strstr(vyre_last_error_text(), "freed") != NULL);
  CHECK_OK(vyre_buffer_free(w.u));
  CHECK_CODE(vyre_buffer_free(w.u), VYRE_INVALID_HANDLE);
  CHECK_OK(vyre_kernel_free(w.kernel));
  CHECK_CODE(vyre_kernel_free(w.kernel), VYRE_INVALID_HANDLE);
  CHECK_OK(vyre_session_close(w.session));
  CHECK_CODE(vyre_session_close(w.session), VYRE_INVALID_HANDLE);
  uint64_t bytes = 0;
  CHECK_CODE(vyre_buffer_size(w.x, &bytes), VYRE_INVALID_HANDLE);
  CHECK_CODE(vyre_buffer_free(w.x), VYRE_INVALID_HANDLE);
}

static void after_close(const struct world* unused) {
  (void)unused;
  const struct world w = make_world();
  CHECK_OK(vyre_session_close(w.session));
  CHECK_CODE(vyre_dispatch_run(w.dispatch, VYRE_NO_DEADLINE), VYRE_INVALID_HANDLE);
  char text[4];
  CHECK_CODE(vyre_buffer_read(w.x, 0, text, 4), VYRE_INVALID_HANDLE);
  CHECK_CODE(vyre_session_wait(w.session), VYRE_INVALID_HANDLE);
  vyre_kernel kernel = 0;
  CHECK_CODE(vyre_kernel_create(w.module, "first", NULL, 0, &kernel), VYRE_INVALID_HANDLE);
}

static void foreign_handles(const struct world* w) {
  const struct world other = make_world();
  vyre_dispatch dispatch = 0;
  const vyre_binding bindings[] = {{0, 0, w->x, 0, 64}, {0, 1, other.u, 0, 16}};
  CHECK_CODE(vyre_dispatch_create(w->kernel, bindings, 2, &kOne, NULL, &dispatch),
             VYRE_WRONG_SESSION);
  CHECK_CODE(vyre_run(w->kernel, bindings, 2, &kOne, NULL, VYRE_NO_DEADLINE), VYRE_WRONG_SESSION);
  CHECK_CODE(vyre_buffer_copy(w->x, 0, other.x, 0, 4), VYRE_WRONG_SESSION);
  CHECK_OK(vyre_session_close(other.session));
  still_works(w);
}

static void null_pointers(const struct world* w) {
  const vyre_code no = VYRE_NULL_POINTER;
  uint64_t out = 0;
  char text[4];
  const vyre_binding bindings[] = {{0, 0, w->x, 0, 64}, {0, 1, w->u, 0, 16}};
  CHECK_CODE(vyre_device_count(NULL), no);
  CHECK_CODE(vyre_device_get(0, NULL), no);
  CHECK_CODE(vyre_session_open(NULL, NULL, &out), no);
  CHECK_CODE(vyre_session_open("cpu", NULL, NULL), no);
  CHECK_CODE(vyre_session_limits(w->session, NULL), no);
  CHECK_CODE(vyre_module_load(w->session, NULL, 5, NULL, &out), no);
  CHECK_CODE(vyre_module_load(w->session, NULL, VYRE_TO_THE_END, NULL, &out), no);
  CHECK_CODE(vyre_module_load(w->session, kText, VYRE_TO_THE_END, NULL, NULL), no);
  CHECK_CODE(vyre_module_warnings(w->module, NULL, 5, NULL), no);
  CHECK_CODE(vyre_module_entry_count(w->module, NULL), no);
  CHECK_CODE(vyre_module_entry_name(w->module, 0, NULL, 5, NULL), no);
  CHECK_CODE(vyre_kernel_create(w->module, "first", NULL, 1, &out), no);
  CHECK_CODE(vyre_kernel_create(w->module, "first", NULL, 0, NULL), no);
  CHECK_CODE(vyre_kernel_workgroup_size(w->kernel, NULL), no);
  CHECK_CODE(vyre_kernel_binding_count(w->kernel, NULL), no);
  CHECK_CODE(vyre_kernel_binding(w->kernel, 0, NULL), no);
  CHECK_CODE(vyre_buffer_create(w->session, 4, NULL), no);
  CHECK_CODE(vyre_buffer_adopt(w->session, NULL, 4, &out), no);
  CHECK_CODE(vyre_buffer_adopt(w->session, text, 4, NULL), no);
  CHECK_CODE(vyre_buffer_size(w->x, NULL), no);
  CHECK_CODE(vyre_buffer_write(w->x, 0, NULL, 4), no);
  CHECK_CODE(vyre_buffer_read(w->x, 0, NULL, 4), no);
  CHECK_CODE(vyre_dispatch_create(w->kernel, NULL, 2, &kOne, NULL, &out), no);
  CHECK_CODE(vyre_dispatch_create(w->kernel, bindings, 2, NULL, NULL, &out), no);
  CHECK_CODE(vyre_dispatch_create(w->kernel, bindings, 2, &kOne, NULL, NULL), no);
  CHECK_CODE(vyre_run(w->kernel, bindings, 2, NULL, NULL, VYRE_NO_DEADLINE), no);
  CHECK_CODE(vyre_dispatch_variant(w->dispatch, NULL), no);
  CHECK(out == 0);
  /* The module has two entry points. */
  CHECK_CODE(vyre_kernel_create(w->module, NULL, NULL, 0, &out), VYRE_INVALID_INPUT);
  CHECK(strstr(vyre_last_error_text(), "'first', 'endless'") != NULL);
  still_works(w);
}

static void struct_sizes(const struct world* w) {
  const uint32_t wrong[] = {0, 1, 4, 4096, UINT32_MAX};
  for (int i = 0; i < 5; ++i) {
    uint64_t out = 0;
    vyre_session_options options = {0};
    options.struct_size = wrong[i];
    CHECK_CODE(vyre_session_open("cpu", &options, &out), VYRE_WRONG_SIZE);
    vyre_device_info device = {0};
    device.struct_size = wrong[i];
    CHECK_CODE(vyre_device_get(0, &device), VYRE_WRONG_SIZE);
    CHECK(device.name[0] == '\0');
    vyre_limits limits = {0};
    limits.struct_size = wrong[i];
    CHECK_CODE(vyre_session_limits(w->session, &limits), VYRE_WRONG_SIZE);
    vyre_binding_info info = {0};
    info.struct_size = wrong[i];
    CHECK_CODE(vyre_kernel_binding(w->kernel, 0, &info), VYRE_WRONG_SIZE);
    vyre_variant variant = {0};
    variant.struct_size = wrong[i];
    CHECK_CODE(vyre_dispatch_variant(w->dispatch, &variant), VYRE_WRONG_SIZE);
    CHECK_CODE(vyre_run(w->kernel, NULL, 0, &kOne, &variant, 0), VYRE_WRONG_SIZE);
  }
}

static void options(const struct world* unused) {
  (void)unused;
  vyre_session session = 0;
  CHECK_CODE(vyre_session_open("toaster", NULL, &session), VYRE_UNAVAILABLE);
  CHECK(strstr(vyre_last_error_text(), "toaster") != NULL);
  CHECK_CODE(vyre_session_open("", NULL, &session), VYRE_UNAVAILABLE);
  CHECK_CODE(vyre_session_open("cuda:99999999999", NULL, &session), VYRE_UNAVAILABLE);
  vyre_session_options given = {0};
  given.struct_size = sizeof given;
  given.threads = 1025;
  CHECK_CODE(vyre_session_open("cpu", &given, &session), VYRE_INVALID_INPUT);
  given.threads = 1;
  given.reserved = 1;
  CHECK_CODE(vyre_session_open("cpu", &given, &session), VYRE_INVALID_INPUT);
  given.reserved = 0;
  given.least_gain = 1;
  CHECK_CODE(vyre_session_open("cpu", &given, &session), VYRE_INVALID_INPUT);
  CHECK(strstr(vyre_last_error_text(), "options.least_gain is 1") != NULL);
  given.least_gain = 0;
  given.cache_folder = "";
  CHECK_CODE(vyre_session_open("cpu", &given, &session), VYRE_INVALID_INPUT);
  vyre_device_info device = {0};
  device.struct_size = sizeof device;
  CHECK_CODE(vyre_device_get(UINT32_MAX, &device), VYRE_INVALID_INPUT);
  CHECK(session == 0);
}

static void modules(const struct world* w) {
  vyre_module module = 0;
  CHECK_CODE(vyre_module_load(w->session, kText, UINT64_MAX - 1, NULL, &module), VYRE_LIMIT);
  CHECK_CODE(vyre_module_load(w->session, "\0\xff\xfe", 3, NULL, &module), VYRE_INVALID_INPUT);
  CHECK_CODE(vyre_module_load(w->session, "fn", 2, "\xff\x01", &module), VYRE_INVALID_INPUT);
  char name[8] = "as was";
  CHECK_CODE(vyre_module_entry_name(w->module, 2, name, 8, NULL), VYRE_INVALID_INPUT);
  CHECK(strcmp(name, "as was") == 0);
  vyre_kernel kernel = 0;
  CHECK_CODE(vyre_kernel_create(w->module, "absent", NULL, 0, &kernel), VYRE_INVALID_INPUT);
  CHECK_CODE(vyre_kernel_create(w->module, "", NULL, 0, &kernel), VYRE_INVALID_INPUT);
  const double values[] = {-1.0, 1.5, DBL_MAX, INFINITY, NAN, 0.0};
  for (int i = 0; i < 6; ++i) {
    const vyre_override o = {"n", 0, 0, values[i]};
    CHECK_CODE(vyre_kernel_create(w->module, "first", &o, 1, &kernel), VYRE_INVALID_INPUT);
  }
  const vyre_override unknown = {NULL, UINT32_MAX, 0, 1.0};
  CHECK_CODE(vyre_kernel_create(w->module, "first", &unknown, 1, &kernel), VYRE_INVALID_INPUT);
  const vyre_override reserved = {"n", 0, 1, 8.0};
  CHECK_CODE(vyre_kernel_create(w->module, "first", &reserved, 1, &kernel), VYRE_INVALID_INPUT);
  const vyre_override twice[] = {{"n", 0, 0, 8.0}, {"n", 0, 0, 8.0}};
  CHECK_CODE(vyre_kernel_create(w->module, "first", twice, 2, &kernel), VYRE_INVALID_INPUT);
  CHECK_CODE(vyre_kernel_create(w->module, "first", twice, UINT64_MAX, &kernel), VYRE_LIMIT);
  vyre_binding_info info = {0};
  info.struct_size = sizeof info;
  CHECK_CODE(vyre_kernel_binding(w->kernel, 2, &info), VYRE_INVALID_INPUT);
  CHECK(kernel == 0 && module == 0);
}

static void buffers(const struct world* w) {
  char bytes[64];
  memset(bytes, 7, sizeof bytes);
  const uint64_t far[] = {64, 65, UINT64_MAX, UINT64_MAX - 3, (uint64_t)1 << 63};
  for (int i = 0; i < 5; ++i) {
    CHECK_CODE(vyre_buffer_read(w->x, far[i], bytes, 4), VYRE_INVALID_INPUT);
    CHECK_CODE(vyre_buffer_write(w->x, far[i], bytes, 4), VYRE_INVALID_INPUT);
    CHECK_CODE(vyre_buffer_copy(w->x, far[i], w->x, 0, 4), VYRE_INVALID_INPUT);
    CHECK_CODE(vyre_buffer_copy(w->x, 0, w->x, far[i], 4), VYRE_INVALID_INPUT);
    if (far[i] > 64) {
      CHECK_CODE(vyre_buffer_read(w->x, 0, bytes, far[i]), VYRE_INVALID_INPUT);
      CHECK_CODE(vyre_buffer_write(w->x, 0, bytes, far[i]), VYRE_INVALID_INPUT);
      CHECK_CODE(vyre_buffer_copy(w->x, 0, w->x, 0, far[i]), VYRE_INVALID_INPUT);
    }
  }
  CHECK(bytes[0] == 7 && bytes[3] == 7);
  CHECK_OK(vyre_buffer_read(w->x, 64, bytes, 0));
  CHECK_OK(vyre_buffer_write(w->x, 0, NULL, 0));
  CHECK_OK(vyre_buffer_copy(w->x, 64, w->x, 64, 0));

  vyre_buffer buffer = 0;
  CHECK_CODE(vyre_buffer_create(w->session, UINT64_MAX, &buffer), VYRE_OUT_OF_MEMORY);
  CHECK_CODE(vyre_buffer_create(w->session, (uint64_t)1 << 62, &buffer), VYRE_OUT_OF_MEMORY);
  CHECK_CODE(vyre_buffer_create(w->session, (uint64_t)1 << 47, &buffer), VYRE_OUT_OF_MEMORY);
  CHECK_CODE(vyre_buffer_adopt(w->session, bytes, UINT64_MAX, &buffer), VYRE_INVALID_INPUT);
  CHECK(buffer == 0);
  CHECK_OK(vyre_buffer_create(w->session, 0, &buffer));
  uint64_t size = 1;
  CHECK_OK(vyre_buffer_size(buffer, &size));
  CHECK(size == 0);
  CHECK_OK(vyre_buffer_clear(buffer));
  const vyre_binding empty[] = {{0, 0, buffer, 0, VYRE_TO_THE_END}, {0, 1, w->u, 0, 16}};
  CHECK_CODE(vyre_run(w->kernel, empty, 2, &kOne, NULL, VYRE_NO_DEADLINE), VYRE_INVALID_INPUT);
  CHECK_OK(vyre_buffer_free(buffer));
  if (on_cpu) {
    CHECK_OK(vyre_buffer_adopt(w->session, NULL, 0, &buffer));
    CHECK_OK(vyre_buffer_free(buffer));
  } else {
    CHECK_CODE(vyre_buffer_adopt(w->session, bytes, 64, &buffer), VYRE_INVALID_INPUT);
  }
  still_works(w);
}

static vyre_code launch(const struct world* w, vyre_binding x, vyre_binding u, uint32_t unit,
                        uint32_t n) {
  const vyre_binding bindings[] = {x, u};
  const vyre_grid grid = {unit, n, 1, 1};
  return vyre_run(w->kernel, bindings, 2, &grid, NULL, VYRE_NO_DEADLINE);
}

static vyre_binding at(uint32_t binding, vyre_buffer buffer, uint64_t offset, uint64_t bytes) {
  const vyre_binding out = {0, binding, buffer, offset, bytes};
  return out;
}

static void bindings(const struct world* w) {
  const vyre_code no = VYRE_INVALID_INPUT;
  const vyre_binding x = at(0, w->x, 0, 64), u = at(1, w->u, 0, 16);
  CHECK_OK(launch(w, x, u, VYRE_WORKGROUPS, 1));
  CHECK_CODE(launch(w, x, x, VYRE_WORKGROUPS, 1), no);                  /* twice, and one absent */
  CHECK_CODE(launch(w, at(7, w->x, 0, 64), u, VYRE_WORKGROUPS, 1), no); /* x is absent */
  CHECK_CODE(launch(w, at(0, w->x, 0, 65), u, VYRE_WORKGROUPS, 1), no); /* too long */
  CHECK_CODE(launch(w, at(0, w->x, 60, 8), u, VYRE_WORKGROUPS, 1), no); /* beyond the end */
  CHECK_CODE(launch(w, at(0, w->x, 65, 0), u, VYRE_WORKGROUPS, 1), no); /* begins beyond */
  CHECK_CODE(launch(w, at(0, w->x, 64, VYRE_TO_THE_END), u, VYRE_WORKGROUPS, 1), no);
  CHECK_CODE(launch(w, at(0, w->x, UINT64_MAX, 8), u, VYRE_WORKGROUPS, 1), no);
  CHECK_CODE(launch(w, at(0, w->x, 0, 3), u, VYRE_WORKGROUPS, 1), no);  /* less than an element */
  CHECK_CODE(launch(w, x, at(1, w->u, 0, 12), VYRE_WORKGROUPS, 1), no); /* less than a vec4 */
  CHECK_CODE(launch(w, at(0, w->x, 2, 32), u, VYRE_WORKGROUPS, 1), no); /* not aligned */
  CHECK_CODE(launch(w, x, at(1, w->x, 0, 16), VYRE_WORKGROUPS, 1), no); /* the same memory */
  CHECK_CODE(launch(w, x, u, 2, 1), no);                                /* no such unit */
  CHECK_CODE(vyre_run(w->kernel, NULL, 0, &kOne, NULL, VYRE_NO_DEADLINE), no);
  const vyre_binding both[] = {x, u};
  CHECK_CODE(vyre_run(w->kernel, both, UINT64_MAX, &kOne, NULL, VYRE_NO_DEADLINE), VYRE_LIMIT);
  still_works(w);
}

static void grids(const struct world* w) {
  const vyre_binding x = at(0, w->x, 0, 64), u = at(1, w->u, 0, 16);
  uint32_t before = 0, after = 0;
  CHECK_OK(vyre_buffer_read(w->x, 0, &before, 4));
  CHECK_OK(launch(w, x, u, VYRE_WORKGROUPS, 0));
  CHECK_OK(launch(w, x, u, VYRE_INVOCATIONS, 0));
  CHECK_CODE(launch(w, x, u, VYRE_WORKGROUPS, UINT32_MAX), VYRE_LIMIT);
  CHECK_OK(vyre_buffer_read(w->x, 0, &after, 4));
  CHECK(before == after);
  CHECK_OK(launch(w, x, u, VYRE_INVOCATIONS, 3));
}

/* Launches far too large for anyone's patience: refused, or stopped by their deadline. */
static void enormous_grids(const struct world* w) {
  const vyre_binding bindings[] = {at(0, w->x, 0, 64), at(1, w->u, 0, 16)};
  const vyre_grid grids[] = {
      {VYRE_INVOCATIONS, UINT32_MAX, UINT32_MAX, UINT32_MAX},
      {VYRE_INVOCATIONS, 1U << 24, 1U << 21, 1U << 21}, /* 2^64 workgroups of 4 */
      {VYRE_WORKGROUPS, 1U << 22, 1U << 21, 1U << 21},  /* 2^64 of them */
      {VYRE_WORKGROUPS, 1U << 24, 1U << 20, 1},
      {VYRE_INVOCATIONS, 1U << 31, 1U << 10, 1},
  };
  /* A GPU cannot be kept from starting the workgroups of the last one. */
  const int count = on_cpu ? 5 : 4;
  for (int i = 0; i < count; ++i) {
    for (uint32_t groups = 0; groups < 3; ++groups) {
      vyre_variant variant = {0};
      variant.struct_size = sizeof variant;
      variant.groups_per_task = groups;
      const vyre_code code = vyre_run(w->kernel, bindings, 2, &grids[i], &variant, 20000000);
      CHECK(code == VYRE_DEVICE || code == VYRE_LIMIT);
    }
  }
  still_works(w);
}

static void variants(const struct world* w) {
  const vyre_binding bindings[] = {at(0, w->x, 0, 64), at(1, w->u, 0, 16)};
  vyre_dispatch dispatch = 0;
  for (int field = 1; field < 8; ++field) {
    vyre_variant variant = {0};
    variant.struct_size = sizeof variant;
    if (field < 4) variant.workgroup[field - 1] = 4;
    if (field == 4) variant.items_per_lane = 3;
    if (field == 5) variant.layout = 3;
    if (field == 6) variant.gang_width = 5;
    if (field == 7) {
      variant.workgroup[0] = UINT32_MAX;
      variant.workgroup[1] = variant.workgroup[2] = UINT32_MAX;
    }
    CHECK_CODE(vyre_dispatch_create(w->kernel, bindings, 2, &kOne, &variant, &dispatch),
               VYRE_INVALID_INPUT);
  }
  vyre_variant most = {0};
  most.struct_size = sizeof most;
  most.groups_per_task = UINT32_MAX;
  CHECK_OK(vyre_run(w->kernel, bindings, 2, &kOne, &most, VYRE_NO_DEADLINE));
  CHECK(dispatch == 0);
  still_works(w);
}

static void deadlines(const struct world* w) {
  vyre_kernel endless = 0;
  vyre_dispatch dispatch = 0;
  CHECK_OK(vyre_kernel_create(w->module, "endless", NULL, 0, &endless));
  const vyre_binding bindings[] = {at(0, w->x, 0, 64)};
  CHECK_OK(vyre_dispatch_create(endless, bindings, 1, &kOne, NULL, &dispatch));
  for (int i = 0; i < 3; ++i) {
    CHECK_CODE(vyre_dispatch_run(dispatch, 20000000), VYRE_DEVICE);
    CHECK(strstr(vyre_last_error_text(), "endless") != NULL);
    still_works(w);
  }
  CHECK_CODE(vyre_dispatch_run(dispatch, 1), VYRE_DEVICE);
  vyre_code code = vyre_dispatch_submit(dispatch, 20000000);
  if (code == VYRE_OK) code = vyre_session_wait(w->session);
  CHECK(code == VYRE_DEVICE);
  /* Far away is no overflow. */
  CHECK_OK(vyre_dispatch_run(w->dispatch, UINT64_MAX));
  CHECK_OK(vyre_dispatch_run(w->dispatch, (uint64_t)1 << 63));
  still_works(w);
}

static const struct {
  const char* name;
  void (*run)(const struct world*);
} kParts[] = {
    {"bad handles", bad_handles},
    {"freed handles", freed_handles},
    {"after close", after_close},
    {"foreign handles", foreign_handles},
    {"null pointers", null_pointers},
    {"struct sizes", struct_sizes},
    {"options", options},
    {"modules", modules},
    {"buffers", buffers},
    {"bindings", bindings},
    {"grids", grids},
    {"enormous grids", enormous_grids},
    {"variants", variants},
    {"deadlines", deadlines},
};

/* misuse [CACHE_FOLDER [DEVICE]] */
int main(int argc, char** argv) {
  if (argc > 1) device = argv[1];
  on_cpu = strcmp(device, "cpu") == 0;
  const struct world w = make_world();
  for (size_t i = 0; i < sizeof kParts / sizeof *kParts; ++i) {
    printf("%s\n", kParts[i].name);
    fflush(stdout); /* so that one sees where it was if it hangs */
    kParts[i].run(&w);
  }
  CHECK(strcmp(vyre_code_text(99), "unknown code") == 0);
  CHECK_OK(vyre_session_close(w.session));
  return checks_failed();
}
