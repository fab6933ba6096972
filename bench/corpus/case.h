// A kernel of the corpus with its data, as the comments at the top of its WGSL file describe them:
//
//   // sizes: n=300/16K/1M/16M k=32     names; four values are those of test/small/default/large
//   // p: uniform n 0.5                 a struct of 4-byte scalars: f32 where there is a point
//   // x: floats -4 4 n                 f32 by chance, from -4 to 4
//   // y: output n                      n zeros of 4 bytes; read back and checked
//   // z: output floats 0 1 n           the same with other contents at first
//   // run: n                           invocations along x, y and z; or, for workgroups,
//   // groups: n/256
//   // tolerance: 1e-5 1e-6             relative and absolute, for floats in outputs
//
// The buffers stand in the order of their bindings. A count is a sum of products of names and
// numbers. Other contents:
//
//   halves LOW HIGH COUNT     f16                  words BELOW COUNT     u32; 0: any
//   zeros COUNT               words of zero bits   iota COUNT            0, 1, 2, ...
//   permutation COUNT         of iota              ascending BELOW COUNT  sorted words
//   starts ROWS EACH          ROWS + 1 offsets into ROWS * EACH elements, for rows of uneven
//   lengths text LETTERS COUNT        COUNT bytes from the first LETTERS letters
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/base/error.h"

namespace vyre::bench {

enum class CaseSize : std::uint8_t { test, small, standard, large };

struct CaseBuffer {
  std::string name;
  bool uniform = false, output = false;
  std::vector<std::byte> bytes;
};

struct Case {
  std::string family, name;  // the folder; the file without .wgsl, and its entry point
  std::filesystem::path path;
  std::string text;
  std::vector<CaseBuffer> buffers;
  std::array<std::uint32_t, 3> run{1, 1, 1};
  bool in_groups = false;  // `run` counts workgroups
  double relative = 0, absolute = 0;
};

// The WGSL files of the corpus, by family and name.
std::vector<std::filesystem::path> corpus_files(const std::filesystem::path& folder);
Result<Case> load_case(const std::filesystem::path& path, CaseSize size);

// Families are divided once into those that constants may be fitted on and those that only judge:
// by the first bit of the 32-bit FNV-1a hash of the family's name.
bool is_held_out(std::string_view family);

}  // namespace vyre::bench
