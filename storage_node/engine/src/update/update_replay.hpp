// Replay after a checkpoint was loaded: the updates that chunks have already, and the slots recorded for inserted rows.
//
// Decides which updates a chunk leaves out, and when a recorded slot can be taken. Refuses to know what updates do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "admitted_updates.hpp"
#include "chunk_store.hpp"
#include "daedalus/base/units.hpp"
#include "daedalus/engine/operation.hpp"

namespace daedalus::engine {

class UpdateReplay {
 public:
  explicit UpdateReplay(const ChunkStore& store) : store_(&store) {}

  /// Before the first cycle: a slot allocator was loaded, so updates bring along where their rows went.
  void begin_recorded();
  /// Before the first cycle: from now on each chunk leaves out the updates up to its own prefix, by chunk.
  void begin(std::vector<Timestamp> prefixes);

  /// Returns whether a segment with all updates up to `prefix` has chunks that are beyond it.
  [[nodiscard]] bool is_under_way(Timestamp prefix) const { return !prefixes_.empty() && prefix < highest_prefix_; }
  /// The highest prefix that a chunk was loaded with.
  [[nodiscard]] Timestamp highest_prefix() const { return highest_prefix_; }
  /// The prefix of a chunk that the sweep of a cycle up to `prefix` has passed.
  [[nodiscard]] Timestamp prefix_of(uint32_t chunk, Timestamp prefix) const {
    return prefixes_.empty() ? prefix : std::max(prefix, prefixes_[chunk]);
  }
  /// The prefix that a chunk was loaded with, as long as some chunk may have more than the segment.
  [[nodiscard]] std::optional<Timestamp> loaded_prefix(uint32_t chunk) const {
    return prefixes_.empty() ? std::nullopt : std::optional(prefixes_[chunk]);
  }

  /// Returns whether the segment has not yet all that the loaded allocator knows.
  [[nodiscard]] bool is_recorded() const { return !recorded_slots_.empty(); }
  /// Returns whether a recorded slot of the update with this timestamp holds another row still, or is another row's in
  /// this cycle. Precondition (CHECKed): they are slots.
  [[nodiscard]] bool is_any_occupied(Timestamp timestamp, const SlotRuns& recorded) const;
  /// Appends the slots of an update's rows, and keeps them for it. Precondition (CHECKed): not more than `row_count`.
  void take(const SlotRuns& recorded, uint32_t row_count, std::vector<uint32_t>& slots);

  /// The cycle up to `prefix` has been swept, with these insertions; the allocator that was loaded knows of updates up
  /// to `known_through`.
  void end_cycle(std::span<const Insertion> insertions, Timestamp prefix, Timestamp known_through);

 private:
  [[nodiscard]] bool is_occupied(Timestamp timestamp, uint32_t slot) const;

  const ChunkStore* store_;
  std::vector<Timestamp> prefixes_;  ///< By chunk: what it had when it was loaded. Empty once all have more than that.
  Timestamp highest_prefix_{};       ///< The highest prefix of these.
  /// By slot, a bit: a row of this cycle goes there. Empty once the segment has all that the loaded allocator knows.
  std::vector<uint64_t> recorded_slots_;
};

}  // namespace daedalus::engine
