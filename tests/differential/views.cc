// Buffers and the views of them.
#include <fmt/format.h>

#include "writer_state.h"

namespace vyre {

using Form = TypeShape::Form;

namespace {

int scalars_of(const TypeShape& s) {
  if (s.is(Form::scalar)) return 1;
  int all = 0;
  for (const auto& m : s.members) all += scalars_of(*m.shape);
  return s.is(Form::structure) ? all : s.size * scalars_of(*s.element);
}

int bytes_of(Kind k) { return k == Kind::f16 ? 2 : 4; }

}  // namespace

std::optional<TextWriter::ViewPlace> TextWriter::own_place() {
  if (!in_entry || pure_uniform) return std::nullopt;
  if (random.chance(0.6)) {
    for (const Shared& s : shared) {
      if (s.form == Shared::Form::bytes && !s.readable) return ViewPlace{s.name, "lidx"};
    }
  }
  if (!has_views) return std::nullopt;
  return ViewPlace{"out_b", "own"};
}

std::optional<std::string> TextWriter::view_read(const TypeShape* shape) {
  constexpr int kMostRead = 12;  // scalars: each is a load of its own
  if (!shape->shared || scalars_of(*shape) > kMostRead) return std::nullopt;
  std::string buffer, offset;
  const int size = scalars_of(*shape) * bytes_of(shape->kind);
  const bool flat = shape->is(Form::scalar) || shape->is(Form::vector);
  if (const auto own = own_place(); own && flat && random.chance(0.3)) {
    return fmt::format("(*bufferView<{}>(&{}, {} * {}u + {}u))", shape->name, own->buffer,
                       own->invocation, kOwnBytes,
                       random.below(static_cast<std::size_t>(kOwnBytes - size + 1)));
  }
  int bytes = static_cast<int>(elements) * 4;
  if (has_views) buffer = "in_b";
  for (const Shared& s : shared) {
    if (s.form != Shared::Form::bytes || !s.readable || pure_uniform || random.chance(0.3)) {
      continue;
    }
    if (scalars_of(*shape) > s.size) continue;  // it might not fit into the buffer
    buffer = s.name;
    bytes = s.size * kOwnBytes;
  }
  if (buffer.empty()) return std::nullopt;
  const std::string any = leaf(shapes.scalar(Kind::u32), false);
  switch (in_entry && !pure_uniform ? random.below(4) : 3) {
    case 0: offset = fmt::format("gid.x * {}u", random.of({4, 8, 12, 16, 6})); break;
    case 1: offset = fmt::format("own * {}u + {}u", random.of({4, 16}), random.below(40)); break;
    case 2: offset = fmt::format("i32(gid.x) * 4i - {}i", random.below(12)); break;
    default: offset = random.chance(0.9) ? fmt::format("{} % {}u", any, bytes + 20) : any; break;
  }
  if (random.chance(0.8))
    return fmt::format("(*bufferView<{}>(&{}, {}))", shape->name, buffer, offset);
  const std::string array =
      random.chance(0.5)
          ? fmt::format("bufferView<array<{}>>(&{}, {})", shape->name, buffer, offset)
          : fmt::format("bufferArrayView<array<{}>>(&{}, {}, {})", shape->name, buffer, offset,
                        leaf(shapes.scalar(Kind::u32), false));
  if (shape->is_scalar(Kind::u32) && random.chance(0.3))
    return fmt::format("arrayLength({})", array);
  return fmt::format("{}[{}]", array, index(5, 0));
}

// Stores into the invocation's own bytes. NaNs are not stored: their bits may be read as numbers.
void TextWriter::view_write() {
  const auto own = own_place();
  if (!own) return;
  const Kind kind = random.of({Kind::u32, Kind::i32, Kind::f32, halves ? Kind::f16 : Kind::u32});
  const int lanes = random.between(1, 4);
  const TypeShape* shape = lanes == 1 ? shapes.scalar(kind) : shapes.vector(kind, lanes);
  const std::string base = fmt::format("{} * {}u", own->invocation, kOwnBytes);
  const auto settled = [&](const TypeShape* of) {
    const std::string name = fresh("t");
    line(fmt::format("let {}: {} = {};", name, of->name, expression(of, 2)));
    return is_float(kind) ? fmt::format("select({}, {}(0.5), {} != {})", name, of->name, name, name)
                          : name;
  };
  const auto room = static_cast<std::size_t>(kOwnBytes - lanes * bytes_of(kind) + 1);
  const std::string view = fmt::format("bufferView<{}>(&{}, {} + {}u)", shape->name, own->buffer,
                                       base, random.below(room));
  switch (random.below(is_integer(kind) ? 6U : 4U)) {
    case 0: {
      const std::string value = settled(shapes.scalar(kind));
      const std::string array =
          random.chance(0.5) ? fmt::format("bufferView<array<{}, {}>>(&{}, {})", name_of(kind),
                                           kOwnBytes / bytes_of(kind), own->buffer, base)
                             : fmt::format("bufferArrayView<array<{}>>(&{}, {}, {}u)",
                                           name_of(kind), own->buffer, base, kOwnBytes);
      return line(fmt::format("{}[{}] = {};", array, index(kOwnBytes / bytes_of(kind), 1), value));
    }
    case 1:
      if (lanes >= 3) {
        const std::string value = settled(shapes.vector(kind, 2));
        return line(fmt::format("(*{}).{} = {};", view, random.of({"zx", "xy", "yz"}), value));
      }
      [[fallthrough]];
    case 2:
    case 3: {
      const std::string value = settled(shape);
      return line(fmt::format("*{} = {};", view, value));
    }
    case 4:
      return line(
          fmt::format("*{} {}= {};", view, random.of({"+", "-", "*"}), expression(shape, 1)));
    default: {
      const std::string name = fresh("p");
      line(fmt::format("let {} = {};", name, view));
      // Other invocations read workgroup memory between barriers, where this one may still write.
      if (own->buffer == "out_b") {
        scope.push_back({fmt::format("(*{})", name), shape, true, false, false});
      } else {
        line(fmt::format("(*{}) ^= {};", name, expression(shape, 1)));
      }
    }
  }
}

}  // namespace vyre
