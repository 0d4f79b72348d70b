// How what a SELECT puts out is bound to groups: which keys there are, which aggregates, and which lists of values
// these are made of.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "daedalus/semantics/selection.hpp"

namespace daedalus::semantics {
namespace {

/// A value that stands at this place of a group's row.
BoundExpression of_group(size_t place, const Type& type, bool nullable) {
  return make_input(static_cast<uint32_t>(place), type, nullable);
}

BoundAggregate aggregate_of(const BoundExpression& call) {
  BoundAggregate made{.function = call.aggregate, .argument = std::nullopt, .type = call.type};
  const bool has_argument = call.aggregate != AggregateFunction::kGrouping && !call.arguments.empty();
  if (has_argument) {
    made.argument = call.arguments[0];
  }
  made.more.assign(call.arguments.begin() + (has_argument ? 1 : 0), call.arguments.end());
  made.is_distinct = call.is_distinct;
  made.order = call.order;
  return made;
}

BoundExpression call_of(const BoundAggregate& aggregate) {
  BoundExpression made;
  made.kind = BoundExpression::Kind::kAggregate;
  made.aggregate = aggregate.function;
  made.type = aggregate.type;
  if (aggregate.argument) {
    made.arguments.push_back(*aggregate.argument);
  }
  made.arguments.insert(made.arguments.end(), aggregate.more.begin(), aggregate.more.end());
  made.is_distinct = aggregate.is_distinct;
  made.order = aggregate.order;
  made.nullable = entry_of(aggregate.function).is_null_of_nothing;
  return made;
}

std::optional<size_t> place_among(std::span<const BoundExpression> keys, const BoundExpression& expression) {
  const auto found = std::find(keys.begin(), keys.end(), expression);
  return found == keys.end() ? std::nullopt : std::optional(static_cast<size_t>(found - keys.begin()));
}

/// Adds the list of an aggregate that wants each value once, or all in an order.
void add_list(BoundAggregate& aggregate, Grouping& grouping) {
  ValueList list;
  list.order = aggregate.order;
  list.is_distinct = aggregate.is_distinct;
  std::vector<BoundExpression> values{*aggregate.argument};
  values.insert(values.end(), aggregate.more.begin(), aggregate.more.end());
  for (BoundExpression& value : values) {
    const std::optional<size_t> place = place_among(grouping.list_values, value);
    list.values.push_back(static_cast<uint32_t>(place.value_or(grouping.list_values.size())));
    if (!place) {
      grouping.list_values.push_back(std::move(value));
    }
  }
  const auto found = std::find(grouping.lists.begin(), grouping.lists.end(), list);
  aggregate.values = static_cast<uint32_t>(found - grouping.lists.begin());
  if (found == grouping.lists.end()) {
    grouping.lists.push_back(std::move(list));
  }
}

Result<BoundExpression> bind_aggregate(const BoundExpression& expression, Grouping& grouping) {
  BoundAggregate aggregate = aggregate_of(expression);
  if (aggregate.function == AggregateFunction::kGrouping) {
    for (const BoundExpression& key : aggregate.more) {
      if (!place_among(grouping.keys, key)) {
        return rejected("42803", "arguments to GROUPING must be grouping expressions of the associated query level");
      }
    }
    if (grouping.sets.empty()) {
      return make_constant(expression.type, int64_t{0});
    }
  }
  if (aggregate.is_distinct || is_made_in_order(aggregate.function)) {
    add_list(aggregate, grouping);
  }
  const auto found = std::find(grouping.aggregates.begin(), grouping.aggregates.end(), aggregate);
  const auto number = static_cast<size_t>(found - grouping.aggregates.begin());
  if (found == grouping.aggregates.end()) {
    grouping.aggregates.push_back(std::move(aggregate));
  }
  return of_group(grouping.keys.size() + number, expression.type, expression.nullable);
}

/// Binds an expression to keys and aggregates; those that the grouping does not have yet are added to it. A constant is
/// a key only where it is a whole output: within an expression it came to that by itself, and no set makes it NULL.
Result<BoundExpression> bind_to_group(const Schema& schema, BoundExpression expression, Grouping& grouping,
                                      bool is_output) {
  if (expression.is_constant() && !is_output) {
    return expression;
  }
  if (const auto key = place_among(grouping.keys, expression)) {
    return of_group(*key, expression.type, expression.nullable || !grouping.sets.empty());
  }
  if (expression.is_input()) {
    return rejected(
        "42803", fmt::format("column \"{}.{}\" must appear in the GROUP BY clause or be used in an aggregate function",
                             schema.table_name, schema.columns[expression.input].name));
  }
  if (expression.kind == BoundExpression::Kind::kAggregate) {
    return bind_aggregate(expression, grouping);
  }
  for (BoundExpression& argument : expression.arguments) {
    Result<BoundExpression> bound = bind_to_group(schema, std::move(argument), grouping, false);
    if (!bound) {
      return bound;
    }
    // A key that a set lacks is NULL, whatever its column is.
    expression.nullable = expression.nullable || (!grouping.sets.empty() && bound->nullable);
    argument = std::move(*bound);
  }
  return expression;
}

Result<Grouping> make_grouping(SelectList& list) {
  Grouping grouping;
  std::vector<uint32_t> places;
  for (BoundExpression& key : list.group_by) {
    const std::optional<size_t> place = place_among(grouping.keys, key);
    places.push_back(static_cast<uint32_t>(place.value_or(grouping.keys.size())));
    if (!place) {
      grouping.keys.push_back(std::move(key));
    }
  }
  for (const std::vector<uint32_t>& set : list.grouping_sets) {
    std::vector<uint32_t>& made = grouping.sets.emplace_back();
    for (const uint32_t key : set) {
      made.push_back(places[key]);
    }
    std::sort(made.begin(), made.end());
    made.erase(std::unique(made.begin(), made.end()), made.end());
  }
  return grouping;
}

Result<void> check_sets(const Grouping& grouping) {
  const size_t sets = std::max<size_t>(grouping.sets.size(), 1);
  if (sets * (1 + grouping.lists.size()) <= kGroupSetsMax) {
    return {};
  }
  return rejected("0A000",
                  fmt::format("grouping in more than {} ways, one more for each DISTINCT or ordered aggregate, is not "
                              "supported",
                              kGroupSetsMax),
                  "ask for fewer sets at a time");
}

}  // namespace

std::vector<GroupSet> group_sets(const Grouping& grouping) {
  std::vector<GroupSet> sets;
  const auto key_count = static_cast<uint32_t>(grouping.keys.size());
  for (const std::vector<uint32_t>& keys : grouping.sets) {
    sets.push_back({keys, static_cast<uint32_t>(sets.size()), std::nullopt});
  }
  if (sets.empty()) {
    sets.emplace_back().keys.resize(key_count);
    std::iota(sets[0].keys.begin(), sets[0].keys.end(), 0);
  }
  const auto real = static_cast<uint32_t>(sets.size());
  for (uint32_t of = 0; of < real; ++of) {
    for (uint32_t number = 0; number < grouping.lists.size(); ++number) {
      GroupSet set{sets[of].keys, of, number};
      std::vector<uint32_t> values = grouping.lists[number].values;
      std::sort(values.begin(), values.end());
      values.erase(std::unique(values.begin(), values.end()), values.end());
      std::transform(values.begin(), values.end(), std::back_inserter(set.keys),
                     [&](uint32_t value) { return key_count + value; });
      sets.push_back(std::move(set));
    }
  }
  return sets;
}

std::vector<Type> state_types(const BoundAggregate& aggregate) {
  return aggregate.values ? std::vector<Type>() : partial_types(aggregate.function, aggregate.argument_type());
}

std::optional<uint32_t> ungrouped_column(const BoundExpression& expression, std::span<const BoundExpression> keys) {
  if (expression.kind == BoundExpression::Kind::kAggregate || place_among(keys, expression)) {
    return std::nullopt;
  }
  if (expression.is_input()) {
    return expression.input;
  }
  for (const BoundExpression& argument : expression.arguments) {
    if (const auto column = ungrouped_column(argument, keys)) {
      return column;
    }
  }
  return std::nullopt;
}

BoundExpression unbound(const BoundExpression& of_group, const Grouping& grouping) {
  if (of_group.is_input()) {
    const size_t place = of_group.input;
    return place < grouping.keys.size() ? grouping.keys[place]
                                        : call_of(grouping.aggregates[place - grouping.keys.size()]);
  }
  BoundExpression made = of_group;
  for (BoundExpression& argument : made.arguments) {
    argument = unbound(argument, grouping);
  }
  return made;
}

Result<Selection> bind_select(const Schema& schema, SelectList list) {
  Selection selection;
  const bool has_aggregates = std::any_of(list.outputs.begin(), list.outputs.end(), [](const NamedExpression& output) {
    return has_aggregate(output.expression);
  });
  selection.visible_outputs = static_cast<uint32_t>(list.outputs.size());
  selection.outputs.reserve(list.outputs.size());
  const bool is_grouped = has_aggregates || !list.group_by.empty() || list.having || !list.grouping_sets.empty();
  if (!is_grouped) {
    for (NamedExpression& output : list.outputs) {
      selection.outputs.push_back({std::move(output.name), std::move(output.expression), output.modifier});
    }
    return selection;
  }
  Result<Grouping> grouping = make_grouping(list);
  if (!grouping) {
    return grouping.error();
  }
  for (NamedExpression& output : list.outputs) {
    Result<BoundExpression> bound = bind_to_group(schema, std::move(output.expression), *grouping, true);
    if (!bound) {
      return bound.error();
    }
    selection.outputs.push_back({std::move(output.name), std::move(*bound), output.modifier});
  }
  if (list.having) {
    Result<BoundExpression> bound = bind_to_group(schema, std::move(*list.having), *grouping, false);
    if (!bound) {
      return bound.error();
    }
    selection.having = std::move(*bound);
  }
  if (const Result<void> checked = check_sets(*grouping); !checked) {
    return checked.error();
  }
  selection.grouping = std::move(*grouping);
  return selection;
}

}  // namespace daedalus::semantics
