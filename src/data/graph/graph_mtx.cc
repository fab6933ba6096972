#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "vyre/data/graph/graph_file.h"
#include "vyre/data/graph/graph_internal.h"
#include "vyre/data/number_text.h"

namespace vyre {
namespace {

// A file may declare this many vertices without edges; beyond it, one for each eighth of a byte.
constexpr std::uint64_t kFreeVertices = std::uint64_t{1} << 20;

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// The words of one line.
class Line {
 public:
  explicit Line(std::string_view text) : rest_(text) {}

  // Empty at the end of the line.
  std::string_view word() {
    std::size_t begin = 0;
    while (begin < rest_.size() && is_blank(rest_[begin])) ++begin;
    std::size_t end = begin;
    while (end < rest_.size() && !is_blank(rest_[end])) ++end;
    const std::string_view out = rest_.substr(begin, end - begin);
    rest_.remove_prefix(end);
    return out;
  }

 private:
  std::string_view rest_;
};

class MtxParser {
 public:
  MtxParser(std::string_view file, std::string_view name, WeightUse weights)
      : file_(file), name_(name), weights_(weights) {}

  Result<GraphData> parse() {
    VYRE_CHECK(read_banner());
    VYRE_CHECK(read_size());
    for (std::uint64_t i = 0; i < entries_; ++i) {
      const auto line = next_line();
      if (!line) {
        return wrong(fmt::format("ends after entry {}; its size line says {}", with_commas(i),
                                 with_commas(entries_)));
      }
      VYRE_CHECK(read_entry(Line(*line)));
      if (edges_.size() > kMaxGraphEdges) {
        return fail(Code::limit, fmt::format("{}: has more than the {} edges that a graph can have",
                                             name_, with_commas(kMaxGraphEdges)));
      }
    }
    if (next_line()) {
      return wrong(fmt::format("line {} goes on behind entry {}, the last by the size line",
                               line_number_, with_commas(entries_)));
    }
    return graph_from_edges(vertices_, edges_, edge_weights_);
  }

 private:
  enum class Field : std::uint8_t { pattern, integer, real, complex };

  std::unexpected<Error> wrong(std::string_view what, std::string fix = {}) const {
    return fail(Code::invalid_input, fmt::format("{}: {}", name_, what), std::move(fix));
  }
  std::unexpected<Error> wrong_line(std::string_view what, std::string fix = {}) const {
    return wrong(fmt::format("line {}: {}", line_number_, what), std::move(fix));
  }

  std::optional<std::string_view> any_line() {
    if (at_ >= file_.size()) return std::nullopt;
    const std::size_t end = std::min(file_.find('\n', at_), file_.size());
    const std::string_view line = file_.substr(at_, end - at_);
    at_ = end + 1;
    ++line_number_;
    return line;
  }

  // The next line that is neither blank nor a comment.
  std::optional<std::string_view> next_line() {
    while (const auto line = any_line()) {
      if (!line->starts_with('%') && !Line(*line).word().empty()) return line;
    }
    return std::nullopt;
  }

  Result<void> read_banner() {
    const auto text = any_line();
    Line line(text.value_or(""));
    if (lower_case(line.word()) != "%%matrixmarket") {
      return wrong("is not a Matrix Market file: it does not begin with %%MatrixMarket");
    }
    const std::string object = lower_case(line.word()), format = lower_case(line.word());
    if (object != "matrix" || format != "coordinate") {
      return wrong_line(
          fmt::format("holds a {} in the form {}; a graph is a matrix in the form coordinate",
                      quote(object), quote(format)));
    }
    const std::string field = lower_case(line.word()), symmetry = lower_case(line.word());
    if (field == "pattern") {
      field_ = Field::pattern;
    } else if (field == "integer") {
      field_ = Field::integer;
    } else if (field == "real" || field == "double") {
      field_ = Field::real;
    } else if (field == "complex") {
      field_ = Field::complex;
    } else {
      return wrong_line(fmt::format("{} is not a field", quote(field)),
                        "there are pattern, integer, real and complex");
    }
    const bool mirrored =
        symmetry == "symmetric" || symmetry == "skew-symmetric" || symmetry == "hermitian";
    if (!mirrored && symmetry != "general") {
      return wrong_line(fmt::format("{} is not a symmetry", quote(symmetry)),
                        "there are general, symmetric, skew-symmetric and hermitian");
    }
    symmetric_ = mirrored;
    weighted_ = weights_ == WeightUse::read && field_ != Field::pattern;
    if (weighted_ && (field_ == Field::complex || symmetry == "skew-symmetric")) {
      return wrong_line(
          fmt::format("the entries of a {} {} matrix are no weights", field, symmetry));
    }
    return {};
  }

  Result<void> read_size() {
    const auto text = next_line();
    if (!text) return wrong("ends before the line of its size");
    Line line(*text);
    const auto rows = parse_whole(line.word()), columns = parse_whole(line.word()),
               entries = parse_whole(line.word());
    if (!rows || !columns || !entries || !line.word().empty()) {
      return wrong_line("the size is not three whole numbers: rows, columns, entries");
    }
    if (*rows != *columns) {
      return wrong_line(
          fmt::format("the matrix has {} rows and {} columns; the matrix of a graph "
                      "is square",
                      *rows, *columns));
    }
    const std::uint64_t most =
        std::min<std::uint64_t>(kMaxGraphVertices, kFreeVertices + 8 * file_.size());
    if (*rows > most) {
      return fail(Code::limit,
                  fmt::format("{}: line {}: has {} vertices; a file of {} bytes has up "
                              "to {}",
                              name_, line_number_, with_commas(*rows), with_commas(file_.size()),
                              with_commas(most)));
    }
    // The shortest entry is "1 1" and the end of its line.
    const std::uint64_t fit = (file_.size() - std::min(at_, file_.size())) / 4 + 1;
    if (*entries > fit) {
      return wrong_line(fmt::format("has {} entries; the rest of the file has room for {}",
                                    with_commas(*entries), with_commas(fit)));
    }
    vertices_ = static_cast<std::uint32_t>(*rows);
    entries_ = *entries;
    // The list of edges with their weights, then offsets, columns and weights, and the place of
    // each vertex's next edge.
    const std::uint64_t edges = symmetric_ ? 2 * entries_ : entries_;
    VYRE_CHECK(check_memory(8 * std::uint64_t{vertices_} + (weighted_ ? 20 : 12) * edges, name_));
    edges_.reserve(edges);
    if (weighted_) edge_weights_.reserve(edges_.capacity());
    return {};
  }

  Result<std::uint32_t> index(std::string_view word, std::string_view what) const {
    std::uint64_t value = 0;
    const char* end = word.data() + word.size();
    const auto [stop, status] = std::from_chars(word.data(), end, value);
    if (status == std::errc() && stop == end && value >= 1 && value <= vertices_) {
      return static_cast<std::uint32_t>(value - 1);
    }
    return wrong_line(
        fmt::format("{} is not a {} (a whole number from 1 to {})", quote(word), what, vertices_));
  }

  Result<std::uint32_t> weight(std::string_view word) const {
    const auto value = parse_decimal(word);
    if (value && *value >= 0 && *value <= 0xffffffffU && std::floor(*value) == *value) {
      return static_cast<std::uint32_t>(*value);
    }
    return wrong_line(
        fmt::format("the weight {} is not a whole number from 0 to 4294967295", quote(word)));
  }

  Result<void> read_entry(Line line) {
    VYRE_TRY(const std::uint32_t row, index(line.word(), "row"));
    VYRE_TRY(const std::uint32_t column, index(line.word(), "column"));
    std::uint32_t value = 0;
    const unsigned values = field_ == Field::pattern ? 0 : field_ == Field::complex ? 2 : 1;
    for (unsigned i = 0; i < values; ++i) {
      const std::string_view word = line.word();
      if (word.empty()) return wrong_line("the entry has no value");
      if (!weighted_) continue;
      VYRE_TRY(value, weight(word));
    }
    if (const std::string_view more = line.word(); !more.empty()) {
      return wrong_line(fmt::format("the entry goes on with {}", quote(more)));
    }
    if (symmetric_ && column > row) {
      return wrong_line("the entry lies above the diagonal of a symmetric matrix");
    }
    add(row, column, value);
    if (symmetric_ && row != column) add(column, row, value);
    return {};
  }

  void add(std::uint32_t source, std::uint32_t target, std::uint32_t weight) {
    edges_.emplace_back(source, target);
    if (weighted_) edge_weights_.push_back(weight);
  }

  std::string_view file_, name_;
  WeightUse weights_;
  std::size_t at_ = 0;
  std::uint64_t line_number_ = 0;
  Field field_ = Field::pattern;
  bool symmetric_ = false, weighted_ = false;
  std::uint32_t vertices_ = 0;
  std::uint64_t entries_ = 0;
  std::vector<GraphEdge> edges_;
  std::vector<std::uint32_t> edge_weights_;
};

}  // namespace

Result<GraphData> parse_mtx(std::string_view file, std::string_view name, WeightUse weights) {
  return MtxParser(file, name, weights).parse();
}

}  // namespace vyre
