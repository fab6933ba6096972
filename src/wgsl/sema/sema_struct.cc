// Struct types and their layout.
#include <fmt/format.h>

#include <bit>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "vyre/wgsl/sema/sema_attributes.h"
#include "vyre/wgsl/sema/sema_module.h"
#include "vyre/wgsl/sema/sema_scope.h"
#include "vyre/wgsl/sema/sema_stage.h"
#include "vyre/wgsl/sema/sema_types.h"

namespace vyre::sema {
namespace {

using ast::AttributeKind;

bool check_member_type(Context& cx, TypeId type, bool last, Span span) {
  const TypeTable& types = cx.types();
  const auto* array = types.get_if<ArrayType>(type);
  if (types.get_if<PointerType>(type) != nullptr || types.get_if<HandleType>(type) != nullptr ||
      types.get_if<BufferType>(type) != nullptr) {
    cx.error(span, fmt::format("a struct member cannot be of type {}", types.spell(type)));
    return false;
  }
  if (array != nullptr && array->count_expr != kNoExpr) {
    cx.error(span, "a struct member cannot be an array sized by an override");
    return false;
  }
  if (!types.contains_runtime_array(type)) return true;
  if (array == nullptr) {
    cx.error(span, "a struct that ends in a run-time sized array cannot be a struct member");
    return false;
  }
  if (!last) {
    cx.error(span, "only the last member of a struct can be a run-time sized array");
    return false;
  }
  return true;
}

bool check_align(Context& cx, const ast::Attribute& attribute, Member& member) {
  const auto align = attribute_number(cx, attribute, 1);
  if (!align) return false;
  const std::uint32_t natural = cx.types().layout(member.type).align;
  if (!std::has_single_bit(*align)) {
    cx.error(attribute.arguments[0]->span,
             fmt::format("@align is {}; it must be a power of two", *align));
    return false;
  }
  if (*align % natural != 0) {
    cx.error(attribute.arguments[0]->span, fmt::format("@align is {}; {} needs a multiple of {}",
                                                       *align, cx.spell(member.type), natural));
    return false;
  }
  member.align = *align;
  return true;
}

bool check_size(Context& cx, const ast::Attribute& attribute, Member& member) {
  if (cx.types().contains_runtime_array(member.type)) {
    cx.error(attribute.span, "@size cannot stand on a run-time sized array");
    return false;
  }
  const auto size = attribute_number(cx, attribute, 1);
  if (!size) return false;
  const std::uint64_t needed = cx.types().layout(member.type).size;
  if (*size < needed) {
    cx.error(attribute.arguments[0]->span,
             fmt::format("@size is {}; {} has {} bytes", *size, cx.spell(member.type), needed));
    return false;
  }
  member.size = *size;
  return true;
}

std::optional<Member> check_member(Context& cx, const ast::StructMember& written, bool last) {
  check_attributes(
      cx, written.attributes, "a struct member",
      {AttributeKind::align, AttributeKind::size, AttributeKind::builtin, AttributeKind::location,
       AttributeKind::blend_src, AttributeKind::interpolate, AttributeKind::invariant});
  const auto type = resolve_type(cx, *written.type);
  if (type) check_io_attributes(cx, written.attributes, *type, written.name.span);
  if (!type || !check_member_type(cx, *type, last, written.type->span)) return std::nullopt;
  Member member{.name = std::string(written.name.text), .type = *type};
  bool fine = true;
  if (const auto* align = find_attribute(written.attributes, AttributeKind::align)) {
    fine = check_align(cx, *align, member);
  }
  if (const auto* size = find_attribute(written.attributes, AttributeKind::size)) {
    fine = check_size(cx, *size, member) && fine;
  }
  if (!fine) return std::nullopt;
  return member;
}

// Offsets are 32 bits wide: the sum must be known to fit before they are computed.
bool fits(Context& cx, const std::vector<Member>& members, Span span) {
  std::uint64_t end = 0;
  for (const Member& m : members) {
    const std::uint64_t align = m.align != 0 ? m.align : cx.types().layout(m.type).align;
    end = (end + align - 1) / align * align;
    end += m.size != 0 ? m.size : cx.types().layout(m.type).size;
    if (end > Limits::kTypeBytes) {
      cx.error(span, fmt::format("this struct is larger than {} bytes", Limits::kTypeBytes));
      return false;
    }
  }
  return true;
}

}  // namespace

void check_struct(Context& cx, const ast::Struct& structure) {
  std::vector<Member> members;
  std::unordered_map<std::string_view, Span> names;
  bool fine = true;
  for (const ast::StructMember& written : structure.members) {
    const auto [at, fresh] = names.try_emplace(written.name.text, written.name.span);
    if (!fresh) {
      cx.error(written.name.span,
               fmt::format("'{}' has two members '{}'", structure.name.text, written.name.text))
          .note(at->second, "first declared here");
      fine = false;
    }
    auto member = check_member(cx, written, &written == &structure.members.back());
    if (member) {
      members.push_back(*std::move(member));
    } else {
      fine = false;
    }
  }
  if (structure.members.size() > Limits::kStructMembers) {
    cx.error(structure.name.span,
             fmt::format("'{}' has {} members; the limit is {}", structure.name.text,
                         structure.members.size(), Limits::kStructMembers));
    fine = false;
  }
  fine = fine && check_locations(cx, structure, members);
  Symbol symbol;
  if (fine && fits(cx, members, structure.name.span)) {
    const TypeId type = cx.types().structure(std::string(structure.name.text), std::move(members));
    if (check_type_limits(cx, type, structure.name.span)) {
      symbol.what = TypeSymbol{type};
      cx.structs.emplace(static_cast<std::uint32_t>(type), &structure);
    }
  }
  declare(cx, structure.name, std::move(symbol));
}

}  // namespace vyre::sema
