#include "indexable.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arithmetic.hpp"
#include "condition.hpp"
#include "daedalus/semantics/regular_expression.hpp"
#include "daedalus/semantics/scalar_function.hpp"

namespace daedalus::aggregator::sql {

namespace {

using semantics::BoundExpression;
using semantics::Condition;
using semantics::Expression;
using semantics::FunctionId;
using semantics::Operator;
using semantics::Schema;
using semantics::Type;
using semantics::TypeKind;
using semantics::Value;

using Found = std::optional<Condition>;

Condition decided(bool truth) {
  return {.kind = truth ? Condition::Kind::kAlways : Condition::Kind::kNever, .literal = {}, .children = {}};
}

Found found(Result<Condition> made) { return made ? Found(std::move(*made)) : std::nullopt; }

Found truth(const Schema& schema, uint32_t column, Operator op, bool value) {
  return found(semantics::to_comparison(schema, column, op, Type{TypeKind::kBool}, Value(value)));
}

/// A column, and what it is compared as.
struct Compared {
  uint32_t column = 0;
  TypeKind kind{};
};

/// Says whether a comparison of the column knows what the cast makes of its values: no other one does than a comparison
/// itself would ask for.
bool is_seen_through(const BoundExpression& cast) {
  const BoundExpression& column = cast.arguments[0];
  const TypeKind from = column.type.kind;
  const TypeKind to = cast.type.kind;
  const bool are_numbers = semantics::is_numeric(from) && semantics::is_numeric(to) && to != TypeKind::kReal;
  const bool are_datetimes = semantics::is_datetime(from) && semantics::is_datetime(to);
  const bool is_text = semantics::is_string(from) && to == TypeKind::kText;
  if (!(are_numbers || are_datetimes || is_text) || !semantics::can_cast_implicitly(from, to)) {
    return false;
  }
  if (to != TypeKind::kNumeric) {
    return true;
  }
  const auto unbounded = semantics::make_call(FunctionId::kCast, {column}, Type{to});
  return unbounded && unbounded->type == cast.type;
}

std::optional<Compared> compared_column(const BoundExpression& side) {
  if (side.is_input()) {
    return Compared{side.input, side.type.kind};
  }
  const bool is_cast = side.is_call(FunctionId::kCast) && side.arguments[0].is_input();
  return is_cast && is_seen_through(side) ? std::optional(Compared{side.arguments[0].input, side.type.kind})
                                          : std::nullopt;
}

/// The other side, as semantics wants it beside a column of this kind. Blanks at the end of a char mean nothing.
Constant beside(TypeKind column, const BoundExpression& constant) {
  Constant made{Type{constant.type.kind}, constant.value};
  if (!semantics::is_string(made.type.kind)) {
    return made;
  }
  const bool is_text = column == TypeKind::kChar && made.type.kind == TypeKind::kText;
  auto* const text = std::get_if<std::string>(&made.value);
  if (column == TypeKind::kChar && !is_text && text != nullptr) {
    text->erase(text->find_last_not_of(' ') + 1);
  }
  made.type = Type{.kind = TypeKind::kVarchar, .length = is_text ? semantics::kStringLengthMax : 0};
  return made;
}

class Finder {
 public:
  explicit Finder(const Schema& schema) : schema_(schema) {}

  Found find(const BoundExpression& expression, bool is_negated) const {
    if (expression.is_constant()) {
      return decided(!semantics::is_null(expression.value) && std::get<bool>(expression.value) != is_negated);
    }
    if (expression.is_input()) {
      return truth(schema_, expression.input, is_negated ? Operator::kNotEqual : Operator::kEqual, true);
    }
    if (expression.kind != BoundExpression::Kind::kCall) {
      return std::nullopt;
    }
    switch (expression.function) {
      case FunctionId::kAnd:
      case FunctionId::kOr:
        return junction(expression, is_negated);
      case FunctionId::kNot:
        return find(expression.arguments[0], !is_negated);
      case FunctionId::kIsNull:
      case FunctionId::kIsNotNull:
        return null_test(expression, is_negated);
      case FunctionId::kIsTrue:
      case FunctionId::kIsNotTrue:
        return truth_test(expression, true, expression.function == FunctionId::kIsTrue, is_negated);
      case FunctionId::kIsFalse:
      case FunctionId::kIsNotFalse:
        return truth_test(expression, false, expression.function == FunctionId::kIsFalse, is_negated);
      case FunctionId::kIn:
      case FunctionId::kNotIn:
        return list(expression, is_negated);
      default:
        return operation(expression, is_negated);
    }
  }

 private:
  Found junction(const BoundExpression& call, bool is_negated) const {
    std::vector<Condition> parts;
    parts.reserve(call.arguments.size());
    for (const BoundExpression& argument : call.arguments) {
      auto part = find(argument, is_negated);
      if (!part) {
        return std::nullopt;
      }
      parts.push_back(std::move(*part));
    }
    const bool is_and = (call.function == FunctionId::kAnd) != is_negated;
    return semantics::join(is_and ? Condition::Kind::kAnd : Condition::Kind::kOr, std::move(parts));
  }

  Found null_test(const BoundExpression& call, bool is_negated) const {
    const BoundExpression& column = call.arguments[0];
    const bool wants_null = (call.function == FunctionId::kIsNull) != is_negated;
    if (!column.is_input() && !column.nullable && !semantics::can_fail(column)) {
      return decided(!wants_null);
    }
    return column.is_input() ? Found(semantics::to_null_test(schema_, column.input, wants_null)) : std::nullopt;
  }

  /// IS `value` of a column, TRUE or FALSE; where it is not that it `is`: the contrary, which is true of NULL.
  Found truth_test(const BoundExpression& call, bool value, bool is, bool is_negated) const {
    if (!call.arguments[0].is_input()) {
      return std::nullopt;
    }
    const uint32_t column = call.arguments[0].input;
    const bool holds = is != is_negated;
    auto equal = truth(schema_, column, is_negated ? Operator::kNotEqual : Operator::kEqual, value == is);
    if (!equal) {
      return std::nullopt;
    }
    std::vector<Condition> parts;
    parts.push_back(std::move(*equal));
    parts.push_back(semantics::to_null_test(schema_, column, !holds));
    return semantics::join(holds ? Condition::Kind::kAnd : Condition::Kind::kOr, std::move(parts));
  }

  Found list(const BoundExpression& call, bool is_negated) const {
    const auto compared = compared_column(call.arguments[0]);
    if (!compared) {
      return std::nullopt;
    }
    std::vector<Expression> arguments{Expression::make_column(compared->column)};
    for (size_t member = 1; member < call.arguments.size(); ++member) {
      if (!call.arguments[member].is_constant()) {
        return std::nullopt;
      }
      Constant constant = beside(schema_.columns[compared->column].type.kind, call.arguments[member]);
      arguments.push_back(Expression::make_constant(constant.type, std::move(constant.value)));
    }
    const Operator op = (call.function == FunctionId::kIn) != is_negated ? Operator::kIn : Operator::kNotIn;
    return found(semantics::to_condition(schema_, Expression::make_call(op, std::move(arguments))));
  }

  Found operation(const BoundExpression& call, bool is_negated) const {
    const semantics::ScalarFunction* const function = semantics::find_function(call.function);
    if (function == nullptr || !function->is_operator || call.arguments.size() != 2) {
      return std::nullopt;
    }
    if (const auto op = comparison_of(function->name)) {
      return comparison(*op, call, is_negated);
    }
    const bool is_contrary = function->name.starts_with('!');
    const std::string_view sign = function->name.substr(is_contrary ? 1 : 0);
    return sign == "~~" || sign == "~" ? pattern(sign, call, is_contrary != is_negated) : std::nullopt;
  }

  Found comparison(Operator op, const BoundExpression& call, bool is_negated) const {
    const bool is_turned = call.arguments[0].is_constant();
    const BoundExpression& constant = call.arguments[is_turned ? 0 : 1];
    const auto compared = compared_column(call.arguments[is_turned ? 1 : 0]);
    if (!compared || !constant.is_constant()) {
      return std::nullopt;
    }
    op = is_turned ? semantics::flipped(op) : op;
    const Constant other = beside(schema_.columns[compared->column].type.kind, constant);
    return found(semantics::to_comparison(schema_, compared->column, is_negated ? semantics::negated(op) : op,
                                          other.type, other.value));
  }

  /// LIKE, and a regular expression that says what a pattern of LIKE says.
  Found pattern(std::string_view sign, const BoundExpression& call, bool is_negated) const {
    const auto compared = compared_column(call.arguments[0]);
    const BoundExpression& constant = call.arguments[1];
    if (!compared || !constant.is_constant() || semantics::is_null(constant.value)) {
      return std::nullopt;
    }
    const TypeKind kind = schema_.columns[compared->column].type.kind;
    if (!semantics::is_string(kind) || (kind == TypeKind::kChar && compared->kind != kind)) {
      return std::nullopt;  // As a text a char has lost its blanks.
    }
    const auto& text = std::get<std::string>(constant.value);
    const auto written = sign == "~" ? semantics::like_pattern_of(text) : std::optional(text);
    const auto read = written ? read_like_pattern(*written) : std::nullopt;
    return read ? found(like_condition(schema_, compared->column, *read, is_negated)) : std::nullopt;
  }

  const Schema& schema_;
};

}  // namespace

Found indexable(const Schema& schema, const BoundExpression& expression, bool is_negated) {
  return Finder(schema).find(expression, is_negated);
}

}  // namespace daedalus::aggregator::sql
