#include "operation_values.hpp"

#include <algorithm>
#include <cmath>

#include "daedalus/semantics/uuid.hpp"

namespace daedalus::engine::test {
namespace {

using semantics::TypeKind;

/// As a column of this type holds it: not longer than it, whole characters, char(n) without trailing blanks.
std::string fitted(std::string text, const semantics::Type& type) {
  text.resize(std::min<size_t>(text.size(), type.length));
  while (!text.empty() &&
         (static_cast<uint8_t>(text.back()) == 0xc3 || (type.kind == TypeKind::kChar && text.back() == ' '))) {
    text.pop_back();
  }
  return text;
}

std::string spread_text(Random& random, const semantics::Type& type, uint32_t spread) {
  static const std::vector<std::string> kStems = {"", "Q", "ABCDE", "ABCDEFG", "ABCDEFGH", "ABCDEFGHI"};
  const size_t stem_max = std::min<size_t>(type.length > 1 ? type.length - 1 : 0, 9);
  std::string text = kStems[below(random, kStems.size())];
  text.resize(std::min(text.size(), stem_max));
  for (uint64_t rest = below(random, spread); rest > 0; rest /= 36) {
    text += "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[rest % 36];
  }
  return fitted(std::move(text), type);
}

std::string neighbour_text(Random& random, const semantics::Type& type, std::string text) {
  switch (below(random, 4)) {
    case 0:
      text += 'a';
      break;
    case 1:
      text += '\x01';
      break;
    case 2:
      text.resize(text.size() - std::min<size_t>(text.size(), 1));
      break;
    default:
      if (!text.empty() && text.back() > '!' && text.back() < '~') {
        ++text.back();
      }
  }
  return fitted(std::move(text), type);
}

/// Infinity, which is outside, has no neighbour.
int64_t stepped(Random& random, int64_t value, int64_t low, int64_t high) {
  if (value < low || value > high) {
    return value;
  }
  return one_in(random, 2) ? (value < high ? value + 1 : value) : value > low ? value - 1 : value;
}

}  // namespace

Value spread_value(Random& random, uint32_t column, uint32_t spread) {
  const semantics::Type& type = test_schema().columns[column].type;
  const auto step = static_cast<int64_t>(below(random, spread));
  switch (type.kind) {
    case TypeKind::kBool:
      return one_in(random, 2);
    case TypeKind::kSmallint:
    case TypeKind::kInt:
      return step - 2;
    case TypeKind::kBigint:
      return column == kId ? step : step * 0x1'0000'0001 - 7;
    case TypeKind::kDate:
      return 15'000 + step;
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampTz:
      return (15'000 + step) * semantics::kMicrosPerDay + (one_in(random, 2) ? step : 0);
    case TypeKind::kTime:
      return one_in(random, 12) ? semantics::kTimeMicrosMax : step * 60'000'001 % semantics::kTimeMicrosMax;
    case TypeKind::kUuid:
      // They differ above and below the eight bytes that codes are of.
      return semantics::uuid_bytes(__int128{step - 3} << (one_in(random, 2) ? 62 : 0));
    case TypeKind::kReal:
    case TypeKind::kDouble:
      return static_cast<double>(step - 4) / 4;
    case TypeKind::kNumeric: {
      // The wide one differs above and below the eight bytes that its code is of.
      semantics::BigInt unscaled = step - 3;
      if (type.precision > 18 && one_in(random, 2)) {
        unscaled <<= 62;
      }
      return semantics::Decimal{unscaled, static_cast<int32_t>(type.scale)};
    }
    case TypeKind::kChar:
    case TypeKind::kVarchar:
    case TypeKind::kText:
    case TypeKind::kInterval:
      return spread_text(random, type, spread);
  }
  return {};
}

Value number_value(uint32_t column, int64_t number) {
  const semantics::Type& type = test_schema().columns[column].type;
  switch (type.kind) {
    case TypeKind::kBool:
      return number != 0;
    case TypeKind::kUuid:
      return semantics::uuid_bytes(number);
    case TypeKind::kReal:
    case TypeKind::kDouble:
      return static_cast<double>(number);
    case TypeKind::kNumeric:
      return semantics::Decimal{semantics::BigInt{number} * (type.scale == 2 ? 100 : 10'000),
                                static_cast<int32_t>(type.scale)};
    case TypeKind::kChar:
    case TypeKind::kVarchar:
    case TypeKind::kText:
    case TypeKind::kInterval:
      return std::to_string(number).substr(0, type.length);
    default:
      return number;
  }
}

Value neighbour(Random& random, uint32_t column, const Value& value) {
  const semantics::Type& type = test_schema().columns[column].type;
  switch (type.kind) {
    case TypeKind::kBool:
      return !std::get<bool>(value);
    case TypeKind::kSmallint:
      return stepped(random, std::get<int64_t>(value), INT16_MIN, INT16_MAX);
    case TypeKind::kInt:
      return stepped(random, std::get<int64_t>(value), INT32_MIN, INT32_MAX);
    case TypeKind::kBigint:
      return stepped(random, std::get<int64_t>(value), INT64_MIN, INT64_MAX);
    case TypeKind::kDate:
      return stepped(random, std::get<int64_t>(value), semantics::kDateDaysMin, semantics::kDateDaysMax);
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampTz:
      return stepped(random, std::get<int64_t>(value), semantics::kTimestampMicrosMin, semantics::kTimestampMicrosMax);
    case TypeKind::kTime:
      return stepped(random, std::get<int64_t>(value), 0, semantics::kTimeMicrosMax);
    case TypeKind::kUuid: {
      const __int128 number = semantics::uuid_number(std::get<std::string>(value));
      return semantics::uuid_bytes(number > 0 ? number - 1 : number + 1);
    }
    case TypeKind::kReal: {
      const auto number = static_cast<float>(std::get<double>(value));
      return as_constant(static_cast<double>(std::nextafterf(number, one_in(random, 2) ? 1e30f : -1e30f)));
    }
    case TypeKind::kDouble:
      return as_constant(std::nextafter(std::get<double>(value), one_in(random, 2) ? 1e300 : -1e300));
    case TypeKind::kNumeric: {
      semantics::Decimal decimal = std::get<semantics::Decimal>(value);
      const semantics::BigInt bound = boost::multiprecision::pow(semantics::BigInt{10}, type.precision) - 1;
      if (boost::multiprecision::abs(decimal.unscaled) < bound) {
        decimal.unscaled += one_in(random, 2) ? 1 : -1;
      }
      return decimal;
    }
    case TypeKind::kChar:
    case TypeKind::kVarchar:
    case TypeKind::kText:
    case TypeKind::kInterval:
      return neighbour_text(random, type, std::get<std::string>(value));
  }
  return value;
}

Value beyond_value(Random& random, uint32_t column) {
  const semantics::Type& type = test_schema().columns[column].type;
  const int64_t sign = one_in(random, 2) ? 1 : -1;
  switch (type.kind) {
    case TypeKind::kSmallint:
      return sign * (INT16_MAX + int64_t{2} + static_cast<int64_t>(below(random, 3)));
    case TypeKind::kInt:
    case TypeKind::kDate:
      return sign * (INT32_MAX + int64_t{2} + static_cast<int64_t>(below(random, 3)));
    case TypeKind::kNumeric:
      return semantics::Decimal{semantics::BigInt{sign} << (type.precision > 18 ? 127 : 63),
                                static_cast<int32_t>(type.scale)};
    default:
      return as_constant(random_value(random, column));
  }
}

Value as_constant(Value value) {
  if (const auto* number = std::get_if<double>(&value); number != nullptr && *number == 0) {
    return 0.0;
  }
  return value;
}

}  // namespace daedalus::engine::test
