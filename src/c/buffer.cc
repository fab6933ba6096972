#include "vyre/c/objects_internal.h"

namespace vyre {
namespace {

Outcome<> create_buffer(vyre_session id, std::uint64_t bytes, vyre_buffer* out) {
  VYRE_TRY(const auto pin, find<SessionObject>(id));
  if (out == nullptr) return null_pointer("buffer");
  VYRE_TRY(Buffer buffer, pin->session->session.buffer(bytes));
  VYRE_TRY(*out, publish(BufferObject{pin->session, std::move(buffer)}));
  return {};
}

Outcome<> adopt_buffer(vyre_session id, void* memory, std::uint64_t bytes, vyre_buffer* out) {
  VYRE_TRY(const auto pin, find<SessionObject>(id));
  if (out == nullptr) return null_pointer("buffer");
  if (memory == nullptr && bytes != 0) return null_pointer("memory");
  if (bytes > UINT64_MAX - reinterpret_cast<std::uintptr_t>(memory)) {
    return failure(VYRE_INVALID_INPUT, fmt::format("no memory has {} bytes", bytes));
  }
  VYRE_TRY(Buffer buffer,
           pin->session->session.adopt(std::span(static_cast<std::byte*>(memory), bytes)));
  VYRE_TRY(*out, publish(BufferObject{pin->session, std::move(buffer)}));
  return {};
}

Outcome<> write_buffer(vyre_buffer id, std::uint64_t offset, const void* data,
                       std::uint64_t bytes) {
  VYRE_TRY(const auto pin, find<BufferObject>(id));
  if (data == nullptr && bytes != 0) return null_pointer("data");
  VYRE_CHECK(pin->session->session.write(pin->buffer, offset,
                                         std::span(static_cast<const std::byte*>(data), bytes)));
  return {};
}

Outcome<> read_buffer(vyre_buffer id, std::uint64_t offset, void* data, std::uint64_t bytes) {
  VYRE_TRY(const auto pin, find<BufferObject>(id));
  if (data == nullptr && bytes != 0) return null_pointer("data");
  VYRE_CHECK(pin->session->session.read(pin->buffer, offset,
                                        std::span(static_cast<std::byte*>(data), bytes)));
  return {};
}

Outcome<> copy_buffer(vyre_buffer from, std::uint64_t from_offset, vyre_buffer to,
                      std::uint64_t to_offset, std::uint64_t bytes) {
  VYRE_TRY(const auto source, find<BufferObject>(from));
  VYRE_TRY(const auto target, find<BufferObject>(to));
  if (source->session != target->session) {
    return failure(VYRE_WRONG_SESSION, "the buffers are of two sessions");
  }
  VYRE_CHECK(
      source->session->session.copy(source->buffer, from_offset, target->buffer, to_offset, bytes));
  return {};
}

}  // namespace
}  // namespace vyre

using namespace vyre;

vyre_code vyre_buffer_create(vyre_session session, uint64_t bytes, vyre_buffer* buffer) {
  return guarded([&] { return create_buffer(session, bytes, buffer); });
}

vyre_code vyre_buffer_adopt(vyre_session session, void* memory, uint64_t bytes,
                            vyre_buffer* buffer) {
  return guarded([&] { return adopt_buffer(session, memory, bytes, buffer); });
}

vyre_code vyre_buffer_size(vyre_buffer buffer, uint64_t* bytes) {
  return guarded([&]() -> Outcome<> {
    VYRE_TRY(const auto pin, find<BufferObject>(buffer));
    if (bytes == nullptr) return null_pointer("bytes");
    *bytes = pin->buffer.size();
    return {};
  });
}

vyre_code vyre_buffer_write(vyre_buffer buffer, uint64_t offset, const void* data, uint64_t bytes) {
  return guarded([&] { return write_buffer(buffer, offset, data, bytes); });
}

vyre_code vyre_buffer_read(vyre_buffer buffer, uint64_t offset, void* data, uint64_t bytes) {
  return guarded([&] { return read_buffer(buffer, offset, data, bytes); });
}

vyre_code vyre_buffer_copy(vyre_buffer from, uint64_t from_offset, vyre_buffer to,
                           uint64_t to_offset, uint64_t bytes) {
  return guarded([&] { return copy_buffer(from, from_offset, to, to_offset, bytes); });
}

vyre_code vyre_buffer_clear(vyre_buffer buffer) {
  return guarded([&]() -> Outcome<> {
    VYRE_TRY(const auto pin, find<BufferObject>(buffer));
    VYRE_CHECK(pin->session->session.clear(pin->buffer));
    return {};
  });
}

vyre_code vyre_buffer_free(vyre_buffer buffer) {
  return guarded([&] { return release<BufferObject>(buffer); });
}
