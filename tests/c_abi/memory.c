/* A process that may take little more memory than it has, or whose memory is taken by others while
 * the code generator is at work: every call gives VYRE_OK or VYRE_OUT_OF_MEMORY, the process lives,
 * and it works as always once there is memory again. Each case runs in a process of its own.
 *
 *   memory [CACHE_FOLDER [DEVICE]] */
#define _DEFAULT_SOURCE 1
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum { kTight = 6, kLimits = 40, kTimes = 6, kAfterwards = 5, kFault = 3, kMostTaken = 4096 };

static void set_limit(rlim_t bytes) {
  const struct rlimit limit = {bytes, RLIM_INFINITY};
  if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(kFault);
}

static void allow_more(uint64_t bytes) {
  unsigned long long pages = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%llu", &pages) != 1) _exit(kFault);
  fclose(file);
  set_limit(pages * (unsigned long long)sysconf(_SC_PAGESIZE) + bytes);
}

/* Another thread waits, and takes what is left of the address space. */
static struct {
  long after_us;
  size_t count;
  struct {
    void* at;
    size_t bytes;
  } parts[kMostTaken];
} taken;

static void* take_everything(void* nothing) {
  const struct timespec wait = {taken.after_us / 1000000, taken.after_us % 1000000 * 1000};
  nanosleep(&wait, NULL);
  for (size_t bytes = (size_t)1 << 30; bytes >= 4096 && taken.count < kMostTaken;) {
    void* at = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) {
      bytes /= 2;
    } else {
      taken.parts[taken.count].at = at;
      taken.parts[taken.count++].bytes = bytes;
    }
  }
  return nothing;
}

static void give_everything_back(void) {
  while (taken.count > 0) {
    --taken.count;
    munmap(taken.parts[taken.count].at, taken.parts[taken.count].bytes);
  }
}

static const char* kernel_of(int branches) {
  static char text[8192];
  size_t end = (size_t)snprintf(
      text, sizeof text,
      "@group(0) @binding(0) var<storage, read_write> x: array<f32>;\n"
      "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
      "  var a = x[id.x];\n");
  for (int i = 0; i < branches; ++i) {
    end += (size_t)snprintf(text + end, sizeof text - end,
                            "  if (a > %d.0) { a = sin(a) * %d.5 + x[id.x + %du]; }\n", i, i, i);
  }
  snprintf(text + end, sizeof text - end, "  x[id.x] = a;\n}\n");
  return text;
}

/* Whether it was done; otherwise memory ran out. Anything else ends the process. */
static int is_done(vyre_code code, const char* call) {
  if (code == VYRE_OK) return 1;
  if (code == VYRE_OUT_OF_MEMORY) return 0;
  printf("%s gives %s: %s\n", call, vyre_code_text(code), vyre_last_error_text());
  fflush(stdout);
  _exit(kFault);
}
#define DONE(call) is_done(call, #call)

static int use_library(const char* device, const char* text) {
  const vyre_session_options options = {sizeof options, 2, NULL, 1, 0, 0, 0, NULL};
  vyre_session session = 0;
  vyre_module module = 0;
  vyre_kernel kernel = 0;
  vyre_buffer buffer = 0;
  if (!DONE(vyre_session_open(device, &options, &session))) return 0;
  int done = DONE(vyre_module_load(session, text, VYRE_TO_THE_END, NULL, &module)) &&
             DONE(vyre_kernel_create(module, "main", NULL, 0, &kernel)) &&
             DONE(vyre_buffer_create(session, 4096, &buffer));
  if (done) {
    const vyre_binding binding = {0, 0, buffer, 0, VYRE_TO_THE_END};
    const vyre_grid grid = {VYRE_WORKGROUPS, 16, 1, 1};
    done = DONE(vyre_run(kernel, &binding, 1, &grid, NULL, VYRE_NO_DEADLINE));
  }
  (void)DONE(vyre_session_close(session));
  return done;
}

/* How the process ends: 0 or VYRE_OUT_OF_MEMORY. */
static int in_a_process(const char* device, const char* text, uint64_t more_bytes, long after_us,
                        int and_afterwards) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    pthread_t taker;
    allow_more(more_bytes);
    alarm(60);
    taken.after_us = after_us;
    if (after_us >= 0 && pthread_create(&taker, NULL, take_everything, NULL) != 0) _exit(kFault);
    const int done = use_library(device, text);
    if (after_us >= 0) pthread_join(taker, NULL);
    if (done) _exit(0);
    give_everything_back();
    set_limit(RLIM_INFINITY);
    if (and_afterwards && !use_library(device, text)) {
      printf("not afterwards: %s\n", vyre_last_error_text());
      fflush(stdout);
      _exit(kFault);
    }
    _exit(VYRE_OUT_OF_MEMORY);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return -1;
  if (WIFSIGNALED(status)) printf("ended by signal %d\n", WTERMSIG(status));
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(int count, char** arguments) {
  const char* device = count > 1 ? arguments[1] : "cpu";
  int done = 0, refused = 0;
  for (int i = 0; i < 2 * (kTight + kLimits + kTimes); ++i) {
    const char* text = kernel_of(i % 2 == 0 ? 0 : 8);
    const int at = i / 2 - kTight; /* below 0: a driver that is to be loaded does not fit */
    const uint64_t more = at < 0         ? (uint64_t)(at + kTight) << 15
                          : at < kLimits ? (uint64_t)(at + 1) << 21
                                         : (uint64_t)1 << 30;
    const long after_us = at < kLimits ? -1 : (long)(at - kLimits) * (at - kLimits) * 3000;
    const int afterwards = at < 0 || at >= kLimits || at % kAfterwards == 0;
    const int code = in_a_process(device, text, more, after_us, afterwards);
    done += code == 0;
    refused += code == VYRE_OUT_OF_MEMORY;
    if (code == 0 || code == VYRE_OUT_OF_MEMORY) continue;
    printf("with %llu KiB more, all taken after %ld us: %d\n", (unsigned long long)more >> 10,
           after_us, code);
    CHECK(0);
  }
  printf("%d processes were done, %d ran out of memory\n", done, refused);
  CHECK(done > 0);
  CHECK(refused > 0);
  return checks_failed();
}
