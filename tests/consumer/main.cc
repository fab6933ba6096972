#include "saxpy.h"

namespace {

vyre::Result<vyre::InterpretReport> run(Saxpy& data) {
  VYRE_TRY(const vyre::Kernel kernel, Saxpy::kernel());
  const std::array buffers{vyre::BoundBuffer{0, 0, data.a_bytes()},
                           vyre::BoundBuffer{0, 1, data.x_bytes()},
                           vyre::BoundBuffer{0, 2, data.y_bytes()}};
  return vyre::interpret(kernel, buffers, {.grid = {1, 1, 1}, .extent = {4, 1, 1}});
}

}  // namespace

int main() {
  Saxpy data;
  return data.report(run(data));
}
