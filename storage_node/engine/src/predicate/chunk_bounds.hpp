// The lowest and highest value of clustered columns in each chunk: a purge of old days passes by the chunks that hold
// none, and takes whole chunks that hold nothing else; a question about the last hour is asked of the last chunks.
//
// Decides which chunks an operation need not look at, or may take without looking. Columns that values tend to arrive
// in the order of are tracked: dates, timestamps and integers of four bytes and more. Bounds only widen while a chunk
// holds rows, but for ranges that were deleted: a row that went or changed otherwise still counts, which costs a look
// and never an answer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "chunk_store.hpp"
#include "compiled_predicate.hpp"

namespace daedalus::engine {

/// How many of a chunk's live rows satisfy a predicate, as far as bounds tell.
enum class Reach : uint8_t { kNone, kSome, kAll };

class ChunkBounds {
 public:
  ChunkBounds(const TableLayout& layout, const ChunkStore& store);

  /// A live row got another value in one column.
  void on_write(uint32_t chunk, uint32_t row, uint32_t column);
  /// A row became live.
  void on_insert(uint32_t chunk, uint32_t row);
  /// The rows of the chunk were loaded.
  void on_load(uint32_t chunk);
  /// No live row of the chunk satisfies the predicate any more. Of use where it is a range over one column: what is
  /// left of the chunk lies beyond it, so that the next purge passes by.
  void on_delete_all(uint32_t chunk, const CompiledPredicate& predicate);

  /// Which columns' bounds are narrow: in a chunk that holds rows at most a quarter of what they span in all of them,
  /// on average. Cost: of a glance at all bounds.
  [[nodiscard]] std::vector<bool> clustered() const;

  /// Returns what bounds say about a chunk and a predicate. Cost: a few ns a literal.
  [[nodiscard]] Reach reach(uint32_t chunk, const CompiledPredicate& predicate) const;

 private:
  static constexpr uint32_t kUntracked = UINT32_MAX;

  struct Bounds {
    CodeRange codes{UINT64_MAX, 0};  ///< Holds the codes of values that are not NULL.
    bool may_hold_null = false;
  };

  [[nodiscard]] const Bounds& bounds(uint32_t chunk, uint32_t column) const {
    return bounds_[chunk * tracked_.size() + place_[column]];
  }
  [[nodiscard]] Reach reach(uint32_t chunk, const CompiledLiteral& literal) const;

  const TableLayout* layout_;
  const ChunkStore* store_;
  std::vector<uint32_t> place_;    ///< By column: its number among those tracked.
  std::vector<uint32_t> tracked_;  ///< The other way round.
  std::vector<Bounds> bounds_;     ///< chunk · tracked columns + number.
};

}  // namespace daedalus::engine
