// Types, columns, schemas: what a table is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daedalus/semantics/value.hpp"

namespace daedalus::semantics {

/// The numbers are those of the wire.
enum class TypeKind : uint8_t {
  kBool = 1,
  kSmallint = 2,
  kInt = 3,
  kBigint = 4,
  kReal = 5,
  kDouble = 6,
  kNumeric = 7,
  kDate = 8,
  kTimestamp = 9,
  kChar = 10,
  kVarchar = 11,
  kText = 12,      ///< Computed only, and of a bounded length all the same.
  kInterval = 13,  ///< Computed only.
  kTime = 14,
  kUuid = 15,
  kTimestampTz = 16,
};

constexpr uint32_t kNumericPrecisionMax = 38;
constexpr uint32_t kStringLengthMax = 4096;
constexpr uint32_t kColumnsMax = 1600;  // PostgreSQL's limit.
constexpr uint32_t kRowSizeMax = 1u << 20;

/// Columns of date, timestamp and timestamptz (in UTC) hold days and SQL timestamps from the first day of the year 1 to
/// 5874897-12-31, PostgreSQL's last, and to 294246-12-31 23:59:59.999999, the last whole year of 64-bit microseconds
/// since 1970 (PostgreSQL, which counts from 2000, reaches 294276). Years before Christ are refused.
constexpr int64_t kDateDaysMin = -719162;
constexpr int64_t kDateDaysMax = 2145042905;
constexpr int64_t kMicrosPerDay = 86'400'000'000;
/// A time of day is 00:00:00 to 24:00:00, both included.
constexpr int64_t kTimeMicrosMax = kMicrosPerDay;
constexpr int64_t kTimestampMicrosMin = kDateDaysMin * kMicrosPerDay;
constexpr int64_t kTimestampMicrosMax = 9'223'371'244'799'999'999;
/// Computed ones may lie further back, as far as PostgreSQL's SQL timestamps: 4714-11-24 BC, the Julian day 0.
constexpr int64_t kComputedDaysMin = -2'440'588;
constexpr int64_t kComputedMicrosMin = kComputedDaysMin * kMicrosPerDay;

struct Type {
  TypeKind kind = TypeKind::kInt;
  uint32_t precision = 0;  ///< numeric: 1..38; 0 for a computed value without bound.
  uint32_t scale = 0;      ///< numeric.
  uint32_t length = 0;     ///< char, varchar, text: bytes; 0 for a computed char or varchar without bound.

  friend bool operator==(const Type&, const Type&) = default;
};

[[nodiscard]] bool is_integer(TypeKind kind);   ///< smallint, int, bigint.
[[nodiscard]] bool is_floating(TypeKind kind);  ///< real, double.
[[nodiscard]] bool is_numeric(TypeKind kind);   ///< integer, floating or numeric.
[[nodiscard]] bool is_string(TypeKind kind);    ///< char, varchar, text.

/// timestamp and timestamptz: microseconds since 1970, of a clock on the wall or in UTC. A session's zone is UTC, so
/// each is the other's number.
[[nodiscard]] constexpr bool is_timestamp(TypeKind kind) {
  return kind == TypeKind::kTimestamp || kind == TypeKind::kTimestampTz;
}
/// Says whether it is a timestamp or a date.
[[nodiscard]] constexpr bool is_datetime(TypeKind kind) { return kind == TypeKind::kDate || is_timestamp(kind); }

/// PostgreSQL's spelling: "numeric(10,2)", "character(3)", "character varying(20)", "timestamp without time zone".
[[nodiscard]] std::string to_string(const Type& type);

/// Gives the name without length, precision and scale: "numeric", "character varying". Static storage.
[[nodiscard]] std::string_view kind_name(TypeKind kind);

/// Says what is wrong with a type that came from outside, or nothing. Computed types (precision or length 0) are legal.
[[nodiscard]] std::optional<std::string> type_fault(const Type& type);

/// A constant of this type is a quoted literal: it takes the type its place asks for, through parse_text().
[[nodiscard]] inline bool is_untyped_literal(const Type& type) {
  return type.kind == TypeKind::kVarchar && type.length == 0;
}

/// A char without a length, which only is computed: each value has its own blanks at its end. They are shown and
/// matched, and count in no comparison. A char(n) is kept without blanks, as all its values have the same length.
[[nodiscard]] inline bool has_own_blanks(const Type& type) { return type.kind == TypeKind::kChar && type.length == 0; }

/// Most bytes that a string of this type has, without the blanks that it is padded with.
[[nodiscard]] constexpr uint32_t length_max(const Type& type) {
  return type.length == 0 ? kStringLengthMax : type.length;
}

/// Bytes one value of a column takes in column planes (abi.h), its tail included. Precondition: no numeric without a
/// precision.
[[nodiscard]] uint32_t plane_width(const Type& type);

/// Counts those of them that lie in a plane of tails: what a string has behind its first bytes.
[[nodiscard]] uint32_t tail_width(const Type& type);

/// PostgreSQL has this as the modifier of a value without a length, a precision and a scale.
constexpr int32_t kNoModifier = -1;

/// PostgreSQL's modifier (atttypmod) of a column that is declared with this type.
[[nodiscard]] int32_t modifier_of(const Type& type);

struct Column {
  std::string name;
  Type type;
  bool nullable = true;
  std::optional<Value> default_value;  ///< No value: no DEFAULT clause.
  /// A column of an answer has PostgreSQL's modifier here; nothing: that of its type.
  std::optional<int32_t> modifier = std::nullopt;
};

struct Schema {
  std::string table_name;
  std::string fingerprint;
  std::vector<Column> columns;
  std::vector<uint32_t> primary_key;

  /// Position of the column, or nothing.
  [[nodiscard]] std::optional<uint32_t> find(std::string_view name) const;
};

}  // namespace daedalus::semantics
