// Defines what an aggregating query computes, whether from columns of the table or from computed ones.
//
// Decides which columns are read as keys and by aggregates, and how a partial row of one of several sets is framed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "daedalus/semantics/selection.hpp"
#include "expression_column.hpp"

namespace daedalus::engine {

/// Says where the columns of a partial row stand that has more of them than keys and states.
struct PartialRowFrame {
  int64_t set = 0;
  std::vector<std::optional<uint32_t>> keys;  ///< Places among the keys of the plan; nothing: NULL.
  uint32_t nulls_before = 0;                  ///< Columns of states that are not there, before those that are,
  uint32_t nulls_behind = 0;                  ///< and behind them.
};

struct PlannedAggregate {
  semantics::AggregateFunction function{};
  ColumnSource source;  ///< Not read for count(*).
};

struct AggregationPlan {
  std::vector<ColumnSource> keys;  ///< GROUP BY; none: one group, even of no rows.
  std::vector<PlannedAggregate> aggregates;
  std::optional<PartialRowFrame> frame;
};

/// The plan of a grouping without sets.
[[nodiscard]] AggregationPlan plan_of(const TableLayout& layout, const semantics::Grouping& grouping,
                                      ExpressionPool& expressions);

/// Which of a grouping's sets is meant, and its number.
struct NumberedSet {
  semantics::GroupSet set;
  uint32_t number = 0;
};

/// The plan of one of its sets.
[[nodiscard]] AggregationPlan plan_of(const TableLayout& layout, const semantics::Grouping& grouping,
                                      const NumberedSet& numbered, ExpressionPool& expressions);

}  // namespace daedalus::engine
