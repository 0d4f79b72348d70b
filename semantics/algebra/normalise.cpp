// From an expression tree to a condition: negations to the leaves, leaves to literals.
#include <fmt/format.h>

#include "condition.hpp"
#include "daedalus/base/check.hpp"
#include "daedalus/semantics/predicate.hpp"
#include "simplify.hpp"
#include "three_valued.hpp"

namespace daedalus::semantics {
namespace {

Error too_complex(std::string_view what, uint32_t bound) {
  return rejected("54001", fmt::format("the condition is too complex: more than {} {}", bound, what));
}

/// Builds negation-free conditions from one expression tree; counts literals as it goes.
class Builder {
 public:
  explicit Builder(const Schema& schema) : schema_(schema) {}

  Result<Condition> build(const Expression& expression, bool is_negated, uint32_t depth) {
    if (depth > kExpressionDepthMax) {
      return too_complex("levels of nesting", kExpressionDepthMax);
    }
    switch (expression.kind) {
      case Expression::Kind::kColumn:
        return build_bool_column(expression, is_negated);
      case Expression::Kind::kConstant:
        return build_constant(expression, is_negated);
      case Expression::Kind::kCall:
        return build_call(expression, is_negated, depth);
    }
    CHECK(false);
    return constant_condition(false);
  }

  /// A comparison that is not negated.
  static Result<Condition> compare(ColumnRef column, Operator op, const Type& type, const Value& value) {
    const Result<TypedValue> constant = constant_beside(column, op, type, value);
    if (!constant) {
      return constant.error();
    }
    return is_null(constant->value) ? constant_condition(false) : compare_column(column, op, *constant);
  }

 private:
  Result<ColumnRef> column_at(uint32_t position) const {
    if (position >= schema_.columns.size()) {
      return rejected("42703",
                      fmt::format("there is no column at position {} in table \"{}\"", position, schema_.table_name));
    }
    return ColumnRef{position, &schema_.columns[position]};
  }

  static Error not_boolean(const Type& type) {
    return rejected("42804", fmt::format("argument of WHERE must be type boolean, not type {}", kind_name(type.kind)));
  }

  Result<Condition> build_bool_column(const Expression& expression, bool is_negated) {
    const Result<ColumnRef> column = column_at(expression.column);
    if (!column) {
      return column.error();
    }
    if (column->column->type.kind != TypeKind::kBool) {
      return not_boolean(column->column->type);
    }
    return compare_column(*column, Operator::kEqual, {{TypeKind::kBool}, !is_negated});
  }

  static Result<Condition> build_constant(const Expression& expression, bool is_negated) {
    if (expression.type.kind != TypeKind::kBool && !is_untyped_literal(expression.type)) {
      return not_boolean(expression.type);
    }
    const Result<TypedValue> constant = resolve_literal({TypeKind::kBool}, expression.type, expression.value);
    if (!constant) {
      return constant.error();
    }
    return constant_condition(!is_null(constant->value) && std::get<bool>(constant->value) != is_negated);
  }

  Result<Condition> build_call(const Expression& expression, bool is_negated, uint32_t depth) {
    switch (expression.op) {
      case Operator::kAnd:
      case Operator::kOr:
        return build_junction(expression, is_negated, depth);
      case Operator::kNot:
        if (expression.arguments.size() != 1) {
          return wrong_arity(expression.op);
        }
        return build(expression.arguments[0], !is_negated, depth + 1);
      case Operator::kAdd:
      case Operator::kSubtract:
        return rejected("0A000", "arithmetic in conditions is not supported");
      default:
        return build_leaf(expression, is_negated);
    }
  }

  static Error wrong_arity(Operator op) {
    return rejected("08P01", fmt::format("operator {} with a wrong number of arguments", operator_sign(op)));
  }

  Result<Condition> build_junction(const Expression& expression, bool is_negated, uint32_t depth) {
    if (expression.arguments.empty()) {
      return wrong_arity(expression.op);
    }
    std::vector<Condition> children;
    for (const Expression& argument : expression.arguments) {
      Result<Condition> child = build(argument, is_negated, depth + 1);
      if (!child) {
        return child;
      }
      children.push_back(std::move(*child));
    }
    const bool is_and = (expression.op == Operator::kAnd) != is_negated;
    return join(is_and ? Condition::Kind::kAnd : Condition::Kind::kOr, std::move(children));
  }

  Result<Condition> build_leaf(const Expression& expression, bool is_negated) {
    const std::vector<Expression>& arguments = expression.arguments;
    const bool is_null_test = expression.op == Operator::kIsNull || expression.op == Operator::kIsNotNull;
    const bool is_list = expression.op == Operator::kIn || expression.op == Operator::kNotIn;
    if (is_null_test ? arguments.size() != 1 : is_list ? arguments.size() < 2 : arguments.size() != 2) {
      return wrong_arity(expression.op);
    }
    uint32_t columns = 0;
    for (const Expression& argument : arguments) {
      if (argument.kind == Expression::Kind::kCall) {
        return rejected("0A000",
                        fmt::format("an expression as operand of {} is not supported: only columns and constants",
                                    operator_sign(expression.op)));
      }
      columns += argument.kind == Expression::Kind::kColumn ? 1 : 0;
    }
    if (columns > 1) {
      return rejected("0A000", "comparison of two columns is not supported");
    }
    literals_ += arguments.size() > 1 ? arguments.size() - 1 : 1;
    if (literals_ > kLiteralsMax) {
      return too_complex("comparisons", kLiteralsMax);
    }
    if (columns == 0) {
      return fold(expression, is_negated);
    }
    return build_column_leaf(expression, is_negated);
  }

  /// Only constants: decided here and now.
  static Result<Condition> fold(const Expression& expression, bool is_negated) {
    const Result<Truth> truth = evaluate_constants(expression);
    if (!truth) {
      return truth.error();
    }
    return constant_condition(*truth == (is_negated ? Truth::kFalse : Truth::kTrue));
  }

  Result<Condition> build_column_leaf(const Expression& expression, bool is_negated) {
    const std::vector<Expression>& arguments = expression.arguments;
    const bool is_turned = arguments[0].kind != Expression::Kind::kColumn;
    if (is_turned && !is_comparison(expression.op)) {
      return rejected("0A000", fmt::format("{} needs a column on its left side", operator_sign(expression.op)));
    }
    const Result<ColumnRef> column = column_at(arguments[is_turned ? 1 : 0].column);
    if (!column) {
      return column.error();
    }
    switch (expression.op) {
      case Operator::kIsNull:
      case Operator::kIsNotNull:
        return column_null_test(*column, (expression.op == Operator::kIsNull) != is_negated);
      case Operator::kIn:
      case Operator::kNotIn:
        return build_in(*column, expression, (expression.op == Operator::kNotIn) != is_negated);
      case Operator::kStartsWith:
      case Operator::kNotStartsWith:
        return build_prefix(*column, expression, (expression.op == Operator::kNotStartsWith) != is_negated);
      default:
        return build_comparison(*column, expression, is_turned, is_negated);
    }
  }

  static Result<TypedValue> constant_beside(ColumnRef column, Operator op, const Type& type, const Value& value) {
    const Result<void> comparable = check_comparable(op, column.column->type, type);
    if (!comparable) {
      return comparable.error();
    }
    if (column.column->type.kind == TypeKind::kVarchar && type.kind == TypeKind::kChar) {
      // PostgreSQL compares the two without trailing blanks on both sides, which no literal says.
      return rejected("0A000", "comparison of character varying with a character(n) constant is not supported",
                      "write the constant without a cast to character(n)");
    }
    return resolve_literal(column.column->type, type, value);
  }

  static Result<Condition> build_comparison(ColumnRef column, const Expression& expression, bool is_turned,
                                            bool is_negated) {
    Operator op = is_turned ? flipped(expression.op) : expression.op;
    op = is_negated ? negated(op) : op;
    const Expression& constant = expression.arguments[is_turned ? 0 : 1];
    return compare(column, op, constant.type, constant.value);
  }

  static Result<Condition> build_in(ColumnRef column, const Expression& expression, bool is_negated) {
    std::vector<TypedValue> constants;
    bool has_null = false;
    for (size_t i = 1; i < expression.arguments.size(); ++i) {
      Result<TypedValue> constant =
          constant_beside(column, Operator::kEqual, expression.arguments[i].type, expression.arguments[i].value);
      if (!constant) {
        return std::move(constant).error();
      }
      if (is_null(constant->value)) {
        has_null = true;
      } else {
        constants.push_back(std::move(*constant));
      }
    }
    // `x NOT IN (…, NULL)` is false or unknown; `x IN (NULL)` is unknown.
    if ((has_null && is_negated) || constants.empty()) {
      return constant_condition(false);
    }
    return column_in(column, constants, is_negated);
  }

  static Result<Condition> build_prefix(ColumnRef column, const Expression& expression, bool is_negated) {
    const Expression& prefix = expression.arguments[1];
    const Type& type = column.column->type;
    if (!is_string(type.kind) || !is_string(prefix.type.kind)) {
      return rejected("42883", fmt::format("operator does not exist: {} {} {}", kind_name(type.kind),
                                           operator_sign(expression.op), kind_name(prefix.type.kind)));
    }
    if (is_null(prefix.value)) {
      return constant_condition(false);
    }
    return column_starts_with(column, std::get<std::string>(prefix.value), is_negated);
  }

  const Schema& schema_;
  uint64_t literals_ = 0;
};

}  // namespace

Result<Condition> to_condition(const Schema& schema, const Expression& expression) {
  Result<Condition> condition = Builder(schema).build(expression, false, 1);
  if (!condition) {
    return condition;
  }
  // The builder checks each part on the way; but a comparison in double precision may have become a list.
  if (auto checked = check_size({}, *condition); !checked) {
    return checked.error();
  }
  return condition;
}

Result<void> check_size(const ExpressionSize& size, const Condition& condition) {
  if (size.depth > kExpressionDepthMax) {
    return too_complex("levels of nesting", kExpressionDepthMax);
  }
  if (size.comparisons > kLiteralsMax || weight(condition) > kLiteralsMax) {
    return too_complex("comparisons", kLiteralsMax);
  }
  return {};
}

Result<Condition> to_comparison(const Schema& schema, uint32_t column, Operator op, const Type& type,
                                const Value& constant) {
  const ColumnRef compared{column, &schema.columns.at(column)};
  if (op == Operator::kStartsWith || op == Operator::kNotStartsWith) {
    return column_starts_with(compared, std::get<std::string>(constant), op == Operator::kNotStartsWith);
  }
  return Builder::compare(compared, op, type, constant);
}

Condition to_null_test(const Schema& schema, uint32_t column, bool wants_null) {
  return column_null_test({column, &schema.columns.at(column)}, wants_null);
}

Condition simplified(Condition condition) {
  const bool is_decided = condition.kind == Condition::Kind::kAlways || condition.kind == Condition::Kind::kNever;
  if (is_decided || is_plainly_simple(condition)) {
    return condition;
  }
  ConditionParts parts;
  const uint32_t part = parts.add(std::move(condition));
  return parts.condition(part);
}

Result<Predicate> normalise(const Schema& schema, const Expression& expression) {
  Result<Condition> condition = to_condition(schema, expression);
  if (!condition) {
    return condition.error();
  }
  return normal_form(std::move(*condition));
}

}  // namespace daedalus::semantics
