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

/// Appends a numeric of at most 18 digits.
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
  const bool has_blanks =
      type.kind == TypeKind::kChar && !has_own_blanks(type) && !bytes.empty() && bytes.back() == ' ';
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
    append_text(type, *value, out);
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
