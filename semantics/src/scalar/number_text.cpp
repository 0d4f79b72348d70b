// to_char() of numbers: what a template makes of their digits, as PostgreSQL's formatting.c does under the C locale:
// the point is a point, digits are grouped by commas, and the currency is a blank.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "../characters.hpp"
#include "../text_parts.hpp"
#include "adder.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "number_template.hpp"

namespace daedalus::semantics::scalar {
namespace {

constexpr TypeKind kText = TypeKind::kText;
constexpr int kRomanWidth = 15;

/// A number's digits as a template shows them: at least one before the point, or # for what has no room.
struct Shown {
  std::string digits;
  bool is_negative = false;
  int behind = 0;  ///< Digits behind the point: floating numbers show fewer than the template has.
};

// ---- a template, digit by digit ----

class Writer {
 public:
  Writer(const NumberTemplate& format, const Shown& shown)
      : format_(format), digits_(shown.digits), is_negative_(shown.is_negative), behind_(shown.behind) {
    const size_t point = digits_.find('.');
    const int room = format.before + format.shift;
    const int count = static_cast<int>(point == std::string::npos ? digits_.size() : point);
    lead_ = std::max(room - count, 0);
    if (count > room) {
      digits_ = std::string(static_cast<size_t>(room + behind_ + 1), '#');
      digits_[static_cast<size_t>(room)] = '.';
    }
    settle_sign();
    settle_last_digit();
    places_ = behind_ + room - 1 + (!is_signed_ && lead_ == 0 ? 1 : 0);
  }

  Result<std::string> written() {
    const bool is_ordinal = digits_.front() != '#' && !is_negative_ && !format_.has_point;
    for (const NumberPiece& piece : format_.pieces) {
      if (is_cut_) {
        break;
      }
      if (piece.item == NumberItem::kOrdinal && is_ordinal && !is_digit(digits_.back())) {
        return rejected("22P02", fmt::format("\"{}\" is not a number", digits_));
      }
      put(piece);
    }
    return std::move(made_);
  }

 private:
  void settle_sign() {
    sign_ = format_.sign;
    if (format_.has_plus || format_.has_minus) {
      is_signed_ = !format_.has_plus || format_.has_minus;
      has_angles_ = format_.has_angles;
      return;
    }
    has_angles_ = format_.has_angles && (is_negative_ || !format_.is_bare);
    is_signed_ = !is_negative_ && format_.is_bare && sign_ == SignPlace::kNone;
    if (sign_ == SignPlace::kBefore && format_.before + format_.shift == format_.sign_after) {
      sign_ = SignPlace::kBehind;
    }
  }

  /// FM drops zeros behind the point, but for those where the template has a 0.
  void settle_last_digit() {
    const size_t point = digits_.find('.');
    if (!format_.is_bare || !format_.has_point || point == std::string::npos) {
      return;
    }
    size_t last = digits_.find_last_not_of('0');
    last = std::max(last, point);
    if (format_.zero_last > lead_) {
      last = std::max(last, std::min(digits_.size() - 1, static_cast<size_t>(format_.zero_last - lead_)));
    }
    last_ = last;
  }

  void put(const NumberPiece& piece) {
    switch (piece.item) {
      case NumberItem::kCharacter:
        made_ += piece.text;
        return;
      case NumberItem::kNine:
      case NumberItem::kZero:
      case NumberItem::kPoint:
      case NumberItem::kLocalPoint:
        return put_digit(piece.item);
      case NumberItem::kComma:
      case NumberItem::kGroup:
        made_ += is_inside_ ? "," : format_.is_bare ? "" : " ";
        return;
      case NumberItem::kCurrency:
        made_ += ' ';
        return;
      case NumberItem::kMinus:
        made_ += is_negative_ ? "-" : format_.is_bare ? "" : " ";
        return;
      case NumberItem::kPlus:
        made_ += !is_negative_ ? "+" : format_.is_bare ? "" : " ";
        return;
      case NumberItem::kSign:
        made_ += is_negative_ ? '-' : '+';
        return;
      case NumberItem::kOrdinal:
        return put_ordinal(piece.is_small);
      default:
        return;
    }
  }

  void put_ordinal(bool is_small) {
    if (digits_.front() == '#' || is_negative_ || format_.has_point) {
      return;
    }
    std::string ordinal(ordinal_of(digits_));
    if (!is_small) {
      std::transform(ordinal.begin(), ordinal.end(), ordinal.begin(), [](char c) { return static_cast<char>(c - 32); });
    }
    made_ += ordinal;
  }

  [[nodiscard]] bool is_zero_place() const { return format_.has_zero && format_.zero_first <= place_; }
  [[nodiscard]] bool is_last_point() const { return last_ && digits_[*last_] == '.'; }
  /// Whether the digit at hand is the 0 before a point that a template without 0 shows as a blank.
  [[nodiscard]] bool is_lone_zero() const {
    return !format_.has_zero && next_ == 0 && digits_.front() == '0' && behind_ != 0;
  }

  void put_digit(NumberItem item) {
    is_inside_ = false;
    const bool is_due = place_ >= lead_ || (format_.has_zero && format_.zero_first == place_);
    if (!is_signed_ && is_due && (!is_lone_zero() || is_last_point())) {
      put_first_sign();
    }
    if (place_ < lead_) {
      put_before_digits();
    } else {
      put_next(item);
    }
    const int end = last_ && *last_ == next_ ? place_ : places_ + (lead_ > 0 ? 1 : 0) + (format_.has_point ? 1 : 0);
    if (place_ + 1 == end && !is_cut_) {
      put_last_sign();
    }
    ++place_;
  }

  void put_before_digits() {
    if (is_zero_place()) {
      made_ += '0';
      is_inside_ = true;
    } else if (!format_.is_bare) {
      made_ += ' ';
    }
  }

  void put_next(NumberItem item) {
    const char next = next_ < digits_.size() ? digits_[next_] : '\0';
    if (next == '.') {
      if (!is_last_point() || format_.is_bare) {
        made_ += '.';
      }
    } else if (last_ && next_ > *last_ && item != NumberItem::kZero) {
      // FM drops it.
    } else if (is_lone_zero()) {
      if (!format_.is_bare) {
        made_ += ' ';
      } else if (is_last_point()) {
        made_ += '0';
      }
    } else if (next != '\0') {
      made_ += next;
      is_inside_ = true;
    } else {
      is_cut_ = true;
    }
    next_ += next != '\0' ? 1 : 0;
  }

  void put_first_sign() {
    if (sign_ != SignPlace::kNone) {
      if (sign_ == SignPlace::kBefore) {
        made_ += is_negative_ ? '-' : '+';
        is_signed_ = true;
      }
      return;
    }
    if (has_angles_) {
      made_ += is_negative_ ? '<' : ' ';
    } else if (is_negative_) {
      made_ += '-';
    } else if (!format_.is_bare) {
      made_ += ' ';
    }
    is_signed_ = true;
  }

  void put_last_sign() {
    if (is_signed_ && has_angles_) {
      made_ += is_negative_ ? '>' : ' ';
    } else if (sign_ == SignPlace::kBehind) {
      made_ += is_negative_ ? '-' : '+';
    }
  }

  const NumberTemplate& format_;
  std::string digits_;
  bool is_negative_;
  int behind_;
  int lead_ = 0;    ///< Places before the first digit.
  int places_ = 0;  ///< The number of the last one.
  int place_ = 0;
  size_t next_ = 0;             ///< Of the digits and the point.
  std::optional<size_t> last_;  ///< The last that FM leaves.
  SignPlace sign_ = SignPlace::kNone;
  bool is_signed_ = false;  ///< Its sign is written, or needs not be.
  bool has_angles_ = false;
  bool is_inside_ = false;  ///< A digit came just before.
  bool is_cut_ = false;     ///< A place is left that has no digit: PostgreSQL's text ends there, whatever follows.
  std::string made_;
};

std::string roman_of(int64_t number) {
  struct Numeral {
    int value;
    std::string_view letters;
  };
  constexpr Numeral kNumerals[] = {{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"},
                                   {40, "XL"},  {10, "X"},   {9, "IX"},  {5, "V"},    {4, "IV"},  {1, "I"}};
  constexpr int64_t kRomanMax = 3'999;
  if (number < 1 || number > kRomanMax) {
    return std::string(kRomanWidth, '#');
  }
  std::string made;
  for (const auto& [value, letters] : kNumerals) {
    for (; number >= value; number -= value) {
      made += letters;
    }
  }
  return made;
}

/// RN among other patterns: they show nothing but what does not hang on digits.
std::string written_roman(const NumberTemplate& format, int64_t number) {
  const std::string roman = roman_of(number);
  std::string made;
  for (const NumberPiece& piece : format.pieces) {
    switch (piece.item) {
      case NumberItem::kRoman: {
        std::string shown = format.is_bare ? roman : fmt::format("{:>{}}", roman, kRomanWidth);
        if (piece.is_small) {
          std::transform(shown.begin(), shown.end(), shown.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
        }
        made += shown;
        break;
      }
      case NumberItem::kCharacter:
        made += piece.text;
        break;
      case NumberItem::kComma:
      case NumberItem::kGroup:
      case NumberItem::kMinus:
      case NumberItem::kPlus:
        made += format.is_bare ? "" : " ";
        break;
      case NumberItem::kCurrency:
        made += ' ';
        break;
      case NumberItem::kSign:
        return made;  // A sign that there is not ends PostgreSQL's text.
      default:
        break;
    }
  }
  return made;
}

// ---- numbers of each kind ----

Result<Value> finished(Result<std::string> written) {
  if (!written) {
    return written.error();
  }
  std::string& made = *written;
  return made.size() <= kStringLengthMax ? Result<Value>(Value(std::move(made))) : too_long();
}

Shown shown(std::string digits, int behind) {
  const bool is_negative = digits.starts_with('-');
  digits.erase(0, is_negative ? 1 : 0);
  return {std::move(digits), is_negative, behind};
}

Shown shown(const Decimal& value, const NumberTemplate& format) {
  Decimal moved = value;
  moved.unscaled *= power_of_ten(static_cast<uint32_t>(format.shift));
  return shown(format_decimal(rescale(moved, format.behind)), format.behind);
}

/// " 1.23e+05": of the digits that the template has behind its point.
std::string with_exponent(const Decimal& value, int behind) {
  if (value.unscaled.is_zero()) {
    return fmt::format(" {}e+00", format_decimal({0, behind}));
  }
  const BigInt magnitude = boost::multiprecision::abs(value.unscaled);
  const int exponent = static_cast<int>(magnitude.str().size()) - 1 - value.scale;
  // The exponent stays what it is where the first digit is rounded up to ten.
  Decimal mantissa{magnitude, value.scale};
  mantissa.scale += exponent;
  if (mantissa.scale < 0) {
    mantissa = {mantissa.unscaled * power_of_ten(static_cast<uint32_t>(-mantissa.scale)), 0};
  }
  return fmt::format("{}{}e{}{:02}", value.unscaled < 0 ? "-" : " ", format_decimal(rescale(mantissa, behind)),
                     exponent < 0 ? "-" : "+", std::abs(exponent));
}

Result<Value> numeric_written(const Decimal& value, const NumberTemplate& format) {
  if (format.is_roman) {
    const Decimal whole = rescale(value, 0);
    if (whole.unscaled < std::numeric_limits<int32_t>::min() || whole.unscaled > std::numeric_limits<int32_t>::max()) {
      return out_of_range(Type{TypeKind::kInt});
    }
    return finished(written_roman(format, static_cast<int64_t>(whole.unscaled)));
  }
  return finished(format.has_exponent ? Result<std::string>(with_exponent(value, format.behind))
                                      : Writer(format, shown(value, format)).written());
}

template <TypeKind kKind>
Result<Value> integer_written(int64_t value, const NumberTemplate& format) {
  if (format.is_roman) {
    const Result<Value> number = fit_integer(TypeKind::kInt, value);
    return number ? finished(written_roman(format, value)) : number;
  }
  if (format.has_exponent) {
    return finished(with_exponent({BigInt(value), 0}, format.behind));
  }
  if (format.is_shifted) {
    const IntegerRange range = integer_range(kKind);
    const BigInt moved = BigInt(value) * power_of_ten(static_cast<uint32_t>(format.shift));
    if (moved < range.low || moved > range.high) {
      return out_of_range(Type{kKind});
    }
  }
  return finished(Writer(format, shown(Decimal{BigInt(value), 0}, format)).written());
}

std::string as_decimal(double value, int behind) {
  if (std::isnan(value)) {
    return "NaN";
  }
  return std::isinf(value) ? value < 0 ? "-Infinity" : "Infinity" : fmt::format("{:.{}f}", value, behind);
}

/// A floating number shows as many digits as its type holds, and none behind them.
template <typename Number>
Result<Value> floating_written(double value, const NumberTemplate& format) {
  constexpr int kDigits = std::numeric_limits<Number>::digits10;
  if (format.is_roman) {
    const double whole = std::rint(value);
    return finished(written_roman(format, whole >= 1 && whole < 4'000 ? static_cast<int64_t>(whole) : 0));
  }
  if (format.has_exponent) {
    if (!std::isfinite(value)) {
      std::string hashes(static_cast<size_t>(format.before + format.behind + 6), '#');
      hashes.front() = ' ';
      hashes[static_cast<size_t>(format.before) + 1] = '.';
      return finished(std::move(hashes));
    }
    return finished(fmt::format("{: .{}e}", value, format.behind));
  }
  value = static_cast<double>(static_cast<Number>(value * std::pow(10.0, format.shift)));
  const int before = static_cast<int>(as_decimal(std::fabs(value), 0).size());
  const int behind = before >= kDigits ? 0 : std::min(format.behind, kDigits - before);
  return finished(Writer(format, shown(as_decimal(value, behind), behind)).written());
}

template <TypeKind kKind>
Result<Value> number_as_text(Arguments arguments, const BoundExpression&) {
  const std::string& given = text(arguments[1]);
  if (given.empty()) {
    return Value(std::string());
  }
  const Result<NumberTemplate> format = number_template_of(given);
  if (!format) {
    return format.error();
  }
  if constexpr (kKind == TypeKind::kNumeric) {
    return numeric_written(decimal(arguments[0]), *format);
  } else if constexpr (kKind == TypeKind::kReal) {
    return floating_written<float>(floating(arguments[0]), *format);
  } else if constexpr (kKind == TypeKind::kDouble) {
    return floating_written<double>(floating(arguments[0]), *format);
  } else {
    return integer_written<kKind>(integer(arguments[0]), *format);
  }
}

}  // namespace

void add_number_text(Functions& functions) {
  Adder adder(functions);
  adder.start(1361);
  adder.add("to_char", {TypeKind::kNumeric, kText}, kText, number_as_text<TypeKind::kNumeric>);
  adder.is_stable();
  adder.add("to_char", {TypeKind::kInt, kText}, kText, number_as_text<TypeKind::kInt>);
  adder.is_stable();
  adder.add("to_char", {TypeKind::kBigint, kText}, kText, number_as_text<TypeKind::kBigint>);
  adder.is_stable();
  adder.add("to_char", {TypeKind::kReal, kText}, kText, number_as_text<TypeKind::kReal>);
  adder.is_stable();
  adder.add("to_char", {TypeKind::kDouble, kText}, kText, number_as_text<TypeKind::kDouble>);
  adder.is_stable();
}

}  // namespace daedalus::semantics::scalar
