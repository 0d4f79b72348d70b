// A selection is what a SELECT asks for: typed expressions that are bound to the row beneath them, level by level.
//
// A row of the table has columns; a group of such rows has keys and aggregates; an answer's row has outputs. What is
// computed of a row of the table is bound to columns, what is computed of a group is bound to its keys and, behind
// them, its aggregates. Decides that, and what is a mistake in it. Refuses to know where it came from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/semantics/aggregate.hpp"
#include "daedalus/semantics/bound_expression.hpp"
#include "daedalus/semantics/order.hpp"
#include "daedalus/semantics/predicate.hpp"

namespace daedalus::semantics {

/// Rows of a slice that names no number of bytes.
constexpr uint64_t kSliceBytesDefault = 8u << 20;

/// The most sets that rows of one query are grouped by: those of GROUPING SETS, and one more of each for each list of
/// values that an aggregate wants once, or in an order.
constexpr size_t kGroupSetsMax = 128;

/// One aggregate of a group.
struct BoundAggregate {
  AggregateFunction function = AggregateFunction::kCountRows;
  std::optional<BoundExpression> argument;  ///< Computed for each row of the table. kCountRows and kGrouping have none.
  Type type;                                ///< The finished value has this type.
  std::vector<BoundExpression> more = {};   ///< Arguments behind the first; all of kGrouping.
  bool is_distinct = false;
  std::vector<SortOrder> order = {};
  std::optional<uint32_t> values =
      std::nullopt;  ///< Which of the grouping's value lists it is made of: it has no state.

  /// The argument's type; any will do for kCountRows.
  [[nodiscard]] Type argument_type() const { return argument ? argument->type : Type{TypeKind::kBigint}; }

  friend bool operator==(const BoundAggregate&, const BoundAggregate&) = default;
};

/// An aggregate of a group that has no state is made of such a list: rows of the group by these values.
struct ValueList {
  std::vector<uint32_t> values;  ///< Among the grouping's list_values, in the order of the aggregate's arguments.
  std::vector<SortOrder> order;  ///< The last of them are in this order.
  bool is_distinct = false;      ///< Rows of equal values count once.

  friend bool operator==(const ValueList&, const ValueList&) = default;
};

/// How rows become groups, and what is known of a group.
struct Grouping {
  /// Each is computed of a row of the table, and is there once. None: all rows are one group, even none.
  std::vector<BoundExpression> keys;
  std::vector<BoundAggregate> aggregates = {};    ///< Each once.
  std::vector<std::vector<uint32_t>> sets = {};   ///< GROUPING SETS, by places among the keys. None: one of all keys.
  std::vector<BoundExpression> list_values = {};  ///< Each is computed of a row of the table, once.
  std::vector<ValueList> lists = {};              ///< Each once.

  /// Says whether rows are grouped in several ways: then a group's identity includes which.
  [[nodiscard]] bool has_sets() const { return !sets.empty() || !lists.empty(); }

  friend bool operator==(const Grouping&, const Grouping&) = default;
};

/// One way in which rows are grouped.
struct GroupSet {
  std::vector<uint32_t> keys;    ///< Ascending, among the grouping's keys and, behind them, its list_values.
  uint32_t of = 0;               ///< The set of groups whose list it is, itself if it is none.
  std::optional<uint32_t> list;  ///< Which list it is: its groups are counted, and that is all.
};

/// All ways, those of the statement first. Precondition: has_sets().
[[nodiscard]] std::vector<GroupSet> group_sets(const Grouping& grouping);

/// One column of the answer.
struct OutputColumn {
  std::string name;
  BoundExpression
      expression;  ///< Computed for a group (its keys, then its aggregates) or, without groups, for a row of the table.
  std::optional<int32_t> modifier = std::nullopt;  ///< Column::modifier. It does not travel.
};

struct OrderKey {
  uint32_t output = 0;
  SortOrder order;
};

/// A piece of the table as it lies in memory: rows of one segment from a slot on, until they have so many bytes.
struct Slice {
  uint32_t partition = 0;
  uint32_t segment = 0;
  uint64_t first_slot = 0;
  uint64_t answer_bytes = kSliceBytesDefault;  ///< The row that reaches it is the last one.
};

/// A checked SELECT.
struct Selection {
  Predicate predicate;
  /// Residuals have to hold besides, and the predicate cannot say them: they are looked at where it holds, from the
  /// first to the last.
  std::vector<BoundExpression> residuals;
  std::optional<Grouping> grouping;
  std::optional<BoundExpression>
      having;  ///< Computed for a group; whoever finishes the answer drops groups where it is not true.
  std::vector<OutputColumn> outputs;
  uint32_t visible_outputs = 0;  ///< The rest serves the order only.
  std::vector<OrderKey> order_by;
  std::optional<uint64_t> limit;
  uint64_t offset = 0;
  /// WITH TIES: rows that equal the last one by so many of the first keys of the order belong to the limit, too. 0:
  /// none.
  uint32_t ties_by = 0;
  /// The first one of rows that are equal by so many of the first keys of the order is put out alone, before the limit
  /// counts them. 0: all are.
  uint32_t distinct_by = 0;
  std::optional<Slice> slice;  ///< Rows of this piece alone. Only of what can_stream().
};

/// One output as it is written: over columns of the table and aggregates of such expressions.
struct NamedExpression {
  std::string name;
  BoundExpression expression;
  std::optional<int32_t> modifier = std::nullopt;  ///< Column::modifier.
};

/// A select list says what a SELECT puts out, and how its rows become groups; all of it over columns, and folded.
struct SelectList {
  std::vector<NamedExpression> outputs;
  std::vector<BoundExpression> group_by = {};
  std::optional<BoundExpression> having = std::nullopt;   ///< A boolean.
  std::vector<std::vector<uint32_t>> grouping_sets = {};  ///< By places in group_by.
};

/// A selection of every row with these outputs, all visible. Rows are grouped if the list has a key, an aggregate or a
/// HAVING; of equal keys there is one. Errors: 42803 a column beside groups that is neither aggregated nor a key, or
/// GROUPING() of what is no key; 0A000 a key of numerics without bound, or more than kGroupSetsMax sets.
[[nodiscard]] Result<Selection> bind_select(const Schema& schema, SelectList list);

/// The expression that bind_select() made one of a group of: over columns and aggregates again.
[[nodiscard]] BoundExpression unbound(const BoundExpression& of_group, const Grouping& grouping);

/// The first column, as they are written, that is neither within an aggregate nor within one of the keys.
[[nodiscard]] std::optional<uint32_t> ungrouped_column(const BoundExpression& expression,
                                                       std::span<const BoundExpression> keys);

/// The column as an expression. Precondition: the schema has it.
[[nodiscard]] BoundExpression column_of(const Schema& schema, uint32_t column);

/// One item of a SELECT's list as it is written: a column of the table, or an aggregate of one.
struct SelectItem {
  std::string name;
  std::optional<AggregateFunction> function = std::nullopt;
  uint32_t column = 0;  ///< Unused for kCountRows.
};

/// A selection of every row with these items for its outputs, all visible, and these columns for the keys of its
/// groups, repeated ones once. Rows are grouped if there are any, or an item is an aggregate.
/// Precondition: the schema has the columns. Errors: 42803 a column that is neither aggregated nor a key beside groups,
/// 42883 no such aggregate of the column's type.
[[nodiscard]] Result<Selection> bind_items(const Schema& schema, std::vector<SelectItem> items,
                                           const std::vector<uint32_t>& group_by = {});

/// Columns of its state; none where it is made of a list.
[[nodiscard]] std::vector<Type> state_types(const BoundAggregate& aggregate);
/// Types of the rows in a partial answer: a group's keys, then its aggregates as their states; of a grouping that
/// has_sets() its set before, list_values behind the keys, and last how many rows a group of a list has; without
/// groups, all outputs.
[[nodiscard]] std::vector<Type> partial_row_types(const Selection& selection);
/// Names and types of the finished answer: visible outputs.
[[nodiscard]] std::vector<Column> final_columns(const Selection& selection);

/// Says whether partial answers may be forwarded as they come, row bytes untouched: no groups, order, limit, offset,
/// and no hidden output.
[[nodiscard]] bool can_stream(const Selection& selection);

/// Checks that every row that the selection can put out, partial states included, fits into kRowSizeMax. Error 54000
/// names the columns' part in it. Whoever runs a query asks before it scans.
[[nodiscard]] Result<void> check_row_size(const Selection& selection);

}  // namespace daedalus::semantics
