#include <fmt/format.h>

#include <cstdlib>

#include "entry.h"
#include "sides.h"
#include "vyre/base/files/files.h"
#include "vyre/engine/session.h"

namespace vyre::bench {
namespace {

Result<Session> open(unsigned threads) {
  SessionOptions options;  // nothing on disk
  options.cpu.threads = threads;
  return Session::open("cpu", std::move(options));
}

[[noreturn]] void stop(const Error& error) {
  fmt::print(stderr, "{}\n", describe(error));
  std::exit(1);
}

class VyreSide final : public Implementation {
 public:
  VyreSide(Session session, Dispatch dispatch, std::vector<Buffer> buffers)
      : session_(std::move(session)),
        dispatch_(std::move(dispatch)),
        buffers_(std::move(buffers)) {}

  void run() override {
    if (const auto done = session_.run(dispatch_); !done) stop(done.error());
  }
  void write(std::size_t i, std::span<const std::byte> bytes) override {
    if (const auto done = session_.write(buffers_[i], 0, bytes); !done) stop(done.error());
  }
  std::vector<std::byte> read(std::size_t i) override {
    std::vector<std::byte> out(buffers_[i].size());
    if (const auto done = session_.read(buffers_[i], 0, out); !done) stop(done.error());
    return out;
  }

 private:
  Session session_;
  Dispatch dispatch_;
  std::vector<Buffer> buffers_;
};

Result<std::unique_ptr<Implementation>> make(const Problem& p, unsigned threads) {
  VYRE_TRY(auto text, read_file(VYRE_ROOT_DIR "/" + wgsl_path(p)));
  VYRE_TRY(const auto kernel, kernel_of(std::move(text), p.name));
  VYRE_TRY(auto session, open(threads));
  std::vector<Buffer> buffers;
  std::vector<Binding> bindings;
  for (std::uint32_t i = 0; i < p.buffers.size(); ++i) {
    VYRE_TRY(auto buffer, session.buffer(p.buffers[i].initial.size()));
    VYRE_CHECK(session.write(buffer, 0, p.buffers[i].initial));
    bindings.push_back({.group = 0, .binding = i, .buffer = buffer});
    buffers.push_back(std::move(buffer));
  }
  VYRE_TRY(auto dispatch, session.prepare(kernel, bindings,
                                          p.extent ? DispatchSize::extent(*p.extent)
                                                   : DispatchSize::workgroups(p.groups)));
  return std::make_unique<VyreSide>(std::move(session), std::move(dispatch), std::move(buffers));
}

}  // namespace

Made make_vyre_side(const Problem& problem, unsigned threads) {
  auto made = make(problem, threads);
  if (!made) return {nullptr, describe(made.error())};
  return {*std::move(made), {}};
}

std::function<void()> make_empty_launch(unsigned threads) {
  const auto kernel = kernel_of("@compute @workgroup_size(64) fn empty() {}", "empty");
  if (!kernel) stop(kernel.error());
  auto session = open(threads);
  if (!session) stop(session.error());
  auto dispatch = session->prepare(*kernel, {}, DispatchSize::workgroups({1, 1, 1}));
  if (!dispatch) stop(dispatch.error());
  return [session = *std::move(session), dispatch = *std::move(dispatch)] {
    if (const auto done = session.run(dispatch); !done) stop(done.error());
  };
}

}  // namespace vyre::bench
