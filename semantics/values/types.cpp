#include "daedalus/semantics/types.hpp"

#include <fmt/format.h>

#include "daedalus/base/check.hpp"
#include "daedalus/schema/abi.h"
#include "daedalus/semantics/packed_walk.hpp"

namespace daedalus::semantics {
namespace {

/// The name of a number that came from outside and is none of a kind.
constexpr std::string_view kNoKind = "unknown";

}  // namespace

bool is_integer(TypeKind kind) {
  return kind == TypeKind::kSmallint || kind == TypeKind::kInt || kind == TypeKind::kBigint;
}

bool is_floating(TypeKind kind) { return kind == TypeKind::kReal || kind == TypeKind::kDouble; }

bool is_numeric(TypeKind kind) { return is_integer(kind) || is_floating(kind) || kind == TypeKind::kNumeric; }

bool is_string(TypeKind kind) {
  return kind == TypeKind::kChar || kind == TypeKind::kVarchar || kind == TypeKind::kText;
}

std::string_view kind_name(TypeKind kind) {
  switch (kind) {
    case TypeKind::kBool:
      return "boolean";
    case TypeKind::kSmallint:
      return "smallint";
    case TypeKind::kInt:
      return "integer";
    case TypeKind::kBigint:
      return "bigint";
    case TypeKind::kReal:
      return "real";
    case TypeKind::kDouble:
      return "double precision";
    case TypeKind::kNumeric:
      return "numeric";
    case TypeKind::kDate:
      return "date";
    case TypeKind::kTimestamp:
      return "timestamp without time zone";
    case TypeKind::kChar:
      return "character";
    case TypeKind::kVarchar:
      return "character varying";
    case TypeKind::kText:
      return "text";
    case TypeKind::kInterval:
      return "interval";
    case TypeKind::kTime:
      return "time without time zone";
    case TypeKind::kUuid:
      return "uuid";
    case TypeKind::kTimestampTz:
      return "timestamp with time zone";
  }
  return kNoKind;
}

int32_t modifier_of(const Type& type) {
  constexpr int32_t kHeader = 4;  // PostgreSQL counts the header of a value, too.
  if (type.kind == TypeKind::kNumeric && type.precision > 0) {
    return static_cast<int32_t>(type.precision << 16 | type.scale) + kHeader;
  }
  const bool has_length = (type.kind == TypeKind::kChar || type.kind == TypeKind::kVarchar) && type.length > 0;
  return has_length ? static_cast<int32_t>(type.length) + kHeader : kNoModifier;
}

std::string to_string(const Type& type) {
  const std::string_view name = kind_name(type.kind);
  if (type.kind == TypeKind::kNumeric && type.precision != 0) {
    return fmt::format("{}({},{})", name, type.precision, type.scale);
  }
  if (is_string(type.kind) && type.kind != TypeKind::kText && type.length != 0) {
    return fmt::format("{}({})", name, type.length);
  }
  return std::string(name);
}

std::optional<std::string> type_fault(const Type& type) {
  if (kind_name(type.kind) == kNoKind) {
    return fmt::format("there is no type number {}", static_cast<uint8_t>(type.kind));
  }
  if (type.kind == TypeKind::kNumeric) {
    if (type.precision > kNumericPrecisionMax) {
      return fmt::format("numeric precision {} must be between 1 and {}", type.precision, kNumericPrecisionMax);
    }
    if (type.precision != 0 && type.scale > type.precision) {
      return fmt::format("numeric scale {} must be between 0 and precision {}", type.scale, type.precision);
    }
  }
  if (is_string(type.kind) && type.length > kStringLengthMax) {
    return fmt::format("length {} of {} must be between 1 and {}", type.length, kind_name(type.kind), kStringLengthMax);
  }
  return std::nullopt;
}

uint32_t plane_width(const Type& type) {
  if (is_string(type.kind)) {
    return length_max(type);
  }
  const uint32_t width = packed_width(type);
  CHECK(width != 0);
  return width;
}

uint32_t tail_width(const Type& type) {
  return is_string(type.kind) && length_max(type) > DAEDALUS_STRING_PREFIX_SIZE
             ? length_max(type) - DAEDALUS_STRING_PREFIX_SIZE
             : 0;
}

std::optional<uint32_t> Schema::find(std::string_view name) const {
  for (uint32_t position = 0; position < columns.size(); ++position) {
    if (columns[position].name == name) {
      return position;
    }
  }
  return std::nullopt;
}

}  // namespace daedalus::semantics
