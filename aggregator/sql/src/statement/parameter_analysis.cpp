#include "parameter_analysis.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "counted.hpp"
#include "exists.hpp"
#include "expression_binder.hpp"
#include "flatten.hpp"
#include "refusals.hpp"
#include "several_exists.hpp"
#include "unnest.hpp"
#include "values.hpp"

namespace daedalus::aggregator::sql {

namespace {

using grammar::Node;

constexpr const char* kNotSupported = "0A000";

class ParameterAnalysis {
 public:
  explicit ParameterAnalysis(Scope& scope) : scope_(scope) {}

  Result<void> statement(const Node& root) {
    switch (root.kind()) {
      case Node::kSelect:
        return select(root.select());
      case Node::kInsert:
        return insert(root.insert());
      case Node::kUpdate:
        return update(root.update());
      case Node::kDelete:
        return remove(root.delete_());
      default:
        return {};
    }
  }

 private:
  /// A value that may still want a type, and the column that it is for.
  struct Wanted {
    Typed value;
    uint32_t column = 0;
  };

  Result<void> select(const grammar::SelectStatement& statement);
  Result<void> flat_select(const grammar::SelectStatement& statement);
  Result<void> keys(const grammar::SelectStatement& statement);
  Result<void> insert(const grammar::InsertStatement& statement);
  Result<void> unnested(const grammar::SelectStatement& source, const std::vector<uint32_t>& columns);
  Result<void> row(grammar::Nodes values, const std::vector<uint32_t>& columns);
  Result<void> update(const grammar::UpdateStatement& statement);
  Result<void> remove(const grammar::DeleteStatement& statement);

  /// The outputs, as far as they have types.
  Result<std::vector<Typed>> targets(grammar::Nodes list, ExpressionBinder::Place place);
  /// Makes text of each output that has no type.
  Result<void> settle(std::vector<Typed> targets);
  Result<void> condition(const Node& node, ExpressionBinder::Place place);
  /// An item of ORDER BY, GROUP BY or DISTINCT ON.
  Result<void> key(const Node& node, const char* clause);
  Result<void> count(const Node& node, std::string_view name);
  Result<void> assign(std::vector<Wanted> values);

  /// Returns the error of the first mistake in the types of parameters; `done` if there is none.
  [[nodiscard]] Result<void> passed(Result<void> done) const;

  Scope& scope_;
};

std::string spelled(const ParameterKind& kind) {
  return fmt::format("{}{}", semantics::kind_name(kind.kind), kind.is_array ? "[]" : "");
}

/// A position among the outputs, or a column, takes no parameter.
bool is_plain_key(const Node& node) { return node.has_constant() || node.has_column(); }

Result<void> ParameterAnalysis::passed(Result<void> done) const {
  if (const auto& mistake = scope_.types().mistake()) {
    return scope_.error("42P08", fmt::format("inconsistent types deduced for parameter ${}", mistake->number),
                        mistake->location);
  }
  return done;
}

// ---- expressions ----

Result<std::vector<Typed>> ParameterAnalysis::targets(grammar::Nodes list, ExpressionBinder::Place place) {
  std::vector<Typed> made;
  for (const Node& node : list) {
    const Node& value = node.target().value;
    if (is_plain_key(value)) {
      continue;
    }
    auto typed = ExpressionBinder(scope_, place).value_without_type(value);
    if (auto done = passed(typed ? Result<void>() : Result<void>(typed.error())); !done) {
      return done.error();
    }
    if (typed) {
      made.push_back(std::move(*typed));
    }
  }
  return made;
}

Result<void> ParameterAnalysis::settle(std::vector<Typed> targets) {
  ExpressionBinder binder(scope_, {"the SELECT list"});
  for (Typed& target : targets) {
    auto settled = binder.settled(std::move(target));
    if (auto done = passed(settled ? Result<void>() : Result<void>(settled.error())); !done) {
      return done;
    }
  }
  return {};
}

Result<void> ParameterAnalysis::condition(const Node& node, ExpressionBinder::Place place) {
  if (!node.is_present() || node.has_current_of()) {
    return {};
  }
  auto bound = ExpressionBinder(scope_, place).condition(node);
  return passed(bound ? Result<void>() : Result<void>(bound.error()));
}

Result<void> ParameterAnalysis::key(const Node& node, const char* clause) {
  if (is_plain_key(node)) {
    return {};
  }
  const bool is_list = node.kind() == Node::kRow && !node.row().has_keyword;
  for (const Node& item : is_list                   ? node.row().items
                          : node.has_grouping_set() ? node.grouping_set().content
                                                    : grammar::Nodes()) {
    if (auto done = key(item, clause); !done) {
      return done;
    }
  }
  if (is_list || node.has_grouping_set()) {
    return {};
  }
  auto bound = ExpressionBinder(scope_, {clause, true}).value(node);
  return passed(bound ? Result<void>() : Result<void>(bound.error()));
}

Result<void> ParameterAnalysis::count(const Node& node, std::string_view name) {
  if (!node.is_present() || is_plain_key(node)) {
    return {};
  }
  auto constant = fold(scope_, node);
  if (!constant || !constant->has_value()) {
    return passed(constant ? Result<void>() : Result<void>(constant.error()));
  }
  auto bigint = resolve_as_bigint(scope_, **constant, name);
  return passed(bigint ? Result<void>() : Result<void>(bigint.error()));
}

// ---- SELECT ----

Result<void> ParameterAnalysis::select(const grammar::SelectStatement& statement) {
  if (is_of_values(statement)) {
    return {};  // Its columns are known once it is compiled.
  }
  constexpr size_t kArenaBytes = 16u << 10;
  if (is_of_number(statement)) {
    if (auto done = select(counted_query(statement)); !done) {
      return done;
    }
    Arena arena(kArenaBytes);
    auto around = without_query(statement, arena);
    return around ? flat_select(*around) : passed(around.error());
  }
  if (is_of_several_exists(statement)) {
    for (const grammar::SelectStatement* const query : queries_of_exists(statement)) {
      if (auto done = select(*query); !done) {
        return done;
      }
    }
    Arena arena(kArenaBytes);
    auto made = with_filters(statement, arena);
    return made ? flat_select(*made) : passed(made.error());
  }
  if (!has_inner_query(statement)) {
    return flat_select(statement);
  }
  for (const Node& table : statement.with_clause.with().tables) {
    if (auto done = select(table.common_table().query.select()); !done) {
      return done;
    }
  }
  for (const Node& from : statement.from_clause) {
    if (from.kind() == Node::kRangeSubselect) {
      if (auto done = select(from.range_subselect().query.select()); !done) {
        return done;
      }
    }
  }
  Arena arena(kArenaBytes);
  auto flat = flattened(scope_, statement, arena);
  return flat ? flat_select(**flat) : passed(flat.error());
}

Result<void> ParameterAnalysis::flat_select(const grammar::SelectStatement& statement) {
  const bool is_refused = statement.has_into || statement.has_window || statement.has_locking;
  const bool is_plain = !is_refused && statement.set_operation == grammar::SetOperation::kNone &&
                        statement.values_lists.empty() && statement.from_clause.size() <= 1;
  if (!is_plain || (statement.from_clause.size() == 1 && !statement.from_clause[0].has_range_variable())) {
    return {};
  }
  if (!statement.from_clause.empty()) {
    if (auto bound = scope_.bind_table(statement.from_clause[0].range_variable()); !bound) {
      return passed(bound);
    }
  }
  auto outputs = targets(statement.target_list, {"the SELECT list", /*takes_aggregates=*/true});
  if (!outputs) {
    return outputs.error();
  }
  if (auto done = condition(statement.where_clause, {"WHERE"}); !done) {
    return done;
  }
  if (auto done = condition(statement.having_clause, {"HAVING", /*takes_aggregates=*/true}); !done) {
    return done;
  }
  if (auto done = keys(statement); !done) {
    return done;
  }
  if (auto done = count(statement.limit_offset, "OFFSET"); !done) {
    return done;
  }
  if (auto done = count(statement.limit_count, "LIMIT"); !done) {
    return done;
  }
  return settle(std::move(*outputs));
}

Result<void> ParameterAnalysis::keys(const grammar::SelectStatement& statement) {
  for (const Node& node : statement.sort_clause) {
    if (auto done = key(node.sort().expression, "ORDER BY"); !done) {
      return done;
    }
  }
  for (const Node& node : statement.group_clause) {
    if (auto done = key(node, "GROUP BY"); !done) {
      return done;
    }
  }
  for (const Node& node : statement.distinct_on) {
    if (auto done = key(node, "DISTINCT ON"); !done) {
      return done;
    }
  }
  return {};
}

// ---- what writes ----

Result<void> ParameterAnalysis::assign(std::vector<Wanted> values) {
  ExpressionBinder binder(scope_, {"UPDATE"});
  for (auto& [value, column] : values) {
    const semantics::Column& target = scope_.schema().columns[column];
    if (value.is_unknown) {
      if (value.parameter != 0) {
        scope_.ask_kind(value.parameter, value.location, {target.type.kind});
      }
      if (auto done = passed({}); !done) {
        return done;
      }
      continue;
    }
    const semantics::TypeKind kind = value.expression.type.kind;
    if (value.is_array && semantics::is_string(target.type.kind)) {
      return scope_.refuse("an array in this place", value.location);
    }
    if (value.is_array || !semantics::can_assign(kind, target.type.kind)) {
      return scope_.error("42804",
                          fmt::format("column \"{}\" is of type {} but expression is of type {}", target.name,
                                      semantics::kind_name(target.type.kind), spelled({kind, value.is_array})),
                          value.location);
    }
  }
  return {};
}

Result<void> ParameterAnalysis::row(grammar::Nodes values, const std::vector<uint32_t>& columns) {
  std::vector<Wanted> wanted;
  for (size_t place = 0; place < values.size() && place < columns.size(); ++place) {
    const Node& value = values[place];
    if (value.has_constant() || value.has_set_to_default() || value.has_multiple_assignment()) {
      continue;
    }
    auto typed = ExpressionBinder(scope_, {"UPDATE"}).value_without_type(value);
    if (auto done = passed(typed ? Result<void>() : Result<void>(typed.error())); !done) {
      return done;
    }
    if (typed) {
      wanted.push_back({std::move(*typed), columns[place]});
    }
  }
  return assign(std::move(wanted));
}

/// The arrays, then what is selected beside their elements: a parameter that stands alone is one of its column's type.
Result<void> ParameterAnalysis::unnested(const grammar::SelectStatement& source, const std::vector<uint32_t>& columns) {
  const std::vector<Node> arrays = unnested_arrays(source);
  for (const Node& array : arrays) {
    auto elements = ExpressionBinder(scope_, {"unnest"}).array_elements(array);
    if (auto done = passed(elements ? Result<void>() : Result<void>(elements.error())); !done) {
      return done;
    }
  }
  std::vector<Node> values;
  std::vector<uint32_t> targets;
  size_t place = 0;
  for (const Node& target : source.target_list) {
    const Node& value = target.target().value;
    if (value.kind() == Node::kParameter && place < columns.size()) {
      values.push_back(value);
      targets.push_back(columns[place]);
    }
    place += value.column().is_star ? arrays.size() : 1;
  }
  return row(values, targets);
}

Result<void> ParameterAnalysis::insert(const grammar::InsertStatement& statement) {
  if (auto bound = scope_.bind_table(statement.relation); !bound) {
    return passed(bound);
  }
  std::vector<uint32_t> columns;
  for (const Node& node : statement.columns) {
    auto column = scope_.target_column(node.target());
    if (!column) {
      return passed(column.error());
    }
    columns.push_back(*column);
  }
  for (uint32_t column = 0; statement.columns.empty() && column < scope_.schema().columns.size(); ++column) {
    columns.push_back(column);
  }
  for (const Node& list : statement.source.select().values_lists) {
    if (mentions_column(list)) {
      continue;  // There is none to name.
    }
    if (auto done = row(list.list().items, columns); !done) {
      return done;
    }
  }
  if (is_of_unnest(statement.source.select())) {
    if (auto done = unnested(statement.source.select(), columns); !done) {
      return done;
    }
  }
  auto returned = targets(statement.returning, {"RETURNING"});
  return returned ? settle(std::move(*returned)) : returned.error();
}

Result<void> ParameterAnalysis::update(const grammar::UpdateStatement& statement) {
  if (auto bound = scope_.bind_table(statement.relation); !bound) {
    return passed(bound);
  }
  if (auto done = condition(statement.where_clause, {"WHERE"}); !done) {
    return done;
  }
  std::vector<Node> values;
  std::vector<uint32_t> columns;
  for (const Node& node : statement.target_list) {
    if (const auto column = scope_.find_column(node.target().name)) {
      values.push_back(node.target().value);
      columns.push_back(*column);
    }
  }
  return row(values, columns);
}

Result<void> ParameterAnalysis::remove(const grammar::DeleteStatement& statement) {
  if (auto bound = scope_.bind_table(statement.relation); !bound) {
    return passed(bound);
  }
  return condition(statement.where_clause, {"WHERE"});
}

}  // namespace

Result<void> fix_parameters(Scope& scope) {
  if (scope.text().find('$') == std::string::npos) {
    return {};  // It has none.
  }
  auto done = ParameterAnalysis(scope).statement(scope.root());
  // The compiler words a refusal better, but does not know where arrays may stand.
  const bool is_refused = !done && done.error().sqlstate == kNotSupported;
  return is_refused && !scope.types().has_arrays() ? Result<void>() : done;
}

Result<void> check_parameter_types(const Scope& scope) {
  const auto open = scope.types().left_open();
  if (!open) {
    return {};
  }
  return scope.error("42P08", fmt::format("could not determine data type of parameter ${}", open->number),
                     open->location);
}

}  // namespace daedalus::aggregator::sql
