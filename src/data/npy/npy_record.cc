#include "vyre/data/npy/npy_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace vyre {
namespace {

void add(std::vector<RecordRun>& runs, const RecordRun& run) {
  if (!runs.empty()) {
    RecordRun& last = runs.back();
    if (last.file_offset + last.bytes == run.file_offset &&
        last.memory_offset + last.bytes == run.memory_offset) {
      last.bytes += run.bytes;
      return;
    }
  }
  if (run.bytes != 0) runs.push_back(run);
}

class Mapper {
 public:
  Mapper(const TypeTable& types, const std::string& file) : types_(types), file_(file) {}

  // The offsets are relative to the beginning of the struct and of the record.
  Result<std::vector<RecordRun>> map_struct(TypeId id, const NpyType& record,
                                            const std::string& path) const {
    const StructType& structure = *types_.get_if<StructType>(id);
    if (!record.is_record()) {
      return fail(Code::invalid_input, fmt::format("{}: {} holds {}; {} is a struct", file_,
                                                   path.empty() ? "it" : "the field " + path,
                                                   type_text(record), structure.name));
    }
    for (const NpyField& field : record.fields) {
      if (field.name.empty()) continue;
      const auto member = std::ranges::find(structure.members, field.name, &Member::name);
      if (member != structure.members.end()) continue;
      return fail(Code::invalid_input,
                  fmt::format("{}: has the field '{}{}', which {} has not", file_, path, field.name,
                              structure.name),
                  fmt::format("{} has {}", structure.name, names_of(structure)));
    }
    std::vector<RecordRun> runs;
    for (const Member& member : structure.members) {
      const auto field = std::ranges::find(record.fields, member.name, &NpyField::name);
      if (field == record.fields.end()) {
        return fail(Code::invalid_input, fmt::format("{}: has no field '{}{}', which {} needs",
                                                     file_, path, member.name, structure.name));
      }
      VYRE_TRY(const auto inside,
               map_value(member.type, field->type, field->shape, path + member.name, *field));
      for (const RecordRun& run : inside) {
        add(runs, {field->offset + run.file_offset, member.offset + run.memory_offset, run.bytes});
      }
    }
    return runs;
  }

 private:
  static std::string names_of(const StructType& structure) {
    std::string out;
    for (const Member& member : structure.members) {
      out += (out.empty() ? "" : ", ") + member.name;
    }
    return out;
  }

  // `shape` is the rest of the field's shape.
  Result<std::vector<RecordRun>> map_value(TypeId id, const NpyType& type,
                                           std::span<const std::uint64_t> shape,
                                           const std::string& path, const NpyField& field) const {
    if (types_.get_if<StructType>(id) != nullptr) {
      if (!shape.empty()) return wrong_shape(path, field);
      return map_struct(id, type, path + ".");
    }
    const auto* array = types_.get_if<ArrayType>(id);
    const bool runtime_sized = array != nullptr && array->count == 0;
    const std::uint64_t parts = types_.component_count(id);
    if (parts != 0 || runtime_sized) {
      if (shape.empty() || (!runtime_sized && shape[0] != parts) || shape[0] == 0) {
        return wrong_shape(path, field);
      }
      return map_parts(id, type, shape, path, field);
    }
    const auto kind = types_.scalar_kind(id);
    if (!shape.empty()) return wrong_shape(path, field);
    if (!kind || type != npy_type(*kind)) {
      return fail(
          Code::invalid_input,
          fmt::format("{}: the field '{}' holds {}; {} needs {}", file_, path, type_text(type),
                      types_.spell(id), kind ? type_text(npy_type(*kind)) : "something else"));
    }
    return std::vector{RecordRun{0, 0, type.bytes}};
  }

  // All parts of a vector, a matrix or an array are alike, so one is checked.
  Result<std::vector<RecordRun>> map_parts(TypeId id, const NpyType& type,
                                           std::span<const std::uint64_t> shape,
                                           const std::string& path, const NpyField& field) const {
    const TypeId part = types_.component(id);
    VYRE_TRY(const auto one, map_value(part, type, shape.subspan(1), path, field));
    std::uint64_t file_stride = type.bytes;
    for (const std::uint64_t axis : shape.subspan(1)) file_stride *= axis;
    const bool vector = types_.get_if<VectorType>(id) != nullptr;
    const std::uint64_t stride = vector ? types_.layout(part).size : types_.stride(part);
    if (one.size() == 1 && one[0].bytes == file_stride && file_stride == stride) {
      return std::vector{RecordRun{0, 0, shape[0] * stride}};
    }
    std::vector<RecordRun> runs;
    for (std::uint64_t i = 0; i < shape[0]; ++i) {
      for (const RecordRun& run : one) {
        add(runs, {i * file_stride + run.file_offset, i * stride + run.memory_offset, run.bytes});
      }
    }
    return runs;
  }

  std::unexpected<Error> wrong_shape(const std::string& path, const NpyField& field) const {
    return fail(Code::invalid_input,
                fmt::format("{}: the field '{}' has the shape {}, which does not fit its member",
                            file_, path, shape_text(field.shape)));
  }

  const TypeTable& types_;
  const std::string& file_;
};

NpyField packed_field(const TypeTable& types, TypeId id, std::uint64_t elements) {
  NpyField field;
  while (types.get_if<StructType>(id) == nullptr) {
    const auto* array = types.get_if<ArrayType>(id);
    const std::uint64_t parts =
        array != nullptr && array->count == 0 ? elements : types.component_count(id);
    if (parts == 0) break;
    field.shape.push_back(parts);
    id = types.component(id);
  }
  field.type = types.get_if<StructType>(id) != nullptr
                   ? packed_record(types, id, elements)
                   : npy_type(types.scalar_kind(id).value_or(ScalarKind::u32));
  return field;
}

}  // namespace

RecordAxes record_axes(const TypeTable& types, const BufferLayout& layout) {
  if (layout.header_bytes != 0) return {layout.type, {}};
  RecordAxes out{layout.element, {}};
  while (types.get_if<StructType>(out.structure) == nullptr) {
    out.axes.push_back(types.component_count(out.structure));
    out.structure = types.component(out.structure);
  }
  return out;
}

Result<std::vector<RecordRun>> map_record(const TypeTable& types, TypeId structure,
                                          const NpyType& record, const std::string& file) {
  return Mapper(types, file).map_struct(structure, record, "");
}

NpyType packed_record(const TypeTable& types, TypeId structure, std::uint64_t elements) {
  NpyType record;
  for (const Member& member : types.get_if<StructType>(structure)->members) {
    NpyField field = packed_field(types, member.type, elements);
    field.name = member.name;
    field.offset = record.bytes;
    std::uint64_t bytes = field.type.bytes;
    for (const std::uint64_t axis : field.shape) bytes *= axis;
    record.bytes += bytes;
    record.fields.push_back(std::move(field));
  }
  return record;
}

void read_records(std::span<const RecordRun> runs, std::uint64_t record_bytes, std::uint64_t stride,
                  std::span<const std::byte> file, std::span<std::byte> memory) {
  const std::uint64_t count = record_bytes == 0 ? 0 : file.size() / record_bytes;
  for (std::uint64_t i = 0; i < count; ++i) {
    for (const RecordRun& run : runs) {
      std::memcpy(memory.data() + i * stride + run.memory_offset,
                  file.data() + i * record_bytes + run.file_offset, run.bytes);
    }
  }
}

std::vector<std::byte> write_records(std::span<const RecordRun> runs, std::uint64_t record_bytes,
                                     std::uint64_t stride, std::uint64_t count,
                                     std::span<const std::byte> memory) {
  std::vector<std::byte> file(count * record_bytes);
  for (std::uint64_t i = 0; i < count; ++i) {
    for (const RecordRun& run : runs) {
      std::memcpy(file.data() + i * record_bytes + run.file_offset,
                  memory.data() + i * stride + run.memory_offset, run.bytes);
    }
  }
  return file;
}

}  // namespace vyre
