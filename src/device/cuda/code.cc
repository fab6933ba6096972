#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "vyre/device/cuda/code_internal.h"
#include "vyre/device/cuda/image_internal.h"
#include "vyre/device/cuda/link_internal.h"

namespace vyre {
namespace {

// The shared memory that a kernel may use without an opt-in.
constexpr std::uint64_t kPlainShared = 48 << 10;

Result<GpuCode*> gpu_code(DeviceCode& code) {
  auto* gpu = std::get_if<GpuCode>(&code);
  if (gpu == nullptr) {
    return fail(Code::invalid_input, "this code is made for the host's processor, not for a GPU");
  }
  if (gpu->ptx.empty() && gpu->cubin.empty()) {
    return fail(Code::invalid_input, fmt::format("the code of kernel '{}' is empty", gpu->entry),
                "give PTX or a cubin");
  }
  return gpu;
}

// It is unloaded when no running work may use it.
Result<std::shared_ptr<const CudaImage>> read_shared(const std::shared_ptr<CudaCore>& core,
                                                     const GpuCode& code) {
  VYRE_TRY(const CudaImage image, read_image(core->context, core->libraries, code.cubin, code.entry,
                                             core->target.processor));
  return std::shared_ptr<const CudaImage>(new CudaImage(image), [core](const CudaImage* it) {
    const std::unique_ptr<const CudaImage> owner(it);
    core->reclaim.retire(ReleaseWhen::idle, 0, [core = core.get(), image = *it] {
      unload(core->context, core->libraries, image);
    });
  });
}

}  // namespace

std::size_t parameter_bytes(const GpuParameter& parameter) {
  switch (parameter.kind) {
    case GpuParameterKind::extent: return 4;
    case GpuParameterKind::value:
    case GpuParameterKind::contents: return parameter.value.size();
    default: return 8;
  }
}

Result<ParameterLayout> ParameterLayout::make(const std::vector<GpuParameter>& parameters) {
  if (parameters.size() > kMaxParameters) {
    return fail(Code::limit, fmt::format("the kernel has {} parameters; the most is {}",
                                         parameters.size(), kMaxParameters));
  }
  ParameterLayout out;
  for (const GpuParameter& p : parameters) {
    const auto binding = [&](std::size_t member) {
      out.bindings_ = std::max(out.bindings_, p.slot + 1);
      return Step{kBindings, p.slot * sizeof(BoundMemory) + member};
    };
    switch (p.kind) {
      case GpuParameterKind::address:
        out.steps_.push_back(binding(offsetof(BoundMemory, address)));
        break;
      case GpuParameterKind::bytes:
        out.steps_.push_back(binding(offsetof(BoundMemory, bytes)));
        break;
      case GpuParameterKind::extent:
        if (p.slot > 2) {
          return fail(Code::invalid_input, fmt::format("a parameter is the extent along axis {}; "
                                                       "the axes are 0, 1 and 2",
                                                       p.slot));
        }
        out.steps_.push_back({kExtent, p.slot * sizeof(std::uint32_t)});
        break;
      case GpuParameterKind::deadline:
        out.takes_deadline_ = true;
        out.steps_.push_back({kWords, offsetof(LaunchWords, deadline)});
        break;
      case GpuParameterKind::status:
        out.steps_.push_back({kWords, offsetof(LaunchWords, status)});
        break;
      case GpuParameterKind::contents:
        out.bindings_ = std::max(out.bindings_, p.slot + 1);
        out.steps_.push_back({kContents, p.slot});
        out.contents_.push_back({p.slot, p.value.size()});
        break;
      case GpuParameterKind::value:
        if (p.value.empty()) {
          return fail(Code::invalid_input, "a parameter's constant value has no bytes");
        }
        out.steps_.push_back({kAbsolute, reinterpret_cast<std::uintptr_t>(p.value.data())});
        break;
    }
  }
  return out;
}

CudaCode::~CudaCode() = default;

Result<void> CudaCode::load_function() {
  image_ = std::static_pointer_cast<const CudaImage>(std::exchange(code_.read, nullptr));
  if (image_ == nullptr) {
    VYRE_TRY(image_, read_shared(core_, code_));
  }
  VYRE_TRY(function_, function_of(core_->context, *image_));
  return {};
}

Result<void> CudaCode::check_parameters() const {
  const CudaDriver& driver = core_->driver;
  if (driver.function_parameter == nullptr) return {};
  const std::size_t declared = code_.parameters.size();
  std::size_t offset = 0, bytes = 0, count = 0;
  for (; driver.function_parameter(function_, count, &offset, &bytes) == cu::kSuccess; ++count) {
    if (count >= declared) continue;
    const std::size_t given = parameter_bytes(code_.parameters[count]);
    if (given != bytes) {
      return fail(Code::invalid_input,
                  fmt::format("parameter {} of kernel '{}' has {} bytes; {} are declared", count,
                              code_.entry, bytes, given));
    }
  }
  if (count != declared) {
    return fail(Code::invalid_input, fmt::format("kernel '{}' takes {} parameters; {} are declared",
                                                 code_.entry, count, declared));
  }
  return {};
}

Result<void> CudaCode::read_facts() {
  const auto attribute = [&](int which, int& value) {
    return core_->context.check(core_->driver.function_attribute(&value, which, function_),
                                "cuFuncGetAttribute", code_.entry);
  };
  int threads = 0, shared = 0, local = 0, registers = 0;
  VYRE_CHECK(attribute(cu::kFunctionMaxThreads, threads));
  VYRE_CHECK(attribute(cu::kFunctionSharedBytes, shared));
  VYRE_CHECK(attribute(cu::kFunctionLocalBytes, local));
  VYRE_CHECK(attribute(cu::kFunctionRegisters, registers));
  facts_ = {.registers = static_cast<std::uint32_t>(registers),
            .shared_bytes = static_cast<std::uint64_t>(shared) + code_.dynamic_shared_bytes,
            .local_bytes = static_cast<std::uint64_t>(local),
            .max_threads = static_cast<std::uint32_t>(threads),
            .brief = code_.brief};
  return {};
}

Result<void> CudaCode::allow_dynamic_shared() {
  if (facts_.shared_bytes <= kPlainShared || code_.dynamic_shared_bytes == 0) return {};
  const std::uint32_t most =
      device_attribute(core_->driver, core_->device, cu::kSharedPerBlockOptIn);
  if (facts_.shared_bytes > most) {
    return fail(Code::limit,
                fmt::format("kernel '{}' takes {} bytes of shared memory; {} has {} for a "
                            "workgroup",
                            code_.entry, facts_.shared_bytes, core_->context.name(), most));
  }
  return core_->context.check(
      core_->driver.function_set_attribute(function_, cu::kFunctionMaxDynamicShared,
                                           static_cast<int>(code_.dynamic_shared_bytes)),
      "cuFuncSetAttribute", code_.entry);
}

Result<void> CudaCode::load() {
  VYRE_TRY(layout_, ParameterLayout::make(code_.parameters));
  VYRE_CHECK(load_function());
  VYRE_CHECK(check_parameters());
  VYRE_CHECK(read_facts());
  VYRE_CHECK(allow_dynamic_shared());
  code_.cubin = {};
  return {};
}

Result<DeviceCode> finish_code(const std::shared_ptr<CudaCore>& core, DeviceCode code) {
  VYRE_TRY(GpuCode * gpu, gpu_code(code));
  CurrentContext current(core->context);
  if (!current) return current.error();
  if (gpu->cubin.empty()) {
    VYRE_TRY(gpu->cubin, link_ptx(core->context, gpu->ptx, gpu->entry));
    gpu->ptx.clear();
  }
  if (gpu->read == nullptr && reads_beside(core->driver)) {
    VYRE_TRY(gpu->read, read_shared(core, *gpu));
  }
  return code;
}

Result<std::shared_ptr<const LoadedCode>> load_code(const std::shared_ptr<CudaCore>& core,
                                                    DeviceCode code) {
  VYRE_TRY(DeviceCode finished, finish_code(core, std::move(code)));
  CurrentContext current(core->context);
  if (!current) return current.error();
  core->reclaim.sweep();
  auto loaded = std::make_shared<CudaCode>(core, std::get<GpuCode>(std::move(finished)));
  VYRE_CHECK(loaded->load());
  return loaded;
}

Result<Occupancy> code_occupancy(CudaCore& core, const LoadedCode& code, Extent workgroup) {
  const auto* cuda = dynamic_cast<const CudaCode*>(&code);
  if (cuda == nullptr || cuda->core() != &core) {
    return fail(Code::invalid_input,
                fmt::format("the code was not loaded by this {}", core.context.name()));
  }
  const std::uint64_t threads = std::uint64_t{workgroup[0]} * workgroup[1] * workgroup[2];
  CurrentContext current(core.context);
  if (!current) return current.error();
  int groups = 0, grid = 0, best = 0;
  if (threads != 0 && threads <= cuda->max_threads()) {
    VYRE_CHECK(core.context.check(
        core.driver.active_blocks(&groups, cuda->function(), static_cast<int>(threads),
                                  cuda->dynamic_shared()),
        "cuOccupancyMaxActiveBlocksPerMultiprocessor"));
  }
  VYRE_CHECK(core.context.check(core.driver.potential_block(&grid, &best, cuda->function(), nullptr,
                                                            cuda->dynamic_shared(), 0),
                                "cuOccupancyMaxPotentialBlockSize"));
  const std::uint32_t multiprocessors =
      device_attribute(core.driver, core.device, cu::kMultiprocessors);
  return Occupancy{.groups_per_multiprocessor = static_cast<std::uint32_t>(groups),
                   .suggested_threads = static_cast<std::uint32_t>(best),
                   .suggested_groups = static_cast<std::uint32_t>(grid),
                   .groups_at_once = static_cast<std::uint64_t>(groups) * multiprocessors};
}

}  // namespace vyre
