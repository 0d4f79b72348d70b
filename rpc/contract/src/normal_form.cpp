// Conditions back to expressions of the wire: what is left after compiling cannot fail any more.
#include "daedalus/contract/normal_form.hpp"

#include <algorithm>

namespace daedalus::contract {

namespace {

using semantics::Condition;
using semantics::Expression;
using semantics::Literal;
using semantics::Operator;
using semantics::Type;
using semantics::TypeKind;
using semantics::Value;

/// A value of a column as a constant of the column's own type; a string keeps its length, which may exceed the
/// column's.
Expression constant_of(const Type& type, const Value& value) {
  if (!semantics::is_string(type.kind) || semantics::is_null(value)) {
    return Expression::make_constant(type, value);
  }
  const auto length = static_cast<uint32_t>(std::max<size_t>(1, std::get<std::string>(value).size()));
  return Expression::make_constant(Type{.kind = TypeKind::kVarchar, .length = length}, value);
}

Expression literal_of(const semantics::Schema& schema, const Literal& literal) {
  const Type& type = schema.columns[literal.column].type;
  std::vector<Expression> arguments = {Expression::make_column(literal.column)};
  for (const Value& value : literal.values) {
    arguments.push_back(constant_of(type, value));
  }
  if (literal.kind == Literal::Kind::kNever) {
    arguments.resize(1);
    arguments.push_back(Expression::make_constant(type, Value{}));
  }
  return Expression::make_call(operator_of(literal), std::move(arguments));
}

Expression expression_of(const semantics::Schema& schema, const Condition& condition) {
  if (condition.kind == Condition::Kind::kLiteral) {
    return literal_of(schema, condition.literal);
  }
  std::vector<Expression> parts;
  for (const Condition& child : condition.children) {
    parts.push_back(expression_of(schema, child));
  }
  return Expression::make_call(condition.kind == Condition::Kind::kAnd ? Operator::kAnd : Operator::kOr,
                               std::move(parts));
}

}  // namespace

Operator operator_of(const Literal& literal) {
  switch (literal.kind) {
    case Literal::Kind::kCompare:
      return literal.op;
    case Literal::Kind::kIn:
      return Operator::kIn;
    case Literal::Kind::kNotIn:
      return Operator::kNotIn;
    case Literal::Kind::kStartsWith:
      return Operator::kStartsWith;
    case Literal::Kind::kNotStartsWith:
      return Operator::kNotStartsWith;
    case Literal::Kind::kIsNull:
      return Operator::kIsNull;
    case Literal::Kind::kIsNotNull:
      return Operator::kIsNotNull;
    case Literal::Kind::kNever:
      return Operator::kEqual;  // To NULL: true for no row.
  }
  return Operator::kEqual;
}

std::optional<Expression> to_expression(const semantics::Schema& schema, const Condition& condition) {
  switch (condition.kind) {
    case Condition::Kind::kAlways:
      return std::nullopt;
    case Condition::Kind::kNever:
      return literal_of(schema, Literal{});
    default:
      return expression_of(schema, condition);
  }
}

}  // namespace daedalus::contract
