#include "vyre/lower/host_compile.h"

#include <fmt/format.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <string_view>
#include <utility>

#include "vyre/base/process/abandonable.h"
#include "vyre/lower/allowed_operations_internal.h"
#include "vyre/lower/brief_pipeline_internal.h"
#include "vyre/lower/generate_file_internal.h"
#include "vyre/lower/guarded_compile_internal.h"
#include "vyre/lower/host/host_kernel_internal.h"
#include "vyre/lower/host/interleave_gangs_internal.h"
#include "vyre/lower/host/known_patterns_internal.h"
#include "vyre/lower/host/link_object_internal.h"
#include "vyre/lower/host/stop_checks_internal.h"
#include "vyre/lower/legal_variant_internal.h"
#include "vyre/lower/range_checks_internal.h"

namespace vyre {
namespace {

constexpr int kGeneratorVersion = 18;

struct Host {
  std::string cpu;
  std::string features;
  std::uint32_t vector_width = 4;
  std::string missing;  // instructions that our code needs and the processor does not have
};

Host host_found() {
  Host h;
  h.cpu = llvm::sys::getHostCPUName().str();
  std::vector<std::string> all;
  const auto features = llvm::sys::getHostCPUFeatures();
  for (const auto& f : features) all.push_back((f.second ? "+" : "-") + f.first().str());
  std::ranges::sort(all);
  for (const auto& f : all) h.features += (h.features.empty() ? "" : ",") + f;
  if (features.lookup("avx512f")) {
    h.vector_width = 16;
  } else if (features.lookup("avx2")) {
    h.vector_width = 8;
  }
  // Without them the code generator would call library functions.
  for (const char* needed : {"fma", "f16c", "sse4.1"}) {
    if (!features.lookup(needed))
      h.missing += (h.missing.empty() ? "" : ", ") + std::string(needed);
  }
  return h;
}

const Host& host() {
  // Not a static with a constructor: where memory runs out, code without exceptions leaves its
  // guard locked, and call_once does not.
  static Host found;
  static std::once_flag once;
  std::call_once(once, [] {
    handle_llvm_failures();
    if (!attempt_work([] { found = host_found(); })) throw_out_of_memory();
  });
  return found;
}

void initialise_target() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
}

std::pair<std::string, std::string> processor_of(Instructions instructions) {
  switch (instructions) {
    case Instructions::own: break;
    case Instructions::avx2: return {"x86-64-v3", ""};
    case Instructions::avx: return {"x86-64-v2", "+avx,+fma,+f16c"};
  }
  return {host().cpu, host().features};
}

Result<std::unique_ptr<llvm::TargetMachine>> machine(Instructions instructions) {
  initialise_target();
  std::string why;
  const auto triple = llvm::sys::getProcessTriple();
  const auto* target = llvm::TargetRegistry::lookupTarget(triple, why);
  if (target == nullptr) return fail(Code::unavailable, "no code generator for this host: " + why);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  const auto [cpu, features] = processor_of(instructions);
  std::unique_ptr<llvm::TargetMachine> out(target->createTargetMachine(
      triple, cpu, features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
      llvm::CodeGenOptLevel::Default, /*JIT=*/true));
  if (!out) return fail(Code::unavailable, "no code generator for " + host().cpu);
  return out;
}

llvm::ModulePassManager brief_pipeline() {
  llvm::FunctionPassManager functions = brief_passes();
  functions.addPass(llvm::LoopSimplifyPass());
  functions.addPass(PlaceStopChecks());
  functions.addPass(llvm::SimplifyCFGPass());
  llvm::ModulePassManager out;
  out.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(functions)));
  return out;
}

// Passes of the standard pipeline that found nothing to change in any of the kernels of bench/,
// examples/ and tests/: they are made for library calls, coroutines, calls through pointers, and
// shapes of loops that the emitter does not make.
void skip_passes_without_work(llvm::PassInstrumentationCallbacks& callbacks) {
  static constexpr std::array<std::string_view, 15> kSkipped{
      "AggressiveInstCombinePass",  "AlignmentFromAssumptionsPass",
      "CalledValuePropagationPass", "ConstantMergePass",
      "ConstraintEliminationPass",  "Float2IntPass",
      "InferAlignmentPass",         "InjectTLIMappings",
      "LibCallsShrinkWrapPass",     "LoopDistributePass",
      "LoopLoadEliminationPass",    "LoopSinkPass",
      "MergedLoadStoreMotionPass",  "OpenMPOptCGSCCPass",
      "SpeculativeExecutionPass"};
  callbacks.registerShouldRunOptionalPassCallback([](llvm::StringRef pass, llvm::Any) {
    return !std::ranges::binary_search(kSkipped, std::string_view(pass));
  });
}

// Turns off what LLVM 19's loop vectoriser does with loads at equal distances: where the index is
// masked ((lane * 7) & 63), it loads beyond the mask. False if this LLVM has no such switch.
bool loads_stay_apart() {
  static const bool done = [] {
    constexpr llvm::StringRef kSwitch = "enable-interleaved-mem-accesses";
    auto& options = llvm::cl::getRegisteredOptions();
    const auto found = options.find(kSwitch);
    return found != options.end() && !found->second->addOccurrence(1, kSwitch, "false");
  }();
  return done;
}

void optimise(llvm::Module& module, llvm::TargetMachine& target, bool scalar, bool brief) {
  llvm::PipelineTuningOptions tuning;
  // Gangs are vectors already; only the scalar lane loop is left to the loop vectoriser.
  tuning.LoopVectorization = scalar && loads_stay_apart();
  tuning.SLPVectorization = scalar;
  llvm::PassInstrumentationCallbacks callbacks;
  skip_passes_when_unwanted(callbacks);
  skip_passes_without_work(callbacks);
  llvm::PassBuilder passes(&target, tuning, std::nullopt, &callbacks);
  passes.registerVectorizerStartEPCallback(
      [](llvm::FunctionPassManager& functions, llvm::OptimizationLevel) {
        functions.addPass(llvm::LoopSimplifyPass());
        functions.addPass(HoistRangeChecks());
        functions.addPass(PlaceStopChecks());
        functions.addPass(llvm::SimplifyCFGPass());
        InterleaveGangs interleave;
        interleave.vector_registers = host().vector_width == 16 ? 32 : 16;
        functions.addPass(std::move(interleave));
        functions.addPass(UseKnownPatterns());
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
  auto pipeline =
      brief ? brief_pipeline() : passes.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2);
  pipeline.run(module, modules);
}

struct Prepared {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::TargetMachine> target;
  HostModule code;
  bool brief = false;
};

Result<Prepared> prepare(const Kernel& kernel, const Variant& variant, const HostOptions& options) {
  assert_legal(kernel, variant, TargetKind::host);
  if (!host().missing.empty()) {
    return fail(Code::unavailable,
                fmt::format("this processor ({}) lacks instructions that compiled kernels need: {}",
                            host().cpu, host().missing),
                "use the interpreter");
  }
  Prepared out;
  out.context = std::make_unique<llvm::LLVMContext>();
  VYRE_TRY(out.target, machine(options.instructions));
  VYRE_TRY(out.code, emit_host_module(*out.context, kernel, variant, options.wide_offsets));
  out.code.module->setTargetTriple(out.target->getTargetTriple().str());
  out.code.module->setDataLayout(out.target->createDataLayout());
  out.brief = is_large(*out.code.module);
  if (out.brief) out.target->setOptLevel(llvm::CodeGenOptLevel::None);
  optimise(*out.code.module, *out.target, variant.gang_width == 1, out.brief);
  if (is_work_unwanted()) return fail(Code::limit, "nobody waits for the code any more");
  if (const std::string fault = not_allowed(*out.code.module, TargetKind::host); !fault.empty()) {
    return fail(Code::internal, fmt::format("kernel '{}' needs {}, which is not generated here",
                                            kernel.program->name, fault));
  }
  return out;
}

}  // namespace

std::string host_target() { return fmt::format("x86_64 {} {}", host().cpu, host().features); }

std::uint32_t host_vector_width() { return host().vector_width; }

std::string generator_version() {
  return fmt::format("vyre-host-{} llvm-{}", kGeneratorVersion, LLVM_VERSION_STRING);
}

Result<HostObject> unguarded_compile_host(const Kernel& kernel, const Variant& variant,
                                          const HostOptions& options) {
  VYRE_TRY(auto prepared, prepare(kernel, variant, options));
  VYRE_TRY(const auto file, generate_file(*prepared.target, *prepared.code.module,
                                          llvm::CodeGenFileType::ObjectFile));
  HostObject out;
  out.scratch_bytes = prepared.code.scratch_bytes;
  out.stack_bytes = file.stack_bytes;
  out.brief = prepared.brief;
  out.object.resize(file.bytes.size());
  std::transform(file.bytes.begin(), file.bytes.end(), out.object.begin(),
                 [](char c) { return static_cast<std::byte>(c); });
  return out;
}

Result<std::string> unguarded_host_text(const Kernel& kernel, const Variant& variant, HostText what,
                                        const HostOptions& options) {
  VYRE_TRY(auto prepared, prepare(kernel, variant, options));
  if (what == HostText::llvm) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    prepared.code.module->print(stream, nullptr);
    return text;
  }
  VYRE_TRY(const auto file, generate_file(*prepared.target, *prepared.code.module,
                                          llvm::CodeGenFileType::AssemblyFile));
  return std::string(file.bytes.begin(), file.bytes.end());
}

Result<HostCode> unguarded_load_host(const HostObject& object) {
  VYRE_TRY(LinkedObject linked, link_object(object.object, kHostEntryName));
  HostCode out;
  out.entry = reinterpret_cast<HostEntry>(linked.entry);
  out.scratch_bytes = object.scratch_bytes;
  out.stack_bytes = object.stack_bytes;
  out.brief = object.brief;
  out.owner = std::move(linked.owner);
  return out;
}

}  // namespace vyre
