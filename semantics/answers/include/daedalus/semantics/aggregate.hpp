// Aggregates are added up here: mergeable states, and PostgreSQL's final values of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/semantics/aggregate_function.hpp"
#include "daedalus/semantics/floating_moments.hpp"
#include "daedalus/semantics/floating_sum.hpp"
#include "daedalus/semantics/types.hpp"

namespace daedalus::semantics {

/// Columns of the partial state (docs/wire.md); none of what is made in an order, and of GROUPING(). Precondition:
/// aggregate_type() accepted it.
[[nodiscard]] std::vector<Type> partial_types(AggregateFunction function, const Type& argument);

/// One aggregate's running state over values of one argument type.
class AggregateState {
 public:
  AggregateState(AggregateFunction function, const Type& argument);

  /// Takes one row's argument (ignored for kCountRows).
  void add(const Value& argument);
  /// string_agg appends the text, behind the one that stands between texts unless it is the first; NULL is nothing.
  void append(const Value& text, const Value& between);
  /// Tells a percentile that so many rows of this value are to come in order; NULL is nothing.
  void expect(const Value& value, int64_t rows);
  /// Takes the next rows of an ordered set, all of one value; NULL is nothing. `fraction`: of a
  /// percentile, whose rows have all been expected. Errors: 22003 it is not between 0 and 1, 22008 an interval between
  /// two of them is out of range.
  [[nodiscard]] Result<void> take_in_order(const Value& value, const Value& fraction, int64_t rows);
  /// Takes another state's partial columns. States may be merged in any order, but for what shows which zero came last:
  /// extremes.
  void merge(std::span<const Value> partial);

  [[nodiscard]] std::vector<Value> partial() const;
  /// Errors: 22003 when a bigint sum overflows ("bigint out of range"), or the sum of finite floating values does
  /// ("value out of range: overflow"), also on its way to an average, or their squares on the way to a variance, or a
  /// numeric's squares have too many digits; 54000 a text of string_agg is too long. Of equal extremes (0.0 and −0.0)
  /// the last counts.
  [[nodiscard]] Result<Value> finish() const;

 private:
  void merge_sum(std::span<const Value> partial);
  [[nodiscard]] std::vector<Value> partial_sum() const;
  void add_spread(const Value& argument);
  void merge_spread(std::span<const Value> partial);
  [[nodiscard]] std::vector<Value> partial_spread() const;
  [[nodiscard]] Result<void> take_for_percentile(const Value& value, double fraction, int64_t rows);
  void take_for_mode(const Value& value, int64_t rows);
  [[nodiscard]] Result<Value> finish_sum() const;
  [[nodiscard]] Result<Value> finish_average() const;
  [[nodiscard]] Result<Value> finish_spread() const;

  AggregateFunction function_;
  AggregateStateKind kind_;
  Type argument_;
  int64_t count_ = 0;   ///< A percentile counts all its rows, mode() those of the value that has most.
  int64_t passed_ = 0;  ///< A percentile counts the rows so far, mode() those of the value that came last.
  Value value_;         ///< Exact sum, extreme, what bits or truths come to; NULL before the first value.
  Value
      squares_;  ///< A spread's exact sum of squares, or NULL where that has too many digits; the last value of mode().
  FloatingSum floating_;              ///< It adds up floating values.
  FloatingSquares floating_squares_;  ///< It adds up their squares for a spread.
};

/// numeric division with the scale PostgreSQL's avg() chooses (numeric.c, select_div_scale). count > 0.
[[nodiscard]] Decimal average(const Decimal& sum, int64_t count);

}  // namespace daedalus::semantics
