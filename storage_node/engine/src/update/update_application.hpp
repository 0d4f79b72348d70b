// The changes of one cycle on their way over the chunks.
//
// Decides the order in which they are applied to each row. What one row becomes does not depend on another, so a
// chunk's rows are taken one after the other, each with all changes that ask for it, in their order; only a change that
// no index finds rows for takes the chunk as a whole, after all that come before it and before all that come after. A
// row that an update of the same cycle made, or gave another key, is looked up again, so that every change sees exactly
// what those before it left. Before a row changes, the window is told. Refuses to know how updates were admitted.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "admitted_updates.hpp"
#include "change_list.hpp"
#include "chunk_bounds.hpp"
#include "slot_allocator.hpp"
#include "update_replay.hpp"
#include "window.hpp"

namespace daedalus::engine {

class UpdateApplication {
 public:
  /// All outlive this object.
  UpdateApplication(const TableLayout& layout, ChunkStore& store, Sketches& sketches, SlotAllocator& slots,
                    const UpdateReplay& replay, ChangeList& changes, AdmittedUpdates& admitted, Window& window);

  /// Plans for what was admitted.
  void begin();
  /// The next chunk at or after `chunk` that something admitted may touch; chunk_count() when there is none.
  [[nodiscard]] uint32_t next_chunk(uint32_t chunk) const;
  void sweep(uint32_t chunk);
  /// Every chunk has been swept.
  void end();

  /// Live rows of the segment.
  [[nodiscard]] uint64_t live_rows() const { return live_rows_; }
  /// See UpdateSweep::bounds().
  [[nodiscard]] const ChunkBounds& bounds() const { return bounds_; }
  /// See UpdateSweep::on_load().
  void on_load(uint32_t chunk);

 private:
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

  void leave_out_known(Timestamp has);
  void find_candidates();
  [[nodiscard]] bool has_insertion_before(uint32_t end) const;
  void apply_until(uint32_t end);
  void apply_candidates(std::span<const Candidate> candidates, uint32_t end);
  void apply_batch(std::span<const Candidate> candidates, uint32_t end);
  void insert(const Insertion& insertion, uint32_t end);
  void apply_pending(uint32_t row, uint32_t end);
  void apply_change(uint32_t change, uint32_t row);
  void delete_row(uint32_t change, uint32_t row);
  /// Says whether the window has what is in the row already.
  enum class Recorded : bool { kNo, kYes };
  void modify_row(uint32_t change, uint32_t row, Recorded recorded);
  void count_applied(const Change& change, uint32_t number);
  /// The columns that a modification writes. Borrowed: until the next call.
  [[nodiscard]] std::span<const uint32_t> columns_of(const Change& change);
  /// Returns whether a row that matches is to be changed, which what is computed of the condition decides. One that
  /// this fails on is counted.
  [[nodiscard]] bool qualifies(uint32_t change, uint32_t row);
  void look_up_again(uint32_t row, uint32_t first_change, uint32_t end);
  void add_pending(uint32_t change);
  void note_touch(uint32_t update) { touches_ = std::max(touches_, update + 1); }
  void scan(uint32_t change);
  void keep_qualifying(uint32_t change, std::span<uint64_t> rows);
  void delete_all(uint32_t change, std::span<uint64_t> rows);
  void modify_all(uint32_t change, std::span<uint64_t> rows);

  const TableLayout* layout_;
  ChunkStore* store_;
  Sketches* sketches_;
  SlotAllocator* slots_;
  const UpdateReplay* replay_;
  ChangeList* changes_;
  AdmittedUpdates* admitted_;
  Window* window_;
  ChunkBounds bounds_;
  uint64_t live_rows_ = 0;
  size_t next_insertion_ = 0;

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
  std::vector<uint32_t> columns_;    ///< columns_of() returns them.
  IndexScratch probe_;
  SelectionScratch scratch_;
  std::vector<uint64_t> selection_;
};

}  // namespace daedalus::engine
