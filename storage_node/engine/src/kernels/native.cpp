#include "native.hpp"

#include <algorithm>

#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/uuid.hpp"

namespace daedalus::engine {
namespace {

using semantics::BigInt;
using semantics::TypeKind;

Native native_of(const semantics::Type& type) {
  switch (type.kind) {
    case TypeKind::kBool:
      return Native::kBool;
    case TypeKind::kSmallint:
      return Native::kInt16;
    case TypeKind::kInt:
    case TypeKind::kDate:
      return Native::kInt32;
    case TypeKind::kBigint:
    case TypeKind::kTimestamp:
    case TypeKind::kTime:
    case TypeKind::kTimestampTz:
      return Native::kInt64;
    case TypeKind::kUuid:
      return Native::kInt128;
    case TypeKind::kReal:
      return Native::kFloat;
    case TypeKind::kDouble:
      return Native::kDouble;
    case TypeKind::kInterval:
      return Native::kInterval;
    case TypeKind::kNumeric:
      return type.precision == 0 ? Native::kDecimal : type.precision <= 18 ? Native::kInt64 : Native::kInt128;
    case TypeKind::kChar:
    case TypeKind::kVarchar:
    case TypeKind::kText:
      return Native::kBytes;
  }
  check_failed("a known type", __FILE__, __LINE__);
}

template <typename T>
void append_raw(T value, NativeBytes& out) {
  const size_t end = out.size();
  out.resize(end + sizeof value);
  std::memcpy(out.data() + end, &value, sizeof value);
}

template <typename T>
Fit append_integer(Int128 value, NativeBytes& out) {
  if constexpr (!std::is_same_v<T, Int128>) {
    if (value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max()) {
      append_raw(T{0}, out);
      return value < 0 ? Fit::kBelow : Fit::kAbove;
    }
  }
  append_raw(static_cast<T>(value), out);
  return Fit::kInside;
}

Fit append_string(const ColumnLayout& layout, const std::string& value, NativeBytes& out) {
  const size_t end = out.size();
  out.resize(end + layout.width, 0);
  std::memcpy(out.data() + end, value.data(), std::min<size_t>(value.size(), layout.width));
  return value.size() > layout.width ? Fit::kBeyond : Fit::kInside;
}

Fit append_decimal(const ColumnLayout& layout, const semantics::Decimal& value, NativeBytes& out) {
  static const BigInt kInt128Bound = BigInt{1} << 127;
  const BigInt unscaled = rescaled(value, layout.type.scale);
  if (unscaled >= kInt128Bound || unscaled <= -kInt128Bound) {
    out.resize(out.size() + layout.width, 0);
    return unscaled < 0 ? Fit::kBelow : Fit::kAbove;
  }
  const Int128 native = to_int128(unscaled);
  return layout.native == Native::kInt64 ? append_integer<int64_t>(native, out) : append_integer<Int128>(native, out);
}

constexpr size_t kIntervalDays = sizeof(int64_t);
constexpr size_t kIntervalMonths = kIntervalDays + sizeof(int32_t);

void write_interval(const semantics::Interval& interval, uint8_t* out) {
  std::memcpy(out, &interval.micros, sizeof interval.micros);
  std::memcpy(out + kIntervalDays, &interval.days, sizeof interval.days);
  std::memcpy(out + kIntervalMonths, &interval.months, sizeof interval.months);
}

semantics::Interval read_interval(const uint8_t* bytes) {
  return {load<int32_t>(bytes + kIntervalMonths), load<int32_t>(bytes + kIntervalDays), load<int64_t>(bytes)};
}

}  // namespace

ColumnLayout column_layout(const semantics::Type& type, bool nullable) {
  const Native native = native_of(type);
  if (native == Native::kDecimal) {
    return {.native = native, .nullable = nullable, .code = {}, .type = type};
  }
  const uint32_t width = semantics::plane_width(type);
  return {.native = native,
          .width = width,
          .stride = width - semantics::tail_width(type),
          .nullable = nullable,
          .code = code_rule(native, width),
          .type = type};
}

TableLayout::TableLayout(const semantics::Schema& table_schema, semantics::RowCodec row_codec)
    : schema(&table_schema), codec(row_codec) {
  columns.reserve(table_schema.columns.size());
  for (const semantics::Column& column : table_schema.columns) {
    columns.push_back(column_layout(column.type, column.nullable));
    packed.push_back(semantics::packed_column(column.type));
  }
}

int compare_native(const ColumnLayout& layout, StoredValue left, StoredValue right) {
  if (layout.native == Native::kBytes) {
    const int order = std::memcmp(left.bytes, right.bytes, layout.stride);
    return order != 0 || layout.tail_width() == 0 ? order : std::memcmp(left.tail, right.tail, layout.tail_width());
  }
  return with_native(layout.native, [&]<typename T>(std::type_identity<T>) {
    return compare_scalars(load<T>(left.bytes), load<T>(right.bytes));
  });
}

int compare_native(const ColumnLayout& layout, const uint8_t* left, const uint8_t* right) {
  return compare_native(layout, contiguous(layout, left), contiguous(layout, right));
}

void copy_value(const ColumnLayout& layout, StoredValue value, uint8_t* out) {
  std::memcpy(out, value.bytes, layout.stride);
  if (layout.tail_width() > 0) {
    std::memcpy(out + layout.stride, value.tail, layout.tail_width());
  }
}

Fit append_native(const ColumnLayout& layout, const semantics::Value& value, NativeBytes& out) {
  if (layout.type.kind == TypeKind::kNumeric) {
    CHECK(std::holds_alternative<semantics::Decimal>(value));
    return append_decimal(layout, std::get<semantics::Decimal>(value), out);
  }
  if (layout.type.kind == TypeKind::kUuid) {
    append_raw(semantics::uuid_number(std::get<std::string>(value)), out);
    return Fit::kInside;
  }
  switch (layout.native) {
    case Native::kBool:
      CHECK(std::holds_alternative<bool>(value));
      append_raw(static_cast<uint8_t>(std::get<bool>(value)), out);
      return Fit::kInside;
    case Native::kBytes:
      CHECK(std::holds_alternative<std::string>(value));
      return append_string(layout, std::get<std::string>(value), out);
    case Native::kFloat:
    case Native::kDouble: {
      CHECK(std::holds_alternative<double>(value));
      double number = std::get<double>(value);
      number = number != number ? std::numeric_limits<double>::quiet_NaN() : number;
      layout.native == Native::kDouble ? append_raw(number, out) : append_raw(static_cast<float>(number), out);
      return Fit::kInside;
    }
    default:
      break;
  }
  CHECK(std::holds_alternative<int64_t>(value));
  const int64_t number = std::get<int64_t>(value);
  switch (layout.native) {
    case Native::kInt16:
      return append_integer<int16_t>(number, out);
    case Native::kInt32:
      return append_integer<int32_t>(number, out);
    default:
      return append_integer<int64_t>(number, out);
  }
}

void write_native(const ColumnLayout& layout, const semantics::Value& value, uint8_t* out) {
  if (layout.native == Native::kInterval) {
    return write_interval(std::get<semantics::Interval>(value), out);
  }
  if (layout.native == Native::kBytes) {
    const auto& text = std::get<std::string>(value);
    CHECK(text.size() <= layout.width);
    std::memcpy(out, text.data(), text.size());
    std::memset(out + text.size(), 0, layout.width - text.size());
    return;
  }
  with_native(layout.native, [&]<typename T>(std::type_identity<T>) {
    T native{};
    if (layout.type.kind == TypeKind::kUuid) {
      if constexpr (std::is_same_v<T, Int128>) {
        native = semantics::uuid_number(std::get<std::string>(value));
      }
    } else if (const auto* decimal = std::get_if<semantics::Decimal>(&value)) {
      if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, Int128>) {
        native = static_cast<T>(to_int128(rescaled(*decimal, layout.type.scale)));
      }
    } else if constexpr (std::is_floating_point_v<T>) {
      native = with_one_nan(static_cast<T>(std::get<double>(value)));
    } else if constexpr (std::is_same_v<T, uint8_t>) {
      native = std::get<bool>(value) ? 1 : 0;
    } else {
      native = static_cast<T>(std::get<int64_t>(value));
    }
    std::memcpy(out, &native, sizeof native);
  });
}

semantics::Value to_value(const ColumnLayout& layout, const uint8_t* bytes) {
  if (layout.native == Native::kInterval) {
    return read_interval(bytes);
  }
  if (layout.native == Native::kBytes) {
    const auto* text = reinterpret_cast<const char*>(bytes);
    return std::string(text, strnlen(text, layout.width));
  }
  return with_native(layout.native, [&]<typename T>(std::type_identity<T>) -> semantics::Value {
    const T value = load<T>(bytes);
    if (layout.type.kind == TypeKind::kNumeric) {
      if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, Int128>) {
        return semantics::Decimal{to_big(value), static_cast<int32_t>(layout.type.scale)};
      }
    }
    if constexpr (std::is_same_v<T, Int128>) {
      return semantics::uuid_bytes(value);
    } else if constexpr (std::is_same_v<T, uint8_t>) {
      return value != 0;
    } else if constexpr (std::is_floating_point_v<T>) {
      return static_cast<double>(value);
    } else {
      return static_cast<int64_t>(value);
    }
  });
}

BigInt to_big(Int128 value) { return BigInt(value); }

BigInt rescaled(const semantics::Decimal& decimal, uint32_t scale) {
  const auto target = static_cast<int32_t>(scale);
  CHECK(decimal.scale <= target);
  return decimal.scale == target ? decimal.unscaled : semantics::rescale(decimal, target).unscaled;
}

Int128 to_int128(const BigInt& value) {
  const auto& backend = value.backend();
  const UInt128 high = backend.size() > 1 ? backend.limbs()[1] : 0;
  const auto magnitude = static_cast<Int128>(high << 64 | backend.limbs()[0]);
  return backend.sign() ? -magnitude : magnitude;
}

}  // namespace daedalus::engine
