// What PostgreSQL's indexes and its min() and max() ask of a type: which of two comes first, and that one. Of two that
// are equal and look different the catalogue's functions give the second, of char(n) the first.
#include <algorithm>

#include "adder.hpp"
#include "daedalus/semantics/order.hpp"

namespace daedalus::semantics::scalar {
namespace {

using enum TypeKind;

int64_t sign_of(std::strong_ordering order) { return order < 0 ? -1 : order > 0 ? 1 : 0; }

Result<Value> compared(Arguments arguments, const BoundExpression&) {
  return Value(sign_of(compare(arguments[0], arguments[1])));
}

Result<Value> difference_of_smallints(Arguments arguments, const BoundExpression&) {
  return Value(integer(arguments[0]) - integer(arguments[1]));
}

/// How far apart the first bytes are that differ; 1 or -1 where one text is the other's beginning.
int64_t difference_of_bytes(std::string_view left, std::string_view right) {
  const size_t common = std::min(left.size(), right.size());
  const auto [one, other] = std::mismatch(left.begin(), left.begin() + static_cast<ptrdiff_t>(common), right.begin());
  if (one != left.begin() + static_cast<ptrdiff_t>(common)) {
    return int64_t{static_cast<unsigned char>(*one)} - static_cast<unsigned char>(*other);
  }
  return sign_of(left.size() <=> right.size());
}

Result<Value> compared_bytes(Arguments arguments, const BoundExpression&) {
  return Value(difference_of_bytes(text(arguments[0]), text(arguments[1])));
}

template <bool kLarger, bool kFirstOfEquals>
Result<Value> chosen(Arguments arguments, const BoundExpression&) {
  const std::strong_ordering order = compare(arguments[0], arguments[1]);
  const bool is_first = order == 0 ? kFirstOfEquals : (order > 0) == kLarger;
  const Value& value = arguments[is_first ? 0 : 1];
  const auto* text = std::get_if<std::string>(&value);
  if (text != nullptr) {
    return arguments.made(*text);
  }
  return value;
}

Type type_of_longer(Expressions arguments) {
  Type type = arguments[0].type;
  const uint32_t other = arguments[1].type.length;
  type.length = type.length == 0 || other == 0 ? 0 : std::max(type.length, other);
  return type;
}

struct Ordered {
  TypeKind kind;
  std::string_view compare;
  ScalarFunction::Evaluate evaluate = compared;
};

constexpr Ordered kCompared[] = {
    {TypeKind::kBool, "btboolcmp"},
    {TypeKind::kSmallint, "btint2cmp", difference_of_smallints},
    {TypeKind::kInt, "btint4cmp"},
    {TypeKind::kBigint, "btint8cmp"},
    {TypeKind::kReal, "btfloat4cmp"},
    {TypeKind::kDouble, "btfloat8cmp"},
    {TypeKind::kNumeric, "numeric_cmp"},
    {TypeKind::kDate, "date_cmp"},
    {TypeKind::kTimestamp, "timestamp_cmp"},
    {TypeKind::kTimestampTz, "timestamptz_cmp"},
    {TypeKind::kTime, "time_cmp"},
    {TypeKind::kInterval, "interval_cmp"},
    {TypeKind::kText, "bttextcmp", compared_bytes},
    {TypeKind::kChar, "bpcharcmp", compared_bytes},
    {TypeKind::kUuid, "uuid_cmp", compared_bytes},
};

struct Chosen {
  TypeKind kind;
  std::string_view larger;
  std::string_view smaller;
};

constexpr Chosen kChosen[] = {
    {TypeKind::kSmallint, "int2larger", "int2smaller"},
    {TypeKind::kInt, "int4larger", "int4smaller"},
    {TypeKind::kBigint, "int8larger", "int8smaller"},
    {TypeKind::kReal, "float4larger", "float4smaller"},
    {TypeKind::kDouble, "float8larger", "float8smaller"},
    {TypeKind::kNumeric, "numeric_larger", "numeric_smaller"},
    {TypeKind::kDate, "date_larger", "date_smaller"},
    {TypeKind::kTimestamp, "timestamp_larger", "timestamp_smaller"},
    {TypeKind::kTimestampTz, "timestamptz_larger", "timestamptz_smaller"},
    {TypeKind::kTime, "time_larger", "time_smaller"},
    {TypeKind::kInterval, "interval_larger", "interval_smaller"},
    {TypeKind::kText, "text_larger", "text_smaller"},
};

}  // namespace

void add_orderings(Functions& functions) {
  Adder adder(functions);
  adder.start_helpers(1400);
  for (const auto& [kind, name, evaluate] : kCompared) {
    adder.add(name, {kind, kind}, kInt, evaluate, nullptr, false);
  }
  adder.start(1420);
  for (const auto& [kind, larger, smaller] : kChosen) {
    const ScalarFunction::ResultType type = kind == TypeKind::kText ? type_of_longer : nullptr;
    adder.add(larger, {kind, kind}, kind, chosen<true, false>, type, false);
    adder.add(smaller, {kind, kind}, kind, chosen<false, false>, type, false);
  }
  adder.add("bpchar_larger", {kChar, kChar}, kChar, chosen<true, true>, type_of_longer, false);
  adder.add("bpchar_smaller", {kChar, kChar}, kChar, chosen<false, true>, type_of_longer, false);
}

}  // namespace daedalus::semantics::scalar
