#include "aggregation_plan.hpp"

namespace daedalus::engine {

using semantics::AggregateFunction;

AggregationPlan plan_of(const TableLayout& layout, const semantics::Grouping& grouping, ExpressionPool& expressions) {
  AggregationPlan plan;
  for (const semantics::BoundExpression& key : grouping.keys) {
    plan.keys.push_back(source_of(layout, key, &expressions));
  }
  for (const semantics::BoundAggregate& aggregate : grouping.aggregates) {
    plan.aggregates.push_back({aggregate.function, aggregate.argument
                                                       ? source_of(layout, *aggregate.argument, &expressions)
                                                       : ColumnSource(layout, 0)});
  }
  return plan;
}

AggregationPlan plan_of(const TableLayout& layout, const semantics::Grouping& grouping, const NumberedSet& numbered,
                        ExpressionPool& expressions) {
  const semantics::GroupSet& set = numbered.set;
  AggregationPlan plan;
  PartialRowFrame& frame = plan.frame.emplace();
  frame.set = numbered.number;
  frame.keys.resize(grouping.keys.size() + grouping.list_values.size());
  for (const uint32_t key : set.keys) {
    frame.keys[key] = static_cast<uint32_t>(plan.keys.size());
    const bool is_own = key < grouping.keys.size();
    plan.keys.push_back(source_of(
        layout, is_own ? grouping.keys[key] : grouping.list_values[key - grouping.keys.size()], &expressions));
  }
  uint32_t state_columns = 0;
  for (const semantics::BoundAggregate& aggregate : grouping.aggregates) {
    const auto columns = static_cast<uint32_t>(semantics::state_types(aggregate).size());
    state_columns += columns;
    if (columns > 0 && !set.list) {
      plan.aggregates.push_back({aggregate.function, aggregate.argument
                                                         ? source_of(layout, *aggregate.argument, &expressions)
                                                         : ColumnSource(layout, 0)});
    }
  }
  if (set.list) {
    plan.aggregates.push_back({AggregateFunction::kCountRows, ColumnSource(layout, 0)});
    frame.nulls_before = state_columns;
  } else {
    frame.nulls_behind = 1;
  }
  return plan;
}

}  // namespace daedalus::engine
