#include <fmt/format.h>

#include <array>
#include <cmath>

#include "daedalus/base/check.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/infinity.hpp"
#include "daedalus/semantics/packed.hpp"
#include "daedalus/semantics/packed_walk.hpp"
#include "daedalus/semantics/utf8.hpp"
#include "int128.hpp"

namespace daedalus::semantics {
namespace {

/// One of these can be wrong with one value of a row to insert.
enum class ValueFault : uint8_t {
  kNone,
  kNull,
  kBool,
  kNaN,
  kPrecision,
  kDate,
  kTimestamp,
  kTime,
  kLength,
  kBlanks,
  kEncoding,
};

constexpr std::array<Int128, kNumericPrecisionMax + 1> make_numeric_bounds() {
  std::array<Int128, kNumericPrecisionMax + 1> powers{};
  powers[0] = 1;
  for (size_t i = 1; i < powers.size(); ++i) {
    powers[i] = powers[i - 1] * 10;
  }
  return powers;
}

constexpr std::array<Int128, kNumericPrecisionMax + 1> kNumericBounds = make_numeric_bounds();

ValueFault numeric_fault(const Type& type, std::string_view bytes) {
  const Int128 unscaled = type.precision <= 18 ? load<int64_t>(bytes.data()) : load<Int128>(bytes.data());
  const Int128 bound = kNumericBounds[type.precision];
  return unscaled > -bound && unscaled < bound ? ValueFault::kNone : ValueFault::kPrecision;
}

ValueFault string_fault(const Type& type, std::string_view bytes) {
  if (bytes.size() > type.length) {
    return ValueFault::kLength;
  }
  if (type.kind == TypeKind::kChar && !bytes.empty() && bytes.back() == ' ') {
    return ValueFault::kBlanks;
  }
  return is_valid_text(bytes) ? ValueFault::kNone : ValueFault::kEncoding;
}

/// Only the quiet NaN is legal: engines may compare bits.
template <typename Float, typename Bits>
ValueFault nan_fault(std::string_view bytes) {
  const bool is_odd = std::isnan(load<Float>(bytes.data())) &&
                      load<Bits>(bytes.data()) != std::bit_cast<Bits>(std::numeric_limits<Float>::quiet_NaN());
  return is_odd ? ValueFault::kNaN : ValueFault::kNone;
}

template <typename T>
ValueFault range_fault(std::string_view bytes, int64_t low, int64_t high, ValueFault fault) {
  const int64_t value = load<T>(bytes.data());
  return value >= low && value <= high ? ValueFault::kNone : fault;
}

ValueFault value_fault(const Type& type, std::string_view bytes) {
  switch (type.kind) {
    case TypeKind::kBool:
      return static_cast<uint8_t>(bytes[0]) <= 1 ? ValueFault::kNone : ValueFault::kBool;
    case TypeKind::kSmallint:
    case TypeKind::kInt:
    case TypeKind::kBigint:
    case TypeKind::kUuid:
      return ValueFault::kNone;
    case TypeKind::kReal:
      return nan_fault<float, uint32_t>(bytes);
    case TypeKind::kDouble:
      return nan_fault<double, uint64_t>(bytes);
    case TypeKind::kNumeric:
      return numeric_fault(type, bytes);
    case TypeKind::kDate:
      if (is_infinite_date(load<int32_t>(bytes.data()))) {
        return ValueFault::kNone;
      }
      return range_fault<int32_t>(bytes, kDateDaysMin, kDateDaysMax, ValueFault::kDate);
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampTz:
      if (is_infinite_timestamp(load<int64_t>(bytes.data()))) {
        return ValueFault::kNone;
      }
      return range_fault<int64_t>(bytes, kTimestampMicrosMin, kTimestampMicrosMax, ValueFault::kTimestamp);
    case TypeKind::kTime:
      return range_fault<int64_t>(bytes, 0, kTimeMicrosMax, ValueFault::kTime);
    case TypeKind::kChar:
    case TypeKind::kVarchar:
    case TypeKind::kText:
      return string_fault(type, bytes);
    case TypeKind::kInterval:
      return ValueFault::kNone;
  }
  return ValueFault::kNone;
}

Error column_error(const Column& column, ValueFault fault) {
  switch (fault) {
    case ValueFault::kNull:
      return rejected("23502", fmt::format("null value in column \"{}\" violates not-null constraint", column.name));
    case ValueFault::kBool:
      return rejected("08P01", fmt::format("column \"{}\" holds a boolean other than 0 and 1", column.name));
    case ValueFault::kNaN:
      return rejected("08P01", fmt::format("column \"{}\" holds a NaN other than the quiet one", column.name));
    case ValueFault::kPrecision:
      return rejected("22003", fmt::format("numeric field overflow in column \"{}\" of type {}", column.name,
                                           to_string(column.type)));
    case ValueFault::kDate:
      return rejected("22008", fmt::format("date out of range in column \"{}\"", column.name));
    case ValueFault::kTimestamp:
      return rejected("22008", fmt::format("timestamp out of range in column \"{}\"", column.name));
    case ValueFault::kTime:
      return rejected("22008", fmt::format("time out of range in column \"{}\"", column.name));
    case ValueFault::kLength:
      return rejected("22001",
                      fmt::format("value too long for column \"{}\" of type {}", column.name, to_string(column.type)));
    case ValueFault::kBlanks:
      return rejected("08P01", fmt::format("column \"{}\" holds trailing blanks: {} travels without them", column.name,
                                           to_string(column.type)));
    case ValueFault::kEncoding:
      return rejected("22021",
                      fmt::format("invalid byte sequence for encoding \"UTF8\" in column \"{}\"", column.name));
    case ValueFault::kNone:
      break;
  }
  CHECK(false);
  return {};
}

}  // namespace

Error malformed_row(WalkEnd end) {
  switch (end) {
    case WalkEnd::kCutShort:
      return rejected("08P01", "malformed packed row: cut short");
    case WalkEnd::kTooLong:
      return rejected("08P01", "malformed packed row: bytes left over after the last column");
    case WalkEnd::kStrayNullBits:
      return rejected("08P01", "malformed packed row: NULL bits beyond the last column");
    case WalkEnd::kComplete:
    case WalkEnd::kStopped:
      break;
  }
  CHECK(false);
  return {};
}

void append_packed_row(std::span<const Type> types, std::span<const Value> values, std::string& out) {
  CHECK(types.size() == values.size());
  const size_t start = out.size();
  const size_t bitmap = start + sizeof(uint32_t);
  out.append(sizeof(uint32_t) + (types.size() + 7) / 8, '\0');
  for (size_t column = 0; column < types.size(); ++column) {
    if (is_null(values[column])) {
      char& bits = out[bitmap + column / 8];
      bits = static_cast<char>(static_cast<uint8_t>(bits) | (1u << (column % 8)));
    } else {
      append_packed(types[column], values[column], out);
    }
  }
  const size_t size = out.size() - bitmap;
  CHECK(size <= UINT32_MAX);
  const auto row_size = static_cast<uint32_t>(size);
  std::memcpy(out.data() + start, &row_size, sizeof row_size);
}

Result<std::optional<std::string_view>> PackedRows::next() {
  if (rest_.empty()) {
    return std::optional<std::string_view>();
  }
  if (rest_.size() < sizeof(uint32_t)) {
    return rejected("08P01", "malformed packed rows: cut short within a row's size");
  }
  const auto size = load<uint32_t>(rest_.data());
  if (size > kRowSizeMax) {
    return rejected("08P01",
                    fmt::format("malformed packed rows: a row of {} bytes, at most {} are allowed", size, kRowSizeMax));
  }
  if (rest_.size() - sizeof size < size) {
    return rejected("08P01", "malformed packed rows: cut short within a row");
  }
  const std::string_view row = rest_.substr(sizeof size, size);
  rest_.remove_prefix(sizeof size + size);
  return std::optional<std::string_view>(row);
}

Result<std::vector<Value>> read_packed_row(std::span<const Type> types, std::string_view row) {
  std::vector<Value> values(types.size());
  std::optional<Error> error;
  const WalkEnd end = walk_packed_row(
      types.size(), row, [&](size_t column) -> const Type& { return types[column]; },
      [&](size_t column, bool null, std::string_view bytes) {
        if (null) {
          return true;
        }
        Result<Value> value = decode_packed(types[column], bytes);
        if (!value) {
          error = std::move(value).error();
          return false;
        }
        values[column] = std::move(*value);
        return true;
      });
  if (end == WalkEnd::kStopped) {
    return *std::move(error);
  }
  if (end != WalkEnd::kComplete) {
    return malformed_row(end);
  }
  return values;
}

Result<Value> read_packed_column(std::span<const Type> types, std::string_view row, uint32_t column) {
  CHECK(column < types.size());
  bool is_null_there = false;
  std::string_view found;
  const WalkEnd end = walk_packed_row(
      types.size(), row, [&](size_t at) -> const Type& { return types[at]; },
      [&](size_t at, bool null, std::string_view bytes) {
        is_null_there = null;
        found = bytes;
        return at != column;
      });
  if (end != WalkEnd::kStopped) {
    return malformed_row(end);
  }
  return is_null_there ? Result<Value>(Value()) : decode_packed(types[column], found);
}

std::vector<Type> column_types(const Schema& schema) {
  std::vector<Type> types;
  types.reserve(schema.columns.size());
  for (const Column& column : schema.columns) {
    types.push_back(column.type);
  }
  return types;
}

Result<void> check_packed_row(const Schema& schema, std::string_view row) {
  const std::vector<Column>& columns = schema.columns;
  ValueFault fault = ValueFault::kNone;
  size_t faulty = 0;
  const WalkEnd end = walk_packed_row(
      columns.size(), row, [&](size_t column) -> const Type& { return columns[column].type; },
      [&](size_t column, bool null, std::string_view bytes) {
        if (null) {
          fault = columns[column].nullable ? ValueFault::kNone : ValueFault::kNull;
        } else {
          fault = value_fault(columns[column].type, bytes);
        }
        faulty = column;
        return fault == ValueFault::kNone;
      });
  if (end == WalkEnd::kStopped) {
    return column_error(columns[faulty], fault);
  }
  if (end != WalkEnd::kComplete) {
    return malformed_row(end);
  }
  return {};
}

}  // namespace daedalus::semantics
