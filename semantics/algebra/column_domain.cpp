// Moves constants into their column's own domain, so that a scan compares like with like.
//
// Integers, dates, timestamps, times and numeric(p, s) are ordinals: whole numbers in a range. Whatever a constant is
// compared as (an exact decimal, an SQL timestamp, a double), the comparison is monotone in the ordinal, so the
// constant is fully described by two bounds: the first ordinal that is at least it and the first one above it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "condition.hpp"
#include "daedalus/base/check.hpp"
#include "daedalus/semantics/calendar.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/infinity.hpp"
#include "daedalus/semantics/order.hpp"
#include "text_parts.hpp"

namespace daedalus::semantics {
namespace {

/// An equality that holds for no more ordinals than this becomes a list of them, not a range: clauses stay one literal
/// long.
constexpr int64_t kListedOrdinalsMax = 64;

struct Domain {
  BigInt low;
  BigInt high;
  int32_t scale = 0;
};

struct Bounds {
  BigInt at_least;  ///< The first ordinal whose value is not below the constant.
  BigInt above;     ///< The first ordinal whose value is above the constant.
};

bool is_ordinal(TypeKind kind) {
  return is_integer(kind) || kind == TypeKind::kNumeric || is_datetime(kind) || kind == TypeKind::kTime;
}

IntegerRange whole_range(TypeKind kind) {
  const bool has_micros = is_timestamp(kind) || kind == TypeKind::kTime;
  return integer_range(kind == TypeKind::kDate ? TypeKind::kInt : has_micros ? TypeKind::kBigint : kind);
}

Domain domain_of(const Type& type) {
  if (type.kind == TypeKind::kNumeric) {
    const BigInt bound = power_of_ten(type.precision);
    return {BigInt(1 - bound), BigInt(bound - 1), static_cast<int32_t>(type.scale)};
  }
  const IntegerRange range = whole_range(type.kind);
  return {range.low, range.high, 0};
}

Value ordinal_value(const Type& type, const BigInt& ordinal) {
  if (type.kind == TypeKind::kNumeric) {
    return Decimal{ordinal, static_cast<int32_t>(type.scale)};
  }
  return static_cast<int64_t>(ordinal);
}

/// Bounds of numerator / denominator, exactly.
Bounds exact_bounds(const BigInt& numerator, const BigInt& denominator) {
  const BigInt floor = divide_floor(numerator, denominator);
  const bool is_whole = floor * denominator == numerator;
  return {is_whole ? floor : BigInt(floor + 1), BigInt(floor + 1)};
}

Bounds decimal_bounds(const Decimal& constant, int32_t scale) {
  if (constant.scale <= scale) {
    return exact_bounds(rescale(constant, scale).unscaled, 1);
  }
  return exact_bounds(constant.unscaled, power_of_ten(static_cast<uint32_t>(constant.scale - scale)));
}

/// The greatest integer not above value · 10^scale. Finite values only.
BigInt scaled_floor(double value, int32_t scale) {
  int exponent = 0;
  const auto mantissa = static_cast<int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
  exponent -= 53;
  const BigInt scaled = BigInt(mantissa) * power_of_ten(static_cast<uint32_t>(scale));
  if (exponent >= 0) {
    return BigInt(scaled << static_cast<uint32_t>(exponent));
  }
  return divide_floor(scaled, BigInt(BigInt(1) << static_cast<uint32_t>(-exponent)));
}

double ordinal_as_double(const BigInt& ordinal, int32_t scale) {
  if (scale == 0 && ordinal >= INT64_MIN && ordinal <= INT64_MAX) {
    return static_cast<double>(static_cast<int64_t>(ordinal));
  }
  return to_double(Decimal{ordinal, scale}).value_or(0.0);
}

/// The first ordinal in [low, high + 1] whose double is at least `constant` (finite): casting is monotone, so it can be
/// searched for.
BigInt first_at_least(double constant, const Domain& domain) {
  // Ordinals up to the previous double cast to at most that; those from the constant itself on cast to at least it.
  BigInt below = scaled_floor(std::nextafter(constant, -std::numeric_limits<double>::max()), domain.scale);
  BigInt reached = scaled_floor(constant, domain.scale) + 1;
  below = std::max(below, BigInt(domain.low - 1));
  reached = std::min(reached, BigInt(domain.high + 1));
  while (below + 1 < reached) {
    const BigInt middle = divide_floor(below + reached, 2);
    if (ordinal_as_double(middle, domain.scale) >= constant) {
      reached = middle;
    } else {
      below = middle;
    }
  }
  return reached;
}

Bounds double_bounds(double constant, const Domain& domain) {
  const BigInt beyond = domain.high + 1;
  if (std::isnan(constant) || constant > 1e300) {
    return {beyond, beyond};
  }
  if (constant < -1e300) {
    return {domain.low, domain.low};
  }
  return {first_at_least(constant, domain), first_at_least(std::nextafter(constant, 1e301), domain)};
}

Bounds bounds_of(const Type& type, const TypedValue& constant, const Domain& domain) {
  if (const auto* floating = std::get_if<double>(&constant.value)) {
    return double_bounds(*floating, domain);
  }
  if (const auto* decimal = std::get_if<Decimal>(&constant.value)) {
    return decimal_bounds(*decimal, domain.scale);
  }
  const auto number = std::get<int64_t>(constant.value);
  if (is_infinite_datetime(constant.type.kind, number)) {
    return exact_bounds(infinity_of(type.kind, number < 0), 1);
  }
  const BigInt integer = number;
  if (type.kind == TypeKind::kDate && is_timestamp(constant.type.kind)) {
    return exact_bounds(integer, kMicrosPerDay);
  }
  if (is_timestamp(type.kind) && constant.type.kind == TypeKind::kDate) {
    // A date behind the last timestamp is before infinity.
    constexpr int64_t kInfinity = infinity_of(TypeKind::kTimestamp, false);
    const BigInt micros = integer * kMicrosPerDay;
    return micros < kInfinity ? exact_bounds(micros, 1) : Bounds{kInfinity, kInfinity};
  }
  return decimal_bounds(Decimal{integer, 0}, domain.scale);
}

Condition literal(ColumnRef column, Literal::Kind kind) {
  Literal made;
  made.column = column.position;
  made.kind = kind;
  return literal_condition(std::move(made));
}

Condition compare_literal(ColumnRef column, Operator op, Value value) {
  Literal made;
  made.column = column.position;
  made.kind = Literal::Kind::kCompare;
  made.op = op;
  made.values.push_back(std::move(value));
  return literal_condition(std::move(made));
}

Condition list_literal(ColumnRef column, std::vector<Value> values, bool is_negated) {
  if (values.empty()) {
    return is_negated ? literal(column, Literal::Kind::kIsNotNull) : constant_condition(false);
  }
  std::sort(values.begin(), values.end(),
            [](const Value& left, const Value& right) { return compare(left, right) < 0; });
  const auto equal = [](const Value& left, const Value& right) { return compare(left, right) == 0; };
  values.erase(std::unique(values.begin(), values.end(), equal), values.end());
  if (values.size() == 1) {
    return compare_literal(column, is_negated ? Operator::kNotEqual : Operator::kEqual, std::move(values[0]));
  }
  Literal made;
  made.column = column.position;
  made.kind = is_negated ? Literal::Kind::kNotIn : Literal::Kind::kIn;
  made.values = std::move(values);
  return literal_condition(std::move(made));
}

/// The ordinals equal to a constant, cut to the domain: first .. last, empty when first > last.
struct Span {
  BigInt first;
  BigInt last;
};

Span equal_span(const Bounds& bounds, const Domain& domain) {
  return {std::max(bounds.at_least, domain.low), std::min(BigInt(bounds.above - 1), domain.high)};
}

bool is_listed(const Span& span) { return span.last - span.first < kListedOrdinalsMax; }

void list_span(const Type& type, const Span& span, std::vector<Value>& values) {
  for (BigInt ordinal = span.first; ordinal <= span.last; ++ordinal) {
    values.push_back(ordinal_value(type, ordinal));
  }
}

/// Says whether a constant is a whole number of the column's own kind and has values of it on either side: then every
/// comparison with it is one already.
bool is_inside(const Type& type, const Type& given, const Value& constant) {
  const bool is_own = is_integer(type.kind)     ? is_integer(given.kind)
                      : is_timestamp(type.kind) ? is_timestamp(given.kind)
                                                : type.kind == given.kind && type.kind != TypeKind::kNumeric;
  const auto* ordinal = std::get_if<int64_t>(&constant);
  if (!is_own || ordinal == nullptr) {
    return false;
  }
  const IntegerRange range = whole_range(type.kind);
  return range.low < *ordinal && *ordinal < range.high;
}

/// Inside (or, negated, outside) a span too long to list.
Condition range_condition(ColumnRef column, const Span& span, const Domain& domain, bool is_negated) {
  const Type& type = column.column->type;
  const auto edge = [&](Operator op, const BigInt& ordinal) {
    return compare_literal(column, op, ordinal_value(type, ordinal));
  };
  const bool is_bounded_below = span.first > domain.low;
  const bool is_bounded_above = span.last < domain.high;
  if (!is_bounded_below && !is_bounded_above) {
    return is_negated ? constant_condition(false) : literal(column, Literal::Kind::kIsNotNull);
  }
  std::vector<Condition> edges;
  if (is_bounded_below) {
    edges.push_back(is_negated ? edge(Operator::kLess, span.first) : edge(Operator::kGreaterOrEqual, span.first));
  }
  if (is_bounded_above) {
    edges.push_back(is_negated ? edge(Operator::kGreater, span.last) : edge(Operator::kLessOrEqual, span.last));
  }
  return join(is_negated ? Condition::Kind::kOr : Condition::Kind::kAnd, std::move(edges));
}

Condition equal_condition(ColumnRef column, const Bounds& bounds, const Domain& domain, bool is_negated) {
  const Span span = equal_span(bounds, domain);
  if (!is_listed(span)) {
    return range_condition(column, span, domain, is_negated);
  }
  std::vector<Value> values;
  list_span(column.column->type, span, values);
  return list_literal(column, std::move(values), is_negated);
}

Condition order_condition(ColumnRef column, Operator op, const Bounds& bounds, const Domain& domain) {
  const Type& type = column.column->type;
  const bool is_exact = bounds.at_least + 1 == bounds.above;
  // Rows from `start` on are on the upper side; whether that is the wanted side is the operator's direction.
  const bool is_strict_split = op == Operator::kLess || op == Operator::kGreaterOrEqual;
  const BigInt& start = is_strict_split ? bounds.at_least : bounds.above;
  const bool wants_lower = op == Operator::kLess || op == Operator::kLessOrEqual;
  if (start <= domain.low) {
    return wants_lower ? constant_condition(false) : literal(column, Literal::Kind::kIsNotNull);
  }
  if (start > domain.high) {
    return wants_lower ? literal(column, Literal::Kind::kIsNotNull) : constant_condition(false);
  }
  if (is_exact) {
    return compare_literal(column, op, ordinal_value(type, bounds.at_least));
  }
  return wants_lower ? compare_literal(column, Operator::kLessOrEqual, ordinal_value(type, BigInt(start - 1)))
                     : compare_literal(column, Operator::kGreaterOrEqual, ordinal_value(type, start));
}

/// A real column beside a double that no real equals.
Condition compare_real(ColumnRef column, Operator op, double constant, float nearest) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float next = static_cast<double>(nearest) > constant ? nearest : std::nextafter(nearest, infinity);
  const float above = next == 0.0F ? 0.0F : next;  // One zero.
  switch (op) {
    case Operator::kEqual:
      return constant_condition(false);
    case Operator::kNotEqual:
      return literal(column, Literal::Kind::kIsNotNull);
    case Operator::kLess:
    case Operator::kLessOrEqual:
      return compare_literal(column, Operator::kLess, static_cast<double>(above));
    default:
      return compare_literal(column, Operator::kGreaterOrEqual, static_cast<double>(above));
  }
}

/// The float nearest to a double, infinite beyond the greatest.
float nearest_float(double value) {
  constexpr double kOverflow = 0x1.ffffffp+127;
  if (std::fabs(value) >= kOverflow) {
    return value > 0 ? std::numeric_limits<float>::infinity() : -std::numeric_limits<float>::infinity();
  }
  return static_cast<float>(value);
}

Result<Condition> compare_floating(ColumnRef column, Operator op, const TypedValue& constant) {
  const Result<double> operand = floating_operand(constant.value);
  if (!operand) {
    return operand.error();
  }
  const double number = *operand == 0.0 ? 0.0 : *operand;  // One zero.
  if (column.column->type.kind == TypeKind::kReal && !std::isnan(number)) {
    const float nearest = nearest_float(number);
    if (static_cast<double>(nearest) != number) {
      return compare_real(column, op, number, nearest);
    }
  }
  return compare_literal(column, op, number);
}

/// A char(n) column beside another char(n) compares without trailing blanks, which its values do not have. Beside text
/// the text's own count: then no value equals one that ends in a blank.
Condition compare_string(ColumnRef column, Operator op, const TypedValue& constant) {
  const Type& type = column.column->type;
  std::string text = std::get<std::string>(constant.value);
  if (constant.type.kind == TypeKind::kChar) {
    text.erase(text.find_last_not_of(' ') + 1);
  }
  const bool equals_none = text.size() > type.length || (type.kind == TypeKind::kChar && text.ends_with(' '));
  if (equals_none && (op == Operator::kEqual || op == Operator::kNotEqual)) {
    return op == Operator::kEqual ? constant_condition(false) : literal(column, Literal::Kind::kIsNotNull);
  }
  return compare_literal(column, op, std::move(text));
}

}  // namespace

bool is_plain_comparison(const Type& column, Operator op, const Type& type, const Value& constant) {
  if (column.kind == TypeKind::kUuid || type.kind == TypeKind::kUuid) {
    return column.kind == type.kind && !is_null(constant);
  }
  const auto* text = std::get_if<std::string>(&constant);
  if (text != nullptr) {
    const bool is_prefix = op == Operator::kStartsWith || op == Operator::kNotStartsWith;
    const bool ends_in_blank = text->ends_with(' ');
    return is_string(column.kind) && type.kind == TypeKind::kVarchar && text->size() <= column.length &&
           (is_prefix ? !text->empty() : !(column.kind == TypeKind::kChar && ends_in_blank));
  }
  if (column.kind == TypeKind::kBool) {
    return type.kind == TypeKind::kBool && !is_null(constant);
  }
  return is_ordinal(column.kind) && is_inside(column, type, constant);
}

Result<Condition> compare_column(ColumnRef column, Operator op, const TypedValue& constant) {
  const Type& type = column.column->type;
  if (is_floating(type.kind)) {
    return compare_floating(column, op, constant);
  }
  if (is_string(type.kind)) {
    return compare_string(column, op, constant);
  }
  if (!is_ordinal(type.kind)) {
    return compare_literal(column, op, constant.value);
  }
  if (is_inside(type, constant.type, constant.value)) {
    return compare_literal(column, op, constant.value);
  }
  const Domain domain = domain_of(type);
  const Bounds bounds = bounds_of(type, constant, domain);
  if (op == Operator::kEqual || op == Operator::kNotEqual) {
    return equal_condition(column, bounds, domain, op == Operator::kNotEqual);
  }
  return order_condition(column, op, bounds, domain);
}

Result<Condition> column_in(ColumnRef column, const std::vector<TypedValue>& constants, bool is_negated) {
  std::vector<Value> points;
  std::vector<Condition> conditions;
  for (const TypedValue& constant : constants) {
    Result<Condition> member = compare_column(column, is_negated ? Operator::kNotEqual : Operator::kEqual, constant);
    if (!member) {
      return member;
    }
    if (is_negated && member->kind == Condition::Kind::kLiteral && member->literal.kind == Literal::Kind::kIsNotNull) {
      continue;  // A constant outside of the domain: what is left of the list says that the column is not NULL.
    }
    const bool is_list = member->kind == Condition::Kind::kLiteral && !member->literal.values.empty() &&
                         (member->literal.kind != Literal::Kind::kCompare || member->literal.op == Operator::kEqual ||
                          member->literal.op == Operator::kNotEqual);
    if (is_list) {
      std::vector<Value>& values = member->literal.values;
      points.insert(points.end(), std::make_move_iterator(values.begin()), std::make_move_iterator(values.end()));
    } else {
      conditions.push_back(std::move(*member));
    }
  }
  if (!points.empty() || conditions.empty()) {
    conditions.push_back(list_literal(column, std::move(points), is_negated));
  }
  return join(is_negated ? Condition::Kind::kAnd : Condition::Kind::kOr, std::move(conditions));
}

Condition column_starts_with(ColumnRef column, const std::string& prefix, bool is_negated) {
  const Type& type = column.column->type;
  if (prefix.empty()) {
    return is_negated ? constant_condition(false) : literal(column, Literal::Kind::kIsNotNull);
  }
  if (prefix.size() > type.length) {
    return is_negated ? literal(column, Literal::Kind::kIsNotNull) : constant_condition(false);
  }
  Literal made;
  made.column = column.position;
  made.kind = is_negated ? Literal::Kind::kNotStartsWith : Literal::Kind::kStartsWith;
  made.values.emplace_back(prefix);
  return literal_condition(std::move(made));
}

Condition column_null_test(ColumnRef column, bool is_null) {
  return literal(column, is_null ? Literal::Kind::kIsNull : Literal::Kind::kIsNotNull);
}

}  // namespace daedalus::semantics
