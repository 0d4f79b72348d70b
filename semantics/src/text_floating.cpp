// Floating point from and to text.
//
// Output is the shortest decimal that lies strictly between the midpoints to the neighbouring values. std::to_chars
// also accepts the midpoints themselves (readers round to even); PostgreSQL does not, and neither does this.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "daedalus/semantics/decimal.hpp"
#include "text_parts.hpp"

namespace daedalus::semantics {
namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return lower;
}

template <typename Float>
std::optional<Float> special_value(std::string_view text) {
  const std::string lower = lower_case(text);
  const Float infinity = std::numeric_limits<Float>::infinity();
  if (lower == "nan") {
    return std::numeric_limits<Float>::quiet_NaN();
  }
  if (lower == "infinity" || lower == "+infinity" || lower == "inf" || lower == "+inf") {
    return infinity;
  }
  if (lower == "-infinity" || lower == "-inf") {
    return -infinity;
  }
  return std::nullopt;
}

bool has_digit_other_than_zero(std::string_view text) {
  const std::string_view mantissa = text.substr(0, text.find_first_of("eE"));
  return mantissa.find_first_of("123456789") != std::string_view::npos;
}

template <typename Float>
Result<Value> parse(const Type& type, std::string_view text) {
  std::string_view digits = trim(text);
  if (const std::optional<Float> special = special_value<Float>(digits)) {
    return Value(static_cast<double>(*special));
  }
  const bool has_sign = digits.starts_with('+') || digits.starts_with('-');
  const std::string_view unsigned_digits = has_sign ? digits.substr(1) : digits;
  if (digits.starts_with('+')) {
    digits.remove_prefix(1);  // Which std::from_chars does not know.
  }
  if (unsigned_digits.empty() ||
      (unsigned_digits[0] != '.' && (unsigned_digits[0] < '0' || unsigned_digits[0] > '9'))) {
    return invalid_syntax(type, text);
  }
  Float value{};
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (parsed.ec == std::errc::invalid_argument || parsed.ptr != digits.data() + digits.size()) {
    return invalid_syntax(type, text);
  }
  const bool vanished = value == Float{0} && has_digit_other_than_zero(digits);
  if (parsed.ec == std::errc::result_out_of_range || std::isinf(value) || vanished) {
    return rejected("22003", fmt::format("\"{}\" is out of range for type {}", trim(text), kind_name(type.kind)));
  }
  return Value(static_cast<double>(value));
}

/// d.ddd · 10^exponent as digits without point.
struct Shortest {
  std::string digits;
  int exponent = 0;
};

Shortest split_scientific(std::string_view text) {
  const size_t e = text.find('e');
  Shortest shortest;
  for (const char c : text.substr(0, e)) {
    if (c != '.') {
      shortest.digits.push_back(c);
    }
  }
  const std::string_view exponent = text.substr(e + (text[e + 1] == '+' ? 2 : 1));
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), shortest.exponent);
  return shortest;
}

/// mantissa · 2^exponent.
struct BinaryParts {
  int64_t mantissa = 0;
  int exponent = 0;
};

BinaryParts split_binary(double value) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return {static_cast<int64_t>(std::ldexp(fraction, 53)), exponent - 53};
}

/// Whether the decimal is exactly half-way between `value` (> 0, finite) and one of its neighbours.
template <typename Float>
bool is_midpoint(const Shortest& decimal, Float value) {
  const int decimal_exponent = decimal.exponent - static_cast<int>(decimal.digits.size()) + 1;
  const Float infinity = std::numeric_limits<Float>::infinity();
  for (const Float neighbour : {std::nextafter(value, Float{0}), std::nextafter(value, infinity)}) {
    if (std::isinf(neighbour)) {
      continue;
    }
    // The midpoint is sum · 2^exponent.
    const BinaryParts left = split_binary(value);
    const BinaryParts right = neighbour == Float{0} ? BinaryParts{0, left.exponent} : split_binary(neighbour);
    const int exponent = std::min(left.exponent, right.exponent);
    const int64_t sum = (left.mantissa << (left.exponent - exponent)) + (right.mantissa << (right.exponent - exponent));
    if (is_equal(decimal.digits, decimal_exponent, sum, exponent - 1)) {
      return true;
    }
  }
  return false;
}

template <typename Float>
Shortest shortest_decimal(Float value) {
  std::array<char, 64> buffer;
  std::string_view text;
  const auto format = [&](auto... precision) {
    const auto end =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific, precision...);
    text = std::string_view(buffer.data(), static_cast<size_t>(end.ptr - buffer.data()));
    return split_scientific(text);
  };
  Shortest shortest = format();
  if (!is_midpoint(shortest, value)) {
    return shortest;
  }
  for (auto decimals = static_cast<int>(shortest.digits.size());; ++decimals) {
    shortest = format(decimals);  // One digit before the point.
    Float back{};
    std::from_chars(text.data(), text.data() + text.size(), back);
    if (back == value && !is_midpoint(shortest, value)) {
      return shortest;
    }
  }
}

std::string lay_out(const Shortest& shortest, int fixed_exponent_max) {
  const auto size = static_cast<int>(shortest.digits.size());
  if (shortest.exponent < -4 || shortest.exponent > fixed_exponent_max) {
    return fmt::format("{}{}{}e{}{:02}", shortest.digits.substr(0, 1), size > 1 ? "." : "", shortest.digits.substr(1),
                       shortest.exponent < 0 ? '-' : '+', std::abs(shortest.exponent));
  }
  if (shortest.exponent < 0) {
    return fmt::format("0.{:0>{}}", shortest.digits, size - shortest.exponent - 1);
  }
  if (size <= shortest.exponent + 1) {
    return fmt::format("{:0<{}}", shortest.digits, shortest.exponent + 1);
  }
  std::string text = shortest.digits;
  text.insert(static_cast<size_t>(shortest.exponent) + 1, 1, '.');
  return text;
}

template <typename Float>
std::string format(Float value, int fixed_exponent_max) {
  if (std::isnan(value)) {
    return "NaN";
  }
  const std::string_view sign = std::signbit(value) ? "-" : "";
  if (std::isinf(value)) {
    return fmt::format("{}Infinity", sign);
  }
  if (value == Float{0}) {
    return fmt::format("{}0", sign);
  }
  return fmt::format("{}{}", sign, lay_out(shortest_decimal(std::fabs(value)), fixed_exponent_max));
}

}  // namespace

Result<Value> parse_floating(const Type& type, std::string_view text) {
  return type.kind == TypeKind::kReal ? parse<float>(type, text) : parse<double>(type, text);
}

std::string format_floating(TypeKind kind, double value) {
  return kind == TypeKind::kReal ? format(static_cast<float>(value), 5) : format(value, 14);
}

}  // namespace daedalus::semantics
