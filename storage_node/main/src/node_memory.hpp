// Decides whether the segments of a node fit into the memory of its host.
//
// Decides what is left for segments. A segment touches all of its memory before it serves, so one that does not fit
// would end somebody's process, not necessarily its own.
#pragma once

#include <cstdint>

#include "daedalus/base/result.hpp"
#include "daedalus/engine/segment_shape.hpp"
#include "daedalus/machine/memory.hpp"

namespace daedalus::node {

/// All segments of a node.
struct SegmentsDemand {
  uint32_t count = 0;
  engine::SegmentShape shape;  ///< Has the shape of each.
  uint64_t window_bytes = 0;   ///< Bounds what each keeps of values that updates overwrote.

  [[nodiscard]] uint64_t bytes() const { return count * (shape.memory_bytes + window_bytes); }
};

/// Kept free beside segments: answers on their way, page tables, code, and the rest of the host. A sixteenth of its
/// memory, at least 256 MiB.
[[nodiscard]] uint64_t memory_beside_segments(uint64_t total_bytes);

/// Error (53200): they never fit into this host, whatever else runs there. Names what does.
[[nodiscard]] Result<void> check_total(const SegmentsDemand& demand, const MachineMemory& memory);
/// Error (53200): they do not fit beside what runs there now.
[[nodiscard]] Result<void> check_available(const SegmentsDemand& demand, const MachineMemory& memory);

}  // namespace daedalus::node
