/* A process that may take little more memory than it has, or whose memory is taken by others while
 * the code generator is at work: every call gives VYRE_OK or VYRE_OUT_OF_MEMORY, and the process
 * lives. Each case runs in a process of its own. */
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

enum { kLimits = 40, kTimes = 16, kFault = 3 };

static void set_limit(uint64_t more_bytes) {
  char line[128];
  unsigned long long kib = 0;
  FILE* status = fopen("/proc/self/status", "r");
  while (status != NULL && fgets(line, sizeof line, status) != NULL) {
    if (sscanf(line, "VmSize: %llu", &kib) == 1) break;
  }
  if (status != NULL) fclose(status);
  const struct rlimit limit = {kib * 1024 + more_bytes, kib * 1024 + more_bytes};
  if (kib == 0 || setrlimit(RLIMIT_AS, &limit) != 0) _exit(kFault);
}

/* Waits, and takes what is left of the address space. */
static void* take_everything(void* microseconds) {
  const long wait_us = *(const long*)microseconds;
  const struct timespec wait = {wait_us / 1000000, wait_us % 1000000 * 1000};
  nanosleep(&wait, NULL);
  for (size_t bytes = (size_t)1 << 30; bytes >= 4096;) {
    void* taken = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (taken == MAP_FAILED) bytes /= 2;
  }
  return NULL;
}

/* Long enough that memory runs out in every part of the code generator. */
static const char* long_kernel(void) {
  static char text[32768];
  size_t end = (size_t)snprintf(
      text, sizeof text,
      "@group(0) @binding(0) var<storage, read_write> x: array<f32>;\n"
      "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
      "  var a = x[id.x];\n");
  for (int i = 0; i < 30; ++i) {
    end += (size_t)snprintf(text + end, sizeof text - end,
                            "  if (a > %d.0) { a = sin(a) * %d.5 + x[id.x + %du]; }\n", i, i, i);
  }
  snprintf(text + end, sizeof text - end, "  x[id.x] = a;\n}\n");
  return text;
}

static int is_allowed(vyre_code code, const char* call) {
  if (code == VYRE_OK) return 1;
  if (code != VYRE_OUT_OF_MEMORY) {
    printf("%s gives %s: %s\n", call, vyre_code_text(code), vyre_last_error_text());
    fflush(stdout);
    _exit(kFault);
  }
  return 0;
}
#define DO(call) \
  if (!is_allowed(call, #call)) _exit(VYRE_OUT_OF_MEMORY)

static void use_library(const char* text) {
  const vyre_session_options options = {sizeof options, 2, NULL, 1, 0};
  vyre_session session = 0;
  vyre_module module = 0;
  vyre_kernel kernel = 0;
  vyre_buffer buffer = 0;
  DO(vyre_session_open("cpu", &options, &session));
  DO(vyre_module_load(session, text, VYRE_TO_THE_END, NULL, &module));
  DO(vyre_kernel_create(module, "main", NULL, 0, &kernel));
  DO(vyre_buffer_create(session, 4096, &buffer));
  const vyre_binding binding = {0, 0, buffer, 0, VYRE_TO_THE_END};
  const vyre_grid grid = {VYRE_WORKGROUPS, 16, 1, 1};
  /* A second call, because memory that ran out must not leave anything locked. */
  int ran = 0;
  for (int i = 0; i < 2; ++i) {
    ran += is_allowed(vyre_run(kernel, &binding, 1, &grid, NULL, 0), "vyre_run");
  }
  DO(vyre_session_close(session));
  _exit(ran == 2 ? 0 : VYRE_OUT_OF_MEMORY);
}

/* How the process ends: 0 or VYRE_OUT_OF_MEMORY. */
static int in_a_process(const char* text, uint64_t more_bytes, long taken_after_us) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    pthread_t taker;
    set_limit(more_bytes);
    alarm(120);
    if (taken_after_us >= 0 &&
        pthread_create(&taker, NULL, take_everything, &taken_after_us) != 0) {
      _exit(kFault);
    }
    use_library(text);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return -1;
  if (WIFSIGNALED(status)) printf("ended by signal %d\n", WTERMSIG(status));
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(void) {
  const char* text = long_kernel();
  int done = 0, refused = 0;
  for (int i = 0; i < kLimits + kTimes; ++i) {
    const int is_limit = i < kLimits;
    const uint64_t more = is_limit ? (uint64_t)(i + 1) * 6 << 20 : (uint64_t)1 << 30;
    const long after_us = is_limit ? -1 : (long)(i - kLimits) * (i - kLimits) * 1500;
    const int code = in_a_process(text, more, after_us);
    done += code == 0;
    refused += code == VYRE_OUT_OF_MEMORY;
    if (code == 0 || code == VYRE_OUT_OF_MEMORY) continue;
    printf("with %llu MiB more, all taken after %ld us: %d\n", (unsigned long long)more >> 20,
           after_us, code);
    CHECK(0);
  }
  printf("%d processes were done, %d ran out of memory\n", done, refused);
  CHECK(done > 0);
  CHECK(refused > 0);
  return checks_failed();
}
