#include "beyond.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace daedalus::aggregator::sql {

namespace {

using semantics::Type;
using semantics::TypeKind;

std::string lowered_word(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\n\r\f\v";
  const size_t begin = std::min(text.find_first_not_of(kSpaces), text.size());
  std::string word(text.substr(begin, text.find_last_not_of(kSpaces) + 1 - begin));
  std::transform(word.begin(), word.end(), word.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  return word;
}

std::optional<double> special_number(std::string_view word) {
  if (word == "nan") {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const bool is_negative = word.starts_with('-');
  word.remove_prefix(is_negative || word.starts_with('+') ? 1 : 0);
  if (word != "inf" && word != "infinity") {
    return std::nullopt;
  }
  return is_negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
}

}  // namespace

std::optional<Constant> value_beyond(const Type& type, std::string_view text) {
  if (type.kind != TypeKind::kNumeric || type.precision != 0) {
    return std::nullopt;
  }
  const std::optional<double> number = special_number(lowered_word(text));
  if (!number) {
    return std::nullopt;
  }
  Constant made{Type{TypeKind::kDouble}, *number};
  made.is_beyond = true;
  return made;
}

Error refuse_beyond(const Scope& scope, const Constant& constant) {
  const double number = std::get<double>(constant.value);
  const char* const name = std::isnan(number) ? "NaN" : number < 0 ? "-Infinity" : "Infinity";
  return scope.refuse(fmt::format("numeric \"{}\"", name), constant.location, "compare a column with it");
}

}  // namespace daedalus::aggregator::sql
