// to_char() of numbers: what a template makes of their digits, as PostgreSQL's formatting.c does under the C locale:
// the point is a point, digits are grouped by commas, and the currency is a blank.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <optional>
#include <string>

#include "adder.hpp"
#include "characters.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "decimal_digits.hpp"
#include "number_template.hpp"
#include "text_parts.hpp"

namespace daedalus::semantics::scalar {
namespace {

using enum TypeKind;
constexpr size_t kRomanWidth = 15;

/// A number's digits as a template shows them: at least one before the point, or # for what has no room.
struct ShownNumber {
  /// Shows digits behind a sign, if there is one.
  ShownNumber(std::string signed_digits, int digits_behind)
      : digits(std::move(signed_digits)), is_negative(digits.starts_with('-')), behind(digits_behind) {
    digits.erase(0, is_negative ? 1 : 0);
  }

  std::string digits;
  bool is_negative;
  int behind;  ///< Digits behind the point: floating numbers show fewer than the template has.
};

// ---- a template, digit by digit ----

/// Writes to a text of what is lent to the call, and gives the digits' text back.
class NumberWriter {
 public:
  NumberWriter(const NumberTemplate& format, ShownNumber shown, Arguments lent)
      : format_(format),
        digits_(std::move(shown.digits)),
        is_negative_(shown.is_negative),
        behind_(shown.behind),
        lent_(lent),
        made_(lent.spare_text()) {
    const size_t point = digits_.find('.');
    const int room = format.before + format.shift;
    const int count = static_cast<int>(point == std::string::npos ? digits_.size() : point);
    lead_ = std::max(room - count, 0);
    if (count > room) {
      digits_.assign(static_cast<size_t>(room + behind_ + 1), '#');
      digits_[static_cast<size_t>(room)] = '.';
    }
    settle_sign();
    settle_last_digit();
    places_ = behind_ + room - 1 + (!is_signed_ && lead_ == 0 ? 1 : 0);
  }
  ~NumberWriter() { lent_.give_back(std::move(digits_)); }
  NumberWriter(const NumberWriter&) = delete;
  NumberWriter& operator=(const NumberWriter&) = delete;

  Result<Value> written() {
    const bool is_ordinal = digits_.front() != '#' && !is_negative_ && !format_.has_point;
    NumberPieces pieces = format_.pieces();
    for (auto piece = pieces.next(); piece && !is_cut_; piece = pieces.next()) {
      if (piece->item == NumberItem::kOrdinal && is_ordinal && !is_digit(digits_.back())) {
        return rejected("22P02", fmt::format("\"{}\" is not a number", digits_));
      }
      put(*piece);
    }
    return fit_text(std::move(made_));
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
    for (const char c : ordinal_of(digits_)) {
      made_ += is_small ? c : to_upper(c);
    }
  }

  [[nodiscard]] bool is_zero_place() const { return format_.has_zero && format_.zero_first <= place_; }
  [[nodiscard]] bool is_last_point() const { return last_ && digits_[*last_] == '.'; }
  /// Says whether the digit at hand is the 0 before a point that a template without 0 shows as a blank.
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
  Arguments lent_;
  int lead_ = 0;    ///< Places before the first digit.
  int places_ = 0;  ///< The number of the last one.
  int place_ = 0;
  size_t next_ = 0;             ///< It counts among the digits and the point.
  std::optional<size_t> last_;  ///< The last that FM leaves.
  SignPlace sign_ = SignPlace::kNone;
  bool is_signed_ = false;  ///< Its sign is written, or needs not be.
  bool has_angles_ = false;
  bool is_inside_ = false;  ///< A digit came just before.
  bool is_cut_ = false;     ///< A place is left that has no digit: PostgreSQL's text ends there, whatever follows.
  std::string made_;
};

void append_roman(int64_t number, std::string& out) {
  struct Numeral {
    int value;
    std::string_view letters;
  };
  constexpr Numeral kNumerals[] = {{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"},
                                   {40, "XL"},  {10, "X"},   {9, "IX"},  {5, "V"},    {4, "IV"},  {1, "I"}};
  constexpr int64_t kRomanMax = 3'999;
  if (number < 1 || number > kRomanMax) {
    out.append(kRomanWidth, '#');
    return;
  }
  for (const auto& [value, letters] : kNumerals) {
    for (; number >= value; number -= value) {
      out += letters;
    }
  }
}

/// One numeral, blanks before it unless the template has FM.
void append_roman(int64_t number, const NumberTemplate& format, bool is_small, std::string& out) {
  const size_t begin = out.size();
  append_roman(number, out);
  const size_t size = out.size() - begin;
  out.insert(begin, format.is_bare ? 0 : kRomanWidth - size, ' ');
  if (is_small) {
    std::transform(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(),
                   out.begin() + static_cast<std::ptrdiff_t>(begin), to_lower);
  }
}

/// RN among other patterns: they show nothing but what does not hang on digits.
Result<Value> written_roman(const NumberTemplate& format, int64_t number, std::string made) {
  NumberPieces pieces = format.pieces();
  while (const std::optional<NumberPiece> piece = pieces.next()) {
    switch (piece->item) {
      case NumberItem::kRoman:
        append_roman(number, format, piece->is_small, made);
        break;
      case NumberItem::kCharacter:
        made += piece->text;
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
        return fit_text(std::move(made));  // A sign that there is not ends PostgreSQL's text.
      default:
        break;
    }
  }
  return fit_text(std::move(made));
}

// ---- numbers of each kind ----

/// So many digits before the point as it has, as many behind it as the template has.
Result<Value> written_in_digits(const Decimal& value, const NumberTemplate& format, Arguments lent) {
  const Decimal moved =
      format.shift == 0 ? value : multiply(value, {power_of_ten(static_cast<uint32_t>(format.shift)), 0});
  std::string digits = lent.spare_text();
  append_decimal(rescale(moved, format.behind), digits);
  return NumberWriter(format, ShownNumber(std::move(digits), format.behind), lent).written();
}

/// " 1.23e+05": of the digits that the template has behind its point.
Result<Value> written_with_exponent(const Decimal& value, int behind, std::string made) {
  const bool is_zero = value.unscaled.is_zero();
  const int exponent = is_zero ? 0 : static_cast<int>(DecimalDigits(value.unscaled).size()) - 1 - value.scale;
  // The exponent stays what it is where the first digit is rounded up to ten.
  Decimal mantissa{BigInt(boost::multiprecision::abs(value.unscaled)), is_zero ? 0 : value.scale + exponent};
  if (mantissa.scale < 0) {
    mantissa = {mantissa.unscaled * power_of_ten(static_cast<uint32_t>(-mantissa.scale)), 0};
  }
  made += value.unscaled < 0 ? '-' : ' ';
  append_decimal(rescale(mantissa, behind), made);
  fmt::format_to(std::back_inserter(made), "e{}{:02}", exponent < 0 ? "-" : "+", std::abs(exponent));
  return fit_text(std::move(made));
}

Result<Value> numeric_written(const Decimal& value, const NumberTemplate& format, Arguments lent) {
  if (format.is_roman) {
    const Decimal whole = rescale(value, 0);
    if (whole.unscaled < std::numeric_limits<int32_t>::min() || whole.unscaled > std::numeric_limits<int32_t>::max()) {
      return out_of_range(Type{TypeKind::kInt});
    }
    return written_roman(format, static_cast<int64_t>(whole.unscaled), lent.spare_text());
  }
  return format.has_exponent ? written_with_exponent(value, format.behind, lent.spare_text())
                             : written_in_digits(value, format, lent);
}

template <TypeKind kKind>
Result<Value> integer_written(int64_t value, const NumberTemplate& format, Arguments lent) {
  if (format.is_roman) {
    const Result<Value> number = fit_integer(TypeKind::kInt, value);
    return number ? written_roman(format, value, lent.spare_text()) : number;
  }
  const Decimal whole{BigInt(value), 0};
  if (format.has_exponent) {
    return written_with_exponent(whole, format.behind, lent.spare_text());
  }
  if (format.is_shifted) {
    const IntegerRange range = integer_range(kKind);
    const BigInt moved = whole.unscaled * power_of_ten(static_cast<uint32_t>(format.shift));
    if (moved < range.low || moved > range.high) {
      return out_of_range(Type{kKind});
    }
  }
  return written_in_digits(whole, format, lent);
}

std::string as_decimal(double value, int behind, std::string room) {
  if (std::isnan(value)) {
    room = "NaN";
  } else if (std::isinf(value)) {
    room = value < 0 ? "-Infinity" : "Infinity";
  } else {
    fmt::format_to(std::back_inserter(room), "{:.{}f}", value, behind);
  }
  return room;
}

Result<Value> hashes_with_exponent(const NumberTemplate& format) {
  std::string hashes(static_cast<size_t>(format.before + format.behind + 6), '#');
  hashes.front() = ' ';
  hashes[static_cast<size_t>(format.before) + 1] = '.';
  return fit_text(std::move(hashes));
}

/// A floating number shows as many digits as its type holds, and none behind them.
template <typename Number>
Result<Value> floating_written(double value, const NumberTemplate& format, Arguments lent) {
  constexpr int kDigits = std::numeric_limits<Number>::digits10;
  if (format.is_roman) {
    const double whole = std::rint(value);
    return written_roman(format, whole >= 1 && whole < 4'000 ? static_cast<int64_t>(whole) : 0, lent.spare_text());
  }
  if (format.has_exponent) {
    if (!std::isfinite(value)) {
      return hashes_with_exponent(format);
    }
    std::string made = lent.spare_text();
    fmt::format_to(std::back_inserter(made), "{: .{}e}", value, format.behind);
    return fit_text(std::move(made));
  }
  value = static_cast<double>(static_cast<Number>(value * std::pow(10.0, format.shift)));
  std::string room = as_decimal(std::fabs(value), 0, lent.spare_text());
  const auto before = static_cast<int>(room.size());
  const int behind = before >= kDigits ? 0 : std::min(format.behind, kDigits - before);
  room.clear();
  return NumberWriter(format, ShownNumber(as_decimal(value, behind, std::move(room)), behind), lent).written();
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
    return numeric_written(decimal(arguments[0]), *format, arguments);
  } else if constexpr (kKind == TypeKind::kReal) {
    return floating_written<float>(floating(arguments[0]), *format, arguments);
  } else if constexpr (kKind == TypeKind::kDouble) {
    return floating_written<double>(floating(arguments[0]), *format, arguments);
  } else {
    return integer_written<kKind>(integer(arguments[0]), *format, arguments);
  }
}

/// Gives the type of all that a constant template can come to: a byte for each of its own, but for numerals; and signs,
/// a first digit and an exponent that it does not spell.
Type type_of_number_text(Expressions arguments) {
  const BoundExpression& format = arguments[1];
  if (!format.is_constant() || is_null(format.value)) {
    return text_of(kStringLengthMax);
  }
  constexpr uint64_t kUnspelled = 10;
  uint64_t size = kUnspelled;
  NumberPieces pieces(text(format.value));
  while (const std::optional<NumberPiece> piece = pieces.next()) {
    size += piece->item == NumberItem::kRoman ? kRomanWidth : piece->text.size();
  }
  return text_of(size);
}

}  // namespace

void add_number_text(Functions& functions) {
  Adder adder(functions);
  adder.add(1361, "to_char", {TypeKind::kNumeric, kText}, kText, number_as_text<TypeKind::kNumeric>,
            type_of_number_text);
  adder.is_stable();
  adder.add(1362, "to_char", {TypeKind::kInt, kText}, kText, number_as_text<TypeKind::kInt>, type_of_number_text);
  adder.is_stable();
  adder.add(1363, "to_char", {TypeKind::kBigint, kText}, kText, number_as_text<TypeKind::kBigint>, type_of_number_text);
  adder.is_stable();
  adder.add(1364, "to_char", {TypeKind::kReal, kText}, kText, number_as_text<TypeKind::kReal>, type_of_number_text);
  adder.is_stable();
  adder.add(1365, "to_char", {TypeKind::kDouble, kText}, kText, number_as_text<TypeKind::kDouble>, type_of_number_text);
  adder.is_stable();
}

}  // namespace daedalus::semantics::scalar
