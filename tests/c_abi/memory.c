/* A process that may take little more memory than it has, or whose memory is taken by others at
 * some moment: every call gives VYRE_OK or VYRE_OUT_OF_MEMORY, the process lives, and it works as
 * always once there is memory again. Each case runs in a process of its own.
 *
 *   memory [DEVICE [without_compiler]] */
#define _DEFAULT_SOURCE 1
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "memory_uses.h"

enum { kMostTaken = 4096 };

static void set_limit(int resource, rlim_t bytes) {
  const struct rlimit limit = {bytes, RLIM_INFINITY};
  if (setrlimit(resource, &limit) != 0) _exit(kFault);
}

static void allow_more(int resource, uint64_t bytes) {
  unsigned long long all = 0, data = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%llu %*u %*u %*u %*u %llu", &all, &data) != 2) _exit(kFault);
  fclose(file);
  const unsigned long long pages = resource == RLIMIT_AS ? all : data;
  set_limit(resource, pages * (unsigned long long)sysconf(_SC_PAGESIZE) + bytes);
}

/* Another thread waits, and takes what is left. */
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
    void* at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
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

struct use {
  int (*run)(const char* device, const char* text);
  const char* text;
};

struct limit {
  int resource;
  uint64_t more_bytes;
  long after_us; /* below 0: nobody takes what is left */
};

/* How the process ends: 0 or VYRE_OUT_OF_MEMORY. */
static int in_a_process(const char* device, struct use use, struct limit limit,
                        int and_afterwards) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    pthread_t taker;
    allow_more(limit.resource, limit.more_bytes);
    alarm(300); /* a hang, not a busy machine */
    taken.after_us = limit.after_us;
    const int takes = limit.after_us >= 0;
    if (takes && pthread_create(&taker, NULL, take_everything, NULL) != 0) _exit(kFault);
    const int done = use.run(device, use.text);
    if (takes) pthread_join(taker, NULL);
    if (done) _exit(0);
    give_everything_back();
    set_limit(limit.resource, RLIM_INFINITY);
    if (and_afterwards && !use.run(device, use.text)) {
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

static struct {
  int done, refused;
} counts;

static void try_case(const char* device, struct use use, struct limit limit, int and_afterwards) {
  const int code = in_a_process(device, use, limit, and_afterwards);
  counts.done += code == 0;
  counts.refused += code == VYRE_OUT_OF_MEMORY;
  if (code == 0 || code == VYRE_OUT_OF_MEMORY) return;
  printf("%s: with %llu KiB more, all taken after %ld us: %d\n%s\n",
         limit.resource == RLIMIT_AS ? "RLIMIT_AS" : "RLIMIT_DATA",
         (unsigned long long)limit.more_bytes >> 10, limit.after_us, code, use.text);
  CHECK(0);
}

/* The smallest limits: a driver that is to be loaded does not fit. */
static void try_tight(const char* device) {
  for (int i = 0; i < 6; ++i) {
    const struct use use = {compile_and_run, kernel_of(i % 2 == 0 ? 0 : 8)};
    const struct limit limit = {RLIMIT_AS, (uint64_t)i << 15, -1};
    try_case(device, use, limit, 1);
  }
}

static void try_compiler(const char* device) {
  enum { kLimits = 16, kTimes = 5 };
  for (int i = 0; i < kLimits; ++i) {
    const struct use use = {compile_and_run, kernel_of(i % 2 == 0 ? 0 : 8)};
    const struct limit limit = {i % 8 == 7 ? RLIMIT_DATA : RLIMIT_AS, (uint64_t)(i + 1) << 22, -1};
    try_case(device, use, limit, i % 5 == 0);
  }
  for (int i = 0; i < 2 * kTimes; ++i) {
    const struct use use = {compile_and_run, kernel_of(i % 2 == 0 ? 0 : 8)};
    const struct limit limit = {RLIMIT_AS, (uint64_t)1 << 30, (long)(i / 2) * (i / 2) * 4000};
    try_case(device, use, limit, 1);
  }
}

/* What a program does that uses the defaults, at limits and moments that lie close together. */
static void try_use(const char* device, struct use use, int cases) {
  for (int i = 0; i < cases; ++i) {
    const int resource = i % 6 >= 4 ? RLIMIT_DATA : RLIMIT_AS;
    const struct limit small = {resource, ((uint64_t)8 << 20) + (uint64_t)i * 163840, -1};
    const struct limit sudden = {resource, (uint64_t)1 << 30, (long)i * i * 60};
    try_case(device, use, i % 2 == 0 ? small : sudden, i % 5 == 0);
  }
}

int main(int count, char** arguments) {
  const char* device = count > 1 ? arguments[1] : "cpu";
  const struct use often = {run_often, strcmp(device, "cpu") == 0 ? kShared : kernel_of(1)};
  const struct use pipeline = {run_pipeline, kStages};
  const struct use tuner = {tune, "other"};
  if (count <= 2) {
    try_tight(device);
    try_compiler(device);
  }
  try_use(device, often, 24);
  try_use(device, tuner, 18);
  /* The pretended driver knows no kernel with two bindings. */
  if (strcmp(device, "cpu") == 0) try_use(device, pipeline, 12);
  printf("%d processes were done, %d ran out of memory\n", counts.done, counts.refused);
  CHECK(counts.done > 0);
  CHECK(counts.refused > 0);
  return checks_failed();
}
