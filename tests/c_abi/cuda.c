/* A CUDA program that hands work to the library: its own context, stream and memory, a WGSL kernel
 * and its own PTX. Where there is no driver, or no device, it says that it skipped that, and checks
 * that every call tells why. What is wrong is refused everywhere.
 *
 *   cuda [CACHE_FOLDER] */
#include <dlfcn.h>
#include <string.h>

#include "check.h"

static const char* const kPtx =
    ".version 6.0\n"
    ".target sm_50\n"
    ".address_size 64\n"
    ".visible .entry add(.param .u64 x, .param .u64 bytes, .param .u32 n, .param .u32 a)\n"
    "{\n"
    "  .reg .pred %p<3>;\n"
    "  .reg .b32 %r<7>;\n"
    "  .reg .b64 %rd<5>;\n"
    "  mov.u32 %r1, %ctaid.x;\n"
    "  mov.u32 %r2, %ntid.x;\n"
    "  mov.u32 %r3, %tid.x;\n"
    "  mad.lo.s32 %r1, %r1, %r2, %r3;\n"
    "  ld.param.u32 %r4, [n];\n"
    "  setp.ge.u32 %p1, %r1, %r4;\n"
    "  @%p1 bra end;\n"
    "  ld.param.u64 %rd1, [bytes];\n"
    "  mul.wide.u32 %rd2, %r1, 4;\n"
    "  setp.ge.u64 %p2, %rd2, %rd1;\n"
    "  @%p2 bra end;\n"
    "  ld.param.u64 %rd3, [x];\n"
    "  add.s64 %rd4, %rd3, %rd2;\n"
    "  ld.param.u32 %r5, [a];\n"
    "  ld.global.u32 %r6, [%rd4];\n"
    "  add.s32 %r6, %r6, %r5;\n"
    "  st.global.u32 [%rd4], %r6;\n"
    "end:\n"
    "  ret;\n"
    "}\n";

static const char* const kWgsl =
    "@group(0) @binding(0) var<storage, read_write> x: array<u32>;\n"
    "@compute @workgroup_size(64) fn twice(@builtin(global_invocation_id) id: vec3<u32>) {\n"
    "  if (id.x < arrayLength(&x)) { x[id.x] *= 2u; }\n"
    "}\n";

static const vyre_grid kOne = {VYRE_WORKGROUPS, 1, 1, 1};
static const uint32_t kFive = 5;

static const vyre_gpu_parameter kParameters[] = {
    {VYRE_GPU_ADDRESS, 0, NULL, 0},
    {VYRE_GPU_BYTES, 0, NULL, 0},
    {VYRE_GPU_EXTENT, 0, NULL, 0},
    {VYRE_GPU_VALUE, 0, &kFive, sizeof kFive},
};

static vyre_cuda_options no_options(void) {
  vyre_cuda_options options = {0};
  options.struct_size = sizeof options;
  return options;
}

static vyre_gpu_code add_code(void) {
  vyre_gpu_code code = {0};
  code.struct_size = sizeof code;
  code.format = VYRE_PTX;
  code.code = kPtx;
  code.code_bytes = VYRE_TO_THE_END;
  code.entry = "add";
  code.parameters = kParameters;
  code.parameter_count = 4;
  code.workgroup[0] = 32;
  code.workgroup[1] = code.workgroup[2] = 1;
  return code;
}

static void wrong_sessions(void) {
  vyre_session session = 0;
  CHECK_CODE(vyre_session_open_cuda(NULL, NULL, NULL), VYRE_NULL_POINTER);
  const uint32_t wrong[] = {0, 1, 4, 4096, UINT32_MAX};
  for (int i = 0; i < 5; ++i) {
    vyre_cuda_options cuda = {0};
    cuda.struct_size = wrong[i];
    CHECK_CODE(vyre_session_open_cuda(&cuda, NULL, &session), VYRE_WRONG_SIZE);
    cuda.struct_size = sizeof cuda;
    vyre_session_options options = {0};
    options.struct_size = wrong[i];
    CHECK_CODE(vyre_session_open_cuda(&cuda, &options, &session), VYRE_WRONG_SIZE);
  }
  int something = 0;
  vyre_cuda_options cuda = no_options();
  cuda.stream = &something;
  CHECK_CODE(vyre_session_open_cuda(&cuda, NULL, &session), VYRE_INVALID_INPUT);
  CHECK(strstr(vyre_last_error_text(), "has_stream") != NULL);
  cuda = no_options();
  cuda.ordinal = UINT32_MAX;
  CHECK_CODE(vyre_session_open_cuda(&cuda, NULL, &session), VYRE_UNAVAILABLE);
  CHECK(session == 0);
}

/* Whatever the device is, this is refused before it is asked. */
static void wrong_code(vyre_session session, vyre_buffer x) {
  const vyre_binding at_x = {0, 0, x, 0, VYRE_TO_THE_END};
  vyre_dispatch out = 0;
  vyre_gpu_code code = add_code();
#define CREATE(given) vyre_dispatch_create_gpu(session, given, &at_x, 1, &kOne, &out)
  CHECK_CODE(CREATE(NULL), VYRE_NULL_POINTER);
  CHECK_CODE(vyre_dispatch_create_gpu(session, &code, NULL, 1, &kOne, &out), VYRE_NULL_POINTER);
  CHECK_CODE(vyre_dispatch_create_gpu(session, &code, &at_x, 1, NULL, &out), VYRE_NULL_POINTER);
  CHECK_CODE(vyre_dispatch_create_gpu(session, &code, &at_x, 1, &kOne, NULL), VYRE_NULL_POINTER);
  CHECK_CODE(vyre_dispatch_create_gpu(0, &code, &at_x, 1, &kOne, &out), VYRE_INVALID_HANDLE);
  CHECK_CODE(vyre_dispatch_create_gpu(x, &code, &at_x, 1, &kOne, &out), VYRE_INVALID_HANDLE);
  const vyre_binding at_none = {0, 0, session, 0, VYRE_TO_THE_END};
  CHECK_CODE(vyre_dispatch_create_gpu(session, &code, &at_none, 1, &kOne, &out),
             VYRE_INVALID_HANDLE);
  CHECK_CODE(vyre_dispatch_create_gpu(session, &code, &at_x, UINT64_MAX, &kOne, &out), VYRE_LIMIT);
  code.struct_size = 8;
  CHECK_CODE(CREATE(&code), VYRE_WRONG_SIZE);
  code = add_code();
  code.code = NULL;
  CHECK_CODE(CREATE(&code), VYRE_NULL_POINTER);
  code = add_code();
  code.entry = NULL;
  CHECK_CODE(CREATE(&code), VYRE_NULL_POINTER);
  code = add_code();
  code.parameters = NULL;
  CHECK_CODE(CREATE(&code), VYRE_NULL_POINTER);
  code = add_code();
  code.parameter_count = UINT64_MAX;
  CHECK_CODE(CREATE(&code), VYRE_LIMIT);
  code = add_code();
  code.code_bytes = UINT64_MAX - 1;
  CHECK_CODE(CREATE(&code), VYRE_LIMIT);
  code.code_bytes = 0;
  CHECK_CODE(CREATE(&code), VYRE_INVALID_INPUT);
  code = add_code();
  code.format = VYRE_CUBIN;
  CHECK_CODE(CREATE(&code), VYRE_INVALID_INPUT);
  code.format = 7;
  CHECK_CODE(CREATE(&code), VYRE_INVALID_INPUT);
  code = add_code();
  code.code = "a\0b";
  code.code_bytes = 3;
  CHECK_CODE(CREATE(&code), VYRE_INVALID_INPUT);
  code = add_code();
  code.reserved = 1;
  CHECK_CODE(CREATE(&code), VYRE_INVALID_INPUT);

  const vyre_gpu_parameter wrong[] = {
      {6, 0, &kFive, 4},
      {UINT32_MAX, 0, &kFive, 4},
      {VYRE_GPU_EXTENT, 3, NULL, 0},
      {VYRE_GPU_VALUE, 0, &kFive, 0},
      {VYRE_GPU_VALUE, 0, &kFive, UINT64_MAX},
  };
  code = add_code();
  code.parameter_count = 1;
  for (int i = 0; i < 5; ++i) {
    code.parameters = &wrong[i];
    CHECK_CODE(CREATE(&code), VYRE_INVALID_INPUT);
  }
  const vyre_gpu_parameter null_value = {VYRE_GPU_VALUE, 0, NULL, 4};
  code.parameters = &null_value;
  CHECK_CODE(CREATE(&code), VYRE_NULL_POINTER);
#undef CREATE
  CHECK(out == 0);
}

static void on_the_cpu(void) {
  vyre_session session = 0;
  vyre_buffer x = 0, buffer = 0;
  vyre_dispatch dispatch = 0;
  CHECK_OK(vyre_session_open("cpu", NULL, &session));
  CHECK_OK(vyre_buffer_create(session, 64, &x));
  wrong_code(session, x);
  const vyre_binding at_x = {0, 0, x, 0, VYRE_TO_THE_END};
  const vyre_gpu_code code = add_code();
  CHECK_CODE(vyre_dispatch_create_gpu(session, &code, &at_x, 1, &kOne, &dispatch),
             VYRE_INVALID_INPUT);
  CHECK(strstr(vyre_last_error_text(), "'add' is GPU code") != NULL);
  CHECK_CODE(vyre_buffer_adopt_address(session, 4096, 64, &buffer), VYRE_INVALID_INPUT);
  CHECK(strstr(vyre_last_error_text(), "vyre_buffer_adopt ") != NULL);
  CHECK_CODE(vyre_buffer_adopt_address(session, 4096, 64, NULL), VYRE_NULL_POINTER);
  CHECK_CODE(vyre_buffer_adopt_address(0, 4096, 64, &buffer), VYRE_INVALID_HANDLE);
  CHECK_CODE(vyre_buffer_adopt_address(x, 4096, 64, &buffer), VYRE_INVALID_HANDLE);
  CHECK(dispatch == 0 && buffer == 0);
  CHECK_OK(vyre_session_close(session));
}

/* ---- The application: what it calls of the driver -------------------------------------------- */

typedef struct {
  int (*cuDevicePrimaryCtxRetain)(void** context, int device);
  int (*cuCtxSetCurrent)(void* context);
  int (*cuCtxGetCurrent)(void** context);
  int (*cuStreamCreate)(void** stream, unsigned flags);
  int (*cuStreamSynchronize)(void* stream);
  int (*cuStreamDestroy_v2)(void* stream);
  int (*cuMemAlloc_v2)(uint64_t* address, size_t bytes);
  int (*cuMemFree_v2)(uint64_t address);
  int (*cuMemsetD32Async)(uint64_t address, unsigned value, size_t count, void* stream);
  int (*cuMemcpyDtoHAsync_v2)(void* to, uint64_t from, size_t bytes, void* stream);
} driver_calls;

static int find_driver(driver_calls* driver) {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return 0;
  void* found;
#define FIND(name)               \
  found = dlsym(library, #name); \
  if (found == NULL) return 0;   \
  memcpy(&driver->name, &found, sizeof found)
  FIND(cuDevicePrimaryCtxRetain);
  FIND(cuCtxSetCurrent);
  FIND(cuCtxGetCurrent);
  FIND(cuStreamCreate);
  FIND(cuStreamSynchronize);
  FIND(cuStreamDestroy_v2);
  FIND(cuMemAlloc_v2);
  FIND(cuMemFree_v2);
  FIND(cuMemsetD32Async);
  FIND(cuMemcpyDtoHAsync_v2);
#undef FIND
  return 1;
}

enum { kCount = 1000, kBytes = kCount * 4 };

static void wrong_on_the_gpu(vyre_session session, vyre_buffer x) {
  wrong_code(session, x);
  const vyre_binding at_x = {0, 0, x, 0, VYRE_TO_THE_END};
  vyre_dispatch out = 0;
  vyre_gpu_code code = add_code();
  CHECK_CODE(vyre_dispatch_create_gpu(session, &code, NULL, 0, &kOne, &out), VYRE_INVALID_INPUT);
  code.parameter_count = 3;
  CHECK(vyre_dispatch_create_gpu(session, &code, &at_x, 1, &kOne, &out) != VYRE_OK);
  code = add_code();
  code.entry = "absent";
  CHECK_CODE(vyre_dispatch_create_gpu(session, &code, &at_x, 1, &kOne, &out), VYRE_INVALID_INPUT);
  code = add_code();
  code.code = "this is wrong";
  CHECK_CODE(vyre_dispatch_create_gpu(session, &code, &at_x, 1, &kOne, &out), VYRE_INVALID_INPUT);
  code.format = VYRE_CUBIN;
  code.code_bytes = 13;
  CHECK_CODE(vyre_dispatch_create_gpu(session, &code, &at_x, 1, &kOne, &out), VYRE_INVALID_INPUT);
  code = add_code();
  code.workgroup[1] = 0;
  CHECK_CODE(vyre_dispatch_create_gpu(session, &code, &at_x, 1, &kOne, &out), VYRE_INVALID_INPUT);
  vyre_buffer buffer = 0;
  CHECK_CODE(vyre_buffer_adopt_address(session, 0, 4, &buffer), VYRE_INVALID_INPUT);
  CHECK_CODE(vyre_buffer_adopt_address(session, 4096, UINT64_MAX, &buffer), VYRE_INVALID_INPUT);
  CHECK(out == 0 && buffer == 0);
}

/* x = 3; x *= 2 (WGSL); x += 5 (PTX); x *= 2 (WGSL), all in the application's stream. */
static void guest(const driver_calls* cu, int with_stream) {
  void *context = NULL, *stream = NULL, *now = NULL;
  uint64_t address = 0;
  CHECK(cu->cuDevicePrimaryCtxRetain(&context, 0) == 0);
  CHECK(cu->cuCtxSetCurrent(context) == 0);
  if (with_stream) CHECK(cu->cuStreamCreate(&stream, 0) == 0);
  CHECK(cu->cuMemAlloc_v2(&address, kBytes) == 0);

  vyre_cuda_options options = no_options();
  options.context = context;
  options.stream = stream;
  options.has_stream = 1;
  vyre_session session = 0;
  vyre_module module = 0;
  vyre_kernel kernel = 0;
  vyre_buffer x = 0;
  vyre_dispatch twice = 0, add = 0;
  CHECK_OK(vyre_session_open_cuda(&options, NULL, &session));
  CHECK_OK(vyre_buffer_adopt_address(session, address, kBytes, &x));
  CHECK_OK(vyre_module_load(session, kWgsl, VYRE_TO_THE_END, NULL, &module));
  CHECK_OK(vyre_kernel_create(module, NULL, NULL, 0, &kernel));
  const vyre_binding at_x = {0, 0, x, 0, VYRE_TO_THE_END};
  const vyre_grid all = {VYRE_INVOCATIONS, kCount, 1, 1};
  const vyre_grid but_one = {VYRE_INVOCATIONS, kCount - 1, 1, 1};
  CHECK_OK(vyre_dispatch_create(kernel, &at_x, 1, &all, NULL, &twice));
  const vyre_gpu_code code = add_code();
  CHECK_OK(vyre_dispatch_create_gpu(session, &code, &at_x, 1, &but_one, &add));
  wrong_on_the_gpu(session, x);

  CHECK(cu->cuMemsetD32Async(address, 3, kCount, stream) == 0);
  CHECK_OK(vyre_dispatch_submit(twice, VYRE_NO_DEADLINE));
  CHECK_OK(vyre_dispatch_submit(add, VYRE_NO_DEADLINE));
  CHECK_OK(vyre_dispatch_submit(twice, VYRE_NO_DEADLINE));
  uint32_t got[kCount] = {0};
  CHECK(cu->cuMemcpyDtoHAsync_v2(got, address, kBytes, stream) == 0);
  CHECK(cu->cuStreamSynchronize(stream) == 0);
  for (int i = 0; i < kCount; ++i) CHECK(got[i] == (i == kCount - 1 ? 12U : 22U));
  CHECK_OK(vyre_dispatch_run(add, 1000000000));
  CHECK_OK(vyre_buffer_read(x, 0, got, kBytes));
  CHECK(got[0] == 27 && got[kCount - 2] == 27 && got[kCount - 1] == 12);
  CHECK_OK(vyre_session_close(session));

  /* All of theirs is as it was. */
  CHECK(cu->cuCtxGetCurrent(&now) == 0 && now == context);
  CHECK(cu->cuMemsetD32Async(address, 1, kCount, stream) == 0);
  CHECK(cu->cuStreamSynchronize(stream) == 0);
  CHECK(cu->cuMemFree_v2(address) == 0);
  if (with_stream) CHECK(cu->cuStreamDestroy_v2(stream) == 0);
}

int main(void) {
  wrong_sessions();
  on_the_cpu();
  vyre_session session = 0;
  const vyre_code code = vyre_session_open_cuda(NULL, NULL, &session);
  if (code == VYRE_UNAVAILABLE) {
    CHECK(session == 0 && strlen(vyre_last_error_text()) > 0);
    printf("skipped what needs a GPU: %s\n", vyre_last_error_text());
    vyre_cuda_options options = no_options();
    CHECK_CODE(vyre_session_open_cuda(&options, NULL, &session), VYRE_UNAVAILABLE);
    return checks_failed();
  }
  CHECK(code == VYRE_OK);
  vyre_cuda_options without_context = no_options();
  without_context.has_stream = 1;
  vyre_session other = 0;
  CHECK_CODE(vyre_session_open_cuda(&without_context, NULL, &other), VYRE_INVALID_INPUT);
  CHECK_OK(vyre_session_close(session));
  driver_calls driver = {0};
  CHECK(find_driver(&driver));
  if (checks_failed()) return 1;
  guest(&driver, 1);
  guest(&driver, 0);
  return checks_failed();
}
