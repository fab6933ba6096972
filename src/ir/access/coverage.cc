#include "vyre/ir/access/coverage.h"

#include "vyre/ir/buffer_layout.h"

namespace vyre {
namespace {

// Whether the sums are 0, 1, 2, ... up to `count`, without a gap.
bool counts_up_to(const std::vector<KeyPart>& key, std::int64_t constant, std::uint64_t count) {
  if (constant != 0) return false;
  std::int64_t next = 1;  // the first number that the parts so far do not reach
  for (const KeyPart& p : key) {
    if (p.range.low == 0 && p.range.high == 0) continue;
    if (p.what != KeyPart::What::global || p.range.low != 0 || p.factor != next) return false;
    if (__builtin_mul_overflow(next, p.range.high + 1, &next)) return false;
  }
  return next >= 0 && static_cast<std::uint64_t>(next) >= count;
}

}  // namespace

bool overwrites(const Program& program, const LaunchFacts& facts, GlobalId global) {
  const BufferFacts& buffer = facts.buffers[static_cast<std::size_t>(global)];
  const BufferLayout layout = buffer_layout(program.types, program[global].type);
  if (!buffer.bytes || !layout.is_array) return false;
  const std::uint64_t count = layout.elements_in(*buffer.bytes);
  // Bytes behind the last element are nobody's to write.
  if (layout.bytes_for(count) != buffer.bytes) return false;
  ValueNumbers numbers;
  const Accesses accesses = find_accesses(program, facts, numbers);
  bool all = false;
  for (const MemoryAccess& a : accesses.all) {
    if (a.global != global) continue;
    if (a.kind != AccessKind::store) return false;
    all = all || (a.guard.empty() && a.path.size() == 1 && a.element == 1 && a.key &&
                  counts_up_to(*a.key, numbers.as_linear(a.index()).constant, count));
  }
  return all && accesses.complete;
}

}  // namespace vyre
