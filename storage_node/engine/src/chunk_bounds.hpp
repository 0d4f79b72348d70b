// The lowest and highest value of date and timestamp columns in each chunk: a purge of old days passes by the chunks
// that hold none.
//
// Decides which chunks a part of an update need not look at. Bounds only widen while a chunk holds rows: a row that was
// deleted or changed still counts, which costs a look and never an answer.
#pragma once

#include <cstdint>
#include <vector>

#include "chunk_store.hpp"
#include "compiled_predicate.hpp"

namespace daedalus::engine {

class ChunkBounds {
 public:
  ChunkBounds(const TableLayout& layout, const ChunkStore& store);

  /// A live row got another value in one column.
  void on_write(uint32_t chunk, uint32_t row, uint32_t column);
  /// A row became live.
  void on_insert(uint32_t chunk, uint32_t row);

  /// False: no live row of the chunk can satisfy the predicate.
  [[nodiscard]] bool may_match(uint32_t chunk, const CompiledPredicate& predicate) const;

 private:
  static constexpr uint32_t kUntracked = UINT32_MAX;

  [[nodiscard]] bool may_match(uint32_t chunk, const CompiledLiteral& literal) const;

  const TableLayout* layout_;
  const ChunkStore* store_;
  std::vector<uint32_t> place_;    ///< By column: its number among those tracked.
  std::vector<uint32_t> tracked_;  ///< The other way round.
  std::vector<CodeRange> bounds_;  ///< chunk · tracked columns + number; of values that are not NULL.
};

}  // namespace daedalus::engine
