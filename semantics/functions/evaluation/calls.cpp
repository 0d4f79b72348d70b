// Calls are checked here: what may be called with what, and of which type the result is.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "daedalus/semantics/decimal.hpp"
#include "decimal_digits.hpp"
#include "families.hpp"

namespace daedalus::semantics {
namespace {

using scalar::Expressions;
using scalar::numeric_of;
using scalar::text_of;

Error malformed(FunctionId function, std::string_view what) {
  return rejected("08P01", fmt::format("call of function {}: {}", static_cast<int>(function), what));
}

bool is_form(FunctionId function) { return static_cast<uint16_t>(function) < kFunctionsFrom; }

bool any_nullable(Expressions arguments) {
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const BoundExpression& argument) { return argument.nullable; });
}

/// Says whether all from the first of a stride on are of the kind.
bool all_are(Expressions arguments, TypeKind kind) {
  return std::all_of(arguments.begin(), arguments.end(),
                     [&](const BoundExpression& argument) { return argument.type.kind == kind; });
}

/// Two that lie in the same alternative: of one kind, or real and double precision.
bool are_comparable(Expressions arguments) {
  const TypeKind first = arguments[0].type.kind;
  const TypeKind second = arguments[1].type.kind;
  return first == second || (is_floating(first) && is_floating(second));
}

bool is_null_constant(const BoundExpression& value) { return value.is_constant() && is_null(value.value); }

/// The type of chars: of their length where all have the same. A NULL has none.
Type common_char(Expressions values) {
  std::optional<Type> common;
  for (const BoundExpression& value : values) {
    if (is_null_constant(value)) {
      continue;
    }
    if (common && common->length != value.type.length) {
      return Type{TypeKind::kChar};
    }
    common = value.type;
  }
  return common.value_or(values[0].type);
}

/// The type of a value that may be any of these, which are of one kind: a numeric keeps its bound only where all have
/// the same scale, since each shows the digits that it came with.
Type common_type(Expressions values) {
  Type type = values[0].type;
  if (type.kind == TypeKind::kChar) {
    return common_char(values);
  }
  for (const BoundExpression& value : values.subspan(1)) {
    const Type& other = value.type;
    if (type.kind == TypeKind::kNumeric) {
      const bool is_bounded = type.precision > 0 && other.precision > 0 && type.scale == other.scale;
      type = is_bounded ? Type{type.kind, std::max(type.precision, other.precision), type.scale} : Type{type.kind};
    } else if (is_string(type.kind)) {
      type.length = type.length == 0 || other.length == 0 ? 0 : std::max(type.length, other.length);
    }
  }
  return type;
}

/// A string's bound is always known; a char(n) is padded to its own, and one without a length has its own blanks.
Type bounded(Type type) {
  if (is_string(type.kind) && type.kind != TypeKind::kChar && type.length == 0) {
    type.length = kStringLengthMax;
  }
  return type;
}

struct Shape {
  Type type;
  bool nullable = true;
};

Result<Shape> shape_of_case(FunctionId function, Expressions arguments) {
  if (arguments.size() < 3 || arguments.size() % 2 == 0) {
    return malformed(function, "conditions and values do not alternate");
  }
  std::vector<BoundExpression> values;
  for (size_t number = 0; number + 1 < arguments.size(); number += 2) {
    if (arguments[number].type.kind != TypeKind::kBool) {
      return malformed(function, "a condition is not boolean");
    }
    values.push_back(arguments[number + 1]);
  }
  values.push_back(arguments.back());
  if (!all_are(values, values[0].type.kind)) {
    return malformed(function, "values of several types");
  }
  return Shape{common_type(values), any_nullable(values)};
}

Result<Shape> shape_of_choice(FunctionId function, Expressions arguments) {
  if (arguments.empty() || !all_are(arguments, arguments[0].type.kind)) {
    return malformed(function, "values of several types, or none");
  }
  const bool all_nullable = std::all_of(arguments.begin(), arguments.end(),
                                        [](const BoundExpression& argument) { return argument.nullable; });
  return Shape{common_type(arguments), all_nullable};
}

Result<Shape> shape_of_test(FunctionId function, Expressions arguments) {
  constexpr Type kBool{TypeKind::kBool};
  const auto wants = [&](bool holds, bool nullable) -> Result<Shape> {
    return holds ? Result<Shape>(Shape{kBool, nullable}) : malformed(function, "not of these arguments");
  };
  const bool are_same_kind = !arguments.empty() && all_are(arguments, arguments[0].type.kind);
  switch (function) {
    case FunctionId::kAnd:
    case FunctionId::kOr:
      return wants(arguments.size() >= 2 && all_are(arguments, TypeKind::kBool), any_nullable(arguments));
    case FunctionId::kNot:
      return wants(arguments.size() == 1 && all_are(arguments, TypeKind::kBool), any_nullable(arguments));
    case FunctionId::kIsNull:
    case FunctionId::kIsNotNull:
      return wants(arguments.size() == 1, false);
    case FunctionId::kIsTrue:
    case FunctionId::kIsNotTrue:
    case FunctionId::kIsFalse:
    case FunctionId::kIsNotFalse:
      return wants(arguments.size() == 1 && all_are(arguments, TypeKind::kBool), false);
    case FunctionId::kIsDistinct:
    case FunctionId::kIsNotDistinct:
      return wants(arguments.size() == 2 && are_comparable(arguments), false);
    default:
      return wants(arguments.size() >= 2 && are_same_kind, any_nullable(arguments));  // kIn, kNotIn
  }
}

Result<Shape> shape_of_form(FunctionId function, Expressions arguments, const Type& target) {
  switch (function) {
    case FunctionId::kCase:
      return shape_of_case(function, arguments);
    case FunctionId::kCoalesce:
    case FunctionId::kGreatest:
    case FunctionId::kLeast:
      return shape_of_choice(function, arguments);
    case FunctionId::kNullIf:
      if (arguments.size() != 2 || !are_comparable(arguments)) {
        return malformed(function, "not of these arguments");
      }
      return Shape{arguments[0].type, true};
    case FunctionId::kCast:
      if (arguments.size() != 1 || type_fault(target) || !can_cast_explicitly(arguments[0].type.kind, target.kind)) {
        return malformed(function, "there is no such cast");
      }
      // Infinity has no time of day: NULL.
      return Shape{target, arguments[0].nullable || (is_datetime(arguments[0].type.kind) && !is_datetime(target.kind) &&
                                                     !is_string(target.kind))};
    case FunctionId::kNone:
      return malformed(function, "there is no such function");
    default:
      break;
  }
  return function <= FunctionId::kNotIn ? shape_of_test(function, arguments)
                                        : Result<Shape>(malformed(function, "there is no such function"));
}

/// An integer that becomes a numeric has a bound, too.
Type cast_type(const Type& from, const Type& to) {
  if (to.kind != TypeKind::kNumeric || to.precision != 0) {
    return to.kind == TypeKind::kText && is_string(from.kind) ? text_of(length_max(from)) : to;
  }
  switch (from.kind) {
    case TypeKind::kSmallint:
      return numeric_of(5, 0);
    case TypeKind::kInt:
      return numeric_of(10, 0);
    case TypeKind::kBigint:
      return numeric_of(19, 0);
    case TypeKind::kNumeric:
      return from;
    default:
      return to;
  }
}

Result<Shape> shape_of_function(FunctionId id, Expressions arguments) {
  const ScalarFunction* function = find_function(id);
  if (function == nullptr || function->evaluate == nullptr) {
    return malformed(id, "there is no such function");
  }
  const bool has_any = function->takes_any && arguments.size() > function->arguments.size();
  const Expressions named = has_any ? arguments.first(function->arguments.size()) : arguments;
  const bool fits =
      std::equal(named.begin(), named.end(), function->arguments.begin(), function->arguments.end(),
                 [](const BoundExpression& argument, TypeKind kind) { return argument.type.kind == kind; });
  if (!fits || has_any != function->takes_any) {
    return malformed(id, fmt::format("not the arguments of {}", function->name));
  }
  const Type type = function->result_type != nullptr ? function->result_type(arguments) : Type{function->result};
  return Shape{type, function->takes_nulls || function->may_be_null || any_nullable(arguments)};
}

struct Measure {
  uint32_t depth = 1;
  uint64_t nodes = 1;
};

Measure measure_of(const BoundExpression& expression) {
  Measure measure;
  for (const BoundExpression& argument : expression.arguments) {
    const Measure inner = measure_of(argument);
    measure.depth = std::max(measure.depth, inner.depth + 1);
    measure.nodes += inner.nodes;
  }
  return measure;
}

Result<BoundExpression> checked(BoundExpression made) {
  const Measure measure = measure_of(made);
  if (measure.depth > kCallDepthMax) {
    return rejected("54001",
                    fmt::format("the expression is too complex: more than {} levels of nesting", kCallDepthMax));
  }
  if (measure.nodes > kCallNodesMax) {
    return rejected("54001", fmt::format("the expression is too complex: more than {} parts", kCallNodesMax));
  }
  return made;
}

/// Digits of an integer without its sign.
uint64_t digit_count(const BigInt& value) { return value.is_zero() ? 0 : DecimalDigits(value).size(); }

/// Arguments of an ordered set are its value, what stands in its parentheses, and what it is ordered by.
bool takes_arguments(const AggregateEntry& entry, size_t count, const AggregateInput& input) {
  const size_t order_count = input.order.size();
  if (entry.function == AggregateFunction::kGrouping) {
    return count > 0 && count < 32 && !input.is_distinct && order_count == 0;
  }
  if (entry.is_ordered_set) {
    return count == entry.argument_count + 2u && !input.is_distinct && order_count == 1;
  }
  return count == entry.argument_count + order_count && (order_count == 0 || is_made_in_order(entry.function)) &&
         (entry.argument_count > 0 || !input.is_distinct);
}

/// The function, or what it is in a session of this zone.
Result<BoundExpression> call_at_zone(const ScalarFunction& function, std::vector<BoundExpression> arguments,
                                     const std::string* zone) {
  const ScalarFunction* twin = zone == nullptr ? nullptr : function_at_zone(function);
  if (twin == nullptr) {
    return make_call(function.id, std::move(arguments));
  }
  arguments.push_back(make_constant(Type{TypeKind::kText}, *zone));
  return make_call(twin->id, std::move(arguments));
}

Result<BoundExpression> cast_to(BoundExpression value, TypeKind kind, const std::string* zone) {
  if (value.type.kind == kind) {
    return value;
  }
  if (zone != nullptr && is_cast_by_zone(value.type.kind, kind)) {
    return cast_at_zone(std::move(value), Type{kind}, *zone);
  }
  return make_call(FunctionId::kCast, {std::move(value)}, Type{kind});
}

/// Makes the end of a period of OVERLAPS.
Result<BoundExpression> later(const BoundExpression& begin, BoundExpression span, const std::string* zone) {
  const ArgumentKind kinds[] = {{begin.type.kind, false}, {TypeKind::kInterval, false}};
  const auto sum = resolve_function("+", true, kinds);
  return sum ? call_at_zone(**sum, {begin, std::move(span)}, zone) : sum.error();
}

}  // namespace

BoundExpression make_input(uint32_t input, const Type& type, bool nullable) {
  BoundExpression made;
  made.input = input;
  made.type = type;
  made.nullable = nullable;
  return made;
}

BoundExpression make_constant(Type type, Value value) {
  if (const auto* number = std::get_if<Decimal>(&value)) {
    const uint64_t digits = digit_count(number->unscaled);
    const auto scale = static_cast<uint64_t>(number->scale);
    type = numeric_of(digits > scale ? digits - scale : 0, scale);
  }
  // The blanks that a char(n) is padded with are part of its value.
  const auto* string = std::get_if<std::string>(&value);
  if (string != nullptr && is_string(type.kind) && type.kind != TypeKind::kChar) {
    type.length = static_cast<uint32_t>(std::max<size_t>(string->size(), 1));
  }
  if (is_null(value) && is_string(type.kind)) {
    type.length = 1;  // It never is longer than what stands beside it.
  }
  BoundExpression made;
  made.kind = BoundExpression::Kind::kConstant;
  made.nullable = is_null(value);
  made.type = bounded(type);
  made.value = std::move(value);
  return made;
}

Result<BoundExpression> make_call(FunctionId function, std::vector<BoundExpression> arguments, const Type& target) {
  const Type wanted =
      function == FunctionId::kCast && arguments.size() == 1 ? cast_type(arguments[0].type, target) : target;
  const Result<Shape> shape =
      is_form(function) ? shape_of_form(function, arguments, wanted) : shape_of_function(function, arguments);
  if (!shape) {
    return shape.error();
  }
  BoundExpression made;
  made.kind = BoundExpression::Kind::kCall;
  made.function = function;
  made.type = bounded(shape->type);
  made.nullable = shape->nullable;
  made.arguments = std::move(arguments);
  return checked(std::move(made));
}

Result<BoundExpression> make_named_call(const ScalarFunction& function, std::vector<BoundExpression> arguments,
                                        const std::string* zone) {
  if (function.id == FunctionId::kCast) {
    return cast_to(std::move(arguments[0]), function.result, zone);
  }
  const ScalarFunction* meant = find_function(function.id);
  for (size_t place = 0; place < meant->arguments.size(); ++place) {
    const TypeKind kind = meant->arguments[place];
    const bool is_span = arguments[place].type.kind == TypeKind::kInterval && kind != TypeKind::kInterval;
    auto made = is_span ? later(arguments[place - 1], std::move(arguments[place]), zone)
                        : cast_to(std::move(arguments[place]), kind, zone);
    if (!made) {
      return made;
    }
    arguments[place] = std::move(*made);
  }
  return call_at_zone(*meant, std::move(arguments), zone);
}

Result<BoundExpression> make_aggregate(AggregateFunction function, std::vector<BoundExpression> arguments,
                                       AggregateInput input) {
  BoundExpression made;
  made.kind = BoundExpression::Kind::kAggregate;
  made.aggregate = function;
  const AggregateEntry& entry = entry_of(function);
  if (!takes_arguments(entry, arguments.size(), input)) {
    return rejected("08P01", fmt::format("{}() of {} arguments", entry.name, arguments.size()));
  }
  const Result<Type> type = aggregate_type(function, arguments.empty() ? Type{TypeKind::kBigint} : arguments[0].type);
  if (!type) {
    return type.error();
  }
  if (entry.second_kind && arguments[1].type.kind != *entry.second_kind) {
    return rejected("08P01",
                    fmt::format("{}() takes {} as its second argument", entry.name, kind_name(*entry.second_kind)));
  }
  made.type = *type;
  made.nullable = entry.is_null_of_nothing;
  made.arguments = std::move(arguments);
  made.is_distinct = input.is_distinct && !entry.may_repeat;
  made.order = std::move(input.order);
  return checked(std::move(made));
}

bool has_aggregate(const BoundExpression& expression) {
  return expression.kind == BoundExpression::Kind::kAggregate ||
         std::any_of(expression.arguments.begin(), expression.arguments.end(), has_aggregate);
}

}  // namespace daedalus::semantics
