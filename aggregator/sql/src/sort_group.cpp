#include "sort_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "expression_binder.hpp"
#include "lexer.hpp"
#include "refusals.hpp"

namespace daedalus::aggregator::sql {

namespace {

using semantics::BoundExpression;

/// The bare name of an unqualified reference, or nothing.
std::optional<std::string_view> bare_name(const grammar::Node& node) {
  if (node.column().names.size() != 1 || node.column().is_star) {
    return std::nullopt;
  }
  return node.column().names[0];
}

/// The visible output that an ordinal names. Only an integer literal is an ordinal; other constants are errors.
Result<uint32_t> resolve_ordinal(const Scope& scope, const Outputs& outputs, const grammar::ConstantNode& constant,
                                 const char* clause) {
  if (constant.kind != grammar::ConstantNode::Kind::kInteger) {
    return scope.error("42601", fmt::format("non-integer constant in {}", clause), constant.location);
  }
  const int64_t ordinal = constant.integer;
  if (ordinal < 1 || ordinal > outputs.visible_count()) {
    return scope.error("42P10", fmt::format("{} position {} is not in select list", clause, ordinal),
                       constant.location);
  }
  return static_cast<uint32_t>(ordinal - 1);
}

/// The visible output of this name, nothing if there is none. Errors: 42702.
Result<std::optional<uint32_t>> resolve_output_name(const Scope& scope, const Outputs& outputs, std::string_view name,
                                                    const char* clause, int32_t location) {
  const std::vector<uint32_t> found = outputs.named(name);
  if (found.size() > 1) {
    return scope.error("42702", fmt::format("{} \"{}\" is ambiguous", clause, name), location);
  }
  return found.empty() ? std::optional<uint32_t>() : std::optional<uint32_t>(found.front());
}

/// What an output shows, as a GROUP BY item.
Result<BoundExpression> grouped_output(const Scope& scope, const OutputItem& item, int32_t location) {
  if (semantics::has_aggregate(item.expression)) {
    return scope.error("42803", "aggregate functions are not allowed in GROUP BY", location);
  }
  return item.expression;
}

Result<BoundExpression> group_item(Scope& scope, const Outputs& outputs, const grammar::Node& node) {
  static constexpr const char* kClause = "GROUP BY";
  const int32_t location = location_of(node);
  if (const auto name = bare_name(node); name && !scope.find_column(*name)) {
    auto output = resolve_output_name(scope, outputs, *name, kClause, location);
    if (!output) {
      return output.error();
    }
    if (output->has_value()) {
      return grouped_output(scope, outputs.items()[**output], location);
    }
  }
  if (node.has_constant()) {
    auto output = resolve_ordinal(scope, outputs, node.constant(), kClause);
    if (!output) {
      return output.error();
    }
    return grouped_output(scope, outputs.items()[*output], location);
  }
  if (node.has_grouping_set()) {
    return scope.refuse(node);
  }
  return ExpressionBinder(scope, {kClause}).value(node);
}

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

Result<std::vector<BoundExpression>> compile_group_by(Scope& scope, const grammar::SelectStatement& select,
                                                      const Outputs& outputs) {
  std::vector<BoundExpression> keys;
  for (const grammar::Node& node : select.group_clause) {
    auto key = group_item(scope, outputs, node);
    if (!key) {
      return key.error();
    }
    if (std::find(keys.begin(), keys.end(), *key) == keys.end()) {
      keys.push_back(std::move(*key));
    }
  }
  return keys;
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
    const bool descending = sort.direction == grammar::SortDirection::kDescending;
    const bool by_default = sort.nulls != grammar::SortNulls::kFirst && sort.nulls != grammar::SortNulls::kLast;
    const bool nulls_first = by_default ? descending : sort.nulls == grammar::SortNulls::kFirst;
    const bool is_repeated =
        std::any_of(keys.begin(), keys.end(), [&](const semantics::OrderKey& key) { return key.output == *output; });
    if (!is_repeated) {  // A second key on the same output decides nothing any more.
      keys.push_back({*output, {descending, nulls_first}});
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
  const bool is_grouped = !group_by->empty() || having->has_value() || outputs->has_aggregate();
  for (const OutputItem& item : outputs->items()) {
    auto checked = is_grouped ? check_grouped(scope, *group_by, item) : Result<void>();
    if (!checked) {
      return checked.error();
    }
  }
  if (having->has_value()) {
    if (auto checked = check_grouped(scope, *group_by, **having); !checked) {
      return checked.error();
    }
    result.having = std::move((*having)->expression);
  }
  result.group_by = std::move(*group_by);
  result.order_by = std::move(*order_by);
  if (select.has_distinct) {
    if (auto made = make_distinct(scope, *outputs, result); !made) {
      return made.error();
    }
  }
  return result;
}

}  // namespace daedalus::aggregator::sql
