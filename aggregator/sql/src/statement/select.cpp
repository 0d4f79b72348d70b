// SELECT: refuses what is outside the supported SQL, then compiles list, WHERE, GROUP BY, ORDER BY and LIMIT.
#include <fmt/format.h>

#include <algorithm>

#include "bounds.hpp"
#include "condition.hpp"
#include "counted.hpp"
#include "daedalus/semantics/plain_answer.hpp"
#include "expression_binder.hpp"
#include "flatten.hpp"
#include "lexer.hpp"
#include "outputs.hpp"
#include "refusals.hpp"
#include "select_folding.hpp"
#include "select_parts.hpp"
#include "several_exists.hpp"
#include "sort_group.hpp"
#include "statements.hpp"
#include "values.hpp"
#include "where.hpp"

namespace daedalus::aggregator::sql {

namespace {

/// Refuses whole clauses, in the order in which they stand in the text.
Result<void> check_clauses(const Scope& scope, const grammar::SelectStatement& select) {
  const auto at_keyword = [&](std::string_view keyword) { return find_keyword(scope.text(), keyword); };
  switch (select.set_operation) {
    case grammar::SetOperation::kUnion:
      return scope.refuse("UNION", at_keyword("union"), "send each query on its own");
    case grammar::SetOperation::kIntersect:
      return scope.refuse("INTERSECT", at_keyword("intersect"), "send each query on its own");
    case grammar::SetOperation::kExcept:
      return scope.refuse("EXCEPT", at_keyword("except"), "send each query on its own");
    default:
      break;
  }
  if (!select.values_lists.empty()) {
    return scope.refuse("VALUES as a query", at_keyword("values"));
  }
  if (select.has_into) {
    return scope.refuse("SELECT INTO", at_keyword("into"));
  }
  if (select.has_window) {
    return scope.refuse("WINDOW", at_keyword("window"), "use an aggregate with GROUP BY");
  }
  if (select.has_locking) {
    return scope.refuse("FOR UPDATE or FOR SHARE", at_keyword("for"), "rows are never locked");
  }
  return {};
}

Result<void> bind_from(Scope& scope, const grammar::SelectStatement& select) {
  const grammar::Node& first = select.from_clause[0];
  if (select.from_clause.size() > 1 || !first.has_range_variable()) {
    const bool is_list = first.has_range_variable();
    const grammar::Node& wrong = is_list ? select.from_clause[1] : first;
    Construct construct = describe_from(wrong);
    int32_t location = location_of(wrong);
    if (wrong.has_join() || wrong.has_range_sample()) {
      location = find_keyword(scope.text(), wrong.has_join() ? "join" : "tablesample");
    } else if (location < 0) {
      location = find_keyword(scope.text(), "from");
    }
    return scope.refuse(std::move(construct.name), location, std::move(construct.hint));
  }
  return scope.bind_table(first.range_variable());
}

/// A column as it is, under its own name or the target's.
OutputItem column_item(const Scope& scope, uint32_t column, const grammar::ResultTarget& target, int32_t location) {
  OutputItem item;
  item.name = target.name.empty() ? scope.schema().columns[column].name : std::string(target.name);
  item.expression = semantics::column_of(scope.schema(), column);
  item.modifier = scope.schema().columns[column].modifier;
  item.location = location;
  return item;
}

/// One item of the list that is not a star.
Result<OutputItem> list_item(Scope& scope, ExpressionBinder::Place place, const grammar::ResultTarget& target) {
  if (target.value.has_column()) {
    auto column = scope.column(target.value.column());
    if (!column) {
      return column.error();
    }
    return column_item(scope, *column, target, location_of(target.value));
  }
  ExpressionBinder binder(scope, place);
  auto typed = binder.value_without_type(target.value);
  if (!typed) {
    return typed.error();
  }
  OutputItem item;
  item.modifier = typed->modifier;
  auto expression = binder.settled(std::move(*typed));
  if (!expression) {
    return expression.error();
  }
  item.name = target.name.empty() ? name_of(target.value) : std::string(target.name);
  item.expression = std::move(*expression);
  item.location = target.location;
  item.places = binder.places();
  return item;
}

Result<Outputs> compile_list(Scope& scope, ExpressionBinder::Place place, grammar::Nodes list) {
  Outputs outputs;
  outputs.reserve(list.size());
  for (const grammar::Node& node : list) {
    const grammar::ResultTarget& target = node.target();
    if (target.value.has_column()) {
      auto is_star = scope.is_star(target.value.column());
      if (!is_star) {
        return is_star.error();
      }
      if (*is_star) {
        for (uint32_t column = 0; column < scope.schema().columns.size(); ++column) {
          outputs.add_visible(column_item(scope, column, target, target.location));
        }
        continue;
      }
    }
    auto item = list_item(scope, place, target);
    if (!item) {
      return item.error();
    }
    outputs.add_visible(std::move(*item));
  }
  outputs.close_list();
  if (outputs.visible_count() == 0) {
    return scope.refuse("SELECT with an empty list", scope.statement_location(), "name a column, or count(*)");
  }
  if (outputs.visible_count() > kOutputsMax) {
    return scope.error("54011", fmt::format("target lists can have at most {} entries", kOutputsMax),
                       scope.statement_location());
  }
  return outputs;
}

Result<Outputs> compile_list(Scope& scope, const grammar::SelectStatement& select) {
  return compile_list(scope, {"the SELECT list", /*takes_aggregates=*/true}, select.target_list);
}

/// `where`: of the rows; null: there is none.
Result<semantics::Selection> bind_outputs(const Scope& scope, Outputs outputs, SortGroup& order,
                                          Where* where = nullptr) {
  const uint32_t visible_count = outputs.visible_count();
  semantics::SelectList list{std::move(outputs).take(), std::move(order.group_by), std::move(order.having),
                             std::move(order.grouping_sets)};
  if (!scope.leaves_mistakes()) {
    if (auto computed = fold_constants(scope, list, where); !computed) {
      return computed.error();
    }
  }
  auto selection = semantics::bind_select(scope.schema(), std::move(list));
  if (!selection) {
    return scope.located(selection.error(), scope.statement_location());
  }
  selection->visible_outputs = visible_count;
  selection->order_by = std::move(order.order_by);
  selection->distinct_by = order.distinct_by;
  return selection;
}

/// So many rows of RETURNING are computed together, until their bytes are counted.
constexpr size_t kReturnedAtOnce = 1024;

/// Rows of a table as an application gets them.
Result<semantics::MergedRows> final_rows(const semantics::Selection& selection,
                                         std::span<const std::vector<semantics::Value>> rows) {
  semantics::MergedRows made;
  for (size_t begin = 0; begin < rows.size(); begin += kReturnedAtOnce) {
    auto merged =
        semantics::finished_answer(selection, rows.subspan(begin, std::min(kReturnedAtOnce, rows.size() - begin)));
    if (!merged) {
      return merged.error();
    }
    made.rows += merged->rows;
    made.row_count += merged->row_count;
    if (made.rows.size() > contract::kUpdateBytesMax) {
      return rejected("54000",
                      fmt::format("RETURNING too large: more than {} bytes of rows", contract::kUpdateBytesMax),
                      "send fewer rows with each INSERT");
    }
  }
  return made;
}

}  // namespace

Result<void> check_without_from(Scope& scope, const grammar::SelectStatement& select) {
  if (!select.group_clause.empty() || select.having_clause.is_present()) {
    return scope.refuse("GROUP BY or HAVING without FROM", scope.statement_location(), "leave it out");
  }
  for (const grammar::Node& node : select.target_list) {
    const grammar::Node& value = node.target().value;
    if (value.has_column() && value.column().is_star) {
      return scope.error("42601", "SELECT * with no tables specified is not valid", location_of(value));
    }
    if (mentions_column(value)) {
      return scope.error("42703", "a column is named, and there is no FROM", location_of(value),
                         fmt::format("select from \"{}\"", scope.schema().table_name));
    }
  }
  if (mentions_column(select.where_clause)) {
    return scope.error("42703", "a column is named, and there is no FROM", location_of(select.where_clause));
  }
  return {};
}

namespace {

/// One row of constants: what a group of all rows is when no row is asked for, shown where the condition holds.
Result<ReadSelect> read_without_from(Scope& scope, const grammar::SelectStatement& select) {
  if (auto checked = check_without_from(scope, select); !checked) {
    return checked.error();
  }
  auto outputs = compile_list(scope, select);
  if (!outputs) {
    return outputs.error();
  }
  auto order = compile_sort_group(scope, select, &*outputs);
  if (!order) {
    return order.error();
  }
  if (outputs->has_aggregate()) {
    return scope.refuse("an aggregate without FROM", scope.statement_location());
  }
  std::vector<semantics::BoundExpression> counted;
  counted.push_back(*semantics::make_aggregate(semantics::AggregateFunction::kCountRows, {}));
  std::vector<semantics::BoundExpression> conditions;
  conditions.push_back(*semantics::make_call(semantics::FunctionId::kIsNotNull, std::move(counted)));
  conditions.push_back(semantics::make_constant({semantics::TypeKind::kBool}, true));
  if (select.where_clause.is_present()) {
    auto where = ExpressionBinder(scope, {"WHERE"}).condition(select.where_clause);
    if (!where) {
      return where.error();
    }
    conditions.back() = std::move(*where);
  }
  order->group_by.clear();
  order->order_by.clear();
  order->distinct_by = 0;
  order->having = *semantics::make_call(semantics::FunctionId::kAnd, std::move(conditions));
  auto selection = bind_outputs(scope, std::move(*outputs), *order);
  if (!selection) {
    return selection.error();
  }
  if (auto bounds = compile_bounds(scope, select, 0, *selection); !bounds) {
    return bounds.error();
  }
  if (auto checked = contract::check_selection(*selection); !checked) {
    return scope.located(checked.error(), scope.statement_location());
  }
  semantics::Condition none{.kind = semantics::Condition::Kind::kNever, .literal = {}, .children = {}};
  scope.places().see(none);
  selection->predicate = semantics::normal_form(none);
  return ReadSelect{std::move(*selection), std::move(none)};
}

Result<ReadSelect> read_flat(Scope& scope, const grammar::SelectStatement& select) {
  if (auto checked = check_clauses(scope, select); !checked) {
    return checked.error();
  }
  if (select.from_clause.empty()) {
    return read_without_from(scope, select);
  }
  if (auto bound = bind_from(scope, select); !bound) {
    return bound.error();
  }
  auto outputs = compile_list(scope, select);
  if (!outputs) {
    return outputs.error();
  }
  Result<Where> where = Where();
  if (select.where_clause.is_present()) {
    where = compile_where(scope, select.where_clause);
    if (!where) {
      return where.error();
    }
  }
  auto order = compile_sort_group(scope, select, &*outputs);
  if (!order) {
    return order.error();
  }
  auto selection = bind_outputs(scope, std::move(*outputs), *order, &*where);
  if (!selection) {
    return selection.error();
  }
  if (auto bounds = compile_bounds(scope, select, order->ties_by, *selection); !bounds) {
    return bounds.error();
  }
  selection->residuals = std::move(where->residuals);
  if (auto checked = contract::check_selection(*selection); !checked) {
    return scope.located(checked.error(), scope.statement_location());
  }
  selection->predicate = semantics::normal_form(where->condition);
  return ReadSelect{std::move(*selection), std::move(where->condition)};
}

}  // namespace

Result<semantics::Selection> select_over(Scope& scope, const grammar::SelectStatement& select) {
  if (auto checked = check_clauses(scope, select); !checked) {
    return checked.error();
  }
  auto outputs = compile_list(scope, select);
  if (!outputs) {
    return outputs.error();
  }
  std::vector<semantics::BoundExpression> residuals;
  if (select.where_clause.is_present()) {
    auto condition = ExpressionBinder(scope, {"WHERE"}).condition(select.where_clause);
    if (!condition) {
      return condition.error();
    }
    residuals.push_back(std::move(*condition));
  }
  auto order = compile_sort_group(scope, select, &*outputs);
  if (!order) {
    return order.error();
  }
  auto selection = bind_outputs(scope, std::move(*outputs), *order);
  if (!selection) {
    return selection.error();
  }
  if (auto bounds = compile_bounds(scope, select, order->ties_by, *selection); !bounds) {
    return bounds.error();
  }
  if (auto checked = contract::check_selection(*selection); !checked) {
    return scope.located(checked.error(), scope.statement_location());
  }
  selection->residuals = std::move(residuals);
  return selection;
}

Result<CompiledSelect> compile_over(Scope& scope, const contract::PartitionMap& map,
                                    const grammar::SelectStatement& select, const ValuesTable& table) {
  auto selection = select_over(scope, select);
  if (!selection) {
    return selection.error();
  }
  auto rows = scope.leaves_mistakes() ? semantics::MergedRows() : semantics::plain_answer(*selection, table.rows);
  if (!rows) {
    return rows.error();
  }
  selection->residuals.clear();
  scope.places().give_up();  // Other values make other rows.
  CompiledSelect made = make_select(scope.schema(), map, std::move(*selection), {});
  made.shape = nullptr;
  made.rows = std::make_shared<const semantics::MergedRows>(std::move(*rows));
  return made;
}

Result<Returning> compile_returning(Scope& scope, grammar::Nodes list,
                                    std::span<const std::vector<semantics::Value>> rows) {
  auto outputs = compile_list(scope, {"RETURNING"}, list);
  if (!outputs) {
    return outputs.error();
  }
  SortGroup no_order;
  auto selection = bind_outputs(scope, std::move(*outputs), no_order);
  if (!selection) {
    return selection.error();
  }
  if (auto checked = contract::check_selection(*selection); !checked) {
    return scope.located(checked.error(), scope.statement_location());
  }
  auto made = final_rows(*selection, rows);
  if (!made) {
    return made.error();
  }
  return Returning{std::make_shared<const std::vector<semantics::Column>>(semantics::final_columns(*selection)),
                   std::move(*made)};
}

Result<ReadSelect> read_select(Scope& scope, const grammar::SelectStatement& select) {
  if (!has_inner_query(select)) {
    return read_flat(scope, select);
  }
  constexpr size_t kArenaBytes = 16u << 10;
  Arena arena(kArenaBytes);
  auto flat = flattened(scope, select, arena);
  return flat ? read_flat(scope, **flat) : flat.error();
}

Result<CompiledSelect> compile_select(Scope& scope, const contract::PartitionMap& map,
                                      const grammar::SelectStatement& select) {
  if (is_of_values(select)) {
    return compile_values(scope, map, select);
  }
  if (is_of_number(select)) {
    return compile_number(scope, map, select);
  }
  auto read = is_of_several_exists(select) ? read_several_exists(scope, select) : read_select(scope, select);
  if (!read) {
    return read.error();
  }
  return make_select(scope.schema(), map, std::move(read->selection), std::move(read->condition));
}

}  // namespace daedalus::aggregator::sql
