#include "vyre/plan/kernels_testing.h"

#include <fmt/format.h>

#include <algorithm>

#include "vyre/ir/fingerprint.h"
#include "vyre/ir/interpret/interpret_testing.h"

namespace vyre {
namespace {

// A KernelWriter with the buffers that most kernels have: in, out, and a uniform with a width.
struct Sketch : KernelWriter {
  ExprId in = buffer("in", runtime_array(f32), Access::read);
  ExprId out = buffer("out", runtime_array(f32));

  explicit Sketch(const char* name) { begin(name); }

  ExprId axis(std::uint8_t i) { return lane(id(InvocationIdKind::global_invocation), i); }
  ExprId x() { return axis(0); }
  ExprId y() { return axis(1); }
  ExprId load_in(ExprId index) { return load(at(in, index)); }

  Kernel done(Extent workgroup = {64, 1, 1}) {
    end();
    Kernel kernel = finish(workgroup);
    kernel.stats = stats(*kernel.program);
    kernel.fingerprint = fingerprint(*kernel.program);
    return kernel;
  }
};

Kernel streams() {
  Sketch k("streams");
  k.if_(k.less(k.x(), k.array_length(k.out)), [&] {
    k.store(k.at(k.out, k.x()), k.add(k.mul(k.f(2), k.load_in(k.x())), k.load(k.at(k.out, k.x()))));
  });
  return k.done();
}

Kernel shifts() {
  Sketch k("shifts");
  k.store(k.at(k.out, k.x()), k.load_in(k.add(k.x(), k.u(1))));
  return k.done({256, 1, 1});
}

Kernel exchanges() {
  Sketch k("exchanges");
  k.if_(k.equal(k.rem(k.x(), k.u(2)), k.u(0)),
        [&] { k.store(k.at(k.out, k.x()), k.load(k.at(k.out, k.add(k.x(), k.u(1))))); });
  return k.done();
}

Kernel looks_up() {
  Sketch k("looks_up");
  const ExprId index = k.buffer("index", k.runtime_array(k.u32), Access::read);
  k.store(k.at(k.out, k.x()), k.load_in(k.load(k.at(index, k.x()))));
  return k.done();
}

// `rows` copies rows to rows; else it writes columns.
Kernel moves(const char* name, bool rows) {
  Sketch k(name);
  const TypeId shape = k.structure("Shape", {{"width", k.u32}, {"height", k.u32}});
  const ExprId size = k.buffer("size", shape, Access::read, MemoryKind::uniform);
  const ExprId from = k.let(k.add(k.mul(k.y(), k.load(k.member(size, 0))), k.x()));
  const ExprId to = k.let(k.add(k.mul(k.x(), k.load(k.member(size, 1))), k.y()));
  k.store(k.at(k.out, rows ? from : to), k.load_in(from));
  return k.done({16, 16, 1});
}

Kernel shifted_columns() {
  Sketch k("shifted_columns");
  const ExprId row = k.binary(BinaryOp::shift_left, k.x(), k.u(10));
  k.store(k.at(k.out, k.add(row, k.sub(k.y(), k.u(1)))), k.f(1));
  return k.done({8, 8, 1});
}

Kernel fills_space() {
  Sketch k("fills_space");
  const ExprId plane = k.mul(k.add(k.mul(k.axis(2), k.u(64)), k.y()), k.u(64));
  k.store(k.at(k.out, k.add(plane, k.x())), k.convert(k.f32, k.x()));
  return k.done({4, 4, 4});
}

Kernel sums_rows() {
  Sketch k("sums_rows");
  const ExprId sum = k.var(k.f(0));
  k.count(k.u(0), k.array_length(k.in),
          [&](ExprId i) { k.add_to(sum, k.load_in(k.add(k.mul(k.x(), k.u(64)), i))); });
  k.store(k.at(k.out, k.x()), k.load(sum));
  return k.done();
}

Kernel iterates() {
  Sketch k("iterates");
  const ExprId z = k.var(k.f(0));
  k.count(k.u(0), k.x(),
          [&](ExprId) { k.store(z, k.add(k.mul(k.load(z), k.load(z)), k.f(0.25F))); });
  k.store(k.at(k.out, k.x()), k.load(z));
  return k.done({128, 1, 1});
}

Kernel counts(const char* name, bool loops) {
  Sketch k(name);
  const TypeId atomic = k.program.types.atomic(ScalarKind::u32);
  const ExprId bins = k.buffer("bins", k.array(atomic, 256));
  const auto add = [&](ExprId i) {
    const ExprId bin = k.rem(k.convert(k.u32, k.load_in(i)), k.u(256));
    k.atomic(AtomicOp::add, k.at(bins, bin), k.u(1));
  };
  if (loops) {
    k.count(k.u(0), k.u(16), [&](ExprId i) { add(k.add(k.mul(k.x(), k.u(16)), i)); });
  } else {
    add(k.x());
  }
  return k.done({256, 1, 1});
}

// `heavy` operations beside one atomic.
Kernel computes_and_counts(const char* name, unsigned operations) {
  Sketch k(name);
  const TypeId atomic = k.program.types.atomic(ScalarKind::u32);
  const ExprId bins = k.buffer("bins", k.array(atomic, 256));
  ExprId value = k.x();
  for (unsigned i = 0; i < operations; ++i) value = k.let(k.add(value, k.u(i)));
  k.atomic(AtomicOp::max, k.at(bins, k.u(3)), value);
  return k.done();
}

Kernel reverses_groups() {
  Sketch k("reverses_groups");
  const ExprId tile = k.workgroup("tile", k.array(k.f32, 256));
  const ExprId lane = k.local_index();
  k.store(k.at(tile, lane), k.load_in(k.x()));
  k.barrier();
  k.store(k.at(k.out, k.x()), k.load(k.at(tile, k.sub(k.u(255), lane))));
  return k.done({256, 1, 1});
}

Kernel tells_groups() {
  Sketch k("tells_groups");
  const ExprId group = k.lane(k.id(InvocationIdKind::workgroup), 0);
  k.store(k.at(k.out, k.x()), k.convert(k.f32, group));
  return k.done();
}

Kernel computes(const char* name, unsigned functions) {
  Sketch k(name);
  ExprId value = k.load_in(k.x());
  for (unsigned i = 0; i < functions; ++i) value = k.let(k.math(k.f32, MathFn::sin, {value}));
  k.store(k.at(k.out, k.x()), value);
  return k.done();
}

Kernel moves_vectors() {
  KernelWriter k;
  const TypeId vec4 = k.vec(ScalarKind::f32, 4);
  const ExprId in = k.buffer("in", k.runtime_array(vec4), Access::read);
  const ExprId out = k.buffer("out", k.runtime_array(vec4));
  k.begin("moves_vectors");
  k.store(k.at(out, k.global_x()), k.unary(UnaryOp::negate, k.load(k.at(in, k.global_x()))));
  k.end();
  Kernel kernel = k.finish({64, 1, 1});
  kernel.stats = stats(*kernel.program);
  kernel.fingerprint = fingerprint(*kernel.program);
  return kernel;
}

// It calls a function, and its output has a header.
Kernel calls() {
  KernelWriter k;
  const TypeId list = k.structure("List", {{"length", k.u32}, {"items", k.runtime_array(k.u32)}});
  const ExprId out = k.buffer("list", list);
  k.begin("helper");
  k.store(k.at(k.member(out, 1), k.global_x()), k.u(7));
  k.end();
  const auto helper = static_cast<FunctionId>(0);
  k.begin("calls");
  k.call(helper);
  k.end();
  Kernel kernel = k.finish({64, 1, 1});
  kernel.stats = stats(*kernel.program);
  kernel.fingerprint = fingerprint(*kernel.program);
  return kernel;
}

Kernel elects() {
  Sketch k("elects");
  auto& locals = k.program.functions.back().locals;
  locals.push_back({"sum", LocalKind::let, k.f32, {}});
  const auto sum = static_cast<LocalId>(locals.size() - 1);
  k.writer.stmt(SubgroupStmt{.op = SubgroupOp::add, .value = k.load_in(k.x()), .result = sum});
  k.store(k.at(k.out, k.x()), k.writer.expr(k.f32, LocalExpr{sum}));
  return k.done();
}

PlanDevice processor(std::uint32_t cores, std::uint32_t lanes) {
  PlanDevice out;
  out.name = "cpu";
  out.limits = {.backend = "cpu",
                .max_threads_per_block = 1024,
                .max_block_dim = {1024, 1024, 1024},
                .max_grid_dim = {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}};
  out.profile.device_name = fmt::format("a processor of {} lanes", lanes);
  out.profile.driver = "Linux 6";
  out.profile.multiprocessors = out.processors = cores;
  out.profile.warp_size = out.vector_width = lanes;
  out.profile.last_level_cache_bytes = 32 << 20;
  out.generator = "LLVM 19";
  return out;
}

}  // namespace

std::vector<Kernel> kernels_of_all_kinds() {
  return {streams(),
          shifts(),
          exchanges(),
          looks_up(),
          moves("moves_rows", true),
          moves("writes_columns", false),
          shifted_columns(),
          fills_space(),
          sums_rows(),
          iterates(),
          counts("counts", false),
          counts("counts_in_loops", true),
          computes_and_counts("twelve_operations_an_atomic", 12),
          computes_and_counts("thirteen_operations_an_atomic", 13),
          reverses_groups(),
          tells_groups(),
          computes("computes", 13),
          computes("computes_long", 101),
          moves_vectors(),
          calls(),
          elects()};
}

Kernel kernel_named(std::string_view name) {
  for (Kernel& kernel : kernels_of_all_kinds()) {
    if (kernel.program->name == name) return kernel;
  }
  fmt::print(stderr, "there is no kernel `{}`\n", name);
  std::abort();
}

PlanDevice large_gpu() {
  PlanDevice out = unknown_gpu();
  out.profile = {.device_name = "NVIDIA H200",
                 .driver = "580.65",
                 .multiprocessors = 132,
                 .max_threads_per_multiprocessor = 2048,
                 .max_blocks_per_multiprocessor = 32,
                 .registers_per_multiprocessor = 65536,
                 .warp_size = 32,
                 .shared_bytes_per_multiprocessor = 228 << 10,
                 .memory_bytes_per_second = 4'800'000'000'000,
                 .last_level_cache_bytes = 60 << 20};
  return out;
}

PlanDevice unknown_gpu() {
  PlanDevice out;
  out.name = "cuda:0";
  out.kind = TargetKind::nvptx;
  out.limits = {.backend = "cuda",
                .max_threads_per_block = 1024,
                .max_block_dim = {1024, 1024, 64},
                .max_grid_dim = {0x7FFFFFFF, 65535, 65535}};
  out.generator = "LLVM 19";
  return out;
}

PlanDevice processor_of_16_lanes() { return processor(8, 16); }
PlanDevice processor_of_8_lanes() { return processor(1, 8); }

PlanDevice device_of_limits_alone() {
  PlanDevice out;
  out.name = "null";
  out.limits = {.backend = "null",
                .max_threads_per_block = 1024,
                .max_block_dim = {1024, 1024, 64},
                .max_grid_dim = {0x7FFFFFFF, 65535, 65535}};
  out.limits_alone = true;
  return out;
}

}  // namespace vyre
