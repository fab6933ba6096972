#include <vyre/session.h>

#include "saxpy.h"

namespace {

vyre::Result<void> run(Saxpy& data) {
  VYRE_TRY(const vyre::Kernel kernel, Saxpy::kernel());
  VYRE_TRY(const vyre::Session session, vyre::Session::open("cpu", {}));
  VYRE_TRY(const vyre::Buffer a, session.adopt(data.a_bytes()));
  VYRE_TRY(const vyre::Buffer x, session.adopt(data.x_bytes()));
  VYRE_TRY(const vyre::Buffer y, session.adopt(data.y_bytes()));
  const std::array buffers{vyre::Binding{0, 0, a}, vyre::Binding{0, 1, x}, vyre::Binding{0, 2, y}};
  VYRE_TRY(const vyre::Dispatch dispatch,
           session.prepare(kernel, buffers, vyre::DispatchSize::extent({4, 1, 1})));
  return session.run(dispatch);
}

}  // namespace

int main() {
  Saxpy data;
  return data.report(run(data));
}
