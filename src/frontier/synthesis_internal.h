// Writes one kernel of the frontier engine.
#pragma once

#include <array>
#include <functional>
#include <optional>

#include "vyre/frontier/synthesis.h"
#include "vyre/ir/builder/builder.h"

namespace vyre {

class KernelWriter {
 public:
  KernelWriter(const FrontierFunctions& functions, FrontierKernel kernel, std::uint32_t lanes);

  ProgramBuilder b;

  bool has(std::optional<FunctionId> FrontierFunctions::* function) const {
    return (functions_.*function).has_value();
  }
  const FrontierFunctions& functions() const { return functions_; }
  std::uint32_t lanes() const { return lanes_; }
  bool in_groups() const { return lanes_ != 1; }
  // Calls a function of the program, which it must have.
  Value call(std::optional<FunctionId> FrontierFunctions::* function,
             std::initializer_list<Arg> arguments);

  Ref buffer(EngineBuffer which);
  // The bits without atomics, for kernels of workgroups in which each word has one writer. Called
  // before any other use of the bits.
  Ref plain_bits();
  Ref word(control::Word which);
  // A word that only the host writes, loaded once.
  Value input(control::Word which);
  // Makes a variable that begins with the word's value. From now on, `input` loads the word from
  // this variable.
  Ref make_variable(control::Word which, const char* name);

  // Ends the invocation if it is not one of the workers.
  void begin_worker();
  // Calls the body for each number below the input word `count`, shared between all workers.
  void for_work(const std::function<void(Value)>& body);
  // Calls the body for the vertex of each bit of a word.
  void for_bits(const Value& word_index, const Value& bits, const std::function<void(Value)>& body);

  // How vertices of the next frontier are kept until there are enough for one atomic.
  enum class Keep : std::uint8_t {
    nothing,  // none is kept; vertices are counted one by one
    unique,   // for the queue
    reached,  // their bits are set, which drops those that were set before
  };
  void begin_counting(Keep keep, bool to_queue = false, bool counted = true);
  void count(const Value& vertex);
  void keep(const Value& vertex);
  // Keeps the vertex unless its bit is set already.
  void reach(const Value& vertex);
  void end_counting();

  Value degree(const Value& vertex);
  TypeId sum_type();  // of gather

 private:
  void flush();
  Value set_bits(const Value& kept);  // the number of those that are new, which come first

  const FrontierFunctions& functions_;
  const std::uint32_t lanes_;
  std::array<std::optional<Ref>, kEngineBuffers> buffers_;
  std::array<Value, control::kInputs> inputs_;
  std::array<bool, control::kInputs> loaded_{};
  std::array<std::optional<Ref>, control::kInputs> variables_;
  std::vector<FunctionId> ids_, copied_;
  Keep keep_ = Keep::nothing;
  bool to_queue_ = false, counted_ = true;
  std::optional<Ref> kept_, kept_count_, reached_, edges_;
};

// The bodies, by subject.
void write_init(KernelWriter& w);
void write_start(KernelWriter& w);
void write_fill_queue(KernelWriter& w);
void write_after_queue(KernelWriter& w);
void write_after_bits(KernelWriter& w);
void write_push(KernelWriter& w, bool from_queue, bool to_queue);
void write_hubs(KernelWriter& w, bool to_queue);
void write_pull(KernelWriter& w, bool with_after);
void write_gather(KernelWriter& w);
void write_apply(KernelWriter& w);
void write_solo(KernelWriter& w);
void write_count_incoming(KernelWriter& w);
void write_sum_blocks(KernelWriter& w);
void write_place_blocks(KernelWriter& w);
void write_fill_incoming(KernelWriter& w);
void write_sort_incoming(KernelWriter& w);

// The index of an incoming edge in the graph's own order, where the program reads it.
Value original_edge(KernelWriter& w, const Value& place);

// gather, with or without the round.
Value write_gather_call(KernelWriter& w, const Value& target, const Value& place, const Ref& sum);

// Calls `keep` for a vertex of the frontier that waits, and `push` for one that does not.
void write_unless_waiting(KernelWriter& w, const Value& vertex, const Value& round,
                          const std::function<void()>& keep, const std::function<void()>& push);

// Calls visit if the target wants the visit, and `reached` if visit returned true.
void write_visit(KernelWriter& w, const Value& source, const Value& edge, const Value& target,
                 const Value& round, const std::function<void()>& reached);

}  // namespace vyre
