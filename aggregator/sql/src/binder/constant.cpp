#include "constant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "arithmetic.hpp"
#include "beyond.hpp"
#include "cast.hpp"
#include "computing_mistakes.hpp"
#include "daedalus/semantics/date_order.hpp"
#include "daedalus/semantics/text.hpp"
#include "daedalus/semantics/uuid.hpp"
#include "expression_binder.hpp"
#include "given_parameter.hpp"
#include "refusals.hpp"
#include "value_query.hpp"

namespace daedalus::aggregator::sql {

namespace {

using semantics::BoundExpression;
using semantics::DateOrder;
using semantics::Type;
using semantics::TypeKind;
using semantics::Value;

using Folded = Result<std::optional<Constant>>;

/// A type without declared length, precision and scale: what a literal is read as.
Type unbounded(const Type& type) {
  return semantics::is_string(type.kind) ? Type{TypeKind::kVarchar} : Type{type.kind};
}

/// An integer literal is int, bigint or numeric, whichever is the first that holds it; one with point or exponent is
/// numeric.
Folded fold_number(const Scope& scope, std::string_view text, int32_t location) {
  if (text.find_first_not_of("-0123456789") == std::string_view::npos) {
    auto integer = semantics::parse_text(Type{TypeKind::kBigint}, text);
    if (integer.has_value()) {
      const int64_t value = std::get<int64_t>(*integer);
      const bool is_int = value >= std::numeric_limits<int32_t>::min() && value <= std::numeric_limits<int32_t>::max();
      return Constant{Type{is_int ? TypeKind::kInt : TypeKind::kBigint}, std::move(*integer), false, location};
    }
  }
  auto number = semantics::parse_text(Type{TypeKind::kNumeric}, text);
  if (!number) {
    return scope.located(number.error(), location);
  }
  return Constant{Type{TypeKind::kNumeric}, std::move(*number), false, location};
}

Folded fold_literal(const Scope& scope, const grammar::ConstantNode& node) {
  using Kind = grammar::ConstantNode::Kind;
  switch (node.kind) {
    case Kind::kNull:
      return Constant{Type{TypeKind::kVarchar}, {}, true, node.location};
    case Kind::kInteger:
      return Constant{Type{TypeKind::kInt}, Value(int64_t{node.integer}), false, node.location};
    case Kind::kNumber:
      return fold_number(scope, node.text, node.location);
    case Kind::kBoolean:
      return Constant{Type{TypeKind::kBool}, Value(node.boolean), false, node.location};
    case Kind::kString:
      return Constant{Type{TypeKind::kVarchar}, Value(std::string(node.text)), true, node.location};
    default:
      return scope.refuse("bit-string constant", node.location, "use a number or a string");
  }
}

/// Makes a NULL that stands for a parameter without a value; it has the type that the parameter's earlier places gave.
Folded fold_described(Scope& scope, const grammar::ParameterReference& node) {
  auto kind = scope.parameter_kind(node);
  if (!kind) {
    return kind.error();
  }
  if (kind->has_value()) {
    Constant typed = constant_without_value(**kind);
    typed.location = node.location;
    return typed;
  }
  return Constant{Type{TypeKind::kVarchar}, {}, true, node.location, false, node.number};
}

Folded fold_parameter(Scope& scope, const grammar::ParameterReference& node) {
  if (scope.is_described()) {
    return fold_described(scope, node);
  }
  auto given = scope.parameter(node);
  if (!given) {
    return given.error();
  }
  auto constant = given_constant(scope, **given, scope.kind_of_given(node.number));
  if (!constant) {
    Error error = constant.error();
    if (error.sqlstate == "08P01") {
      error.message = fmt::format("parameter ${}: {}", node.number, error.message);
    }
    return scope.located(std::move(error), node.location);
  }
  constant->location = node.location;
  constant->given = node.number;
  return std::move(*constant);
}

/// As an interval of which some fields are kept: in INTERVAL '90' DAY they also say what a number alone is.
Folded fold_restricted(const Scope& scope, const Constant& argument, semantics::IntervalModifier modifier) {
  const Type type{TypeKind::kInterval};
  if (argument.is_untyped && !semantics::is_null(argument.value)) {
    ask_kind(scope, argument, type.kind);
    const std::string& text = std::get<std::string>(argument.value);
    const auto may = scope.read_interval(text, argument.location);
    auto read = may ? semantics::parse_interval(text, modifier) : may.error();
    return read ? Folded(Constant{type, std::move(*read), false, argument.location})
                : Folded(scope.located(read.error(), argument.location));
  }
  auto made = cast(scope, argument, type);
  if (!made) {
    return made.error();
  }
  if (!semantics::is_null(made->value)) {
    const auto kept = semantics::restricted(std::get<semantics::Interval>(made->value), modifier);
    if (!kept) {
      return scope.located(kept.error(), argument.location);
    }
    made->value = *kept;
  }
  return std::move(*made);
}

/// A literal that is beyond the type; nothing for all others.
std::optional<Constant> cast_beyond(const Scope& scope, const Constant& argument, const Type& type) {
  const auto* text = std::get_if<std::string>(&argument.value);
  auto made = argument.is_untyped && text != nullptr ? value_beyond(type, *text) : std::nullopt;
  if (made) {
    ask_kind(scope, argument, type.kind);
    made->location = argument.location;
  }
  return made;
}

Folded fold_cast(Scope& scope, const grammar::TypeCast& node) {
  auto argument = fold_compared(scope, node.argument);
  if (!argument || !argument->has_value()) {
    return argument;
  }
  auto type = resolve_type(scope, node.type_name);
  if (!type) {
    return type.error();
  }
  if (precision_of_datetime(*type, node.type_name)) {
    return std::optional<Constant>();  // It is computed.
  }
  if (auto beyond = cast_beyond(scope, **argument, *type)) {
    return beyond;
  }
  if ((*argument)->is_beyond) {
    return refuse_beyond(scope, **argument);
  }
  if (type->kind == TypeKind::kInterval && !modifier_of_interval(node.type_name).is_none()) {
    return fold_restricted(scope, **argument, modifier_of_interval(node.type_name));
  }
  const bool is_text = plain_name(node.type_name.names) == "text";
  if (is_text) {
    ask_kind(scope, **argument, TypeKind::kText);
    (*argument)->parameter = 0;
  }
  auto result = cast(scope, **argument, *type);
  if (!result) {
    return result.error();
  }
  result->is_text = is_text;
  return std::move(*result);
}

/// The SQL timestamp that is now, or what the session's clocks show.
Constant now_as(TypeKind kind, const Scope& scope, int32_t location) {
  scope.places().give_up();
  const int64_t now = kind == TypeKind::kTimestampTz ? scope.now_us() : scope.local_now_us();
  return Constant{Type{kind}, Value(now), false, location};
}

Constant now_as_time(const Scope& scope, int32_t location) {
  Constant constant = now_as(TypeKind::kTime, scope, location);
  const int64_t of_day = scope.local_now_us() % semantics::kMicrosPerDay;
  constant.value = of_day < 0 ? of_day + semantics::kMicrosPerDay : of_day;
  return constant;
}

Folded fold_value_function(const Scope& scope, const grammar::ValueFunction& node) {
  switch (node.kind) {
    case grammar::ValueFunctionKind::kCurrentDate: {
      scope.places().give_up();
      const int64_t now = scope.local_now_us();
      const int64_t days = now / semantics::kMicrosPerDay - (now % semantics::kMicrosPerDay < 0 ? 1 : 0);
      return Constant{Type{TypeKind::kDate}, Value(days), false, node.location};
    }
    case grammar::ValueFunctionKind::kCurrentTimestamp:
      return now_as(TypeKind::kTimestampTz, scope, node.location);
    case grammar::ValueFunctionKind::kLocalTimestamp:
      return now_as(TypeKind::kTimestamp, scope, node.location);
    case grammar::ValueFunctionKind::kLocalTime:
      return now_as_time(scope, node.location);
    default:
      return std::optional<Constant>();
  }
}

/// Draws a UUID of version 4: all bits are random but those of the version and the variant.
Folded random_uuid(const Scope& scope, int32_t location) {
  Constant constant{Type{TypeKind::kUuid}, {}, false, location};
  if (scope.is_described()) {
    return constant;
  }
  const std::optional<uint64_t> high = scope.random_bits();
  const std::optional<uint64_t> low = scope.random_bits();
  if (!high || !low) {
    return scope.refuse("gen_random_uuid() outside the values of an INSERT", location, "let the application draw it");
  }
  constexpr uint64_t kVersion = 0x4000;
  constexpr uint64_t kVariant = uint64_t{1} << 63;
  const uint64_t first = (*high & ~uint64_t{0xf000}) | kVersion;
  const uint64_t second = (*low & ~(uint64_t{3} << 62)) | kVariant;
  constant.value = semantics::uuid_bytes(static_cast<__int128>((static_cast<unsigned __int128>(first) << 64 | second) ^
                                                               (static_cast<unsigned __int128>(1) << 127)));
  return constant;
}

Folded fold_function(const Scope& scope, const grammar::FunctionCall& call) {
  const std::string_view name = plain_name(call.name);
  if (!call.arguments.empty() || call.star || call.has_over || call.filter.is_present()) {
    return std::optional<Constant>();
  }
  if (name == "gen_random_uuid") {
    return random_uuid(scope, call.location);
  }
  const bool is_now = name == "now" || name == "transaction_timestamp" || name == "statement_timestamp" ||
                      name == "clock_timestamp";  // A statement looks at the clock once.
  return is_now ? now_as(TypeKind::kTimestampTz, scope, call.location) : Folded(std::optional<Constant>());
}

/// True when fold_computed() computes the operators of this kind.
bool is_computed(TypeKind kind) { return kind == TypeKind::kInterval || kind == TypeKind::kTime; }

/// Nothing for one that cannot be computed: a NULL beside it may hide that, says fold_computed().
Folded fold_operand(Scope& scope, const grammar::Node& node) {
  auto operand = fold(scope, node);
  const bool is_array = operand && operand->has_value() && (*operand)->is_array;
  return !is_array && (operand || !is_of_computing(operand.error())) ? operand : std::optional<Constant>();
}

Folded fold_sign(Scope& scope, Sign sign, const grammar::OperatorExpression& node) {
  auto operand = fold_operand(scope, node.right);
  if (!operand || !operand->has_value()) {
    return operand;
  }
  if (is_computed((*operand)->type.kind)) {
    return std::optional<Constant>();
  }
  auto result = apply_sign(scope, sign, **operand, node.location);
  if (!result) {
    return result.error();
  }
  result->given = 0;
  return std::optional<Constant>(std::move(*result));
}

Folded fold_operator(Scope& scope, const grammar::OperatorExpression& node) {
  const std::string_view name = plain_name(node.name);
  if (node.kind != grammar::OperatorKind::kPlain || (name != "+" && name != "-")) {
    return std::optional<Constant>();
  }
  const Sign sign = name == "-" ? Sign::kMinus : Sign::kPlus;
  if (!node.left.is_present()) {
    return fold_sign(scope, sign, node);
  }
  auto left = fold_operand(scope, node.left);
  if (!left || !left->has_value()) {
    return left;
  }
  auto right = fold_operand(scope, node.right);
  if (!right || !right->has_value()) {
    return right;
  }
  if (is_computed((*left)->type.kind) || is_computed((*right)->type.kind) ||
      (semantics::is_timestamp((*left)->type.kind) && semantics::is_timestamp((*right)->type.kind))) {
    return std::optional<Constant>();
  }
  auto result = add(scope, **left, sign, **right, node.location);
  if (!result) {
    return result.error();
  }
  result->given = 0;
  return std::optional<Constant>(std::move(*result));
}

Error at_column(const Scope& scope, Error error, const semantics::Column& column, int32_t location) {
  error.message += fmt::format(" (column \"{}\")", column.name);
  return scope.located(std::move(error), location);
}

/// Decides what becomes of an expression without columns that could not be bound or computed; see fold_computed().
Folded not_folded(const Scope& scope, const Result<BoundExpression>& bound, const Error& met, int32_t location) {
  if (met.sqlstate == "0A000" || met.sqlstate == "42803") {
    return std::optional<Constant>();
  }
  if (!bound) {
    return scope.located(met, location);
  }
  if (scope.leaves_mistakes()) {
    return Constant{Type{bound->type.kind}, {}, false, location};
  }
  return met;  // PostgreSQL tells no place of what is computed.
}

/// A constant that only an expression gives: it has no columns, and what it calls is in the table of functions.
/// Nothing for what is not supported, or an aggregate: the caller has words for it.
Folded fold_computed(Scope& scope, const grammar::Node& node) {
  if (mentions_column(node)) {
    return std::optional<Constant>();
  }
  auto bound = ExpressionBinder(scope, {"a constant"}).value(node);
  auto folded = bound ? semantics::fold(BoundExpression(*bound)) : bound;
  if (!folded) {
    return not_folded(scope, bound, folded.error(), location_of(node));
  }
  if (!folded->is_constant()) {
    // It fails, and a stable function has a part in it: here it is wanted now.
    auto value = semantics::evaluate(*folded, {});
    return value ? Folded(std::optional<Constant>()) : Folded(scope.located(value.error(), location_of(node)));
  }
  return std::optional<Constant>(constant_of(std::move(*folded), location_of(node)));
}

Folded fold_call(Scope& scope, const grammar::Node& node) {
  auto known = fold_function(scope, node.function_call());
  const bool is_listed = semantics::is_function_name(plain_name(node.function_call().name));
  return known && !known->has_value() && is_listed ? fold_computed(scope, node) : known;
}

Folded fold_operation(Scope& scope, const grammar::Node& node) {
  auto sum = fold_operator(scope, node.operator_expression());
  return sum && !sum->has_value() ? fold_computed(scope, node) : sum;
}

/// A query that is an expression; nothing for any other.
Folded fold_query(Scope& scope, const grammar::Node& node) {
  const grammar::ResultTarget* const target = lone_value(node);
  if (target == nullptr) {
    return std::optional<Constant>();
  }
  if (!is_bare(node.sub_link().query.select())) {
    return fold_computed(scope, node);
  }
  auto value = fold_compared(scope, target->value);
  if (!value || !value->has_value()) {
    return value ? fold_computed(scope, node) : value;
  }
  if ((*value)->is_untyped) {  // A value that nothing in the query gives a type is text.
    ask_kind(scope, **value, TypeKind::kText);
    auto text = cast(scope, **value, Type{.kind = TypeKind::kVarchar, .length = semantics::kStringLengthMax});
    if (!text) {
      return text.error();
    }
    text->is_untyped = false;
    text->is_text = true;
    text->parameter = 0;
    text->given = 0;
    value = std::optional<Constant>(std::move(*text));
  }
  (*value)->location = node.location();
  return value;
}

}  // namespace

Constant constant_of(semantics::BoundExpression folded, int32_t location) {
  Constant constant{folded.type, std::move(folded.value), false, location};
  constant.is_text = constant.type.kind == TypeKind::kText;
  if (constant.is_text) {
    constant.type = Type{.kind = TypeKind::kVarchar, .length = semantics::kStringLengthMax};
  } else if (constant.type.kind == TypeKind::kNumeric) {
    constant.type = Type{TypeKind::kNumeric};
  }
  return constant;
}

Folded fold(Scope& scope, const grammar::Node& node) {
  auto folded = fold_compared(scope, node);
  const bool is_beyond = folded && folded->has_value() && (*folded)->is_beyond;
  return is_beyond ? Folded(refuse_beyond(scope, **folded)) : folded;
}

Folded fold_compared(Scope& scope, const grammar::Node& node) {
  switch (node.kind()) {
    case grammar::Node::kConstant:
      return fold_literal(scope, node.constant());
    case grammar::Node::kParameter:
      return fold_parameter(scope, node.parameter());
    case grammar::Node::kCast: {
      auto made = fold_cast(scope, node.cast());
      return made && !made->has_value() ? fold_computed(scope, node) : made;
    }
    case grammar::Node::kValueFunction:
      return fold_value_function(scope, node.value_function());
    case grammar::Node::kFunctionCall:
      return fold_call(scope, node);
    case grammar::Node::kOperatorExpression:
      return fold_operation(scope, node);
    case grammar::Node::kCaseExpression:
    case grammar::Node::kCoalesce:
    case grammar::Node::kMinMax:
      return fold_computed(scope, node);
    case grammar::Node::kSubLink:
      return fold_query(scope, node);
    default:
      return std::optional<Constant>();
  }
}

std::string type_name(const Constant& constant) {
  if (constant.is_untyped) {
    return "unknown";
  }
  return fmt::format("{}{}", constant.is_text ? "text" : semantics::kind_name(constant.type.kind),
                     constant.is_array ? "[]" : "");
}

void ask_kind(const Scope& scope, const Constant& constant, TypeKind kind) {
  if (constant.parameter != 0) {
    scope.ask_kind(constant.parameter, constant.location, {kind});
  }
}

Result<Constant> at_session_zone(const Scope& scope, Constant constant, const Type& type) {
  const semantics::SessionZone* zone = scope.session_zone();
  if (zone == nullptr || semantics::is_null(constant.value)) {
    return constant;
  }
  auto cast =
      semantics::cast_at_zone(semantics::make_constant(constant.type, std::move(constant.value)), type, zone->bound());
  auto value = cast ? semantics::evaluate(*cast, {}) : cast.error();
  if (!value) {
    return scope.located(value.error(), constant.location);
  }
  constant.type = type;
  constant.value = std::move(*value);
  return constant;
}

Result<void> check_interval_text(const Scope& scope, const Constant& constant, const Type& type) {
  const bool is_shown =
      !constant.is_untyped && constant.type.kind == TypeKind::kInterval && semantics::is_string(type.kind);
  return is_shown ? scope.show_interval(constant.location) : Result<void>();
}

bool is_of_other_clock(const Scope& scope, TypeKind one, TypeKind other) {
  const bool are_datetimes = semantics::is_datetime(one) && semantics::is_datetime(other);
  return are_datetimes && semantics::is_cast_by_zone(one, other) && scope.session_zone() != nullptr;
}

Result<Constant> resolve_for_comparison(const Scope& scope, Constant constant, const Type& column_type) {
  if (constant.is_array) {
    return scope.refuse("an array in this place", constant.location);
  }
  if (!constant.is_untyped && constant.type.kind == TypeKind::kInterval) {
    return scope.refuse("looking up an interval", constant.location);  // It is computed.
  }
  // PostgreSQL compares varchar as text.
  ask_kind(scope, constant, column_type.kind == TypeKind::kVarchar ? TypeKind::kText : column_type.kind);
  if (constant.is_beyond) {
    return constant;
  }
  const bool is_string_beside_char = column_type.kind == TypeKind::kChar && semantics::is_string(constant.type.kind);
  if (!constant.is_untyped && is_of_other_clock(scope, constant.type.kind, column_type.kind)) {
    // An SQL timestamp beside a column of clocks' times is no time of theirs: a clock that is put back shows some
    // twice.
    return column_type.kind == TypeKind::kTimestampTz
               ? at_session_zone(scope, std::move(constant), column_type)
               : Result<Constant>(
                     scope.refuse("looking up an SQL timestamp among times of a clock", constant.location));
  }
  if (!constant.is_untyped && (!is_string_beside_char || constant.is_text)) {
    return constant;
  }
  constant.is_untyped = false;
  constant.parameter = 0;
  constant.type = unbounded(column_type);
  if (semantics::is_null(constant.value)) {
    return constant;
  }
  if (auto beyond = value_beyond(constant.type, std::get<std::string>(constant.value))) {
    beyond->location = constant.location;
    return std::move(*beyond);
  }
  const std::string text = std::get<std::string>(std::move(constant.value));
  std::string_view read = text;
  if (column_type.kind == TypeKind::kChar) {
    read = read.substr(0, read.find_last_not_of(' ') + 1);  // Blanks at the end of char(n) mean nothing.
  }
  auto value = read_text(scope, constant.type, read);
  if (!value) {
    return scope.located(value.error(), constant.location);
  }
  constant.value = std::move(*value);
  return constant;
}

bool may_name_the_time(const Type& type, std::string_view text) {
  const bool has_clock = semantics::is_datetime(type.kind) || type.kind == TypeKind::kTime;
  return has_clock && std::any_of(text.begin(), text.end(), [](char c) {
           const char lower = static_cast<char>(c | 0x20);
           return lower >= 'a' && lower <= 'z';
         });
}

Result<Value> read_text(const Scope& scope, const Type& type, std::string_view text) {
  constexpr int32_t kNowhere = -1;  // Who asks knows the place.
  if (may_name_the_time(type, text)) {
    scope.places().give_up();
  }
  if (type.kind == TypeKind::kInterval) {
    if (auto may = scope.read_interval(text, kNowhere); !may) {
      return may.error();
    }
  }
  const bool is_by_clock = type.kind == TypeKind::kTimestampTz || may_name_the_time(type, text);
  const semantics::SessionZone* zone = is_by_clock ? scope.session_zone() : nullptr;
  const auto order = semantics::may_hang_on_date_order(type.kind, text) ? scope.date_order() : DateOrder::kMonthDayYear;
  return semantics::parse_text(type, text, scope.now_us(), scope.zones(), zone == nullptr ? nullptr : &zone->zone(),
                               order);
}

namespace {

/// On assignment the session's clocks have a part in, as in any cast, but a string is none of what is cast.
Result<Value> assigned(const Scope& scope, const Constant& constant, const Type& type) {
  if (auto may = check_interval_text(scope, constant, type); !may) {
    return may.error();
  }
  const bool is_by_zone =
      !semantics::is_string(constant.type.kind) && semantics::is_cast_by_zone(constant.type.kind, type.kind);
  if (!is_by_zone || scope.session_zone() == nullptr) {
    return semantics::assign(constant.type, constant.value, type);
  }
  // An assignment refuses a text that does not fit into a string column; a cast would cut it.
  const bool is_shown = semantics::is_string(type.kind);
  auto made = at_session_zone(scope, constant, is_shown ? Type{TypeKind::kText} : Type{type.kind});
  return !made ? Result<Value>(made.error()) : semantics::assign(made->type, made->value, type);
}

}  // namespace

Result<Value> resolve_for_assignment(const Scope& scope, const Constant& constant, const semantics::Column& column) {
  ask_kind(scope, constant, column.type.kind);
  if (constant.is_array && semantics::is_string(column.type.kind)) {
    return scope.refuse("an array in this place", constant.location);
  }
  const bool is_unassignable =
      constant.is_array || (!constant.is_untyped && !semantics::can_assign(constant.type.kind, column.type.kind));
  if (is_unassignable) {
    return scope.error("42804",
                       fmt::format("column \"{}\" is of type {} but expression is of type {}", column.name,
                                   semantics::kind_name(column.type.kind), type_name(constant)),
                       constant.location);
  }
  if (semantics::is_null(constant.value)) {
    if (!column.nullable && !scope.is_described()) {
      return scope.error("23502",
                         fmt::format("null value in column \"{}\" of relation \"{}\" violates not-null constraint",
                                     column.name, scope.schema().table_name),
                         constant.location);
    }
    return Value();
  }
  auto value = constant.is_untyped ? read_text(scope, column.type, std::get<std::string>(constant.value))
                                   : assigned(scope, constant, column.type);
  if (value.has_value()) {
    return value;
  }
  return at_column(scope, value.error(), column, constant.location);
}

Result<std::optional<int64_t>> resolve_as_bigint(const Scope& scope, const Constant& constant, std::string_view place) {
  const Type bigint{TypeKind::kBigint};
  ask_kind(scope, constant, bigint.kind);
  const bool is_none = constant.is_array || (!constant.is_untyped && !semantics::is_numeric(constant.type.kind));
  if (is_none) {
    return scope.error("42804",
                       fmt::format("argument of {} must be type bigint, not type {}", place, type_name(constant)),
                       constant.location);
  }
  if (semantics::is_null(constant.value)) {
    return std::optional<int64_t>();
  }
  auto value = constant.is_untyped ? semantics::parse_text(bigint, std::get<std::string>(constant.value))
                                   : semantics::assign(constant.type, constant.value, bigint);
  if (!value) {
    return scope.located(value.error(), constant.location);
  }
  return std::optional<int64_t>(std::get<int64_t>(*value));
}

}  // namespace daedalus::aggregator::sql
