/* Graph programs from C: loaded, prepared, run in every topology, looked at, used by many threads,
 * misused and refused. */
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "check.h"

static const char* const kText =
    "override most: u32 = 100u;\n"
    "@group(0) @binding(0) var<storage, read_write> far: array<atomic<u32>>;\n"
    "@group(0) @binding(1) var<storage, read> weights: array<u32>;\n"
    "fn init(v: u32) { atomicStore(&far[v], 0xffffffffu); }\n"
    "fn start(v: u32) { atomicStore(&far[v], 0u); }\n"
    "fn visit(s: u32, e: u32, v: u32, r: u32) -> bool {\n"
    "  let through = atomicLoad(&far[s]) + weights[e];\n"
    "  return through <= most && atomicMin(&far[v], through) > through;\n}\n";

/* 0 -> 1 -> 2 -> 3 with weights 1, and 0 -> 3 with weight 9. */
static const uint32_t kOffsets[] = {0, 2, 3, 4, 4};
static const uint32_t kColumns[] = {1, 3, 2, 3};
static const uint32_t kWeights[] = {1, 9, 1, 1};
static const uint32_t kFirst[] = {0};

static void run_in_every_topology(vyre_session session, vyre_graph_program program,
                                  vyre_graph graph) {
  const uint32_t expected[] = {0, 1, 2, 3};
  for (uint32_t topology = VYRE_BY_POLICY; topology <= VYRE_MEMORY_CONSTRAINED; ++topology) {
    vyre_graph_work work = 0;
    vyre_buffer own = 0, far = 0;
    uint32_t found[4] = {0};
    CHECK_OK(vyre_buffer_create(session, sizeof found, &own));
    const vyre_graph_binding binding = {"far", own};
    const vyre_graph_options options = {sizeof options, topology == VYRE_SPARSE ? 1 : 0, 0};
    CHECK_OK(vyre_graph_prepare(program, graph, &binding, 1, &options, &work));
    const vyre_graph_run_options run = {sizeof run, topology, kFirst, 1, 0, 0, VYRE_NO_DEADLINE};
    vyre_graph_result result = {0};
    result.struct_size = sizeof result;
    CHECK_OK(vyre_graph_run(work, &run, &result));
    CHECK(result.ended == 1 && result.rounds >= 3 && result.edges >= 4 && result.ns > 0);
    CHECK_OK(vyre_buffer_read(own, 0, found, sizeof found));
    CHECK(memcmp(found, expected, sizeof found) == 0);
    CHECK_OK(vyre_graph_buffer(work, "far", &far));
    memset(found, 0, sizeof found);
    CHECK_OK(vyre_buffer_read(far, 0, found, sizeof found));
    CHECK(memcmp(found, expected, sizeof found) == 0);
    vyre_graph_round round = {0};
    round.struct_size = sizeof round;
    CHECK_OK(vyre_graph_get_round(work, 0, &round));
    CHECK(round.vertices == 1 && round.edges == 2 && round.reached == 2 && round.workers == 1);
    CHECK(topology == VYRE_BY_POLICY || round.topology == topology);
    CHECK_CODE(vyre_graph_get_round(work, result.rounds, &round), VYRE_INVALID_INPUT);
    CHECK_OK(vyre_buffer_free(far));
    CHECK_OK(vyre_buffer_free(own));
    CHECK_OK(vyre_graph_work_free(work));
  }
}

static void refuse(vyre_session session, vyre_graph_program program, vyre_graph graph) {
  const uint32_t down[] = {0, 3, 2, 3, 4}, beyond[] = {1, 3, 2, 4}, none[] = {4};
  vyre_graph_program other = 0;
  vyre_graph bad = 0;
  vyre_graph_work work = 0;
  vyre_graph_description d = {sizeof d, 4, 4, down, kColumns, NULL};
  CHECK_CODE(vyre_graph_create(session, &d, &bad), VYRE_INVALID_INPUT);
  d.offsets = kOffsets;
  d.columns = beyond;
  CHECK_CODE(vyre_graph_create(session, &d, &bad), VYRE_INVALID_INPUT);
  d.columns = NULL;
  CHECK_CODE(vyre_graph_create(session, &d, &bad), VYRE_NULL_POINTER);
  d.struct_size = 1;
  CHECK_CODE(vyre_graph_create(session, &d, &bad), VYRE_WRONG_SIZE);
  CHECK_CODE(vyre_graph_create(session, NULL, &bad), VYRE_NULL_POINTER);
  CHECK_CODE(vyre_graph_program_load(session, "fn f() {}", VYRE_TO_THE_END, "f", NULL, 0, &other),
             VYRE_INVALID_INPUT);
  CHECK_CODE(vyre_graph_program_load(session, "fn", VYRE_TO_THE_END, "f", NULL, 0, &other),
             VYRE_INVALID_INPUT);
  const vyre_graph_binding unknown = {"near", 0};
  CHECK_CODE(vyre_graph_prepare(program, graph, &unknown, 1, NULL, &work), VYRE_INVALID_HANDLE);
  CHECK_CODE(vyre_graph_prepare(graph, program, NULL, 0, NULL, &work), VYRE_INVALID_HANDLE);
  const vyre_graph_options small = {sizeof small, 0, 100};
  CHECK_CODE(vyre_graph_prepare(program, graph, NULL, 0, &small, &work), VYRE_OUT_OF_MEMORY);
  CHECK_OK(vyre_graph_prepare(program, graph, NULL, 0, NULL, &work));
  vyre_graph_run_options run = {sizeof run, 6, kFirst, 1, 0, 0, VYRE_NO_DEADLINE};
  CHECK_CODE(vyre_graph_run(work, &run, NULL), VYRE_INVALID_INPUT);
  run.topology = VYRE_BY_POLICY;
  run.first = none;
  CHECK_CODE(vyre_graph_run(work, &run, NULL), VYRE_INVALID_INPUT);
  run.first = NULL;
  CHECK_CODE(vyre_graph_run(work, &run, NULL), VYRE_NULL_POINTER);
  vyre_buffer buffer = 0;
  CHECK_CODE(vyre_graph_buffer(work, "near", &buffer), VYRE_INVALID_INPUT);
  CHECK_OK(vyre_graph_work_free(work));
  CHECK_CODE(vyre_graph_work_free(work), VYRE_INVALID_HANDLE);
}

/* Every function, with a handle that is of none of its kinds. */
static void with_bad_handle(uint64_t bad, vyre_graph_program program, vyre_graph graph) {
  const vyre_code no = VYRE_INVALID_HANDLE;
  const vyre_graph_description d = {sizeof d, 4, 4, kOffsets, kColumns, NULL};
  const vyre_graph_binding binding = {"far", bad};
  const vyre_graph_run_options run = {sizeof run, VYRE_BY_POLICY, kFirst, 1, 0, 0, 1};
  vyre_graph_round round = {0};
  round.struct_size = sizeof round;
  uint64_t out = 123;
  CHECK_CODE(vyre_graph_program_load(bad, kText, VYRE_TO_THE_END, NULL, NULL, 0, &out), no);
  CHECK_CODE(vyre_graph_program_free(bad), bad == 0 ? VYRE_OK : no);
  CHECK_CODE(vyre_graph_create(bad, &d, &out), no);
  CHECK_CODE(vyre_graph_free(bad), bad == 0 ? VYRE_OK : no);
  CHECK_CODE(vyre_graph_prepare(bad, graph, NULL, 0, NULL, &out), no);
  CHECK_CODE(vyre_graph_prepare(program, bad, NULL, 0, NULL, &out), no);
  CHECK_CODE(vyre_graph_prepare(program, graph, &binding, 1, NULL, &out), no);
  CHECK_CODE(vyre_graph_work_free(bad), bad == 0 ? VYRE_OK : no);
  CHECK_CODE(vyre_graph_buffer(bad, "far", &out), no);
  CHECK_CODE(vyre_graph_run(bad, &run, NULL), no);
  CHECK_CODE(vyre_graph_get_round(bad, 0, &round), no);
  CHECK(out == 123);
}

static void misuse(vyre_session session, vyre_graph_program program, vyre_graph graph) {
  vyre_session other = 0;
  vyre_graph_program foreign = 0;
  vyre_buffer small = 0, theirs = 0;
  vyre_graph_work work = 0;
  uint64_t out = 0;
  CHECK_CODE(vyre_graph_program_load(session, kText, UINT64_MAX - 1, NULL, NULL, 0, &out),
             VYRE_LIMIT);
  CHECK_CODE(vyre_graph_program_load(session, NULL, 1, NULL, NULL, 0, &out), VYRE_NULL_POINTER);
  CHECK_CODE(vyre_graph_program_load(session, kText, VYRE_TO_THE_END, NULL, NULL, 1, &out),
             VYRE_NULL_POINTER);
  CHECK_CODE(vyre_graph_program_load(session, kText, VYRE_TO_THE_END, NULL, NULL, 0, NULL),
             VYRE_NULL_POINTER);
  const vyre_override reserved = {"most", 0, 1, 50};
  CHECK_CODE(vyre_graph_program_load(session, kText, VYRE_TO_THE_END, NULL, &reserved, 1, &out),
             VYRE_INVALID_INPUT);
  CHECK_CODE(
      vyre_graph_program_load(session, kText, VYRE_TO_THE_END, NULL, &reserved, UINT64_MAX, &out),
      VYRE_LIMIT);
  vyre_graph_description d = {sizeof d, UINT32_MAX, 4, kOffsets, kColumns, NULL};
  CHECK_CODE(vyre_graph_create(session, &d, &out), VYRE_LIMIT);
  d.vertices = 4;
  d.edges = UINT64_MAX;
  CHECK_CODE(vyre_graph_create(session, &d, &out), VYRE_LIMIT);
  d.edges = UINT32_MAX;
  CHECK_CODE(vyre_graph_create(session, &d, &out), VYRE_LIMIT);
  d.edges = 4;
  CHECK_CODE(vyre_graph_create(session, &d, NULL), VYRE_NULL_POINTER);
  d.offsets = NULL;
  CHECK_CODE(vyre_graph_create(session, &d, &out), VYRE_NULL_POINTER);

  CHECK_OK(vyre_session_open("cpu", NULL, &other));
  CHECK_OK(vyre_graph_program_load(other, kText, VYRE_TO_THE_END, NULL, NULL, 0, &foreign));
  CHECK_OK(vyre_buffer_create(other, 16, &theirs));
  CHECK_OK(vyre_buffer_create(session, 1, &small));
  CHECK_CODE(vyre_graph_prepare(foreign, graph, NULL, 0, NULL, &out), VYRE_WRONG_SESSION);
  vyre_graph_binding bindings[] = {{"far", theirs}, {"far", theirs}};
  CHECK_CODE(vyre_graph_prepare(program, graph, bindings, 1, NULL, &out), VYRE_WRONG_SESSION);
  CHECK_CODE(vyre_graph_prepare(program, graph, NULL, 1, NULL, &out), VYRE_NULL_POINTER);
  CHECK_CODE(vyre_graph_prepare(program, graph, bindings, UINT64_MAX, NULL, &out), VYRE_LIMIT);
  CHECK_CODE(vyre_graph_prepare(program, graph, NULL, 0, NULL, NULL), VYRE_NULL_POINTER);
  bindings[0].variable = NULL;
  CHECK_CODE(vyre_graph_prepare(program, graph, bindings, 1, NULL, &out), VYRE_NULL_POINTER);
  bindings[0].variable = "far";
  bindings[0].buffer = bindings[1].buffer = small;
  CHECK_CODE(vyre_graph_prepare(program, graph, bindings, 2, NULL, &out), VYRE_INVALID_INPUT);
  vyre_graph_options options = {0};
  CHECK_CODE(vyre_graph_prepare(program, graph, NULL, 0, &options, &out), VYRE_WRONG_SIZE);
  CHECK_OK(vyre_session_close(other));
  CHECK_CODE(vyre_graph_prepare(foreign, graph, NULL, 0, NULL, &out), VYRE_INVALID_HANDLE);
  CHECK(out == 0);

  CHECK_OK(vyre_graph_prepare(program, graph, NULL, 0, NULL, &work));
  vyre_graph_run_options run = {sizeof run, VYRE_BY_POLICY, kFirst, UINT64_MAX, 0, 0, 1};
  CHECK_CODE(vyre_graph_run(work, &run, NULL), VYRE_LIMIT);
  CHECK_CODE(vyre_graph_run(work, NULL, NULL), VYRE_NULL_POINTER);
  vyre_graph_result result = {0};
  CHECK_CODE(vyre_graph_run(work, &run, &result), VYRE_WRONG_SIZE);
  run.struct_size = 1;
  CHECK_CODE(vyre_graph_run(work, &run, NULL), VYRE_WRONG_SIZE);
  CHECK_CODE(vyre_graph_buffer(work, NULL, &out), VYRE_NULL_POINTER);
  CHECK_CODE(vyre_graph_buffer(work, "far", NULL), VYRE_NULL_POINTER);
  CHECK_CODE(vyre_graph_get_round(work, 0, NULL), VYRE_NULL_POINTER);
  vyre_graph_round round = {0};
  CHECK_CODE(vyre_graph_get_round(work, 0, &round), VYRE_WRONG_SIZE);
  round.struct_size = sizeof round;
  CHECK_CODE(vyre_graph_get_round(work, 0, &round), VYRE_INVALID_INPUT); /* it has not run */
  CHECK_OK(vyre_graph_work_free(work));
  CHECK_OK(vyre_buffer_free(small));

  const uint64_t bad[] = {0, 1, UINT64_MAX, foreign, work};
  for (int i = 0; i < 5; ++i) with_bad_handle(bad[i], program, graph);
}

/* A frontier that never empties ends at the deadline, in both kinds of round, and after that many
 * rounds; the same work then runs as before. */
static void never_ending(vyre_session session) {
  static const char* const text =
      "override for_ever = true;\n"
      "@group(0) @binding(0) var<storage, read_write> seen: array<atomic<u32>>;\n"
      "fn visit(s: u32, e: u32, v: u32, r: u32) -> bool {\n"
      "  return atomicAdd(&seen[v], 1u) == 0u || for_ever;\n}\n";
  const uint32_t offsets[] = {0, 1, 2}, columns[] = {1, 0};
  const vyre_graph_description d = {sizeof d, 2, 2, offsets, columns, NULL};
  const vyre_graph_options options = {sizeof options, 0, 0};
  vyre_graph_program program = 0;
  vyre_graph graph = 0;
  vyre_graph_work work = 0;
  vyre_graph_result result = {0};
  vyre_graph_round round = {0};
  result.struct_size = sizeof result;
  round.struct_size = sizeof round;
  CHECK_OK(vyre_graph_program_load(session, text, VYRE_TO_THE_END, NULL, NULL, 0, &program));
  CHECK_OK(vyre_graph_create(session, &d, &graph));
  CHECK_OK(vyre_graph_prepare(program, graph, NULL, 0, &options, &work));
  vyre_graph_run_options run = {sizeof run, VYRE_BY_POLICY, kFirst, 1, 0, 7, VYRE_NO_DEADLINE};
  for (uint32_t topology = VYRE_BY_POLICY; topology <= VYRE_MEMORY_CONSTRAINED; ++topology) {
    run.topology = topology;
    run.most_rounds = 7;
    run.deadline_ns = VYRE_NO_DEADLINE;
    CHECK_OK(vyre_graph_run(work, &run, &result));
    CHECK(result.ended == 0 && result.rounds == 7 && result.edges == 7);
    CHECK_OK(vyre_graph_get_round(work, 6, &round));
    run.most_rounds = 0;
    run.deadline_ns = 100000000;
    CHECK_CODE(vyre_graph_run(work, &run, &result), VYRE_DEVICE);
    CHECK_OK(vyre_graph_get_round(work, 6, &round)); /* of the last run that ended */
  }
  CHECK_OK(vyre_graph_work_free(work));
  CHECK_OK(vyre_graph_program_free(program));
  CHECK_OK(vyre_graph_free(graph));
}

/* Threads prepare programs for one graph at once: some need its reversed edges, some their indices
 * too. All of them find what is right, whatever the others do. */
enum { kThreads = 6 };
static vyre_graph shared_graph = 0;
static vyre_graph_program pulling[2] = {0};

static void* prepare_and_run(void* number) {
  const int which = *(const int*)number % 2;
  const uint32_t expected[2][4] = {{0, 1, 2, 1}, {0, 7, 9, 8}};
  const vyre_graph_run_options run = {sizeof run, VYRE_DENSE, kFirst, 1, 0, 2, VYRE_NO_DEADLINE};
  uintptr_t wrong = 0;
  for (int i = 0; i < 20; ++i) {
    vyre_graph_work work = 0;
    vyre_buffer seen = 0;
    uint32_t found[4] = {0};
    if (vyre_graph_prepare(pulling[which], shared_graph, NULL, 0, NULL, &work) ||
        vyre_graph_run(work, &run, NULL) || vyre_graph_buffer(work, "seen", &seen) ||
        vyre_buffer_read(seen, 0, found, sizeof found) || vyre_graph_work_free(work) ||
        vyre_buffer_free(seen)) {
      ++wrong;
    }
    if (memcmp(found, expected[which], sizeof found) != 0) ++wrong;
  }
  return (void*)wrong;
}

static void many_threads(vyre_session session) {
  static const char* const texts[] = {
      "@group(0) @binding(0) var<storage, read_write> seen: array<atomic<u32>>;\n"
      "fn wants(v: u32) -> bool { return atomicLoad(&seen[v]) == 0u; }\n"
      "fn visit(s: u32, e: u32, v: u32, r: u32) -> bool {\n"
      "  return atomicMax(&seen[v], r + 1u) == 0u;\n}\n",
      "@group(0) @binding(0) var<storage, read_write> seen: array<atomic<u32>>;\n"
      "fn wants(v: u32) -> bool { return atomicLoad(&seen[v]) == 0u; }\n"
      "fn visit(s: u32, e: u32, v: u32, r: u32) -> bool {\n"
      "  return atomicMax(&seen[v], e + 7u) == 0u;\n}\n"};
  pthread_t threads[kThreads];
  int numbers[kThreads];
  const vyre_graph_description d = {sizeof d, 4, 4, kOffsets, kColumns, NULL};
  for (int i = 0; i < 2; ++i) {
    CHECK_OK(
        vyre_graph_program_load(session, texts[i], VYRE_TO_THE_END, NULL, NULL, 0, &pulling[i]));
  }
  CHECK_OK(vyre_graph_create(session, &d, &shared_graph));
  for (int i = 0; i < kThreads; ++i) {
    numbers[i] = i;
    CHECK(pthread_create(&threads[i], NULL, prepare_and_run, &numbers[i]) == 0);
  }
  for (int i = 0; i < kThreads; ++i) {
    void* wrong = NULL;
    CHECK(pthread_join(threads[i], &wrong) == 0 && wrong == NULL);
  }
}

int main(void) {
  vyre_session session = 0;
  vyre_graph_program program = 0;
  vyre_graph graph = 0;
  const vyre_override most = {"most", 0, 0, 50};
  const vyre_graph_description d = {sizeof d, 4, 4, kOffsets, kColumns, kWeights};
  CHECK_OK(vyre_session_open("cpu", NULL, &session));
  CHECK_OK(
      vyre_graph_program_load(session, kText, VYRE_TO_THE_END, "far.wgsl", &most, 1, &program));
  CHECK_OK(vyre_graph_create(session, &d, &graph));
  run_in_every_topology(session, program, graph);
  refuse(session, program, graph);
  misuse(session, program, graph);
  never_ending(session);
  many_threads(session);
  CHECK_OK(vyre_graph_free(graph));
  CHECK_OK(vyre_session_close(session));
  CHECK_CODE(vyre_graph_program_free(program), VYRE_INVALID_HANDLE);
  return checks_failed();
}
