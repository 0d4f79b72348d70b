#include "daedalus/semantics/packed_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "daedalus/semantics/calendar.hpp"
#include "daedalus/semantics/packed_walk.hpp"
#include "daedalus/semantics/text.hpp"
#include "daedalus/semantics/utf8.hpp"
#include "int128.hpp"
#include "text_parts.hpp"

namespace daedalus::semantics {
namespace {

constexpr int64_t kMicrosPerSecond = 1'000'000;
constexpr int64_t kYearMax = 9'999;  ///< Of four digits.

void append_integer(int64_t number, std::string& out) {
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out.append(digits.data(), end.ptr);
}

/// So many digits, with zeros in front.
template <size_t kCount>
void put_digits(uint64_t number, char* at) {
  for (size_t digit = kCount; digit-- > 0; number /= 10) {
    at[digit] = static_cast<char>('0' + number % 10);
  }
}

/// Precondition: the year has four digits.
void append_civil(const CivilDate& date, std::string& out) {
  char text[] = "0000-00-00";
  put_digits<4>(static_cast<uint64_t>(date.year), text);
  put_digits<2>(date.month, text + 5);
  put_digits<2>(date.day, text + 8);
  out.append(text, sizeof(text) - 1);
}

bool has_four_digits(const CivilDate& date) { return date.year >= 1 && date.year <= kYearMax; }

void append_date(int64_t days, std::string& out) {
  const CivilDate date = civil_from_days(days);
  has_four_digits(date) ? append_civil(date, out) : void(out.append(format_date(days)));
}

void append_time(int64_t micros, std::string& out) {
  const auto seconds = static_cast<uint64_t>(micros / kMicrosPerSecond);
  const auto fraction = static_cast<uint64_t>(micros % kMicrosPerSecond);
  char text[] = "00:00:00.000000";
  put_digits<2>(seconds / 3'600, text);
  put_digits<2>(seconds / 60 % 60, text + 3);
  put_digits<2>(seconds % 60, text + 6);
  size_t size = 8;
  if (fraction != 0) {
    put_digits<6>(fraction, text + 9);
    for (size = sizeof(text) - 1; text[size - 1] == '0'; --size) {
    }
  }
  out.append(text, size);
}

void append_timestamp(int64_t micros, std::string& out) {
  const int64_t days = floor_div(micros, kMicrosPerDay);
  const CivilDate date = civil_from_days(days);
  if (!has_four_digits(date)) {
    out.append(format_timestamp(micros));
    return;
  }
  append_civil(date, out);
  out.push_back(' ');
  append_time(micros - days * kMicrosPerDay, out);
}

/// Of a numeric of at most 18 digits.
bool append_decimal(const Type& type, int64_t unscaled, std::string& out) {
  std::array<char, 20> digits{};
  const uint64_t magnitude = unscaled < 0 ? -static_cast<uint64_t>(unscaled) : static_cast<uint64_t>(unscaled);
  const auto* const end = std::to_chars(digits.data(), digits.data() + digits.size(), magnitude).ptr;
  const auto count = static_cast<size_t>(end - digits.data());
  if (magnitude != 0 && count > type.precision) {
    return false;
  }
  if (unscaled < 0) {
    out.push_back('-');
  }
  const size_t whole = count > type.scale ? count - type.scale : 0;
  whole > 0 ? void(out.append(digits.data(), whole)) : out.push_back('0');
  if (type.scale > 0) {
    out.push_back('.');
    out.append(type.scale - (count - whole), '0');
    out.append(digits.data() + whole, count - whole);
  }
  return true;
}

bool append_string(const Type& type, std::string_view bytes, std::string& out) {
  const bool is_too_long = type.length != 0 && bytes.size() > type.length;
  const bool has_blanks = type.kind == TypeKind::kChar && !bytes.empty() && bytes.back() == ' ';
  if (is_too_long || has_blanks || !is_valid_text(bytes)) {
    return false;
  }
  out.append(bytes);
  if (type.kind == TypeKind::kChar) {
    out.append(type.length - std::min<size_t>(type.length, bytes.size()), ' ');
  }
  return true;
}

bool append_made(const Type& type, std::string_view bytes, std::string& out) {
  const auto value = decode_packed(type, bytes);
  if (value) {
    out.append(format_text(type, *value));
  }
  return value.has_value();
}

}  // namespace

bool append_packed_text(const Type& type, std::string_view bytes, std::string& out) {
  switch (type.kind) {
    case TypeKind::kBool:
      if (static_cast<uint8_t>(bytes[0]) > 1) {
        return false;
      }
      out.push_back(bytes[0] == 1 ? 't' : 'f');
      return true;
    case TypeKind::kSmallint:
      append_integer(load<int16_t>(bytes.data()), out);
      return true;
    case TypeKind::kInt:
      append_integer(load<int32_t>(bytes.data()), out);
      return true;
    case TypeKind::kBigint:
      append_integer(load<int64_t>(bytes.data()), out);
      return true;
    case TypeKind::kDate:
      append_date(load<int32_t>(bytes.data()), out);
      return true;
    case TypeKind::kTimestamp:
      append_timestamp(load<int64_t>(bytes.data()), out);
      return true;
    case TypeKind::kChar:
    case TypeKind::kVarchar:
    case TypeKind::kText:
      return append_string(type, bytes, out);
    case TypeKind::kNumeric:
      return type.precision > 0 && type.precision <= 18 ? append_decimal(type, load<int64_t>(bytes.data()), out)
                                                        : append_made(type, bytes, out);
    default:
      return append_made(type, bytes, out);
  }
}

}  // namespace daedalus::semantics
