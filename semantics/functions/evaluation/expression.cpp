#include "daedalus/semantics/expression.hpp"

#include <utility>

#include "daedalus/base/check.hpp"

namespace daedalus::semantics {

Expression Expression::make_column(uint32_t position) {
  Expression expression;
  expression.kind = Kind::kColumn;
  expression.column = position;
  return expression;
}

Expression Expression::make_constant(Type type, Value value) {
  Expression expression;
  expression.kind = Kind::kConstant;
  expression.type = type;
  expression.value = std::move(value);
  return expression;
}

Expression Expression::make_call(Operator op, std::vector<Expression> arguments) {
  Expression expression;
  expression.kind = Kind::kCall;
  expression.op = op;
  expression.arguments = std::move(arguments);
  return expression;
}

std::string_view operator_sign(Operator op) {
  switch (op) {
    case Operator::kEqual:
    case Operator::kIn:
      return "=";
    case Operator::kNotEqual:
    case Operator::kNotIn:
      return "<>";
    case Operator::kLess:
      return "<";
    case Operator::kLessOrEqual:
      return "<=";
    case Operator::kGreater:
      return ">";
    case Operator::kGreaterOrEqual:
      return ">=";
    case Operator::kStartsWith:
      return "~~";
    case Operator::kNotStartsWith:
      return "!~~";
    case Operator::kIsNull:
      return "IS NULL";
    case Operator::kIsNotNull:
      return "IS NOT NULL";
    case Operator::kAnd:
      return "AND";
    case Operator::kOr:
      return "OR";
    case Operator::kNot:
      return "NOT";
    case Operator::kAdd:
      return "+";
    case Operator::kSubtract:
      return "-";
  }
  return "?";
}

bool holds(Operator op, std::strong_ordering ordering) {
  switch (op) {
    case Operator::kEqual:
      return ordering == 0;
    case Operator::kNotEqual:
      return ordering != 0;
    case Operator::kLess:
      return ordering < 0;
    case Operator::kLessOrEqual:
      return ordering <= 0;
    case Operator::kGreater:
      return ordering > 0;
    case Operator::kGreaterOrEqual:
      return ordering >= 0;
    default:
      CHECK(false);
      return false;
  }
}

}  // namespace daedalus::semantics
