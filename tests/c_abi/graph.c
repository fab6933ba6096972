/* Graph programs from C: loaded, prepared, run in every topology, looked at, and refused. */
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
  CHECK_OK(vyre_graph_free(graph));
  CHECK_OK(vyre_session_close(session));
  CHECK_CODE(vyre_graph_program_free(program), VYRE_INVALID_HANDLE);
  return checks_failed();
}
