// One clause of a predicate as it is tested on single rows: a few instructions for what a range of codes decides.
#pragma once

#include <cstdint>

#include "compiled_predicate.hpp"

namespace daedalus::engine {

struct RowTest {
  uint64_t low = 0;
  uint64_t span = 0;  ///< Passes: code − low <= span, unsigned.
  CodeRule rule;
  uint32_t column = 0;
  uint32_t width = 0;
  uint32_t clause = 0;
  bool negated = false;
  bool nullable = false;
  bool is_general = false;  ///< Not decided by codes: ask the predicate.
};

[[nodiscard]] inline RowTest row_test(const TableLayout& layout, const CompiledPredicate& predicate, uint32_t clause) {
  const std::span<const CompiledLiteral> literals = predicate.literals(predicate.clauses()[clause]);
  const CompiledLiteral& literal = literals[0];
  const ColumnLayout& column = layout.columns[literal.column];
  return {.low = literal.codes.low,
          .span = literal.codes.high - literal.codes.low,
          .rule = code_rule(column),
          .column = literal.column,
          .width = column.width,
          .clause = clause,
          .negated = literal.negated,
          .nullable = column.nullable,
          .is_general = literals.size() > 1 || literal.kind != CompiledLiteral::Kind::kRange};
}

/// Where the test will look: prefetch it some rows ahead.
[[nodiscard]] inline const uint8_t* tested_value(const RowTest& test, const ChunkView& chunk, uint32_t row) {
  return chunk.planes[test.column] + size_t{row} * test.width;
}

/// Whether the row satisfies the clause.
[[nodiscard]] inline bool passes(const RowTest& test, const CompiledPredicate& predicate, const ChunkView& chunk,
                                 uint32_t row) {
  if (test.is_general) {
    return predicate.clause_matches(test.clause, chunk, row);
  }
  const uint64_t raw = load<uint64_t>(tested_value(test, chunk, row) + test.rule.offset);
  const bool within = code_of_raw(test.rule, raw) - test.low <= test.span;
  // NULL leaves zeros in its plane: only where there are zeros is it worth a look into the bitmap.
  if (test.nullable && (raw << test.rule.shift) == 0 && test_bit(chunk.nulls[test.column], row)) {
    return false;
  }
  return within != test.negated;
}

}  // namespace daedalus::engine
