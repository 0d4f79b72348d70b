// UPDATE and DELETE: rows found by a condition, changed by constants or by what is computed of each.
#include <fmt/format.h>

#include <algorithm>

#include "arithmetic.hpp"
#include "computing_mistakes.hpp"
#include "constant.hpp"
#include "daedalus/contract/normal_form.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/text.hpp"
#include "expression_binder.hpp"
#include "lexer.hpp"
#include "refusals.hpp"
#include "statements.hpp"
#include "where.hpp"

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

/// Said of what one way of compiling cannot do, or does not know, so that another one is tried.
bool is_refused(const Error& error) { return error.sqlstate == "0A000" || error.sqlstate == "42883"; }

/// Returns whether the error has to wait: it is told in its turn, or by the rows, see write_computed().
bool is_told_later(const Error& error) { return is_refused(error) || is_of_computing(error); }

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

/// Returns whether the type has the opposite of a whole number, too; it has none of its least number.
bool has_opposite(const Type& type, const semantics::Value& value) {
  const auto* whole = std::get_if<int64_t>(&value);
  const auto opposite = [&] { return semantics::Decimal{semantics::BigInt(-semantics::BigInt(*whole)), 0}; };
  return whole == nullptr || semantics::assign({TypeKind::kNumeric}, opposite(), type);
}

/// col ± constant, the constant brought to the column's type (to a number of days for a date) without any loss. Error
/// 0A000: that cannot be. Precondition: can_be_added().
Result<Expression> compile_change(const Scope& scope, uint32_t column, Operator op, const Constant& change,
                                  int32_t location) {
  const semantics::Column& target = scope.schema().columns[column];
  const Type type = change_type(target.type, change);
  semantics::Column operand{target.name, type, target.nullable, std::nullopt};
  auto value = resolve_for_assignment(scope, change, operand);
  if (!value) {
    return value.error();
  }
  if (semantics::is_null(*value)) {
    return constant_of(target, {});  // col + NULL is NULL.
  }
  if (op == Operator::kSubtract && !has_opposite(type, *value)) {
    return scope.error("0A000", fmt::format("subtracting the least {} is not supported", semantics::to_string(type)),
                       change.location);
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

/// Returns whether PostgreSQL adds such a constant within the column's own kind: numbers to numbers, whole ones to
/// dates.
bool can_be_added(TypeKind column, const Constant& constant) {
  if (!semantics::is_numeric(column) && column != TypeKind::kDate) {
    return false;
  }
  const TypeKind kind = constant.type.kind;
  return constant.is_untyped || (column == TypeKind::kDate ? kind == TypeKind::kInt || kind == TypeKind::kSmallint
                                                           : semantics::is_numeric(kind));
}

/// `col ± constant` of the assigned column itself, which nodes add up without evaluating anything. Nothing where the
/// expression is another one, or where that could not be done exactly.
Result<std::optional<Expression>> compile_column_change(Scope& scope, uint32_t column, const grammar::Node& node) {
  const std::optional<Expression> other;
  const bool is_sum = node.has_operator_expression() &&
                      node.operator_expression().kind == grammar::OperatorKind::kPlain &&
                      node.operator_expression().left.is_present();
  const std::string_view symbol = is_sum ? plain_name(node.operator_expression().name) : std::string_view();
  if (symbol != "+" && symbol != "-") {
    return other;
  }
  const grammar::OperatorExpression& sum = node.operator_expression();
  const bool column_is_left = sum.left.has_column();
  const grammar::Node& column_side = column_is_left ? sum.left : sum.right;
  const grammar::Node& constant_side = column_is_left ? sum.right : sum.left;
  if (!column_side.has_column() || (!column_is_left && symbol == "-") || mentions_column(constant_side)) {
    return other;
  }
  auto source = scope.column(column_side.column());
  if (!source) {
    return source.error();
  }
  if (*source != column) {
    return other;
  }
  auto constant = fold(scope, constant_side);
  if (!constant) {
    return is_told_later(constant.error()) ? Result<std::optional<Expression>>(other) : constant.error();
  }
  if (!constant->has_value() || !can_be_added(scope.schema().columns[column].type.kind, **constant)) {
    return other;
  }
  const Operator op = symbol == "-" ? Operator::kSubtract : Operator::kAdd;
  auto change = compile_change(scope, column, op, **constant, sum.location);
  if (!change) {
    const bool is_of_rows = is_told_later(change.error()) && change.error().sqlstate != kNullForbidden;
    return is_of_rows ? Result<std::optional<Expression>>(other) : change.error();
  }
  return std::optional<Expression>(std::move(*change));
}

/// A constant, the column's default, or `col ± constant`; nothing where the value has to be computed of the row.
Result<std::optional<Expression>> compile_known(Scope& scope, uint32_t column, const grammar::Node& node) {
  const semantics::Column& target = scope.schema().columns[column];
  if (node.has_multiple_assignment()) {
    return scope.refuse("assignment to several columns at once", find_keyword(scope.text(), "set"),
                        "assign each column on its own");
  }
  if (node.has_set_to_default() && target.default_value) {
    return std::optional(constant_of(target, *target.default_value));
  }
  std::optional<Constant> constant;
  if (node.has_set_to_default()) {
    constant = Constant{target.type, {}, false, node.location()};
  } else if (!mentions_column(node)) {
    auto folded = fold(scope, node);
    if (!folded && !is_told_later(folded.error())) {
      return folded.error();
    }
    constant = folded ? std::move(*folded) : std::nullopt;
  }
  if (!constant) {
    return compile_column_change(scope, column, node);
  }
  auto value = resolve_for_assignment(scope, *constant, target);
  if (!value) {
    return value.error();
  }
  return std::optional(constant_of(target, std::move(*value)));
}

/// An assignment that is computed of the row. Its expression is bound, and is folded once all of the statement is
/// bound.
struct Computed {
  int assignment = 0;
  uint32_t column = 0;
  semantics::BoundExpression expression;
  int32_t location = -1;
};

Result<void> compile_assignments(Scope& scope, const contract::PartitionMap& map,
                                 const grammar::UpdateStatement& update, wire::v1::ModifyPart* part,
                                 std::vector<Computed>* computed) {
  const contract::PlacementColumns placement = map.placement_columns();
  std::vector<uint32_t> assigned;
  for (const grammar::Node& node : update.target_list) {
    const grammar::ResultTarget& target = node.target();
    auto column = scope.target_column(target);
    if (!column) {
      return column.error();
    }
    if (std::find(assigned.begin(), assigned.end(), *column) != assigned.end()) {
      return scope.error("42601", fmt::format("multiple assignments to same column \"{}\"", target.name), -1);
    }
    if (auto checked = check_assignable(scope, placement, *column, target.location); !checked) {
      return checked.error();
    }
    auto known = compile_known(scope, *column, target.value);
    if (!known) {
      return known.error();
    }
    assigned.push_back(*column);
    wire::v1::Assignment* assignment = part->add_assignments();
    assignment->set_column(*column);
    if (known->has_value()) {
      *assignment->mutable_value() = contract::from_expression(**known);
      continue;
    }
    auto expression = ExpressionBinder(scope, {"UPDATE"}).value(target.value);
    if (!expression) {
      return expression.error();
    }
    computed->push_back({part->assignments_size() - 1, *column, std::move(*expression), location_of(target.value)});
  }
  return {};
}

/// Every node that has the row has to come to the same.
Result<void> check_exact(const Scope& scope, const semantics::BoundExpression& expression, int32_t location) {
  const semantics::ScalarFunction* function = semantics::find_inexact(expression);
  if (function == nullptr) {
    return {};
  }
  return scope.refuse(fmt::format("{} in UPDATE and DELETE", function->name), location,
                      "its last digits may differ from node to node");
}

/// Casts a value to the kind of its column where the outcome depends on the zone of the session's clocks; returns any
/// other value as it is. Errors: 0A000 an interval that this session would show otherwise.
Result<semantics::BoundExpression> by_session_clock(const Scope& scope, semantics::BoundExpression expression,
                                                    semantics::TypeKind target, int32_t location) {
  if (expression.type.kind == semantics::TypeKind::kInterval) {
    if (auto may = scope.show_interval(location); !may) {
      return may.error();
    }
  }
  const semantics::SessionZone* zone =
      semantics::is_cast_by_zone(expression.type.kind, target) ? scope.session_zone() : nullptr;
  if (zone == nullptr) {
    return expression;
  }
  const auto kind = semantics::is_string(target) ? semantics::TypeKind::kText : target;
  return semantics::cast_at_zone(std::move(expression), semantics::Type{kind}, zone->bound());
}

Result<void> write_computed(const Scope& scope, std::vector<Computed> computed, wire::v1::ModifyPart* part) {
  for (Computed& it : computed) {
    const semantics::Column& target = scope.schema().columns[it.column];
    if (!semantics::can_assign(it.expression.type.kind, target.type.kind)) {
      return scope.error(
          "42804",
          fmt::format("column \"{}\" is of type {} but expression is of type {}", target.name,
                      semantics::kind_name(target.type.kind), semantics::kind_name(it.expression.type.kind)),
          it.location, "You will need to rewrite or cast the expression.");
    }
    auto shown = by_session_clock(scope, std::move(it.expression), target.type.kind, it.location);
    auto folded = shown ? semantics::fold(std::move(*shown)) : shown;
    if (!folded) {
      return scope.located(folded.error(), it.location);
    }
    wire::v1::Expression* written = part->mutable_assignments(it.assignment)->mutable_value();
    if (folded->is_constant()) {
      auto value = semantics::evaluate_for(target, *folded, {});
      if (!value) {
        return scope.located(value.error(), it.location);
      }
      *written = contract::from_expression(constant_of(target, std::move(*value)));
      continue;
    }
    if (auto exact = check_exact(scope, *folded, it.location); !exact) {
      return exact.error();
    }
    contract::write_bound(*folded, written);
  }
  return {};
}

/// WHERE into a part's filter and residuals; `Part` is a modify or delete part.
template <typename Part>
Result<void> write_where(const Scope& scope, Where where, int32_t location, Part* part) {
  if (auto folded = fold_where(scope, where); !folded) {
    return folded;  // PostgreSQL tells no place of what is computed.
  }
  if (const auto filter = contract::to_expression(scope.schema(), where.condition)) {
    *part->mutable_filter() = contract::from_expression(*filter);
  }
  for (const semantics::BoundExpression& residual : where.residuals) {
    if (auto exact = check_exact(scope, residual, location); !exact) {
      return exact.error();
    }
    contract::write_bound(residual, part->add_residuals());
  }
  return {};
}

Result<Where> bind_where(Scope& scope, const grammar::Node& where) {
  if (!where.is_present()) {
    return Where();
  }
  if (where.has_current_of()) {
    return scope.refuse("WHERE CURRENT OF", find_keyword(scope.text(), "where"));
  }
  return compile_where(scope, where);
}

/// Computes the constants of a described statement, to find its mistakes.
Result<void> check_constants(const Scope& scope, std::vector<Computed> computed, Where where) {
  if (scope.leaves_mistakes()) {
    return {};
  }
  for (Computed& it : computed) {
    if (auto folded = semantics::fold(std::move(it.expression)); !folded) {
      return folded.error();
    }
  }
  return fold_where(scope, where);
}

/// A NULL where there may be none is told behind what is wrong with WHERE.
Error behind_where(Scope& scope, const grammar::Node& where, Error met) {
  if (met.sqlstate != kNullForbidden) {
    return met;
  }
  auto bound = bind_where(scope, where);
  const auto folded = bound ? fold_where(scope, *bound) : Result<void>(bound.error());
  return folded ? met : folded.error();
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
  std::vector<Computed> computed;
  if (auto assigned = compile_assignments(scope, map, update, part, &computed); !assigned) {
    return behind_where(scope, update.where_clause, assigned.error());
  }
  auto where = bind_where(scope, update.where_clause);
  if (!where) {
    return where.error();
  }
  if (!scope.is_described()) {
    if (auto written = write_computed(scope, std::move(computed), part); !written) {
      return behind_where(scope, update.where_clause, written.error());
    }
    if (auto written = write_where(scope, std::move(*where), location_of(update.where_clause), part); !written) {
      return written.error();
    }
  } else if (auto checked = check_constants(scope, std::move(computed), std::move(*where)); !checked) {
    return checked.error();
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
  auto where = bind_where(scope, del.where_clause);
  if (!where) {
    return where.error();
  }
  if (!scope.is_described()) {
    if (auto written = write_where(scope, std::move(*where), location_of(del.where_clause), part); !written) {
      return written.error();
    }
  } else if (auto checked = check_constants(scope, {}, std::move(*where)); !checked) {
    return checked.error();
  }
  return finish_update(scope, map, std::move(body));
}

}  // namespace daedalus::aggregator::sql
