// Questions and updates of the simulated application, in the words it asked in. The judge goes by these: whatever
// became of them on their way through bodies, normal forms and routes is what is being judged.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "daedalus/semantics/aggregate.hpp"
#include "daedalus/semantics/expression.hpp"

namespace daedalus::testing {

/// The table's id, a bigint, its amount, an int, and its note, a varchar of this length.
constexpr uint32_t kId = 0;
constexpr uint32_t kAmount = 2;
constexpr uint32_t kNote = 3;
constexpr uint32_t kWeight = 4;  ///< double precision, in all shapes but the small one.
constexpr uint32_t kNoteLength = 8;

/// All columns of one row.
using Row = std::vector<semantics::Value>;

/// No value: every row.
using Filter = std::optional<semantics::Expression>;

/// One column of an answer: a column of the table, or an aggregate over one. string_agg takes texts in the order of
/// the id, GROUPING() all columns that are grouped by.
struct PlainOutput {
  std::optional<semantics::AggregateFunction> function;
  uint32_t column = 0;       ///< Unused for kCountRows and kGrouping.
  bool is_distinct = false;  ///< An aggregate of different values.
};

/// The text that string_agg puts between texts.
constexpr const char* kBetween = "-";

/// ORDER BY an output.
struct PlainOrder {
  uint32_t output = 0;
  bool descending = false;
  bool nulls_first = false;
};

/// Rows whose id has this remainder: asked besides the filter, and for each row computed.
struct PlainRemainder {
  static constexpr int64_t kDivisor = 3;

  int64_t remainder = 0;
};

/// A SELECT. An order, where there is one, is total but for the ties it asks for: no two rows of the answer are equal
/// in it.
struct Question {
  std::vector<PlainOutput> outputs;
  uint32_t visible_outputs = 0;  ///< The rest serves order and groups only.
  Filter filter;
  std::optional<PlainRemainder> remainder;
  std::vector<uint32_t> group_by;                    ///< Columns; each is among the outputs.
  std::vector<std::vector<uint32_t>> grouping_sets;  ///< Places in group_by; none: one set of all.
  std::optional<int64_t> having_more_than;           ///< Groups of more rows.
  std::vector<PlainOrder> order_by;
  std::optional<uint64_t> limit;
  uint64_t offset = 0;
  bool has_ties = false;  ///< Rows equal in the order to the last one of the limit are part of the answer.
  /// The number of first keys of the order by which rows are equal, of which the first counts. 0: all do.
  uint32_t distinct_on = 0;
  /// Microseconds since 1970: `AND now() < …`, which holds for all rows or for none. As SQL only.
  std::optional<int64_t> before_us;
  bool is_too_wide = false;  ///< A row could be larger than a row of an answer may be: to be refused.

  [[nodiscard]] bool is_aggregated() const {
    return !group_by.empty() || std::any_of(outputs.begin(), outputs.end(),
                                            [](const PlainOutput& output) { return output.function.has_value(); });
  }
};

/// Every column of every row.
[[nodiscard]] inline Question everything_of(const semantics::Schema& schema) {
  Question question;
  for (uint32_t column = 0; column < schema.columns.size(); ++column) {
    question.outputs.push_back({.function = {}, .column = column});
  }
  question.visible_outputs = static_cast<uint32_t>(question.outputs.size());
  return question;
}

struct PlainInsert {
  std::vector<Row> rows;
};

/// column = value, column = column + value, or column = value / column, which fails (22012) where that is 0.
struct PlainModify {
  enum class Form : uint8_t { kConstant, kSum, kQuotient };

  uint32_t column = 0;
  Form form = Form::kConstant;
  semantics::Value value;
  semantics::Expression filter;
  bool asks_quotient = false;  ///< See kDividend.
};

struct PlainDelete {
  semantics::Expression filter;
  bool asks_quotient = false;  ///< See kDividend.
};

/// A part asks besides its filter that this, divided by the row's amount, is not negative. It fails where that is 0.
constexpr int64_t kDividend = 1'000;

using PlainPart = std::variant<PlainInsert, PlainModify, PlainDelete>;

}  // namespace daedalus::testing
