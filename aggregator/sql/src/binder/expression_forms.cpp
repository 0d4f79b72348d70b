// Expressions that are no calls of functions: conditions as values, lists, casts and choices.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "blanks.hpp"
#include "bound_lists.hpp"
#include "cast.hpp"
#include "expression_binder.hpp"
#include "refusals.hpp"

namespace daedalus::aggregator::sql {

using semantics::BoundExpression;
using semantics::FunctionId;
using semantics::Type;
using semantics::TypeKind;
using semantics::Value;

namespace {

/// True when PostgreSQL compares two kinds without a cast, though one is cast to the other here.
bool are_compared_as_they_are(TypeKind left, TypeKind common) {
  const bool are_integers = semantics::is_integer(left) && semantics::is_integer(common);
  return left != common && (are_integers || (semantics::is_datetime(left) && semantics::is_datetime(common)));
}

}  // namespace

ExpressionBinder::Bound ExpressionBinder::pair_form(const grammar::OperatorExpression& node) {
  auto sides = bind_all(std::array{node.left, node.right});
  if (!sides) {
    return sides.error();
  }
  const bool is_null_if = node.kind == grammar::OperatorKind::kNullIf;
  const std::optional<TypeKind> left =
      (*sides)[0].is_unknown ? std::nullopt : std::optional((*sides)[0].expression.type.kind);
  const int32_t modifier = (*sides)[0].modifier;
  // PostgreSQL compares both sides as `=` would.
  auto taken = taken_by("=", std::move(*sides), node.location);
  if (!taken) {
    return taken.error();
  }
  if (!is_null_if) {
    const bool is_distinct = node.kind == grammar::OperatorKind::kDistinct;
    auto made = make_comparable(*taken);
    return made ? call(is_distinct ? FunctionId::kIsDistinct : FunctionId::kIsNotDistinct, std::move(*taken),
                       node.location)
                : scope_.located(made.error(), node.location);
  }
  auto made = call(FunctionId::kNullIf, std::move(*taken), node.location);
  if (made && left && are_compared_as_they_are(*left, made->expression.type.kind)) {
    made = cast(std::move(made->expression), Type{*left}, node.location);
  }
  if (made && left == made->expression.type.kind) {
    made->modifier = modifier;
  }
  return made;
}

Result<std::vector<BoundExpression>> ExpressionBinder::taken_by(std::string_view sign, std::vector<Typed> sides,
                                                                int32_t location) {
  const auto function = semantics::resolve_function(sign, true, kinds_of(sides));
  if (!function) {
    return scope_.located(function.error(), location);
  }
  std::vector<BoundExpression> taken;
  for (size_t place = 0; place < sides.size(); ++place) {
    auto side = coerced(std::move(sides[place]), (*function)->arguments[place]);
    if (!side) {
      return side.error();
    }
    taken.push_back(std::move(*side));
  }
  return taken;
}

ExpressionBinder::Bound ExpressionBinder::in_list(const grammar::OperatorExpression& node) {
  auto value = bind(node.left);
  if (!value) {
    return value;
  }
  auto members = bind_all(node.right.list().items, /*are_compared=*/true);
  if (!members) {
    return members.error();
  }
  // As PostgreSQL does: several members without columns are one list of one type, any other is compared by itself.
  std::vector<Typed> list{*value};
  std::copy_if(members->begin(), members->end(), std::back_inserter(list),
               [](const Typed& member) { return !has_column(member.expression); });
  const auto common = semantics::resolve_common_kind(kinds_of(list), "IN");
  const bool has_arrays = std::any_of(list.begin(), list.end(), [](const Typed& member) { return member.is_array; });
  const bool has_beyond =
      place_.compares_beyond && common &&
      std::any_of(list.begin(), list.end(), [&](const Typed& member) { return is_beyond(member, *common); });
  const bool is_list = list.size() > 2 && common && !has_arrays && !has_beyond &&
                       std::all_of(list.begin(), list.end(), [&](const Typed& member) {
                         const TypeKind kind = member.expression.type.kind;
                         return member.is_unknown || kind == *common || semantics::can_cast_implicitly(kind, *common);
                       });
  const bool is_negated = plain_name(node.name) == "<>";
  std::vector<BoundExpression> tests;
  if (is_list) {
    auto together = brought_together(std::move(list), "IN");
    if (auto made = together ? make_comparable(together->values) : together.error(); !made) {
      return scope_.located(made.error(), node.location);
    }
    auto listed = call(is_negated ? FunctionId::kNotIn : FunctionId::kIn, std::move(together->values), node.location);
    if (!listed) {
      return listed;
    }
    tests.push_back(std::move(listed->expression));
  }
  for (Typed& member : *members) {
    if (is_list && !has_column(member.expression)) {
      continue;
    }
    auto test = compared(is_negated ? "<>" : "=", *value, std::move(member), node.location);
    if (!test) {
      return test;
    }
    tests.push_back(std::move(test->expression));
  }
  if (tests.size() == 1) {
    return Typed{std::move(tests[0]), false, node.location};
  }
  return call(is_negated ? FunctionId::kAnd : FunctionId::kOr, std::move(tests), node.location);
}

ExpressionBinder::Bound ExpressionBinder::between(const grammar::OperatorExpression& node) {
  const grammar::Nodes bounds = node.right.list().items;
  if (bounds.size() != 2) {
    return scope_.refuse("BETWEEN of this form", node.location);
  }
  auto sides = bind_all(std::array{node.left, bounds[0], bounds[1]}, /*are_compared=*/true);
  if (!sides) {
    return sides.error();
  }
  const bool is_negated =
      node.kind == grammar::OperatorKind::kNotBetween || node.kind == grammar::OperatorKind::kNotBetweenSymmetric;
  const bool is_symmetric =
      node.kind == grammar::OperatorKind::kBetweenSymmetric || node.kind == grammar::OperatorKind::kNotBetweenSymmetric;
  const auto within = [&](size_t low, size_t high) -> Bound {
    auto above = compared(is_negated ? "<" : ">=", (*sides)[0], (*sides)[low], node.location);
    auto below = compared(is_negated ? ">" : "<=", (*sides)[0], (*sides)[high], node.location);
    if (!above || !below) {
      return !above ? above : below;
    }
    std::vector<BoundExpression> both = list_of(std::move(above->expression));
    both.push_back(std::move(below->expression));
    return call(is_negated ? FunctionId::kOr : FunctionId::kAnd, std::move(both), node.location);
  };
  auto straight = within(1, 2);
  if (!straight || !is_symmetric) {
    return straight;
  }
  auto turned = within(2, 1);
  if (!turned) {
    return turned;
  }
  std::vector<BoundExpression> both = list_of(std::move(straight->expression));
  both.push_back(std::move(turned->expression));
  return call(is_negated ? FunctionId::kAnd : FunctionId::kOr, std::move(both), node.location);
}

// ---- conditions as values ----

ExpressionBinder::Bound ExpressionBinder::boolean_expression(const grammar::Node& node) {
  const grammar::BooleanExpression& expression = node.boolean_expression();
  if (expression.is_of_rows && scope_.is_described() && !scope_.types().is_held()) {
    return comparison_of_rows(node);
  }
  if (expression.is_row_order) {
    return row_order(node);
  }
  constexpr std::array kNames{"AND", "OR", "NOT"};
  constexpr std::array kForms{FunctionId::kAnd, FunctionId::kOr, FunctionId::kNot};
  const auto number = static_cast<size_t>(expression.op);
  std::vector<BoundExpression> parts;
  for (const grammar::Node& argument : expression.arguments) {
    auto part = bind(argument);
    if (!part) {
      return part;
    }
    auto truth = as_boolean(std::move(*part), kNames[number]);
    if (!truth) {
      return truth.error();
    }
    const bool is_same = truth->is_call(kForms[number]);
    if (is_same && expression.op == grammar::BooleanOperator::kNot) {
      return Typed{std::move(truth->arguments[0]), false, node.location()};  // Twice NOT is none.
    }
    // Chains are flat however they are bracketed.
    if (is_same) {
      std::move(truth->arguments.begin(), truth->arguments.end(), std::back_inserter(parts));
    } else {
      parts.push_back(std::move(*truth));
    }
  }
  return call(kForms[number], std::move(parts), node.location());
}

ExpressionBinder::Bound ExpressionBinder::comparison_of_rows(const grammar::Node& node) {
  scope_.types().hold();
  auto bound = boolean_expression(node);
  scope_.types().release();
  return bound;
}

ExpressionBinder::Bound ExpressionBinder::row_order(const grammar::Node& node) {
  const grammar::Nodes either = node.boolean_expression().arguments;
  const grammar::Nodes both = either[1].boolean_expression().arguments;
  std::vector<BoundExpression> parts;
  for (const grammar::Node* part : {&either[0], &both[0], &both[1]}) {
    auto bound = bind(*part);
    auto truth = bound ? as_boolean(std::move(*bound), "row comparison") : bound.error();
    if (!truth) {
      return truth.error();
    }
    parts.push_back(std::move(*truth));
  }
  const bool is_last = both[1].kind() != grammar::Node::kBooleanExpression;
  if (is_last && semantics::can_fail(parts[2]) && is_null_of_two(parts[2])) {
    auto null = null_of_both(std::move(parts[2]), node.location());
    if (!null) {
      return null;
    }
    parts[2] = std::move(null->expression);
  }
  if (std::any_of(parts.begin(), parts.end(), semantics::can_fail)) {
    return row_order_by_turns(std::move(parts[0]), std::move(parts[1]), std::move(parts[2]), node.location());
  }
  std::vector<BoundExpression> behind = list_of(std::move(parts[1]));
  behind.push_back(std::move(parts[2]));
  auto joined = call(FunctionId::kAnd, std::move(behind), node.location());
  if (!joined) {
    return joined;
  }
  parts.erase(parts.begin() + 1, parts.end());
  parts.push_back(std::move(joined->expression));
  return call(FunctionId::kOr, std::move(parts), node.location());
}

ExpressionBinder::Bound ExpressionBinder::row_order_by_turns(BoundExpression before, BoundExpression equal,
                                                             BoundExpression rest, int32_t location) {
  if (is_null_of_two(before)) {
    return null_of_both(std::move(before), location);  // PostgreSQL does not compute the values behind these two.
  }
  const Type truth{TypeKind::kBool};
  std::vector<BoundExpression> arms;
  auto unknown = call(FunctionId::kIsNull, list_of(BoundExpression(before)), location);
  if (!unknown) {
    return unknown;
  }
  arms.push_back(std::move(before));
  arms.push_back(semantics::make_constant(truth, Value(true)));
  arms.push_back(std::move(equal));
  arms.push_back(std::move(rest));
  arms.push_back(std::move(unknown->expression));
  arms.push_back(semantics::make_constant(truth, Value()));
  arms.push_back(semantics::make_constant(truth, Value(false)));
  return call(FunctionId::kCase, std::move(arms), location);
}

ExpressionBinder::Bound ExpressionBinder::null_of_both(BoundExpression comparison, int32_t location) {
  const Type truth{TypeKind::kBool};
  std::vector<BoundExpression> arms;
  for (BoundExpression& side : comparison.arguments) {
    auto met = computed_first(std::move(side), false, location);
    if (!met) {
      return met;
    }
    arms.push_back(std::move(met->expression));
    arms.push_back(semantics::make_constant(truth, Value()));
  }
  arms.push_back(semantics::make_constant(truth, Value()));
  return call(FunctionId::kCase, std::move(arms), location);
}

ExpressionBinder::Bound ExpressionBinder::null_test(const grammar::Node& node) {
  auto argument = bind(node.null_test().argument);
  if (!argument) {
    return argument;
  }
  // A value of any type is asked for none.
  auto typed = argument->parameter != 0 || argument->is_array ? Result<BoundExpression>(std::move(argument->expression))
                                                              : settled(std::move(*argument));
  if (!typed) {
    return typed.error();
  }
  return call(node.null_test().is_negated ? FunctionId::kIsNotNull : FunctionId::kIsNull, list_of(std::move(*typed)),
              node.location());
}

ExpressionBinder::Bound ExpressionBinder::boolean_test(const grammar::BooleanTest& node) {
  constexpr std::array kForms{FunctionId::kIsTrue,     FunctionId::kIsNotTrue, FunctionId::kIsFalse,
                              FunctionId::kIsNotFalse, FunctionId::kIsNull,    FunctionId::kIsNotNull};
  constexpr std::array kNames{"IS TRUE", "IS NOT TRUE", "IS FALSE", "IS NOT FALSE", "IS UNKNOWN", "IS NOT UNKNOWN"};
  auto argument = bind(node.argument);
  if (!argument) {
    return argument;
  }
  const auto number = static_cast<size_t>(node.kind);
  auto truth = as_boolean(std::move(*argument), kNames[number]);
  return truth ? call(kForms[number], list_of(std::move(*truth)), node.location) : Bound(truth.error());
}

// ---- casts and choices ----

ExpressionBinder::Bound ExpressionBinder::cast_expression(const grammar::Node& node) {
  const grammar::TypeCast& written = node.cast();
  auto argument = bind(written.argument);
  if (!argument) {
    return argument;
  }
  auto type = resolve_type(scope_, written.type_name);
  if (!type) {
    return type.error();
  }
  auto made = cast_value(node, std::move(*argument), *type);
  if (made) {
    made->modifier = modifier_of(*type, written.type_name);
  }
  return made;
}

ExpressionBinder::Bound ExpressionBinder::cast_value(const grammar::Node& node, Typed argument, Type type) {
  const grammar::TypeCast& written = node.cast();
  const auto precision = precision_of_datetime(type, written.type_name);
  if (argument.is_unknown && precision) {
    const int32_t location = argument.location;
    auto read = coerced(std::move(argument), type.kind);
    return read ? rounded(Typed{std::move(*read), false, location}, *precision) : read.error();
  }
  if (argument.is_unknown) {
    return constant(node);  // 'x'::type reads the text as that type.
  }
  if (plain_name(written.type_name.names) == "text") {
    type.kind = TypeKind::kText;
  }
  const TypeKind from = argument.expression.type.kind;
  if (argument.is_array && semantics::is_string(type.kind)) {
    return scope_.refuse("an array in this place", argument.location);
  }
  if (argument.is_array || !semantics::can_cast_explicitly(from, type.kind)) {
    return scope_.error("42846",
                        fmt::format("cannot cast type {}{} to {}", semantics::kind_name(from),
                                    argument.is_array ? "[]" : "", semantics::kind_name(type.kind)),
                        node.location());
  }
  const bool is_kept = argument.expression.type == type || keeps_length(argument.expression.type, type);
  auto made = is_kept ? Bound(std::move(argument)) : cast(std::move(argument.expression), type, argument.location);
  if (made && precision) {
    return rounded(std::move(*made), *precision);
  }
  return made && type.kind == TypeKind::kInterval ? restricted(std::move(*made), written.type_name) : made;
}

ExpressionBinder::Bound ExpressionBinder::rounded(Typed sql_timestamp, int32_t precision) {
  const TypeKind kind = sql_timestamp.expression.type.kind;
  const char* const name = kind == TypeKind::kTimestamp ? "timestamp"
                           : kind == TypeKind::kTime    ? "time"
                                                        : "timestamptz";
  const int32_t location = sql_timestamp.location;
  Typed digits{semantics::make_constant(Type{TypeKind::kInt}, Value(int64_t{precision}))};
  return resolved(name, false, pair_of(std::move(sql_timestamp), std::move(digits)), location);
}

ExpressionBinder::Bound ExpressionBinder::restricted(Typed interval, const grammar::TypeName& type) {
  const semantics::IntervalModifier modifier = modifier_of_interval(type);
  if (modifier.is_none()) {
    return interval;
  }
  const int32_t location = interval.location;
  const Value number = int64_t{semantics::number_of(modifier)};
  return resolved("interval", false,
                  pair_of(std::move(interval), Typed{semantics::make_constant(Type{TypeKind::kInt}, number)}),
                  location);
}

ExpressionBinder::Bound ExpressionBinder::case_expression(const grammar::Node& node) {
  const grammar::CaseExpression& choice = node.case_expression();
  std::vector<BoundExpression> conditions;
  std::vector<Typed> values(1);  // The last one counts first among the types.
  for (const grammar::CaseArm& arm : choice.arms) {
    auto condition = bind(arm.condition);
    if (!condition) {
      return condition;
    }
    if (choice.argument.is_present()) {
      auto argument = bind(choice.argument);
      auto typed = argument ? settled(std::move(*argument)) : argument.error();
      if (!typed) {
        return typed.error();
      }
      argument = Typed{std::move(*typed), false, location_of(choice.argument)};
      condition = compared("=", std::move(*argument), std::move(*condition), arm.location);
      if (!condition) {
        return condition;
      }
    }
    auto truth = as_boolean(std::move(*condition), "CASE/WHEN");
    if (!truth) {
      return truth.error();
    }
    conditions.push_back(std::move(*truth));
    auto value = bind(arm.value);
    if (!value) {
      return value;
    }
    values.push_back(std::move(*value));
  }
  Typed otherwise;
  otherwise.is_unknown = true;
  otherwise.expression = semantics::make_constant(Type{TypeKind::kText}, Value());
  if (choice.otherwise.is_present()) {
    auto bound = bind(choice.otherwise);
    if (!bound) {
      return bound;
    }
    otherwise = std::move(*bound);
  }
  values[0] = std::move(otherwise);
  auto together = brought_together(std::move(values), "CASE");
  if (!together) {
    return together.error();
  }
  std::vector<BoundExpression> arguments;
  for (size_t arm = 0; arm < conditions.size(); ++arm) {
    arguments.push_back(std::move(conditions[arm]));
    arguments.push_back(std::move(together->values[arm + 1]));
  }
  arguments.push_back(std::move(together->values.front()));
  return call_together(FunctionId::kCase, Together{std::move(arguments), together->modifier}, node.location());
}

ExpressionBinder::Bound ExpressionBinder::choice(FunctionId function, std::string_view name,
                                                 const grammar::Nodes& arguments, int32_t location) {
  auto bound = bind_all(arguments);
  if (!bound) {
    return bound.error();
  }
  return call_together(function, brought_together(std::move(*bound), name), location);
}

ExpressionBinder::Bound ExpressionBinder::call_together(FunctionId function, Result<Together> arguments,
                                                        int32_t location) {
  if (!arguments) {
    return arguments.error();
  }
  auto made = call(function, std::move(arguments->values), location);
  if (made) {
    made->modifier = arguments->modifier;
  }
  return made;
}

}  // namespace daedalus::aggregator::sql
