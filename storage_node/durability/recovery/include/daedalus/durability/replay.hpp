// Brings a node back to where its log ends.
//
// Decides in which order things are done, how far the log is read ahead and how much waits for the segments. Refuses to
// know the segments' threads: the owner lets the segments work when it is asked to.
#pragma once

#include <cstdint>
#include <functional>

#include "daedalus/base/result.hpp"
#include "daedalus/durability/disk.hpp"
#include "daedalus/durability/node_log.hpp"
#include "daedalus/durability/recovery_order.hpp"
#include "daedalus/node/node_core.hpp"

namespace daedalus::durability {

/// Holds what the replay has to do until segments have put something out.
enum class Meanwhile : uint8_t { kSomething, kNothing };

/// Lets the segments work and gives the core what they have put out; for kNothing, it may wait for that.
using LetSegmentsWork = std::function<void(Meanwhile)>;

/// How far a replay is.
struct ReplayProgress {
  Timestamp reached{};
  uint64_t records = 0;
  uint64_t bytes = 0;  ///< Counts the bytes of updates.
};

/// Replays what follows `floor.after`, which the core was told by start_after(); what is left from before that is
/// remembered. Side by side, a thread of its own reads, checks and places records ahead of those that are applied; what
/// comes of them is the same. Returns when all of it is applied; the core has been told so (on_recovered()). Errors
/// (XX001): a log is damaged, or is not of this table; the core is of no use then.
[[nodiscard]] Result<NodeLogEnd> replay_log(Disk& disk, node::NodeCore& core, const LogFloor& floor,
                                            RecoveryOrder order, const LetSegmentsWork& let_work,
                                            const std::function<void(const ReplayProgress&)>& report);

}  // namespace daedalus::durability
