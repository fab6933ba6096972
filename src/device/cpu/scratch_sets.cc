#include "vyre/device/cpu/scratch_sets.h"

#include <mutex>
#include <new>
#include <utility>

namespace vyre {
namespace {

constexpr std::align_val_t kAlignment{64};

class Block {
 public:
  Block() = default;
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block() { ::operator delete(data_, kAlignment); }

  std::byte* reserve(std::uint64_t bytes) {
    if (bytes <= size_) return data_;
    auto* fresh = static_cast<std::byte*>(::operator new(bytes, kAlignment, std::nothrow));
    if (fresh == nullptr) return nullptr;
    ::operator delete(data_, kAlignment);
    data_ = fresh;
    size_ = bytes;
    return data_;
  }

 private:
  std::byte* data_ = nullptr;
  std::uint64_t size_ = 0;
};

}  // namespace

struct ScratchSets::Set {
  std::unique_ptr<Block[]> blocks;  // by thread
  std::unique_ptr<Set> next;
};

ScratchSets::ScratchSets() = default;
ScratchSets::~ScratchSets() = default;

std::unique_ptr<ScratchSets::Set> ScratchSets::take(unsigned threads) {
  {
    const std::scoped_lock lock(mutex_);
    if (idle_) {
      std::unique_ptr<Set> set = std::move(idle_);
      idle_ = std::move(set->next);
      return set;
    }
  }
  std::unique_ptr<Set> set(new (std::nothrow) Set);
  if (set) set->blocks.reset(new (std::nothrow) Block[threads]);
  return set && set->blocks ? std::move(set) : nullptr;
}

void ScratchSets::give_back(std::unique_ptr<Set> set) {
  const std::scoped_lock lock(mutex_);
  set->next = std::move(idle_);
  idle_ = std::move(set);
}

ScratchSets::Loan ScratchSets::lend(std::uint64_t bytes, unsigned threads) {
  return {*this, bytes == 0 ? nullptr : take(threads), bytes};
}

ScratchSets::Loan::Loan(ScratchSets& sets, std::unique_ptr<Set> set, std::uint64_t bytes)
    : sets_(sets), set_(std::move(set)), bytes_(bytes) {}

ScratchSets::Loan::~Loan() {
  if (set_) sets_.give_back(std::move(set_));
}

std::byte* ScratchSets::Loan::of(unsigned thread) const {
  return set_ ? set_->blocks[thread].reserve(bytes_) : nullptr;
}

}  // namespace vyre
