#include <cmath>
#include <limits>

#include "daedalus/base/check.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/packed.hpp"
#include "daedalus/semantics/packed_walk.hpp"
#include "daedalus/semantics/utf8.hpp"
#include "daedalus/semantics/uuid.hpp"
#include "int128.hpp"

namespace daedalus::semantics {
namespace {

Error malformed(const Type& type, const char* what) {
  return rejected("08P01", "malformed value of type " + to_string(type) + ": " + what);
}

void append_bounded_numeric(const Type& type, const Decimal& value, std::string& out) {
  DCHECK(value.scale == static_cast<int32_t>(type.scale));
  DCHECK(fits_precision(value, type.precision));
  const Int128 unscaled = to_int128(value.unscaled);
  if (type.precision <= 18) {
    append(static_cast<int64_t>(unscaled), out);
  } else {
    append(unscaled, out);
  }
}

/// Bytes of the shortest two's complement form.
uint32_t signed_size(const BigInt& value) {
  // -2^(8k-1) still fits into k bytes, hence the magnitude of the one's complement for negative values.
  const BigInt magnitude = value.sign() < 0 ? BigInt(-value - 1) : value;
  const uint32_t bits = magnitude.is_zero() ? 0 : boost::multiprecision::msb(magnitude) + 1;
  return bits / 8 + 1;
}

void append_unbounded_numeric(const Decimal& value, std::string& out) {
  const uint32_t size = signed_size(value.unscaled);
  CHECK(size <= kDecimalBytesMax);
  CHECK(value.scale >= 0 && value.scale <= kDecimalScaleMax);
  append(static_cast<uint8_t>(size), out);
  append(static_cast<int16_t>(value.scale), out);
  BigInt bits = value.unscaled;
  if (bits.sign() < 0) {
    bits += BigInt(1) << (8 * size);
  }
  for (uint32_t i = size; i-- > 0;) {
    append(static_cast<uint8_t>(BigInt((bits >> (8 * i)) & 0xff)), out);
  }
}

Result<Value> decode_unbounded_numeric(const Type& type, std::string_view bytes) {
  const auto size = load<uint8_t>(bytes.data());
  const auto scale = load<int16_t>(bytes.data() + 1);
  if (size == 0) {
    return malformed(type, "no digits");
  }
  if (scale < 0 || scale > kDecimalScaleMax) {
    return malformed(type, "scale out of range");
  }
  const std::string_view digits = bytes.substr(3);
  const auto first = static_cast<uint8_t>(digits[0]);
  if (size > 1 && (first == 0x00 || first == 0xff) && (first >> 7) == (static_cast<uint8_t>(digits[1]) >> 7)) {
    return malformed(type, "not in its shortest form");
  }
  BigInt value = first >= 0x80 ? -1 : 0;
  for (const char digit : digits) {
    value = value * 256 + static_cast<uint8_t>(digit);
  }
  return Value(Decimal{value, scale});
}

Result<Value> decode_numeric(const Type& type, std::string_view bytes) {
  if (type.precision == 0) {
    return decode_unbounded_numeric(type, bytes);
  }
  const Int128 unscaled = type.precision <= 18 ? load<int64_t>(bytes.data()) : load<Int128>(bytes.data());
  Decimal value{to_big(unscaled), static_cast<int32_t>(type.scale)};
  if (!fits_precision(value, type.precision)) {
    return malformed(type, "more digits than its precision");
  }
  return Value(std::move(value));
}

Result<Value> decode_string(const Type& type, std::string_view bytes) {
  if (type.length != 0 && bytes.size() > type.length) {
    return malformed(type, "too long");
  }
  if (type.kind == TypeKind::kChar && !has_own_blanks(type) && !bytes.empty() && bytes.back() == ' ') {
    return malformed(type, "trailing blanks");
  }
  if (!is_valid_text(bytes)) {
    return rejected("22021", "invalid byte sequence for encoding \"UTF8\" in a value of type " + to_string(type));
  }
  return Value(std::string(bytes));
}

}  // namespace

void append_packed(const Type& type, const Value& value, std::string& out) {
  switch (type.kind) {
    case TypeKind::kBool:
      return append(static_cast<uint8_t>(std::get<bool>(value) ? 1 : 0), out);
    case TypeKind::kSmallint:
      return append(static_cast<int16_t>(std::get<int64_t>(value)), out);
    case TypeKind::kInt:
    case TypeKind::kDate:
      return append(static_cast<int32_t>(std::get<int64_t>(value)), out);
    case TypeKind::kBigint:
    case TypeKind::kTimestamp:
    case TypeKind::kTime:
    case TypeKind::kTimestampTz:
      return append(std::get<int64_t>(value), out);
    case TypeKind::kReal: {
      const auto number = static_cast<float>(std::get<double>(value));
      return append(std::isnan(number) ? std::numeric_limits<float>::quiet_NaN() : number, out);
    }
    case TypeKind::kDouble: {
      const double number = std::get<double>(value);
      return append(std::isnan(number) ? std::numeric_limits<double>::quiet_NaN() : number, out);
    }
    case TypeKind::kInterval: {
      const auto& interval = std::get<Interval>(value);
      append(interval.micros, out);
      append(interval.days, out);
      return append(interval.months, out);
    }
    case TypeKind::kNumeric: {
      const auto& number = std::get<Decimal>(value);
      return type.precision == 0 ? append_unbounded_numeric(number, out) : append_bounded_numeric(type, number, out);
    }
    case TypeKind::kUuid:
      return append(uuid_number(std::get<std::string>(value)), out);
    case TypeKind::kChar:
    case TypeKind::kVarchar:
    case TypeKind::kText: {
      const auto& text = std::get<std::string>(value);
      CHECK(text.size() <= UINT16_MAX);
      append(static_cast<uint16_t>(text.size()), out);
      out.append(text);
      return;
    }
  }
  CHECK(false);
}

Result<Value> decode_packed(const Type& type, std::string_view bytes) {
  switch (type.kind) {
    case TypeKind::kBool:
      if (static_cast<uint8_t>(bytes[0]) > 1) {
        return malformed(type, "neither 0 nor 1");
      }
      return Value(bytes[0] == 1);
    case TypeKind::kSmallint:
      return Value(int64_t{load<int16_t>(bytes.data())});
    case TypeKind::kInt:
    case TypeKind::kDate:
      return Value(int64_t{load<int32_t>(bytes.data())});
    case TypeKind::kBigint:
    case TypeKind::kTimestamp:
    case TypeKind::kTime:
    case TypeKind::kTimestampTz:
      return Value(load<int64_t>(bytes.data()));
    case TypeKind::kReal:
      return Value(double{load<float>(bytes.data())});
    case TypeKind::kDouble:
      return Value(load<double>(bytes.data()));
    case TypeKind::kInterval:
      return Value(
          Interval{load<int32_t>(bytes.data() + 12), load<int32_t>(bytes.data() + 8), load<int64_t>(bytes.data())});
    case TypeKind::kNumeric:
      return decode_numeric(type, bytes);
    case TypeKind::kUuid:
      return Value(uuid_bytes(load<Int128>(bytes.data())));
    case TypeKind::kChar:
    case TypeKind::kVarchar:
    case TypeKind::kText:
      return decode_string(type, bytes);
  }
  return malformed(type, "no such type");
}

Result<Value> take_packed(const Type& type, std::string_view& bytes) {
  std::string_view value;
  if (!take_packed(type, bytes, value)) {
    return malformed(type, "cut short");
  }
  return decode_packed(type, value);
}

Result<Value> read_packed(const Type& type, std::string_view bytes) {
  Result<Value> value = take_packed(type, bytes);
  if (value && !bytes.empty()) {
    return malformed(type, "too many bytes");
  }
  return value;
}

}  // namespace daedalus::semantics
