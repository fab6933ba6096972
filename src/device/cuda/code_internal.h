// A loaded kernel, with its parameters laid out for launches.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "vyre/device/cuda/core_internal.h"
#include "vyre/device/device.h"
#include "vyre/device/listed_work.h"

namespace vyre {

inline constexpr std::size_t kMaxParameters = 256;
inline constexpr std::uint64_t kNoDeadline = ~std::uint64_t{0};

// The arguments of a launch other than its bindings and extent.
struct LaunchWords {
  std::uint64_t deadline = kNoDeadline;
  CuAddress status = 0;
};

// The addresses of the parameters' values, in order. Each is in one of four places of a launch.
class ParameterLayout {
 public:
  // Checks the slots. The values in `parameters` must not move.
  static Result<ParameterLayout> make(const std::vector<GpuParameter>& parameters);

  std::size_t size() const { return steps_.size(); }
  std::uint32_t bindings() const { return bindings_; }  // that a launch must have
  bool takes_deadline() const { return takes_deadline_; }
  // Slots whose contents in the host's memory are passed.
  const std::vector<ContentsSlot>& contents() const { return contents_; }

  void fill(void** out, const Launch& launch, const LaunchWords& words) const {
    const std::array<std::uintptr_t, 4> places{
        reinterpret_cast<std::uintptr_t>(launch.bindings.data()),
        reinterpret_cast<std::uintptr_t>(launch.extent.data()),
        reinterpret_cast<std::uintptr_t>(&words), 0};
    for (const Step& step : steps_) {
      const std::uintptr_t at = step.place == kContents ? launch.bindings[step.offset].address
                                                        : places[step.place] + step.offset;
      *out++ = reinterpret_cast<void*>(at);
    }
  }

 private:
  enum Place : std::uint32_t { kBindings, kExtent, kWords, kAbsolute, kContents };
  struct Step {
    Place place = kBindings;
    std::uintptr_t offset = 0;
  };

  std::vector<Step> steps_;
  std::uint32_t bindings_ = 0;
  bool takes_deadline_ = false;
  std::vector<ContentsSlot> contents_;
};

// The size of a parameter in bytes.
std::size_t parameter_bytes(const GpuParameter& parameter);

class CudaCode final : public LoadedCode {
 public:
  CudaCode(std::shared_ptr<CudaCore> core, GpuCode code) : core_(std::move(core)), code_(code) {}
  ~CudaCode() override;
  CudaCode(const CudaCode&) = delete;
  CudaCode& operator=(const CudaCode&) = delete;

  // Call it once, before anything else, with the context current. It releases the cubin.
  Result<void> load();

  CodeFacts facts() const override { return facts_; }
  const CudaCore* core() const { return core_.get(); }
  CuFunction function() const { return function_; }
  const ParameterLayout& layout() const { return layout_; }
  std::uint32_t max_threads() const { return facts_.max_threads; }
  unsigned dynamic_shared() const { return static_cast<unsigned>(code_.dynamic_shared_bytes); }

 private:
  Result<void> load_function();
  Result<void> allow_dynamic_shared();
  Result<void> check_parameters() const;
  Result<void> read_facts();

  std::shared_ptr<CudaCore> core_;
  GpuCode code_;
  std::shared_ptr<const CudaImage> image_;
  CuFunction function_ = nullptr;
  ParameterLayout layout_;
  CodeFacts facts_;
};

}  // namespace vyre
