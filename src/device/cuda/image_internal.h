// A cubin that the driver has read, for one kernel in it.
#pragma once

#include <mutex>
#include <set>
#include <span>
#include <string>

#include "vyre/base/process/fork_watch.h"
#include "vyre/device/cuda/context_internal.h"

namespace vyre {

// If the driver has libraries (since CUDA 12), reading disturbs nothing. Reading a module waits for
// running kernels, and launches of other threads wait for it.
struct CudaImage {
  CuModule module = nullptr;
  CuLibrary library = nullptr;
  CuKernel kernel = nullptr;
  std::string entry, processor;  // the name of the kernel, and the architecture of the cubin
  bool empty() const { return module == nullptr && library == nullptr; }
};

// The loaded libraries. Unlike modules, they are not freed with a context.
class CudaLibraries {
 public:
  explicit CudaLibraries(const CudaDriver& driver) : driver_(driver) {}
  ~CudaLibraries();
  CudaLibraries(const CudaLibraries&) = delete;
  CudaLibraries& operator=(const CudaLibraries&) = delete;

  void add(CuLibrary library);
  void unload(CuLibrary library);
  // Leaks the libraries, because work that uses them may never end.
  void leave();

 private:
  const CudaDriver& driver_;
  ForkSafeMutex mutex_{HeldFor::work};
  std::set<CuLibrary> all_;
};

// All functions need the context to be current.
bool reads_beside(const CudaDriver& driver);  // whether reading does not wait for kernels
Result<CudaImage> read_image(CudaContext& context, CudaLibraries& libraries,
                             std::span<const std::byte> cubin, const std::string& entry,
                             const std::string& processor);
// Loads the code onto the device; waits for running kernels.
Result<CuFunction> function_of(CudaContext& context, const CudaImage& image);
void unload(CudaContext& context, CudaLibraries& libraries, const CudaImage& image);

}  // namespace vyre
