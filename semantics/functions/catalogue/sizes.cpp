// pg_size_pretty() and pg_size_bytes(): numbers of bytes as people read and write them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "adder.hpp"
#include "characters.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/text.hpp"

namespace daedalus::semantics::scalar {
namespace {

using enum TypeKind;

constexpr std::array<std::string_view, 6> kUnits{"bytes", "kB", "MB", "GB", "TB", "PB"};
constexpr int kUnitBits = 10;
/// A unit is left for the next one where it would show as many.
constexpr int64_t kBytesMax = 10 * 1'024;
constexpr int64_t kUnitsMax = 20 * 1'024 - 1;

Value with_unit(std::string made, std::string_view unit) {
  made += ' ';
  made += unit;
  return Value(std::move(made));
}

/// Half of it, halves away from zero.
BigInt halved(const BigInt& twice) { return (twice + (twice < 0 ? -1 : 1)) / 2; }

/// Units are counted in halves, so that the last step rounds, as the steps before it cut. `made`: an empty text.
Value pretty(const BigInt& bytes, std::string made) {
  if (abs(bytes) < kBytesMax) {
    append_decimal({bytes, 0}, made);
    return with_unit(std::move(made), kUnits[0]);
  }
  BigInt halves = bytes / (int64_t{1} << (kUnitBits - 1));
  size_t unit = 1;
  while (unit + 1 < kUnits.size() && abs(halves) >= kUnitsMax) {
    halves /= int64_t{1} << kUnitBits;
    ++unit;
  }
  append_decimal({halved(halves), 0}, made);
  return with_unit(std::move(made), kUnits[unit]);
}

Result<Value> pretty_bigint(Arguments arguments, const BoundExpression&) {
  return pretty(BigInt(integer(arguments[0])), arguments.spare_text());
}

Result<Value> pretty_numeric(Arguments arguments, const BoundExpression&) {
  const Decimal& bytes = decimal(arguments[0]);
  const Decimal size{BigInt(abs(bytes.unscaled)), bytes.scale};
  std::string made = arguments.spare_text();
  if (compare_decimals(size, {kBytesMax, 0}) < 0) {
    append_decimal(bytes, made);
    return with_unit(std::move(made), kUnits[0]);
  }
  return pretty(bytes.unscaled / power_of_ten(static_cast<uint32_t>(bytes.scale)), std::move(made));
}

size_t skip_digits(std::string_view text, size_t at) {
  while (at < text.size() && is_digit(text[at])) {
    ++at;
  }
  return at;
}

size_t skip_spaces(std::string_view text, size_t at) {
  while (at < text.size() && is_space(text[at])) {
    ++at;
  }
  return at;
}

bool is_sign(std::string_view text, size_t at) { return at < text.size() && (text[at] == '-' || text[at] == '+'); }

/// Says where the number ends that a text begins with; 0: there is none.
size_t number_end(std::string_view text) {
  size_t at = is_sign(text, 0) ? 1 : 0;
  size_t end = skip_digits(text, at);
  bool has_digits = end > at;
  if (end < text.size() && text[end] == '.') {
    at = end + 1;
    end = skip_digits(text, at);
    has_digits = has_digits || end > at;
  }
  if (!has_digits) {
    return 0;
  }
  if (end < text.size() && to_lower(text[end]) == 'e') {
    at = skip_spaces(text, end + 1);
    at += is_sign(text, at) ? 1 : 0;
    const size_t exponent_end = skip_digits(text, at);
    end = exponent_end > at ? exponent_end : end;
  }
  return end;
}

Error invalid_size(std::string_view text) { return rejected("22023", fmt::format("invalid size: \"{}\"", text)); }

Result<Value> size_in_bytes(Arguments arguments, const BoundExpression&) {
  const std::string& given = text(arguments[0]);
  std::string_view left = std::string_view(given).substr(skip_spaces(given, 0));
  const size_t end = number_end(left);
  if (end == 0) {
    return invalid_size(given);
  }
  Result<Value> number = parse_text(Type{kNumeric}, left.substr(0, end));
  if (!number) {
    return number;
  }
  left.remove_prefix(skip_spaces(left, end));
  while (!left.empty() && is_space(left.back())) {
    left.remove_suffix(1);
  }
  Decimal bytes = decimal(*number);
  if (!left.empty()) {
    const auto* unit = std::find_if(kUnits.begin(), kUnits.end(), [&](std::string_view name) {
      return std::equal(name.begin(), name.end(), left.begin(), left.end(),
                        [](char wanted, char c) { return to_lower(wanted) == to_lower(c); });
    });
    if (unit == kUnits.end()) {
      return invalid_size(given);
    }
    bytes.unscaled <<= kUnitBits * (unit - kUnits.begin());
  }
  const Decimal whole = rescale(bytes, 0);
  if (whole.unscaled < std::numeric_limits<int64_t>::min() || whole.unscaled > std::numeric_limits<int64_t>::max()) {
    return rejected("22003", "bigint out of range");
  }
  return Value(static_cast<int64_t>(whole.unscaled));
}

}  // namespace

void add_sizes(Functions& functions) {
  Adder adder(functions);
  adder.add(1550, "pg_size_pretty", {kBigint}, kText, pretty_bigint, nullptr, false);
  adder.add(1551, "pg_size_pretty", {kNumeric}, kText, pretty_numeric, nullptr, false);
  adder.add(1552, "pg_size_bytes", {kText}, kBigint, size_in_bytes);
}

}  // namespace daedalus::semantics::scalar
