// INSERT: every value is brought to its column's type here, so that a bad row is refused before it is
// numbered.
#include <fmt/format.h>

#include <algorithm>

#include "computing_mistakes.hpp"
#include "constant.hpp"
#include "daedalus/semantics/packed.hpp"
#include "insert_mistakes.hpp"
#include "insert_select.hpp"
#include "lexer.hpp"
#include "refusals.hpp"
#include "statements.hpp"

namespace daedalus::aggregator::sql {

namespace {

using semantics::Value;

/// All rows of one INSERT have this in common.
struct InsertShape {
  std::vector<uint32_t> columns;   ///< Column of each value, in the order of the VALUES lists.
  std::vector<int32_t> locations;  ///< Offsets of the column names; empty if no list was given.
  std::vector<semantics::Type> types;
  bool has_column_list = false;
  bool returns = false;  ///< There is a RETURNING.
};

Result<void> check_clauses(const Scope& scope, const grammar::InsertStatement& insert) {
  if (insert.with_clause.is_present()) {
    return scope.refuse("WITH", insert.with_clause.location());
  }
  if (insert.has_overriding) {
    return scope.refuse("OVERRIDING", find_keyword(scope.text(), "overriding"));
  }
  if (insert.on_conflict.is_present()) {
    return scope.refuse("ON CONFLICT", insert.on_conflict.location(), "keys are not enforced: send an UPDATE instead");
  }
  if (!insert.source.is_present() || brings_rows(insert.source)) {
    return {};  // The former is DEFAULT VALUES.
  }
  const grammar::SelectStatement& source = insert.source.select();
  const bool is_plain = !source.values_lists.empty() && source.sort_clause.empty() &&
                        !source.limit_count.is_present() && !source.limit_offset.is_present() && !source.has_locking &&
                        !source.with_clause.is_present();
  if (!is_plain) {
    const bool is_select = source.values_lists.empty();
    return scope.refuse(is_select ? "INSERT ... SELECT" : "VALUES with ORDER BY, LIMIT, WITH or FOR",
                        find_keyword(scope.text(), is_select ? "select" : "values"),
                        "list the rows behind VALUES, or select them FROM unnest() of arrays");
  }
  return {};
}

Result<InsertShape> shape_of(const Scope& scope, const grammar::InsertStatement& insert) {
  const semantics::Schema& schema = scope.schema();
  InsertShape shape;
  shape.types = semantics::column_types(schema);
  shape.has_column_list = !insert.columns.empty();
  shape.returns = !insert.returning.empty();
  for (const grammar::Node& node : insert.columns) {
    auto column = scope.target_column(node.target());
    if (!column) {
      return column.error();
    }
    if (std::find(shape.columns.begin(), shape.columns.end(), *column) != shape.columns.end()) {
      return scope.error("42701", fmt::format("column \"{}\" specified more than once", node.target().name),
                         node.target().location);
    }
    shape.columns.push_back(*column);
    shape.locations.push_back(node.target().location);
  }
  if (!shape.has_column_list) {
    for (uint32_t column = 0; column < schema.columns.size(); ++column) {
      shape.columns.push_back(column);
    }
  }
  return shape;
}

Result<void> check_length(const Scope& scope, const InsertShape& shape, grammar::Nodes list, size_t first_size) {
  if (list.size() != first_size) {
    return scope.error("42601", "VALUES lists must all be the same length",
                       list.empty() ? -1 : location_of(list.front()));
  }
  if (list.size() > shape.columns.size()) {
    return scope.error("42601", "INSERT has more expressions than target columns",
                       location_of(list[shape.columns.size()]));
  }
  if (shape.has_column_list && list.size() < shape.columns.size()) {
    return scope.error("42601", "INSERT has more target columns than expressions", shape.locations[list.size()]);
  }
  return {};
}

/// A column's DEFAULT, or NULL. Errors: 23502 when NULL is not allowed.
Result<Value> default_of(const Scope& scope, uint32_t column, int32_t location) {
  const semantics::Column& target = scope.schema().columns[column];
  if (target.default_value) {
    return *target.default_value;
  }
  return resolve_for_assignment(scope, Constant{target.type, {}, false, location}, target);
}

Result<Value> value_of(Scope& scope, const grammar::Node& node, uint32_t column) {
  if (node.has_set_to_default()) {
    return default_of(scope, column, node.location());
  }
  auto constant = fold(scope, node);
  if (!constant) {
    return constant.error();
  }
  if (!constant->has_value()) {
    if (node.has_column()) {
      return scope.error("0A000", "a column among the values to insert is not supported", location_of(node),
                         "strings take single quotes");
    }
    return scope.refuse(node);
  }
  return resolve_for_assignment(scope, **constant, scope.schema().columns[column]);
}

Error too_large(std::string_view what, uint32_t bound) {
  return rejected("54000", fmt::format("INSERT too large: more than {} {}", bound, what),
                  "send fewer rows with each INSERT");
}

/// The rows of one INSERT.
struct InsertRows {
  std::string packed;
  uint32_t count = 0;
  std::vector<std::vector<Value>> kept;  ///< For RETURNING; none without.
};

Result<void> append_values(const InsertShape& shape, std::vector<Value> values, InsertRows& rows) {
  semantics::append_packed_row(shape.types, values, rows.packed);
  if (rows.packed.size() > contract::kUpdateBytesMax) {
    return too_large("bytes of rows", contract::kUpdateBytesMax);
  }
  ++rows.count;
  if (shape.returns) {
    rows.kept.push_back(std::move(values));
  }
  return {};
}

/// Appends one row; `list` is empty for DEFAULT VALUES.
Result<void> append_row(Scope& scope, const InsertShape& shape, const std::vector<Value>& defaults, grammar::Nodes list,
                        InsertRows& rows) {
  std::vector<Value> values = defaults;
  for (size_t i = 0; i < list.size(); ++i) {
    const uint32_t column = shape.columns[i];
    auto value = value_of(scope, list[i], column);
    if (!value) {
      return value.error();
    }
    values[column] = std::move(*value);
  }
  return append_values(shape, std::move(values), rows);
}

/// Defaults of the columns that get no value from the lists; NULL for the others.
Result<std::vector<Value>> common_defaults(const Scope& scope, const InsertShape& shape, size_t given,
                                           int32_t location) {
  std::vector<Value> defaults(scope.schema().columns.size());
  std::vector<bool> is_given(defaults.size(), false);
  for (size_t i = 0; i < given; ++i) {
    is_given[shape.columns[i]] = true;
  }
  for (uint32_t column = 0; column < defaults.size(); ++column) {
    if (is_given[column]) {
      continue;
    }
    auto value = default_of(scope, column, location);
    if (!value) {
      return value.error();
    }
    defaults[column] = std::move(*value);
  }
  return defaults;
}

/// Collects the mistakes of the values, in the order in which they are written.
std::vector<InsertMistake> mistakes_of(Scope& scope, const InsertShape& shape, grammar::Nodes lists) {
  std::vector<InsertMistake> met;
  for (size_t row = 0; row < lists.size(); ++row) {
    const grammar::Nodes list = lists[row].list().items;
    for (size_t i = 0; i < list.size(); ++i) {
      if (auto value = value_of(scope, list[i], shape.columns[i]); !value) {
        met.push_back({row, shape.columns[i], &list[i], value.error()});
      }
    }
  }
  return met;
}

/// The lists of an INSERT; none of DEFAULT VALUES.
Result<grammar::Nodes> checked_lists(const Scope& scope, const grammar::InsertStatement& insert,
                                     const InsertShape& shape) {
  if (!insert.source.is_present()) {
    return grammar::Nodes();
  }
  const grammar::Nodes lists = insert.source.select().values_lists;
  if (lists.size() > contract::kUpdateRowsMax) {
    return too_large("rows", contract::kUpdateRowsMax);
  }
  for (const grammar::Node& list : lists) {
    if (auto checked = check_length(scope, shape, list.list().items, lists[0].list().items.size()); !checked) {
      return checked.error();
    }
  }
  return lists;
}

Result<InsertRows> compile_rows(Scope& scope, const grammar::InsertStatement& insert, const InsertShape& shape,
                                grammar::Nodes lists) {
  const size_t given = lists.empty() ? 0 : lists[0].list().items.size();
  auto defaults = common_defaults(scope, shape, given, insert.relation.location);
  if (!defaults) {
    return defaults.error();
  }
  InsertRows rows;
  for (size_t row = 0; row < std::max<size_t>(lists.size(), 1); ++row) {
    const grammar::Nodes list = lists.empty() ? grammar::Nodes() : lists[row].list().items;
    if (auto appended = append_row(scope, shape, *defaults, list, rows); !appended) {
      return appended.error();
    }
  }
  return rows;
}

/// Computes RETURNING for rows; nothing where the INSERT has none.
Result<std::optional<Returning>> returned(Scope& scope, const grammar::InsertStatement& insert,
                                          const InsertShape& shape, std::vector<std::vector<Value>> rows) {
  if (!shape.returns) {
    return std::optional<Returning>();
  }
  auto made = compile_returning(scope, insert.returning, rows);
  return made ? Result<std::optional<Returning>>(std::move(*made)) : made.error();
}

/// The rows were not compiled because of `met`: that, or what PostgreSQL meets before it.
Error told_of(Scope& scope, const grammar::InsertStatement& insert, const InsertShape& shape, grammar::Nodes lists,
              Error met) {
  const std::vector<InsertMistake> all =
      is_of_computing(met) ? mistakes_of(scope, shape, lists) : std::vector<InsertMistake>();
  if (all.empty()) {
    return met;
  }
  const auto of_none = returned(scope, insert, shape, {});
  FirstMistake first =
      first_mistake(scope, all, lists.size() == 1, of_none ? std::optional<Error>() : std::optional(of_none.error()));
  if (first.rows_before > 0 && shape.returns) {
    // PostgreSQL has computed RETURNING for those rows when it meets the mistake: an error of that comes first.
    auto before = compile_rows(scope, insert, shape, lists.subspan(0, first.rows_before));
    const auto of_those = before ? returned(scope, insert, shape, std::move(before->kept)) : before.error();
    return of_those ? first.error : of_those.error();
  }
  return first.error;
}

/// The rows that are listed behind VALUES, or the one of DEFAULT VALUES.
Result<InsertRows> compile_listed(Scope& scope, const grammar::InsertStatement& insert, const InsertShape& shape) {
  const auto lists = checked_lists(scope, insert, shape);
  if (!lists) {
    return lists.error();
  }
  scope.set_draws(true);
  auto rows = compile_rows(scope, insert, shape, *lists);
  scope.set_draws(false);
  return rows ? std::move(rows) : Result<InsertRows>(told_of(scope, insert, shape, *lists, rows.error()));
}

/// The rows that are selected; there may be none.
Result<InsertRows> compile_selected(Scope& scope, const contract::PartitionMap& map,
                                    const grammar::InsertStatement& insert, const InsertShape& shape) {
  const auto selected = select_rows(scope, map, insert.source.select(), {shape.columns, shape.locations});
  if (!selected) {
    return selected.error();
  }
  if (selected->rows.size() > contract::kUpdateRowsMax) {
    return too_large("rows", contract::kUpdateRowsMax);
  }
  InsertRows rows;
  if (selected->rows.empty()) {
    return rows;  // No column lacks a value.
  }
  const auto defaults = common_defaults(scope, shape, selected->width, insert.relation.location);
  if (!defaults) {
    return defaults.error();
  }
  for (const std::vector<Value>& row : selected->rows) {
    std::vector<Value> values = *defaults;
    for (size_t place = 0; place < row.size(); ++place) {
      values[shape.columns[place]] = row[place];
    }
    if (auto appended = append_values(shape, std::move(values), rows); !appended) {
      return appended.error();
    }
  }
  return rows;
}

}  // namespace

Result<CompiledUpdate> compile_insert(Scope& scope, const contract::PartitionMap& map,
                                      const grammar::InsertStatement& insert) {
  if (auto checked = check_clauses(scope, insert); !checked) {
    return checked.error();
  }
  if (auto bound = scope.bind_table(insert.relation); !bound) {
    return bound.error();
  }
  auto shape = shape_of(scope, insert);
  if (!shape) {
    return shape.error();
  }
  auto rows =
      brings_rows(insert.source) ? compile_selected(scope, map, insert, *shape) : compile_listed(scope, insert, *shape);
  if (!rows) {
    return rows.error();
  }
  auto returning =
      returned(scope, insert, *shape, scope.is_described() ? std::vector<std::vector<Value>>() : std::move(rows->kept));
  if (!returning) {
    return returning.error();
  }
  if (rows->count == 0) {
    return CompiledUpdate{{}, {}, std::move(*returning)};  // Nothing is to be submitted.
  }
  wire::v1::UpdateBody body;
  wire::v1::InsertPart& part = *body.add_parts()->mutable_insert();
  part.set_rows(std::move(rows->packed));
  part.set_row_count(rows->count);
  auto update = finish_update(scope, map, std::move(body));
  if (update) {
    update->returning = std::move(*returning);
  }
  return update;
}

}  // namespace daedalus::aggregator::sql
