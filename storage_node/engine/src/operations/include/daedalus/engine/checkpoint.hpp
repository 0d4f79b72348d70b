// What a checkpoint sees of a segment: chunk after chunk, each in a prefix of its own, while the sweep goes on.
//
// A cycle's updates are applied chunk by chunk, so nothing has to stand still: recovery loads every chunk at its own
// prefix and replays to it exactly the updates after that.
#pragma once

#include <cstdint>
#include <span>

#include "daedalus/base/units.hpp"

namespace daedalus::engine {

/// One chunk between two steps of a sweep. Everything in it is borrowed for the length of the call.
struct ChunkImage {
  uint32_t chunk = 0;
  uint32_t chunk_count = 0;
  Timestamp prefix{};      ///< The chunk has all updates up to this one, and nothing of those after it.
  uint32_t row_count = 0;  ///< Slots, live or not; a multiple of 64. Slot s of the segment is chunk · row_count + row.
  uint32_t live_count = 0;                 ///< Live rows.
  std::span<const uint32_t> widths;        ///< By column: bytes of one value, its tail included.
  std::span<const uint8_t* const> planes;  ///< By column, then tails by column, null where there are none: of
                                           ///< row_count values (daedalus/schema/abi.h). Of slots that are not live:
                                           ///< anything.
  std::span<const uint64_t* const> nulls;  ///< By column: row_count / 64 words. Set: NULL.
  std::span<const uint64_t> live;          ///< row_count / 64 words.
};

/// Takes chunks for a checkpoint.
class CheckpointHook {
 public:
  virtual ~CheckpointHook() = default;

  /// Called by the scan thread at a chunk boundary, in ascending order of chunks, each once a checkpoint. Must not
  /// block: what it costs, the cycle costs more (copying a chunk of 16,384 ticket rows takes about 1 ms).
  virtual void on_chunk(const ChunkImage& image) noexcept = 0;
};

}  // namespace daedalus::engine
