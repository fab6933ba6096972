/* What a process has opened, its forked child can use (on the CPU), close or abandon. Other threads
 * of the parent launch, compile and tune while it forks. One child in ten makes every call of the
 * C ABI; fork_calls.h says which those are.
 *
 *   fork CACHE_FOLDER [DEVICE] */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "fork_calls.h"

enum { kCount = 50000, kForks = 200, kThreads = 3 };

struct world {
  vyre_session session;
  vyre_module module;
  vyre_kernel kernel;
  vyre_buffer buffer;
  vyre_dispatch dispatch;
  vyre_pipeline pipeline;
  vyre_graph_work search; /* 0 on a GPU */
  vyre_tuner tuner;
};

static const vyre_grid kGrid = {VYRE_INVOCATIONS, kCount, 1, 1};
static const char* const kCandidates[] = {"a=1", "a=2", "a=3"};
static const vyre_session_options kOptions = {sizeof kOptions, 2, NULL, 1, 0, 0, 0, NULL, 0, 0};
static volatile int stop_threads = 0;

/* A kernel of its own for each number, so that it has to be compiled. */
static const char* text_of(unsigned number, char text[512]) {
  snprintf(text, 512,
           "@group(0) @binding(0) var<storage, read_write> x: array<u32>;\n"
           "@compute @workgroup_size(64) fn add(@builtin(global_invocation_id) id: vec3u) {\n"
           "  if (id.x < arrayLength(&x)) { x[id.x] += 1u + 0u * (x[id.x] ^ %uu); }\n}\n",
           number);
  return text;
}

/* `add` on an input of 64 elements, in a loop of two rounds. */
static void make_pipeline(struct world* w, vyre_pipeline* pipeline) {
  const char* const size = "n";
  const vyre_buffer_description buffer = {sizeof buffer, VYRE_INPUT, "x", "array<u32>",
                                          &size,         1,          NULL};
  const vyre_name_pair binding = {"x", "x"};
  vyre_stage_description stage = {0};
  stage.struct_size = sizeof stage;
  stage.unit = VYRE_INVOCATIONS;
  stage.kernel = w->kernel;
  stage.bindings = &binding;
  stage.binding_count = 1;
  stage.size[0] = "n";
  stage.loop = "twice";
  vyre_loop_description loop = {0};
  loop.struct_size = sizeof loop;
  loop.name = "twice";
  loop.most = "2";
  CHECK_OK(vyre_pipeline_create(w->session, "forked", pipeline));
  CHECK_OK(vyre_pipeline_add_dim(*pipeline, "n", 64));
  CHECK_OK(vyre_pipeline_add_buffer(*pipeline, &buffer));
  CHECK_OK(vyre_pipeline_add_stage(*pipeline, &stage));
  CHECK_OK(vyre_pipeline_add_loop(*pipeline, &loop));
  CHECK_OK(vyre_pipeline_prepare(*pipeline, NULL));
}

/* A search of a path of three vertices. */
static void make_search(vyre_session session, vyre_graph_work* search) {
  static const char* const text =
      "@group(0) @binding(0) var<storage, read_write> d: array<atomic<u32>>;\n"
      "fn init(v: u32) { atomicStore(&d[v], 0u); }\n"
      "fn visit(s: u32, e: u32, v: u32, r: u32) -> bool {\n"
      "  return atomicMax(&d[v], r + 1u) == 0u;\n}\n";
  const uint32_t offsets[] = {0, 1, 2, 2}, columns[] = {1, 2};
  const vyre_graph_description description = {sizeof description, 3, 2, offsets, columns, NULL};
  vyre_graph_program program = 0;
  vyre_graph graph = 0;
  CHECK_OK(vyre_graph_program_load(session, text, VYRE_TO_THE_END, NULL, NULL, 0, &program));
  CHECK_OK(vyre_graph_create(session, &description, &graph));
  CHECK_OK(vyre_graph_prepare(program, graph, NULL, 0, NULL, search));
  CHECK_OK(vyre_graph_program_free(program));
  CHECK_OK(vyre_graph_free(graph));
}

/* From its first vertex. */
static void run_search(vyre_graph_work search) {
  const uint32_t first = 0;
  vyre_buffer d = 0;
  uint32_t depths[3] = {0};
  const vyre_graph_run_options run = {sizeof run, VYRE_BY_POLICY, &first, 1, 0, 0, 10000000000u};
  CHECK_OK(vyre_graph_run(search, &run, NULL));
  vyre_graph_round round = {0};
  round.struct_size = sizeof round;
  CHECK_OK(vyre_graph_get_round(search, 2, &round));
  CHECK_OK(vyre_graph_buffer(search, "d", &d));
  CHECK_OK(vyre_buffer_read(d, 0, depths, sizeof depths));
  CHECK(depths[0] == 0 && depths[1] == 1 && depths[2] == 2);
  CHECK_OK(vyre_buffer_free(d));
}

static void open_world(struct world* w, const char* device, const char* store, const char* name) {
  char text[512];
  vyre_tuner_key key = {0};
  key.struct_size = sizeof key;
  key.name = name;
  CHECK_OK(vyre_session_open(device, &kOptions, &w->session));
  CHECK_OK(
      vyre_module_load(w->session, text_of(0, text), VYRE_TO_THE_END, "fork.wgsl", &w->module));
  CHECK_OK(vyre_kernel_create(w->module, "add", NULL, 0, &w->kernel));
  CHECK_OK(vyre_buffer_create(w->session, 4 * kCount, &w->buffer));
  const vyre_binding binding = {0, 0, w->buffer, 0, VYRE_TO_THE_END};
  CHECK_OK(vyre_dispatch_create(w->kernel, &binding, 1, &kGrid, NULL, &w->dispatch));
  CHECK_OK(vyre_dispatch_run(w->dispatch, 10000000000u));
  make_pipeline(w, &w->pipeline);
  if (strcmp(device, "cpu") == 0) {
    make_search(w->session, &w->search);
    run_search(w->search);
  }
  CHECK_OK(vyre_tuner_open(store, &key, kCandidates, 3, NULL, &w->tuner));
}

static vyre_code compile(vyre_session session, vyre_buffer buffer, unsigned number) {
  char text[512];
  vyre_module module = 0;
  vyre_kernel kernel = 0;
  const vyre_binding binding = {0, 0, buffer, 0, VYRE_TO_THE_END};
  vyre_code code = vyre_module_load(session, text_of(number, text), VYRE_TO_THE_END, NULL, &module);
  if (!code) code = vyre_kernel_create(module, "add", NULL, 0, &kernel);
  if (!code) code = vyre_run(kernel, &binding, 1, &kGrid, NULL, VYRE_NO_DEADLINE);
  vyre_kernel_free(kernel);
  vyre_module_free(module);
  return code;
}

static void run_and_look(struct world* w) {
  uint32_t ends[2] = {0, 0};
  CHECK_OK(vyre_buffer_clear(w->buffer));
  CHECK_OK(vyre_dispatch_run(w->dispatch, VYRE_NO_DEADLINE));
  CHECK_OK(vyre_dispatch_run(w->dispatch, 10000000000u));
  CHECK_OK(vyre_dispatch_submit(w->dispatch, VYRE_NO_DEADLINE));
  CHECK_OK(vyre_session_wait(w->session));
  CHECK_OK(vyre_buffer_read(w->buffer, 0, &ends[0], 4));
  CHECK_OK(vyre_buffer_read(w->buffer, 4 * (kCount - 1), &ends[1], 4));
  CHECK(ends[0] == 3 && ends[1] == 3);
}

static int verify(void* user, uint32_t candidate, vyre_tuner_verdict* verdict) {
  (void)user;
  (void)verdict;
  return candidate < 3;
}

static void use_tuner(vyre_tuner tuner) {
  char text[4096];
  uint64_t length = 0;
  uint32_t best = 9;
  int64_t value = 0;
  vyre_tuner_state state = {0};
  state.struct_size = sizeof state;
  vyre_tuner_call call = {0};
  call.struct_size = sizeof call;
  for (int i = 0, timed = 0; i < 50; ++i) {
    CHECK_OK(vyre_tuner_next(tuner, &call));
    if (!call.timed) continue;
    if (timed++ == 0) {
      CHECK_OK(vyre_tuner_abandon(tuner, &call));
    } else {
      CHECK_OK(vyre_tuner_report(tuner, &call, 1000.0 * (1 + call.candidate)));
    }
  }
  CHECK_OK(vyre_tuner_best(tuner, &best));
  CHECK(best < 3);
  CHECK_OK(vyre_tuner_value(tuner, best, "a", &value));
  CHECK_OK(vyre_tuner_value_text(tuner, best, "a", text, sizeof text, &length));
  CHECK_OK(vyre_tuner_status(tuner, &state));
  CHECK_OK(vyre_tuner_explain(tuner, text, sizeof text, &length));
  CHECK_OK(vyre_tuner_save(tuner));
}

static void use_queries(struct world* w) {
  uint32_t count = 0, size[3];
  char text[4096];
  uint64_t length = 0;
  vyre_device_info info = {0};
  vyre_limits limits = {0};
  vyre_binding_info binding = {0};
  vyre_variant variant = {0};
  info.struct_size = sizeof info;
  limits.struct_size = sizeof limits;
  binding.struct_size = sizeof binding;
  variant.struct_size = sizeof variant;
  CHECK(vyre_c_version() == VYRE_C_VERSION && vyre_version()[0] != 0);
  CHECK(vyre_code_text(VYRE_OK)[0] != 0);
  CHECK_OK(vyre_device_count(&count));
  CHECK_OK(vyre_device_get(0, &info));
  CHECK_OK(vyre_session_limits(w->session, &limits));
  CHECK_OK(vyre_module_entry_count(w->module, &count));
  CHECK_OK(vyre_module_entry_name(w->module, 0, text, sizeof text, &length));
  CHECK_OK(vyre_module_warnings(w->module, text, sizeof text, &length));
  CHECK_OK(vyre_kernel_workgroup_size(w->kernel, size));
  CHECK_OK(vyre_kernel_binding_count(w->kernel, &count));
  CHECK_OK(vyre_kernel_binding(w->kernel, 0, &binding));
  CHECK_OK(vyre_dispatch_variant(w->dispatch, &variant));
  CHECK_OK(vyre_dispatch_plan_text(w->dispatch, text, sizeof text, &length));
  CHECK_OK(vyre_dispatch_plan_json(w->dispatch, text, sizeof text, &length));
}

static void use_objects(struct world* w) {
  char text[512];
  uint32_t memory[64] = {0};
  uint64_t bytes = 0;
  vyre_buffer other = 0;
  vyre_module module = 0;
  vyre_dispatch dispatch = 0;
  CHECK_OK(vyre_buffer_create(w->session, 4 * kCount, &other));
  CHECK_OK(vyre_buffer_size(other, &bytes));
  CHECK_OK(vyre_buffer_write(other, 0, memory, sizeof memory));
  CHECK_OK(vyre_buffer_copy(other, 0, w->buffer, 0, 4 * kCount));
  CHECK_OK(compile(w->session, other, 1000));
  const vyre_binding binding = {0, 0, other, 0, VYRE_TO_THE_END};
  CHECK_OK(vyre_dispatch_create(w->kernel, &binding, 1, &kGrid, NULL, &dispatch));
  for (int i = 0; i < 20; ++i) CHECK_OK(vyre_dispatch_run(dispatch, VYRE_NO_DEADLINE));
  CHECK_OK(vyre_dispatch_free(dispatch));
  CHECK_OK(vyre_buffer_free(other));
  CHECK_OK(vyre_buffer_adopt(w->session, memory, sizeof memory, &other));
  CHECK_OK(vyre_buffer_free(other));
  CHECK_OK(vyre_module_load_lenient(w->session, text_of(0, text), VYRE_TO_THE_END, NULL, &module));
  CHECK_OK(vyre_module_free(module));
}

static void use_pipelines(struct world* w) {
  char text[4096];
  uint64_t length = 0;
  uint32_t last = 0;
  double ns = 0;
  vyre_pipeline pipeline = 0;
  vyre_buffer x = 0;
  const vyre_uniform_field field = {"value", NULL, 1};
  make_pipeline(w, &pipeline);
  CHECK_OK(vyre_pipeline_set_dim(pipeline, "n", 32));
  CHECK_OK(vyre_pipeline_prepare(pipeline, NULL));
  CHECK_OK(vyre_pipeline_run(pipeline, 10000000000u));
  CHECK_OK(vyre_pipeline_submit(pipeline, VYRE_NO_DEADLINE));
  CHECK_OK(vyre_pipeline_time(pipeline, 1, &ns));
  CHECK_OK(vyre_pipeline_time_within(pipeline, 1, 10000000000u, &ns));
  CHECK_OK(vyre_pipeline_buffer(pipeline, "x", &x));
  CHECK_OK(vyre_buffer_read(x, 4 * 31, &last, 4));
  CHECK(last == 8); /* four runs of two rounds */
  CHECK_OK(vyre_pipeline_bind(pipeline, "x", x));
  CHECK_OK(vyre_buffer_free(x));
  CHECK_CODE(vyre_pipeline_set_uniform(pipeline, "u", &last, 4), VYRE_INVALID_INPUT);
  CHECK_OK(vyre_pipeline_plan_text(pipeline, text, sizeof text, &length));
  CHECK_OK(vyre_pipeline_plan_json(pipeline, text, sizeof text, &length));
  CHECK_OK(vyre_pipeline_free(pipeline));
  CHECK_OK(vyre_pipeline_run(w->pipeline, VYRE_NO_DEADLINE));
  const char* const stage = "vyre = 1\n[[stage]]\nname = \"s\"\nfile = \"s\"\nsize = [1]";
  CHECK_OK(vyre_pipeline_load(w->session, stage, VYRE_TO_THE_END, NULL, &pipeline));
  CHECK_OK(vyre_pipeline_add_uniform(pipeline, "u", &field, 1));
  CHECK_OK(vyre_pipeline_free(pipeline));
  CHECK_OK(vyre_pipeline_load_lenient(w->session, stage, VYRE_TO_THE_END, NULL, &pipeline));
  CHECK_OK(vyre_pipeline_warnings(pipeline, text, sizeof text, &length));
  CHECK_OK(vyre_pipeline_free(pipeline));
}

static void use_graphs(struct world* w) {
  vyre_graph_work search = 0;
  make_search(w->session, &search);
  run_search(search);
  CHECK_OK(vyre_graph_work_free(search));
  run_search(w->search);
}

/* A grid in a buffer: 2 x 1 x 1 workgroups. */
static void use_indirect_grids(struct world* w) {
  const uint32_t groups[3] = {2, 1, 1};
  vyre_buffer grid = 0;
  vyre_dispatch dispatch = 0;
  CHECK_OK(vyre_buffer_create(w->session, sizeof groups, &grid));
  CHECK_OK(vyre_buffer_write(grid, 0, groups, sizeof groups));
  const vyre_indirect_grid where = {grid, 0};
  const vyre_binding binding = {0, 0, w->buffer, 0, VYRE_TO_THE_END};
  CHECK_OK(vyre_dispatch_create_indirect(w->kernel, &binding, 1, &where, NULL, &dispatch));
  CHECK_OK(vyre_dispatch_run(dispatch, VYRE_NO_DEADLINE));
  CHECK_OK(vyre_dispatch_free(dispatch));
  CHECK_OK(vyre_run_indirect(w->kernel, &binding, 1, &where, NULL, VYRE_NO_DEADLINE));
  CHECK_OK(vyre_buffer_free(grid));
}

/* What only a GPU has is refused as always, and a device that is not there stays away. */
static void use_what_is_not_there(struct world* w) {
  vyre_session session = 0;
  vyre_buffer buffer = 0;
  vyre_dispatch dispatch = 0;
  CHECK(vyre_session_open_cuda(NULL, NULL, &session) != VYRE_OK ||
        vyre_session_close(session) == 0);
  CHECK_CODE(vyre_buffer_adopt_address(w->session, 4096, 64, &buffer), VYRE_INVALID_INPUT);
  CHECK(vyre_dispatch_create_gpu(w->session, NULL, NULL, 0, &kGrid, &dispatch) != VYRE_OK);
  CHECK(vyre_last_error() != VYRE_OK && vyre_last_error_text()[0] != 0);
}

static void note_message(void* user, int level, const char* message) {
  (void)level;
  (void)message;
  ++*(int*)user;
}

static void make_every_call(struct world* w) {
  static int messages = 0;
  struct world own = {0};
  memset(called, 0, sizeof called);
  CHECK_OK(vyre_log_to(note_message, &messages, VYRE_LOG_WARN));
  open_world(&own, "cpu", "", "of the child");
  CHECK_OK(vyre_tuner_verify(own.tuner, verify, NULL));
  vyre_tuner_call call = {0};
  call.struct_size = sizeof call;
  CHECK_OK(vyre_tuner_next(own.tuner, &call));
  CHECK_OK(vyre_tuner_fail(own.tuner, &call, "it was meant to"));
  for (int i = 0; i < 2; ++i) {
    struct world* used = i == 0 ? &own : w;
    use_queries(used);
    run_and_look(used);
    use_objects(used);
    use_pipelines(used);
    use_graphs(used);
    use_indirect_grids(used);
    use_what_is_not_there(used);
    use_tuner(used->tuner);
  }
  CHECK_OK(vyre_tuner_close(own.tuner));
  CHECK_OK(vyre_session_close(own.session));
  CHECK_OK(vyre_log_to(NULL, NULL, VYRE_LOG_WARN));
  for (size_t i = 0; i < sizeof called / sizeof *called; ++i) {
    if (!called[i]) printf("%s is not called\n", kCalls[i]);
    CHECK(called[i]);
  }
}

static void close_world(struct world* w) {
  CHECK_OK(vyre_tuner_close(w->tuner));
  CHECK_OK(vyre_session_close(w->session));
}

/* A session of a GPU, and its memory, are of no use; the driver has said why. */
static void find_gpu_gone(struct world* w) {
  vyre_session another = 0;
  vyre_buffer buffer = 0;
  uint32_t memory[4] = {0};
  double ns = 0;
  CHECK_CODE(vyre_dispatch_run(w->dispatch, VYRE_NO_DEADLINE), VYRE_UNAVAILABLE);
  CHECK_CODE(vyre_dispatch_run(w->dispatch, 10000000000u), VYRE_UNAVAILABLE);
  CHECK_CODE(vyre_dispatch_submit(w->dispatch, VYRE_NO_DEADLINE), VYRE_UNAVAILABLE);
  CHECK_CODE(vyre_session_wait(w->session), VYRE_UNAVAILABLE);
  CHECK_CODE(vyre_pipeline_run(w->pipeline, VYRE_NO_DEADLINE), VYRE_UNAVAILABLE);
  CHECK_CODE(vyre_pipeline_submit(w->pipeline, VYRE_NO_DEADLINE), VYRE_UNAVAILABLE);
  CHECK_CODE(vyre_pipeline_time(w->pipeline, 1, &ns), VYRE_UNAVAILABLE);
  CHECK_CODE(vyre_buffer_clear(w->buffer), VYRE_UNAVAILABLE);
  CHECK_CODE(vyre_buffer_write(w->buffer, 0, memory, sizeof memory), VYRE_UNAVAILABLE);
  CHECK_CODE(vyre_buffer_read(w->buffer, 0, memory, sizeof memory), VYRE_UNAVAILABLE);
  CHECK_CODE(vyre_buffer_copy(w->buffer, 0, w->buffer, 64, 64), VYRE_UNAVAILABLE);
  CHECK_CODE(vyre_buffer_create(w->session, 64, &buffer), VYRE_UNAVAILABLE);
  CHECK_CODE(compile(w->session, w->buffer, 3000), VYRE_UNAVAILABLE);
  CHECK_CODE(vyre_session_open("cuda", &kOptions, &another), VYRE_UNAVAILABLE);
  CHECK_OK(vyre_session_open("cpu", &kOptions, &another));
  CHECK_OK(vyre_session_close(another));
}

struct thread {
  struct world* w;
  unsigned number;
  vyre_buffer buffer;
};

static void* work(void* argument) {
  struct thread* t = argument;
  for (unsigned i = 0; !stop_threads; ++i) {
    const struct timespec pause = {0, 200000};
    nanosleep(&pause, NULL);
    vyre_tuner_call call = {0};
    call.struct_size = sizeof call;
    vyre_dispatch_run(t->w->dispatch, 1000000000);
    vyre_tuner_next(t->w->tuner, &call);
    if (call.timed) vyre_tuner_report(t->w->tuner, &call, 1000.0 * (1 + call.candidate));
    if (t->number == 0) compile(t->w->session, t->buffer, 2000 + i);
  }
  return NULL;
}

static void be_a_child(struct world* w, int number, int is_gpu) {
  check_failures = 0;
  alarm(100);
  if (is_gpu) {
    find_gpu_gone(w);
    close_world(w);
  } else if (number % 10 == 0) {
    make_every_call(w);
  } else if (number % 5 == 1) {
    CHECK_OK(compile(w->session, w->buffer, 100000 + (unsigned)number));
    close_world(w);
  } else if (number % 2 == 0) {
    run_and_look(w);
    close_world(w);
  } else if (number % 3 == 0) {
    close_world(w);
  } /* else it abandons them */
  exit(checks_failed()); /* with the handlers of the process's end */
}

int main(int argc, char** argv) {
  const char* device = argc > 1 ? argv[1] : "cpu";
  const int is_gpu = strcmp(device, "cpu") != 0;
  char store[4096];
  const char* folder = getenv("XDG_CACHE_HOME");
  snprintf(store, sizeof store, "%s/fork/evidence.jsonl", folder != NULL ? folder : "/tmp");
  struct world w = {0};
  struct thread threads[kThreads];
  pthread_t ids[kThreads];
  open_world(&w, device, store, "of the parent");
  for (unsigned t = 0; t < kThreads; ++t) {
    threads[t] = (struct thread){&w, t, 0};
    CHECK_OK(vyre_buffer_create(w.session, 4 * kCount, &threads[t].buffer));
    CHECK(pthread_create(&ids[t], NULL, work, &threads[t]) == 0);
  }
  for (int i = 0; i < kForks / (is_gpu ? 10 : 1); ++i) {
    const struct timespec pause = {0, (i % 7) * 700000};
    nanosleep(&pause, NULL);
    fflush(stdout);
    const pid_t id = fork();
    if (id == 0) be_a_child(&w, i, is_gpu);
    int status = -1;
    CHECK(waitpid(id, &status, 0) == id);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) printf("child %d: %d\n", i, status);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  stop_threads = 1;
  for (int t = 0; t < kThreads; ++t) pthread_join(ids[t], NULL);
  if (!is_gpu) run_and_look(&w); /* the parent goes on undisturbed */
  close_world(&w);
  return checks_failed();
}
