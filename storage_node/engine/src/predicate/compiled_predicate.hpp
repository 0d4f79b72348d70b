// A predicate made ready for the planes of one table: constants in native form, ranges over one column joined.
//
// Clauses are disjunctions of literals; a tree is one clause more, the last one, whose literals are the tree's leaves:
// a row that satisfies it satisfies one of them, but not the other way round.
//
// Decides which rows of a chunk qualify, by whole columns or row by row. Refuses to know who asks. Built once per
// operation and cycle, in memory that the cycle hands out.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <vector>

#include "compiled_literal.hpp"
#include "compiled_tree.hpp"

namespace daedalus::engine {

/// A disjunction, or a tree: literals first to first + count - 1 of its predicate.
struct CompiledClause {
  uint32_t first = 0;
  uint32_t count = 0;
  bool is_tree = false;
  bool is_implied = false;  ///< Whoever satisfies the predicate's tree satisfies it.
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
  /// A hash that equal conditions have in common. Cost: some ns a literal.
  [[nodiscard]] uint64_t fingerprint() const;

  /// See engine::member_count().
  [[nodiscard]] uint32_t member_count(const CompiledLiteral& literal) const {
    return engine::member_count(layout_->columns[literal.column], literal);
  }
  /// See member_of().
  [[nodiscard]] CodedValue member(const CompiledLiteral& literal, uint32_t number) const {
    return member_of(layout_->columns[literal.column], literal, constants_.data(), number);
  }

  [[nodiscard]] uint32_t literal_count() const { return static_cast<uint32_t>(literals_.size()); }
  /// Literals of clauses with more than one, and of the tree: what a row may be compared with one by one.
  [[nodiscard]] uint32_t joined_literals() const { return joined_literals_; }

  /// Constants of the clause that has the most, each member of a list counting: so many values an operation asks
  /// indexes for, at most, but for combinations with values named beside them.
  [[nodiscard]] uint32_t clause_constants_max() const { return clause_constants_max_; }

  /// Returns whether a row satisfies one clause. Cost: a few ns a literal.
  [[nodiscard]] bool clause_matches(uint32_t clause, const ChunkView& chunk, uint32_t row) const;
  /// Returns whether a row qualifies.
  [[nodiscard]] bool matches(const ChunkView& chunk, uint32_t row) const;

  /// Marks the live rows that qualify. `selection` has chunk.word_count() words. Cost: a pass over each column that a
  /// clause names, or over its sketch, until few rows are left; those are then tested one by one.
  void select(const ChunkView& chunk, SelectionScratch& scratch, uint64_t* selection,
              ChunkSketches sketches = {}) const;

 private:
  void add_clause(const semantics::Clause& clause);
  void add_tree(const semantics::Condition& tree);
  void mark_implied(const semantics::Condition& tree);
  void sort_clauses();
  [[nodiscard]] bool join_range();

  const TableLayout* layout_;
  std::pmr::vector<CompiledLiteral> literals_;
  std::pmr::vector<CompiledClause> clauses_;
  NativeBytes constants_;
  std::unique_ptr<CompiledTree> tree_;  ///< Null: none. Else its leaves are the last clause.
  uint32_t joined_literals_ = 0;
  uint32_t clause_constants_max_ = 0;
  bool never_ = false;
};

}  // namespace daedalus::engine
