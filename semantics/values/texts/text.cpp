#include "daedalus/semantics/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "characters.hpp"
#include "daedalus/base/check.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/interval_modifier.hpp"
#include "daedalus/semantics/utf8.hpp"
#include "daedalus/semantics/uuid.hpp"
#include "int128.hpp"
#include "interval.hpp"
#include "text_parts.hpp"

namespace daedalus::semantics {
namespace {

/// Bounds on what is computed with: a literal with more digits is refused, one with more places overflows or vanishes.
constexpr size_t kDigitsMax = 4'096;
constexpr int64_t kPlacesMax = 8'192;
/// PostgreSQL's numeric can carry so much: more places and greater exponents overflow it, whatever is left of them
/// then.
constexpr int64_t kPostgresPlacesMax = 16'383;
constexpr int64_t kPostgresExponentMax = 1'073'741'822;

Result<Value> parse_bool(const Type& type, std::string_view text) {
  std::string word(trim(text));
  std::transform(word.begin(), word.end(), word.begin(), to_lower);
  const auto abbreviates = [&](std::string_view whole, size_t size_min) {
    return word.size() >= size_min && whole.starts_with(word);
  };
  if (abbreviates("true", 1) || abbreviates("yes", 1) || word == "on" || word == "1") {
    return Value(true);
  }
  if (abbreviates("false", 1) || abbreviates("no", 1) || abbreviates("off", 2) || word == "0") {
    return Value(false);
  }
  return invalid_syntax(type, text);
}

Result<Value> parse_integer(const Type& type, std::string_view text) {
  std::string_view digits = trim(text);
  const bool is_negative = digits.starts_with('-');
  if (is_negative || digits.starts_with('+')) {
    digits.remove_prefix(1);
  }
  uint64_t magnitude = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude);
  if (parsed.ec == std::errc::invalid_argument) {
    return invalid_syntax(type, text);
  }
  // As PostgreSQL reads digits: that there are too many shows before what follows them does.
  const IntegerRange range = integer_range(type.kind);
  const auto magnitude_max = static_cast<uint64_t>(range.high) + 1;
  if (parsed.ec == std::errc::result_out_of_range || magnitude > magnitude_max) {
    return value_out_of_range(type, text);
  }
  if (parsed.ptr != digits.data() + digits.size()) {
    return invalid_syntax(type, text);
  }
  if (magnitude == magnitude_max) {
    return is_negative ? Result<Value>(Value(range.low)) : value_out_of_range(type, text);
  }
  const auto value = static_cast<int64_t>(magnitude);
  return Value(is_negative ? -value : value);
}

/// A decimal literal taken apart: digits · 10^-scale.
struct NumberText {
  bool negative = false;
  fmt::basic_memory_buffer<char, 64> digits;
  int64_t scale = 0;
  int64_t exponent = 0;  ///< As it was written, at most twice the greatest.
};

std::optional<NumberText> split_decimal(std::string_view text) {
  NumberText literal;
  size_t at = 0;
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) {
    literal.negative = text[at++] == '-';
  }
  bool seen_point = false;
  for (; at < text.size() && (is_digit(text[at]) || (text[at] == '.' && !seen_point)); ++at) {
    if (text[at] == '.') {
      seen_point = true;
      continue;
    }
    literal.digits.push_back(text[at]);
    literal.scale += seen_point ? 1 : 0;
  }
  if (literal.digits.size() == 0) {
    return std::nullopt;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    const bool plus = at < text.size() && text[at] == '+';
    int64_t exponent = 0;
    const char* begin = text.data() + at + (plus ? 1 : 0);
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(begin, end, exponent);
    if (parsed.ec == std::errc::invalid_argument || parsed.ptr != end || (plus && *begin == '-')) {
      return std::nullopt;
    }
    if (parsed.ec == std::errc::result_out_of_range) {
      exponent = *begin == '-' ? -INT32_MAX : INT32_MAX;
    }
    literal.exponent = std::clamp<int64_t>(exponent, -INT32_MAX, INT32_MAX);
    literal.scale -= literal.exponent;
    at = text.size();
  }
  return at == text.size() ? std::optional(std::move(literal)) : std::nullopt;
}

/// Reads digits without a zero before them.
BigInt whole_number(std::string_view digits) {
  constexpr size_t kDigitsOfInt128 = 38;
  if (digits.size() > kDigitsOfInt128) {
    return BigInt(std::string(digits));
  }
  Int128 number = 0;
  for (const char digit : digits) {
    number = number * 10 + (digit - '0');
  }
  return to_big(number);
}

}  // namespace

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

Error invalid_syntax(const Type& type, std::string_view text) {
  return rejected("22P02", fmt::format("invalid input syntax for type {}: \"{}\"", kind_name(type.kind), text));
}

Error out_of_range(const Type& type) { return rejected("22003", fmt::format("{} out of range", kind_name(type.kind))); }

Error value_out_of_range(const Type& type, std::string_view text) {
  return rejected("22003", fmt::format("value \"{}\" is out of range for type {}", text, kind_name(type.kind)));
}

IntegerRange integer_range(TypeKind kind) {
  switch (kind) {
    case TypeKind::kSmallint:
      return {std::numeric_limits<int16_t>::min(), std::numeric_limits<int16_t>::max()};
    case TypeKind::kInt:
      return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
    default:
      return {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  }
}

Result<Value> fit_decimal(const Type& type, const Decimal& value) {
  if (type.precision == 0) {
    if (value.scale > kDecimalScaleMax || !fits_precision(value, kDecimalDigitsMax)) {
      return rejected("22003", "value overflows numeric format");
    }
    return Value(value);
  }
  Decimal rounded = rescale(value, static_cast<int32_t>(type.scale));
  if (!fits_precision(rounded, type.precision)) {
    return rejected("22003", fmt::format("numeric field overflow: a field with precision {}, scale {} must round to an "
                                         "absolute value less than 10^{}",
                                         type.precision, type.scale, type.precision - type.scale));
  }
  return Value(std::move(rounded));
}

namespace {

/// Reads a text that is no number: NaN and infinity are refused by name, except that no bounded numeric holds infinity
/// anyway.
Result<Value> parse_special_decimal(const Type& type, std::string_view text) {
  std::string word(trim(text));
  std::transform(word.begin(), word.end(), word.begin(), to_lower);
  const bool is_signed = word.starts_with('+') || word.starts_with('-');
  const std::string_view magnitude = std::string_view(word).substr(is_signed ? 1 : 0);
  const bool is_infinite = magnitude == "inf" || magnitude == "infinity";
  if (is_infinite && type.precision != 0) {
    return rejected("22003", "numeric field overflow: a field with a precision cannot hold an infinite value");
  }
  if (is_infinite || word == "nan") {
    return rejected("0A000", fmt::format("numeric \"{}\" is not supported", trim(text)));
  }
  return invalid_syntax(type, text);
}

}  // namespace

Result<Value> parse_decimal(const Type& type, std::string_view text) {
  const std::string_view trimmed = trim(text);
  const std::optional<NumberText> literal = split_decimal(trimmed);
  if (!literal) {
    return parse_special_decimal(type, text);
  }
  if (std::abs(literal->exponent) > kPostgresExponentMax || literal->scale > kPostgresPlacesMax) {
    return rejected("22003", "value overflows numeric format");
  }
  std::string_view digits(literal->digits.data(), literal->digits.size());
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.empty()) {
    const int64_t scale = type.precision != 0 ? type.scale : std::clamp<int64_t>(literal->scale, 0, kDecimalScaleMax);
    return Value(Decimal{0, static_cast<int32_t>(scale)});
  }
  if (literal->digits.size() <= kDigitsMax && literal->scale > kPlacesMax && type.precision != 0) {
    return Value(Decimal{0, static_cast<int32_t>(type.scale)});
  }
  if (literal->digits.size() > kDigitsMax || std::abs(literal->scale) > kPlacesMax) {
    return rejected("22003", "value overflows numeric format");
  }
  Decimal value{whole_number(digits), static_cast<int32_t>(literal->scale)};
  if (literal->negative) {
    value.unscaled = -value.unscaled;
  }
  return fit_decimal(type, value.scale < 0 ? rescale(value, 0) : value);
}

Result<Value> fit_string(const Type& type, std::string_view text, std::string room) {
  if (!is_valid_text(text)) {
    return rejected("22021", "invalid byte sequence for encoding \"UTF8\"");
  }
  const auto without_blanks = [](std::string_view padded) {
    return padded.substr(0, padded.find_last_not_of(' ') + 1);
  };
  if (type.kind == TypeKind::kChar && !has_own_blanks(type)) {
    text = without_blanks(text);
  }
  if (type.length != 0 && text.size() > type.length) {
    if (without_blanks(text).size() > type.length) {
      return rejected("22001", fmt::format("value too long for type {}", to_string(type)));
    }
    text = text.substr(0, type.length);
  }
  if (text.size() > UINT16_MAX) {
    return rejected("54000",
                    fmt::format("a text of {} bytes is too long, at most {} are allowed", text.size(), UINT16_MAX));
  }
  room.assign(text);
  return Value(std::move(room));
}

Result<Value> parse_text(const Type& type, std::string_view text, std::optional<int64_t> now_us, const TimeZones* zones,
                         const BoundZone* zone, DateOrder order) {
  switch (type.kind) {
    case TypeKind::kBool:
      return parse_bool(type, text);
    case TypeKind::kSmallint:
    case TypeKind::kInt:
    case TypeKind::kBigint:
      return parse_integer(type, text);
    case TypeKind::kReal:
    case TypeKind::kDouble:
      return parse_floating(type, text);
    case TypeKind::kNumeric:
      return parse_decimal(type, text);
    case TypeKind::kInterval:
      return parse_interval(text);
    case TypeKind::kDate:
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampTz:
      return parse_datetime(type, text, now_us, zones, zone, order);
    case TypeKind::kTime:
      return parse_time(text, now_us, zone, order);
    case TypeKind::kUuid:
      return parse_uuid(text);
    case TypeKind::kChar:
    case TypeKind::kVarchar:
    case TypeKind::kText:
      return fit_string(type, text);
  }
  CHECK(false);
  return {};
}

void append_integer(int64_t value, std::string& out) {
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  out.append(digits.data(), end.ptr);
}

void append_text(const Type& type, const Value& value, std::string& out, const BoundZone* zone) {
  switch (type.kind) {
    case TypeKind::kBool:
      out.push_back(std::get<bool>(value) ? 't' : 'f');
      return;
    case TypeKind::kSmallint:
    case TypeKind::kInt:
    case TypeKind::kBigint:
      return append_integer(std::get<int64_t>(value), out);
    case TypeKind::kReal:
    case TypeKind::kDouble:
      return append_floating(type.kind, std::get<double>(value), out);
    case TypeKind::kNumeric:
      return append_decimal(std::get<Decimal>(value), out);
    case TypeKind::kInterval:
      return append_interval(std::get<Interval>(value), out);
    case TypeKind::kDate:
      return append_date(std::get<int64_t>(value), out);
    case TypeKind::kTimestamp:
      return append_timestamp(std::get<int64_t>(value), out);
    case TypeKind::kTimestampTz:
      return append_timestamptz(std::get<int64_t>(value), out, zone);
    case TypeKind::kTime:
      return append_time(std::get<int64_t>(value), out);
    case TypeKind::kUuid:
      return append_uuid(std::get<std::string>(value), out);
    case TypeKind::kChar: {
      const std::string& text = std::get<std::string>(value);
      out.append(text).append(type.length - std::min<size_t>(type.length, text.size()), ' ');
      return;
    }
    case TypeKind::kVarchar:
    case TypeKind::kText:
      out.append(std::get<std::string>(value));
      return;
  }
  CHECK(false);
}

std::string format_text(const Type& type, const Value& value, const BoundZone* zone) {
  std::string text;
  append_text(type, value, text, zone);
  return text;
}

}  // namespace daedalus::semantics
