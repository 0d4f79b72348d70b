#include "number_template.hpp"

#include <algorithm>
#include <array>

#include "daedalus/semantics/characters.hpp"

namespace daedalus::semantics::scalar {
namespace {

struct Pattern {
  std::string_view name;
  NumberItem item;
};

/// In capitals; each may be written in small letters throughout, and in no other way. Of those with the same beginning
/// the first that fits is meant.
constexpr Pattern kPatterns[] = {
    {",", NumberItem::kComma},      {".", NumberItem::kPoint},       {"0", NumberItem::kZero},
    {"9", NumberItem::kNine},       {"B", NumberItem::kBlank},       {"C", NumberItem::kIgnored},
    {"D", NumberItem::kLocalPoint}, {"EEEE", NumberItem::kExponent}, {"FM", NumberItem::kFill},
    {"G", NumberItem::kGroup},      {"L", NumberItem::kCurrency},    {"MI", NumberItem::kMinus},
    {"PL", NumberItem::kPlus},      {"PR", NumberItem::kAngles},     {"RN", NumberItem::kRoman},
    {"SG", NumberItem::kSign},      {"SP", NumberItem::kIgnored},    {"S", NumberItem::kLocalSign},
    {"TH", NumberItem::kOrdinal},   {"V", NumberItem::kShift},
};

bool is_small(char c) { return c >= 'a' && c <= 'z'; }
char lowered(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool begins_with(std::string_view text, std::string_view name) {
  if (text.size() < name.size()) {
    return false;
  }
  const bool are_small = is_small(text.front());
  return std::equal(name.begin(), name.end(), text.begin(),
                    [&](char wanted, char c) { return c == (are_small ? lowered(wanted) : wanted); });
}

Error wrong(std::string_view text) { return rejected("42601", std::string(text)); }

/// Reads pieces one after the other, and knows what may not follow what.
class Reader {
 public:
  Result<NumberTemplate> read(std::string_view text) {
    while (!text.empty()) {
      const auto* found = std::find_if(std::begin(kPatterns), std::end(kPatterns),
                                       [&](const Pattern& pattern) { return begins_with(text, pattern.name); });
      if (found != std::end(kPatterns)) {
        const std::string_view spelled = text.substr(0, found->name.size());
        made_.pieces.push_back({found->item, spelled, is_small(text.front())});
        text.remove_prefix(spelled.size());
        if (const auto admitted = admit(found->item); !admitted) {
          return admitted.error();
        }
      } else if (text.front() == '"') {
        take_quoted(text);
      } else {
        text.remove_prefix(text.starts_with("\\\"") ? 1 : 0);
        take_character(text);
      }
    }
    return std::move(made_);
  }

 private:
  void take_character(std::string_view& text) {
    const size_t size = std::min(character_size(text.front()), text.size());
    made_.pieces.push_back({NumberItem::kCharacter, text.substr(0, size)});
    text.remove_prefix(size);
  }

  void take_quoted(std::string_view& text) {
    text.remove_prefix(1);
    while (!text.empty() && text.front() != '"') {
      text.remove_prefix(text.front() == '\\' && text.size() > 1 ? 1 : 0);
      take_character(text);
    }
    text.remove_prefix(text.empty() ? 0 : 1);
  }

  Result<void> admit(NumberItem item) {
    if (made_.has_exponent && item != NumberItem::kExponent) {
      return wrong("\"EEEE\" must be the last pattern used");
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
          return wrong("cannot use \"V\" and decimal point together");
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
      return wrong(is_zero ? "\"0\" must be ahead of \"PR\"" : "\"9\" must be ahead of \"PR\"");
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
      return wrong("multiple decimal points");
    }
    if (made_.is_shifted) {
      return wrong("cannot use \"V\" and decimal point together");
    }
    made_.has_point = true;
    return {};
  }

  Result<void> admit_exponent() {
    if (made_.has_exponent) {
      return wrong("cannot use \"EEEE\" twice");
    }
    if (made_.is_blank || made_.is_bare || made_.sign != SignPlace::kNone || made_.has_angles || made_.has_minus ||
        made_.has_plus || made_.is_roman || made_.is_shifted) {
      return wrong("\"EEEE\" is incompatible with other formats");
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
          return wrong(item == NumberItem::kMinus  ? "cannot use \"S\" and \"MI\" together"
                       : item == NumberItem::kPlus ? "cannot use \"S\" and \"PL\" together"
                                                   : "cannot use \"S\" and \"SG\" together");
        }
        made_.has_minus = made_.has_minus || item != NumberItem::kPlus;
        made_.has_plus = made_.has_plus || item != NumberItem::kMinus;
        return {};
      case NumberItem::kAngles:
        if (has_sign || made_.has_plus || made_.has_minus) {
          return wrong("cannot use \"PR\" and \"S\"/\"PL\"/\"MI\"/\"SG\" together");
        }
        made_.has_angles = true;
        return {};
      default:
        return {};
    }
  }

  Result<void> admit_local_sign() {
    if (made_.sign != SignPlace::kNone) {
      return wrong("cannot use \"S\" twice");
    }
    if (made_.has_plus || made_.has_minus || made_.has_angles) {
      return wrong("cannot use \"S\" and \"PL\"/\"MI\"/\"SG\"/\"PR\" together");
    }
    made_.sign = made_.has_point ? SignPlace::kBehind : SignPlace::kBefore;
    made_.sign_after = made_.before;
    return {};
  }

  NumberTemplate made_;
};

}  // namespace

Result<NumberTemplate> number_template_of(std::string_view text) { return Reader().read(text); }

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
