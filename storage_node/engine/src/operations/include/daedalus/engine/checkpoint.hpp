// Defines what a checkpoint sees of a segment: chunk after chunk, each in a prefix of its own, while the sweep goes on.
//
// A cycle's updates are applied chunk by chunk, so nothing has to stand still: recovery loads every chunk at its own
// prefix and replays to it exactly the updates after that.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "daedalus/base/units.hpp"

namespace daedalus::engine {

/// One chunk between two steps of a sweep. Everything in it is borrowed for the length of the call.
struct ChunkImage {
  uint32_t chunk = 0;
  uint32_t chunk_count = 0;
  Timestamp prefix{};      ///< The chunk has all updates up to this one, and nothing of those after it.
  Timestamp changed{};     ///< The last update that touched a row of the chunk; at most `prefix`. 0: none has.
  uint32_t row_count = 0;  ///< Slots, live or not; a multiple of 64. Slot s of the segment is chunk · row_count + row.
  uint32_t live_count = 0;                 ///< Live rows.
  std::span<const uint32_t> widths;        ///< By column: bytes of one value, its tail included.
  std::span<const uint8_t* const> planes;  ///< By column, then tails by column, null where there are none: of
                                           ///< row_count values (daedalus/schema/abi.h). Of slots that are not live:
                                           ///< anything.
  std::span<const uint64_t* const> nulls;  ///< By column: row_count / 64 words. Set: NULL.
  std::span<const uint64_t> live;          ///< row_count / 64 words.
};

/// Which slots inserts may get, and when: all that the choice depends on. Borrowed for the length of the call. Bitmaps
/// have slot_count / 64 words; a slot is in at most one of them.
struct AllocatorImage {
  /// Slots that were freed by updates of one generation, and wait.
  struct Cooling {
    uint64_t generation = 0;
    std::span<const uint64_t> slots;
  };

  Timestamp prefix{};  ///< Knows all updates up to this one, and nothing of those after it.
  uint32_t slot_count = 0;
  std::span<const uint64_t> free;
  std::array<Cooling, 2> cooling;
};

/// Takes chunks for a checkpoint.
class CheckpointHook {
 public:
  virtual ~CheckpointHook() = default;

  /// Returns whether on_chunk() would take a chunk now. While it would not, no cycle runs for a checkpoint alone:
  /// whoever makes it ready wakes the scan thread. Any thread.
  [[nodiscard]] virtual bool is_ready() const noexcept = 0;

  /// Called by the scan thread at a chunk boundary, in ascending order of chunks, until each was taken once. Must not
  /// block: what it costs, the cycle costs more (copying a chunk of 16,384 ticket rows takes about 1 ms). False: it has
  /// no room for it; the chunk is shown again in a later cycle, in the prefix it is in then.
  [[nodiscard]] virtual bool on_chunk(const ChunkImage& image) noexcept = 0;

  /// Called by the scan thread once a checkpoint, at the end of the cycle in which the last chunk was taken. No chunk's
  /// prefix is above this one's. Must not block.
  virtual void on_round_end(const AllocatorImage& image) noexcept = 0;
};

}  // namespace daedalus::engine
