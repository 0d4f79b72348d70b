#include "values.hpp"

#include <fmt/format.h>

#include "expression_binder.hpp"
#include "lexer.hpp"
#include "query_in_from.hpp"
#include "refusals.hpp"

namespace daedalus::aggregator::sql {

namespace {

using grammar::Node;
using semantics::BoundExpression;
using semantics::Type;
using semantics::Value;

constexpr const char* kTable = "*VALUES*";  // As PostgreSQL calls it.

bool is_values(const grammar::SelectStatement* query) { return query != nullptr && !query->values_lists.empty(); }

/// By column, all values of it brought to one type.
using Columns = std::vector<Together>;

Result<Columns> bind_columns(Scope& scope, const grammar::SelectStatement& values) {
  const size_t width = values.values_lists[0].list().items.size();
  for (const Node& row : values.values_lists) {
    if (row.list().items.size() != width) {
      return scope.error("42601", "VALUES lists must all be the same length", location_of(row));
    }
    for (const Node& item : row.list().items) {
      if (mentions_column(item)) {
        return scope.error("42703", "a column is named, and VALUES has none to name", location_of(item));
      }
    }
  }
  Columns columns;
  for (size_t column = 0; column < width; ++column) {
    std::vector<Node> items;
    for (const Node& row : values.values_lists) {
      items.push_back(row.list().items[column]);
    }
    auto bound = ExpressionBinder(scope, {"VALUES"}).of_one_type(items, "VALUES");
    if (!bound) {
      return bound.error();
    }
    columns.push_back(std::move(*bound));
  }
  return columns;
}

/// The type of all of a column's values.
Result<Type> type_of(const std::vector<BoundExpression>& values) {
  auto any = semantics::make_call(semantics::FunctionId::kCoalesce, values);
  return any ? Result<Type>(any->type) : any.error();
}

Result<Value> computed(const Scope& scope, BoundExpression expression) {
  auto value = semantics::evaluate(expression, {});
  return !value && scope.leaves_mistakes() ? Result<Value>(Value()) : value;
}

Result<ValuesTable> make_table(Scope& scope, const grammar::SelectStatement& values, std::string name,
                               grammar::Names names) {
  auto columns = bind_columns(scope, values);
  if (!columns) {
    return columns.error();
  }
  if (names.size() > columns->size()) {
    return scope.error("42P10",
                       fmt::format("table \"{}\" has {} columns available but {} columns specified", name,
                                   columns->size(), names.size()),
                       -1);
  }
  auto schema = std::make_shared<semantics::Schema>();
  schema->table_name = std::move(name);
  ValuesTable table;
  table.rows.resize(values.values_lists.size());
  for (size_t number = 0; number < columns->size(); ++number) {
    const std::vector<BoundExpression>& column = (*columns)[number].values;
    auto type = type_of(column);
    if (!type) {
      return type.error();
    }
    schema->columns.push_back({number < names.size() ? std::string(names[number]) : fmt::format("column{}", number + 1),
                               *type,
                               true,
                               {},
                               (*columns)[number].modifier});
    for (size_t row = 0; row < column.size(); ++row) {
      auto value = computed(scope, column[row]);
      if (!value) {
        return value.error();
      }
      table.rows[row].push_back(std::move(*value));
    }
  }
  table.schema = std::move(schema);
  return table;
}

/// Refuses the clauses that may not stand before or behind VALUES itself.
Result<void> check_values(const Scope& scope, const grammar::SelectStatement& values, bool is_in_from) {
  const auto refuse = [&](const char* what) {
    return scope.refuse(fmt::format("VALUES {}", what), scope.statement_location());
  };
  if (values.with_clause.is_present()) {
    return refuse("with WITH");
  }
  if (values.has_locking || values.has_into) {
    return refuse("with INTO or FOR UPDATE");
  }
  const bool has_order =
      !values.sort_clause.empty() || values.limit_count.is_present() || values.limit_offset.is_present();
  return is_in_from && has_order ? Result<void>(refuse("with ORDER BY, LIMIT or OFFSET in FROM")) : Result<void>();
}

}  // namespace

bool is_of_values(const grammar::SelectStatement& select) {
  return !select.values_lists.empty() || is_values(query_in_from(select).query);
}

Result<CompiledSelect> compile_values(Scope& scope, const contract::PartitionMap& map,
                                      const grammar::SelectStatement& select) {
  const bool is_in_from = select.values_lists.empty();
  const QueryInFrom range = is_in_from ? query_in_from(select) : QueryInFrom{&select, {}, {}};
  const grammar::SelectStatement& values = *range.query;
  if (auto checked = check_values(scope, values, is_in_from); !checked) {
    return checked.error();
  }
  auto table = make_table(scope, values, range.alias.empty() ? kTable : std::string(range.alias), range.columns);
  if (!table) {
    return table.error();
  }
  const ColumnNames names(table->schema);
  Scope over = scope.over(names);
  // The statement about the table: all of it, where VALUES stands alone.
  grammar::ColumnReference star;
  star.is_star = true;
  grammar::ResultTarget all;
  all.value = Node(&star, -1);
  const Node target(&all, -1);
  grammar::SelectStatement about = select;
  about.values_lists = {};
  about.target_list = is_in_from ? select.target_list : grammar::Nodes(&target, 1);
  auto compiled = compile_over(over, map, about, *table);
  scope.take_back(over);
  return compiled;
}

}  // namespace daedalus::aggregator::sql
