// UPDATE and DELETE: rows found by a predicate, changed by constants.
#include <fmt/format.h>

#include <algorithm>

#include "arithmetic.hpp"
#include "condition.hpp"
#include "constant.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "lexer.hpp"
#include "refusals.hpp"
#include "statements.hpp"

namespace daedalus::aggregator::sql {

namespace {

using semantics::Expression;
using semantics::Operator;
using semantics::Type;
using semantics::TypeKind;

Result<void> check_clauses(const Scope& scope, const grammar::UpdateStatement& update) {
  if (update.with_clause.is_present()) {
    return scope.refuse("WITH", update.with_clause.location());
  }
  if (update.has_from) {
    return scope.refuse("UPDATE ... FROM", find_keyword(scope.text(), "from"),
                        "run the join first and pass its result on");
  }
  if (update.has_returning) {
    return scope.refuse("RETURNING", find_keyword(scope.text(), "returning"),
                        "send a SELECT before or after the UPDATE");
  }
  return {};
}

Result<void> check_clauses(const Scope& scope, const grammar::DeleteStatement& del) {
  if (del.with_clause.is_present()) {
    return scope.refuse("WITH", del.with_clause.location());
  }
  if (del.has_using) {
    return scope.refuse("DELETE ... USING", find_keyword(scope.text(), "using"),
                        "run the join first and pass its result on");
  }
  if (del.has_returning) {
    return scope.refuse("RETURNING", find_keyword(scope.text(), "returning"), "send a SELECT before the DELETE");
  }
  return {};
}

Result<void> check_assignable(const Scope& scope, const contract::PlacementColumns& placement, uint32_t column,
                              int32_t location) {
  const auto holds = [&](const std::vector<uint32_t>& columns) {
    return std::find(columns.begin(), columns.end(), column) != columns.end();
  };
  const bool partitions = holds(placement.partition);
  if (partitions || holds(placement.segment)) {
    return scope.error(
        "0A000",
        fmt::format("assigning column \"{}\" is not supported: it is a {} column, which decides where a row lives",
                    scope.schema().columns[column].name, partitions ? "partitioning" : "segmentation"),
        location, "delete the row and insert it again");
  }
  return {};
}

Expression constant_of(const semantics::Column& column, semantics::Value value) {
  return Expression::make_constant(column.type, std::move(value));
}

/// The type in which a constant is added to a column: days to a date; a typed constant keeps its precision beside real.
Type change_type(const Type& column, const Constant& change) {
  if (column.kind == TypeKind::kDate) {
    return Type{TypeKind::kInt};
  }
  return semantics::is_floating(column.kind) && !change.is_untyped ? Type{TypeKind::kDouble} : column;
}

/// col ± constant, the constant brought to the column's type (to a number of days for a date) without any loss.
Result<Expression> compile_change(const Scope& scope, uint32_t column, Operator op, const Constant& change,
                                  int32_t location) {
  const semantics::Column& target = scope.schema().columns[column];
  const TypeKind kind = target.type.kind;
  if (!semantics::is_numeric(kind) && kind != TypeKind::kDate) {
    return scope.error(
        "0A000",
        fmt::format("adding to column \"{}\" is not supported for type {}", target.name, semantics::kind_name(kind)),
        location, "only numbers and dates can be added to");
  }
  const Type type = change_type(target.type, change);
  semantics::Column operand{target.name, type, target.nullable, std::nullopt};
  if (!change.is_untyped && !semantics::is_numeric(change.type.kind)) {
    return scope.error("42883",
                       fmt::format("operator does not exist: {} {} {}", semantics::kind_name(kind),
                                   op == Operator::kSubtract ? "-" : "+", semantics::kind_name(change.type.kind)),
                       location);
  }
  auto value = resolve_for_assignment(scope, change, operand);
  if (!value) {
    return value.error();
  }
  if (semantics::is_null(*value)) {
    return constant_of(target, {});  // col + NULL is NULL.
  }
  const bool is_exact = semantics::is_integer(type.kind) || type.kind == TypeKind::kNumeric;
  if (is_exact && !change.is_untyped) {
    const Constant kept{type, *value, false, change.location};
    auto is_same = compare_constants(scope, Operator::kEqual, kept, change, location);
    if (!is_same) {
      return is_same.error();
    }
    if (!is_same->value_or(false)) {
      return scope.error(
          "0A000",
          fmt::format("adding a constant with more fractional digits than column \"{}\" of type {} is not supported",
                      target.name, semantics::to_string(target.type)),
          change.location, "round the constant first");
    }
  }
  return Expression::make_call(op,
                               {Expression::make_column(column), Expression::make_constant(type, std::move(*value))});
}

/// An assigned expression with a column in it: only the column itself, plus or minus a constant.
Result<Expression> compile_column_change(Scope& scope, uint32_t column, const grammar::Node& node) {
  static constexpr std::string_view kHint = "assign a constant, or the column itself plus or minus a constant";
  const auto refuse_other = [&](const grammar::Node& wrong) -> Error {
    return scope.refuse("assignment from another column", location_of(wrong), std::string(kHint));
  };
  const bool is_sum = node.has_operator_expression() &&
                      node.operator_expression().kind == grammar::OperatorKind::kPlain &&
                      node.operator_expression().left.is_present();
  const std::string_view symbol = is_sum ? plain_name(node.operator_expression().name) : std::string_view();
  if (symbol != "+" && symbol != "-") {
    if (!node.has_column()) {
      Construct construct = describe(node);
      return scope.refuse(construct.name + " in an assignment", location_of(node), std::string(kHint));
    }
    auto source = scope.column(node.column());
    return !source ? source.error() : refuse_other(node);
  }
  const grammar::OperatorExpression& sum = node.operator_expression();
  const bool column_is_left = sum.left.has_column();
  const grammar::Node& column_side = column_is_left ? sum.left : sum.right;
  const grammar::Node& constant_side = column_is_left ? sum.right : sum.left;
  auto constant = fold(scope, constant_side);
  if (!constant) {
    return constant.error();
  }
  if (!column_side.has_column() || !constant->has_value()) {
    return scope.refuse("a computed assignment of this form", location_of(node), std::string(kHint));
  }
  auto source = scope.column(column_side.column());
  if (!source) {
    return source.error();
  }
  if (*source != column) {
    return refuse_other(column_side);
  }
  if (!column_is_left && symbol == "-") {
    return scope.refuse("subtracting a column from a constant", location_of(node), std::string(kHint));
  }
  return compile_change(scope, column, symbol == "-" ? Operator::kSubtract : Operator::kAdd, **constant, sum.location);
}

Result<Expression> compile_assigned(Scope& scope, uint32_t column, const grammar::Node& node) {
  const semantics::Column& target = scope.schema().columns[column];
  if (node.has_multiple_assignment()) {
    return scope.refuse("assignment to several columns at once", find_keyword(scope.text(), "set"),
                        "assign each column on its own");
  }
  if (node.has_set_to_default() && target.default_value) {
    return constant_of(target, *target.default_value);
  }
  std::optional<Constant> constant;
  if (node.has_set_to_default()) {
    constant = Constant{target.type, {}, false, node.location()};
  } else {
    auto folded = fold(scope, node);
    if (!folded) {
      return folded.error();
    }
    constant = std::move(*folded);
  }
  if (!constant) {
    return compile_column_change(scope, column, node);
  }
  auto value = resolve_for_assignment(scope, *constant, target);
  if (!value) {
    return value.error();
  }
  return constant_of(target, std::move(*value));
}

Result<void> compile_assignments(Scope& scope, const contract::PartitionMap& map,
                                 const grammar::UpdateStatement& update, wire::v1::ModifyPart* part) {
  const contract::PlacementColumns placement = map.placement_columns();
  std::vector<uint32_t> assigned;
  for (const grammar::Node& node : update.target_list) {
    const grammar::ResultTarget& target = node.target();
    auto column = scope.target_column(target);
    if (!column) {
      return column.error();
    }
    if (std::find(assigned.begin(), assigned.end(), *column) != assigned.end()) {
      return scope.error("42601", fmt::format("multiple assignments to same column \"{}\"", target.name),
                         target.location);
    }
    if (auto checked = check_assignable(scope, placement, *column, target.location); !checked) {
      return checked.error();
    }
    auto value = compile_assigned(scope, *column, target.value);
    if (!value) {
      return value.error();
    }
    assigned.push_back(*column);
    wire::v1::Assignment* assignment = part->add_assignments();
    assignment->set_column(*column);
    *assignment->mutable_value() = contract::from_expression(*value);
  }
  return {};
}

/// WHERE into a part's filter; `Part` is a modify or delete part.
template <typename Part>
Result<void> write_filter(Scope& scope, const grammar::Node& where, Part* part) {
  if (where.has_current_of()) {
    return scope.refuse("WHERE CURRENT OF", find_keyword(scope.text(), "where"));
  }
  auto filter = compile_where(scope, where);
  if (!filter) {
    return filter.error();
  }
  if (filter->has_value()) {
    *part->mutable_filter() = contract::from_expression(**filter);
  }
  return {};
}

}  // namespace

Result<CompiledUpdate> finish_update(const Scope& scope, const contract::PartitionMap& map, wire::v1::UpdateBody body) {
  if (scope.is_described()) {
    return CompiledUpdate();  // Its values are missing, so there is no body to be checked.
  }
  const std::string encoded = body.SerializeAsString();
  auto parts = contract::to_update(scope.schema(), map.placement_columns(), encoded);
  if (!parts) {
    return scope.located(parts.error(), scope.statement_location());
  }
  return CompiledUpdate{std::move(body), contract::routes_of(scope.schema(), map, *parts)};
}

Result<CompiledUpdate> compile_update(Scope& scope, const contract::PartitionMap& map,
                                      const grammar::UpdateStatement& update) {
  if (auto checked = check_clauses(scope, update); !checked) {
    return checked.error();
  }
  if (auto bound = scope.bind_table(update.relation); !bound) {
    return bound.error();
  }
  wire::v1::UpdateBody body;
  wire::v1::ModifyPart* part = body.add_parts()->mutable_modify();
  if (auto assigned = compile_assignments(scope, map, update, part); !assigned) {
    return assigned.error();
  }
  if (update.where_clause.is_present()) {
    if (auto written = write_filter(scope, update.where_clause, part); !written) {
      return written.error();
    }
  }
  return finish_update(scope, map, std::move(body));
}

Result<CompiledUpdate> compile_delete(Scope& scope, const contract::PartitionMap& map,
                                      const grammar::DeleteStatement& del) {
  if (auto checked = check_clauses(scope, del); !checked) {
    return checked.error();
  }
  if (auto bound = scope.bind_table(del.relation); !bound) {
    return bound.error();
  }
  wire::v1::UpdateBody body;
  wire::v1::DeletePart* part = body.add_parts()->mutable_delete_();
  if (del.where_clause.is_present()) {
    if (auto written = write_filter(scope, del.where_clause, part); !written) {
      return written.error();
    }
  }
  return finish_update(scope, map, std::move(body));
}

}  // namespace daedalus::aggregator::sql
