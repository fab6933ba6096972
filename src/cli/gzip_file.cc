#include "vyre/cli/gzip_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>

#include "vyre/cli/command.h"
#include "vyre/cli/values.h"

namespace vyre {
namespace {

constexpr int kGzipWindow = 15 + 16;  // the largest window, with a gzip header

class Inflater {
 public:
  Inflater() { ready_ = inflateInit2(&stream_, kGzipWindow) == Z_OK; }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() {
    if (ready_) inflateEnd(&stream_);
  }

  bool ready() const { return ready_; }
  z_stream& stream() { return stream_; }

 private:
  z_stream stream_{};
  bool ready_ = false;
};

bool is_gzip(std::string_view file) {
  return file.size() >= 2 && file[0] == '\x1f' && file[1] == '\x8b';
}

std::unexpected<Error> damaged() {
  return fail(Code::invalid_input, "the gzip data is damaged, or ends too early");
}

}  // namespace

Result<std::string> gunzip(std::string_view file, std::uint64_t max_bytes) {
  constexpr std::size_t kPiece = std::size_t{1} << 18;
  if (file.size() > std::numeric_limits<uInt>::max()) {
    return fail(Code::limit, "the gzip data has more than 4 GiB");
  }
  Inflater inflater;
  if (!inflater.ready()) return fail(Code::out_of_memory, "out of memory");
  z_stream& stream = inflater.stream();
  // zlib does not write there; its pointer lacks the const.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(file.data()));
  stream.avail_in = static_cast<uInt>(file.size());
  std::string text;
  while (true) {
    const std::size_t before = text.size();
    text.resize(before + kPiece);
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + before);
    stream.avail_out = static_cast<uInt>(kPiece);
    const int status = inflate(&stream, Z_NO_FLUSH);
    text.resize(before + kPiece - stream.avail_out);
    if (text.size() > max_bytes) {
      return fail(Code::limit, fmt::format("it unpacks to more than {}", format_bytes(max_bytes)));
    }
    if (status == Z_STREAM_END) {
      // Members of a gzip file follow each other; zeros behind them are padding.
      while (stream.avail_in != 0 && *stream.next_in == 0) {
        ++stream.next_in;
        --stream.avail_in;
      }
      if (stream.avail_in == 0) return text;
      if (inflateReset(&stream) != Z_OK) return damaged();
    } else if (status != Z_OK) {
      return damaged();
    }
  }
}

namespace {

Result<std::string> unpacked(Result<std::string> file, const std::string& name,
                             std::uint64_t max_bytes) {
  if (!file || !is_gzip(*file)) return file;
  auto text = gunzip(*file, max_bytes);
  if (!text) text.error().what = fmt::format("{}: {}", name, text.error().what);
  return text;
}

}  // namespace

Result<std::string> read_packed_file(const std::string& path, std::uint64_t max_bytes) {
  return unpacked(read_input_file(path, max_bytes), path, max_bytes);
}

Result<std::string> read_packed_input(const std::string& path, Streams& streams,
                                      std::uint64_t max_bytes) {
  if (path != "-") return read_packed_file(path, max_bytes);
  return unpacked(streams.read_input(max_bytes), source_name(path), max_bytes);
}

}  // namespace vyre
