// The first rows under an ORDER BY of which some key is computed, kept as slots while the sweep goes on.
//
// Decides which rows stay, by the plain order of their keys' values. TopRows is faster where all keys are columns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "answer_memory.hpp"
#include "daedalus/semantics/answer.hpp"
#include "deadline_check.hpp"
#include "expression_column.hpp"

namespace daedalus::engine {

class ComputedTopRows {
 public:
  /// Keeps the first `rows_max` rows, at least one, and ties of the last one where the selection wants them.
  /// Precondition: the selection is ordered and not aggregated. `memory` outlives this object, which asks it before it
  /// keeps more rows, as does `patience`, which is that of who computes the keys.
  ComputedTopRows(const TableLayout& layout, const ChunkStore& store, const semantics::Selection& selection,
                  uint32_t rows_max, AnswerMemory& memory, DeadlineCheck& deadline_check);

  /// Takes rows of one chunk, ascending; chunks ascend too. Errors: those of the keys; 53200 no memory for more.
  [[nodiscard]] Result<void> take(uint32_t chunk, const uint32_t* rows, uint32_t row_count);

  /// Marks the rows of a chunk that stay as far as is known.
  void mark_held(uint32_t chunk, std::span<uint64_t> rows);

  /// The slots that stayed, ascending. Rows equal under the order stay by slot, lowest first. Ends this object's use.
  [[nodiscard]] std::vector<uint32_t> finish();

 private:
  struct Key {
    ColumnSource source;
    semantics::SortOrder order;
    VectorRoom room = {};
  };
  struct Candidate {
    std::vector<semantics::Value> keys;
    uint32_t slot = 0;
  };

  /// Below zero, zero or above it, by so many of the keys.
  [[nodiscard]] int compare(const Candidate& left, const Candidate& right, size_t key_count) const;
  [[nodiscard]] bool is_before(const Candidate& left, const Candidate& right) const;
  [[nodiscard]] Result<void> take_batch(uint32_t chunk, const RowBatch& batch);
  void drop_last();

  const ChunkStore* store_;
  std::vector<Key> keys_;
  uint32_t rows_max_;
  size_t candidates_max_;
  uint32_t ties_by_;
  uint64_t candidate_bytes_;  ///< Counts the bytes of one, its longest values included.
  AnswerMemory* answer_memory_;
  MemoryShare memory_;
  std::vector<Candidate> candidates_;
  std::vector<uint8_t> bytes_;
};

}  // namespace daedalus::engine
