// The first rows under an ORDER BY with a LIMIT, kept as slots while the sweep goes on.
//
// Decides which rows stay. Whole batches of rows are held against the code of the last row that may still stay, by a
// vector kernel; survivors gather in a buffer, and when it is full all but the first ones are dropped. So a row costs a
// fraction of a ns where most do not stay, and a few comparisons where every row does. Relies on rows not changing
// between the moment a sweep passes them and the end of the cycle.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "answer_memory.hpp"
#include "chunk_store.hpp"
#include "codes.hpp"
#include "daedalus/semantics/answer.hpp"

namespace daedalus::engine {

class TopRows {
 public:
  /// Keeps the first `rows_max` rows, at least one, and ties of the last one where the selection wants them.
  /// Precondition: the selection is ordered and not aggregated. `memory` outlives this object, which asks it before it
  /// keeps more rows.
  TopRows(const TableLayout& layout, const ChunkStore& store, const semantics::Selection& selection, uint32_t rows_max,
          AnswerMemory& memory);

  /// Takes rows of one chunk, ascending; chunks ascend too. False when there is no memory for them: rows are missing
  /// then, for good. Cost: a few ns a row.
  [[nodiscard]] bool take(uint32_t chunk, const uint32_t* rows, uint32_t row_count);

  /// Does the same for the rows that a bitmap marks. Cost: one pass over the first key's column where few rows stay.
  [[nodiscard]] bool take_selection(uint32_t chunk, const uint64_t* selection);

  /// Marks the rows of a chunk that stay as far as is known.
  void mark_held(uint32_t chunk, std::span<uint64_t> rows);

  /// The slots that stayed, ascending. Rows equal under the order stay by slot, lowest first. Ends this object's use.
  [[nodiscard]] std::vector<uint32_t> finish();

 private:
  struct Key {
    uint32_t column = 0;
    semantics::SortOrder order;
  };

  /// Says where a row stands by its first key: lower comes first. Equal ranks leave it to the value and the other keys.
  struct Rank {
    enum class Level : uint8_t { kNullFirst, kValue, kNullLast };

    Level level = Level::kValue;
    uint64_t code = 0;  ///< The code of the value, turned round for a descending key; 0 for NULL.

    friend auto operator<=>(const Rank&, const Rank&) = default;
  };
  struct Candidate {
    Rank rank;
    uint32_t slot = 0;
  };

  [[nodiscard]] Rank rank_of(const ChunkView& chunk, uint32_t row) const;
  /// Below zero, zero or above it, by so many of the keys.
  [[nodiscard]] int compare(const Candidate& left, const Candidate& right, size_t key_count) const;
  [[nodiscard]] bool is_before(const Candidate& left, const Candidate& right) const;
  /// Returns whether a row of this rank that lies behind all rows taken may stay.
  [[nodiscard]] bool may_stay(const Rank& rank) const {
    return !has_bound_ || rank < bound_ || (rank == bound_ && !is_rank_all_);
  }
  /// The codes of values that may stay. Precondition: there is a bound.
  [[nodiscard]] CodeRange codes_to_stay() const;
  void take_row(uint32_t chunk, const ChunkView& view, uint32_t row);
  void mark_block(const ChunkView& view, uint32_t first_word, uint32_t word_count, const uint64_t* selection,
                  uint64_t* marks) const;
  void drop_last();
  /// Room for more candidates, as far as there is memory.
  [[nodiscard]] bool grow();

  const TableLayout* layout_;
  const ChunkStore* store_;
  std::vector<Key> keys_;
  bool is_rank_all_;  ///< Rows of one rank are equal under the order, and the first of them are enough.
  uint32_t rows_max_;
  size_t candidates_max_;
  uint32_t ties_by_ = 0;
  MemoryShare memory_;
  std::vector<Candidate> candidates_;
  bool is_out_of_memory_ = false;
  bool has_bound_ = false;
  Rank bound_;  ///< The rank of the last of rows_max_ rows taken so far, or of some time ago.
};

}  // namespace daedalus::engine
