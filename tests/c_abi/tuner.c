/* Tuning kernels of the caller's own: as it is meant, all that can be done wrong, and threads.
 *
 *   tuner [FOLDER] */
#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

enum { kCandidates = 6, kThreads = 4 };
static const char* const kTexts[kCandidates] = {
    "block=64 items=1 order=row",  "block=128 items=1 order=row",    "block=256 items=1 order=row",
    "block=256 items=2 order=row", "block=256 items=4 order=column", "block=512 items=4 order=row"};
static const double kTimes[kCandidates] = {275e3, 260e3, 240e3, 210e3, 188e3, 200e3};
static const uint32_t kBest = 4;

/* A kernel that exists in numbers alone, with one percent of noise. */
static double run(uint32_t candidate, unsigned* state) {
  *state = *state * 1664525U + 1013904223U;
  return kTimes[candidate] * (0.99 + 0.02 * (double)(*state >> 8) / (double)(1U << 24));
}

static vyre_tuner_key make_key(const char* name) {
  vyre_tuner_key key = {0};
  key.struct_size = sizeof key;
  key.name = name;
  key.version = "1";
  key.size = "4096";
  key.device = "numbers";
  return key;
}

static vyre_tuner_options online(void) {
  vyre_tuner_options options = {0};
  options.struct_size = sizeof options;
  options.mode = VYRE_TUNER_ONLINE;
  return options;
}

static vyre_tuner open_tuner(const char* store, const char* name) {
  const vyre_tuner_key key = make_key(name);
  const vyre_tuner_options options = online();
  vyre_tuner tuner = 0;
  CHECK_OK(vyre_tuner_open(store, &key, kTexts, kCandidates, &options, &tuner));
  return tuner;
}

static vyre_tuner_call next(vyre_tuner tuner) {
  vyre_tuner_call call = {0};
  call.struct_size = sizeof call;
  CHECK_OK(vyre_tuner_next(tuner, &call));
  CHECK(call.candidate < kCandidates);
  return call;
}

static void work(vyre_tuner tuner, int calls) {
  unsigned state = 1;
  for (int i = 0; i < calls; ++i) {
    const vyre_tuner_call call = next(tuner);
    CHECK_OK(vyre_tuner_report(tuner, &call, run(call.candidate, &state)));
  }
}

static void use(const char* store) {
  vyre_tuner tuner = open_tuner(store, "use");
  CHECK(next(tuner).candidate == 0);
  work(tuner, 800);
  uint32_t best = 99;
  CHECK_OK(vyre_tuner_best(tuner, &best));
  CHECK(best == kBest);

  int64_t value = 0;
  CHECK_OK(vyre_tuner_value(tuner, best, "block", &value));
  CHECK(value == 256);
  char text[4096];
  uint64_t length = 0;
  CHECK_OK(vyre_tuner_value_text(tuner, best, "order", text, sizeof text, &length));
  CHECK(strcmp(text, "column") == 0 && length == 6);
  CHECK_OK(vyre_tuner_explain(tuner, NULL, 0, &length));
  CHECK(length > 20 && length < sizeof text);
  CHECK_OK(vyre_tuner_explain(tuner, text, sizeof text, NULL));
  CHECK(strstr(text, "block=256 items=4 order=column") != NULL);
  vyre_tuner_state state = {0};
  state.struct_size = sizeof state;
  CHECK_OK(vyre_tuner_status(tuner, &state));
  /* Calls of the lease that is still running are not counted yet. */
  CHECK(state.spent_ns > 700 * 180e3 && state.lost_ns <= state.allowed_ns);
  CHECK(state.doubted_ns >= 0 && state.disturbed_ns >= 0);
  /* A program that was compiled before there were doubted and disturbed times. */
  vyre_tuner_state old = {0};
  old.struct_size = offsetof(vyre_tuner_state, doubted_ns);
  old.doubted_ns = old.disturbed_ns = -1;
  CHECK_OK(vyre_tuner_status(tuner, &old));
  CHECK(old.spent_ns == state.spent_ns && old.doubted_ns == -1 && old.disturbed_ns == -1);
  CHECK_OK(vyre_tuner_save(tuner));
  CHECK_OK(vyre_tuner_close(tuner));

  /* The winner serves the first call of the next tuner, also where nothing may be tried. */
  tuner = open_tuner(store, "use");
  CHECK(next(tuner).candidate == kBest);
  CHECK_OK(vyre_tuner_close(tuner));
  const vyre_tuner_key key = make_key("use");
  vyre_tuner_options options = online();
  options.mode = VYRE_TUNER_FROZEN;
  CHECK_OK(vyre_tuner_open(store, &key, kTexts, kCandidates, &options, &tuner));
  for (int i = 0; i < 100; ++i) {
    const vyre_tuner_call call = next(tuner);
    CHECK(call.candidate == kBest && !call.timed && !call.probe);
  }
  CHECK_OK(vyre_tuner_close(tuner));
}

/* A call that is far too slow is in doubt until another one decides. */
static void doubted(const char* store) {
  vyre_tuner tuner = open_tuner(store, "doubted");
  unsigned random = 1;
  vyre_tuner_state state = {0};
  state.struct_size = sizeof state;
  for (int i = 0; i < 2000 && state.doubted_ns == 0; ++i) {
    const vyre_tuner_call call = next(tuner);
    CHECK_OK(vyre_tuner_report(tuner, &call, run(call.candidate, &random) * (call.probe ? 40 : 1)));
    CHECK_OK(vyre_tuner_status(tuner, &state));
  }
  CHECK(state.doubted_ns > 30 * 180e3 && state.lost_ns <= state.allowed_ns);
  CHECK_OK(vyre_tuner_close(tuner));
}

/* Candidate 4 is wrong, 5 cannot be verified. */
static int verify(void* user_data, uint32_t candidate, vyre_tuner_verdict* verdict) {
  ++*(int*)user_data;
  CHECK(verdict->struct_size == sizeof *verdict && candidate != 0);
  if (candidate == 5) {
    strcpy(verdict->why, "no scratch memory");
    return -1;
  }
  verdict->cost_ns = 1000;
  return candidate != 4;
}

static void verified(const char* store) {
  vyre_tuner tuner = open_tuner(store, "verified");
  int count = 0;
  CHECK_OK(vyre_tuner_verify(tuner, verify, &count));
  unsigned state = 1;
  for (int i = 0; i < 2000; ++i) {
    const vyre_tuner_call call = next(tuner);
    CHECK(call.candidate < 4);
    CHECK_OK(vyre_tuner_report(tuner, &call, run(call.candidate, &state)));
  }
  uint32_t best = 99;
  CHECK_OK(vyre_tuner_best(tuner, &best));
  CHECK(best == 3);
  CHECK(count >= 3 && count <= 5);
  char text[4096];
  CHECK_OK(vyre_tuner_explain(tuner, text, sizeof text, NULL));
  CHECK(strstr(text, "no scratch memory") != NULL && strstr(text, "wrong result") != NULL);
  CHECK_CODE(vyre_tuner_verify(tuner, verify, &count), VYRE_INVALID_INPUT);
  CHECK_OK(vyre_tuner_close(tuner));
}

static void failing(void) {
  const vyre_tuner tuner = open_tuner("", "failing");
  unsigned state = 1;
  for (int i = 0; i < 2000; ++i) {
    const vyre_tuner_call call = next(tuner);
    if (call.candidate >= 4) {
      CHECK_OK(vyre_tuner_fail(tuner, &call, call.candidate == 4 ? "too many registers" : NULL));
    } else {
      CHECK_OK(vyre_tuner_report(tuner, &call, run(call.candidate, &state)));
    }
  }
  uint32_t best = 99;
  CHECK_OK(vyre_tuner_best(tuner, &best));
  CHECK(best == 3);
  CHECK_OK(vyre_tuner_close(tuner));
}

static void swept(void) {
  const vyre_tuner_key key = make_key("swept");
  vyre_tuner_options options = online();
  options.mode = VYRE_TUNER_SWEEP;
  options.start = 2;
  options.expected_ns = kTimes;
  options.share = 0.5;
  options.allowance_ns = 1e6;
  options.clock_tick_ns = 10;
  vyre_tuner tuner = 0;
  CHECK_OK(vyre_tuner_open("", &key, kTexts, kCandidates, &options, &tuner));
  work(tuner, 200);
  uint32_t best = 99;
  CHECK_OK(vyre_tuner_best(tuner, &best));
  CHECK(best == kBest);
  CHECK_OK(vyre_tuner_close(tuner));
}

/* ---- Misuse ---------------------------------------------------------------------------------- */

static void with_bad_handle(uint64_t bad) {
  const vyre_code no = VYRE_INVALID_HANDLE;
  vyre_tuner_call call = {0};
  call.struct_size = sizeof call;
  vyre_tuner_state state = {0};
  state.struct_size = sizeof state;
  uint32_t candidate = 77;
  int64_t value = 77;
  char text[8] = "before";
  int count = 0;
  CHECK_CODE(vyre_tuner_verify(bad, verify, &count), no);
  CHECK_CODE(vyre_tuner_next(bad, &call), no);
  CHECK_CODE(vyre_tuner_report(bad, &call, 1), no);
  CHECK_CODE(vyre_tuner_abandon(bad, &call), no);
  CHECK_CODE(vyre_tuner_fail(bad, &call, "why"), no);
  CHECK_CODE(vyre_tuner_best(bad, &candidate), no);
  CHECK_CODE(vyre_tuner_value(bad, 0, "block", &value), no);
  CHECK_CODE(vyre_tuner_value_text(bad, 0, "block", text, sizeof text, NULL), no);
  CHECK_CODE(vyre_tuner_status(bad, &state), no);
  CHECK_CODE(vyre_tuner_explain(bad, text, sizeof text, NULL), no);
  CHECK_CODE(vyre_tuner_save(bad), no);
  CHECK_CODE(vyre_tuner_close(bad), bad == 0 ? VYRE_OK : no);
  CHECK(candidate == 77 && value == 77 && strcmp(text, "before") == 0);
}

static void bad_handles(void) {
  const vyre_tuner tuner = open_tuner("", "handles");
  with_bad_handle(0);
  with_bad_handle(1);
  with_bad_handle(UINT64_MAX);
  with_bad_handle((uint64_t)(uintptr_t)&kTexts);
  for (int bit = 0; bit < 60; ++bit) with_bad_handle(tuner ^ (uint64_t)1 << bit);
  CHECK_CODE(vyre_session_wait(tuner), VYRE_INVALID_HANDLE);
  CHECK(strstr(vyre_last_error_text(), "of a tuner") != NULL);
  work(tuner, 10);
  CHECK_OK(vyre_tuner_close(tuner));
  with_bad_handle(tuner);
}

static void bad_opening(const char* store) {
  vyre_tuner out = 123;
  vyre_tuner_key key = make_key("opening");
  vyre_tuner_options options = online();
  const char* const wrong[] = {"block", "=4", "block=1 block=2", "a=1  b=2", " ", "a=b=c"};
  const char* const twice[] = {"block=1", "block=1"};
  const char* const holes[] = {"block=1", NULL};
  CHECK_CODE(vyre_tuner_open("", NULL, kTexts, 2, NULL, &out), VYRE_NULL_POINTER);
  CHECK_CODE(vyre_tuner_open("", &key, NULL, 2, NULL, &out), VYRE_NULL_POINTER);
  CHECK_CODE(vyre_tuner_open("", &key, holes, 2, NULL, &out), VYRE_NULL_POINTER);
  CHECK_CODE(vyre_tuner_open("", &key, kTexts, 2, NULL, NULL), VYRE_NULL_POINTER);
  CHECK_CODE(vyre_tuner_open("", &key, kTexts, 0, NULL, &out), VYRE_INVALID_INPUT);
  CHECK_CODE(vyre_tuner_open("", &key, kTexts, UINT64_MAX, NULL, &out), VYRE_LIMIT);
  CHECK_CODE(vyre_tuner_open("", &key, twice, 2, NULL, &out), VYRE_INVALID_INPUT);
  for (int i = 0; i < 6; ++i) {
    CHECK_CODE(vyre_tuner_open("", &key, wrong + i, 1, NULL, &out), VYRE_INVALID_INPUT);
  }
  const uint32_t sizes[] = {0, 1, 4, 4096, UINT32_MAX};
  for (int i = 0; i < 5; ++i) {
    key.struct_size = sizes[i];
    CHECK_CODE(vyre_tuner_open("", &key, kTexts, 2, NULL, &out), VYRE_WRONG_SIZE);
    key.struct_size = sizeof key;
    options.struct_size = sizes[i];
    CHECK_CODE(vyre_tuner_open("", &key, kTexts, 2, &options, &out), VYRE_WRONG_SIZE);
    options.struct_size = sizeof options;
  }
  key.name = NULL;
  CHECK_CODE(vyre_tuner_open("", &key, kTexts, 2, NULL, &out), VYRE_NULL_POINTER);
  key.name = "";
  CHECK_CODE(vyre_tuner_open("", &key, kTexts, 2, NULL, &out), VYRE_INVALID_INPUT);
  key.name = "opening";
  key.reserved = 1;
  CHECK_CODE(vyre_tuner_open("", &key, kTexts, 2, NULL, &out), VYRE_INVALID_INPUT);
  key.reserved = 0;

  const double times[kCandidates] = {1, 1, -1, 1, 1, 1};
  const struct {
    uint32_t mode, start, reserved;
    const double* expected_ns;
    double share, allowance_ns, clock_tick_ns;
  } bad[] = {{9, 0, 0, NULL, 0, 0, 0},  {0, kCandidates, 0, NULL, 0, 0, 0},
             {0, 0, 1, NULL, 0, 0, 0},  {0, 0, 0, times, 0, 0, 0},
             {0, 0, 0, NULL, -1, 0, 0}, {0, 0, 0, NULL, NAN, 0, 0},
             {0, 0, 0, NULL, 0, -1, 0}, {0, 0, 0, NULL, 0, INFINITY, 0},
             {0, 0, 0, NULL, 0, 0, -1}, {0, 0, 0, NULL, 0, 0, NAN}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    options = online();
    options.mode = bad[i].mode;
    options.start = bad[i].start;
    options.reserved = bad[i].reserved;
    options.expected_ns = bad[i].expected_ns;
    options.share = bad[i].share;
    options.allowance_ns = bad[i].allowance_ns;
    options.clock_tick_ns = bad[i].clock_tick_ns;
    CHECK_CODE(vyre_tuner_open("", &key, kTexts, kCandidates, &options, &out), VYRE_INVALID_INPUT);
  }
  options = online();
  options.least_gain = 1;
  CHECK_CODE(vyre_tuner_open("", &key, kTexts, kCandidates, &options, &out), VYRE_INVALID_INPUT);
  options.struct_size = offsetof(vyre_tuner_options, least_gain); /* not looked at */
  vyre_tuner former = 0;
  CHECK_OK(vyre_tuner_open("", &key, kTexts, kCandidates, &options, &former));
  CHECK_OK(vyre_tuner_close(former));

  FILE* file = fopen(store, "w");
  CHECK(file != NULL);
  if (file == NULL) return;
  fputs("a letter to a friend\nwith two lines\n", file);
  fclose(file);
  const vyre_code code = vyre_tuner_open(store, &key, kTexts, kCandidates, NULL, &out);
  CHECK(code == VYRE_INVALID_INPUT || code == VYRE_IO);
  CHECK(out == 123);
  remove(store);
}

static void bad_calls(void) {
  const vyre_tuner tuner = open_tuner("", "calls"), other = open_tuner("", "other");
  CHECK_CODE(vyre_tuner_verify(tuner, NULL, NULL), VYRE_NULL_POINTER);
  CHECK_CODE(vyre_tuner_next(tuner, NULL), VYRE_NULL_POINTER);
  vyre_tuner_call call = {0};
  CHECK_CODE(vyre_tuner_next(tuner, &call), VYRE_WRONG_SIZE);
  do {
    call = next(tuner);
  } while (!call.timed);
  const double times[] = {-1, NAN, INFINITY, -INFINITY, 1e300};
  for (int i = 0; i < 5; ++i) {
    CHECK_CODE(vyre_tuner_report(tuner, &call, times[i]), VYRE_INVALID_INPUT);
  }
  CHECK_CODE(vyre_tuner_report(tuner, NULL, 1), VYRE_NULL_POINTER);
  CHECK_CODE(vyre_tuner_abandon(tuner, NULL), VYRE_NULL_POINTER);
  CHECK_CODE(vyre_tuner_fail(tuner, NULL, NULL), VYRE_NULL_POINTER);
  CHECK_CODE(vyre_tuner_report(other, &call, 1), VYRE_INVALID_INPUT);
  vyre_tuner_call changed = call;
  changed.struct_size = 8;
  CHECK_CODE(vyre_tuner_report(tuner, &changed, 1), VYRE_WRONG_SIZE);
  changed = call;
  changed.candidate = kCandidates;
  CHECK_CODE(vyre_tuner_fail(tuner, &changed, NULL), VYRE_INVALID_INPUT);
  changed = call;
  changed.id += 1;
  CHECK_CODE(vyre_tuner_report(tuner, &changed, 1), VYRE_INVALID_INPUT);
  /* After all of it the call still waits for its time, and takes it once. */
  CHECK_OK(vyre_tuner_report(tuner, &call, 1e5));
  CHECK_CODE(vyre_tuner_report(tuner, &call, 1e5), VYRE_INVALID_INPUT);
  CHECK_CODE(vyre_tuner_abandon(tuner, &call), VYRE_INVALID_INPUT);

  uint32_t candidate = 0;
  int64_t value = 0;
  char text[8];
  CHECK_CODE(vyre_tuner_best(tuner, NULL), VYRE_NULL_POINTER);
  CHECK_CODE(vyre_tuner_value(tuner, kCandidates, "block", &value), VYRE_INVALID_INPUT);
  CHECK_CODE(vyre_tuner_value(tuner, 0, "blok", &value), VYRE_INVALID_INPUT);
  CHECK(strstr(vyre_last_error_text(), "block, items, order") != NULL);
  CHECK_CODE(vyre_tuner_value(tuner, 0, "order", &value), VYRE_INVALID_INPUT);
  CHECK_CODE(vyre_tuner_value(tuner, 0, NULL, &value), VYRE_NULL_POINTER);
  CHECK_CODE(vyre_tuner_value(tuner, 0, "block", NULL), VYRE_NULL_POINTER);
  CHECK_CODE(vyre_tuner_value_text(tuner, 0, NULL, text, sizeof text, NULL), VYRE_NULL_POINTER);
  CHECK_CODE(vyre_tuner_value_text(tuner, 0, "order", NULL, 8, NULL), VYRE_NULL_POINTER);
  CHECK_CODE(vyre_tuner_explain(tuner, NULL, 8, NULL), VYRE_NULL_POINTER);
  vyre_tuner_state state = {0};
  CHECK_CODE(vyre_tuner_status(tuner, &state), VYRE_WRONG_SIZE);
  CHECK_CODE(vyre_tuner_status(tuner, NULL), VYRE_NULL_POINTER);
  CHECK_OK(vyre_tuner_best(tuner, &candidate));
  CHECK_OK(vyre_tuner_close(tuner));
  CHECK_OK(vyre_tuner_close(other));
}

/* ---- Threads --------------------------------------------------------------------------------- */

static vyre_tuner shared;

static int verify_in_threads(void* user_data, uint32_t candidate, vyre_tuner_verdict* verdict) {
  (void)user_data;
  (void)verdict;
  return candidate != 5;
}

static void* call_until_closed(void* argument) {
  unsigned state = *(const unsigned*)argument;
  uintptr_t wrong = 0;
  for (int i = 0; i < 100000; ++i) {
    vyre_tuner_call call = {0};
    call.struct_size = sizeof call;
    vyre_code code = vyre_tuner_next(shared, &call);
    if (code == VYRE_INVALID_HANDLE) break;
    if (code != VYRE_OK || call.candidate == 5) ++wrong;
    code = vyre_tuner_report(shared, &call, run(call.candidate, &state));
    if (code == VYRE_INVALID_HANDLE) break;
    if (code != VYRE_OK) ++wrong;
  }
  return (void*)wrong;
}

static void threads(const char* store) {
  shared = open_tuner(store, "threads");
  CHECK_OK(vyre_tuner_verify(shared, verify_in_threads, NULL));
  pthread_t started[kThreads];
  unsigned seeds[kThreads];
  for (unsigned i = 0; i < kThreads; ++i) {
    seeds[i] = i + 1;
    CHECK(pthread_create(&started[i], NULL, call_until_closed, &seeds[i]) == 0);
  }
  for (int i = 0; i < 3000; ++i) {
    vyre_tuner_state state = {0};
    state.struct_size = sizeof state;
    CHECK_OK(vyre_tuner_status(shared, &state));
  }
  CHECK_OK(vyre_tuner_close(shared));
  for (unsigned i = 0; i < kThreads; ++i) {
    void* wrong = NULL;
    pthread_join(started[i], &wrong);
    CHECK(wrong == NULL);
  }
}

/* Where the file cannot be written, closing the session says so, and closes it. */
static void closed_session(const char* folder) {
  static const char* const text =
      "@group(0) @binding(0) var<storage, read_write> x: array<f32>;\n"
      "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {\n"
      "  x[id.x] += 1.0;\n}\n";
  char file[1024];
  snprintf(file, sizeof file, "%s/closed/evidence.jsonl", folder);
  vyre_session_options options = {0};
  options.struct_size = sizeof options;
  options.no_cache = 1;
  options.tuning = VYRE_TUNER_ONLINE;
  options.evidence_file = file;
  for (int writable = 1; writable >= 0; --writable) {
    vyre_session session = 0;
    vyre_module module = 0;
    vyre_kernel kernel = 0;
    vyre_buffer buffer = 0;
    vyre_dispatch dispatch = 0;
    const vyre_grid grid = {VYRE_INVOCATIONS, 1 << 12, 1, 1};
    CHECK_OK(vyre_session_open("cpu", &options, &session));
    if (!writable) CHECK(remove(file) == 0 && mkdir(file, 0700) == 0);
    CHECK_OK(vyre_module_load(session, text, VYRE_TO_THE_END, NULL, &module));
    CHECK_OK(vyre_kernel_create(module, "main", NULL, 0, &kernel));
    CHECK_OK(vyre_buffer_create(session, 1 << 14, &buffer));
    const vyre_binding binding = {0, 0, buffer, 0, VYRE_TO_THE_END};
    CHECK_OK(vyre_dispatch_create(kernel, &binding, 1, &grid, NULL, &dispatch));
    for (int i = 0; i < 200; ++i) CHECK_OK(vyre_dispatch_run(dispatch, VYRE_NO_DEADLINE));
    if (writable) {
      CHECK_OK(vyre_session_close(session));
      CHECK(access(file, R_OK) == 0);
    } else {
      CHECK_CODE(vyre_session_close(session), VYRE_IO);
      CHECK(strstr(vyre_last_error_text(), file) != NULL);
      CHECK_CODE(vyre_session_close(session), VYRE_INVALID_HANDLE);
    }
  }
}

int main(void) {
  char store[1024];
  const char* folder = getenv("XDG_CACHE_HOME");
  snprintf(store, sizeof store, "%s/evidence.jsonl", folder != NULL ? folder : "/tmp");
  remove(store);
  use(store);
  doubted(store);
  verified(store);
  threads(store);
  remove(store);
  failing();
  swept();
  bad_handles();
  bad_opening(store);
  bad_calls();
  closed_session(folder != NULL ? folder : "/tmp");
  return checks_failed();
}
