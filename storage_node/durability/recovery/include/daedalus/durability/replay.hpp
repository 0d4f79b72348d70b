// Brings a node back to where its log ends.
//
// Decides in which order things are done and how much waits for the segments. Refuses to know threads: the owner lets
// the segments work when it is asked to.
#pragma once

#include <cstdint>
#include <functional>

#include "daedalus/base/result.hpp"
#include "daedalus/durability/disk.hpp"
#include "daedalus/durability/node_log.hpp"
#include "daedalus/node/node_core.hpp"

namespace daedalus::durability {

/// Lets the segments work for a while and gives the core what they put out.
using LetSegmentsWork = std::function<void()>;

/// How far a replay is.
struct ReplayProgress {
  Timestamp reached{};
  uint64_t records = 0;
  uint64_t bytes = 0;  ///< Of updates.
};

/// Replays what follows `floor.after`, which the core was told by start_after(); what is left from before that is
/// remembered. Returns when all of it is applied; the core has been told so (on_recovered()). Errors (XX001): a log is damaged; the core is of no use then.
[[nodiscard]] Result<NodeLogEnd> replay_log(Disk& disk, node::NodeCore& core, const LogFloor& floor,
                                            const LetSegmentsWork& let_work,
                                            const std::function<void(const ReplayProgress&)>& report);

}  // namespace daedalus::durability
