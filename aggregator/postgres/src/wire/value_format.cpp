#include "value_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "array_text.hpp"
#include "byte_order.hpp"
#include "daedalus/aggregator/array_list.hpp"
#include "daedalus/contract/translate.hpp"
#include "daedalus/semantics/infinity.hpp"
#include "daedalus/semantics/packed.hpp"
#include "daedalus/semantics/packed_text.hpp"
#include "daedalus/semantics/packed_walk.hpp"
#include "daedalus/semantics/text.hpp"
#include "daedalus/semantics/utf8.hpp"
#include "numeric_format.hpp"

namespace daedalus::postgres {

using semantics::Type;
using semantics::TypeKind;
using semantics::Value;

namespace {

/// A type's row of pg_type.
struct TypeEntry {
  TypeKind kind;
  uint32_t oid;
  int16_t size;
  uint32_t array_oid;
};

constexpr TypeEntry kTypes[] = {
    {TypeKind::kBool, 16, 1, 1000},        {TypeKind::kSmallint, 21, 2, 1005},
    {TypeKind::kInt, 23, 4, 1007},         {TypeKind::kBigint, 20, 8, 1016},
    {TypeKind::kReal, 700, 4, 1021},       {TypeKind::kDouble, 701, 8, 1022},
    {TypeKind::kNumeric, 1700, -1, 1231},  {TypeKind::kDate, 1082, 4, 1182},
    {TypeKind::kTimestamp, 1114, 8, 1115}, {TypeKind::kChar, 1042, -1, 1014},
    {TypeKind::kVarchar, 1043, -1, 1015},  {TypeKind::kText, kTextOid, -1, 1009},
    {TypeKind::kInterval, 1186, 16, 1187}, {TypeKind::kTimestampTz, 1184, 8, 1185},
    {TypeKind::kTime, 1083, 8, 1183},      {TypeKind::kUuid, 2950, 16, 2951},
};

constexpr uint32_t kUnknownOid = 705;
/// A packed text has at most so many bytes.
constexpr size_t kParameterTextMax = UINT16_MAX;
/// From 1970-01-01, where days and microseconds begin here, to 2000-01-01, where PostgreSQL's do.
constexpr int64_t kEpochDays = semantics::kDaysFrom1970To2000;
constexpr int64_t kEpochMicros = kEpochDays * semantics::kMicrosPerDay;

const TypeEntry& entry_of(TypeKind kind) {
  return *std::find_if(std::begin(kTypes), std::end(kTypes),
                       [&](const TypeEntry& entry) { return entry.kind == kind; });
}

void append_binary(const Type& type, const Value& value, std::string& out) {
  switch (type.kind) {
    case TypeKind::kBool:
      out.push_back(std::get<bool>(value) ? '\1' : '\0');
      return;
    case TypeKind::kSmallint:
      append_big_endian(static_cast<int16_t>(std::get<int64_t>(value)), out);
      return;
    case TypeKind::kInt:
      append_big_endian(static_cast<int32_t>(std::get<int64_t>(value)), out);
      return;
    case TypeKind::kBigint:
    case TypeKind::kTime:
      append_big_endian(std::get<int64_t>(value), out);
      return;
    case TypeKind::kReal:
      append_big_endian(std::bit_cast<uint32_t>(static_cast<float>(std::get<double>(value))), out);
      return;
    case TypeKind::kDouble:
      append_big_endian(std::bit_cast<uint64_t>(std::get<double>(value)), out);
      return;
    case TypeKind::kNumeric:
      append_binary_numeric(std::get<semantics::Decimal>(value), out);
      return;
    case TypeKind::kDate:
      append_big_endian(static_cast<int32_t>(semantics::since_2000(type.kind, std::get<int64_t>(value))), out);
      return;
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampTz:
      append_big_endian(semantics::since_2000(type.kind, std::get<int64_t>(value)), out);
      return;
    case TypeKind::kInterval: {
      const auto& interval = std::get<semantics::Interval>(value);
      append_big_endian(interval.micros, out);
      append_big_endian(interval.days, out);
      append_big_endian(interval.months, out);
      return;
    }
    case TypeKind::kUuid:
      out.append(std::get<std::string>(value));
      return;
    case TypeKind::kChar:
    case TypeKind::kVarchar:
    case TypeKind::kText:
      out.append(semantics::format_text(type, value));
      return;
  }
}

Error wrong_binary(TypeKind kind) {
  return rejected("22P03", fmt::format("incorrect binary data format for a parameter of type {}", kind_name(kind)));
}

Result<Value> within(Value value, int64_t number, int64_t low, int64_t high, const char* what) {
  if (number < low || number > high) {
    return rejected("22008", fmt::format("{} out of range", what));
  }
  return value;
}

Result<Value> read_binary_date(std::string_view bytes) {
  const auto since_2000 = read_big_endian<int32_t>(bytes);
  if (semantics::is_infinite_date(since_2000)) {
    return Value(int64_t{since_2000});
  }
  const int64_t days = since_2000 + kEpochDays;
  return within(Value(days), days, semantics::kDateDaysMin, semantics::kDateDaysMax, "date");
}

Result<Value> read_binary_timestamp(std::string_view bytes) {
  const auto since_2000 = read_big_endian<int64_t>(bytes);
  if (semantics::is_infinite_timestamp(since_2000)) {
    return Value(since_2000);
  }
  if (since_2000 > semantics::kTimestampMicrosMax - kEpochMicros) {
    return rejected("22008", "timestamp out of range");
  }
  const int64_t micros = since_2000 + kEpochMicros;
  return within(Value(micros), micros, semantics::kTimestampMicrosMin, semantics::kTimestampMicrosMax, "timestamp");
}

Result<Value> read_binary(TypeKind kind, std::string_view bytes) {
  const int16_t size = entry_of(kind).size;
  if (size >= 0 && bytes.size() != static_cast<size_t>(size)) {
    return wrong_binary(kind);
  }
  switch (kind) {
    case TypeKind::kBool:
      return Value(bytes[0] != '\0');
    case TypeKind::kSmallint:
      return Value(static_cast<int64_t>(read_big_endian<int16_t>(bytes)));
    case TypeKind::kInt:
      return Value(static_cast<int64_t>(read_big_endian<int32_t>(bytes)));
    case TypeKind::kBigint:
      return Value(read_big_endian<int64_t>(bytes));
    case TypeKind::kReal:
      return Value(static_cast<double>(std::bit_cast<float>(read_big_endian<uint32_t>(bytes))));
    case TypeKind::kDouble:
      return Value(std::bit_cast<double>(read_big_endian<uint64_t>(bytes)));
    case TypeKind::kNumeric:
      return read_binary_numeric(bytes);
    case TypeKind::kDate:
      return read_binary_date(bytes);
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampTz:
      return read_binary_timestamp(bytes);
    case TypeKind::kTime: {
      const auto micros = read_big_endian<int64_t>(bytes);
      return within(Value(micros), micros, 0, semantics::kTimeMicrosMax, "time");
    }
    case TypeKind::kInterval:
      return Value(semantics::Interval{read_big_endian<int32_t>(bytes.substr(12)),
                                       read_big_endian<int32_t>(bytes.substr(8)), read_big_endian<int64_t>(bytes)});
    case TypeKind::kUuid:
    case TypeKind::kChar:
    case TypeKind::kVarchar:
    case TypeKind::kText:
      break;
  }
  return Value(std::string(bytes));
}

/// The type that a value of this kind travels with: varchars have a length, without which they were quoted literals.
Type type_of(TypeKind kind, const Value& value) {
  if (kind != TypeKind::kVarchar && kind != TypeKind::kText) {
    return Type{kind};
  }
  const auto* text = std::get_if<std::string>(&value);
  const size_t size = text != nullptr ? text->size() : 0;
  return Type{kind, 0, 0, static_cast<uint32_t>(std::clamp<size_t>(size, 1, semantics::kStringLengthMax))};
}

Result<void> check_text_size(std::string_view text) {
  if (text.size() > kParameterTextMax) {
    return rejected(
        "54000",
        fmt::format("a text of {} bytes is longer than a parameter may be, {}", text.size(), kParameterTextMax),
        "no column takes so much; take a long list apart, or write it into the statement");
  }
  return {};
}

/// A text that is read where the statement is compiled.
wire::v1::Constant unread(aggregator::ParameterKind type, std::string_view text) {
  wire::v1::Constant constant;
  *constant.mutable_type() = contract::from_type(type_of(type.kind, {}));
  constant.set_text(std::string(text));
  constant.set_is_array(type.is_array);
  return constant;
}

/// Refuses an array's text that is none, or an element that is no value of its type.
Result<void> check_array(TypeKind kind, std::string_view text, const ValueStyle& style) {
  auto elements = aggregator::sql::parse_array(text);
  if (!elements) {
    return elements.error();
  }
  for (const std::optional<std::string>& element : *elements) {
    if (!element || semantics::is_string(kind)) {
      continue;
    }
    auto value =
        semantics::parse_text(Type{kind}, *element, std::nullopt, nullptr, bound_zone(style.zone), style.dates);
    if (!value && value.error().sqlstate != "0A000") {  // That says 'now', or a zone by its name.
      return value.error();
    }
  }
  return {};
}

/// Refuses a text that the session reads as another interval than anybody here does.
Result<void> check_interval_style(std::string_view text, semantics::IntervalStyle style) {
  if (style != semantics::IntervalStyle::kSqlStandard || !semantics::is_read_otherwise_in_sql_standard(text)) {
    return {};
  }
  return rejected(
      "0A000", "a sign in front of several fields of an interval while IntervalStyle is sql_standard is not supported",
      "give each field its own sign");
}

Result<wire::v1::Constant> read_text_parameter(TypeKind kind, std::string_view text, const ValueStyle& style) {
  if (kind == TypeKind::kInterval) {
    if (auto may = check_interval_style(text, style.intervals); !may) {
      return may.error();
    }
  }
  if (kind == TypeKind::kChar) {
    text = text.substr(0, text.find_last_not_of(' ') + 1);  // Blanks at its end mean nothing.
  }
  if (semantics::is_string(kind) && text.size() > semantics::kStringLengthMax) {
    return unread({kind}, text);  // No type has such a length; its place says what that means.
  }
  auto value = semantics::is_string(kind) ? Result<Value>(std::string(text))
                                          : semantics::parse_text(Type{kind}, text, std::nullopt, nullptr,
                                                                  bound_zone(style.zone), style.dates);
  if (!value && value.error().sqlstate == "0A000") {
    return unread({kind}, text);  // 'now', or a zone by its name: here nobody knows them.
  }
  return value ? Result<wire::v1::Constant>(contract::from_value(type_of(kind, *value), *value)) : value.error();
}

}  // namespace

uint32_t oid_of(TypeKind kind) { return entry_of(kind).oid; }

uint32_t oid_of(aggregator::ParameterKind type) {
  return type.is_array ? entry_of(type.kind).array_oid : entry_of(type.kind).oid;
}

std::optional<TypeKind> kind_of(uint32_t oid) {
  const auto* const found =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](const TypeEntry& entry) { return entry.oid == oid; });
  return found == std::end(kTypes) ? std::nullopt : std::optional(found->kind);
}

std::optional<uint32_t> array_oid_of(uint32_t element_oid) {
  const auto kind = kind_of(element_oid);
  return kind ? std::optional(entry_of(*kind).array_oid) : std::nullopt;
}

Result<std::optional<aggregator::ParameterKind>> declared_kind(uint32_t oid) {
  using aggregator::ParameterKind;
  if (oid == 0 || oid == kUnknownOid) {
    return std::optional<ParameterKind>();
  }
  if (oid == kNameOid) {
    return std::optional(ParameterKind{TypeKind::kText});
  }
  if (const auto kind = kind_of(oid)) {
    return std::optional(ParameterKind{*kind});
  }
  const auto* const array = std::find_if(std::begin(kTypes), std::end(kTypes),
                                         [&](const TypeEntry& entry) { return entry.array_oid == oid; });
  if (array != std::end(kTypes)) {
    return std::optional(ParameterKind{array->kind, true});
  }
  return rejected("0A000", fmt::format("a parameter of the type with OID {} is not supported", oid),
                  "pass it as text and leave its type to the server");
}

const semantics::BoundZone* bound_zone(const SessionZone& zone) { return zone == nullptr ? nullptr : &zone->zone(); }

Field field_of(const semantics::Column& column, int16_t format) {
  const TypeEntry& entry = entry_of(column.type.kind);
  return {column.name, entry.oid, entry.size, column.modifier.value_or(modifier_of(column.type)), format};
}

Result<std::vector<int16_t>> formats_of(std::span<const int16_t> given, size_t count) {
  if (given.size() > 1 && given.size() != count) {
    return rejected("08P01", fmt::format("bind message has {} formats but {} values", given.size(), count));
  }
  std::vector<int16_t> formats(count, given.size() == 1 ? given[0] : kTextFormat);
  if (given.size() > 1) {
    std::copy(given.begin(), given.end(), formats.begin());
  }
  for (const int16_t format : given) {
    if (format != kTextFormat && format != kBinaryFormat) {
      return rejected("22023", fmt::format("unsupported format code: {}", format));
    }
  }
  return formats;
}

Result<Value> encoded(const Type& type, Value value, ClientEncoding encoding) {
  const auto* const text = std::get_if<std::string>(&value);
  if (text == nullptr || !semantics::is_string(type.kind) || encoding == ClientEncoding::kUtf8) {
    return value;
  }
  std::string made;
  auto done = append_encoded(encoding, *text, made);
  return done ? Result<Value>(Value(std::move(made))) : done.error();
}

void append_styled_text(const Type& type, const Value& value, const ValueStyle& style, std::string& out) {
  if (type.kind == TypeKind::kInterval) {
    return semantics::append_interval_in(style.intervals, std::get<semantics::Interval>(value), out);
  }
  out.append(semantics::format_text(type, value, bound_zone(style.zone)));
}

void append_value(const Type& type, const Value& value, int16_t format, std::string& out, const ValueStyle& style) {
  if (semantics::is_null(value)) {
    append_big_endian<int32_t>(-1, out);
    return;
  }
  const size_t length_at = out.size();
  append_big_endian<uint32_t>(0, out);
  if (format == kBinaryFormat) {
    append_binary(type, value, out);
  } else {
    append_styled_text(type, value, style, out);
  }
  put_big_endian(static_cast<uint32_t>(out.size() - length_at - sizeof(uint32_t)), out.data() + length_at);
}

Result<wire::v1::Constant> read_parameter(aggregator::ParameterKind type, int16_t format,
                                          std::optional<std::string_view> bytes, const ValueStyle& style) {
  if (!bytes) {
    wire::v1::Constant null = contract::from_value(type_of(type.kind, {}), {});
    null.set_is_array(type.is_array);
    return null;
  }
  const bool is_text = format == kTextFormat || (semantics::is_string(type.kind) && !type.is_array);
  std::string text_in_utf8;
  if (is_text && format != kTextFormat && style.encoding != ClientEncoding::kUtf8) {  // Texts have come in UTF8.
    auto read = decoded(style.encoding, *bytes);
    if (!read) {
      return read.error();
    }
    text_in_utf8 = std::move(*read);
    bytes = text_in_utf8;
  }
  if (is_text && !semantics::is_valid_text(*bytes)) {
    return rejected("22021", "invalid byte sequence for encoding \"UTF8\" in a parameter");
  }
  if (type.is_array) {
    auto text = is_text ? Result<std::string>(*bytes) : array_text(*bytes);
    auto fits = text ? check_text_size(*text) : Result<void>(text.error());
    if (fits && is_text) {
      fits = check_array(type.kind, *text, style);
    }
    return fits ? Result<wire::v1::Constant>(unread(type, *text)) : fits.error();
  }
  if (is_text) {
    auto fits = check_text_size(*bytes);
    return fits ? read_text_parameter(type.kind, *bytes, style) : fits.error();
  }
  if (const int16_t size = entry_of(type.kind).size; size >= 0 && bytes->size() < static_cast<size_t>(size)) {
    return rejected("08P01", "insufficient data left in message");
  }
  auto value = read_binary(type.kind, *bytes);
  return value ? Result<wire::v1::Constant>(contract::from_value(type_of(type.kind, *value), *value)) : value.error();
}

Result<Value> read_binary_value(TypeKind kind, std::string_view bytes) {
  auto value = read_binary(kind, bytes);
  return !value && value.error().sqlstate == "22P03" ? rejected("22P03", "incorrect binary data format") : value;
}

Result<std::string> read_binary_as_text(TypeKind kind, std::string_view bytes) {
  const auto value = read_binary_value(kind, bytes);
  return value ? Result<std::string>(semantics::format_text(Type{kind}, *value)) : value.error();
}

RowEncoder::RowEncoder(std::span<const semantics::Column> columns, std::vector<int16_t> formats, ValueStyle style)
    : formats_(std::move(formats)), style_(std::move(style)) {
  types_.reserve(columns.size());
  for (const semantics::Column& column : columns) {
    types_.push_back(column.type);
  }
}

Result<void> RowEncoder::encode(std::string_view& rows, size_t size_max, std::string& out) const {
  do {
    const auto size = size_of_rows(rows, 1);
    if (!size) {
      return size.error();
    }
    if (auto done = append_message(rows.substr(sizeof(uint32_t), *size - sizeof(uint32_t)), out); !done) {
      return done;
    }
    rows.remove_prefix(*size);
  } while (!rows.empty() && out.size() < size_max);
  return {};
}

Result<void> RowEncoder::append_encoded_message(std::string_view row, std::string& out) const {
  auto values = semantics::read_packed_row(types_, row);
  if (!values) {
    return values.error();
  }
  for (size_t column = 0; column < types_.size(); ++column) {
    auto value = encoded(types_[column], std::move((*values)[column]), style_.encoding);
    if (!value) {
      return value.error();
    }
    (*values)[column] = std::move(*value);
  }
  const MessageWriter message('D', out);
  append_big_endian(static_cast<uint16_t>(types_.size()), out);
  for (size_t column = 0; column < types_.size(); ++column) {
    append_value(types_[column], (*values)[column], formats_[column], out, style_);
  }
  return {};
}

Result<void> RowEncoder::append_message(std::string_view row, std::string& out) const {
  if (style_.encoding != ClientEncoding::kUtf8) {
    return append_encoded_message(row, out);
  }
  const size_t begin = out.size();
  auto end = semantics::WalkEnd::kComplete;
  {
    const MessageWriter message('D', out);
    append_big_endian(static_cast<uint16_t>(types_.size()), out);
    end = semantics::walk_packed_row(
        types_.size(), row, [&](size_t column) -> const Type& { return types_[column]; },
        [&](size_t column, bool is_null, std::string_view bytes) {
          if (is_null) {
            append_big_endian<int32_t>(-1, out);
          }
          return is_null || append_column(column, bytes, out);
        });
  }
  if (end == semantics::WalkEnd::kComplete) {
    return {};
  }
  out.resize(begin);
  const auto values = semantics::read_packed_row(types_, row);  // Which says what is wrong.
  return values ? semantics::malformed_row(end) : values.error();
}

/// False: they are no value of the column's type.
bool RowEncoder::append_column(size_t column, std::string_view bytes, std::string& out) const {
  const Type& type = types_[column];
  const bool is_by_clock = style_.zone != nullptr && type.kind == TypeKind::kTimestampTz;
  const bool is_styled = type.kind == TypeKind::kInterval && style_.intervals != semantics::IntervalStyle::kPostgres;
  if (formats_[column] == kBinaryFormat || is_by_clock || is_styled) {
    const auto value = semantics::decode_packed(type, bytes);
    if (value) {
      append_value(type, *value, formats_[column], out, style_);
    }
    return value.has_value();
  }
  const size_t length_at = out.size();
  append_big_endian<uint32_t>(0, out);
  if (!semantics::append_packed_text(type, bytes, out)) {
    return false;
  }
  put_big_endian(static_cast<uint32_t>(out.size() - length_at - sizeof(uint32_t)), out.data() + length_at);
  return true;
}

Result<size_t> size_of_rows(std::string_view rows, uint32_t count) {
  semantics::PackedRows reader(rows);
  size_t size = 0;
  for (uint32_t row = 0; row < count; ++row) {
    const auto next = reader.next();
    if (!next) {
      return next.error();
    }
    if (!*next) {
      break;
    }
    size += sizeof(uint32_t) + (*next)->size();
  }
  return size;
}

}  // namespace daedalus::postgres
