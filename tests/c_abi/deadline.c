/* A kernel that takes many seconds to compile, with a deadline of half a second: the call returns
 * in time, the process works on, and unloads the library and exits while the code generator may
 * still be at work.
 *
 *   deadline LIBVYRE */
#define _DEFAULT_SOURCE 1
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <vyre/c.h>

enum { kLoops = 8000, kSpace = 1 << 20 };
/* Seconds. Compiling takes ten and more of a processor's time, which a busy machine leaves as it
 * is. */
static const double kDeadline = 0.5, kMost = 5.0;

/* A function of the header under its own type. */
#define FUNCTION(name)                           \
  union {                                        \
    void* object;                                \
    __typeof__(&name) call;                      \
  } name##_;                                     \
  name##_.object = dlsym(library, #name);        \
  if (name##_.object == NULL) {                  \
    printf("%s is not in the library\n", #name); \
    return 1;                                    \
  }

static const char* kernel_with(int loops) {
  static char text[kSpace];
  size_t end = (size_t)snprintf(
      text, sizeof text,
      "@group(0) @binding(0) var<storage, read_write> x: array<f32>;\n"
      "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
      "  var a = x[id.x];\n");
  for (int i = 0; i < loops; ++i) {
    end += (size_t)snprintf(text + end, sizeof text - end,
                            "  for (var i = 0u; i < u32(a); i += 1u) { a += x[i + %du]; }\n", i);
  }
  snprintf(text + end, sizeof text - end, "  x[id.x] = a;\n}\n");
  return text;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Whether a call that began then ended as one does that could not compile in time. */
static int ended_in_time(vyre_code code, const char* said, double begin, clock_t cpu_begin) {
  const double spent = now() - begin;
  const double worked = (double)(clock() - cpu_begin) / CLOCKS_PER_SEC;
  printf("%d after %.2f s: %s\n", (int)code, spent, said);
  return code == VYRE_DEVICE && spent >= 0.9 * kDeadline && worked <= kMost &&
         strstr(said, "compiling kernel 'main' was not done by its deadline") != NULL;
}

static int use(void* library) {
  FUNCTION(vyre_session_open)
  FUNCTION(vyre_module_load)
  FUNCTION(vyre_kernel_create)
  FUNCTION(vyre_buffer_create)
  FUNCTION(vyre_run)
  FUNCTION(vyre_dispatch_create)
  FUNCTION(vyre_last_error_text)
  FUNCTION(vyre_session_close)
  const vyre_session_options options = {
      sizeof options, 2, NULL, 1, 0, 0, 0, NULL, 0, (uint64_t)(kDeadline * 1e9)};
  const vyre_grid grid = {VYRE_INVOCATIONS, 4, 1, 1};
  vyre_session session = 0;
  vyre_module slow_module = 0, quick_module = 0;
  vyre_kernel slow = 0, quick = 0;
  vyre_buffer buffer = 0;
  vyre_dispatch dispatch = 0;
  vyre_code code = vyre_session_open_.call("cpu", &options, &session);
  if (!code) {
    code =
        vyre_module_load_.call(session, kernel_with(kLoops), VYRE_TO_THE_END, NULL, &slow_module);
  }
  if (!code) code = vyre_kernel_create_.call(slow_module, NULL, NULL, 0, &slow);
  if (!code) {
    code = vyre_module_load_.call(session, kernel_with(0), VYRE_TO_THE_END, NULL, &quick_module);
  }
  if (!code) code = vyre_kernel_create_.call(quick_module, NULL, NULL, 0, &quick);
  if (!code) code = vyre_buffer_create_.call(session, 64, &buffer);
  if (code) {
    printf("%d: %s\n", (int)code, vyre_last_error_text_.call());
    return 1;
  }
  const vyre_binding binding = {0, 0, buffer, 0, VYRE_TO_THE_END};
  clock_t cpu_begin = clock();
  double begin = now();
  code = vyre_run_.call(slow, &binding, 1, &grid, NULL, (uint64_t)(kDeadline * 1e9));
  if (!ended_in_time(code, vyre_last_error_text_.call(), begin, cpu_begin)) return 1;
  cpu_begin = clock();
  begin = now();
  code = vyre_dispatch_create_.call(slow, &binding, 1, &grid, NULL, &dispatch);
  if (!ended_in_time(code, vyre_last_error_text_.call(), begin, cpu_begin)) return 1;
  code = vyre_run_.call(quick, &binding, 1, &grid, NULL, VYRE_NO_DEADLINE);
  if (!code) code = vyre_session_close_.call(session);
  if (code) printf("%d: %s\n", (int)code, vyre_last_error_text_.call());
  return code != VYRE_OK;
}

static int in_a_process(const char* path, int unloads) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    alarm(120);
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
      printf("%s\n", dlerror());
      exit(1);
    }
    const int failed = use(library);
    if (unloads && dlclose(library) != 0) exit(1);
    exit(failed);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return 1;
  if (WIFSIGNALED(status)) printf("ended by signal %d\n", WTERMSIG(status));
  return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const int failures = in_a_process(argv[1], 0) + in_a_process(argv[1], 1);
  return failures != 0;
}
