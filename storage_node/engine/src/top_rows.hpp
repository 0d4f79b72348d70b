// The first rows under an ORDER BY with a LIMIT, kept as slots while the sweep goes on.
//
// Decides which rows stay. Relies on rows not changing between the moment a sweep passes them and the end of the cycle.
#pragma once

#include <cstdint>
#include <vector>

#include "chunk_store.hpp"
#include "daedalus/semantics/answer.hpp"

namespace daedalus::engine {

class TopRows {
 public:
  /// Keeps the first `rows_max` rows, at least one. Precondition: the selection is not aggregated.
  TopRows(const TableLayout& layout, const ChunkStore& store, const semantics::Selection& selection, uint32_t rows_max);

  /// Takes one row. Cost: a comparison; log2(rows_max) of them when it stays.
  void take(uint32_t slot);

  /// The slots that stayed, ascending. Rows equal under the order stay by slot, lowest first.
  [[nodiscard]] std::vector<uint32_t> finish();

 private:
  struct Key {
    uint32_t column = 0;
    semantics::SortOrder order;
  };

  [[nodiscard]] bool is_before(uint32_t left, uint32_t right) const;

  const TableLayout* layout_;
  const ChunkStore* store_;
  std::vector<Key> keys_;
  uint32_t rows_max_;
  std::vector<uint32_t> heap_;  ///< The last of them in order on top.
};

}  // namespace daedalus::engine
