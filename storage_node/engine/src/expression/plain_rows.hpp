// The plain evaluation of an expression for rows of a chunk, one at a time.
//
// Decides when what was computed is remembered: of one column of short values, as long as rows repeat them. A date's
// text is then made once a day, not once a row. What one row needed memory for lends it to the next: once it is warm,
// nothing is allocated per row.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "column_vector.hpp"
#include "daedalus/semantics/bound_expression.hpp"
#include "daedalus/semantics/spare_texts.hpp"
#include "deadline_check.hpp"

namespace daedalus::engine {

/// Holds what an expression over one column is for values of at most eight bytes that were there lately. All that a
/// process has take some seventy megabytes at most: kTablesMax of them have places, and these hold numbers and short
/// texts.
class RememberedValues {
 public:
  static constexpr uint32_t kTablesMax = 128;

  RememberedValues() = default;
  ~RememberedValues() { forget(); }
  RememberedValues(const RememberedValues&) = delete;
  RememberedValues& operator=(const RememberedValues&) = delete;

  /// Null: nobody knows.
  [[nodiscard]] const semantics::Value* find(uint64_t raw);
  void add(uint64_t raw, const semantics::Value& value);

 private:
  struct Entry {
    uint64_t raw = 0;
    bool is_known = false;
    semantics::Value value;
  };
  [[nodiscard]] Entry& entry_of(uint64_t raw);
  /// Makes places for values, unless enough others have some.
  void make_places();
  void forget();

  inline static std::atomic<uint32_t> tables_{0};  ///< That have places.
  std::vector<Entry> entries_;  ///< Empty: too few rows were asked for, or too few of them were known.
  uint32_t asked_ = 0;
  uint32_t found_ = 0;
  bool is_of_use_ = true;
};

class PlainRows {
 public:
  /// The layout outlives this object. Precondition: the expression is over columns of its schema, without aggregates.
  /// patience: outlives it, too; null: what is begun is ended.
  PlainRows(const TableLayout& layout, semantics::BoundExpression expression, DeadlineCheck* deadline_check);

  [[nodiscard]] const semantics::BoundExpression& expression() const { return expression_; }
  /// It stays until the next call. Null: that is the expression's error(), or that of patience that is over.
  [[nodiscard]] const semantics::Value* value(const ChunkView& chunk, uint32_t row);
  /// Returns the error of the last row that had one.
  [[nodiscard]] const Error& error() const { return error_; }

  /// Returns whether what these rows are for is given up: nothing need be computed for them.
  [[nodiscard]] bool is_over() const { return deadline_check_ != nullptr && deadline_check_->is_over(); }
  /// Precondition: is_over().
  [[nodiscard]] Error deadline_error() const { return deadline_check_->error(); }

 private:
  [[nodiscard]] const semantics::Value* compute(const ChunkView& chunk, uint32_t row);

  const TableLayout* layout_;
  semantics::BoundExpression expression_;
  DeadlineCheck* deadline_check_;
  std::vector<uint32_t> inputs_;
  std::vector<semantics::Value> row_;  ///< By number of the input.
  std::vector<uint8_t> bytes_;         ///< Holds the bytes of one value.
  semantics::SpareTexts texts_;
  semantics::Value made_;  ///< The value of the last row.
  Error error_;
  bool may_remember_ = false;  ///< One input, of short values.
  RememberedValues remembered_;
};

}  // namespace daedalus::engine
