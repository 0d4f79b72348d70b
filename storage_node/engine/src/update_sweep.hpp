// The updates of one cycle on their way over the chunks: inserts, modifications and deletes in the order of their
// timestamps.
//
// Decides the order in which they meet each row. A part that names equalities is found through an index over parts,
// like a query; a row that an earlier part of the same cycle made or changed is looked up again, so that every part
// sees exactly what those before it left. Refuses to know queries.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <vector>

#include "chunk_bounds.hpp"
#include "daedalus/engine/segment.hpp"
#include "key_choice.hpp"
#include "key_index.hpp"
#include "row_changes.hpp"
#include "row_test.hpp"
#include "sketches.hpp"
#include "slot_allocator.hpp"

namespace daedalus::engine {

class UpdateSweep {
 public:
  /// memory: what parts are compiled into; given back by end().
  UpdateSweep(const TableLayout& layout, ChunkStore& store, Sketches& sketches, std::pmr::memory_resource& memory,
              AccessPaths paths);

  /// Admits an update and reserves the slots of its inserts: room that its own deletes make is for later updates.
  /// False, and `update` untouched, when it has to wait for the next cycle. Never false for a cycle's first update.
  [[nodiscard]] bool admit(Update& update);
  [[nodiscard]] uint32_t count() const { return static_cast<uint32_t>(outputs_.size()); }

  /// Plans for what was admitted.
  void begin();

  /// The next chunk at or after `chunk` that something admitted may touch; chunk_count() when there is none.
  [[nodiscard]] uint32_t next_chunk(uint32_t chunk) const;
  void sweep(uint32_t chunk);

  /// By timestamp, complete after the sweep.
  [[nodiscard]] const std::vector<UpdateOutput>& outputs() const { return outputs_; }
  void end();

  /// Live rows of the segment.
  [[nodiscard]] uint64_t live_rows() const { return live_rows_; }

 private:
  /// A row on its way into its slot.
  struct Insertion {
    uint32_t slot = 0;
    uint32_t sequence = 0;
    uint32_t update = 0;
    std::string_view row;
  };

  /// A part that has to meet every row: a modification or, without one, a delete.
  struct Change {
    uint32_t sequence = 0;
    uint32_t update = 0;
    CompiledPredicate predicate;
    std::optional<CompiledModification> modification;
    uint32_t first_test = 0;  ///< In tests_, one a clause.
    bool touches_keys = false;
  };

  /// A change that may touch a row, ordered as changes are.
  struct Meeting {
    uint32_t change = 0;
    uint32_t row = 0;

    friend auto operator<=>(const Meeting&, const Meeting&) = default;
  };

  void admit_part(const InsertRows& part, std::span<const uint32_t>& slots);
  void admit_part(const std::shared_ptr<const semantics::ModifyPart>& part, std::span<const uint32_t>& slots);
  void admit_part(const std::shared_ptr<const semantics::DeletePart>& part, std::span<const uint32_t>& slots);
  void add_change(const semantics::Predicate& predicate, std::optional<CompiledModification> modification);
  void index_changes();
  void find_meetings(uint32_t chunk);
  void insert(const Insertion& insertion);
  void scan(uint32_t change, uint32_t chunk);
  void meet(uint32_t change, uint32_t chunk);
  void apply(uint32_t change, uint32_t chunk, uint32_t row);
  void look_up_again(uint32_t chunk, uint32_t row, uint32_t first_change);
  [[nodiscard]] uint32_t first_change_after(uint32_t sequence) const;
  void fetch_ahead(const ChunkView& view, size_t meeting) const;

  const TableLayout* layout_;
  ChunkStore* store_;
  Sketches* sketches_;
  ChunkBounds bounds_;
  std::pmr::memory_resource* memory_;
  AccessPaths paths_;
  SlotAllocator slots_;
  uint64_t live_rows_ = 0;

  std::vector<Update> updates_;  ///< Keeps what insertions point to.
  std::vector<UpdateOutput> outputs_;
  std::vector<Insertion> insertions_;  ///< Sorted by slot's chunk, then sequence, when the sweep starts.
  size_t next_insertion_ = 0;
  std::vector<Change> changes_;  ///< By sequence.
  uint32_t next_sequence_ = 0;
  std::vector<KeyIndex> indexes_;
  std::vector<uint32_t> scans_;  ///< Changes that no index finds rows for.
  std::vector<RowTest> tests_;
  std::vector<bool> is_key_;  ///< By column: part of some index.

  std::vector<uint32_t> reserved_;
  std::vector<Meeting> found_;  ///< In this chunk, by an index, in order.
  size_t next_found_ = 0;
  std::vector<Meeting> late_;  ///< A heap, the first on top: found again after a row was written.
  std::vector<uint32_t> meeting_rows_;
  ProbeScratch probe_;
  SelectionScratch scratch_;
  std::vector<uint64_t> selection_;
};

}  // namespace daedalus::engine
