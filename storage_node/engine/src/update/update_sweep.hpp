// The updates of one cycle on their way over the chunks: inserts, modifications and deletes in the order of their
// timestamps.
//
// Decides the order in which they are applied to each row. What one row becomes does not depend on another, so a
// chunk's rows are taken one after the other, each with all changes that ask for it, in their order; only a change that
// no index finds rows for takes the chunk as a whole, after all that come before it and before all that come after. A
// row that an update of the same cycle made, or gave another key, is looked up again, so that every change sees exactly
// what those before it left. After a checkpoint was loaded, a chunk takes no update that it has already. Refuses to
// know queries.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <string>
#include <vector>

#include "change_list.hpp"
#include "chunk_bounds.hpp"
#include "daedalus/engine/operation.hpp"
#include "daedalus/engine/segment_options.hpp"
#include "slot_allocator.hpp"

namespace daedalus::engine {

class UpdateSweep {
 public:
  /// memory: what parts are compiled into; may be given back after end().
  UpdateSweep(const TableLayout& layout, ChunkStore& store, Sketches& sketches, std::pmr::memory_resource& memory,
              AccessPaths paths);

  /// Admits an update and reserves the slots of its inserts: room that its own deletes make is for later updates.
  /// False, and `update` untouched, when it has to wait for the next cycle. Never false for a cycle's first update.
  /// Precondition (CHECKed): an update that the loaded allocator knows of brings its slots along, and they are slots.
  [[nodiscard]] bool admit(Update& update);
  [[nodiscard]] uint32_t count() const { return static_cast<uint32_t>(outputs_.size()); }

  /// Bytes of what is assigned by all that was admitted.
  [[nodiscard]] uint64_t assigned_bytes() const { return changes_.assigned_bytes(); }

  /// Plans for what was admitted.
  void begin();

  /// The next chunk at or after `chunk` that something admitted may touch; chunk_count() when there is none.
  [[nodiscard]] uint32_t next_chunk(uint32_t chunk) const;
  void sweep(uint32_t chunk);

  /// By timestamp, complete after the sweep. They may be taken before end().
  [[nodiscard]] std::vector<UpdateOutput>& outputs() { return outputs_; }
  void end();

  /// Live rows of the segment.
  [[nodiscard]] uint64_t live_rows() const { return live_rows_; }

  /// Returns the bounds of what rows have in each chunk; in those that were swept with this cycle's changes.
  [[nodiscard]] const ChunkBounds& bounds() const { return bounds_; }

  /// Before the first cycle: the rows of this chunk were loaded. Everything derived from them is made anew.
  void on_load(uint32_t chunk);
  /// See SlotAllocator.
  [[nodiscard]] Result<void> load(const AllocatorImage& image);
  [[nodiscard]] AllocatorImage allocator_image(Timestamp prefix) const { return slots_.image(prefix); }
  [[nodiscard]] Timestamp known_through() const { return slots_.known_through(); }

  /// Before the first cycle: from now on each chunk leaves out the updates up to its own prefix, by chunk.
  void begin_replay(std::vector<Timestamp> prefixes);
  /// Returns whether a segment with all updates up to `prefix` has chunks that are beyond it.
  [[nodiscard]] bool is_replaying(Timestamp prefix) const { return !prefixes_.empty() && prefix < highest_prefix_; }
  /// The prefix of a chunk that the sweep of a cycle up to `prefix` has passed.
  [[nodiscard]] Timestamp prefix_of(uint32_t chunk, Timestamp prefix) const {
    return prefixes_.empty() ? prefix : std::max(prefix, prefixes_[chunk]);
  }

 private:
  /// A row on its way into its slot.
  struct Insertion {
    uint32_t slot = 0;
    uint32_t sequence = 0;
    uint32_t update = 0;
    bool is_counted = false;  ///< The update tells its parts apart.
    std::string_view row;
  };

  /// A row that a change may touch.
  struct Candidate {
    uint32_t row = 0;
    uint32_t change = 0;

    friend auto operator<=>(const Candidate&, const Candidate&) = default;
  };
  /// Orders a heap so that the first change is on top.
  struct ComesLater {
    bool operator()(const Candidate& left, const Candidate& right) const { return left.change > right.change; }
  };

  void admit_part(InsertRows& part, std::span<const uint32_t>& slots);
  void admit_part(const std::shared_ptr<const semantics::ModifyPart>& part, std::span<const uint32_t>& slots);
  void admit_part(const std::shared_ptr<const semantics::DeletePart>& part, std::span<const uint32_t>& slots);

  [[nodiscard]] bool has_to_wait(const Update& update) const;
  [[nodiscard]] bool is_occupied(Timestamp timestamp, uint32_t slot) const;
  void take_recorded(const SlotRuns& runs, uint32_t row_count);
  void leave_out_known();
  void note_replayed(Timestamp prefix);
  void find_candidates();
  [[nodiscard]] bool has_insertion_before(uint32_t end) const;
  void apply_until(uint32_t end);
  void apply_candidates(std::span<const Candidate> candidates, uint32_t end);
  void apply_batch(std::span<const Candidate> candidates, uint32_t end);
  void insert(const Insertion& insertion, uint32_t end);
  void apply_pending(uint32_t row, uint32_t end);
  void apply_change(uint32_t change, uint32_t row);
  /// Returns whether a row that matches is to be changed, which what is computed of the condition decides. One that
  /// this fails on is counted.
  [[nodiscard]] bool qualifies(uint32_t change, uint32_t row);
  void look_up_again(uint32_t row, uint32_t first_change, uint32_t end);
  void add_pending(uint32_t change);
  void note_touch(uint32_t update) { touches_ = std::max(touches_, update + 1); }
  /// Learns that, of an update that tells its parts apart, the one with this sequence was applied to so many more
  /// rows.
  void count_part(uint32_t update, uint32_t sequence, uint64_t rows) {
    outputs_[update].part_rows[sequence - first_sequences_[update]] += rows;
  }
  void scan(uint32_t change);
  void keep_qualifying(uint32_t change, std::span<uint64_t> rows);
  void delete_all(uint32_t change, std::span<uint64_t> rows);
  void modify_all(uint32_t change, std::span<uint64_t> rows);

  const TableLayout* layout_;
  ChunkStore* store_;
  Sketches* sketches_;
  ChunkBounds bounds_;
  SlotAllocator slots_;
  uint64_t live_rows_ = 0;

  std::vector<std::shared_ptr<const std::string>> owners_;  ///< Keep what insertions point to.
  std::vector<UpdateOutput> outputs_;
  std::vector<uint32_t> first_sequences_;  ///< Holds the first sequence of each update's parts.
  std::vector<Insertion> insertions_;      ///< Sorted by slot's chunk, then sequence, when the sweep starts.
  size_t next_insertion_ = 0;
  ChangeList changes_;
  uint32_t next_sequence_ = 0;
  std::vector<uint32_t> reserved_;
  std::vector<Timestamp> prefixes_;  ///< By chunk: what it had when it was loaded. Empty once all have more than that.
  Timestamp highest_prefix_{};       ///< The highest prefix of these.
  /// By slot, a bit: a row of this cycle goes there. Empty once the segment has all that the loaded allocator knows.
  std::vector<uint64_t> recorded_slots_;

  uint32_t chunk_ = 0;  ///< Being swept, as are view_ and all that follow.
  ChunkView view_;
  uint32_t touches_ = 0;          ///< The last update that touched a row of it, counted from one; 0: none.
  uint32_t first_change_ = 0;     ///< Changes before it are in the chunk already.
  std::vector<Candidate> found_;  ///< By an index; by row, but first by the scan that comes next.
  size_t next_found_ = 0;
  std::vector<Candidate> deferred_;  ///< A heap, the first change on top: found again, for after a scan.
  std::vector<Candidate> merged_;    ///< The candidates of both that come before the next scan.
  std::vector<Candidate> kept_;      ///< Holds those of a batch that may match.
  std::vector<uint32_t> pending_;    ///< Changes yet to be applied to a row before the next scan, ascending.
  IndexScratch probe_;
  SelectionScratch scratch_;
  std::vector<uint64_t> selection_;
};

}  // namespace daedalus::engine
