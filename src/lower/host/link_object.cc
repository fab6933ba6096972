#include <dlfcn.h>
#include <fmt/format.h>
#include <llvm/ExecutionEngine/JITLink/ELF_x86_64.h>
#include <llvm/ExecutionEngine/JITLink/JITLink.h>
#include <llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h>
#include <llvm/Support/Process.h>

#include <optional>

#include "vyre/base/process/abandonable.h"
#include "vyre/lower/host/link_object_internal.h"

namespace vyre {
namespace {

namespace jitlink = llvm::jitlink;
using Allocation = jitlink::JITLinkMemoryManager::FinalizedAlloc;

Error from_llvm(llvm::Error error, const char* doing) {
  return Error{Code::internal, fmt::format("{}: {}", doing, llvm::toString(std::move(error))), {}};
}

// The mappings of one object. A memory manager of its own has no lock that fork(2) could leave
// locked.
struct Mapped {
  explicit Mapped(std::uint64_t page_bytes) : memory(page_bytes) {}

  jitlink::InProcessMemoryManager memory;
  std::optional<Allocation> code;
};

void unmap(Mapped* mapped) {
  if (mapped->code) {
    llvm::consumeError(mapped->memory.deallocate(std::move(*mapped->code)));
  }
  delete mapped;
}

struct Outcome {
  std::uint64_t entry = 0;
  std::string failure{};
};

// The linker's callbacks while it links one object.
class Link final : public jitlink::JITLinkContext {
 public:
  Link(Mapped& mapped, std::string_view entry, Outcome& out)
      : JITLinkContext(nullptr), mapped_(mapped), entry_(entry), out_(out) {}

  jitlink::JITLinkMemoryManager& getMemoryManager() override { return mapped_.memory; }

  void notifyFailed(llvm::Error error) override { out_.failure = llvm::toString(std::move(error)); }

  // Only functions of the C library that the code generator itself uses, such as memcpy.
  void lookup(const LookupMap& symbols,
              std::unique_ptr<jitlink::JITLinkAsyncLookupContinuation> found) override {
    jitlink::AsyncLookupResult result;
    std::string missing;
    for (const auto& symbol : symbols) {
      void* address = dlsym(RTLD_DEFAULT, symbol.first.str().c_str());
      if (address == nullptr) missing += (missing.empty() ? "" : ", ") + symbol.first.str();
      result[symbol.first] = {llvm::orc::ExecutorAddr::fromPtr(address),
                              llvm::JITSymbolFlags::Exported};
    }
    if (missing.empty()) return found->run(std::move(result));
    found->run(llvm::createStringError("Symbols not found: [ " + missing + " ]"));
  }

  llvm::Error notifyResolved(jitlink::LinkGraph& graph) override {
    for (const jitlink::Symbol* symbol : graph.defined_symbols()) {
      if (symbol->hasName() && symbol->getName() == llvm::StringRef(entry_)) {
        out_.entry = symbol->getAddress().getValue();
      }
    }
    if (out_.entry != 0) return llvm::Error::success();
    return llvm::createStringError("Symbols not found: [ " + std::string(entry_) + " ]");
  }

  void notifyFinalized(Allocation code) override { mapped_.code = std::move(code); }

 private:
  Mapped& mapped_;
  std::string_view entry_;
  Outcome& out_;
};

}  // namespace

Result<LinkedObject> link_object(std::span<const std::byte> object, std::string_view entry) {
  const llvm::StringRef bytes(reinterpret_cast<const char*>(object.data()), object.size());
  auto graph = jitlink::createLinkGraphFromELFObject_x86_64({bytes, "kernel"});
  if (!graph)
    return std::unexpected(from_llvm(graph.takeError(), "the kernel's code does not load"));
  auto page = llvm::sys::Process::getPageSize();
  if (!page) return std::unexpected(from_llvm(page.takeError(), "the kernel's code does not load"));
  // Unmapping allocates as well. If there is no memory for that, the code stays mapped.
  const std::shared_ptr<Mapped> mapped(
      new Mapped(*page), [](Mapped* all) { (void)attempt_work([=] { unmap(all); }); });
  Outcome out;
  jitlink::link_ELF_x86_64(std::move(*graph), std::make_unique<Link>(*mapped, entry, out));
  if (!out.failure.empty()) {
    return fail(Code::internal, "the kernel's code does not link: " + out.failure);
  }
  return LinkedObject{reinterpret_cast<void*>(out.entry), mapped};
}

}  // namespace vyre
