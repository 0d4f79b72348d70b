// Judges that slots are a pure function of the order of updates: a node that starts again, with other cycles than
// before and with other moments in its windows, has each row in the slot in which it was.
#include <fmt/format.h>

#include "daedalus/base/check.hpp"
#include "daedalus/contract/translate.hpp"
#include "simulated_cluster.hpp"

namespace daedalus::testing {

/// Looks at nodes that have all updates on their disks.
void SimulatedCluster::judge_slots() {
  if (!options_.has_log || lost_node_ || lied_node_ || is_blind_) {
    return;
  }
  const auto everything = contract::to_selection(*configuration_.schema, workload_.whole_table().body, nullptr);
  CHECK(everything.has_value());
  for (uint32_t node = 0; node < nodes_.size(); ++node) {
    if (!nodes_[node]->is_down() && !nodes_[node]->core().problem()) {
      judge_slots_of(node, *everything);
    }
  }
}

void SimulatedCluster::judge_slots_of(uint32_t node, const semantics::Selection& everything) {
  NodeProcess& process = *nodes_[node];
  const Timestamp applied = process.core().applied();
  if (process.core().durable() < applied || process.core().accepted() != applied) {
    return;
  }
  const auto before = process.rows_by_slot(everything);
  process.crash(rpc::Notice::kNobody);
  if (const auto failed = process.come_back()) {
    violation(fmt::format("node {} cannot start again in the end: {}", node, failed->message));
    return;
  }
  if (process.core().applied() != applied) {
    violation(fmt::format("node {} had applied {} and has {} when it starts again", node, raw(applied),
                          raw(process.core().applied())));
  } else if (process.rows_by_slot(everything) != before) {
    violation(fmt::format("node {} has rows in other slots than before it was started again", node));
  } else {
    ++report_.moments.slots;
  }
}

}  // namespace daedalus::testing
