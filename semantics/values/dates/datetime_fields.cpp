#include "datetime_fields.hpp"

#include "characters.hpp"
#include "datetime_words.hpp"

namespace daedalus::semantics {
namespace {

using FieldKind = DatetimeField::Kind;

bool is_punctuation(char c) { return c > ' ' && c < '\x7f' && !is_digit(c) && !is_letter(c); }

class Splitter {
 public:
  Splitter(std::string_view text, size_t characters_max) : rest_(text), characters_max_(characters_max) {}

  std::optional<DatetimeFields> split() {
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (is_space(c) || (is_punctuation(c) && c != '.' && c != '+' && c != '-')) {
        rest_.remove_prefix(1);
        continue;
      }
      if (fields_.size() == kDatetimeFieldsMax) {
        return std::nullopt;
      }
      fields_.push_back({});
      if (!take_field(c) || characters_ > characters_max_) {
        return std::nullopt;
      }
      ++characters_;
    }
    return std::move(fields_);
  }

 private:
  DatetimeField& field() { return fields_.back(); }
  [[nodiscard]] char next() const { return rest_.empty() ? '\0' : rest_.front(); }
  [[nodiscard]] bool next_is(std::string_view any) const {
    return !rest_.empty() && any.find(rest_.front()) != std::string_view::npos;
  }

  void take() {
    field().text.push_back(to_lower(rest_.front()));
    rest_.remove_prefix(1);
    ++characters_;
  }

  template <typename Belongs>
  void take_while(Belongs belongs) {
    while (!rest_.empty() && belongs(rest_.front())) {
      take();
    }
  }

  bool take_field(char first) {
    if (is_digit(first)) {
      take_number();
      return true;
    }
    if (first == '.') {
      field().kind = FieldKind::kNumber;
      take();
      take_while(is_digit);
      return true;
    }
    if (is_letter(first)) {
      take_word();
      return true;
    }
    return (first == '+' || first == '-') && take_signed();
  }

  /// A number, and what it turns into when a colon or a separator of dates follows.
  void take_number() {
    take_while(is_digit);
    if (next() == ':') {
      field().kind = FieldKind::kTime;
      take_while([](char c) { return is_digit(c) || c == ':' || c == '.'; });
      return;
    }
    field().kind = FieldKind::kNumber;
    if (next_is("-/.")) {
      take_date(rest_.front());
    }
  }

  void take_date(char separator) {
    take();
    if (!is_digit(next())) {
      field().kind = FieldKind::kDate;  // The month may be a word.
      take_while([&](char c) { return is_digit(c) || is_letter(c) || c == separator; });
      return;
    }
    take_while(is_digit);
    const bool has_three_parts = next() == separator;
    field().kind = separator == '.' && !has_three_parts ? FieldKind::kNumber : FieldKind::kDate;
    if (has_three_parts) {
      take_while([&](char c) { return is_digit(c) || c == separator; });
    }
  }

  /// Letters; with a separator behind them a date that begins with its month, or the name of a time zone.
  void take_word() {
    field().kind = FieldKind::kWord;
    take_while(is_letter);
    const bool is_joined =
        next_is("-/.") || ((next() == '+' || is_digit(next())) && !find_datetime_word(field().text).has_value());
    if (is_joined) {
      field().kind = FieldKind::kDate;
      take_while([](char c) {
        return is_digit(c) || is_letter(c) || std::string_view("+-/_.:").find(c) != std::string_view::npos;
      });
    }
  }

  bool take_signed() {
    take();
    while (is_space(next())) {
      rest_.remove_prefix(1);
    }
    if (is_digit(next())) {
      field().kind = FieldKind::kZone;
      take_while([](char c) { return is_digit(c) || c == ':' || c == '.' || c == '-'; });
      return true;
    }
    field().kind = FieldKind::kWord;
    take_while(is_letter);
    return field().text.size() > 1;
  }

  std::string_view rest_;
  size_t characters_max_;
  size_t characters_ = 0;
  DatetimeFields fields_;
};

}  // namespace

std::optional<DatetimeFields> split_datetime(std::string_view text, size_t characters_max) {
  return Splitter(text, characters_max).split();
}

}  // namespace daedalus::semantics
