// Puts the newest checkpoint into the segments of a node.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/durability/disk.hpp"
#include "daedalus/durability/node_log.hpp"
#include "daedalus/durability/recovery_order.hpp"
#include "daedalus/engine/segment.hpp"

namespace daedalus::durability {

/// A checkpoint that is in the segments.
struct LoadedCheckpoint {
  uint64_t number = 0;
  LogFloor log;                        ///< Says after what the log is to be replayed, and what of it has to be there.
  std::vector<Timestamp> slots_known;  ///< By segment: up to there, replayed updates bring their slots along.
};

/// Holds what all segments share while they are loaded.
struct LoadState {
  uint32_t chunks = 0;
  uint32_t chunk_count = 0;
  uint64_t rows = 0;
  uint64_t bytes = 0;  ///< Read.
};

/// Returns what a checkpoint notes of the log when it is committed: the last outcome that was durable then.
[[nodiscard]] std::string log_note(Timestamp outcomes_durable);

/// Nothing where there is no checkpoint. Side by side, each segment has a thread of its own, and `report` is called by
/// all of them, one at a time. Errors: XX001 where the checkpoint is damaged, or is of another shape of segments; the
/// segments are of no use then. Precondition: their memory is settled, and they were given nothing.
[[nodiscard]] Result<std::optional<LoadedCheckpoint>> load_newest_checkpoint(
    Disk& disk, const std::vector<engine::Segment*>& segments, RecoveryOrder order,
    const std::function<void(const LoadState&)>& report);

}  // namespace daedalus::durability
