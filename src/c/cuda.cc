#include "vyre/c/arguments_internal.h"
#include "vyre/c/objects_internal.h"
#include "vyre/c/stack_internal.h"
#include "vyre/device/cuda/cuda_device.h"

namespace vyre {
namespace {

constexpr std::uint64_t kMaxCode = std::uint64_t{1} << 30;
constexpr std::uint64_t kMaxParameters = 256;
constexpr std::uint64_t kMaxValue = 32764;  // of all parameters of a kernel together

Outcome<CudaOptions> cuda_options_of(const vyre_cuda_options* given) {
  CudaOptions options;
  options.leave_current = false;
  if (given == nullptr) return options;
  VYRE_CHECK(check_struct(given, "cuda"));
  if (given->stream != nullptr && given->has_stream == 0) {
    return failure(VYRE_INVALID_INPUT, "cuda.stream is given, but cuda.has_stream is 0");
  }
  options.context = static_cast<CUctx_st*>(given->context);
  if (given->has_stream != 0) options.stream = static_cast<CUstream_st*>(given->stream);
  options.leave_current = given->leave_current != 0;
  return options;
}

Outcome<> open_cuda_session(const vyre_cuda_options* cuda, const vyre_session_options* given,
                            vyre_session* out) {
  if (out == nullptr) return null_pointer("session");
  VYRE_TRY(CudaOptions cuda_options, cuda_options_of(cuda));
  VYRE_TRY(SessionOptions options, options_of(given));
  cuda_options.code_folder = options.code_folder;
  VYRE_TRY(auto device, open_cuda(cuda == nullptr ? 0 : cuda->ordinal, cuda_options));
  VYRE_TRY(Session session, Session::open(std::move(device), std::move(options)));
  VYRE_TRY(*out, publish_session(std::move(session), given));
  return {};
}

Outcome<> adopt_address(vyre_session id, std::uint64_t address, std::uint64_t bytes,
                        vyre_buffer* out) {
  VYRE_TRY(const auto pin, find<SessionObject>(id));
  if (out == nullptr) return null_pointer("buffer");
  const Session& session = pin->session->session;
  if (session.device().target().kind == TargetKind::host) {
    return failure(VYRE_INVALID_INPUT,
                   fmt::format("{} has no memory but the host's; vyre_buffer_adopt takes that",
                               session.device().name()));
  }
  if (bytes > UINT64_MAX - address) {
    return failure(VYRE_INVALID_INPUT,
                   fmt::format("no memory has {} bytes at {:#x}", bytes, address));
  }
  VYRE_TRY(Buffer buffer, session.adopt(address, bytes));
  VYRE_TRY(*out, publish(BufferObject{pin->session, std::move(buffer)}));
  return {};
}

Outcome<GpuParameterKind> kind_of(std::uint32_t kind, std::uint64_t index) {
  switch (kind) {
    case VYRE_GPU_ADDRESS: return GpuParameterKind::address;
    case VYRE_GPU_BYTES: return GpuParameterKind::bytes;
    case VYRE_GPU_EXTENT: return GpuParameterKind::extent;
    case VYRE_GPU_DEADLINE: return GpuParameterKind::deadline;
    case VYRE_GPU_STATUS: return GpuParameterKind::status;
    case VYRE_GPU_VALUE: return GpuParameterKind::value;
    default: break;
  }
  return failure(VYRE_INVALID_INPUT,
                 fmt::format("code.parameters[{}].kind is {}, which is no kind", index, kind));
}

Outcome<GpuParameter> parameter_of(const vyre_gpu_parameter& given, std::uint64_t index) {
  GpuParameter out;
  VYRE_TRY(out.kind, kind_of(given.kind, index));
  out.slot = given.slot;
  if (out.kind == GpuParameterKind::extent && given.slot > 2) {
    return failure(VYRE_INVALID_INPUT,
                   fmt::format("code.parameters[{}].slot is axis {}; the axes are 0, 1 and 2",
                               index, given.slot));
  }
  if (out.kind != GpuParameterKind::value) return out;
  if (given.value == nullptr) return null_pointer(fmt::format("code.parameters[{}].value", index));
  if (given.value_bytes == 0 || given.value_bytes > kMaxValue) {
    return failure(VYRE_INVALID_INPUT,
                   fmt::format("code.parameters[{}].value_bytes is {}; it must be 1 to {}", index,
                               given.value_bytes, kMaxValue));
  }
  const auto* bytes = static_cast<const std::byte*>(given.value);
  out.value.assign(bytes, bytes + given.value_bytes);
  return out;
}

Outcome<std::vector<GpuParameter>> parameters_of(const vyre_gpu_code& given) {
  if (given.parameters == nullptr && given.parameter_count != 0) {
    return null_pointer("code.parameters");
  }
  if (given.parameter_count > kMaxParameters) {
    return failure(VYRE_LIMIT, fmt::format("code.parameter_count is {}; the most is {}",
                                           given.parameter_count, kMaxParameters));
  }
  std::vector<GpuParameter> out;
  for (std::uint64_t i = 0; i < given.parameter_count; ++i) {
    VYRE_TRY(GpuParameter parameter, parameter_of(given.parameters[i], i));
    out.push_back(std::move(parameter));
  }
  return out;
}

Outcome<> read_code(const vyre_gpu_code& given, GpuCode& out) {
  if (given.code == nullptr) return null_pointer("code.code");
  const bool whole = given.code_bytes == VYRE_TO_THE_END;
  if (given.format != VYRE_PTX && given.format != VYRE_CUBIN) {
    return failure(VYRE_INVALID_INPUT,
                   fmt::format("code.format is {}, which is no format", given.format));
  }
  if (whole && given.format == VYRE_CUBIN) {
    return failure(VYRE_INVALID_INPUT, "code.code_bytes must say how long the cubin is");
  }
  if (!whole && given.code_bytes > kMaxCode) {
    return failure(VYRE_LIMIT, fmt::format("code.code_bytes is {}; the most is {}",
                                           given.code_bytes, kMaxCode));
  }
  if (given.format == VYRE_PTX) {
    const auto* text = static_cast<const char*>(given.code);
    out.ptx.assign(text, whole ? std::strlen(text) : given.code_bytes);
    // A length may count the null at the end; the driver's own does not.
    while (!out.ptx.empty() && out.ptx.back() == '\0') out.ptx.pop_back();
    if (out.ptx.find('\0') != std::string::npos) {
      return failure(VYRE_INVALID_INPUT, "the PTX has a null inside");
    }
  } else {
    const auto* bytes = static_cast<const std::byte*>(given.code);
    out.cubin.assign(bytes, bytes + given.code_bytes);
  }
  if (out.ptx.empty() && out.cubin.empty()) {
    return failure(VYRE_INVALID_INPUT, "the code is empty");
  }
  return {};
}

Outcome<OwnKernel> own_kernel_of(const vyre_gpu_code* given) {
  VYRE_CHECK(check_struct(given, "code"));
  if (given->reserved != 0) return failure(VYRE_INVALID_INPUT, "code.reserved is not 0");
  if (given->entry == nullptr) return null_pointer("code.entry");
  OwnKernel out;
  out.name = given->entry;
  out.code.entry = given->entry;
  out.code.dynamic_shared_bytes = given->dynamic_shared_bytes;
  std::ranges::copy(given->workgroup, out.workgroup.begin());
  std::ranges::copy(given->covers, out.covers.begin());
  VYRE_TRY(out.code.parameters, parameters_of(*given));
  VYRE_CHECK(read_code(*given, out.code));
  return out;
}

Outcome<> create_gpu_dispatch(vyre_session id, const vyre_gpu_code* code, const vyre_binding* given,
                              std::uint64_t count, const vyre_grid* grid, vyre_dispatch* out) {
  VYRE_TRY(const auto pin, find<SessionObject>(id));
  if (out == nullptr) return null_pointer("dispatch");
  VYRE_TRY(const OwnKernel kernel, own_kernel_of(code));
  VYRE_TRY(const auto bindings, bindings_of(*pin->session, given, count));
  VYRE_TRY(const DispatchSize size, size_of(grid));
  VYRE_TRY(Dispatch dispatch, with_enough_stack([&]() -> Outcome<Dispatch> {
             VYRE_TRY(Dispatch made, pin->session->session.prepare(kernel, bindings, size));
             return made;
           }));
  VYRE_TRY(*out, publish(DispatchObject{pin->session, std::move(dispatch)}));
  return {};
}

}  // namespace
}  // namespace vyre

using namespace vyre;

vyre_code vyre_session_open_cuda(const vyre_cuda_options* cuda, const vyre_session_options* options,
                                 vyre_session* session) {
  return guarded([&] { return open_cuda_session(cuda, options, session); });
}

vyre_code vyre_buffer_adopt_address(vyre_session session, uint64_t device_address, uint64_t bytes,
                                    vyre_buffer* buffer) {
  return guarded([&] { return adopt_address(session, device_address, bytes, buffer); });
}

vyre_code vyre_dispatch_create_gpu(vyre_session session, const vyre_gpu_code* code,
                                   const vyre_binding* bindings, uint64_t binding_count,
                                   const vyre_grid* grid, vyre_dispatch* dispatch) {
  return guarded(
      [&] { return create_gpu_dispatch(session, code, bindings, binding_count, grid, dispatch); });
}
