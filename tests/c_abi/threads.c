/* Many threads use the same handles, free them under each other's hands, and close the session. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { kThreads = 8, kShared = 6, kRounds = 3000 };

static const char* const kText =
    "@group(0) @binding(0) var<storage, read_write> x: array<atomic<u32>>;\n"
    "@compute @workgroup_size(16) fn add() { atomicAdd(&x[0], 1u); }\n";

static vyre_session session;
static vyre_module module;
static vyre_kernel kernel;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static vyre_buffer buffers[kShared];
static vyre_dispatch dispatches[kShared];
static vyre_pipeline pipelines[kShared];
static vyre_graph_program program;
static vyre_graph graph;
static vyre_graph_work works[kShared];

static uint64_t exchange(uint64_t* place, uint64_t value) {
  pthread_mutex_lock(&mutex);
  const uint64_t old = *place;
  *place = value;
  pthread_mutex_unlock(&mutex);
  return old;
}

static uint64_t look(const uint64_t* place) {
  pthread_mutex_lock(&mutex);
  const uint64_t value = *place;
  pthread_mutex_unlock(&mutex);
  return value;
}

static int fine(vyre_code code) { return code == VYRE_OK || code == VYRE_INVALID_HANDLE; }

static const vyre_grid kGrid = {VYRE_WORKGROUPS, 4, 1, 1};

/* A pipeline of one stage, prepared. */
static vyre_code make_pipeline(vyre_pipeline* pipeline) {
  const vyre_buffer_description buffer = {
      sizeof buffer, VYRE_INPUT, "x", "array<atomic<u32>>", (const char* const[]){"16"}, 1, NULL};
  const vyre_name_pair binding = {"x", "x"};
  vyre_stage_description stage = {0};
  stage.struct_size = sizeof stage;
  stage.kernel = kernel;
  stage.bindings = &binding;
  stage.binding_count = 1;
  stage.size[0] = "4";
  vyre_code code = vyre_pipeline_create(session, "shared", pipeline);
  if (code == VYRE_OK) code = vyre_pipeline_add_buffer(*pipeline, &buffer);
  if (code == VYRE_OK) code = vyre_pipeline_add_stage(*pipeline, &stage);
  if (code == VYRE_OK) code = vyre_pipeline_prepare(*pipeline, NULL);
  return code;
}

/* A search of two vertices that lead to each other. */
static void make_graph(void) {
  static const char* const text =
      "@group(0) @binding(0) var<storage, read_write> seen: array<atomic<u32>>;\n"
      "fn init(v: u32) { atomicStore(&seen[v], 0u); }\n"
      "fn visit(s: u32, e: u32, v: u32, r: u32) -> bool {\n"
      "  return atomicAdd(&seen[v], 1u) == 0u;\n}\n";
  const uint32_t offsets[] = {0, 1, 2}, columns[] = {1, 0};
  const vyre_graph_description description = {sizeof description, 2, 2, offsets, columns, NULL};
  CHECK_OK(vyre_graph_program_load(session, text, VYRE_TO_THE_END, NULL, NULL, 0, &program));
  CHECK_OK(vyre_graph_create(session, &description, &graph));
}

static vyre_code search(vyre_graph_work work) {
  const uint32_t first = 0;
  const vyre_graph_run_options run = {sizeof run, VYRE_BY_POLICY,  &first, 1, 0,
                                      0,          VYRE_NO_DEADLINE};
  vyre_graph_result result = {0};
  result.struct_size = sizeof result;
  const vyre_code code = vyre_graph_run(work, &run, &result);
  return code == VYRE_OK && result.rounds != 3 ? VYRE_INTERNAL : code;
}

static int one_step(unsigned choice, unsigned at) {
  uint32_t value = 0;
  uint64_t fresh = 0;
  const vyre_binding binding = {0, 0, look(&buffers[at]), 0, VYRE_TO_THE_END};
  vyre_code code = VYRE_OK;
  switch (choice) {
    case 0:
      code = vyre_buffer_create(session, 64, &fresh);
      if (code != VYRE_OK) break;
      return fine(vyre_buffer_free(exchange(&buffers[at], fresh)));
    case 1: return fine(vyre_buffer_free(look(&buffers[at])));
    case 2:
      code = vyre_dispatch_create(kernel, &binding, 1, &kGrid, NULL, &fresh);
      if (code != VYRE_OK) break;
      return fine(vyre_dispatch_free(exchange(&dispatches[at], fresh)));
    case 3: return fine(vyre_dispatch_free(look(&dispatches[at])));
    case 4: code = vyre_buffer_read(look(&buffers[at]), 0, &value, 4); break;
    case 5: code = vyre_run(kernel, &binding, 1, &kGrid, NULL, VYRE_NO_DEADLINE); break;
    case 6:
      if (at % 3 == 0) {
        code = make_pipeline(&fresh);
        if (code != VYRE_OK) break;
        return fine(vyre_pipeline_free(exchange(&pipelines[at], fresh)));
      }
      code = at % 3 == 1 ? vyre_pipeline_prepare(look(&pipelines[at - 1]), NULL)
                         : vyre_pipeline_run(look(&pipelines[at - 2]), VYRE_NO_DEADLINE);
      break;
    case 7:
      code = vyre_graph_prepare(program, graph, NULL, 0, NULL, &fresh);
      if (code != VYRE_OK) break;
      return fine(vyre_graph_work_free(exchange(&works[at], fresh)));
    case 8: code = search(look(&works[at])); break;
    default: code = vyre_dispatch_run(look(&dispatches[at]), VYRE_NO_DEADLINE); break;
  }
  /* Each thread has its own last error. */
  return fine(code) && (code == VYRE_OK || vyre_last_error() == code);
}

static void* work(void* argument) {
  unsigned state = *(const unsigned*)argument * 2654435761U + 1;
  uintptr_t wrong = 0;
  for (int i = 0; i < kRounds; ++i) {
    state = state * 1664525U + 1013904223U;
    if (!one_step((state >> 16) % 10, (state >> 24) % kShared)) ++wrong;
  }
  return (void*)wrong;
}

static void* fails_once(void* unused) {
  (void)unused;
  CHECK(vyre_last_error() == VYRE_OK);
  CHECK_CODE(vyre_session_wait(0), VYRE_INVALID_HANDLE);
  return NULL;
}

/* A program nested as deep as the language allows, on a thread with as little stack as there is. */
static void* deep(void* unused) {
  (void)unused;
  enum { kDepth = 250 };
  static char text[kDepth * 16 + 512];
  strcpy(text,
         "@group(0) @binding(0) var<storage, read_write> x: array<f32>;\n"
         "@compute @workgroup_size(1) fn main() { x[0] = ");
  for (int i = 0; i < kDepth; ++i) strcat(text, "(x[1] + ");
  strcat(text, "1.0");
  for (int i = 0; i < kDepth; ++i) strcat(text, ")");
  strcat(text, "; }\n");
  vyre_module deep_module = 0;
  vyre_kernel deep_kernel = 0;
  vyre_buffer buffer = 0;
  float x[2] = {0, 1};
  CHECK_OK(vyre_module_load(session, text, VYRE_TO_THE_END, NULL, &deep_module));
  CHECK_OK(vyre_kernel_create(deep_module, NULL, NULL, 0, &deep_kernel));
  CHECK_OK(vyre_buffer_create(session, sizeof x, &buffer));
  CHECK_OK(vyre_buffer_write(buffer, 0, x, sizeof x));
  const vyre_binding binding = {0, 0, buffer, 0, VYRE_TO_THE_END};
  CHECK_OK(vyre_run(deep_kernel, &binding, 1, &kGrid, NULL, VYRE_NO_DEADLINE));
  CHECK_OK(vyre_buffer_read(buffer, 0, x, sizeof x));
  CHECK(x[0] == kDepth + 1);
  /* Errors come back to the thread that asked. */
  CHECK_CODE(vyre_module_load(session, "?", 1, "deep.wgsl", &deep_module), VYRE_INVALID_INPUT);
  CHECK(strstr(vyre_last_error_text(), "deep.wgsl:1:1") != NULL);
  return NULL;
}

static void small_stack(void) {
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  CHECK(pthread_attr_setstacksize(&attributes, 128 * 1024) == 0);
  CHECK(pthread_create(&thread, &attributes, deep, NULL) == 0);
  pthread_join(thread, NULL);
  pthread_attr_destroy(&attributes);
}

/* threads [CACHE_FOLDER [DEVICE]] */
int main(int argc, char** argv) {
  CHECK_OK(vyre_session_open(argc > 1 ? argv[1] : "cpu", NULL, &session));
  CHECK_OK(vyre_module_load(session, kText, VYRE_TO_THE_END, NULL, &module));
  CHECK_OK(vyre_kernel_create(module, NULL, NULL, 0, &kernel));
  make_graph();

  pthread_t threads[kThreads];
  unsigned numbers[kThreads];
  CHECK_CODE(vyre_module_free(1), VYRE_INVALID_HANDLE);
  CHECK(pthread_create(&threads[0], NULL, fails_once, NULL) == 0);
  pthread_join(threads[0], NULL);
  CHECK(strstr(vyre_last_error_text(), "module") != NULL);

  small_stack();

  for (int close_early = 0; close_early < 2; ++close_early) {
    for (unsigned i = 0; i < kThreads; ++i) {
      numbers[i] = i;
      CHECK(pthread_create(&threads[i], NULL, work, &numbers[i]) == 0);
    }
    if (close_early) {
      for (int i = 0; i < 2000; ++i) vyre_dispatch_run(look(&dispatches[0]), VYRE_NO_DEADLINE);
      CHECK_OK(vyre_session_close(session));
    }
    for (unsigned i = 0; i < kThreads; ++i) {
      void* wrong = NULL;
      pthread_join(threads[i], &wrong);
      CHECK(wrong == NULL);
    }
  }
  CHECK_CODE(vyre_session_wait(session), VYRE_INVALID_HANDLE);
  return checks_failed();
}
