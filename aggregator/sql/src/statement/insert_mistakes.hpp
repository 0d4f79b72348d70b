// Which of several mistakes of an INSERT is told: the one that PostgreSQL meets first.
#pragma once

#include <optional>
#include <vector>

#include "grammar.hpp"
#include "scope.hpp"

namespace daedalus::aggregator::sql {

/// The mistake in one value of an INSERT, and which value that is.
struct InsertMistake {
  size_t row = 0;
  uint32_t column = 0;
  const grammar::Node* node = nullptr;
  Error error;
};

/// The mistake that is told, and how many rows were written before it was met.
struct FirstMistake {
  Error error;
  size_t rows_before = 0;
};

/// PostgreSQL reads all of a statement; then its planner computes what is constant, of one row's values in the order of
/// the table's columns and then of RETURNING, of several rows' as they are written and behind RETURNING; then each row
/// is computed, and then asked for NULLs where there may be none.
/// `met`: not empty, in the order in which values are written. `of_returning`: what is wrong with it whatever the rows.
[[nodiscard]] FirstMistake first_mistake(Scope& scope, const std::vector<InsertMistake>& met, bool is_one_row,
                                         const std::optional<Error>& of_returning);

}  // namespace daedalus::aggregator::sql
