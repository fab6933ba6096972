// The shared state of checking a module: declarations, emitted code and errors.
//
// The whole module is emitted into one Program, from which `extract` makes one program per entry
// point. Declarations are checked in dependency order: everything that a declaration names has been
// checked before it.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "vyre/ir/program.h"
#include "vyre/ir/validate/uniformity_function.h"
#include "vyre/ir/writer.h"
#include "vyre/wgsl/diagnostics.h"
#include "vyre/wgsl/parser/ast.h"
#include "vyre/wgsl/sema/sema_value.h"
#include "vyre/wgsl/source.h"

namespace vyre::sema {

struct Limits {
  static constexpr std::uint32_t kStructMembers = 1023;
  static constexpr std::uint32_t kTypeNesting = 255;
  static constexpr std::uint32_t kParameters = 255;
  static constexpr std::uint32_t kSwitchSelectors = 1023;
  static constexpr std::uint32_t kArguments = 65'535;  // of any call, elements of an array included
  static constexpr std::uint64_t kTypeBytes = 0xFFFF'FFFF;
  static constexpr std::uint64_t kConstantScalars = 1U << 20U;  // of one constant
  // The limit for all constants with more than 16 scalars together.
  static constexpr std::uint64_t kModuleConstantScalars = 1U << 24U;
  static constexpr std::uint32_t kModuleVariables = 4096;
  static constexpr std::uint32_t kFunctions = 65'535;
  static constexpr std::uint32_t kEntryPoints = 256;
};

// ---- Names

struct BrokenSymbol {};  // its declaration was wrong; uses report no further errors
struct ConstSymbol {
  Value value;
};
struct OverrideSymbol {
  OverrideId id;
  TypeId type;
};
struct GlobalSymbol {
  GlobalId id;
};
struct LetSymbol {  // also parameters that are not pointers
  LocalId id;
  TypeId type;
};
struct VarSymbol {
  LocalId id;
  TypeId type;
};
// A pointer, or an input of the entry point: a tree without effects, copied for each use.
struct TreeSymbol {
  Value value;
};
struct HandleSymbol {   // a texture or a sampler
  std::uint32_t index;  // of Context::handles
};
struct TypeSymbol {
  TypeId type;
};
struct FunctionSymbol {
  std::uint32_t index;  // of Context::functions
};

struct Symbol {
  Span declared;
  std::variant<BrokenSymbol, ConstSymbol, OverrideSymbol, GlobalSymbol, LetSymbol, VarSymbol,
               TreeSymbol, HandleSymbol, TypeSymbol, FunctionSymbol>
      what;
  // In functions: the number of names declared before it, and the depth of its scope.
  std::uint32_t order = 0;
  std::uint32_t depth = 0;
};

// ---- Functions

using Behaviour = std::uint8_t;  // set of the four
constexpr Behaviour kNext = 1;
constexpr Behaviour kBreak = 2;
constexpr Behaviour kContinue = 4;
constexpr Behaviour kReturn = 8;

// A set of small numbers, one bit each.
class BitSet {
 public:
  void add(std::uint32_t i) {
    if (words_.size() <= i / 64) words_.resize(i / 64 + 1);
    words_[i / 64] |= std::uint64_t{1} << (i % 64);
  }
  void add_all(const BitSet& other) {
    if (words_.size() < other.words_.size()) words_.resize(other.words_.size());
    for (std::size_t i = 0; i < other.words_.size(); ++i) words_[i] |= other.words_[i];
  }
  bool has(std::uint32_t i) const {
    return i / 64 < words_.size() && ((words_[i / 64] >> (i % 64)) & 1U) != 0;
  }

 private:
  std::vector<std::uint64_t> words_;
};

using Stages = std::uint8_t;  // set of the three
constexpr Stages kCompute = 1;
constexpr Stages kVertex = 2;
constexpr Stages kFragment = 4;

// Something that only some stages have.
struct StageNeed {
  Stages stages;
  std::string what;
  Span span;
};

// Names of builtin functions, and of extensions and language features.
struct Uses {
  std::set<std::string_view> builtins;
  std::set<std::string_view> features;
};

struct FunctionInfo {
  const ast::Function* ast = nullptr;
  Span declared;
  FunctionId id{};
  TypeId result{};
  std::vector<TypeId> parameters;
  bool must_use = false;
  bool entry = false;   // of any stage
  bool broken = false;  // its header was wrong; calls report no further errors
  Behaviour behaviour = kNext;

  // The memory that it or its callees access: globals by GlobalId, pointer parameters by index.
  BitSet reads_global, writes_global, reads_parameter, writes_parameter;
  // The least size of the buffer that a pointer parameter points to, by the views of it that are
  // known before the program runs.
  std::unordered_map<std::uint32_t, std::uint64_t> buffer_needs;
  // The globals that its own body names, even if no statement was emitted for them.
  std::vector<GlobalId> mentioned_globals;
  std::vector<OverrideId> mentioned_overrides;
  // What it or its callees use: features of some stages only, features that vyre does not run (the
  // first one), and textures and samplers by index of Context::handles.
  std::vector<StageNeed> needs;
  Uses uses;
  std::string not_run;
  std::set<std::uint32_t> handles;
};

struct EntryPoint {
  std::uint32_t function = 0;  // of Context::functions
  Stages stage = kCompute;
  Extent workgroup{1, 1, 1};
  std::array<ExprId, 3> workgroup_exprs{kNoExpr, kNoExpr, kNoExpr};
  ExprId subgroup_size = kNoExpr;  // of @subgroup_size
};

// A loop whose body or continuing part is being checked.
struct LoopState {
  std::uint32_t body_depth = 0;                 // scope depth of names declared in the body
  std::uint32_t first_continue = 0xFFFF'FFFFU;  // names declared when the first `continue` stood
  Span continue_span;
  bool in_continuing = false;
};

// What encloses the statement being checked, innermost last.
struct Breakable {
  enum class Kind : std::uint8_t { loop, switch_, continuing };
  Kind kind;
};

// The function whose body is being checked.
struct Body {
  FunctionInfo& info;
  Function& function;
  std::unordered_map<std::string_view, std::vector<Symbol>> names{};
  std::vector<std::vector<std::string_view>> scopes{};
  std::uint32_t declared = 0;

  // Evaluated operands of expressions that are not evaluated yet. A statement that is emitted now
  // runs before those expressions, so operands that read memory become lets first. Entries below
  // pending_base belong to an enclosing block, where this has been done.
  std::vector<Value*> pending{};
  std::size_t pending_base = 0;

  // Lets that only one expression uses: results of calls and of atomics.
  std::unordered_set<std::uint32_t> temporaries{};

  std::vector<LoopState> loops{};
  std::vector<Breakable> breakables{};
};

// ---- Textures and samplers

struct HandleInfo {
  enum class Class : std::uint8_t {
    sampled,
    multisampled,
    depth,
    depth_multisampled,
    storage,
    external,
    sampler,
    sampler_comparison,
  };
  enum class Shape : std::uint8_t { d1, d2, d2_array, d3, cube, cube_array };
  Class kind;
  Shape shape = Shape::d2;
  ScalarKind scalar = ScalarKind::f32;  // of its texels
  Access access = Access::read;         // of storage textures
};

struct Handle {
  std::string_view name;
  TypeId type{};
  std::uint32_t group = 0;
  std::uint32_t binding = 0;
  Span declared;
};

// ---- Diagnostic controls

enum class Control : std::uint8_t { off, info, warning, error };

// The severities of the rules that can be controlled, where a statement stands.
struct Filters {
  Control derivative = Control::error;
  Control subgroup = Control::error;
};

// ---- The module

struct Context {
  Context(const Source& text, const ast::Module& tree, Diagnostics& out);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Source& source;
  const ast::Module& module;
  Diagnostics& diagnostics;

  Program program;  // of the whole module; no entry
  Writer writer;
  std::set<std::string_view> enabled;  // extensions
  bool lenient = false;                // see ParseOptions
  // Whether the extension may be used here; reports an error if not. In lenient mode it warns once
  // and enables the extension.
  bool needs_extension(std::string_view extension, std::string_view what, Span span);
  // The extensions and language features that the module uses, by the names in `enable` and
  // `requires`.
  std::set<std::string_view> features;
  Filters filters;
  std::unordered_map<std::string_view, Symbol> names;
  std::vector<FunctionInfo> functions;
  std::vector<EntryPoint> entries;
  std::unordered_map<std::uint32_t, const ast::Struct*> structs;  // by TypeId
  std::vector<Handle> handles;
  std::unordered_map<std::uint32_t, HandleInfo> handle_types;  // by TypeId
  // Functions that are checked and not run, by a name that encodes their relevant properties, and
  // their facts.
  std::unordered_map<std::string, FunctionId> outside_functions;
  std::unordered_map<std::uint32_t, UniformityFacts> outside_facts;  // by FunctionId
  Body* body = nullptr;                                              // null at module scope
  // Inside the operand of a constant && or || that is not evaluated, where values do not matter.
  bool unevaluated = false;

  // Arrays sized by the name of an override share one count expression, which makes them equal.
  std::unordered_map<std::uint32_t, ExprId> override_counts;
  // Constants with many scalars are emitted, and made concrete, once.
  std::unordered_map<const void*, ConstantId> emitted_constants;
  std::unordered_map<const void*, Value> concrete_constants;
  std::vector<ConstData> kept_constants;  // keeps the keys of both alive
  std::uint64_t constant_scalars = 0;
  std::vector<std::uint32_t> line_starts;
  // The text position of each position in the program.
  std::unordered_map<std::uint64_t, Span> spans;

  TypeTable& types() { return program.types; }
  const TypeTable& types() const { return program.types; }
  // The texture or sampler of a type; null for other types.
  const HandleInfo* handle_info(TypeId type) const {
    const auto at = handle_types.find(static_cast<std::uint32_t>(type));
    return at == handle_types.end() ? nullptr : &at->second;
  }
  std::string spell(TypeId type) const { return program.types.spell(type); }
  Diagnostic& error(Span span, std::string message) {
    return diagnostics.error(span, std::move(message));
  }

  // Sets the position of the next emitted nodes to `span`.
  void at(Span span);
  // The text span of a position of the program; an empty span at the start if it is unknown.
  Span span_of(SourcePos pos) const;
};

// An error value at `span`.
inline Value failed(Span span) {
  Value v;
  v.span = span;
  return v;
}

}  // namespace vyre::sema
