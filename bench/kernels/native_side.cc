#include <new>

#include "sides.h"

namespace vyre::bench {
namespace {

struct Free {
  void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
};

class NativeSide final : public Implementation {
 public:
  NativeSide(const Problem& p, NativeFunction function) : function_(function) {
    for (const BufferSpec& b : p.buffers) {
      auto* data =
          static_cast<std::byte*>(::operator new[](b.initial.size(), std::align_val_t{64}));
      owners_.emplace_back(data);
      data_.push_back(data);
      bytes_.push_back(b.initial.size());
      std::memcpy(data, b.initial.data(), b.initial.size());
    }
  }

  void run() override { function_({data_.data(), bytes_.data(), data_.size()}); }
  void write(std::size_t i, std::span<const std::byte> bytes) override {
    std::memcpy(data_[i], bytes.data(), bytes.size());
  }
  std::vector<std::byte> read(std::size_t i) override { return {data_[i], data_[i] + bytes_[i]}; }

 private:
  NativeFunction function_;
  std::vector<std::unique_ptr<std::byte[], Free>> owners_;
  std::vector<std::byte*> data_;
  std::vector<std::uint64_t> bytes_;
};

}  // namespace

Made make_native_side(const Problem& problem, NativeFunction function) {
  return {std::make_unique<NativeSide>(problem, function), {}};
}

}  // namespace vyre::bench
