// to_number(): the digits that a template finds in a text, as PostgreSQL's formatting.c does under the C locale.
#include <fmt/format.h>

#include <algorithm>

#include "adder.hpp"
#include "characters.hpp"
#include "daedalus/semantics/characters.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/text.hpp"
#include "number_template.hpp"

namespace daedalus::semantics::scalar {
namespace {

using enum TypeKind;

/// Reads along a template, pattern by pattern. Each passes a byte, unless it says otherwise.
class NumberReader {
 public:
  /// room: an empty text, which it writes to.
  NumberReader(std::string_view text, const NumberTemplate& format, std::string room)
      : text_(text), format_(format), digits_(std::move(room)) {
    const bool has_signs = format.has_plus || format.has_minus;
    const bool is_behind = format.sign == SignPlace::kBefore && format.before + format.shift == format.sign_after;
    sign_place_ = !has_signs && is_behind ? SignPlace::kBehind : format.sign;
  }

  std::string read() {
    digits_ = sign_;
    NumberPieces pieces = format_.pieces();
    for (auto piece = pieces.next(); piece && !is_at_end(); piece = pieces.next()) {
      if (piece->item == NumberItem::kCharacter) {
        pass_character();
      } else if (take(piece->item)) {
        ++at_;
      }
    }
    if (digits_.ends_with('.')) {
      digits_.pop_back();
    }
    digits_.front() = sign_;
    return std::move(digits_);
  }

  [[nodiscard]] int digits_behind() const { return behind_; }

 private:
  [[nodiscard]] bool is_at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] char here() const { return is_at_end() ? '\0' : text_[at_]; }
  [[nodiscard]] bool has_digits() const { return before_ + behind_ > 0; }

  /// A pattern may have passed a character's first byte only.
  void pass_character() { at_ += is_first_byte(here()) ? character_size(here()) : 1; }

  /// Says whether a byte passes.
  bool take(NumberItem item) {
    switch (item) {
      case NumberItem::kNine:
      case NumberItem::kZero:
      case NumberItem::kPoint:
      case NumberItem::kLocalPoint:
        take_digit(item);
        return true;
      case NumberItem::kComma:
      case NumberItem::kGroup:
        // PostgreSQL knows of no digit before it here, so that FM makes it nothing.
        return !format_.is_bare && here() == ',';
      case NumberItem::kCurrency:
        return pass(1);
      case NumberItem::kOrdinal:
        return format_.is_roman || sign_ == '-' || format_.has_point ? false : pass(2);
      case NumberItem::kMinus:
        return take_sign(here() == '-');
      case NumberItem::kPlus:
        return take_sign(here() == '+');
      case NumberItem::kSign:
        return take_sign(here() == '-' || here() == '+');
      default:
        return false;
    }
  }

  bool take_sign(bool is_there) {
    if (is_there) {
      sign_ = here();
      return true;
    }
    return pass(1);
  }

  /// Up to so many characters that are no part of a number.
  bool pass(int count) {
    for (; count > 0 && !is_at_end() && std::string_view("0123456789.,+-").find(here()) == std::string_view::npos;
         --count) {
      pass_character();
    }
    return false;
  }

  void take_digit(NumberItem item) {
    at_ += here() == ' ' ? 1 : 0;
    if (is_at_end()) {
      return;
    }
    if (sign_ == ' ' && (item == NumberItem::kZero || item == NumberItem::kNine) && !has_digits()) {
      take_first_sign();
    }
    if (is_at_end()) {
      return;
    }
    bool is_read = false;
    if (is_digit(here())) {
      if (has_point_ && behind_ == format_.behind) {
        return;
      }
      digits_ += here();
      ++(has_point_ ? behind_ : before_);
      is_read = true;
    } else if (format_.has_point && !has_point_ && here() == '.') {
      digits_ += '.';
      has_point_ = true;
      is_read = true;
    }
    if (!is_at_end() && sign_ == ' ' && has_digits()) {
      take_last_sign(is_read);
    }
  }

  void take_first_sign() {
    if (format_.sign != SignPlace::kNone && sign_place_ == SignPlace::kBefore) {
      if (here() == '-' || here() == '+') {
        sign_ = here();
        ++at_;
      }
    } else if (here() == '-' || (format_.has_angles && here() == '<')) {
      sign_ = '-';
      ++at_;
    } else if (here() == '+') {
      sign_ = '+';
      ++at_;
    }
  }

  void take_last_sign(bool is_read) {
    if (format_.sign != SignPlace::kNone) {
      if (is_read && at_ + 1 < text_.size() && !is_digit(text_[at_ + 1])) {
        const char next = text_[at_ + 1];
        if (next == '-' || next == '+') {
          sign_ = next;
          ++at_;
        }
      }
    } else if (!is_read && (format_.has_plus || format_.has_minus) && (here() == '-' || here() == '+')) {
      sign_ = here();
    }
  }

  std::string_view text_;
  const NumberTemplate& format_;
  SignPlace sign_place_;
  size_t at_ = 0;
  char sign_ = ' ';
  std::string digits_;  ///< Behind the sign.
  int before_ = 0;
  int behind_ = 0;
  bool has_point_ = false;
};

Result<Value> to_number(Arguments arguments, const BoundExpression&) {
  const std::string& given = text(arguments[1]);
  if (given.empty()) {
    return Value();
  }
  const Result<NumberTemplate> format = number_template_of(given);
  if (!format) {
    return format.error();
  }
  if (format->has_exponent) {
    return rejected("0A000", "\"EEEE\" not supported for input");
  }
  if (format->is_roman) {
    return rejected("0A000", "\"RN\" not supported for input");
  }
  NumberReader reader(text(arguments[0]), *format, arguments.spare_text());
  std::string digits = reader.read();
  const Result<Value> read = parse_text(Type{kNumeric}, digits);
  arguments.give_back(std::move(digits));
  if (!read) {
    return read;
  }
  const Decimal value = rescale(decimal(*read), reader.digits_behind());
  const auto precision = static_cast<uint32_t>(format->before + format->shift + reader.digits_behind());
  if (!fits_precision(value, precision)) {
    return rejected("22003", "numeric field overflow");
  }
  if (!format->is_shifted) {
    return Value(value);
  }
  // PostgreSQL multiplies with a power of ten of so many digits, whatever it comes to.
  constexpr int32_t kShiftDigits = 16;
  return fit_numeric(multiply(value, rescale({1, format->shift}, kShiftDigits)));
}

}  // namespace

void add_text_numbers(Functions& functions) {
  Adder adder(functions);
  adder.add(1620, "to_number", {kText, kText}, kNumeric, to_number);
  adder.is_stable();
  adder.may_be_null();
}

}  // namespace daedalus::semantics::scalar
