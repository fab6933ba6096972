// OpenCL is loaded when there is one, so that the benchmark runs without.
#include "sides.h"

#if __has_include(<CL/cl.h>)

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>

#include "vyre/base/files/files.h"

namespace vyre::bench {
namespace {

struct Api {
  decltype(&clGetPlatformIDs) get_platforms = nullptr;
  decltype(&clGetPlatformInfo) get_platform_info = nullptr;
  decltype(&clGetDeviceIDs) get_devices = nullptr;
  decltype(&clCreateContext) create_context = nullptr;
  decltype(&clCreateCommandQueue) create_queue = nullptr;
  decltype(&clCreateProgramWithSource) create_program = nullptr;
  decltype(&clBuildProgram) build = nullptr;
  decltype(&clGetProgramBuildInfo) build_info = nullptr;
  decltype(&clCreateKernel) create_kernel = nullptr;
  decltype(&clSetKernelArg) set_argument = nullptr;
  decltype(&clCreateBuffer) create_buffer = nullptr;
  decltype(&clReleaseMemObject) release_buffer = nullptr;
  decltype(&clEnqueueWriteBuffer) write = nullptr;
  decltype(&clEnqueueReadBuffer) read = nullptr;
  decltype(&clEnqueueNDRangeKernel) launch = nullptr;
  decltype(&clFinish) finish = nullptr;
};

struct Runtime {
  Api api;
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  std::string why_not;
};

template <class F>
bool find(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  return function != nullptr;
}

Runtime open_runtime() {
  Runtime r;
  Api& a = r.api;
  void* library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    r.why_not = "there is no libOpenCL.so.1 (Debian: ocl-icd-opencl-dev, pocl-opencl-icd)";
    return r;
  }
  if (!find(library, "clGetPlatformIDs", a.get_platforms) ||
      !find(library, "clGetPlatformInfo", a.get_platform_info) ||
      !find(library, "clGetDeviceIDs", a.get_devices) ||
      !find(library, "clCreateContext", a.create_context) ||
      !find(library, "clCreateCommandQueue", a.create_queue) ||
      !find(library, "clCreateProgramWithSource", a.create_program) ||
      !find(library, "clBuildProgram", a.build) ||
      !find(library, "clGetProgramBuildInfo", a.build_info) ||
      !find(library, "clCreateKernel", a.create_kernel) ||
      !find(library, "clSetKernelArg", a.set_argument) ||
      !find(library, "clCreateBuffer", a.create_buffer) ||
      !find(library, "clReleaseMemObject", a.release_buffer) ||
      !find(library, "clEnqueueWriteBuffer", a.write) ||
      !find(library, "clEnqueueReadBuffer", a.read) ||
      !find(library, "clEnqueueNDRangeKernel", a.launch) || !find(library, "clFinish", a.finish)) {
    r.why_not = "libOpenCL.so.1 lacks a function";
    return r;
  }
  cl_uint count = 0;
  cl_platform_id platforms[16] = {};
  a.get_platforms(16, platforms, &count);
  for (cl_uint i = 0; i < count && i < 16 && r.device == nullptr; ++i) {
    char name[256] = {};
    a.get_platform_info(platforms[i], CL_PLATFORM_NAME, sizeof name - 1, name, nullptr);
    if (std::string_view(name).find("Portable Computing Language") == std::string_view::npos) {
      continue;
    }
    a.get_devices(platforms[i], CL_DEVICE_TYPE_CPU, 1, &r.device, nullptr);
  }
  if (r.device == nullptr) {
    r.why_not = "there is no PoCL among the OpenCL platforms (Debian: pocl-opencl-icd)";
    return r;
  }
  r.context = a.create_context(nullptr, 1, &r.device, nullptr, nullptr, nullptr);
  if (r.context != nullptr) r.queue = a.create_queue(r.context, r.device, 0, nullptr);
  if (r.queue == nullptr) r.why_not = "PoCL gives no queue";
  return r;
}

Runtime& runtime() {
  static Runtime r = open_runtime();
  return r;
}

class PoclSide final : public Implementation {
 public:
  PoclSide(const Problem& p, cl_kernel kernel) : kernel_(kernel) {
    const Api& a = runtime().api;
    for (std::size_t i = 0; i < 3; ++i) {
      local_[i] = p.workgroup[i];
      global_[i] = std::size_t{p.workgroup[i]} * p.groups[i];
    }
    for (std::size_t i = 0; i < p.buffers.size(); ++i) {
      bytes_.push_back(p.buffers[i].initial.size());
      buffers_.push_back(
          a.create_buffer(runtime().context, CL_MEM_READ_WRITE, bytes_[i], nullptr, nullptr));
      write(i, p.buffers[i].initial);
      a.set_argument(kernel_, static_cast<cl_uint>(i), sizeof(cl_mem),
                     static_cast<const void*>(&buffers_[i]));
    }
  }
  ~PoclSide() override {
    for (cl_mem b : buffers_) runtime().api.release_buffer(b);
  }
  PoclSide(const PoclSide&) = delete;
  PoclSide& operator=(const PoclSide&) = delete;

  void run() override {
    const Runtime& r = runtime();
    if (r.api.launch(r.queue, kernel_, 3, nullptr, global_, local_, 0, nullptr, nullptr) !=
        CL_SUCCESS) {
      fmt::print(stderr, "PoCL refuses a launch\n");
      std::exit(1);
    }
    r.api.finish(r.queue);
  }
  void write(std::size_t i, std::span<const std::byte> bytes) override {
    const Runtime& r = runtime();
    r.api.write(r.queue, buffers_[i], CL_TRUE, 0, bytes.size(), bytes.data(), 0, nullptr, nullptr);
  }
  std::vector<std::byte> read(std::size_t i) override {
    const Runtime& r = runtime();
    std::vector<std::byte> out(bytes_[i]);
    r.api.read(r.queue, buffers_[i], CL_TRUE, 0, out.size(), out.data(), 0, nullptr, nullptr);
    return out;
  }

 private:
  cl_kernel kernel_;
  std::size_t local_[3] = {}, global_[3] = {};
  std::vector<cl_mem> buffers_;
  std::vector<std::size_t> bytes_;
};

}  // namespace

Made make_pocl_side(const Problem& p) {
  const Runtime& r = runtime();
  if (!r.why_not.empty()) return {nullptr, r.why_not};
  const auto text = read_file(VYRE_ROOT_DIR "/bench/kernels/opencl/" + p.name + ".cl");
  if (!text) return {nullptr, describe(text.error())};
  const char* source = text->c_str();
  cl_program program = r.api.create_program(r.context, 1, &source, nullptr, nullptr);
  // Multiply-adds may be fused, as they are everywhere else.
  if (r.api.build(program, 1, &r.device, "-cl-std=CL1.2 -cl-mad-enable", nullptr, nullptr) !=
      CL_SUCCESS) {
    char log[4096] = {};
    r.api.build_info(program, r.device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, nullptr);
    return {nullptr, fmt::format("PoCL does not build {}.cl: {}", p.name, log)};
  }
  cl_kernel kernel = r.api.create_kernel(program, p.name.c_str(), nullptr);
  if (kernel == nullptr) return {nullptr, "PoCL finds no kernel " + p.name};
  return {std::make_unique<PoclSide>(p, kernel), {}};
}

}  // namespace vyre::bench

#else

namespace vyre::bench {
Made make_pocl_side(const Problem&) {
  return {nullptr, "built without OpenCL's headers (Debian: opencl-headers)"};
}
}  // namespace vyre::bench

#endif
