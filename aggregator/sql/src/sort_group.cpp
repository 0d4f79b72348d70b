#include "sort_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "expression_binder.hpp"
#include "group_by.hpp"
#include "lexer.hpp"
#include "refusals.hpp"

namespace daedalus::aggregator::sql {

namespace {

using semantics::BoundExpression;

/// The output an ORDER BY item sorts by, added hidden if the list does not have it.
Result<uint32_t> order_item(Scope& scope, Outputs* outputs, const grammar::Node& node) {
  static constexpr const char* kClause = "ORDER BY";
  const int32_t location = location_of(node);
  if (const auto name = bare_name(node)) {
    auto output = resolve_output_name(scope, *outputs, *name, kClause, location);
    if (!output) {
      return output.error();
    }
    if (output->has_value()) {
      return **output;
    }
  }
  if (node.has_constant()) {
    return resolve_ordinal(scope, *outputs, node.constant(), kClause);
  }
  ExpressionBinder binder(scope, {kClause, true});
  auto expression = binder.value(node);
  if (!expression) {
    return expression.error();
  }
  return outputs->find_or_add({{name_of(node), std::move(*expression)}, location, binder.columns()});
}

Result<std::vector<semantics::OrderKey>> compile_order_by(Scope& scope, const grammar::SelectStatement& select,
                                                          Outputs* outputs) {
  std::vector<semantics::OrderKey> keys;
  for (const grammar::Node& node : select.sort_clause) {
    const grammar::SortBy& sort = node.sort();
    if (sort.direction == grammar::SortDirection::kUsing) {
      return scope.refuse("ORDER BY ... USING", sort.location, "use ASC or DESC");
    }
    auto output = order_item(scope, outputs, sort.expression);
    if (!output) {
      return output.error();
    }
    const bool is_repeated =
        std::any_of(keys.begin(), keys.end(), [&](const semantics::OrderKey& key) { return key.output == *output; });
    if (!is_repeated) {  // A second key on the same output decides nothing any more.
      keys.push_back({*output, order_of(sort)});
    }
  }
  return keys;
}

/// HAVING, and the columns that it names.
Result<std::optional<OutputItem>> compile_having(Scope& scope, const grammar::SelectStatement& select) {
  if (!select.having_clause.is_present()) {
    return std::optional<OutputItem>();
  }
  ExpressionBinder binder(scope, {"HAVING", true});
  auto condition = binder.condition(select.having_clause);
  if (!condition) {
    return condition.error();
  }
  return std::optional(
      OutputItem{{"having", std::move(*condition)}, location_of(select.having_clause), binder.columns()});
}

/// What is put out, or decides about a group, must be one value per group.
Result<void> check_grouped(const Scope& scope, const std::vector<BoundExpression>& group_by, const OutputItem& item) {
  const auto column = semantics::ungrouped_column(item.expression, group_by);
  if (!column) {
    return {};
  }
  const auto named = std::find_if(item.columns.begin(), item.columns.end(),
                                  [&](const auto& reference) { return reference.first == *column; });
  return scope.error("42803",
                     fmt::format("column \"{}\" must appear in the GROUP BY clause or be used in an aggregate function",
                                 scope.qualified(*column)),
                     named == item.columns.end() ? item.location : named->second);
}

/// SELECT DISTINCT puts out each row once: what it shows are the keys of its groups.
Result<void> make_distinct(const Scope& scope, const Outputs& outputs, SortGroup& result) {
  const int32_t location = find_keyword(scope.text(), "distinct");
  if (outputs.items().size() > outputs.visible_count()) {
    return scope.error("42P10", "for SELECT DISTINCT, ORDER BY expressions must appear in select list",
                       outputs.items()[outputs.visible_count()].location);
  }
  if (!result.grouping_sets.empty()) {
    return scope.refuse("DISTINCT of GROUPING SETS", location, "leave it out, or use GROUP BY DISTINCT");
  }
  if (result.group_by.empty() && !outputs.has_aggregate() && !result.having) {
    for (const OutputItem& item : outputs.items()) {
      result.group_by.push_back(item.expression);
    }
    return {};
  }
  const bool shows_all = std::all_of(result.group_by.begin(), result.group_by.end(), [&](const BoundExpression& key) {
    return std::any_of(outputs.items().begin(), outputs.items().end(),
                       [&](const OutputItem& item) { return item.expression == key; });
  });
  if (shows_all) {
    return {};  // Groups differ in what is shown of their keys.
  }
  return scope.refuse("DISTINCT of groups without all their keys in the list", location,
                      "add the GROUP BY columns to the list");
}

}  // namespace

semantics::SortOrder order_of(const grammar::SortBy& sort) {
  const bool descending = sort.direction == grammar::SortDirection::kDescending;
  const bool by_default = sort.nulls != grammar::SortNulls::kFirst && sort.nulls != grammar::SortNulls::kLast;
  return {descending, by_default ? descending : sort.nulls == grammar::SortNulls::kFirst};
}

Result<SortGroup> compile_sort_group(Scope& scope, const grammar::SelectStatement& select, Outputs* outputs) {
  SortGroup result;
  auto group_by = compile_group_by(scope, select, *outputs);
  if (!group_by) {
    return group_by.error();
  }
  auto having = compile_having(scope, select);
  if (!having) {
    return having.error();
  }
  auto order_by = compile_order_by(scope, select, outputs);
  if (!order_by) {
    return order_by.error();
  }
  const std::vector<BoundExpression>& keys = group_by->keys;
  const bool is_grouped = !keys.empty() || !group_by->sets.empty() || having->has_value() || outputs->has_aggregate();
  for (const OutputItem& item : outputs->items()) {
    auto checked = is_grouped ? check_grouped(scope, keys, item) : Result<void>();
    if (!checked) {
      return checked.error();
    }
  }
  if (having->has_value()) {
    if (auto checked = check_grouped(scope, keys, **having); !checked) {
      return checked.error();
    }
    result.having = std::move((*having)->expression);
  }
  result.group_by = std::move(group_by->keys);
  result.grouping_sets = std::move(group_by->sets);
  result.order_by = std::move(*order_by);
  if (select.has_distinct) {
    if (auto made = make_distinct(scope, *outputs, result); !made) {
      return made.error();
    }
  }
  return result;
}

}  // namespace daedalus::aggregator::sql
