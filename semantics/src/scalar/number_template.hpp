// Templates of numbers, as to_char() and to_number() take them: patterns, and everything else, which stands for itself.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "daedalus/base/result.hpp"

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

/// Where S stands.
enum class SignPlace : uint8_t { kNone, kBefore, kBehind };

struct NumberTemplate {
  std::vector<NumberPiece> pieces;
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
};

/// Error 42601: patterns that do not go together.
[[nodiscard]] Result<NumberTemplate> number_template_of(std::string_view text);

/// "th" and its like behind a number's digits.
[[nodiscard]] std::string_view ordinal_of(std::string_view number);

}  // namespace daedalus::semantics::scalar
