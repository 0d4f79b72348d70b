#include "daedalus/semantics/expression.hpp"

#include <utility>

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

}  // namespace daedalus::semantics
