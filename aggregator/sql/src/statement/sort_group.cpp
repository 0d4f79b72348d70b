#include "sort_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "blanks.hpp"
#include "expression_binder.hpp"
#include "group_by.hpp"
#include "key_blanks.hpp"
#include "refusals.hpp"

namespace daedalus::aggregator::sql {

namespace {

using semantics::BoundExpression;

/// The output that an item of ORDER BY or DISTINCT ON stands for, added hidden if the list does not have it.
Result<uint32_t> output_of(Scope& scope, Outputs* outputs, const grammar::Node& node, const char* clause) {
  const int32_t location = location_of(node);
  if (const auto name = bare_name(node)) {
    auto output = resolve_output_name(scope, *outputs, *name, clause, location);
    if (!output) {
      return output.error();
    }
    if (output->has_value()) {
      return **output;
    }
  }
  if (node.has_constant()) {
    return resolve_ordinal(scope, *outputs, node.constant(), clause);
  }
  ExpressionBinder binder(scope, {clause, true});
  auto expression = binder.value(node);
  if (!expression) {
    return expression.error();
  }
  return outputs->find_or_add({{name_of(node), std::move(*expression)}, location, binder.places()});
}

bool has_key(const std::vector<semantics::OrderKey>& keys, uint32_t output) {
  return std::any_of(keys.begin(), keys.end(), [&](const semantics::OrderKey& key) { return key.output == output; });
}

Result<std::vector<semantics::OrderKey>> compile_order_by(Scope& scope, const grammar::SelectStatement& select,
                                                          Outputs* outputs) {
  std::vector<semantics::OrderKey> keys;
  for (const grammar::Node& node : select.sort_clause) {
    const grammar::SortBy& sort = node.sort();
    if (sort.direction == grammar::SortDirection::kUsing) {
      return scope.refuse("ORDER BY ... USING", sort.location, "use ASC or DESC");
    }
    auto output = output_of(scope, outputs, sort.expression, "ORDER BY");
    if (!output) {
      return output.error();
    }
    if (!has_key(keys, *output)) {  // A second key on the same output decides nothing any more.
      keys.push_back({*output, order_of(sort)});
    }
  }
  return keys;
}

/// DISTINCT ON: the first keys of the order are its values, in the order's turn. Returns how many there are; those that
/// ORDER BY does not name are added to it.
Result<uint32_t> compile_distinct_on(Scope& scope, const grammar::SelectStatement& select, Outputs* outputs,
                                     std::vector<semantics::OrderKey>& order_by) {
  std::vector<std::pair<uint32_t, int32_t>> wanted;  // Outputs, and where they are asked for.
  for (const grammar::Node& node : select.distinct_on) {
    auto output = output_of(scope, outputs, node, "DISTINCT ON");
    if (!output) {
      return output.error();
    }
    const bool is_repeated =
        std::any_of(wanted.begin(), wanted.end(), [&](const auto& known) { return known.first == *output; });
    if (!is_repeated) {
      wanted.emplace_back(*output, location_of(node));
    }
  }
  const auto place_of = [&](uint32_t output) {
    return std::find_if(wanted.begin(), wanted.end(), [&](const auto& known) { return known.first == output; });
  };
  const auto mismatch = [&](int32_t location) {
    return scope.error("42P10", "SELECT DISTINCT ON expressions must match initial ORDER BY expressions", location);
  };
  bool is_behind = false;
  for (const semantics::OrderKey& key : order_by) {
    const auto found = place_of(key.output);
    if (found != wanted.end() && is_behind) {
      return mismatch(found->second);
    }
    is_behind = is_behind || found == wanted.end();
  }
  for (const auto& [output, location] : wanted) {
    if (has_key(order_by, output)) {
      continue;
    }
    if (is_behind) {
      return mismatch(location);
    }
    order_by.push_back({output, {}});
  }
  return static_cast<uint32_t>(wanted.size());
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
      OutputItem{{"having", std::move(*condition)}, location_of(select.having_clause), binder.places()});
}

/// Refuses GROUPING() of anything that is not a key.
Result<void> check_grouping(const Scope& scope, const std::vector<BoundExpression>& group_by, const OutputItem& item) {
  for (const auto& [argument, location] : item.places.grouping) {
    if (std::find(group_by.begin(), group_by.end(), argument) == group_by.end()) {
      return scope.error("42803", "arguments to GROUPING must be grouping expressions of the associated query level",
                         location);
    }
  }
  return {};
}

/// Refuses an output, or a condition on groups, that is not one value per group.
Result<void> check_grouped(const Scope& scope, const std::vector<BoundExpression>& group_by, const OutputItem& item) {
  const auto column = semantics::ungrouped_column(item.expression, group_by);
  if (!column) {
    return {};
  }
  const auto& columns = item.places.columns;
  const auto named =
      std::find_if(columns.begin(), columns.end(), [&](const auto& reference) { return reference.first == *column; });
  return scope.error("42803",
                     fmt::format("column \"{}\" must appear in the GROUP BY clause or be used in an aggregate function",
                                 scope.qualified(*column)),
                     named == columns.end() ? item.location : named->second);
}

Result<void> check_all_grouped(const Scope& scope, const std::vector<BoundExpression>& group_by,
                               std::span<const OutputItem> items) {
  for (const auto check : {check_grouping, check_grouped}) {
    for (const OutputItem& item : items) {
      if (auto checked = check(scope, group_by, item); !checked) {
        return checked;
      }
    }
  }
  return {};
}

/// SELECT DISTINCT puts out each row once: what it shows are the keys of its groups or, where there are groups already,
/// of its order.
Result<void> make_distinct(const Scope& scope, const Outputs& outputs, SortGroup& result) {
  if (outputs.items().size() > outputs.visible_count()) {
    return scope.error("42P10", "for SELECT DISTINCT, ORDER BY expressions must appear in select list",
                       outputs.items()[outputs.visible_count()].location);
  }
  const bool is_grouped =
      !result.group_by.empty() || !result.grouping_sets.empty() || outputs.has_aggregate() || result.having.has_value();
  if (!is_grouped) {
    for (const OutputItem& item : outputs.items()) {
      result.group_by.push_back(item.expression);
    }
    return {};
  }
  const bool shows_all = std::all_of(result.group_by.begin(), result.group_by.end(), [&](const BoundExpression& key) {
    return std::any_of(outputs.items().begin(), outputs.items().end(),
                       [&](const OutputItem& item) { return item.expression == key; });
  });
  if (shows_all && result.grouping_sets.empty()) {
    return {};  // Groups differ in what is shown of their keys.
  }
  for (uint32_t output = 0; output < outputs.visible_count(); ++output) {
    if (!has_key(result.order_by, output)) {
      result.order_by.push_back({output, {}});
    }
  }
  result.distinct_by = static_cast<uint32_t>(result.order_by.size());
  return {};
}

/// Takes the blanks from keys that are chars with blanks of their own, which do not count there.
Result<void> leave_out_blanks(Outputs& outputs, SortGroup& result, bool is_distinct) {
  if (auto made = group_without_blanks(outputs, result); !made) {
    return made;
  }
  if (!is_distinct) {
    return order_without_blanks(outputs, result.order_by);
  }
  return result.distinct_by > 0 ? show_without_blanks(outputs) : Result<void>();
}

/// In everything that is computed.
Result<void> choose_all_texts(Outputs& outputs, SortGroup& result) {
  for (BoundExpression& key : result.group_by) {
    if (auto made = choose_texts(key); !made) {
      return made;
    }
  }
  for (uint32_t output = 0; output < outputs.items().size(); ++output) {
    if (auto made = choose_texts(outputs.expression(output)); !made) {
      return made;
    }
  }
  return result.having ? choose_texts(*result.having) : Result<void>();
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
  result.ties_by = static_cast<uint32_t>(order_by->size());
  if (select.has_distinct_on) {
    auto distinct_by = compile_distinct_on(scope, select, outputs, *order_by);
    if (!distinct_by) {
      return distinct_by.error();
    }
    result.distinct_by = *distinct_by;
  }
  const std::vector<BoundExpression>& keys = group_by->keys;
  const bool is_grouped = !keys.empty() || !group_by->sets.empty() || having->has_value() || outputs->has_aggregate();
  if (is_grouped) {
    if (auto checked = check_all_grouped(scope, keys, outputs->items()); !checked) {
      return checked.error();
    }
  }
  if (having->has_value()) {
    if (auto checked = check_all_grouped(scope, keys, std::span(&**having, 1)); !checked) {
      return checked.error();
    }
    result.having = std::move((*having)->expression);
  }
  result.group_by = std::move(group_by->keys);
  result.grouping_sets = std::move(group_by->sets);
  result.order_by = std::move(*order_by);
  const bool is_distinct = select.has_distinct && !select.has_distinct_on;
  if (is_distinct) {
    if (auto made = make_distinct(scope, *outputs, result); !made) {
      return made.error();
    }
  }
  if (auto made = leave_out_blanks(*outputs, result, is_distinct); !made) {
    return made.error();
  }
  if (auto made = choose_all_texts(*outputs, result); !made) {
    return made.error();
  }
  return result;
}

}  // namespace daedalus::aggregator::sql
