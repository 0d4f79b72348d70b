// PostgreSQL's indexes and its min() and max() ask of a type which of two values comes first, and for that one. Where
// two are equal and look different the catalogue's functions give the second, for char(n) the first.
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
  uint16_t number;
  TypeKind kind;
  std::string_view compare;
  ScalarFunction::Evaluate evaluate = compared;
};

constexpr Ordered kCompared[] = {
    {1400, TypeKind::kBool, "btboolcmp"},
    {1401, TypeKind::kSmallint, "btint2cmp", difference_of_smallints},
    {1402, TypeKind::kInt, "btint4cmp"},
    {1403, TypeKind::kBigint, "btint8cmp"},
    {1404, TypeKind::kReal, "btfloat4cmp"},
    {1405, TypeKind::kDouble, "btfloat8cmp"},
    {1406, TypeKind::kNumeric, "numeric_cmp"},
    {1407, TypeKind::kDate, "date_cmp"},
    {1408, TypeKind::kTimestamp, "timestamp_cmp"},
    {1409, TypeKind::kTimestampTz, "timestamptz_cmp"},
    {1410, TypeKind::kTime, "time_cmp"},
    {1411, TypeKind::kInterval, "interval_cmp"},
    {1412, TypeKind::kText, "bttextcmp", compared_bytes},
    {1413, TypeKind::kChar, "bpcharcmp", compared_bytes},
    {1414, TypeKind::kUuid, "uuid_cmp", compared_bytes},
};

struct Chosen {
  uint16_t first;  ///< The larger; the smaller is the next one.
  TypeKind kind;
  std::string_view larger;
  std::string_view smaller;
};

constexpr Chosen kChosen[] = {
    {1420, TypeKind::kSmallint, "int2larger", "int2smaller"},
    {1422, TypeKind::kInt, "int4larger", "int4smaller"},
    {1424, TypeKind::kBigint, "int8larger", "int8smaller"},
    {1426, TypeKind::kReal, "float4larger", "float4smaller"},
    {1428, TypeKind::kDouble, "float8larger", "float8smaller"},
    {1430, TypeKind::kNumeric, "numeric_larger", "numeric_smaller"},
    {1432, TypeKind::kDate, "date_larger", "date_smaller"},
    {1434, TypeKind::kTimestamp, "timestamp_larger", "timestamp_smaller"},
    {1436, TypeKind::kTimestampTz, "timestamptz_larger", "timestamptz_smaller"},
    {1438, TypeKind::kTime, "time_larger", "time_smaller"},
    {1440, TypeKind::kInterval, "interval_larger", "interval_smaller"},
    {1442, TypeKind::kText, "text_larger", "text_smaller"},
};

}  // namespace

void add_orderings(Functions& functions) {
  Adder adder(functions);
  adder.start_helpers();
  for (const auto& [number, kind, name, evaluate] : kCompared) {
    adder.add(number, name, {kind, kind}, kInt, evaluate, nullptr, false);
  }
  for (const auto& [first, kind, larger, smaller] : kChosen) {
    const ScalarFunction::ResultType type = kind == TypeKind::kText ? type_of_longer : nullptr;
    adder.add(first, larger, {kind, kind}, kind, chosen<true, false>, type, false);
    adder.add(first + 1, smaller, {kind, kind}, kind, chosen<false, false>, type, false);
  }
  adder.add(1444, "bpchar_larger", {kChar, kChar}, kChar, chosen<true, true>, type_of_longer, false);
  adder.add(1445, "bpchar_smaller", {kChar, kChar}, kChar, chosen<false, true>, type_of_longer, false);
}

}  // namespace daedalus::semantics::scalar
