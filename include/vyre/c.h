/* vyre from C: run WGSL compute kernels on a device. Link libvyre.so, or open it with dlopen.
 *
 *   vyre_session session = 0;
 *   vyre_module module = 0;
 *   vyre_kernel kernel = 0;
 *   vyre_buffer buffer = 0;
 *   vyre_session_open("auto", NULL, &session);
 *   vyre_module_load(session, text, VYRE_TO_THE_END, "kernel.wgsl", &module);
 *   vyre_kernel_create(module, "main", NULL, 0, &kernel);
 *   vyre_buffer_create(session, bytes, &buffer);
 *   vyre_buffer_write(buffer, 0, data, bytes);
 *   const vyre_binding bindings[] = {{0, 0, buffer, 0, VYRE_TO_THE_END}};
 *   const vyre_grid grid = {VYRE_INVOCATIONS, n, 1, 1};
 *   vyre_run(kernel, bindings, 1, &grid, NULL, VYRE_NO_DEADLINE);
 *   vyre_buffer_read(buffer, 0, data, bytes);
 *   vyre_session_close(session);
 *
 * Every function that can fail returns a vyre_code, and vyre_last_error_text() says more. When a
 * call fails, it has changed nothing, and what it would have written through its pointers is as it
 * was; only a launch that fails leaves in its buffers what it had written by then.
 *
 * Handles are numbers, not pointers. One that is 0, was freed, was never given out, or belongs to
 * something else is found out and gives VYRE_INVALID_HANDLE. Everything may be called from any
 * thread at any time; an object that is freed while another thread uses it goes when that call
 * ends. Closing a session frees everything that came from it.
 *
 * Structs that may grow start with their size: set struct_size to sizeof the struct. A size that
 * this library does not know is an error, never a guess. Text is UTF-8. */
#ifndef VYRE_C_H
#define VYRE_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define VYRE_API __attribute__((visibility("default")))
#else
#define VYRE_API
#endif

/* ---- Version --------------------------------------------------------------------------------- */

/* What this header declares; it grows when something is added, and nothing is ever taken away. */
#define VYRE_C_VERSION 3

VYRE_API uint32_t vyre_c_version(void);  /* VYRE_C_VERSION of the library that runs */
VYRE_API const char* vyre_version(void); /* of the product: "0.1.0" */

/* ---- Errors ---------------------------------------------------------------------------------- */

typedef enum vyre_code {
  VYRE_OK = 0,
  VYRE_INVALID_INPUT = 1,  /* text, a value or an option is wrong */
  VYRE_LIMIT = 2,          /* well-formed, but beyond what the device allows */
  VYRE_IO = 3,             /* the operating system refused to read or write */
  VYRE_UNAVAILABLE = 4,    /* a device, a driver or a feature is not there */
  VYRE_OUT_OF_MEMORY = 5,  /* of the host or of the device */
  VYRE_DEVICE = 6,         /* the launch failed, or passed its deadline */
  VYRE_INTERNAL = 7,       /* a fault of vyre itself */
  VYRE_INVALID_HANDLE = 8, /* null, freed, or not a handle of what is asked for */
  VYRE_WRONG_SESSION = 9,  /* objects of two sessions in one call */
  VYRE_WRONG_SIZE = 10,    /* a struct_size that this library does not know */
  VYRE_NULL_POINTER = 11   /* a pointer is null where something is needed */
} vyre_code;

/* "invalid handle"; never null. */
VYRE_API const char* vyre_code_text(int code);

/* The latest failure of a call on this thread; VYRE_OK and "" if there was none. The text is whole
 * (all diagnostics of a WGSL module with their source lines, say) and stays until the next call on
 * this thread that fails. */
VYRE_API vyre_code vyre_last_error(void);
VYRE_API const char* vyre_last_error_text(void);

/* ---- Messages -------------------------------------------------------------------------------- */

typedef enum vyre_log_level {
  VYRE_LOG_OFF = 0,
  VYRE_LOG_ERROR = 1,
  VYRE_LOG_WARN = 2, /* the default, unless the environment variable VYRE_LOG says another */
  VYRE_LOG_INFO = 3,
  VYRE_LOG_DEBUG = 4
} vyre_log_level;

/* `message` is null-terminated and only there during the call. */
typedef void (*vyre_log_function)(void* user, int level, const char* message);

/* Hands every message of the library, up to `level`, to a function instead of writing it to the
 * standard error. The function may be called from any thread, by several at once, and must not call
 * this library. Null goes back to the standard error. It is for the whole process. When the call
 * returns, no other thread is still inside the function that was set before. */
VYRE_API vyre_code vyre_log_to(vyre_log_function function, void* user, int level);

/* ---- Devices and sessions -------------------------------------------------------------------- */

typedef uint64_t vyre_session;
typedef uint64_t vyre_module;
typedef uint64_t vyre_kernel;
typedef uint64_t vyre_buffer;
typedef uint64_t vyre_dispatch;

typedef struct vyre_device_info {
  uint32_t struct_size;
  uint32_t available; /* 1: it can be opened; 0: `missing` says why not */
  char name[64];      /* "cpu", "cuda:0" */
  char missing[256];  /* cut off at the end if it is longer */
} vyre_device_info;

/* The devices that compute, the fastest first. */
VYRE_API vyre_code vyre_device_count(uint32_t* count);
VYRE_API vyre_code vyre_device_get(uint32_t index, vyre_device_info* info);

typedef struct vyre_session_options {
  uint32_t struct_size;
  uint32_t threads; /* of the device cpu, up to 1024; 0: VYRE_THREADS, else all processors */
  const char* cache_folder; /* an absolute path; null: the user's own, ~/.cache/vyre */
  uint32_t no_cache;        /* not 0: nothing is read from disk or kept there */
  uint32_t reserved;        /* 0 */
} vyre_session_options;

/* A name as vyre_device_get gives it, "auto" for the first device that is available, or "null",
 * which runs nothing. Without options (null) all of them are 0. */
VYRE_API vyre_code vyre_session_open(const char* device, const vyre_session_options* options,
                                     vyre_session* session);
/* Waits for what was submitted, and frees everything that came from the session. */
VYRE_API vyre_code vyre_session_close(vyre_session session);

typedef struct vyre_limits {
  uint32_t struct_size;
  uint32_t max_workgroup_invocations;
  uint32_t max_workgroup_size[3];
  uint32_t max_workgroups[3];
  uint32_t binding_alignment; /* of a binding's offset, in bytes */
  uint32_t reserved;
  char device[64]; /* the device that was opened */
} vyre_limits;

VYRE_API vyre_code vyre_session_limits(vyre_session session, vyre_limits* limits);

/* Until everything submitted has ended; the first failure among it. */
VYRE_API vyre_code vyre_session_wait(vyre_session session);

/* ---- Modules and kernels --------------------------------------------------------------------- */

/* For lengths and sizes: text up to its null, a buffer up to its last byte. */
#define VYRE_TO_THE_END UINT64_MAX

/* `file_name` is what messages call the text, and may be null. On failure vyre_last_error_text()
 * has all diagnostics. */
VYRE_API vyre_code vyre_module_load(vyre_session session, const char* text, uint64_t length,
                                    const char* file_name, vyre_module* module);
/* The same, and accepts what wgpu accepts beyond the specification: extensions that are used and
 * not enabled, plain loads and stores of atomics, operators mixed without parentheses. Each leaves
 * a warning, which vyre_module_warnings gives. */
VYRE_API vyre_code vyre_module_load_lenient(vyre_session session, const char* text, uint64_t length,
                                            const char* file_name, vyre_module* module);
VYRE_API vyre_code vyre_module_free(vyre_module module); /* 0 is fine here, as in every free */

/* Functions that give text write up to `capacity` bytes, the null at the end included, and set
 * `length` (may be null) to the length of the whole text. With capacity 0, `text` may be null. */

/* The warnings about a module, with their source lines. */
VYRE_API vyre_code vyre_module_warnings(vyre_module module, char* text, uint64_t capacity,
                                        uint64_t* length);
/* Entry points, in the order of the text. */
VYRE_API vyre_code vyre_module_entry_count(vyre_module module, uint32_t* count);
VYRE_API vyre_code vyre_module_entry_name(vyre_module module, uint32_t index, char* text,
                                          uint64_t capacity, uint64_t* length);

/* A value for an override constant, by its name or, when the name is null, by its @id. It is
 * converted to the constant's type (a bool is true unless 0), and must be representable there. */
typedef struct vyre_override {
  const char* name;
  uint32_t id;
  uint32_t reserved; /* 0 */
  double value;
} vyre_override;

/* One entry point with its overrides set; values for constants of the module that it does not use
 * are left alone. `entry` may be null when the module has only one. A kernel does not need its
 * module any more. */
VYRE_API vyre_code vyre_kernel_create(vyre_module module, const char* entry,
                                      const vyre_override* overrides, uint64_t override_count,
                                      vyre_kernel* kernel);
VYRE_API vyre_code vyre_kernel_free(vyre_kernel kernel);

VYRE_API vyre_code vyre_kernel_workgroup_size(vyre_kernel kernel, uint32_t size[3]);

typedef enum vyre_access {
  VYRE_UNIFORM = 0,   /* var<uniform> */
  VYRE_READ = 1,      /* var<storage, read> */
  VYRE_READ_WRITE = 2 /* var<storage, read_write> */
} vyre_access;

typedef struct vyre_binding_info {
  uint32_t struct_size;
  uint32_t group;
  uint32_t binding;
  uint32_t access;      /* a vyre_access */
  uint64_t least_bytes; /* a smaller part of a buffer cannot be bound here */
  uint64_t name_length; /* of the whole name */
  char name[128];       /* of the variable, cut off at the end if it is longer */
} vyre_binding_info;

/* The buffers that the entry point uses, ordered by group and binding. */
VYRE_API vyre_code vyre_kernel_binding_count(vyre_kernel kernel, uint32_t* count);
VYRE_API vyre_code vyre_kernel_binding(vyre_kernel kernel, uint32_t index, vyre_binding_info* info);

/* ---- Buffers --------------------------------------------------------------------------------- */

VYRE_API vyre_code vyre_buffer_create(vyre_session session, uint64_t bytes,
                                      vyre_buffer* buffer); /* all zero */
/* Memory of the caller, where the device computes in the host's memory (cpu). It must stay until
 * the buffer and every dispatch that binds it are freed. */
VYRE_API vyre_code vyre_buffer_adopt(vyre_session session, void* memory, uint64_t bytes,
                                     vyre_buffer* buffer);
VYRE_API vyre_code vyre_buffer_size(vyre_buffer buffer, uint64_t* bytes);
/* All of these come after what was submitted before; the memory of the caller is free again when
 * the call returns. A range that is not wholly inside the buffer is an error. */
VYRE_API vyre_code vyre_buffer_write(vyre_buffer buffer, uint64_t offset, const void* data,
                                     uint64_t bytes);
VYRE_API vyre_code vyre_buffer_read(vyre_buffer buffer, uint64_t offset, void* data,
                                    uint64_t bytes);
VYRE_API vyre_code vyre_buffer_copy(vyre_buffer from, uint64_t from_offset, vyre_buffer to,
                                    uint64_t to_offset, uint64_t bytes);
VYRE_API vyre_code vyre_buffer_clear(vyre_buffer buffer); /* to zero */
/* A dispatch that binds the buffer keeps its memory. */
VYRE_API vyre_code vyre_buffer_free(vyre_buffer buffer);

/* ---- Launches -------------------------------------------------------------------------------- */

/* A part of a buffer for a kernel's @group and @binding. */
typedef struct vyre_binding {
  uint32_t group;
  uint32_t binding;
  vyre_buffer buffer;
  uint64_t offset;
  uint64_t bytes; /* VYRE_TO_THE_END: all from the offset on */
} vyre_binding;

typedef enum vyre_unit {
  VYRE_WORKGROUPS = 0, /* whole workgroups, as WebGPU counts them */
  VYRE_INVOCATIONS = 1 /* exactly so many invocations; the last workgroups may be partly idle */
} vyre_unit;

typedef struct vyre_grid {
  uint32_t unit;    /* a vyre_unit */
  uint32_t x, y, z; /* an axis of 0: nothing runs, and that is no error */
} vyre_grid;

typedef enum vyre_layout {
  VYRE_LAYOUT_DEFAULT = 0,
  VYRE_STRIDED = 1, /* neighbouring lanes take neighbouring elements */
  VYRE_BLOCKED = 2  /* a lane takes consecutive elements */
} vyre_layout;

/* How to run a kernel. It changes the speed and never the result; 0 stands for the default. */
typedef struct vyre_variant {
  uint32_t struct_size;
  uint32_t workgroup[3]; /* all three, or none */
  uint32_t items_per_lane;
  uint32_t layout;          /* a vyre_layout */
  uint32_t gang_width;      /* lanes of one vector, on a CPU */
  uint32_t groups_per_task; /* workgroups that a thread takes at a time, on a CPU */
} vyre_variant;

#define VYRE_NO_DEADLINE 0

/* A kernel made ready to run: compiled, bound and sized. To run it again costs no preparation and
 * no allocation. `variant` may be null. It keeps its buffers' memory, and does not need the kernel.
 */
VYRE_API vyre_code vyre_dispatch_create(vyre_kernel kernel, const vyre_binding* bindings,
                                        uint64_t binding_count, const vyre_grid* grid,
                                        const vyre_variant* variant, vyre_dispatch* dispatch);
VYRE_API vyre_code vyre_dispatch_free(vyre_dispatch dispatch);
/* The variant that it runs as. */
VYRE_API vyre_code vyre_dispatch_variant(vyre_dispatch dispatch, vyre_variant* variant);
/* What a run launches at this moment and who decided each part of it: bindings with their roles,
 * the extent, the variant, the grid, and the reason for each choice. As lines for a person, and as
 * a JSON object; both are what `vyre plan` prints. */
VYRE_API vyre_code vyre_dispatch_plan_text(vyre_dispatch dispatch, char* text, uint64_t capacity,
                                           uint64_t* length);
VYRE_API vyre_code vyre_dispatch_plan_json(vyre_dispatch dispatch, char* text, uint64_t capacity,
                                           uint64_t* length);

/* Runs to the end. A launch that takes longer than the deadline is stopped and gives VYRE_DEVICE;
 * the session works on. */
VYRE_API vyre_code vyre_dispatch_run(vyre_dispatch dispatch, uint64_t deadline_ns);
/* May return before the launch has ended; vyre_session_wait tells its failure. Launches, writes,
 * copies and reads of one session take place in the order in which they were asked for. */
VYRE_API vyre_code vyre_dispatch_submit(vyre_dispatch dispatch, uint64_t deadline_ns);

/* vyre_dispatch_create, run and free in one. */
VYRE_API vyre_code vyre_run(vyre_kernel kernel, const vyre_binding* bindings,
                            uint64_t binding_count, const vyre_grid* grid,
                            const vyre_variant* variant, uint64_t deadline_ns);

/* ---- In a CUDA program ----------------------------------------------------------------------- */

/* A session may work as a guest: in the application's own context, on its stream, with its memory.
 * It leaves threads with the context that they had, and frees nothing that it did not make.
 * Launches that are submitted take their place in the stream, between what the application puts
 * there before and after them. Where a call waits, as vyre_dispatch_run, vyre_session_wait and
 * vyre_session_close do, it waits for what is in that stream by then, and for no other. */
typedef struct vyre_cuda_options {
  uint32_t struct_size;
  uint32_t ordinal; /* of the device, from 0; a context's own device goes before it */
  /* The application's CUcontext, which must outlive the session; null: one of the session's own. A
   * program of CUDA's runtime library has its own from cuCtxGetCurrent, after its first call. */
  void* context;
  void* stream;        /* a CUstream or cudaStream_t of that context; it must outlive the session */
  uint32_t has_stream; /* 0: a stream of the session's own; else `stream`, null for the default */
  /* Not 0: a thread that had no context keeps the session's after a call, and the next call is
   * cheaper. Not for threads that use CUDA's runtime library as well. */
  uint32_t leave_current;
} vyre_cuda_options;

/* Without options (null) all of them are 0. VYRE_UNAVAILABLE says why there is no such device. What
 * is given as a context or a stream cannot be checked: it must be one. */
VYRE_API vyre_code vyre_session_open_cuda(const vyre_cuda_options* cuda,
                                          const vyre_session_options* options,
                                          vyre_session* session);

/* Memory of the caller on a GPU: a CUdeviceptr, or what cudaMalloc gave. It must stay until the
 * buffer and every dispatch that binds it are freed. An address that is no memory is found out only
 * by the device: the first launch that touches it fails, and the device is lost. */
VYRE_API vyre_code vyre_buffer_adopt_address(vyre_session session, uint64_t device_address,
                                             uint64_t bytes, vyre_buffer* buffer);

typedef enum vyre_gpu_format {
  VYRE_PTX = 0,  /* text */
  VYRE_CUBIN = 1 /* for the device's own processor */
} vyre_gpu_format;

/* What a parameter of the caller's GPU code is given at each launch. */
typedef enum vyre_gpu_parameter_kind {
  VYRE_GPU_ADDRESS = 0,  /* 8 bytes: where the binding `slot` begins */
  VYRE_GPU_BYTES = 1,    /* 8 bytes: its length */
  VYRE_GPU_EXTENT = 2,   /* 4 bytes: the invocations along axis `slot` */
  VYRE_GPU_DEADLINE = 3, /* 8 bytes: when the device's %globaltimer passes it, give up */
  VYRE_GPU_STATUS = 4,   /* 8 bytes: the address of a u32, to be set to 1 by code that gave up */
  VYRE_GPU_VALUE = 5     /* `value_bytes` bytes of `value`, the same at each launch */
} vyre_gpu_parameter_kind;

typedef struct vyre_gpu_parameter {
  uint32_t kind; /* a vyre_gpu_parameter_kind */
  uint32_t slot; /* counts the bindings of a dispatch by their group and binding; an axis: 0 to 2 */
  const void* value; /* copied */
  uint64_t value_bytes;
} vyre_gpu_parameter;

/* A kernel that vyre did not make. Everything is copied. */
typedef struct vyre_gpu_code {
  uint32_t struct_size;
  uint32_t format; /* a vyre_gpu_format */
  const void* code;
  uint64_t code_bytes; /* VYRE_TO_THE_END: PTX up to its null */
  const char* entry;   /* the kernel's name inside */
  const vyre_gpu_parameter* parameters;
  uint64_t parameter_count;
  uint32_t workgroup[3];
  uint32_t covers[3]; /* invocations of one workgroup along each axis; 0: as `workgroup` */
  uint32_t dynamic_shared_bytes;
  uint32_t reserved; /* 0 */
} vyre_gpu_code;

/* The caller's own code, made ready as vyre_dispatch_create does it; only on a GPU. Whole
 * workgroups run: what lies beyond the grid's invocations is the kernel's business. A deadline ends
 * only code that takes it as a parameter and looks at it. */
VYRE_API vyre_code vyre_dispatch_create_gpu(vyre_session session, const vyre_gpu_code* code,
                                            const vyre_binding* bindings, uint64_t binding_count,
                                            const vyre_grid* grid, vyre_dispatch* dispatch);

/* ---- Tuning the caller's own kernels --------------------------------------------------------- */

/* A tuner chooses between candidates of a kernel that vyre neither makes nor runs, while the kernel
 * works: CUDA, HIP, OpenCL, OpenMP or plain loops. It needs no session and no device, and what it
 * learns is kept, and shared between processes.
 *
 * What trying costs, that is calls slower than the best known and the time of verifying, stays
 * below 2% of the time spent plus a first allowance of 20 ms or 50 calls, whichever is less. */
/* clang-format off */
/*
 *   const char* const candidates[] = {"block=64 items=1", "block=256 items=1", "block=256 items=4"};
 *   vyre_tuner_key key = {0};
 *   key.struct_size = sizeof key;
 *   key.name = "saxpy";
 *   key.device = "NVIDIA H200";
 *   vyre_tuner tuner = 0;
 *   vyre_tuner_open(NULL, &key, candidates, 3, NULL, &tuner);
 *   // for each call:
 *   vyre_tuner_call call = {0};
 *   call.struct_size = sizeof call;
 *   vyre_tuner_next(tuner, &call);
 *   run(candidates[call.candidate]);
 *   if (call.timed) vyre_tuner_report(tuner, &call, nanoseconds);  // when its time is known
 *   // in the end:
 *   vyre_tuner_close(tuner);
 */
/* clang-format on */
typedef uint64_t vyre_tuner;

/* What the choice depends on. All but the name may be null. */
typedef struct vyre_tuner_key {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */
  const char* name;
  const char* version;  /* of the kernel's code: what was measured with another is only a hint */
  const char* size;     /* "4096", "1920x1080", "64x64x64"; null: one choice for all sizes */
  const char* device;   /* null: this machine's processor */
  const char* driver;   /* or run-time library, where the speed depends on it */
  const char* settings; /* what else matters and is not searched: "type=f32" */
} vyre_tuner_key;

typedef enum vyre_tuner_mode {
  VYRE_TUNER_DEFAULT = 0, /* what the environment variable VYRE_AUTOTUNER says, else online */
  VYRE_TUNER_ONLINE = 1,  /* learn from calls, within the bound */
  VYRE_TUNER_SWEEP = 2,   /* measure all candidates in the first calls, whatever it costs */
  VYRE_TUNER_OFF = 3,     /* what was decided before, else the start candidate */
  VYRE_TUNER_FROZEN = 4   /* the same: nothing is timed or written, every run is alike */
} vyre_tuner_mode;

/* 0 stands for the default. */
typedef struct vyre_tuner_options {
  uint32_t struct_size;
  uint32_t mode;  /* a vyre_tuner_mode */
  uint32_t start; /* the candidate to begin with: what would run if there were no tuner */
  uint32_t reserved;
  const double* expected_ns; /* of each candidate, up to a common factor; null: nothing is known */
  double share;              /* of the time spent that trying may cost; 0: 0.02 */
  double allowance_ns;       /* and this at first; 0: 20e6 */
  double clock_tick_ns;      /* the least difference that the caller's clock can show; 0: 1 */
} vyre_tuner_options;

/* `store` is the file of what was learned: null for the user's own, which `vyre cache` shows, ""
 * for none. A candidate is a text of parameters, "block=256 items=4"; there are at most 4096. */
VYRE_API vyre_code vyre_tuner_open(const char* store, const vyre_tuner_key* key,
                                   const char* const* candidates, uint64_t candidate_count,
                                   const vyre_tuner_options* options, vyre_tuner* tuner);
/* Writes what was learned. A failure to write is told, and the tuner is closed all the same. */
VYRE_API vyre_code vyre_tuner_close(vyre_tuner tuner);
/* Returns when everything that was learned is in the file; VYRE_UNAVAILABLE after five seconds
 * where somebody holds its lock, VYRE_IO where it cannot be written. The text says how much is not
 * there; it is kept, and tried again. No call but open, save and close waits for a file. */
VYRE_API vyre_code vyre_tuner_save(vyre_tuner tuner);

typedef struct vyre_tuner_verdict {
  uint32_t struct_size;
  uint32_t reserved;
  /* -1 at first: what the clock says. To be set where the device's own time is known, because a
   * clock sees the wait for a busy device too, which costs nothing. */
  double cost_ns;
  char why[256]; /* to be set where it cannot be told */
} vyre_tuner_verdict;

/* Whether a candidate computes what it should: 1, 0, or -1 where that cannot be told. */
typedef int (*vyre_tuner_verifier)(void* user_data, uint32_t candidate,
                                   vyre_tuner_verdict* verdict);

/* Before the first vyre_tuner_next. That function then calls the verifier, on the thread that
 * called it and never on two at once, before it gives out a candidate for the first time; the time
 * is charged like a slow call. A candidate that is not right is never given out. The start
 * candidate is the reference, and is not asked about. Without a verifier all are taken to be right.
 */
VYRE_API vyre_code vyre_tuner_verify(vyre_tuner tuner, vyre_tuner_verifier verifier,
                                     void* user_data);

typedef struct vyre_tuner_call {
  uint32_t struct_size;
  uint32_t candidate; /* what to run */
  uint32_t timed;     /* 1: report its time, or abandon it; 0: neither is needed */
  uint32_t probe;     /* 1: it is not what is known to be best */
  uint64_t id;        /* of a timed call */
} vyre_tuner_call;

VYRE_API vyre_code vyre_tuner_next(vyre_tuner tuner, vyre_tuner_call* call);
/* A timed call's time, whenever it is known, from any thread and in any order. A call that is not
 * timed may be reported too: nothing happens. A time that is negative or no number, and a call that
 * waits for no time, are errors. */
VYRE_API vyre_code vyre_tuner_report(vyre_tuner tuner, const vyre_tuner_call* call, double ns);
/* The time of a timed call will not come. */
VYRE_API vyre_code vyre_tuner_abandon(vyre_tuner tuner, const vyre_tuner_call* call);
/* Its candidate could not run, and is not given out again; `why` may be null. Ask for another. */
VYRE_API vyre_code vyre_tuner_fail(vyre_tuner tuner, const vyre_tuner_call* call, const char* why);

/* The best that is known. */
VYRE_API vyre_code vyre_tuner_best(vyre_tuner tuner, uint32_t* candidate);
/* A parameter of a candidate by its name, as a whole number and as text. */
VYRE_API vyre_code vyre_tuner_value(vyre_tuner tuner, uint32_t candidate, const char* name,
                                    int64_t* value);
VYRE_API vyre_code vyre_tuner_value_text(vyre_tuner tuner, uint32_t candidate, const char* name,
                                         char* text, uint64_t capacity, uint64_t* length);

typedef struct vyre_tuner_state {
  uint32_t struct_size;
  uint32_t settled;  /* 1: nothing is left to try, until times drift */
  double spent_ns;   /* of all calls */
  double lost_ns;    /* by trying */
  double allowed_ns; /* what may have been lost by now */
} vyre_tuner_state;

VYRE_API vyre_code vyre_tuner_status(vyre_tuner tuner, vyre_tuner_state* state);
/* For a person: what is served and why, all candidates, what it cost, where it is kept. */
VYRE_API vyre_code vyre_tuner_explain(vyre_tuner tuner, char* text, uint64_t capacity,
                                      uint64_t* length);

#ifdef __cplusplus
}
#endif

#endif /* VYRE_C_H */
