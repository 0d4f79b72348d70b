// SELECT: refuses what is outside the supported SQL, then compiles list, WHERE, GROUP BY, ORDER BY and LIMIT.
#include <fmt/format.h>

#include <algorithm>

#include "condition.hpp"
#include "constant.hpp"
#include "lexer.hpp"
#include "outputs.hpp"
#include "refusals.hpp"
#include "sort_group.hpp"
#include "statements.hpp"

namespace daedalus::aggregator::sql {

namespace {

using semantics::Expression;

/// Refuses whole clauses, in the order in which they stand in the text.
Result<void> check_clauses(const Scope& scope, const grammar::SelectStatement& select) {
  const auto at_keyword = [&](std::string_view keyword) { return find_keyword(scope.text(), keyword); };
  if (select.has_with_clause()) {
    return scope.refuse("WITH", select.with_clause().location(), "send each query on its own");
  }
  switch (select.set_operation()) {
    case grammar::SET_OPERATION_UNION:
      return scope.refuse("UNION", at_keyword("union"), "send each query on its own");
    case grammar::SET_OPERATION_INTERSECT:
      return scope.refuse("INTERSECT", at_keyword("intersect"), "send each query on its own");
    case grammar::SET_OPERATION_EXCEPT:
      return scope.refuse("EXCEPT", at_keyword("except"), "send each query on its own");
    default:
      break;
  }
  if (select.values_lists_size() > 0) {
    return scope.refuse("VALUES as a query", at_keyword("values"));
  }
  if (select.distinct_clause_size() > 0) {
    return scope.refuse("DISTINCT", at_keyword("distinct"), "use GROUP BY on the columns of the list");
  }
  if (select.has_into_clause()) {
    return scope.refuse("SELECT INTO", at_keyword("into"));
  }
  if (select.from_clause_size() == 0) {
    return scope.refuse("SELECT without FROM", scope.statement_location(),
                        fmt::format("select from \"{}\"", scope.schema().table_name));
  }
  if (select.group_distinct()) {
    return scope.refuse("GROUP BY DISTINCT", at_keyword("group"));
  }
  if (select.has_having_clause()) {
    return scope.refuse("HAVING", at_keyword("having"), "filter the groups in the application");
  }
  if (select.window_clause_size() > 0) {
    return scope.refuse("WINDOW", at_keyword("window"), "use an aggregate with GROUP BY");
  }
  if (select.limit_option() == grammar::LIMIT_OPTION_WITH_TIES) {
    return scope.refuse("FETCH ... WITH TIES", at_keyword("fetch"), "use ROWS ONLY");
  }
  if (select.locking_clause_size() > 0) {
    return scope.refuse("FOR UPDATE or FOR SHARE", at_keyword("for"), "rows are never locked");
  }
  return {};
}

Result<void> bind_from(Scope& scope, const grammar::SelectStatement& select) {
  const grammar::Node& first = select.from_clause(0);
  if (select.from_clause_size() > 1 || !first.has_range_variable()) {
    const bool is_list = first.has_range_variable();
    const grammar::Node& wrong = is_list ? select.from_clause(1) : first;
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

/// One item of the list that is not a star.
Result<OutputItem> list_item(Scope& scope, const grammar::ResultTarget& target) {
  const grammar::Node& value = target.value();
  OutputItem item;
  item.name = target.name();
  item.location = target.location();
  if (value.has_column()) {
    auto column = scope.column(value.column());
    if (column.has_error()) {
      return column.error();
    }
    item.column = *column;
    item.name = item.name.empty() ? scope.schema().columns[*column].name : item.name;
    return item;
  }
  if (value.has_function_call() && is_aggregate(value.function_call())) {
    auto call = resolve_aggregate(scope, value.function_call());
    if (call.has_error()) {
      return call.error();
    }
    item.is_aggregate = true;
    item.call = *call;
    item.name = item.name.empty() ? std::string(semantics::function_name(call->function)) : item.name;
    return item;
  }
  auto constant = fold(scope, value);
  if (constant.has_error()) {
    return constant.error();
  }
  if (constant->has_value()) {
    return scope.refuse("a constant in the SELECT list", location_of(value), "add it in the application");
  }
  Construct construct = describe(value);
  return scope.refuse(construct.name + " in the SELECT list", location_of(value), std::move(construct.hint));
}

Result<Outputs> compile_list(Scope& scope, const grammar::SelectStatement& select) {
  Outputs outputs;
  for (const grammar::Node& node : select.target_list()) {
    const grammar::ResultTarget& target = node.target();
    if (target.value().has_column()) {
      auto is_star = scope.is_star(target.value().column());
      if (is_star.has_error()) {
        return is_star.error();
      }
      if (*is_star) {
        for (uint32_t column = 0; column < scope.schema().columns.size(); ++column) {
          outputs.add_visible({scope.schema().columns[column].name, false, {}, column, target.location()});
        }
        continue;
      }
    }
    auto item = list_item(scope, target);
    if (item.has_error()) {
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

/// LIMIT or OFFSET; nothing when it is absent or NULL.
Result<std::optional<uint64_t>> compile_count(Scope& scope, const grammar::Node& node, bool is_limit) {
  const char* const name = is_limit ? "LIMIT" : "OFFSET";
  auto constant = fold(scope, node);
  if (constant.has_error()) {
    return constant.error();
  }
  if (!constant->has_value()) {
    if (node.has_column()) {
      return scope.error("42P10", fmt::format("argument of {} must not contain variables", name), location_of(node));
    }
    return scope.refuse(node);
  }
  auto count = resolve_as_bigint(scope, **constant, name);
  if (count.has_error()) {
    return count.error();
  }
  if (!count->has_value()) {
    return std::optional<uint64_t>();
  }
  if (**count < 0) {
    return scope.error(is_limit ? "2201W" : "2201X", fmt::format("{} must not be negative", name), location_of(node));
  }
  return std::optional<uint64_t>(static_cast<uint64_t>(**count));
}

Result<void> compile_bounds(Scope& scope, const grammar::SelectStatement& select, wire::v1::SelectBody* body) {
  if (select.has_limit_count()) {
    auto limit = compile_count(scope, select.limit_count(), true);
    if (limit.has_error()) {
      return limit.error();
    }
    body->set_has_limit(limit->has_value());
    body->set_limit(limit->value_or(0));
  }
  if (select.has_limit_offset()) {
    auto offset = compile_count(scope, select.limit_offset(), false);
    if (offset.has_error()) {
      return offset.error();
    }
    body->set_offset(offset->value_or(0));
  }
  return {};
}

wire::v1::Expression column_expression(uint32_t column) {
  return contract::from_expression(Expression::make_column(column));
}

void write_outputs(const Outputs& outputs, wire::v1::SelectBody* body) {
  for (const OutputItem& item : outputs.items()) {
    wire::v1::Output* output = body->add_outputs();
    output->set_name(item.name);
    if (!item.is_aggregate) {
      *output->mutable_expression() = column_expression(item.column);
      continue;
    }
    output->mutable_aggregate()->set_function(static_cast<wire::v1::AggregateFunction>(item.call.function));
    if (item.call.function != semantics::AggregateFunction::kCountRows) {
      *output->mutable_aggregate()->mutable_argument() = column_expression(item.call.column);
    }
  }
  body->set_visible_outputs(outputs.visible_count());
}

Result<CompiledSelect> finish_select(const Scope& scope, const contract::PartitionMap& map,
                                     const wire::v1::SelectBody& body) {
  CompiledSelect compiled;
  compiled.body = body.SerializeAsString();
  wire::v1::ResultForm form{};
  auto selection = contract::to_selection(scope.schema(), compiled.body, &form);
  if (selection.has_error()) {
    return scope.located(selection.error(), scope.statement_location());
  }
  compiled.selection = std::move(*selection);
  auto columns = semantics::final_columns(scope.schema(), compiled.selection);
  if (columns.has_error()) {
    return scope.located(columns.error(), scope.statement_location());
  }
  compiled.columns = std::move(*columns);
  compiled.routes = contract::routes_of(scope.schema(), map, compiled.selection.predicate);
  return compiled;
}

}  // namespace

Result<CompiledSelect> compile_select(Scope& scope, const contract::PartitionMap& map,
                                      const grammar::SelectStatement& select) {
  if (auto checked = check_clauses(scope, select); checked.has_error()) {
    return checked.error();
  }
  if (auto bound = bind_from(scope, select); bound.has_error()) {
    return bound.error();
  }
  auto outputs = compile_list(scope, select);
  if (outputs.has_error()) {
    return outputs.error();
  }
  wire::v1::SelectBody body;
  body.set_form(wire::v1::RESULT_FORM_PARTIAL);
  if (select.has_where_clause()) {
    auto where = compile_where(scope, select.where_clause());
    if (where.has_error()) {
      return where.error();
    }
    if (where->has_value()) {
      *body.mutable_filter() = contract::from_expression(**where);
    }
  }
  auto order = compile_sort_group(scope, select, &*outputs);
  if (order.has_error()) {
    return order.error();
  }
  if (auto bounds = compile_bounds(scope, select, &body); bounds.has_error()) {
    return bounds.error();
  }
  write_outputs(*outputs, &body);
  for (const uint32_t column : order->group_by) {
    *body.add_group_by() = column_expression(column);
  }
  for (const semantics::OrderKey& key : order->order_by) {
    wire::v1::OrderKey* written = body.add_order_by();
    written->set_output(key.output);
    written->set_descending(key.order.descending);
    written->set_nulls_first(key.order.nulls_first);
  }
  return finish_select(scope, map, body);
}

}  // namespace daedalus::aggregator::sql
