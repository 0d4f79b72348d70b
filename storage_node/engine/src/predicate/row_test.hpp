// One clause of a predicate as it is tested on single rows: a few instructions for what a range of codes decides.
#pragma once

#include <cstdint>

#include "compiled_predicate.hpp"

namespace daedalus::engine {

/// Small: those of thousands of queries, tested in turn, stay in the second-level cache.
struct RowTest {
  uint64_t low = 0;
  uint64_t span = 0;  ///< Passes: code − low <= span, unsigned.
  uint16_t column = 0;
  uint16_t clause = 0;
  bool negated = false;
  bool is_general = false;  ///< Not decided by codes: ask the predicate.
};
static_assert(semantics::kColumnsMax <= UINT16_MAX && semantics::kClausesMax <= UINT16_MAX);

[[nodiscard]] inline RowTest row_test(const CompiledPredicate& predicate, uint32_t clause) {
  const std::span<const CompiledLiteral> literals = predicate.literals(predicate.clauses()[clause]);
  const CompiledLiteral& literal = literals[0];
  return {.low = literal.codes.low,
          .span = literal.codes.high - literal.codes.low,
          .column = static_cast<uint16_t>(literal.column),
          .clause = static_cast<uint16_t>(clause),
          .negated = literal.negated,
          .is_general = literals.size() > 1 || literal.kind != CompiledLiteral::Kind::kRange};
}

/// Returns where the test will look: fetch it some rows ahead.
[[nodiscard]] inline const uint8_t* tested_value(const TableLayout& layout, const RowTest& test, const ChunkView& chunk,
                                                 uint32_t row) {
  return chunk.planes[test.column] + size_t{row} * layout.columns[test.column].stride;
}

/// Returns whether the row satisfies the clause.
[[nodiscard]] inline bool passes(const TableLayout& layout, const RowTest& test, const CompiledPredicate& predicate,
                                 const ChunkView& chunk, uint32_t row) {
  if (test.is_general) {
    return predicate.clause_matches(test.clause, chunk, row);
  }
  const ColumnLayout& column = layout.columns[test.column];
  const uint64_t raw = load<uint64_t>(chunk.planes[test.column] + size_t{row} * column.stride + column.code.offset);
  const bool within = code_of_raw(column.code, raw) - test.low <= test.span;
  // NULL leaves zeros in its plane: only where there are zeros is it worth a look into the bitmap.
  if (column.nullable && (raw << column.code.shift) == 0 && test_bit(chunk.nulls[test.column], row)) {
    return false;
  }
  return within != test.negated;
}

}  // namespace daedalus::engine
