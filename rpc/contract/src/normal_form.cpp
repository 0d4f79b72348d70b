// Normal forms back to expressions of the wire: what is left after compiling cannot fail any more.
#include "daedalus/contract/normal_form.hpp"

#include <algorithm>

namespace daedalus::contract {

namespace {

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

}  // namespace

std::optional<Expression> to_expression(const semantics::Schema& schema, const semantics::Predicate& predicate) {
  if (predicate.clauses.empty()) {
    return std::nullopt;
  }
  std::vector<Expression> clauses;
  for (const semantics::Clause& clause : predicate.clauses) {
    std::vector<Expression> literals;
    for (const Literal& literal : clause) {
      literals.push_back(literal_of(schema, literal));
    }
    clauses.push_back(literals.size() == 1 ? std::move(literals.front())
                                           : Expression::make_call(Operator::kOr, std::move(literals)));
  }
  return clauses.size() == 1 ? std::move(clauses.front()) : Expression::make_call(Operator::kAnd, std::move(clauses));
}

}  // namespace daedalus::contract
