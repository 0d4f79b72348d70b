#include "sort_key.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "daedalus/semantics/packed_walk.hpp"
#include "int128.hpp"
#include "interval.hpp"

namespace daedalus::semantics {
namespace {

/// One of these stands before a value or in place of NULL.
constexpr char kNullFirst = '\0';
constexpr char kPresent = '\1';
constexpr char kNullLast = '\2';

/// The most significant byte first.
template <typename Unsigned>
void append_big_endian(Unsigned bits, std::string& out) {
  char bytes[sizeof bits];
  for (size_t i = 0; i < sizeof bits; ++i) {
    bytes[i] = static_cast<char>(static_cast<uint8_t>(bits >> (8 * (sizeof bits - 1 - i))));
  }
  out.append(bytes, sizeof bits);
}

template <typename Unsigned, typename Signed>
void append_integer(Signed value, std::string& out) {
  static_assert(sizeof(Unsigned) == sizeof(Signed));
  append_big_endian(static_cast<Unsigned>(static_cast<Unsigned>(value) ^ (Unsigned{1} << (8 * sizeof(Unsigned) - 1))),
                    out);
}

/// NaN is above everything and equal to every NaN; −0.0 equals 0.0.
template <typename Unsigned, typename Float>
void append_floating(Float value, std::string& out) {
  if (std::isnan(value)) {
    append_big_endian(static_cast<Unsigned>(~Unsigned{0}), out);
    return;
  }
  constexpr Unsigned kSign = Unsigned{1} << (8 * sizeof(Unsigned) - 1);
  const auto bits = std::bit_cast<Unsigned>(value == 0 ? Float{0} : value);
  append_big_endian(static_cast<Unsigned>((bits & kSign) != 0 ? ~bits : bits | kSign), out);
}

/// A zero byte within is followed by 0xff, so that the two zero bytes at the end are below whatever goes on.
void append_string(std::string_view text, std::string& out) {
  for (size_t begin = 0; begin <= text.size();) {
    const size_t zero = text.find('\0', begin);
    if (zero == std::string_view::npos) {
      out.append(text.substr(begin));
      break;
    }
    out.append(text.substr(begin, zero + 1 - begin));
    out.push_back('\xff');
    begin = zero + 1;
  }
  out.append(2, '\0');
}

void invert(std::string& out, size_t begin) {
  for (size_t i = begin; i < out.size(); ++i) {
    out[i] = static_cast<char>(~static_cast<uint8_t>(out[i]));
  }
}

/// Sign, place of the first digit, digits without trailing zeros; below zero all but the sign turned round.
void append_decimal_key(const Decimal& value, std::string& out) {
  constexpr char kNegative = '\0';
  constexpr char kZero = '\1';
  constexpr char kPositive = '\2';
  if (value.unscaled.is_zero()) {
    out.push_back(kZero);
    return;
  }
  std::string digits = BigInt(boost::multiprecision::abs(value.unscaled)).str();
  const auto exponent = static_cast<int32_t>(digits.size()) - value.scale;
  digits.resize(digits.find_last_not_of('0') + 1);
  const bool is_negative = value.unscaled.sign() < 0;
  out.push_back(is_negative ? kNegative : kPositive);
  const size_t begin = out.size();
  append_integer<uint32_t>(exponent, out);
  out.append(digits);
  out.push_back('\0');
  if (is_negative) {
    invert(out, begin);
  }
}

Result<void> append_numeric(const Type& type, std::string_view packed, std::string& out) {
  if (type.precision == 0) {
    const Result<Value> value = decode_packed(type, packed);
    if (!value) {
      return value.error();
    }
    append_decimal_key(std::get<Decimal>(*value), out);
  } else if (type.precision <= 18) {
    append_integer<uint64_t>(load<int64_t>(packed.data()), out);
  } else {
    append_integer<Uint128>(load<Int128>(packed.data()), out);
  }
  return {};
}

Result<void> append_interval(const Type& type, std::string_view packed, std::string& out) {
  const Result<Value> value = decode_packed(type, packed);
  if (!value) {
    return value.error();
  }
  append_integer<Uint128>(interval_micros(std::get<Interval>(*value)), out);
  return {};
}

Result<void> append_value(const Type& type, std::string_view packed, std::string& out) {
  switch (type.kind) {
    case TypeKind::kBool:
      out.push_back(packed[0]);
      return {};
    case TypeKind::kSmallint:
      append_integer<uint16_t>(load<int16_t>(packed.data()), out);
      return {};
    case TypeKind::kInt:
    case TypeKind::kDate:
      append_integer<uint32_t>(load<int32_t>(packed.data()), out);
      return {};
    case TypeKind::kBigint:
    case TypeKind::kTimestamp:
    case TypeKind::kTime:
    case TypeKind::kTimestampTz:
      append_integer<uint64_t>(load<int64_t>(packed.data()), out);
      return {};
    case TypeKind::kReal:
      append_floating<uint32_t>(load<float>(packed.data()), out);
      return {};
    case TypeKind::kDouble:
      append_floating<uint64_t>(load<double>(packed.data()), out);
      return {};
    case TypeKind::kUuid:
      append_integer<Uint128>(load<Int128>(packed.data()), out);
      return {};
    case TypeKind::kNumeric:
      return append_numeric(type, packed, out);
    case TypeKind::kChar:
    case TypeKind::kVarchar:
    case TypeKind::kText:
      append_string(packed, out);
      return {};
    case TypeKind::kInterval:
      return append_interval(type, packed, out);
  }
  return rejected("08P01", "malformed value: no such type");
}

}  // namespace

Result<void> append_sort_key(const Type& type, std::optional<std::string_view> packed, SortOrder order,
                             std::string& out) {
  if (!packed) {
    out.push_back(order.nulls_first ? kNullFirst : kNullLast);
    return {};
  }
  out.push_back(kPresent);
  const size_t begin = out.size();
  const Result<void> appended = append_value(type, *packed, out);
  if (order.descending) {
    invert(out, begin);
  }
  return appended;
}

}  // namespace daedalus::semantics
