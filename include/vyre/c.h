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
 * Every function that can fail returns a vyre_code, and vyre_last_error_text() says more. A call
 * that fails changes nothing and writes nothing through its pointers; only a launch that fails
 * leaves in its buffers what it had written by then.
 *
 * Handles are numbers, not pointers. A handle that is 0, freed, invalid or of another type gives
 * VYRE_INVALID_HANDLE. Every function may be called from any thread at any time; an object that is
 * freed while another thread uses it is destroyed when that use ends. Closing a session frees
 * everything that was made from it.
 *
 * Structs that may grow start with their size: set struct_size to sizeof the struct. A size that
 * this library does not know gives VYRE_WRONG_SIZE. Text is UTF-8. Times are in nanoseconds. */
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

/* The version of this interface. It grows when something is added; nothing is ever removed. */
#define VYRE_C_VERSION 7

VYRE_API uint32_t vyre_c_version(void);  /* VYRE_C_VERSION of the loaded library */
VYRE_API const char* vyre_version(void); /* the version of vyre: "0.1.0" */

/* ---- Errors ---------------------------------------------------------------------------------- */

typedef enum vyre_code {
  VYRE_OK = 0,
  VYRE_INVALID_INPUT = 1,  /* text, a value or an option is wrong */
  VYRE_LIMIT = 2,          /* well-formed, but beyond a limit of the device */
  VYRE_IO = 3,             /* the operating system refused to read or write */
  VYRE_UNAVAILABLE = 4,    /* a device, a driver or a feature is missing */
  VYRE_OUT_OF_MEMORY = 5,  /* the host or the device has too little memory */
  VYRE_DEVICE = 6,         /* the launch failed, or passed its deadline */
  VYRE_INTERNAL = 7,       /* a bug in vyre */
  VYRE_INVALID_HANDLE = 8, /* 0, freed, invalid, or a handle of another type */
  VYRE_WRONG_SESSION = 9,  /* objects of two sessions in one call */
  VYRE_WRONG_SIZE = 10,    /* a struct_size that this library does not know */
  VYRE_NULL_POINTER = 11   /* a required pointer is null */
} vyre_code;

/* The meaning of a code, such as "invalid handle"; never null. */
VYRE_API const char* vyre_code_text(int code);

/* The last failure of a call on this thread; VYRE_OK and "" if there was none. The text is never
 * cut (it has all diagnostics of a WGSL module with their source lines) and stays valid until the
 * next call on this thread that fails. */
VYRE_API vyre_code vyre_last_error(void);
VYRE_API const char* vyre_last_error_text(void);

/* ---- Messages -------------------------------------------------------------------------------- */

typedef enum vyre_log_level {
  VYRE_LOG_OFF = 0,
  VYRE_LOG_ERROR = 1,
  VYRE_LOG_WARN = 2, /* the default, unless the environment variable VYRE_LOG sets another */
  VYRE_LOG_INFO = 3,
  VYRE_LOG_DEBUG = 4
} vyre_log_level;

/* `message` is null-terminated and valid only during the call. */
typedef void (*vyre_log_function)(void* user, int level, const char* message);

/* Sends every message of the library, up to `level`, to a function instead of the standard error,
 * for the whole process. The function may be called from any thread and from several at once, and
 * must not call this library. Null restores the standard error. When vyre_log_to returns, no other
 * thread is still inside the previous function. */
VYRE_API vyre_code vyre_log_to(vyre_log_function function, void* user, int level);

/* ---- Devices and sessions -------------------------------------------------------------------- */

typedef uint64_t vyre_session;
typedef uint64_t vyre_module;
typedef uint64_t vyre_kernel;
typedef uint64_t vyre_buffer;
typedef uint64_t vyre_dispatch;
typedef uint64_t vyre_pipeline;
typedef uint64_t vyre_graph_program;
typedef uint64_t vyre_graph;
typedef uint64_t vyre_graph_work;

typedef struct vyre_device_info {
  uint32_t struct_size;
  uint32_t available; /* 1: it can be opened; 0: `missing` says why not */
  char name[64];      /* "cpu", "cuda:0" */
  char missing[256];  /* truncated if it is longer */
} vyre_device_info;

/* The devices on which kernels can run, the fastest first. */
VYRE_API vyre_code vyre_device_count(uint32_t* count);
VYRE_API vyre_code vyre_device_get(uint32_t index, vyre_device_info* info);

typedef struct vyre_session_options {
  uint32_t struct_size;
  uint32_t threads; /* for the device cpu, up to 1024; 0: VYRE_THREADS, else all processors */
  const char* cache_folder; /* an absolute path; null: the user's cache, ~/.cache/vyre */
  uint32_t no_cache;        /* not 0: nothing is read from disk or kept there */
  uint32_t reserved;        /* 0 */
  /* Since version 4. A struct_size without them is valid too. */
  uint32_t tuning;           /* a vyre_tuner_mode for everything that the session launches */
  uint32_t reserved_too;     /* 0 */
  const char* evidence_file; /* an absolute path; null: in the cache folder, if there is one */
  /* Since version 5. A struct_size without it is valid too. */
  double least_gain; /* the tuner promotes nothing that saves a smaller share; 0: 0.01 */
  /* Since version 7. A struct_size without it is valid too. How long a call may compile that makes
   * something ready and takes no deadline: vyre_dispatch_create, vyre_dispatch_create_indirect,
   * vyre_pipeline_prepare, vyre_pipeline_set_uniform, vyre_graph_prepare. A call that takes longer
   * gives VYRE_DEVICE. A uniform that was set holds all the same: the next run compiles for it. */
  uint64_t compile_ns; /* or VYRE_NO_DEADLINE */
} vyre_session_options;

/* `device` is a name from vyre_device_get, "auto" for the first available device, or "null", which
 * runs nothing. Null `options` are the same as options that are all 0. */
VYRE_API vyre_code vyre_session_open(const char* device, const vyre_session_options* options,
                                     vyre_session* session);
/* Waits for everything that was submitted, frees everything that was made from the session, and
 * writes what tuning has learned. The session is closed even if writing fails, with a code and a
 * text as those of vyre_tuner_save. */
VYRE_API vyre_code vyre_session_close(vyre_session session);

typedef struct vyre_limits {
  uint32_t struct_size;
  uint32_t max_workgroup_invocations;
  uint32_t max_workgroup_size[3];
  uint32_t max_workgroups[3];
  uint32_t binding_alignment; /* in bytes; a binding's offset must be a multiple of it */
  uint32_t reserved;
  char device[64]; /* the name of the open device */
} vyre_limits;

VYRE_API vyre_code vyre_session_limits(vyre_session session, vyre_limits* limits);

/* Waits until everything that was submitted has ended, and returns the first failure. */
VYRE_API vyre_code vyre_session_wait(vyre_session session);

/* ---- Modules and kernels --------------------------------------------------------------------- */

/* As the length of a text: the text ends with a null. As a size: up to the end of the buffer. */
#define VYRE_TO_THE_END UINT64_MAX

/* Parses and checks a WGSL text. Messages call it `file_name`, which may be null. On failure
 * vyre_last_error_text() has all diagnostics. */
VYRE_API vyre_code vyre_module_load(vyre_session session, const char* text, uint64_t length,
                                    const char* file_name, vyre_module* module);
/* The same, but accepts what wgpu accepts beyond the specification: extensions that are used and
 * not enabled, plain loads and stores of atomics, operators mixed without parentheses, subgroup
 * operations outside of uniform control flow. Each use adds a warning to vyre_module_warnings. */
VYRE_API vyre_code vyre_module_load_lenient(vyre_session session, const char* text, uint64_t length,
                                            const char* file_name, vyre_module* module);
/* Every free function accepts 0 and then does nothing. */
VYRE_API vyre_code vyre_module_free(vyre_module module);

/* Functions that return text write up to `capacity` bytes, including the null at the end, and set
 * `length` (may be null) to the length of the whole text. With capacity 0, `text` may be null. */

/* The warnings about a module, with their source lines. */
VYRE_API vyre_code vyre_module_warnings(vyre_module module, char* text, uint64_t capacity,
                                        uint64_t* length);
/* The entry points, in the order of the text. */
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

/* One entry point with its overrides set. Values for constants of the module that the entry point
 * does not use are ignored. `entry` may be null if the module has only one. The module may be freed
 * before the kernel. */
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
  uint64_t least_bytes; /* the smallest part of a buffer that can be bound here */
  uint64_t name_length; /* the length of the whole name */
  char name[128];       /* the variable's name, truncated if it is longer */
} vyre_binding_info;

/* The buffers that the entry point uses, ordered by group and binding. */
VYRE_API vyre_code vyre_kernel_binding_count(vyre_kernel kernel, uint32_t* count);
VYRE_API vyre_code vyre_kernel_binding(vyre_kernel kernel, uint32_t index, vyre_binding_info* info);

/* ---- Buffers --------------------------------------------------------------------------------- */

/* Memory of the device, filled with zeros. */
VYRE_API vyre_code vyre_buffer_create(vyre_session session, uint64_t bytes, vyre_buffer* buffer);
/* Uses the caller's memory; only on the device cpu. The memory must stay valid until the buffer and
 * every dispatch that binds it are freed. */
VYRE_API vyre_code vyre_buffer_adopt(vyre_session session, void* memory, uint64_t bytes,
                                     vyre_buffer* buffer);
VYRE_API vyre_code vyre_buffer_size(vyre_buffer buffer, uint64_t* bytes);
/* A write, read, copy or clear takes place after everything that was submitted before it. The
 * caller may reuse `data` when the call returns. A range that is not wholly inside the buffer is an
 * error. */
VYRE_API vyre_code vyre_buffer_write(vyre_buffer buffer, uint64_t offset, const void* data,
                                     uint64_t bytes);
VYRE_API vyre_code vyre_buffer_read(vyre_buffer buffer, uint64_t offset, void* data,
                                    uint64_t bytes);
VYRE_API vyre_code vyre_buffer_copy(vyre_buffer from, uint64_t from_offset, vyre_buffer to,
                                    uint64_t to_offset, uint64_t bytes);
VYRE_API vyre_code vyre_buffer_clear(vyre_buffer buffer); /* to zero */
/* A dispatch that binds the buffer keeps its memory alive. */
VYRE_API vyre_code vyre_buffer_free(vyre_buffer buffer);

/* ---- Launches -------------------------------------------------------------------------------- */

/* A part of a buffer for a kernel's @group and @binding. */
typedef struct vyre_binding {
  uint32_t group;
  uint32_t binding;
  vyre_buffer buffer;
  uint64_t offset;
  uint64_t bytes; /* VYRE_TO_THE_END: from the offset to the end of the buffer */
} vyre_binding;

typedef enum vyre_unit {
  VYRE_WORKGROUPS = 0, /* whole workgroups, as WebGPU counts them */
  VYRE_INVOCATIONS = 1 /* exactly these invocations; the last workgroups may be partly idle */
} vyre_unit;

typedef struct vyre_grid {
  uint32_t unit;    /* a vyre_unit */
  uint32_t x, y, z; /* if any is 0, nothing runs; that is not an error */
} vyre_grid;

typedef enum vyre_layout {
  VYRE_LAYOUT_DEFAULT = 0,
  VYRE_STRIDED = 1, /* neighbouring lanes take neighbouring items */
  VYRE_BLOCKED = 2  /* a lane takes consecutive items */
} vyre_layout;

/* How to run a kernel. A variant changes the speed and never the result; 0 is the default. */
typedef struct vyre_variant {
  uint32_t struct_size;
  uint32_t workgroup[3]; /* all three, or none */
  uint32_t items_per_lane;
  uint32_t layout;          /* a vyre_layout */
  uint32_t gang_width;      /* lanes of one vector, on a CPU */
  uint32_t groups_per_task; /* workgroups that a thread takes at a time, on a CPU */
} vyre_variant;

#define VYRE_NO_DEADLINE 0

/* A kernel made ready to run: compiled, bound and sized. Running it needs no preparation and no
 * allocation. With a null `variant` vyre chooses one, and tunes it while the dispatch is used. A
 * dispatch keeps the memory of its buffers alive; the kernel may be freed before it. */
VYRE_API vyre_code vyre_dispatch_create(vyre_kernel kernel, const vyre_binding* bindings,
                                        uint64_t binding_count, const vyre_grid* grid,
                                        const vyre_variant* variant, vyre_dispatch* dispatch);
VYRE_API vyre_code vyre_dispatch_free(vyre_dispatch dispatch);
/* The variant that runs at this moment. */
VYRE_API vyre_code vyre_dispatch_variant(vyre_dispatch dispatch, vyre_variant* variant);
/* What a run launches at this moment: bindings with their roles, the extent, the variant, the grid,
 * and the reason for each choice. As lines for people, and as a JSON object; both are what
 * `vyre plan` prints. */
VYRE_API vyre_code vyre_dispatch_plan_text(vyre_dispatch dispatch, char* text, uint64_t capacity,
                                           uint64_t* length);
VYRE_API vyre_code vyre_dispatch_plan_json(vyre_dispatch dispatch, char* text, uint64_t capacity,
                                           uint64_t* length);

/* Runs the kernel and waits for its end. A launch that takes longer than the deadline is stopped
 * and gives VYRE_DEVICE; the session stays usable. */
VYRE_API vyre_code vyre_dispatch_run(vyre_dispatch dispatch, uint64_t deadline_ns);
/* May return before the launch has ended; vyre_session_wait reports its failure. Launches, writes,
 * copies and reads of one session take place in the order of the calls. */
VYRE_API vyre_code vyre_dispatch_submit(vyre_dispatch dispatch, uint64_t deadline_ns);

/* vyre_dispatch_create, run and free in one. The deadline covers compiling as well. */
VYRE_API vyre_code vyre_run(vyre_kernel kernel, const vyre_binding* bindings,
                            uint64_t binding_count, const vyre_grid* grid,
                            const vyre_variant* variant, uint64_t deadline_ns);

/* The grid of a launch in a buffer: three numbers of the type uint32_t, the workgroups along x, y
 * and z. They are read each time the launch begins, after everything that was submitted before; the
 * call waits for that. If any is 0, nothing runs. A grid beyond the device's limits gives
 * VYRE_LIMIT, and nothing runs. */
typedef struct vyre_indirect_grid {
  vyre_buffer buffer;
  uint64_t offset; /* in bytes; a multiple of 4 */
} vyre_indirect_grid;

/* Like vyre_dispatch_create and vyre_run, with the grid in a buffer. Nothing is tuned. */
VYRE_API vyre_code vyre_dispatch_create_indirect(vyre_kernel kernel, const vyre_binding* bindings,
                                                 uint64_t binding_count,
                                                 const vyre_indirect_grid* grid,
                                                 const vyre_variant* variant,
                                                 vyre_dispatch* dispatch);
VYRE_API vyre_code vyre_run_indirect(vyre_kernel kernel, const vyre_binding* bindings,
                                     uint64_t binding_count, const vyre_indirect_grid* grid,
                                     const vyre_variant* variant, uint64_t deadline_ns);

/* ---- Pipelines ------------------------------------------------------------------------------- */

/* Several kernels as one piece of work, over named buffers: vyre decides which of them become one
 * launch and which buffers need memory. Load one from a file's text, or create one and add its
 * parts; then prepare it, and run it any number of times. Text is copied. Sizes are expressions of
 * dims: "ceil(width / 16)". Mistakes are found by vyre_pipeline_prepare, whose error names the
 * stage and the buffer. A call waits while another thread uses the same pipeline. */

/* `text` is TOML as docs/pipelines.md describes it; `file_name` is the file's path (null: in the
 * working directory), beside which the files that it names are read. Nothing is prepared yet. */
VYRE_API vyre_code vyre_pipeline_load(vyre_session session, const char* text, uint64_t length,
                                      const char* file_name, vyre_pipeline* pipeline);
/* The same, but accepts in the WGSL files what vyre_module_load_lenient accepts. */
VYRE_API vyre_code vyre_pipeline_load_lenient(vyre_session session, const char* text,
                                              uint64_t length, const char* file_name,
                                              vyre_pipeline* pipeline);
/* The warnings about the WGSL files, as of when the pipeline was last prepared. */
VYRE_API vyre_code vyre_pipeline_warnings(vyre_pipeline pipeline, char* text, uint64_t capacity,
                                          uint64_t* length);
VYRE_API vyre_code vyre_pipeline_create(vyre_session session, const char* name,
                                        vyre_pipeline* pipeline);
VYRE_API vyre_code vyre_pipeline_free(vyre_pipeline pipeline);

/* A size with a name. 0: it has no default, and vyre_pipeline_set_dim gives its value. */
VYRE_API vyre_code vyre_pipeline_add_dim(vyre_pipeline pipeline, const char* name, uint64_t value);

typedef enum vyre_buffer_use {
  VYRE_TEMPORARY = 0, /* for the stages alone: it may never be in memory */
  VYRE_INPUT = 1,     /* the caller fills it: it keeps its contents from run to run */
  VYRE_OUTPUT = 2     /* the caller reads it after a run: it begins with zeros */
} vyre_buffer_use;

typedef struct vyre_buffer_description {
  uint32_t struct_size;
  uint32_t use; /* a vyre_buffer_use */
  const char* name;
  const char* type;         /* as WGSL spells it: "array<f32>" */
  const char* const* shape; /* sizes, the slowest axis first */
  uint64_t axes;            /* the number of sizes in `shape`; 0: one element */
  const char* source;       /* data as `vyre run --in` takes them; null: none */
} vyre_buffer_description;

VYRE_API vyre_code vyre_pipeline_add_buffer(vyre_pipeline pipeline,
                                            const vyre_buffer_description* buffer);

/* A field of a uniform; a vector has one for each component, in order, with the same name. */
typedef struct vyre_uniform_field {
  const char* name;
  const char* size; /* an expression of dims; null: `value` */
  double value;
} vyre_uniform_field;

/* A uniform that is no struct has one field, "value". */
VYRE_API vyre_code vyre_pipeline_add_uniform(vyre_pipeline pipeline, const char* name,
                                             const vyre_uniform_field* fields,
                                             uint64_t field_count);

/* Two names: a variable of a kernel and what is bound to it, or two buffers that change places. */
typedef struct vyre_name_pair {
  const char* first;
  const char* second;
} vyre_name_pair;

typedef struct vyre_stage_description {
  uint32_t struct_size;
  uint32_t unit;    /* a vyre_unit: what `size` counts */
  const char* name; /* null: that of the entry point */
  vyre_kernel kernel;
  const vyre_name_pair* bindings; /* each a variable, and the buffer or uniform bound to it */
  uint64_t binding_count;
  const char* size[3];     /* along x, y and z; null: 1 */
  const char* groups_from; /* not null: a buffer that holds the grid, instead of `size` */
  uint64_t groups_offset;  /* in bytes; a multiple of 4 */
  const char* loop;        /* the loop that contains the stage; null: none */
  uint32_t after_host;     /* not 0: the host may read what earlier stages wrote */
  uint32_t reserved;       /* 0 */
} vyre_stage_description;

/* Stages run in the order in which they are added. */
VYRE_API vyre_code vyre_pipeline_add_stage(vyre_pipeline pipeline,
                                           const vyre_stage_description* stage);

/* Neighbouring stages that run again and again. Each round clears buffers, runs the stages, tests
 * the condition, and exchanges the names of pairs of buffers. */
typedef struct vyre_loop_description {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */
  const char* name;
  const char* most;  /* the largest number of rounds, an expression of dims */
  const char* until; /* ends the loop: "moved == 0"; null: `most` rounds run */
  const char* const* clear;
  uint64_t clear_count;
  const vyre_name_pair* swap;
  uint64_t swap_count;
} vyre_loop_description;

VYRE_API vyre_code vyre_pipeline_add_loop(vyre_pipeline pipeline,
                                          const vyre_loop_description* loop);

typedef struct vyre_pipeline_options {
  uint32_t struct_size;
  uint32_t no_fusion;     /* not 0: every stage is a launch of its own */
  uint64_t memory_budget; /* the most bytes that may be allocated in all; 0: no limit */
} vyre_pipeline_options;

/* Checks everything, plans, allocates and compiles. Null `options` are the same as options that are
 * all 0. A pipeline that is prepared again, for other dims or options, keeps the contents of inputs
 * whose size stays the same; where that fails, it stays as it was. */
VYRE_API vyre_code vyre_pipeline_prepare(vyre_pipeline pipeline,
                                         const vyre_pipeline_options* options);
/* Changes a dim, from the next vyre_pipeline_prepare on. */
VYRE_API vyre_code vyre_pipeline_set_dim(vyre_pipeline pipeline, const char* name, uint64_t value);

/* The functions below need a pipeline that is prepared. */

/* A handle for the memory of an input or output, to be freed by vyre_buffer_free. For buffers that
 * change places it is the memory at this moment. After vyre_pipeline_prepare ask again. */
VYRE_API vyre_code vyre_pipeline_buffer(vyre_pipeline pipeline, const char* name,
                                        vyre_buffer* buffer);
/* Uses the caller's buffer, of the same size, for an input or output. Two of them may have memory
 * in common only where no stage writes either. */
VYRE_API vyre_code vyre_pipeline_bind(vyre_pipeline pipeline, const char* name, vyre_buffer buffer);

/* Replaces the contents of a uniform, in the layout of its type in WGSL. If the plan relied on the
 * old contents, for example because two strides were equal, the call plans and compiles again;
 * inputs and outputs keep their contents. vyre_pipeline_prepare computes uniforms from their fields
 * again. */
VYRE_API vyre_code vyre_pipeline_set_uniform(vyre_pipeline pipeline, const char* name,
                                             const void* contents, uint64_t bytes);

/* Runs all stages and waits for their end; allocates nothing. A run that takes longer than the
 * deadline is stopped and gives VYRE_DEVICE. */
VYRE_API vyre_code vyre_pipeline_run(vyre_pipeline pipeline, uint64_t deadline_ns);
/* May return before the stages have ended; vyre_session_wait reports their failure. Conditions of
 * loops and grids in buffers are looked at during the call. */
VYRE_API vyre_code vyre_pipeline_submit(vyre_pipeline pipeline, uint64_t deadline_ns);
/* Measures the device's time for one run, as the mean of `runs` consecutive runs. If all of them
 * together take longer than the deadline, they are stopped, which gives VYRE_DEVICE.
 * vyre_pipeline_time is the same with VYRE_NO_DEADLINE. vyre_pipeline_time_within: since version 6.
 */
VYRE_API vyre_code vyre_pipeline_time_within(vyre_pipeline pipeline, uint32_t runs,
                                             uint64_t deadline_ns, double* ns);
VYRE_API vyre_code vyre_pipeline_time(vyre_pipeline pipeline, uint32_t runs, double* ns);

/* Which stages were fused, why others were not, and where each buffer lives. As lines for people,
 * and as a JSON object; both are what `vyre plan` prints. */
VYRE_API vyre_code vyre_pipeline_plan_text(vyre_pipeline pipeline, char* text, uint64_t capacity,
                                           uint64_t* length);
VYRE_API vyre_code vyre_pipeline_plan_json(vyre_pipeline pipeline, char* text, uint64_t capacity,
                                           uint64_t* length);

/* ---- Graph programs -------------------------------------------------------------------------- */

/* Since version 5. WGSL functions that run over the vertices and edges of a graph, round after
 * round: docs/graphs.md says which, and what they may store. Load a program, create a graph,
 * prepare the one for the other, and run that any number of times. */

/* The text needs no entry point. */
VYRE_API vyre_code vyre_graph_program_load(vyre_session session, const char* text, uint64_t length,
                                           const char* file_name, const vyre_override* overrides,
                                           uint64_t override_count, vyre_graph_program* program);
VYRE_API vyre_code vyre_graph_program_free(vyre_graph_program program);

typedef struct vyre_graph_description {
  uint32_t struct_size;
  uint32_t vertices;
  uint64_t edges;
  /* The edges of vertex v lead to columns[offsets[v]] and so on. There is one offset more than
   * there are vertices, and one column for each edge. The arrays are checked and copied. */
  const uint32_t* offsets;
  const uint32_t* columns;
  const uint32_t* weights; /* one for each edge; null: the graph has none */
} vyre_graph_description;

VYRE_API vyre_code vyre_graph_create(vyre_session session, const vyre_graph_description* graph,
                                     vyre_graph* out);
VYRE_API vyre_code vyre_graph_free(vyre_graph graph);

typedef struct vyre_graph_binding {
  const char* variable;
  vyre_buffer buffer;
} vyre_graph_binding;

typedef struct vyre_graph_options {
  uint32_t struct_size;
  uint32_t hit_capacity;  /* vertices that a queue holds; 0: all of them */
  uint64_t memory_budget; /* the most bytes that may be allocated in all; 0: no limit */
} vyre_graph_options;

/* Variables without a binding get buffers of their own. Null `options` are the same as options that
 * are all 0. The program, the graph and the buffers may be freed before the work. */
VYRE_API vyre_code vyre_graph_prepare(vyre_graph_program program, vyre_graph graph,
                                      const vyre_graph_binding* bindings, uint64_t binding_count,
                                      const vyre_graph_options* options, vyre_graph_work* work);
VYRE_API vyre_code vyre_graph_work_free(vyre_graph_work work);
/* A handle for the memory of a variable, to be freed by vyre_buffer_free. */
VYRE_API vyre_code vyre_graph_buffer(vyre_graph_work work, const char* variable,
                                     vyre_buffer* buffer);

typedef enum vyre_topology {
  VYRE_BY_POLICY = 0, /* as the policy decides in each round */
  VYRE_SPARSE = 1,
  VYRE_HYBRID = 2,
  VYRE_DENSE = 3,
  VYRE_FUSED = 4,
  VYRE_MEMORY_CONSTRAINED = 5
} vyre_topology;

typedef struct vyre_graph_run_options {
  uint32_t struct_size;
  uint32_t topology;     /* a vyre_topology for all rounds */
  const uint32_t* first; /* the vertices of the first frontier */
  uint64_t first_count;
  uint32_t all;         /* not 0: the first frontier has every vertex */
  uint32_t most_rounds; /* 0: no limit */
  uint64_t deadline_ns; /* or VYRE_NO_DEADLINE */
} vyre_graph_run_options;

typedef struct vyre_graph_result {
  uint32_t struct_size;
  uint32_t ended; /* 0: `most_rounds` rounds ran, and the last one reached more vertices */
  uint64_t rounds;
  uint64_t edges;     /* edges that left the frontier, summed over all rounds */
  uint64_t ns;        /* the time of the whole run */
  uint32_t overflows; /* rounds whose next frontier did not fit the queue */
  uint32_t reserved;
} vyre_graph_result;

/* Returns when the run has ended. A run that takes longer than the deadline is stopped and gives
 * VYRE_DEVICE. A call waits while another thread runs the same work. `result` may be null. */
VYRE_API vyre_code vyre_graph_run(vyre_graph_work work, const vyre_graph_run_options* options,
                                  vyre_graph_result* result);

typedef struct vyre_graph_round {
  uint32_t struct_size;
  uint32_t topology;   /* a vyre_topology */
  uint32_t vertices;   /* in the frontier */
  uint32_t reached;    /* vertices in the next frontier */
  uint64_t edges;      /* edges that leave the frontier */
  uint64_t ns;         /* the round's time; for a solo round, its share of the launch's time */
  uint32_t workers;    /* of the round's largest launch */
  uint32_t solo;       /* 1: many rounds in one launch */
  uint32_t pulled;     /* 1: vertices looked at their incoming edges */
  uint32_t overflowed; /* 1: the next frontier did not fit the queue */
} vyre_graph_round;

/* What a round of the last run did; the first round has index 0. Only the first million rounds of a
 * run are recorded. */
VYRE_API vyre_code vyre_graph_get_round(vyre_graph_work work, uint64_t index,
                                        vyre_graph_round* round);

/* ---- In a CUDA program ----------------------------------------------------------------------- */

/* A session can be a guest in the application's context, stream and memory. It restores the current
 * context of each thread, and frees only what it allocated. Launches take their place in the stream
 * between the application's own work. vyre_dispatch_run, vyre_session_wait and vyre_session_close
 * wait for everything that is in that stream, and for no other stream. */
typedef struct vyre_cuda_options {
  uint32_t struct_size;
  uint32_t ordinal; /* the device's number, from 0; ignored if there is a context */
  /* The application's CUcontext, which must outlive the session; null: the session makes one. A
   * program that uses CUDA's runtime library gets its own from cuCtxGetCurrent, after its first
   * CUDA call. */
  void* context;
  void* stream;        /* a CUstream or cudaStream_t of that context; it must outlive the session */
  uint32_t has_stream; /* 0: the session makes a stream; else it uses `stream`, null: the default */
  /* Not 0: a thread that had no context keeps the session's context after a call, which makes the
   * next call cheaper. Not for threads that use CUDA's runtime library as well. */
  uint32_t leave_current;
} vyre_cuda_options;

/* Null `cuda` or `options` are the same as options that are all 0. VYRE_UNAVAILABLE: there is no
 * such device; the error text says why. The context and the stream are not checked: they must be
 * valid. */
VYRE_API vyre_code vyre_session_open_cuda(const vyre_cuda_options* cuda,
                                          const vyre_session_options* options,
                                          vyre_session* session);

/* Uses the caller's memory on a GPU: a CUdeviceptr, or a pointer from cudaMalloc. It must stay
 * valid until the buffer and every dispatch that binds it are freed. The address is not checked:
 * the first launch that touches an invalid address fails, and the device is lost. */
VYRE_API vyre_code vyre_buffer_adopt_address(vyre_session session, uint64_t device_address,
                                             uint64_t bytes, vyre_buffer* buffer);

typedef enum vyre_gpu_format {
  VYRE_PTX = 0,  /* text */
  VYRE_CUBIN = 1 /* machine code for the architecture of the device */
} vyre_gpu_format;

/* What is passed to a parameter of the caller's GPU code at each launch. */
typedef enum vyre_gpu_parameter_kind {
  VYRE_GPU_ADDRESS = 0,  /* 8 bytes: the address of the binding `slot` */
  VYRE_GPU_BYTES = 1,    /* 8 bytes: the length of the binding `slot` */
  VYRE_GPU_EXTENT = 2,   /* 4 bytes: the invocations along axis `slot` */
  VYRE_GPU_DEADLINE = 3, /* 8 bytes: the %globaltimer at which the code should give up */
  VYRE_GPU_STATUS = 4,   /* 8 bytes: the address of a u32 that code sets to 1 when it gives up */
  VYRE_GPU_VALUE = 5     /* `value_bytes` bytes of `value`, the same at each launch */
} vyre_gpu_parameter_kind;

typedef struct vyre_gpu_parameter {
  uint32_t kind;     /* a vyre_gpu_parameter_kind */
  uint32_t slot;     /* the rank of a binding by group and binding, or an axis from 0 to 2 */
  const void* value; /* copied */
  uint64_t value_bytes;
} vyre_gpu_parameter;

/* A kernel that vyre did not compile. Everything is copied. */
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

/* Like vyre_dispatch_create, for the caller's own code; only on a GPU. Whole workgroups run: the
 * code itself must ignore invocations beyond the grid. A deadline ends only code that takes it as a
 * parameter and tests it. */
VYRE_API vyre_code vyre_dispatch_create_gpu(vyre_session session, const vyre_gpu_code* code,
                                            const vyre_binding* bindings, uint64_t binding_count,
                                            const vyre_grid* grid, vyre_dispatch* dispatch);

/* ---- Tuning the caller's own kernels --------------------------------------------------------- */

/* A tuner chooses between candidates of a kernel that vyre neither compiles nor launches, while the
 * program runs: CUDA, HIP, OpenCL, OpenMP or plain loops. It needs no session and no device. What
 * it learns is kept on disk and shared between processes.
 *
 * By the tuner's own estimate, the time lost against a program without a tuner stays below 2% of
 * the time spent in the kernel plus a first allowance of 20 ms or 50 calls, whichever is less.
 * Without a tuner the program would run the candidate that it declares as its first one, or the
 * best one known so far, whichever is faster. */
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
 *   // at the end:
 *   vyre_tuner_close(tuner);
 */
/* clang-format on */
typedef uint64_t vyre_tuner;

/* What the speed of the candidates depends on. All but the name may be null. */
typedef struct vyre_tuner_key {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */
  const char* name;
  const char* version;  /* the version of the kernel: times of another one are only a hint */
  const char* size;     /* "4096", "1920x1080", "64x64x64"; null: one choice for all sizes */
  const char* device;   /* null: this machine's processor */
  const char* driver;   /* the driver or run-time library, if the speed depends on it */
  const char* settings; /* other settings that matter and are not searched: "type=f32" */
} vyre_tuner_key;

typedef enum vyre_tuner_mode {
  VYRE_TUNER_DEFAULT = 0, /* the environment variable VYRE_AUTOTUNER decides, else online */
  VYRE_TUNER_ONLINE = 1,  /* learn from calls, within the bound */
  VYRE_TUNER_SWEEP = 2,   /* measure all candidates in the first calls, whatever it costs */
  VYRE_TUNER_OFF = 3,     /* serve earlier decisions, else the start candidate; time nothing */
  VYRE_TUNER_FROZEN = 4   /* the same as off */
} vyre_tuner_mode;

/* 0 is the default of every option. */
typedef struct vyre_tuner_options {
  uint32_t struct_size;
  uint32_t mode;  /* a vyre_tuner_mode */
  uint32_t start; /* the candidate that would run without a tuner; it is served first */
  uint32_t reserved;
  const double* expected_ns; /* a time for each candidate, up to a common factor; null: unknown */
  double share;              /* the share of the time spent that the search may lose; 0: 0.02 */
  double allowance_ns;       /* the first allowance, in addition; 0: 20e6 */
  double clock_tick_ns;      /* the resolution of the caller's clock; 0: 1 */
  /* Since version 5. A struct_size without it is valid too. */
  double least_gain; /* a candidate that saves a smaller share is not promoted; 0: 0.01 */
} vyre_tuner_options;

/* `store` is the evidence file: null for the user's own, which `vyre cache` shows, "" for none. A
 * candidate is a text of parameters, "block=256 items=4"; there are at most 4096. */
VYRE_API vyre_code vyre_tuner_open(const char* store, const vyre_tuner_key* key,
                                   const char* const* candidates, uint64_t candidate_count,
                                   const vyre_tuner_options* options, vyre_tuner* tuner);
/* Writes what was learned. The tuner is closed even if writing fails. */
VYRE_API vyre_code vyre_tuner_close(vyre_tuner tuner);
/* Returns when everything that was learned is in the file. VYRE_UNAVAILABLE: another process held
 * its lock for five seconds. VYRE_IO: it cannot be written. The error text says how much is not
 * written; the tuner keeps it and tries again. Only open, save and close wait for the file. */
VYRE_API vyre_code vyre_tuner_save(vyre_tuner tuner);

typedef struct vyre_tuner_verdict {
  uint32_t struct_size;
  uint32_t reserved;
  /* -1 when the verifier is called: the wall time is charged. Set it to the device's own time if
   * that is known, because the wall time includes waiting for other work on the device. */
  double cost_ns;
  char why[256]; /* to be set if the verifier returns -1 */
} vyre_tuner_verdict;

/* Returns 1 if the candidate's results are right, 0 if they are wrong, -1 if that is unknown. */
typedef int (*vyre_tuner_verifier)(void* user_data, uint32_t candidate,
                                   vyre_tuner_verdict* verdict);

/* Sets the verifier, before the first vyre_tuner_next. That function then calls the verifier before
 * it returns a candidate for the first time, on the calling thread and never on two at once; the
 * time is charged like a slow call. Only candidates with right results are ever returned. The start
 * candidate is the reference and is not verified. Without a verifier nothing is verified. */
VYRE_API vyre_code vyre_tuner_verify(vyre_tuner tuner, vyre_tuner_verifier verifier,
                                     void* user_data);

typedef struct vyre_tuner_call {
  uint32_t struct_size;
  uint32_t candidate; /* the candidate to run */
  uint32_t timed;     /* 1: report the time of this call, or abandon it; 0: neither is needed */
  uint32_t probe;     /* 1: this call tries a candidate other than the best known one */
  uint64_t id;        /* identifies a timed call */
} vyre_tuner_call;

/* Chooses the candidate for the next call. */
VYRE_API vyre_code vyre_tuner_next(vyre_tuner tuner, vyre_tuner_call* call);
/* Reports the time of a timed call, from any thread and in any order. Reporting a call that is not
 * timed does nothing. A time that is negative or not a number, and a call that was already reported
 * or abandoned, are errors. */
VYRE_API vyre_code vyre_tuner_report(vyre_tuner tuner, const vyre_tuner_call* call, double ns);
/* Says that a timed call will not be reported. */
VYRE_API vyre_code vyre_tuner_abandon(vyre_tuner tuner, const vyre_tuner_call* call);
/* Says that the candidate could not run; it is not returned again. `why` may be null. Call
 * vyre_tuner_next for another. */
VYRE_API vyre_code vyre_tuner_fail(vyre_tuner tuner, const vyre_tuner_call* call, const char* why);

/* The best known candidate. */
VYRE_API vyre_code vyre_tuner_best(vyre_tuner tuner, uint32_t* candidate);
/* The value of a parameter of a candidate, as a whole number and as text. */
VYRE_API vyre_code vyre_tuner_value(vyre_tuner tuner, uint32_t candidate, const char* name,
                                    int64_t* value);
VYRE_API vyre_code vyre_tuner_value_text(vyre_tuner tuner, uint32_t candidate, const char* name,
                                         char* text, uint64_t capacity, uint64_t* length);

typedef struct vyre_tuner_state {
  uint32_t struct_size;
  uint32_t settled;  /* 1: the search has ended; it opens again if times drift */
  double spent_ns;   /* the time of all calls */
  double lost_ns;    /* the part of it that the search lost */
  double allowed_ns; /* the bound on lost_ns at this moment */
  /* Since version 6. A struct_size without them is valid too. */
  double
      doubted_ns; /* of single calls that were far too slow, and not repeated yet: no loss so far */
  double disturbed_ns; /* of calls that met a pause of the machine, which is no loss */
} vyre_tuner_state;

VYRE_API vyre_code vyre_tuner_status(vyre_tuner tuner, vyre_tuner_state* state);
/* For people: the served candidate and why, all candidates, the ledger, and the store. */
VYRE_API vyre_code vyre_tuner_explain(vyre_tuner tuner, char* text, uint64_t capacity,
                                      uint64_t* length);

#ifdef __cplusplus
}
#endif

#endif /* VYRE_C_H */
