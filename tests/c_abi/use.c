/* What the C ABI is for: every function used as it is meant. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static const char* const kText =
    "override scale: f32 = 1.0;\n"
    "@id(7) override offset: i32;\n"
    "override wide: u32 = 32;\n"
    "struct Params { count: u32, direction: vec3<f32>, factor: f32 }\n"
    "@group(0) @binding(2) var<uniform> params: Params;\n"
    "@group(0) @binding(0) var<storage, read> input: array<f32>;\n"
    "@group(1) @binding(5) var<storage, read_write> to: array<f32>;\n"
    "@group(2) @binding(0) var<storage, read_write> counts: array<atomic<u32>, 4>;\n"
    "@compute @workgroup_size(wide, 1, 1)\n"
    "fn scaled(@builtin(global_invocation_id) id: vec3<u32>) {\n"
    "  if (id.x < params.count) {\n"
    "    to[id.x] = input[id.x] * scale * params.factor + params.direction.y + f32(offset);\n"
    "  }\n"
    "}\n"
    "@compute @workgroup_size(8)\n"
    "fn count(@builtin(workgroup_id) group: vec3<u32>) {\n"
    "  atomicAdd(&counts[group.x], 1u);\n"
    "}\n"
    "@compute @workgroup_size(2, 3, 4)\n"
    "fn beyond() {\n"
    "  to[1000000] = input[4000000] + 1.0;\n"
    "}\n";

static void devices(void) {
  uint32_t count = 0;
  CHECK_OK(vyre_device_count(&count));
  CHECK(count >= 1);
  int cpu = 0;
  for (uint32_t i = 0; i < count; ++i) {
    vyre_device_info info = {0};
    info.struct_size = sizeof info;
    CHECK_OK(vyre_device_get(i, &info));
    CHECK(strlen(info.name) > 0);
    CHECK((info.available == 1) == (strlen(info.missing) == 0));
    if (strcmp(info.name, "cpu") == 0) cpu = (int)info.available;
  }
  CHECK(cpu == 1);
  CHECK(vyre_c_version() == VYRE_C_VERSION);
  CHECK(strlen(vyre_version()) > 0);
}

static void count_messages(void* user, int level, const char* message) {
  CHECK(level == VYRE_LOG_WARN);
  CHECK(strlen(message) > 0);
  ++*(int*)user;
}

/* What the library has to say goes to the host's function, and not to its standard error. */
static void messages(void) {
  int count = 0;
  CHECK_CODE(vyre_log_to(count_messages, &count, 9), VYRE_INVALID_INPUT);
  CHECK_OK(vyre_log_to(count_messages, &count, VYRE_LOG_WARN));
  vyre_session_options options = {0};
  options.struct_size = sizeof options;
  options.cache_folder = "/dev/null/no folder";
  vyre_session session = 0;
  vyre_module module = 0;
  vyre_kernel kernel = 0;
  CHECK_OK(vyre_session_open("cpu", &options, &session));
  CHECK_OK(vyre_module_load(session, "@compute @workgroup_size(1) fn f() {}", VYRE_TO_THE_END, NULL,
                            &module));
  CHECK_OK(vyre_kernel_create(module, "f", NULL, 0, &kernel));
  const vyre_grid grid = {VYRE_INVOCATIONS, 1, 1, 1};
  CHECK_OK(vyre_run(kernel, NULL, 0, &grid, NULL, VYRE_NO_DEADLINE));
  CHECK(count > 0);
  CHECK_OK(vyre_session_close(session));
  CHECK_OK(vyre_log_to(NULL, NULL, VYRE_LOG_WARN));
}

/* The plan of a dispatch, as text and as JSON. */
static void plans(vyre_dispatch dispatch) {
  char text[8192];
  uint64_t length = 0;
  CHECK_OK(vyre_dispatch_plan_text(dispatch, text, sizeof text, &length));
  CHECK(length > 0 && length < sizeof text && strlen(text) == length);
  CHECK(strstr(text, "workgroup") != NULL && strstr(text, "bindings") != NULL);
  CHECK_OK(vyre_dispatch_plan_json(dispatch, text, sizeof text, &length));
  CHECK(strstr(text, "\"decided_by\"") != NULL && strstr(text, "\"grid\"") != NULL);
  CHECK_CODE(vyre_dispatch_plan_text(0, text, sizeof text, &length), VYRE_INVALID_HANDLE);
}

static void sessions(const char* folder) {
  vyre_session_options options = {0};
  options.struct_size = sizeof options;
  options.threads = 2;
  options.cache_folder = folder;
  vyre_session session = 0;
  CHECK_OK(vyre_session_open("cpu", &options, &session));
  vyre_limits limits = {0};
  limits.struct_size = sizeof limits;
  CHECK_OK(vyre_session_limits(session, &limits));
  CHECK(strcmp(limits.device, "cpu") == 0);
  CHECK(limits.max_workgroup_invocations >= 256);
  CHECK(limits.binding_alignment >= 4 && limits.binding_alignment <= 256);
  CHECK_OK(vyre_session_close(session));
  options.cache_folder = NULL;
  options.no_cache = 1;
  CHECK_OK(vyre_session_open("cpu", &options, &session));
  CHECK_OK(vyre_session_close(session));
}

static void modules(vyre_session session, vyre_module* module) {
  CHECK_OK(vyre_module_load(session, kText, VYRE_TO_THE_END, "use.wgsl", module));
  uint32_t count = 0;
  CHECK_OK(vyre_module_entry_count(*module, &count));
  CHECK(count == 3);
  char name[64];
  uint64_t length = 0;
  CHECK_OK(vyre_module_entry_name(*module, 0, name, sizeof name, &length));
  CHECK(strcmp(name, "scaled") == 0 && length == 6);
  CHECK_OK(vyre_module_entry_name(*module, 1, name, 3, &length));
  CHECK(strcmp(name, "co") == 0 && length == 5);
  CHECK_OK(vyre_module_entry_name(*module, 2, NULL, 0, &length));
  CHECK(length == 6);
  CHECK_OK(vyre_module_warnings(*module, name, sizeof name, NULL));
  CHECK(strcmp(name, "") == 0);
}

static void diagnostics(vyre_session session) {
  vyre_module module = 77;
  const char text[] = "fn f() -> u32 {\n  return 1.5;\n}\nfn g() { let x: i32 = true; }\n";
  CHECK_CODE(vyre_module_load(session, text, sizeof text - 1, "wrong.wgsl", &module),
             VYRE_INVALID_INPUT);
  CHECK(module == 77);
  CHECK(vyre_last_error() == VYRE_INVALID_INPUT);
  CHECK(strstr(vyre_last_error_text(), "wrong.wgsl:2:") != NULL);
  CHECK(strstr(vyre_last_error_text(), "return 1.5;") != NULL);
  CHECK(strstr(vyre_last_error_text(), "wrong.wgsl:4:") != NULL);
  /* A text with a length needs no null at its end. */
  const char cut[] = "fn f() {}BEYOND";
  CHECK_OK(vyre_module_load(session, cut, 9, NULL, &module));
  CHECK_OK(vyre_module_free(module));
  /* wgpu lets operators be mixed; the warning names the rule. */
  const char loose[] = "const_assert 1 + 2 << 1u == 6;";
  CHECK_CODE(vyre_module_load(session, loose, VYRE_TO_THE_END, NULL, &module), VYRE_INVALID_INPUT);
  CHECK_OK(vyre_module_load_lenient(session, loose, VYRE_TO_THE_END, NULL, &module));
  char warning[512];
  uint64_t warning_length = 0;
  CHECK_OK(vyre_module_warnings(module, warning, sizeof warning, &warning_length));
  CHECK(strstr(warning, "without parentheses") != NULL);
  CHECK_OK(vyre_module_free(module));
  CHECK_OK(vyre_module_load(session, NULL, 0, NULL, &module));
  vyre_kernel kernel = 0;
  CHECK_CODE(vyre_kernel_create(module, NULL, NULL, 0, &kernel), VYRE_INVALID_INPUT);
  CHECK_OK(vyre_module_free(module));
}

static void kernels(vyre_module module, vyre_kernel* kernel) {
  const vyre_override overrides[] = {
      {"scale", 0, 0, 2.0}, {NULL, 7, 0, -3.0}, {"wide", 0, 0, 64.0}};
  CHECK_OK(vyre_kernel_create(module, "scaled", overrides, 3, kernel));
  uint32_t size[3] = {0, 0, 0};
  CHECK_OK(vyre_kernel_workgroup_size(*kernel, size));
  CHECK(size[0] == 64 && size[1] == 1 && size[2] == 1);
  uint32_t count = 0;
  CHECK_OK(vyre_kernel_binding_count(*kernel, &count));
  CHECK(count == 3);
  vyre_binding_info info = {0};
  info.struct_size = sizeof info;
  CHECK_OK(vyre_kernel_binding(*kernel, 0, &info));
  CHECK(info.group == 0 && info.binding == 0 && info.access == VYRE_READ);
  CHECK(info.least_bytes == 4 && strcmp(info.name, "input") == 0 && info.name_length == 5);
  CHECK_OK(vyre_kernel_binding(*kernel, 1, &info));
  CHECK(info.group == 0 && info.binding == 2 && info.access == VYRE_UNIFORM);
  CHECK(info.least_bytes == 32 && strcmp(info.name, "params") == 0);
  CHECK_OK(vyre_kernel_binding(*kernel, 2, &info));
  CHECK(info.group == 1 && info.binding == 5 && info.access == VYRE_READ_WRITE);
  /* The override without a value that the kernel needs is asked for. */
  vyre_kernel other = 0;
  CHECK_CODE(vyre_kernel_create(module, "scaled", overrides, 1, &other), VYRE_INVALID_INPUT);
  CHECK(strstr(vyre_last_error_text(), "offset") != NULL);
}

struct params {
  uint32_t count;
  uint32_t pad[3];
  float direction[3];
  float factor;
};

static int is_cpu(vyre_session session) {
  vyre_limits limits = {0};
  limits.struct_size = sizeof limits;
  CHECK_OK(vyre_session_limits(session, &limits));
  return strcmp(limits.device, "cpu") == 0;
}

static void launches(vyre_session session, vyre_kernel kernel) {
  enum { N = 100, BYTES = N * 4 };
  float data[N];
  for (int i = 0; i < N; ++i) data[i] = (float)i;
  const struct params params = {50, {0, 0, 0}, {9, 10, 11}, 0.5F};
  vyre_buffer from = 0, to = 0, uniform = 0;
  CHECK_OK(vyre_buffer_create(session, BYTES, &from));
  CHECK_OK(vyre_buffer_create(session, 1024 + BYTES, &to));
  CHECK_OK(vyre_buffer_create(session, 256 + sizeof params, &uniform));
  CHECK_OK(vyre_buffer_write(from, 0, data, BYTES));
  CHECK_OK(vyre_buffer_write(uniform, 256, &params, sizeof params));
  uint64_t bytes = 0;
  CHECK_OK(vyre_buffer_size(to, &bytes));
  CHECK(bytes == 1024 + BYTES);

  const vyre_binding bindings[] = {{1, 5, to, 512, BYTES},
                                   {0, 0, from, 0, VYRE_TO_THE_END},
                                   {0, 2, uniform, 256, VYRE_TO_THE_END}};
  const vyre_grid grid = {VYRE_WORKGROUPS, 2, 1, 1};
  CHECK_OK(vyre_run(kernel, bindings, 3, &grid, NULL, VYRE_NO_DEADLINE));
  float all[256 + N];
  CHECK_OK(vyre_buffer_read(to, 0, all, sizeof all));
  for (int i = 0; i < 256 + N; ++i) {
    const float expected = i >= 128 && i < 128 + 50 ? (float)(i - 128) + 7.0F : 0.0F;
    if (all[i] != expected) printf("%d: %g, not %g\n", i, (double)all[i], (double)expected);
    CHECK(all[i] == expected);
  }

  /* The same again, prepared, in other shapes: the same result. */
  for (uint32_t gang = 1; gang <= 16; gang += gang == 1 ? 7 : 8) {
    vyre_variant variant = {0};
    variant.struct_size = sizeof variant;
    if (is_cpu(session)) variant.gang_width = gang;
    variant.workgroup[0] = 16;
    variant.workgroup[1] = variant.workgroup[2] = 1;
    variant.items_per_lane = 4;
    variant.layout = VYRE_BLOCKED;
    const vyre_grid exactly = {VYRE_INVOCATIONS, N, 1, 1};
    vyre_dispatch dispatch = 0;
    CHECK_OK(vyre_dispatch_create(kernel, bindings, 3, &exactly, &variant, &dispatch));
    vyre_variant used = {0};
    used.struct_size = sizeof used;
    CHECK_OK(vyre_dispatch_variant(dispatch, &used));
    CHECK(used.items_per_lane == 4 && used.layout == VYRE_BLOCKED && used.workgroup[0] == 16);
    CHECK(used.gang_width == gang || !is_cpu(session));
    CHECK_OK(vyre_buffer_clear(to));
    for (int times = 0; times < 3; ++times) {
      CHECK_OK(vyre_dispatch_run(dispatch, 1000000000));
      CHECK_OK(vyre_dispatch_submit(dispatch, VYRE_NO_DEADLINE));
    }
    CHECK_OK(vyre_session_wait(session));
    float again[256 + N];
    CHECK_OK(vyre_buffer_read(to, 0, again, sizeof again));
    CHECK(memcmp(all, again, sizeof all) == 0);
    CHECK_OK(vyre_dispatch_free(dispatch));
  }

  CHECK_OK(vyre_buffer_copy(to, 512 + 4, from, 0, 8));
  CHECK_OK(vyre_buffer_read(from, 0, data, 12));
  CHECK(data[0] == 8 && data[1] == 9 && data[2] == 2);
  CHECK_OK(vyre_buffer_free(from));
  CHECK_OK(vyre_buffer_free(to));
  CHECK_OK(vyre_buffer_free(uniform));
}

/* Other entry points of the module: workgroups as WebGPU counts them, and accesses out of bounds.
 */
static void entries(vyre_session session, vyre_module module) {
  const vyre_override offset = {"7", 0, 0, 0.0};
  vyre_kernel count = 0, beyond = 0;
  CHECK_OK(vyre_kernel_create(module, "count", NULL, 0, &count));
  CHECK_OK(vyre_kernel_create(module, "beyond", NULL, 0, &beyond));
  vyre_kernel other = 0;
  CHECK_OK(vyre_kernel_create(module, "count", &offset, 1, &other));
  CHECK_OK(vyre_kernel_free(other));
  const vyre_override unknown = {"ofset", 0, 0, 0.0};
  CHECK_CODE(vyre_kernel_create(module, "count", &unknown, 1, &other), VYRE_INVALID_INPUT);

  vyre_buffer counts = 0;
  CHECK_OK(vyre_buffer_create(session, 16, &counts));
  const vyre_binding binding = {2, 0, counts, 0, VYRE_TO_THE_END};
  const vyre_grid workgroups = {VYRE_WORKGROUPS, 3, 1, 1};
  const vyre_grid invocations = {VYRE_INVOCATIONS, 13, 1, 1};
  const vyre_grid nothing = {VYRE_WORKGROUPS, 3, 0, 1};
  uint32_t n[4];
  CHECK_OK(vyre_run(count, &binding, 1, &workgroups, NULL, VYRE_NO_DEADLINE));
  CHECK_OK(vyre_buffer_read(counts, 0, n, sizeof n));
  CHECK(n[0] == 8 && n[1] == 8 && n[2] == 8 && n[3] == 0);
  CHECK_OK(vyre_run(count, &binding, 1, &invocations, NULL, VYRE_NO_DEADLINE));
  CHECK_OK(vyre_run(count, &binding, 1, &nothing, NULL, VYRE_NO_DEADLINE));
  CHECK_OK(vyre_buffer_read(counts, 0, n, sizeof n));
  CHECK(n[0] == 16 && n[1] == 13 && n[2] == 8 && n[3] == 0);
  CHECK_OK(vyre_buffer_free(counts));
  if (is_cpu(session)) {
    uint32_t memory[4] = {1, 1, 1, 1};
    CHECK_OK(vyre_buffer_adopt(session, memory, sizeof memory, &counts));
    const vyre_binding adopted = {2, 0, counts, 0, VYRE_TO_THE_END};
    CHECK_OK(vyre_run(count, &adopted, 1, &workgroups, NULL, VYRE_NO_DEADLINE));
    CHECK(memory[0] == 9 && memory[1] == 9 && memory[2] == 9 && memory[3] == 1);
    CHECK_OK(vyre_buffer_free(counts));
  }

  vyre_buffer from = 0, to = 0;
  CHECK_OK(vyre_buffer_create(session, 16, &from));
  CHECK_OK(vyre_buffer_create(session, 16, &to));
  const vyre_binding both[] = {{0, 0, from, 0, VYRE_TO_THE_END}, {1, 5, to, 0, VYRE_TO_THE_END}};
  CHECK_OK(vyre_run(beyond, both, 2, &workgroups, NULL, VYRE_NO_DEADLINE));
  uint32_t size[3];
  CHECK_OK(vyre_kernel_workgroup_size(beyond, size));
  CHECK(size[0] == 2 && size[1] == 3 && size[2] == 4);
}

/* The kernel outlives its module, and a dispatch its kernel and its buffers' handles. */
static void lifetimes(vyre_session session) {
  vyre_module module = 0;
  vyre_kernel kernel = 0;
  vyre_buffer buffer = 0;
  vyre_dispatch dispatch = 0;
  const char* text =
      "@group(0) @binding(0) var<storage, read_write> x: array<u32>;\n"
      "@compute @workgroup_size(1) fn main() { x[0] += 1u; }\n";
  CHECK_OK(vyre_module_load(session, text, VYRE_TO_THE_END, NULL, &module));
  CHECK_OK(vyre_kernel_create(module, NULL, NULL, 0, &kernel));
  CHECK_OK(vyre_module_free(module));
  CHECK_OK(vyre_buffer_create(session, 4, &buffer));
  const vyre_binding binding = {0, 0, buffer, 0, 4};
  const vyre_grid grid = {VYRE_WORKGROUPS, 1, 1, 1};
  CHECK_OK(vyre_dispatch_create(kernel, &binding, 1, &grid, NULL, &dispatch));
  plans(dispatch);
  CHECK_OK(vyre_kernel_free(kernel));
  CHECK_OK(vyre_dispatch_run(dispatch, VYRE_NO_DEADLINE));
  uint32_t value = 0;
  CHECK_OK(vyre_buffer_read(buffer, 0, &value, 4));
  CHECK(value == 1);
  CHECK_OK(vyre_buffer_free(buffer));
  CHECK_OK(vyre_dispatch_run(dispatch, VYRE_NO_DEADLINE));
}

static void everything_on(const char* device) {
  vyre_session session = 0;
  vyre_module module = 0;
  vyre_kernel kernel = 0;
  CHECK_OK(vyre_session_open(device, NULL, &session));
  modules(session, &module);
  diagnostics(session);
  kernels(module, &kernel);
  launches(session, kernel);
  entries(session, module);
  lifetimes(session);
  CHECK_OK(vyre_session_close(session));
}

/* A launch in this session: its plan goes to `plan`. */
static void launch_tuned(const char* evidence, uint32_t mode, const vyre_grid* grid, char* plan,
                         uint64_t capacity) {
  vyre_session_options options = {0};
  options.struct_size = sizeof options;
  options.no_cache = 1;
  options.tuning = mode;
  options.evidence_file = evidence;
  const char* text =
      "@group(0) @binding(0) var<storage, read_write> x: array<u32>;\n"
      "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
      "  if (id.x < arrayLength(&x)) { x[id.x] = 3u * id.x; }\n"
      "}\n";
  vyre_session session = 0;
  vyre_module module = 0;
  vyre_kernel kernel = 0;
  vyre_buffer buffer = 0;
  vyre_dispatch dispatch = 0;
  CHECK_OK(vyre_session_open("cpu", &options, &session));
  CHECK_OK(vyre_module_load(session, text, VYRE_TO_THE_END, NULL, &module));
  CHECK_OK(vyre_kernel_create(module, NULL, NULL, 0, &kernel));
  CHECK_OK(vyre_buffer_create(session, 4096 * 4, &buffer));
  const vyre_binding binding = {0, 0, buffer, 0, VYRE_TO_THE_END};
  CHECK_OK(vyre_dispatch_create(kernel, &binding, 1, grid, NULL, &dispatch));
  CHECK_OK(vyre_dispatch_run(dispatch, VYRE_NO_DEADLINE));
  CHECK_OK(vyre_dispatch_plan_json(dispatch, plan, capacity, NULL));
  CHECK_OK(vyre_session_close(session));
}

/* What a session finds serves the next one, in workgroups or in invocations. */
static void tuned_and_run(const char* folder) {
  static char found[16384], later[16384], before[16384];
  char evidence[4096];
  snprintf(evidence, sizeof evidence, "%s/evidence-of-use.jsonl", folder);
  const vyre_grid grids[] = {{VYRE_WORKGROUPS, 64, 1, 1}, {VYRE_INVOCATIONS, 4096, 1, 1}};
  for (int i = 0; i < 2; ++i) {
    launch_tuned(evidence, VYRE_TUNER_FROZEN, &grids[i], before, sizeof before);
    CHECK(strstr(before, "\"decided_by\": \"declared\"") != NULL);
    launch_tuned(evidence, VYRE_TUNER_SWEEP, &grids[i], found, sizeof found);
    launch_tuned(evidence, VYRE_TUNER_FROZEN, &grids[i], later, sizeof later);
    CHECK(strstr(later, "\"decided_by\": \"evidence\"") != NULL);
    /* The variant is an object of the JSON, up to the first closing brace of its overrides. */
    const char* a = strstr(found, "\"variant\"");
    const char* b = strstr(later, "\"variant\"");
    CHECK(a != NULL && b != NULL);
    if (a == NULL || b == NULL) return;
    const size_t length = (size_t)(strchr(a, '}') - a);
    CHECK(length > 50 && strncmp(a, b, length) == 0);
  }
  remove(evidence);
}

int main(void) {
  CHECK(vyre_last_error() == VYRE_OK && strcmp(vyre_last_error_text(), "") == 0);
  devices();
  messages();
  const char* folder = getenv("XDG_CACHE_HOME");
  sessions(folder != NULL ? folder : "/tmp");
  tuned_and_run(folder != NULL ? folder : "/tmp");
  everything_on("auto");
  everything_on("cpu");
  return checks_failed();
}
