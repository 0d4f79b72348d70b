// A predicate made ready for the planes of one table: constants in native form, clauses in a good order.
//
// Decides which rows of a chunk qualify, by whole columns or row by row. Refuses to know who asks. Built once per
// operation and cycle.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "chunk_store.hpp"
#include "daedalus/semantics/predicate.hpp"
#include "kernels_compare.hpp"

namespace daedalus::engine {

/// One comparison of one column that can be true for some value and false (or NULL) for another.
struct CompiledLiteral {
  enum class Kind : uint8_t { kCompare, kIn, kStartsWith, kIsNull, kIsNotNull };

  Kind kind = Kind::kIsNull;
  bool negated = false;  ///< kIn, kStartsWith: true for values that do not.
  CompareOp op = CompareOp::kEqual;
  uint32_t column = 0;
  uint32_t constant_count = 0;
  uint32_t blank_count = 0;  ///< kStartsWith: trailing blanks of the prefix that char(n)'s padding may stand for.
  std::vector<uint8_t>
      constants;  ///< Native, one after the other, ascending; for kStartsWith the prefix without blanks.

  /// True only for values equal to one of `constants`: an index over such values finds the operation.
  [[nodiscard]] bool is_equality() const {
    return !negated && (kind == Kind::kIn || (kind == Kind::kCompare && op == CompareOp::kEqual));
  }
};

using CompiledClause = std::vector<CompiledLiteral>;

/// Room for the intermediate bitmaps of one chunk; reused from chunk to chunk.
class SelectionScratch {
 public:
  explicit SelectionScratch(uint32_t chunk_rows)
      : clause(bitmap_words(chunk_rows)), literal(bitmap_words(chunk_rows)) {}

  std::vector<uint64_t> clause;
  std::vector<uint64_t> literal;
};

class CompiledPredicate {
 public:
  /// Precondition: the predicate was normalised against the layout's schema.
  CompiledPredicate(const TableLayout& layout, const semantics::Predicate& predicate);

  /// No row can qualify.
  [[nodiscard]] bool is_never() const { return never_; }

  [[nodiscard]] const std::vector<CompiledClause>& clauses() const { return clauses_; }

  /// Whether a row qualifies; the clause numbered `known_true`, if any, is taken for granted. Cost: a few ns a literal.
  [[nodiscard]] bool matches(const ChunkView& chunk, uint32_t row, std::optional<uint32_t> known_true) const;

  /// Marks the live rows that qualify. `selection` has chunk.word_count() words. Cost: a pass over each column that a
  /// clause names, until few rows are left; those are then tested one by one.
  void select(const ChunkView& chunk, SelectionScratch& scratch, uint64_t* selection) const;

 private:
  const TableLayout* layout_;
  std::vector<CompiledClause> clauses_;
  bool never_ = false;
};

}  // namespace daedalus::engine
