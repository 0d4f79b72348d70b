// The plain twin of everything that evaluates conditions: the tree, and the normal form, on one row of values.
#include <algorithm>
#include <cmath>

#include "comparison.hpp"
#include "daedalus/base/check.hpp"
#include "daedalus/semantics/order.hpp"
#include "daedalus/semantics/predicate.hpp"
#include "three_valued.hpp"

namespace daedalus::semantics {
namespace {

Truth to_truth(bool truth) { return truth ? Truth::kTrue : Truth::kFalse; }

Truth negate(Truth truth) { return truth == Truth::kUnknown ? truth : to_truth(truth == Truth::kFalse); }

/// Both operands with a type, neither of them an untyped literal unless both are strings.
Result<Truth> compare_operands(Operator op, const TypedValue& left, const TypedValue& right) {
  const Result<void> comparable = check_comparable(op, left.type, right.type);
  if (!comparable) {
    return comparable.error();
  }
  const Result<TypedValue> resolved_left = resolve_literal(right.type, left.type, left.value);
  if (!resolved_left) {
    return resolved_left.error();
  }
  const Result<TypedValue> resolved_right = resolve_literal(left.type, right.type, right.value);
  if (!resolved_right) {
    return resolved_right.error();
  }
  if (is_null(resolved_left->value) || is_null(resolved_right->value)) {
    return Truth::kUnknown;
  }
  if (is_floating(resolved_left->type.kind) || is_floating(resolved_right->type.kind)) {
    for (const TypedValue* operand : {&*resolved_left, &*resolved_right}) {
      if (const Result<double> number = floating_operand(operand->value); !number) {
        return number.error();
      }
    }
  }
  return to_truth(holds(op, compare_typed(*resolved_left, *resolved_right)));
}

Truth starts_with(const TypedValue& text, const TypedValue& prefix) {
  if (is_null(text.value) || is_null(prefix.value)) {
    return Truth::kUnknown;
  }
  std::string padded = std::get<std::string>(text.value);
  if (text.type.kind == TypeKind::kChar) {
    padded.resize(std::max<size_t>(padded.size(), text.type.length), ' ');
  }
  return to_truth(padded.starts_with(std::get<std::string>(prefix.value)));
}

Result<Truth> evaluate_in(const std::vector<TypedValue>& operands) {
  Truth truth = Truth::kFalse;
  for (size_t i = 1; i < operands.size(); ++i) {
    const Result<Truth> member = compare_operands(Operator::kEqual, operands[0], operands[i]);
    if (!member) {
      return member;
    }
    truth = std::max(truth, *member);
  }
  return truth;
}

Result<Truth> evaluate_leaf(Operator op, const std::vector<TypedValue>& operands) {
  switch (op) {
    case Operator::kIsNull:
      return to_truth(is_null(operands[0].value));
    case Operator::kIsNotNull:
      return to_truth(!is_null(operands[0].value));
    case Operator::kIn:
      return evaluate_in(operands);
    case Operator::kNotIn: {
      const Result<Truth> truth = evaluate_in(operands);
      return truth ? Result<Truth>(negate(*truth)) : truth;
    }
    case Operator::kStartsWith:
    case Operator::kNotStartsWith: {
      if (!is_string(operands[0].type.kind) || !is_string(operands[1].type.kind)) {
        return rejected("42883", std::string("operator does not exist: ").append(kind_name(operands[0].type.kind)) +
                                     " " + std::string(operator_sign(op)) + " " +
                                     std::string(kind_name(operands[1].type.kind)));
      }
      const Truth truth = starts_with(operands[0], operands[1]);
      return op == Operator::kStartsWith ? truth : negate(truth);
    }
    default:
      return compare_operands(op, operands[0], operands[1]);
  }
}

Truth evaluate_tree(const Schema& schema, const Expression& expression, const std::vector<Value>& row) {
  if (expression.kind == Expression::Kind::kColumn) {
    const Value& value = row[expression.column];
    return is_null(value) ? Truth::kUnknown : to_truth(std::get<bool>(value));
  }
  if (expression.kind == Expression::Kind::kConstant) {
    const Result<TypedValue> constant = resolve_literal({TypeKind::kBool}, expression.type, expression.value);
    CHECK(constant);
    return is_null(constant->value) ? Truth::kUnknown : to_truth(std::get<bool>(constant->value));
  }
  if (expression.op == Operator::kNot) {
    return negate(evaluate_tree(schema, expression.arguments[0], row));
  }
  if (expression.op == Operator::kAnd || expression.op == Operator::kOr) {
    const bool is_and = expression.op == Operator::kAnd;
    Truth truth = to_truth(is_and);
    for (const Expression& argument : expression.arguments) {
      const Truth part = evaluate_tree(schema, argument, row);
      truth = is_and ? std::min(truth, part) : std::max(truth, part);
    }
    return truth;
  }
  std::vector<TypedValue> operands;
  for (const Expression& argument : expression.arguments) {
    const bool is_column = argument.kind == Expression::Kind::kColumn;
    operands.push_back(is_column ? TypedValue{schema.columns[argument.column].type, row[argument.column]}
                                 : TypedValue{argument.type, argument.value});
  }
  const Result<Truth> truth = evaluate_leaf(expression.op, operands);
  CHECK(truth);
  return *truth;
}

bool literal_holds(const Schema& schema, const Literal& literal, const std::vector<Value>& row) {
  const Value& value = row[literal.column];
  if (literal.kind == Literal::Kind::kNever || is_null(value)) {
    return literal.kind == Literal::Kind::kIsNull;
  }
  const auto equals = [&](const Value& member) { return compare(value, member) == 0; };
  const auto starts = [&] {
    return starts_with({schema.columns[literal.column].type, value}, {{TypeKind::kVarchar}, literal.values[0]}) ==
           Truth::kTrue;
  };
  switch (literal.kind) {
    case Literal::Kind::kCompare:
      return holds(literal.op, compare(value, literal.values[0]));
    case Literal::Kind::kIn:
      return std::any_of(literal.values.begin(), literal.values.end(), equals);
    case Literal::Kind::kNotIn:
      return std::none_of(literal.values.begin(), literal.values.end(), equals);
    case Literal::Kind::kStartsWith:
      return starts();
    case Literal::Kind::kNotStartsWith:
      return !starts();
    case Literal::Kind::kIsNotNull:
      return true;
    case Literal::Kind::kIsNull:
    case Literal::Kind::kNever:
      return false;
  }
  CHECK(false);
  return false;
}

bool condition_holds(const Schema& schema, const Condition& condition, const std::vector<Value>& row) {
  const auto child_holds = [&](const Condition& child) { return condition_holds(schema, child, row); };
  switch (condition.kind) {
    case Condition::Kind::kLiteral:
      return literal_holds(schema, condition.literal, row);
    case Condition::Kind::kAnd:
      return std::all_of(condition.children.begin(), condition.children.end(), child_holds);
    case Condition::Kind::kOr:
      return std::any_of(condition.children.begin(), condition.children.end(), child_holds);
    case Condition::Kind::kAlways:
    case Condition::Kind::kNever:
      break;
  }
  return condition.kind == Condition::Kind::kAlways;
}

}  // namespace

Result<Truth> evaluate_constants(const Expression& leaf) {
  std::vector<TypedValue> operands;
  for (const Expression& argument : leaf.arguments) {
    CHECK(argument.kind == Expression::Kind::kConstant);
    operands.push_back({argument.type, argument.value});
  }
  return evaluate_leaf(leaf.op, operands);
}

bool evaluate(const Schema& schema, const Expression& expression, const std::vector<Value>& row) {
  return evaluate_tree(schema, expression, row) == Truth::kTrue;
}

bool evaluate(const Schema& schema, const Predicate& predicate, const std::vector<Value>& row) {
  const bool clauses_hold = std::all_of(predicate.clauses.begin(), predicate.clauses.end(), [&](const Clause& clause) {
    return std::any_of(clause.begin(), clause.end(),
                       [&](const Literal& literal) { return literal_holds(schema, literal, row); });
  });
  return clauses_hold && condition_holds(schema, predicate.tree, row);
}

}  // namespace daedalus::semantics
