#include "number_template.hpp"

namespace daedalus::semantics::scalar {
namespace {

struct NumberPattern {
  std::string_view name;
  NumberItem item;
};

/// In capitals; each may be written in small letters throughout, and in no other way. Ascending by their first letters;
/// of those with the same beginning the first that fits is meant.
constexpr NumberPattern kNumberPatterns[] = {
    {",", NumberItem::kComma},      {".", NumberItem::kPoint},       {"0", NumberItem::kZero},
    {"9", NumberItem::kNine},       {"B", NumberItem::kBlank},       {"C", NumberItem::kIgnored},
    {"D", NumberItem::kLocalPoint}, {"EEEE", NumberItem::kExponent}, {"FM", NumberItem::kFill},
    {"G", NumberItem::kGroup},      {"L", NumberItem::kCurrency},    {"MI", NumberItem::kMinus},
    {"PL", NumberItem::kPlus},      {"PR", NumberItem::kAngles},     {"RN", NumberItem::kRoman},
    {"SG", NumberItem::kSign},      {"SP", NumberItem::kIgnored},    {"S", NumberItem::kLocalSign},
    {"TH", NumberItem::kOrdinal},   {"V", NumberItem::kShift},
};

constexpr PatternTable kNumberTable(kNumberPatterns);

Error wrong_template(std::string_view text) { return rejected("42601", std::string(text)); }

/// Reads pieces one after the other, and knows what may not follow what.
class TemplateReader {
 public:
  Result<NumberTemplate> read(std::string_view text) {
    made_.text = text;
    NumberPieces pieces(text);
    while (const std::optional<NumberPiece> piece = pieces.next()) {
      if (piece->item == NumberItem::kCharacter) {
        continue;
      }
      if (const auto admitted = admit(piece->item); !admitted) {
        return admitted.error();
      }
    }
    return made_;
  }

 private:
  Result<void> admit(NumberItem item) {
    if (made_.has_exponent && item != NumberItem::kExponent) {
      return wrong_template("\"EEEE\" must be the last pattern used");
    }
    switch (item) {
      case NumberItem::kNine:
      case NumberItem::kZero:
        return admit_digit(item == NumberItem::kZero);
      case NumberItem::kPoint:
      case NumberItem::kLocalPoint:
        return admit_point();
      case NumberItem::kBlank:
        made_.is_blank = made_.is_blank || (made_.before == 0 && made_.behind == 0 && !made_.has_zero);
        return {};
      case NumberItem::kFill:
        made_.is_bare = true;
        return {};
      case NumberItem::kRoman:
        made_.is_roman = true;
        return {};
      case NumberItem::kShift:
        if (made_.has_point) {
          return wrong_template("cannot use \"V\" and decimal point together");
        }
        made_.is_shifted = true;
        return {};
      case NumberItem::kExponent:
        return admit_exponent();
      default:
        return admit_sign(item);
    }
  }

  Result<void> admit_digit(bool is_zero) {
    if (made_.has_angles) {
      return wrong_template(is_zero ? "\"0\" must be ahead of \"PR\"" : "\"9\" must be ahead of \"PR\"");
    }
    if (is_zero && !made_.has_zero && !made_.has_point) {
      made_.has_zero = true;
      made_.zero_first = made_.before;
    }
    int& count = !is_zero && made_.is_shifted ? made_.shift : made_.has_point ? made_.behind : made_.before;
    ++count;
    if (is_zero) {
      made_.zero_last = made_.before + made_.behind;
    }
    return {};
  }

  Result<void> admit_point() {
    if (made_.has_point) {
      return wrong_template("multiple decimal points");
    }
    if (made_.is_shifted) {
      return wrong_template("cannot use \"V\" and decimal point together");
    }
    made_.has_point = true;
    return {};
  }

  Result<void> admit_exponent() {
    if (made_.has_exponent) {
      return wrong_template("cannot use \"EEEE\" twice");
    }
    if (made_.is_blank || made_.is_bare || made_.sign != SignPlace::kNone || made_.has_angles || made_.has_minus ||
        made_.has_plus || made_.is_roman || made_.is_shifted) {
      return wrong_template("\"EEEE\" is incompatible with other formats");
    }
    made_.has_exponent = true;
    return {};
  }

  Result<void> admit_sign(NumberItem item) {
    const bool has_sign = made_.sign != SignPlace::kNone;
    switch (item) {
      case NumberItem::kLocalSign:
        return admit_local_sign();
      case NumberItem::kMinus:
      case NumberItem::kPlus:
      case NumberItem::kSign:
        if (has_sign) {
          return wrong_template(item == NumberItem::kMinus  ? "cannot use \"S\" and \"MI\" together"
                                : item == NumberItem::kPlus ? "cannot use \"S\" and \"PL\" together"
                                                            : "cannot use \"S\" and \"SG\" together");
        }
        made_.has_minus = made_.has_minus || item != NumberItem::kPlus;
        made_.has_plus = made_.has_plus || item != NumberItem::kMinus;
        return {};
      case NumberItem::kAngles:
        if (has_sign || made_.has_plus || made_.has_minus) {
          return wrong_template("cannot use \"PR\" and \"S\"/\"PL\"/\"MI\"/\"SG\" together");
        }
        made_.has_angles = true;
        return {};
      default:
        return {};
    }
  }

  Result<void> admit_local_sign() {
    if (made_.sign != SignPlace::kNone) {
      return wrong_template("cannot use \"S\" twice");
    }
    if (made_.has_plus || made_.has_minus || made_.has_angles) {
      return wrong_template("cannot use \"S\" and \"PL\"/\"MI\"/\"SG\"/\"PR\" together");
    }
    made_.sign = made_.has_point ? SignPlace::kBehind : SignPlace::kBefore;
    made_.sign_after = made_.before;
    return {};
  }

  NumberTemplate made_;
};

}  // namespace

std::optional<NumberPiece> NumberPieces::next() {
  if (const std::optional<std::string_view> quoted = text_.take_quoted()) {
    return NumberPiece{NumberItem::kCharacter, *quoted};
  }
  if (text_.empty()) {
    return std::nullopt;
  }
  const char first = text_.left().front();
  for (const NumberPattern& pattern : kNumberTable.from(first)) {
    if (is_next(text_.left(), pattern.name, is_lower(first))) {
      return NumberPiece{pattern.item, text_.take(pattern.name.size()), is_lower(first)};
    }
  }
  return NumberPiece{NumberItem::kCharacter, text_.take_unquoted()};
}

Result<NumberTemplate> number_template_of(std::string_view text) { return TemplateReader().read(text); }

std::string_view ordinal_of(std::string_view number) {
  const bool is_teen = number.size() > 1 && number[number.size() - 2] == '1';
  switch (is_teen ? '0' : number.back()) {
    case '1':
      return "st";
    case '2':
      return "nd";
    case '3':
      return "rd";
    default:
      return "th";
  }
}

}  // namespace daedalus::semantics::scalar
