#include "sort_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "aggregates.hpp"
#include "refusals.hpp"

namespace daedalus::aggregator::sql {

namespace {

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

/// The table's column that an output shows, as a GROUP BY item.
Result<uint32_t> grouped_output(const Scope& scope, const OutputItem& item, int32_t location) {
  if (item.function) {
    return scope.error("42803", "aggregate functions are not allowed in GROUP BY", location);
  }
  return item.column;
}

Result<uint32_t> group_item(Scope& scope, const Outputs& outputs, const grammar::Node& node) {
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
  if (node.has_column()) {
    return scope.column(node.column());
  }
  if (node.has_constant()) {
    auto output = resolve_ordinal(scope, outputs, node.constant(), kClause);
    if (!output) {
      return output.error();
    }
    return grouped_output(scope, outputs.items()[*output], location);
  }
  if (node.has_function_call() && is_aggregate(node.function_call())) {
    return scope.error("42803", "aggregate functions are not allowed in GROUP BY", location);
  }
  Construct construct = describe(node);
  const std::string suffix = node.has_grouping_set() ? "" : " in GROUP BY";
  return scope.refuse(construct.name + suffix, location, std::move(construct.hint));
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
  if (node.has_column()) {
    auto column = scope.column(node.column());
    if (!column) {
      return column.error();
    }
    return outputs->find_or_add({{scope.schema().columns[*column].name, std::nullopt, *column}, location});
  }
  if (node.has_constant()) {
    return resolve_ordinal(scope, *outputs, node.constant(), kClause);
  }
  if (node.has_function_call() && is_aggregate(node.function_call())) {
    auto call = resolve_aggregate(scope, node.function_call());
    if (!call) {
      return call.error();
    }
    return outputs->find_or_add(
        {{std::string(semantics::function_name(call->function)), call->function, call->column}, location});
  }
  Construct construct = describe(node);
  return scope.refuse(construct.name + " in ORDER BY", location, std::move(construct.hint));
}

Result<std::vector<uint32_t>> compile_group_by(Scope& scope, const grammar::SelectStatement& select,
                                               const Outputs& outputs) {
  std::vector<uint32_t> columns;
  for (const grammar::Node& node : select.group_clause) {
    auto column = group_item(scope, outputs, node);
    if (!column) {
      return column.error();
    }
    if (std::find(columns.begin(), columns.end(), *column) == columns.end()) {
      columns.push_back(*column);
    }
  }
  return columns;
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

/// Every output that is a column must be one value per group.
Result<void> check_grouped(const Scope& scope, const std::vector<uint32_t>& group_by, const Outputs& outputs) {
  if (group_by.empty() && !outputs.has_aggregate()) {
    return {};
  }
  for (const OutputItem& item : outputs.items()) {
    const bool is_grouped = std::find(group_by.begin(), group_by.end(), item.column) != group_by.end();
    if (!item.function && !is_grouped) {
      return scope.error(
          "42803",
          fmt::format("column \"{}\" must appear in the GROUP BY clause or be used in an aggregate function",
                      scope.qualified(item.column)),
          item.location);
    }
  }
  return {};
}

}  // namespace

Result<SortGroup> compile_sort_group(Scope& scope, const grammar::SelectStatement& select, Outputs* outputs) {
  SortGroup result;
  auto group_by = compile_group_by(scope, select, *outputs);
  if (!group_by) {
    return group_by.error();
  }
  auto order_by = compile_order_by(scope, select, outputs);
  if (!order_by) {
    return order_by.error();
  }
  if (auto checked = check_grouped(scope, *group_by, *outputs); !checked) {
    return checked.error();
  }
  result.group_by = std::move(*group_by);
  result.order_by = std::move(*order_by);
  return result;
}

}  // namespace daedalus::aggregator::sql
