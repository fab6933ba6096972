#include <cmath>
#include <cstring>

#include "vyre/data/npy/packed_elements.h"
#include "vyre/pipeline/ready_internal.h"

namespace vyre {
namespace {

class Contents : ReadyPart {
 public:
  Contents(const Pipeline& pipeline, ReadyPipeline& out) : ReadyPart(pipeline, out) {}

  Result<void> fill(const PipelineStage& s, const Program& program, const Global& g,
                    ReadyBuffer& buffer) const {
    const PipelineUniform& u = *named(pipeline_.uniforms, buffer.name);
    std::vector<std::byte> contents(program.types.layout(g.type).size);
    const auto* type = program.types.get_if<StructType>(g.type);
    std::vector<Member> members;
    if (type != nullptr) {
      members = type->members;
    } else {
      members.push_back({.name = "value", .type = g.type});
    }
    for (const PipelineUniform::Field& f : u.fields) {
      const Member* member = named(members, f.name);
      if (member == nullptr) {
        return bad(f.line, fmt::format("uniform '{}' of stage '{}' has no field '{}'", u.name,
                                       s.name, f.name));
      }
      VYRE_CHECK(put_field(f, program.types, *member, contents));
    }
    for (const Member& m : members) {
      if (named(u.fields, m.name) == nullptr) {
        return bad(u.line, fmt::format("uniform '{}' has no value for the field '{}' of stage '{}'",
                                       u.name, m.name, s.name));
      }
    }
    if (!buffer.contents.empty() && buffer.contents != contents) {
      return bad(u.line, fmt::format("stages see the uniform '{}' as different types", u.name));
    }
    buffer.contents = std::move(contents);
    buffer.bytes = buffer.contents.size();
    buffer.type = program.types.spell(g.type);
    return {};
  }

 private:
  Result<void> put_field(const PipelineUniform::Field& f, const TypeTable& types,
                         const Member& member, std::span<std::byte> contents) const {
    struct Place {
      std::uint64_t offset;
      ScalarKind kind;
    };
    std::vector<Place> places;
    for_each_scalar(types, member.type, member.offset, [&](std::uint64_t offset, ScalarKind kind) {
      places.push_back({offset, kind});
    });
    if (places.size() != f.values.size()) {
      return bad(f.line,
                 fmt::format("field '{}' is {}, which takes {} numbers; {} are given", f.name,
                             types.spell(member.type), places.size(), f.values.size()));
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
      VYRE_CHECK(put_number(f, f.values[i], places[i].kind, contents.subspan(places[i].offset)));
    }
    return {};
  }

  Result<void> put_number(const PipelineUniform::Field& f, const PipelineUniform::Value& given,
                          ScalarKind kind, std::span<std::byte> at) const {
    double value = given.number.value_or(0);
    if (!given.number) {
      auto fraction = evaluate(given.expression, find_dim());
      if (!fraction) return bad(f.line, fmt::format("field '{}'", f.name), fraction.error());
      value = fraction->as_double();
    }
    const auto store = [&](auto number) { std::memcpy(at.data(), &number, sizeof number); };
    const auto whole = [&](double low, double high) {
      return std::trunc(value) == value && value >= low && value <= high;
    };
    if (kind == ScalarKind::u32 && whole(0, 4294967295.0)) {
      store(static_cast<std::uint32_t>(value));
    } else if (kind == ScalarKind::i32 && whole(-2147483648.0, 2147483647.0)) {
      store(static_cast<std::int32_t>(value));
    } else if (kind == ScalarKind::f32) {
      store(static_cast<float>(value));
    } else if (kind == ScalarKind::f16) {
      store(double_to_f16(value));
    } else {
      return bad(f.line, fmt::format("field '{}' is {}, which cannot be {}", f.name,
                                     to_string(kind), value));
    }
    return {};
  }
};

}  // namespace

Result<void> fill_uniform(const Pipeline& pipeline, ReadyPipeline& out, const PipelineStage& stage,
                          const Program& program, const Global& variable, ReadyBuffer& buffer) {
  return Contents(pipeline, out).fill(stage, program, variable, buffer);
}

}  // namespace vyre
