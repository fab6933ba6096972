#include "vyre/lower/gpu_compile.h"

#include <fmt/format.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <mutex>

#include "vyre/ir/slots.h"
#include "vyre/lower/allowed_operations_internal.h"
#include "vyre/lower/brief_pipeline_internal.h"
#include "vyre/lower/generate_file_internal.h"
#include "vyre/lower/gpu/gpu_kernel_internal.h"
#include "vyre/lower/gpu/hoist_loads_internal.h"
#include "vyre/lower/gpu/order_tests_internal.h"
#include "vyre/lower/gpu/overlap_loads_internal.h"
#include "vyre/lower/gpu/part_ends_internal.h"
#include "vyre/lower/gpu/signed_zeros_internal.h"
#include "vyre/lower/gpu/wide_addresses_internal.h"
#include "vyre/lower/guarded_compile_internal.h"
#include "vyre/lower/legal_variant_internal.h"
#include "vyre/lower/range_checks_internal.h"
#include "vyre/lower/unroll_private_internal.h"

namespace vyre {
namespace {

constexpr int kGeneratorVersion = 11;

constexpr std::uint64_t kMostByValue =
    1024;  // the most bytes of all uniforms of a kernel that are passed by value

struct Processor {
  unsigned number;
  const char* ptx;  // the first PTX version that knows it
};
// What LLVM 19 generates code for. A newer GPU runs the newest of these.
constexpr std::array kProcessors = {
    Processor{70, "+ptx64"}, Processor{72, "+ptx64"}, Processor{75, "+ptx64"},
    Processor{80, "+ptx70"}, Processor{86, "+ptx71"}, Processor{87, "+ptx74"},
    Processor{89, "+ptx78"}, Processor{90, "+ptx78"},
};

Result<Processor> processor_of(std::string_view name) {
  unsigned number = 0;
  const bool named = name.starts_with("sm_");
  const std::string_view digits = named ? name.substr(3) : std::string_view();
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), number);
  if (error != std::errc() || end != digits.end()) {
    return fail(Code::invalid_input, fmt::format("'{}' is no GPU processor", name),
                "name it like sm_90");
  }
  const Processor* best = nullptr;
  for (const Processor& p : kProcessors) {
    if (p.number <= number) best = &p;
  }
  if (best == nullptr) {
    return fail(Code::unavailable,
                fmt::format("{} is too old: code is made for sm_70 and later", name));
  }
  return *best;
}

Result<std::unique_ptr<llvm::TargetMachine>> machine(const std::string& processor) {
  VYRE_TRY(const Processor p, processor_of(processor));
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  std::string why;
  const std::string triple = "nvptx64-nvidia-cuda";
  const auto* target = llvm::TargetRegistry::lookupTarget(triple, why);
  if (target == nullptr) return fail(Code::unavailable, "no code generator for PTX: " + why);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> out(
      target->createTargetMachine(triple, fmt::format("sm_{}", p.number), p.ptx, options,
                                  std::nullopt, std::nullopt, llvm::CodeGenOptLevel::Default));
  if (!out) return fail(Code::unavailable, "no code generator for " + processor);
  return out;
}

llvm::ModulePassManager brief_pipeline() {
  llvm::ModulePassManager out;
  out.addPass(llvm::createModuleToFunctionPassAdaptor(brief_passes()));
  out.addPass(llvm::createModuleToFunctionPassAdaptor(SignedZeros()));
  return out;
}

llvm::ModulePassManager full_pipeline(llvm::PassBuilder& passes) {
  auto out = passes.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3);
  out.addPass(llvm::createModuleToFunctionPassAdaptor(HoistLoads()));
  out.addPass(llvm::createModuleToFunctionPassAdaptor(PartEnds()));
  out.addPass(llvm::createModuleToFunctionPassAdaptor(OrderTests()));
  out.addPass(llvm::createModuleToFunctionPassAdaptor(WideAddresses()));
  out.addPass(llvm::createModuleToFunctionPassAdaptor(SignedZeros()));
  return out;
}

void optimise(llvm::Module& module, llvm::TargetMachine& target, bool brief) {
  llvm::PassInstrumentationCallbacks callbacks;
  skip_passes_when_unwanted(callbacks);
  llvm::PassBuilder passes(&target, llvm::PipelineTuningOptions(), std::nullopt, &callbacks);
  passes.registerVectorizerStartEPCallback(
      [](llvm::FunctionPassManager& functions, llvm::OptimizationLevel) {
        functions.addPass(llvm::LoopSimplifyPass());
        HoistRangeChecks hoist;
        hoist.checked_stay_rolled = true;
        functions.addPass(std::move(hoist));
        functions.addPass(llvm::SimplifyCFGPass());
        functions.addPass(OverlapLoads());
        functions.addPass(
            WideAddresses());  // runs before loops are unrolled, so that rounds share addresses
      });
  passes.registerLateLoopOptimizationsEPCallback(
      [](llvm::LoopPassManager& loops, llvm::OptimizationLevel) {
        loops.addPass(UnrollPrivateArrays());
      });
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(graph);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, graph, modules);
  auto pipeline = brief ? brief_pipeline() : full_pipeline(passes);
  pipeline.run(module, modules);
}

struct Prepared {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::TargetMachine> target;
  GpuModule code;
  bool brief = false;
};

Result<Prepared> prepare(const Kernel& kernel, const Variant& variant, const GpuOptions& options) {
  assert_legal(kernel, variant, TargetKind::nvptx);
  Prepared out;
  out.context = std::make_unique<llvm::LLVMContext>();
  VYRE_TRY(out.target, machine(options.processor));
  VYRE_TRY(out.code, emit_gpu_module(*out.context, kernel, variant, options));
  llvm::Module& module = *out.code.module;
  module.setTargetTriple(out.target->getTargetTriple().str());
  module.setDataLayout(out.target->createDataLayout());
  out.brief = is_large(module);
  if (out.brief) out.target->setOptLevel(llvm::CodeGenOptLevel::None);
  optimise(module, *out.target, out.brief);
  if (is_work_unwanted()) return fail(Code::limit, "nobody waits for the code any more");
  if (const std::string fault = not_allowed(module, TargetKind::nvptx); !fault.empty()) {
    return fail(Code::internal, fmt::format("kernel '{}' needs {}, which is not generated for GPUs",
                                            kernel.program->name, fault));
  }
  return out;
}

}  // namespace

std::vector<ByValue> gpu_by_value(const Kernel& kernel, std::uint32_t most_bytes) {
  const Program& p = *kernel.program;
  const std::vector<GlobalId> slots = slots_of(p);
  std::vector<ByValue> out;
  std::uint64_t all = 0;
  for (std::uint32_t slot = 0; slot < slots.size(); ++slot) {
    if (p[slots[slot]].memory != MemoryKind::uniform) continue;
    const std::uint64_t bytes = p.types.layout(p[slots[slot]].type).size;
    if (bytes > most_bytes || all + bytes > kMostByValue) continue;
    all += bytes;
    out.push_back({slot, static_cast<std::uint32_t>(bytes)});
  }
  return out;
}

std::string gpu_generator_version() {
  return fmt::format("vyre-ptx-{} llvm-{}", kGeneratorVersion, LLVM_VERSION_STRING);
}

Result<GpuCode> unguarded_compile_gpu(const Kernel& kernel, const Variant& variant,
                                      const GpuOptions& options) {
  VYRE_TRY(auto prepared, prepare(kernel, variant, options));
  VYRE_TRY(const auto file, generate_file(*prepared.target, *prepared.code.module,
                                          llvm::CodeGenFileType::AssemblyFile));
  GpuCode out;
  out.ptx.assign(file.bytes.begin(), file.bytes.end());
  out.entry = kGpuEntryName;
  out.parameters = std::move(prepared.code.parameters);
  out.brief = prepared.brief;
  return out;
}

Result<std::string> unguarded_gpu_llvm_text(const Kernel& kernel, const Variant& variant,
                                            const GpuOptions& options) {
  VYRE_TRY(auto prepared, prepare(kernel, variant, options));
  std::string text;
  llvm::raw_string_ostream stream(text);
  prepared.code.module->print(stream, nullptr);
  return text;
}

}  // namespace vyre
