// A predicate made ready for the planes of one table: constants in native form, ranges over one column joined.
//
// Decides which rows of a chunk qualify, by whole columns or row by row. Refuses to know who asks. Built once per
// operation and cycle, in memory that the cycle hands out.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <vector>

#include "compiled_literal.hpp"

namespace daedalus::engine {

/// A disjunction: literals first to first + count - 1 of its predicate.
struct CompiledClause {
  uint32_t first = 0;
  uint32_t count = 0;
};

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
  /// Precondition: the predicate was normalised against the layout's schema. `memory` outlives this object.
  CompiledPredicate(const TableLayout& layout, const semantics::Predicate& predicate,
                    std::pmr::memory_resource* memory = std::pmr::get_default_resource());

  /// No row can qualify.
  [[nodiscard]] bool is_never() const { return never_; }

  [[nodiscard]] std::span<const CompiledClause> clauses() const { return clauses_; }
  [[nodiscard]] std::span<const CompiledLiteral> literals(const CompiledClause& clause) const {
    return std::span(literals_).subspan(clause.first, clause.count);
  }
  [[nodiscard]] const uint8_t* constants() const { return constants_.data(); }

  /// See member_of().
  [[nodiscard]] CodedValue member(const CompiledLiteral& literal, uint32_t number) const {
    return member_of(layout_->columns[literal.column], literal, constants_.data(), number);
  }

  /// Whether a row satisfies one clause. Cost: a few ns a literal.
  [[nodiscard]] bool clause_matches(uint32_t clause, const ChunkView& chunk, uint32_t row) const;
  /// Whether a row qualifies.
  [[nodiscard]] bool matches(const ChunkView& chunk, uint32_t row) const;

  /// Marks the live rows that qualify. `selection` has chunk.word_count() words. Cost: a pass over each column that a
  /// clause names, until few rows are left; those are then tested one by one.
  void select(const ChunkView& chunk, SelectionScratch& scratch, uint64_t* selection) const;

 private:
  void add_clause(const semantics::Clause& clause);
  [[nodiscard]] bool join_range();

  const TableLayout* layout_;
  std::pmr::vector<CompiledLiteral> literals_;
  std::pmr::vector<CompiledClause> clauses_;
  NativeBytes constants_;
  bool never_ = false;
};

}  // namespace daedalus::engine
