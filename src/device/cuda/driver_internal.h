// The functions of NVIDIA's driver library that vyre uses, and the parts of its binary interface
// that they need. The library is loaded at run time; the build needs no NVIDIA software.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "vyre/base/error.h"
#include "vyre/device/cuda/cuda_device.h"

// The driver's own type names, so that an application's handles have the same types.
struct CUctx_st;
struct CUmod_st;
struct CUfunc_st;
struct CUstream_st;
struct CUevent_st;
struct CUlinkState_st;
struct CUlib_st;
struct CUkern_st;
struct CUgraph_st;
struct CUgraphNode_st;
struct CUgraphExec_st;

namespace vyre {

using CuResult = int;
using CuDevice = int;
using CuAddress = std::uint64_t;
using CuContext = CUctx_st*;
using CuModule = CUmod_st*;
using CuFunction = CUfunc_st*;
using CuStream = CUstream_st*;
using CuEvent = CUevent_st*;
using CuLink = CUlinkState_st*;
using CuLibrary = CUlib_st*;
using CuKernel = CUkern_st*;
using CuGraph = CUgraph_st*;
using CuGraphNode = CUgraphNode_st*;
using CuGraphExec = CUgraphExec_st*;

// One kernel of a graph, as the driver lays it out.
struct CuKernelNode {
  CuFunction function;
  unsigned grid_x, grid_y, grid_z;
  unsigned block_x, block_y, block_z;
  unsigned dynamic_shared;
  void** parameters;  // copied when the node is added
  void** extra;
};

// One clearing of memory in a graph, as the driver lays it out.
struct CuMemsetNode {
  CuAddress address;
  std::size_t pitch;
  unsigned value;
  unsigned element_bytes;
  std::size_t width;  // elements
  std::size_t height;
};

// One end of a copy in a graph.
struct CuCopyEnd {
  std::size_t x_bytes, y, z, level;
  int memory;  // its type
  void* host;
  CuAddress address;
  void* array;
  void* reserved;
  std::size_t pitch, height;
};
// One copy in a graph, as the driver lays it out.
struct CuCopyNode {
  CuCopyEnd from, to;
  std::size_t width_bytes, height, depth;
};

namespace cu {

inline constexpr int kMemoryOfDevice = 2;

// Results that vyre distinguishes; the driver has names and texts for all of them.
inline constexpr CuResult kSuccess = 0;
inline constexpr CuResult kInvalidValue = 1;
inline constexpr CuResult kOutOfMemory = 2;
inline constexpr CuResult kNotInitialized = 3;
inline constexpr CuResult kDeinitialized = 4;
inline constexpr CuResult kStubLibrary = 34;
inline constexpr CuResult kNoDevice = 100;
inline constexpr CuResult kInvalidDevice = 101;
inline constexpr CuResult kInvalidImage = 200;
inline constexpr CuResult kInvalidContext = 201;
inline constexpr CuResult kNoBinaryForGpu = 209;
inline constexpr CuResult kEccUncorrectable = 214;
inline constexpr CuResult kInvalidPtx = 218;
inline constexpr CuResult kNvlinkUncorrectable = 220;
inline constexpr CuResult kJitCompilerNotFound = 221;
inline constexpr CuResult kUnsupportedPtxVersion = 222;
inline constexpr CuResult kJitDisabled = 223;
inline constexpr CuResult kContained = 226;
inline constexpr CuResult kInvalidSource = 300;
inline constexpr CuResult kNotFound = 500;
inline constexpr CuResult kNotReady = 600;
inline constexpr CuResult kIllegalAddress = 700;
inline constexpr CuResult kLaunchOutOfResources = 701;
inline constexpr CuResult kLaunchTimeout = 702;
inline constexpr CuResult kContextIsDestroyed = 709;
inline constexpr CuResult kAssert = 710;
inline constexpr CuResult kHardwareStackError = 714;
inline constexpr CuResult kLaunchFailed = 719;
inline constexpr CuResult kTooLargeTogether = 720;  // CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE
inline constexpr CuResult kTensorMemoryLeak = 721;
inline constexpr CuResult kUnknown = 999;

inline constexpr unsigned kContextMapHost = 8;
inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kEventDefault = 0;
inline constexpr unsigned kEventDisableTiming = 2;
inline constexpr unsigned kHostAllocPortable = 1;
inline constexpr unsigned kHostAllocMapped = 2;
inline constexpr int kJitInputPtx = 1;

enum JitOption : int {
  kJitInfoLogBuffer = 3,
  kJitInfoLogBytes = 4,
  kJitErrorLogBuffer = 5,
  kJitErrorLogBytes = 6,
};

enum DeviceAttribute : int {
  kMaxThreadsPerBlock = 1,
  kMaxBlockX = 2,
  kMaxBlockY = 3,
  kMaxBlockZ = 4,
  kMaxGridX = 5,
  kMaxGridY = 6,
  kMaxGridZ = 7,
  kSharedPerBlock = 8,
  kWarpSize = 10,
  kClockKhz = 13,
  kMultiprocessors = 16,
  kMemoryClockKhz = 36,
  kMemoryBusBits = 37,
  kL2Bytes = 38,
  kThreadsPerMultiprocessor = 39,
  kCapabilityMajor = 75,
  kCapabilityMinor = 76,
  kSharedPerMultiprocessor = 81,
  kRegistersPerMultiprocessor = 82,
  kSharedPerBlockOptIn = 97,
  kBlocksPerMultiprocessor = 106,
  kMemoryPools = 115,
};

enum FunctionAttribute : int {
  kFunctionMaxThreads = 0,
  kFunctionSharedBytes = 1,
  kFunctionLocalBytes = 3,
  kFunctionRegisters = 4,
  kFunctionMaxDynamicShared = 8,
};

}  // namespace cu

// F(member, symbol in the library, parameters). All exist since CUDA 11.2.
#define VYRE_CUDA_FUNCTIONS(F)                                                                     \
  F(init, "cuInit", (unsigned flags))                                                              \
  F(driver_version, "cuDriverGetVersion", (int* version))                                          \
  F(error_name, "cuGetErrorName", (CuResult result, const char** text))                            \
  F(error_text, "cuGetErrorString", (CuResult result, const char** text))                          \
  F(device_count, "cuDeviceGetCount", (int* count))                                                \
  F(device_get, "cuDeviceGet", (CuDevice * device, int ordinal))                                   \
  F(device_name, "cuDeviceGetName", (char* text, int bytes, CuDevice device))                      \
  F(device_attribute, "cuDeviceGetAttribute", (int* value, int attribute, CuDevice device))        \
  F(device_total_memory, "cuDeviceTotalMem_v2", (std::size_t* bytes, CuDevice device))             \
  F(context_create, "cuCtxCreate_v2", (CuContext * context, unsigned flags, CuDevice device))      \
  F(context_destroy, "cuCtxDestroy_v2", (CuContext context))                                       \
  F(context_pop, "cuCtxPopCurrent_v2", (CuContext * context))                                      \
  F(context_get_current, "cuCtxGetCurrent", (CuContext * context))                                 \
  F(context_set_current, "cuCtxSetCurrent", (CuContext context))                                   \
  F(context_device, "cuCtxGetDevice", (CuDevice * device))                                         \
  F(memory_info, "cuMemGetInfo_v2", (std::size_t* free, std::size_t* total))                       \
  F(memory_allocate, "cuMemAlloc_v2", (CuAddress * address, std::size_t bytes))                    \
  F(memory_free, "cuMemFree_v2", (CuAddress address))                                              \
  F(memory_allocate_async, "cuMemAllocAsync",                                                      \
    (CuAddress * address, std::size_t bytes, CuStream stream))                                     \
  F(memory_free_async, "cuMemFreeAsync", (CuAddress address, CuStream stream))                     \
  F(host_allocate, "cuMemHostAlloc", (void** memory, std::size_t bytes, unsigned flags))           \
  F(host_free, "cuMemFreeHost", (void* memory))                                                    \
  F(host_device_address, "cuMemHostGetDevicePointer_v2",                                           \
    (CuAddress * address, void* memory, unsigned flags))                                           \
  F(copy_to_device, "cuMemcpyHtoDAsync_v2",                                                        \
    (CuAddress to, const void* from, std::size_t bytes, CuStream stream))                          \
  F(copy_to_host, "cuMemcpyDtoHAsync_v2",                                                          \
    (void* to, CuAddress from, std::size_t bytes, CuStream stream))                                \
  F(copy_on_device, "cuMemcpyDtoDAsync_v2",                                                        \
    (CuAddress to, CuAddress from, std::size_t bytes, CuStream stream))                            \
  F(set_bytes, "cuMemsetD8Async",                                                                  \
    (CuAddress at, unsigned char value, std::size_t count, CuStream stream))                       \
  F(set_words, "cuMemsetD32Async",                                                                 \
    (CuAddress at, unsigned value, std::size_t count, CuStream stream))                            \
  F(link_create, "cuLinkCreate_v2", (unsigned count, int* options, void** values, CuLink* link))   \
  F(link_add, "cuLinkAddData_v2",                                                                  \
    (CuLink link, int type, void* data, std::size_t bytes, const char* name, unsigned count,       \
     int* options, void** values))                                                                 \
  F(link_complete, "cuLinkComplete", (CuLink link, void** cubin, std::size_t* bytes))              \
  F(link_destroy, "cuLinkDestroy", (CuLink link))                                                  \
  F(module_load, "cuModuleLoadData", (CuModule * module, const void* image))                       \
  F(module_unload, "cuModuleUnload", (CuModule module))                                            \
  F(module_function, "cuModuleGetFunction",                                                        \
    (CuFunction * function, CuModule module, const char* name))                                    \
  F(function_attribute, "cuFuncGetAttribute", (int* value, int attribute, CuFunction function))    \
  F(function_set_attribute, "cuFuncSetAttribute", (CuFunction function, int attribute, int value)) \
  F(active_blocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                                  \
    (int* blocks, CuFunction function, int threads, std::size_t dynamic_shared))                   \
  F(potential_block, "cuOccupancyMaxPotentialBlockSize",                                           \
    (int* grid, int* threads, CuFunction function, std::size_t (*dynamic_shared_of)(int threads),  \
     std::size_t dynamic_shared, int most))                                                        \
  F(stream_create, "cuStreamCreate", (CuStream * stream, unsigned flags))                          \
  F(stream_destroy, "cuStreamDestroy_v2", (CuStream stream))                                       \
  F(stream_query, "cuStreamQuery", (CuStream stream))                                              \
  F(stream_synchronize, "cuStreamSynchronize", (CuStream stream))                                  \
  F(stream_wait_event, "cuStreamWaitEvent", (CuStream stream, CuEvent event, unsigned flags))      \
  F(stream_is_capturing, "cuStreamIsCapturing", (CuStream stream, int* status))                    \
  F(event_create, "cuEventCreate", (CuEvent * event, unsigned flags))                              \
  F(event_destroy, "cuEventDestroy_v2", (CuEvent event))                                           \
  F(event_record, "cuEventRecord", (CuEvent event, CuStream stream))                               \
  F(event_query, "cuEventQuery", (CuEvent event))                                                  \
  F(event_synchronize, "cuEventSynchronize", (CuEvent event))                                      \
  F(event_elapsed, "cuEventElapsedTime", (float* milliseconds, CuEvent start, CuEvent end))        \
  F(launch_kernel, "cuLaunchKernel",                                                               \
    (CuFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,     \
     unsigned block_y, unsigned block_z, unsigned dynamic_shared, CuStream stream,                 \
     void** parameters, void** extra))

// The same for functions of newer drivers; null if they are missing.
#define VYRE_CUDA_NEWER_FUNCTIONS(F)                                                           \
  F(launch_together, "cuLaunchCooperativeKernel",                                              \
    (CuFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, \
     unsigned block_y, unsigned block_z, unsigned dynamic_shared, CuStream stream,             \
     void** parameters))                                                                       \
  F(function_parameter, "cuFuncGetParamInfo",                                                  \
    (CuFunction function, std::size_t index, std::size_t* offset, std::size_t* bytes))         \
  F(function_load, "cuFuncLoad", (CuFunction function))                                        \
  F(library_load, "cuLibraryLoadData",                                                         \
    (CuLibrary * library, const void* image, int* jit_options, void** jit_values,              \
     unsigned jit_count, int* options, void** values, unsigned count))                         \
  F(library_unload, "cuLibraryUnload", (CuLibrary library))                                    \
  F(library_kernel, "cuLibraryGetKernel",                                                      \
    (CuKernel * kernel, CuLibrary library, const char* name))                                  \
  F(kernel_function, "cuKernelGetFunction", (CuFunction * function, CuKernel kernel))          \
  F(graph_create, "cuGraphCreate", (CuGraph * graph, unsigned flags))                          \
  F(graph_add_kernel, "cuGraphAddKernelNode",                                                  \
    (CuGraphNode * node, CuGraph graph, const CuGraphNode* after, std::size_t count,           \
     const CuKernelNode* kernel))                                                              \
  F(graph_add_memset, "cuGraphAddMemsetNode",                                                  \
    (CuGraphNode * node, CuGraph graph, const CuGraphNode* after, std::size_t count,           \
     const CuMemsetNode* memset, CuContext context))                                           \
  F(graph_add_copy, "cuGraphAddMemcpyNode",                                                    \
    (CuGraphNode * node, CuGraph graph, const CuGraphNode* after, std::size_t count,           \
     const CuCopyNode* copy, CuContext context))                                               \
  F(graph_set_kernel, "cuGraphExecKernelNodeSetParams",                                        \
    (CuGraphExec graph, CuGraphNode node, const CuKernelNode* kernel))                         \
  F(graph_instantiate, "cuGraphInstantiateWithFlags",                                          \
    (CuGraphExec * out, CuGraph graph, unsigned long long flags))                              \
  F(graph_upload, "cuGraphUpload", (CuGraphExec graph, CuStream stream))                       \
  F(graph_launch, "cuGraphLaunch", (CuGraphExec graph, CuStream stream))                       \
  F(graph_destroy, "cuGraphDestroy", (CuGraph graph))                                          \
  F(graph_exec_destroy, "cuGraphExecDestroy", (CuGraphExec graph))

struct CudaDriver {
#define VYRE_CUDA_MEMBER(member, symbol, parameters) CuResult(*member) parameters = nullptr;
  VYRE_CUDA_FUNCTIONS(VYRE_CUDA_MEMBER)
  VYRE_CUDA_NEWER_FUNCTIONS(VYRE_CUDA_MEMBER)
#undef VYRE_CUDA_MEMBER
  bool forked = false;  // this is a child of the process that loaded it, where CUDA does not work
};

// Fills the table from the library of that name. If it cannot be loaded, the error is
// `unavailable`, or `out_of_memory` where it does not fit into memory, with the text of the loader.
Result<CudaDriver> load_cuda_driver(const char* library);

// After this every function answers that the driver is not initialised.
void disable_after_fork(CudaDriver& driver);
Error forked_error();

// The driver of this process, loaded and initialised once; again after a lack of memory.
Result<const CudaDriver*> cuda_driver();

// Initialises the driver of a filled table; `unavailable` or `out_of_memory` with the reason if
// that fails.
Result<void> initialize_driver(const CudaDriver& driver);
Result<unsigned> device_count(const CudaDriver& driver);

// "CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)"
std::string result_text(const CudaDriver& driver, CuResult result);

// Whether a context is lost after this result.
bool loses_context(CuResult result);
Code code_of(CuResult result);
// The error code for a result that means that there is no driver or no device.
Code code_where_unavailable(CuResult result);

// Like open_cuda, with this driver.
Result<std::shared_ptr<CudaDevice>> open_cuda(const CudaDriver& driver, unsigned ordinal,
                                              const CudaOptions& options);

}  // namespace vyre
