// Templates of numbers, as to_char() and to_number() take them: patterns, and everything else, which stands for itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "daedalus/base/result.hpp"
#include "template_text.hpp"

namespace daedalus::semantics::scalar {

enum class NumberItem : uint8_t {
  kCharacter,  ///< No pattern: it stands for itself.
  kComma,
  kPoint,
  kZero,
  kNine,
  kBlank,
  kIgnored,  ///< C and SP, which PostgreSQL reads and does nothing with.
  kLocalPoint,
  kExponent,
  kFill,
  kGroup,
  kCurrency,
  kMinus,
  kPlus,
  kAngles,
  kRoman,
  kSign,
  kLocalSign,
  kOrdinal,
  kShift,
};

struct NumberPiece {
  NumberItem item;
  std::string_view text;  ///< As it stands in the template, which has to outlive it.
  bool is_small = false;
};

/// A template piece by piece; it has to outlive them.
class NumberPieces {
 public:
  explicit NumberPieces(std::string_view text) : text_(text) {}

  /// Nothing: there are no more.
  [[nodiscard]] std::optional<NumberPiece> next();

 private:
  TemplateText text_;
};

/// S stands at one of these places.
enum class SignPlace : uint8_t { kNone, kBefore, kBehind };

/// A number's template says what its pieces come to, and where they are to be read again.
struct NumberTemplate {
  std::string_view text;
  int before = 0;      ///< Digits before the point,
  int behind = 0;      ///< and behind it.
  int shift = 0;       ///< Digits behind V: so many powers of ten.
  int zero_first = 0;  ///< The place of the first 0, from 0;
  int zero_last = 0;   ///< of the last one, from 1.
  int sign_after = 0;  ///< Digits before S.
  SignPlace sign = SignPlace::kNone;
  bool has_point = false;
  bool has_zero = false;
  bool is_bare = false;  ///< FM
  bool has_minus = false;
  bool has_plus = false;
  bool has_angles = false;
  bool is_roman = false;
  bool is_shifted = false;
  bool has_exponent = false;
  bool is_blank = false;

  [[nodiscard]] NumberPieces pieces() const { return NumberPieces(text); }
};

/// Reads the template that a text says, which has to outlive it. Error 42601: patterns that do not go together.
[[nodiscard]] Result<NumberTemplate> number_template_of(std::string_view text);

/// "th" and its like behind a number's digits.
[[nodiscard]] std::string_view ordinal_of(std::string_view number);

}  // namespace daedalus::semantics::scalar
