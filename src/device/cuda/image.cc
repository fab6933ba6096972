#include <fmt/format.h>

#include "vyre/device/cuda/cubin_internal.h"
#include "vyre/device/cuda/image_internal.h"

namespace vyre {
namespace {

// The driver reports a cubin for another architecture when it reads it or when it runs it.
Result<void> check(CudaContext& context, const CudaImage& image, CuResult result,
                   const char* call) {
  if (result == cu::kNotFound) {
    return fail(Code::invalid_input, fmt::format("the code has no kernel '{}'", image.entry));
  }
  if (result == cu::kNoBinaryForGpu || result == cu::kInvalidImage) {
    return fail(Code::invalid_input, fmt::format("the cubin of kernel '{}' is not for {} ({}): {}",
                                                 image.entry, context.name(), image.processor,
                                                 result_text(context.driver(), result)));
  }
  return context.check(result, call, image.entry);
}

}  // namespace

CudaLibraries::~CudaLibraries() {
  for (CuLibrary library : all_) driver_.library_unload(library);
}

void CudaLibraries::add(CuLibrary library) {
  const std::scoped_lock lock(mutex_);
  all_.insert(library);
}

void CudaLibraries::unload(CuLibrary library) {
  const std::scoped_lock lock(mutex_);
  if (all_.erase(library) != 0) driver_.library_unload(library);
}

void CudaLibraries::leave() {
  const std::scoped_lock lock(mutex_);
  all_.clear();
}

bool reads_beside(const CudaDriver& driver) {
  return driver.library_load != nullptr && driver.library_unload != nullptr &&
         driver.library_kernel != nullptr && driver.kernel_function != nullptr;
}

Result<CudaImage> read_image(CudaContext& context, CudaLibraries& libraries,
                             std::span<const std::byte> cubin, const std::string& entry,
                             const std::string& processor) {
  const CudaDriver& driver = context.driver();
  VYRE_CHECK(check_cubin(cubin, entry));
  CudaImage out;
  out.entry = entry;
  out.processor = processor;
  if (!reads_beside(driver)) {
    VYRE_CHECK(
        check(context, out, driver.module_load(&out.module, cubin.data()), "cuModuleLoadData"));
    return out;
  }
  VYRE_CHECK(check(
      context, out,
      driver.library_load(&out.library, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
      "cuLibraryLoadData"));
  libraries.add(out.library);
  const CuResult found = driver.library_kernel(&out.kernel, out.library, entry.c_str());
  if (found != cu::kSuccess) libraries.unload(out.library);
  VYRE_CHECK(check(context, out, found, "cuLibraryGetKernel"));
  return out;
}

Result<CuFunction> function_of(CudaContext& context, const CudaImage& image) {
  const CudaDriver& driver = context.driver();
  CuFunction function = nullptr;
  if (image.library != nullptr) {
    VYRE_CHECK(check(context, image, driver.kernel_function(&function, image.kernel),
                     "cuKernelGetFunction"));
  } else {
    VYRE_CHECK(check(context, image,
                     driver.module_function(&function, image.module, image.entry.c_str()),
                     "cuModuleGetFunction"));
  }
  // Done here, because the first launch would otherwise wait for running kernels.
  if (driver.function_load != nullptr) {
    VYRE_CHECK(context.check(driver.function_load(function), "cuFuncLoad", image.entry));
  }
  return function;
}

void unload(CudaContext& context, CudaLibraries& libraries, const CudaImage& image) {
  if (image.library != nullptr) libraries.unload(image.library);
  if (image.module != nullptr && !context.lost()) context.driver().module_unload(image.module);
}

}  // namespace vyre
