// Floating point from and to text.
//
// Output is the shortest decimal that lies strictly between the midpoints to the neighbouring values. std::to_chars
// also accepts the midpoints themselves (readers round to even); PostgreSQL does not, and neither does this.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>

#include "characters.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "text_parts.hpp"

namespace daedalus::semantics {
namespace {

/// A number without its sign, in lower case, and what it is negative of.
struct SignedText {
  bool is_negative = false;
  fmt::basic_memory_buffer<char, 64> letters;

  [[nodiscard]] std::string_view magnitude() const { return {letters.data(), letters.size()}; }
};

SignedText split_sign(std::string_view text) {
  const bool has_sign = text.starts_with('+') || text.starts_with('-');
  SignedText split;
  split.is_negative = text.starts_with('-');
  text.remove_prefix(has_sign ? 1 : 0);
  split.letters.resize(text.size());
  std::transform(text.begin(), text.end(), split.letters.begin(), to_lower);
  return split;
}

/// "nan", or "nan(…)" with letters, digits and underscores.
bool is_nan_text(std::string_view text) {
  const auto may_stand_inside = [](char c) { return is_letter(c) || is_digit(c) || c == '_'; };
  if (!text.starts_with("nan")) {
    return false;
  }
  const std::string_view rest = text.substr(3);
  return rest.empty() || (rest.size() >= 2 && rest.front() == '(' && rest.back() == ')' &&
                          std::all_of(rest.begin() + 1, rest.end() - 1, may_stand_inside));
}

template <typename Float>
std::optional<Float> special_value(std::string_view magnitude) {
  if (is_nan_text(magnitude)) {
    return std::numeric_limits<Float>::quiet_NaN();
  }
  if (magnitude == "infinity" || magnitude == "inf") {
    return std::numeric_limits<Float>::infinity();
  }
  return std::nullopt;
}

bool has_digit_other_than_zero(std::string_view mantissa, bool is_hexadecimal) {
  const std::string_view digits = mantissa.substr(0, mantissa.find(is_hexadecimal ? 'p' : 'e'));
  return digits.find_first_not_of("0.") != std::string_view::npos;
}

template <typename Float>
Result<Value> parse(const Type& type, std::string_view text) {
  const SignedText split = split_sign(trim(text));
  const auto with_sign = [&](Float magnitude) {
    return Value(static_cast<double>(split.is_negative ? -magnitude : magnitude));
  };
  if (const std::optional<Float> special = special_value<Float>(split.magnitude())) {
    return with_sign(*special);
  }
  // PostgreSQL leaves these texts to strtod(), which knows hexadecimal numbers, too.
  const bool is_hexadecimal = split.magnitude().starts_with("0x");
  const std::string_view digits = split.magnitude().substr(is_hexadecimal ? 2 : 0);
  if (digits.empty() || (digits[0] != '.' && !is_digit(digits[0]) && !(is_hexadecimal && is_letter(digits[0])))) {
    return invalid_syntax(type, text);
  }
  Float value{};
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value,
                                      is_hexadecimal ? std::chars_format::hex : std::chars_format::general);
  if (parsed.ec == std::errc::invalid_argument || parsed.ptr != digits.data() + digits.size()) {
    return invalid_syntax(type, text);
  }
  const bool vanished = value == Float{0} && has_digit_other_than_zero(digits, is_hexadecimal);
  if (parsed.ec == std::errc::result_out_of_range || std::isinf(value) || vanished) {
    return rejected("22003", fmt::format("\"{}\" is out of range for type {}", trim(text), kind_name(type.kind)));
  }
  return with_sign(value);
}

/// d.ddd · 10^exponent as digits without point.
struct Shortest {
  std::array<char, 24> digits{};
  size_t size = 0;
  int exponent = 0;

  [[nodiscard]] std::string_view text() const { return {digits.data(), size}; }
};

Shortest split_scientific(std::string_view text) {
  const size_t e = text.find('e');
  Shortest shortest;
  for (const char c : text.substr(0, e)) {
    if (c != '.') {
      shortest.digits[shortest.size++] = c;
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

/// Says whether the decimal is exactly half-way between `value` (> 0, finite) and one of its neighbours.
template <typename Float>
bool is_midpoint(const Shortest& decimal, Float value) {
  const int decimal_exponent = decimal.exponent - static_cast<int>(decimal.size) + 1;
  uint64_t digits = 0;
  std::from_chars(decimal.digits.data(), decimal.digits.data() + decimal.size, digits);
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
    if (is_equal(digits, decimal_exponent, sum, exponent - 1)) {
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
  for (auto decimals = static_cast<int>(shortest.size);; ++decimals) {
    shortest = format(decimals);  // One digit before the point.
    Float back{};
    std::from_chars(text.data(), text.data() + text.size(), back);
    if (back == value && !is_midpoint(shortest, value)) {
      return shortest;
    }
  }
}

void lay_out(const Shortest& shortest, int fixed_exponent_max, std::string& out) {
  const std::string_view digits = shortest.text();
  const auto size = static_cast<int>(shortest.size);
  if (shortest.exponent < -4 || shortest.exponent > fixed_exponent_max) {
    fmt::format_to(std::back_inserter(out), "{}{}{}e{}{:02}", digits.substr(0, 1), size > 1 ? "." : "",
                   digits.substr(1), shortest.exponent < 0 ? '-' : '+', std::abs(shortest.exponent));
  } else if (shortest.exponent < 0) {
    out.append("0.").append(static_cast<size_t>(-shortest.exponent - 1), '0').append(digits);
  } else if (size <= shortest.exponent + 1) {
    out.append(digits).append(static_cast<size_t>(shortest.exponent + 1 - size), '0');
  } else {
    const auto whole = static_cast<size_t>(shortest.exponent) + 1;
    out.append(digits.substr(0, whole)).append(1, '.').append(digits.substr(whole));
  }
}

template <typename Float>
void append_shortest(Float value, int fixed_exponent_max, std::string& out) {
  if (std::isnan(value)) {
    out += "NaN";
    return;
  }
  out += std::signbit(value) ? "-" : "";
  if (std::isinf(value)) {
    out += "Infinity";
  } else if (value == Float{0}) {
    out += '0';
  } else {
    lay_out(shortest_decimal(std::fabs(value)), fixed_exponent_max, out);
  }
}

}  // namespace

Result<Value> parse_floating(const Type& type, std::string_view text) {
  return type.kind == TypeKind::kReal ? parse<float>(type, text) : parse<double>(type, text);
}

void append_floating(TypeKind kind, double value, std::string& out) {
  kind == TypeKind::kReal ? append_shortest(static_cast<float>(value), 5, out) : append_shortest(value, 14, out);
}

Error floating_overflow() { return rejected("22003", "value out of range: overflow"); }
Error floating_underflow() { return rejected("22003", "value out of range: underflow"); }

}  // namespace daedalus::semantics
