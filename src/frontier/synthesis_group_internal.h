// Writes one kernel of the frontier engine for workgroups, whose subgroups work together.
#pragma once

#include <functional>

#include "vyre/frontier/synthesis_internal.h"

namespace vyre {

// The body of a kernel whose workgroups have several lanes.
void write_for_groups(KernelWriter& w, FrontierKernel kernel);

class GroupWriter {
 public:
  // How subgroups are numbered: those of a workgroup one after the other, or those of all
  // workgroups in turns, so that little work is spread over all of them.
  enum class Order : std::uint8_t { within, across };
  // Ends the workgroup if it is not one of the workers.
  explicit GroupWriter(KernelWriter& writer, Order order = Order::within);

  KernelWriter& w;
  ProgramBuilder& b;
  Value lane;       // in its subgroup
  Value subgroups;  // how many there are

  // The next bank of counters is empty when the next round begins.
  void clear_next_bank();
  // Calls the body for every `batch`-th number below `count`, each for one subgroup. `count` is the
  // same in all lanes of a subgroup.
  void for_batches(const Value& count, const Arg& batch, const std::function<void(Value)>& body);
  // Calls the body for every number below `count`, each for one lane.
  void for_lanes(const Value& count, const std::function<void(Value)>& body);
  // Calls the body for every word of bits: for the lanes whose vertex is in the graph, `inside`
  // holds.
  void for_words(const std::function<void(Value word, Value vertex, Value inside)>& body);

  // All lanes of a subgroup must call the following functions together.
  Value ballot(const Arg& is);
  // The number of lanes before this one that are in the ballot.
  Value rank_in(const Value& ballot);
  Value shuffle(const Value& value, const Arg& lane);
  Value first_lanes(const Value& value);  // of the first lane
  // Adds to a word once for the subgroup, and returns the old value.
  Value add_once(const Ref& word, const Value& amount);
  // Appends the vertices of the lanes for which `is` holds to a queue of Input::capacity places.
  void append(const Value& is, const Value& vertex, control::Word counter, const Value& half);

  // The vertices of the next frontier, and the edges that leave them: counted in each lane, and
  // added up at the end. The largest degree is noted if it is that of a hub. For a crowd only the
  // edges are counted.
  enum class Counted : std::uint8_t { both, edges };
  void begin_counting(Counted counted = Counted::both);
  void count(const Value& vertex);
  void end_counting();

  // Sets the vertex's bit in the next frontier; `fresh` becomes true if nobody has set it before.
  void reach(const Value& vertex, const Ref& fresh);

  // Spreads the edges of the lanes' vertices over the lanes: `first` and `degree` are those of this
  // lane's vertex. The body gets the source, the edge and whether there is one for this lane.
  void for_edges(const Value& vertex, const Value& first, const Value& degree,
                 const std::function<void(Value source, Value edge, Value there)>& body);

 private:
  Value subgroup_;  // this one's number
  std::optional<Ref> reached_, edges_, largest_;
  Counted counted_ = Counted::both;
};

void write_group_push(KernelWriter& w, bool from_queue, bool to_queue);
// Visits the edges of the vertices in the queue; a subgroup takes `each` vertices at a time.
void write_queue_edges(GroupWriter& g, const Value& each, bool to_queue);
void write_group_hubs(KernelWriter& w, bool to_queue);
void write_group_pull(KernelWriter& w, bool with_after);
void write_group_solo(KernelWriter& w);
void write_group_crowd(KernelWriter& w);
void write_group_count_incoming(KernelWriter& w);
void write_group_fill_incoming(KernelWriter& w);

// Calls visit for an edge. `wants` is asked first, unless `visit` itself loads the variables that
// `wants` would load.
void write_group_visit(KernelWriter& w, const Value& source, const Value& edge, const Value& target,
                       const Value& round, const std::function<void()>& reached);

}  // namespace vyre
