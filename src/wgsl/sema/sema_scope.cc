#include "vyre/wgsl/sema/sema_scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "vyre/base/overloaded.h"
#include "vyre/wgsl/sema/sema_builtins.h"

namespace vyre::sema {
namespace {

constexpr std::string_view kTypeNames[] = {"bool",  "i32",   "u32",    "f32",   "f16",
                                           "vec2",  "vec3",  "vec4",   "vec2f", "vec3f",
                                           "vec4f", "array", "atomic", "ptr"};

// Names longer than this are not compared.
constexpr std::size_t kLongestCompared = 40;

// The edit distance, in which a swap of neighbours counts once.
std::size_t distance(std::string_view a, std::string_view b) {
  std::array<std::array<std::size_t, kLongestCompared + 1>, 3> rows{};
  auto* before = &rows[0];
  auto* previous = &rows[1];
  auto* current = &rows[2];
  std::iota(previous->begin(), previous->end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    (*current)[0] = i;
    for (std::size_t k = 1; k <= b.size(); ++k) {
      const std::size_t change = a[i - 1] == b[k - 1] ? 0 : 1;
      std::size_t best =
          std::min({(*previous)[k] + 1, (*current)[k - 1] + 1, (*previous)[k - 1] + change});
      if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1]) {
        best = std::min(best, (*before)[k - 2] + 1);
      }
      (*current)[k] = best;
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return (*previous)[b.size()];
}

class Closest {
 public:
  explicit Closest(std::string_view name)
      : name_(name), limit_(std::min<std::size_t>(2, (name.size() + 1) / 3) + 1) {}

  void consider(std::string_view candidate) {
    if (name_.size() > kLongestCompared || candidate.size() > kLongestCompared) return;
    const std::size_t lengths = name_.size() > candidate.size() ? name_.size() - candidate.size()
                                                                : candidate.size() - name_.size();
    if (candidate == name_ || lengths > limit_) return;
    const std::size_t d = distance(name_, candidate);
    // Ties are decided alphabetically, so that the answer does not depend on the order of a hash
    // table.
    if (d < limit_ || (d == limit_ && !best_.empty() && candidate < best_)) {
      limit_ = d;
      best_ = candidate;
    }
  }
  std::string_view best() const { return best_; }

 private:
  std::string_view name_;
  std::string_view best_;
  std::size_t limit_;
};

}  // namespace

void push_scope(Context& cx) { cx.body->scopes.emplace_back(); }

void pop_scope(Context& cx) {
  for (const std::string_view name : cx.body->scopes.back()) cx.body->names[name].pop_back();
  cx.body->scopes.pop_back();
}

void declare(Context& cx, const ast::Name& name, Symbol symbol) {
  symbol.declared = name.span;
  const auto report = [&](const Symbol& first) {
    cx.error(name.span, fmt::format("'{}' is declared twice in this scope", name.text))
        .note(first.declared, "first declared here");
  };
  if (cx.body == nullptr) {
    const auto [at, fresh] = cx.names.try_emplace(name.text, symbol);
    if (fresh) return;
    // Declarations are found before they are checked: the same one may come again, with its
    // meaning.
    if (!(at->second.declared == symbol.declared)) report(at->second);
    at->second = std::move(symbol);
    return;
  }
  Body& body = *cx.body;
  symbol.order = body.declared++;
  symbol.depth = static_cast<std::uint32_t>(body.scopes.size());
  std::vector<Symbol>& meanings = body.names[name.text];
  if (!meanings.empty() && meanings.back().depth == symbol.depth) {
    report(meanings.back());
    meanings.back() = std::move(symbol);
    return;
  }
  meanings.push_back(std::move(symbol));
  body.scopes.back().push_back(name.text);
}

const Symbol* lookup(const Context& cx, std::string_view name) {
  if (cx.body != nullptr) {
    const auto local = cx.body->names.find(name);
    if (local != cx.body->names.end() && !local->second.empty()) return &local->second.back();
  }
  const auto global = cx.names.find(name);
  return global == cx.names.end() ? nullptr : &global->second;
}

std::string_view kind_of(const Symbol& symbol) {
  return std::visit(Overloaded{
                        [](const BrokenSymbol&) { return "a broken declaration"; },
                        [](const ConstSymbol&) { return "a constant"; },
                        [](const OverrideSymbol&) { return "an override"; },
                        [](const GlobalSymbol&) { return "a variable"; },
                        [](const LetSymbol&) { return "a value"; },
                        [](const VarSymbol&) { return "a variable"; },
                        [](const TreeSymbol&) { return "a value"; },
                        [](const HandleSymbol&) { return "a texture or sampler"; },
                        [](const TypeSymbol&) { return "a type"; },
                        [](const FunctionSymbol&) { return "a function"; },
                    },
                    symbol.what);
}

std::string_view closest(std::string_view name, std::span<const std::string_view> candidates) {
  Closest search(name);
  for (const std::string_view candidate : candidates) search.consider(candidate);
  return search.best();
}

std::string suggestion(const Context& cx, std::string_view name) {
  Closest search(name);
  if (cx.body != nullptr) {
    for (const auto& [candidate, meanings] : cx.body->names) {
      if (!meanings.empty()) search.consider(candidate);
    }
  }
  for (const auto& [candidate, symbol] : cx.names) search.consider(candidate);
  for (const std::string_view candidate : builtin_names()) search.consider(candidate);
  for (const std::string_view candidate : kTypeNames) search.consider(candidate);
  return std::string(search.best());
}

void report_unknown(Context& cx, const ast::Name& name) {
  const std::string near = cx.diagnostics.full() ? "" : suggestion(cx, name.text);
  cx.error(name.span, near.empty()
                          ? fmt::format("unknown name '{}'", name.text)
                          : fmt::format("unknown name '{}'; did you mean '{}'?", name.text, near));
}

}  // namespace vyre::sema
