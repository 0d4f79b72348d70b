#include "numeric_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "byte_order.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/text.hpp"

namespace daedalus::postgres {

namespace {

constexpr size_t kHeaderSize = 8;
constexpr uint16_t kNegative = 0x4000;
constexpr uint16_t kDigitBase = 10'000;
constexpr size_t kDigitWidth = 4;
/// No numeric has more digits before the point here, or more zeros behind it (kDecimalDigitsMax, kDecimalScaleMax).
constexpr int kWeightMax = 154;
constexpr int kWeightMin = -251;

uint16_t digit_of(std::string_view decimals) {
  uint16_t digit = 0;
  std::from_chars(decimals.data(), decimals.data() + decimals.size(), digit);
  return digit;
}

Error malformed_numeric() { return rejected("22P03", "incorrect binary data format for a parameter of type numeric"); }

}  // namespace

void append_binary_numeric(const semantics::Decimal& value, std::string& out) {
  std::string text = semantics::format_decimal(value);
  const bool is_negative = text[0] == '-';
  text.erase(0, is_negative ? 1 : 0);
  const size_t point = std::min(text.find('.'), text.size());
  std::string whole = text.substr(0, point);
  std::string fraction = point < text.size() ? text.substr(point + 1) : std::string();
  const size_t scale = fraction.size();
  whole.insert(0, (kDigitWidth - whole.size() % kDigitWidth) % kDigitWidth, '0');
  fraction.append((kDigitWidth - fraction.size() % kDigitWidth) % kDigitWidth, '0');
  const std::string decimals = whole + fraction;
  std::vector<uint16_t> digits;
  for (size_t at = 0; at < decimals.size(); at += kDigitWidth) {
    digits.push_back(digit_of(std::string_view(decimals).substr(at, kDigitWidth)));
  }
  auto weight = static_cast<int>(whole.size() / kDigitWidth) - 1;
  const auto first = std::find_if(digits.begin(), digits.end(), [](uint16_t digit) { return digit != 0; });
  weight -= static_cast<int>(first - digits.begin());
  digits.erase(digits.begin(), first);
  while (!digits.empty() && digits.back() == 0) {
    digits.pop_back();
  }
  append_big_endian(static_cast<uint16_t>(digits.size()), out);
  append_big_endian(static_cast<int16_t>(digits.empty() ? 0 : weight), out);
  append_big_endian(static_cast<uint16_t>(is_negative && !digits.empty() ? kNegative : 0), out);
  append_big_endian(static_cast<uint16_t>(scale), out);
  for (const uint16_t digit : digits) {
    append_big_endian(digit, out);
  }
}

Result<semantics::Value> read_binary_numeric(std::string_view bytes) {
  if (bytes.size() < kHeaderSize) {
    return malformed_numeric();
  }
  const size_t count = read_big_endian<uint16_t>(bytes);
  const int weight = read_big_endian<int16_t>(bytes.substr(2));
  const auto sign = read_big_endian<uint16_t>(bytes.substr(4));
  const size_t scale = read_big_endian<uint16_t>(bytes.substr(6));
  if (sign != 0 && sign != kNegative) {
    return rejected("0A000", "numeric NaN and infinity are not supported");
  }
  if (bytes.size() != kHeaderSize + count * sizeof(uint16_t)) {
    return malformed_numeric();
  }
  if (count > 0 && (weight > kWeightMax || weight < kWeightMin)) {
    return rejected("22003", "value overflows numeric format");
  }
  std::string whole;
  std::string fraction(count > 0 && weight < -1 ? static_cast<size_t>(-1 - weight) * kDigitWidth : 0, '0');
  for (size_t index = 0; index < count; ++index) {
    const auto digit = read_big_endian<uint16_t>(bytes.substr(kHeaderSize + index * sizeof(uint16_t)));
    if (digit >= kDigitBase) {
      return malformed_numeric();
    }
    (static_cast<int>(index) <= weight ? whole : fraction) += fmt::format("{:04}", digit);
  }
  if (count > 0 && weight >= static_cast<int>(count)) {
    whole.append((static_cast<size_t>(weight) + 1 - count) * kDigitWidth, '0');
  }
  fraction.resize(scale, '0');
  return semantics::parse_text(semantics::Type{semantics::TypeKind::kNumeric},
                               fmt::format("{}{}{}{}", sign == kNegative ? "-" : "", whole.empty() ? "0" : whole,
                                           fraction.empty() ? "" : ".", fraction));
}

}  // namespace daedalus::postgres
