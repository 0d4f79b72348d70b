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
using semantics::Value;

/// No date is that far away in its 32 bits, nor any timestamp in its 64.
Value infinity_of(TypeKind kind, bool is_early) {
  using Days = std::numeric_limits<int32_t>;
  using Micros = std::numeric_limits<int64_t>;
  if (kind == TypeKind::kDate) {
    return int64_t{is_early ? Days::min() : Days::max()};
  }
  return is_early ? Micros::min() : Micros::max();
}

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

Constant beyond(Type type, Value value) {
  Constant made{type, std::move(value)};
  made.is_beyond = true;
  return made;
}

}  // namespace

std::optional<Constant> value_beyond(const Type& type, std::string_view text) {
  const bool is_number = type.kind == TypeKind::kNumeric && type.precision == 0;
  if (!is_number && !semantics::is_moment(type.kind)) {
    return std::nullopt;
  }
  const std::string word = lowered_word(text);
  if (is_number) {
    const std::optional<double> number = special_number(word);
    return number ? std::optional(beyond(Type{TypeKind::kDouble}, *number)) : std::nullopt;
  }
  const bool is_early = word == "-infinity";
  return is_early || word == "infinity" ? std::optional(beyond(type, infinity_of(type.kind, is_early))) : std::nullopt;
}

bool is_infinite(const Type& type, const Value& value) {
  return semantics::is_moment(type.kind) &&
         (value == infinity_of(type.kind, false) || value == infinity_of(type.kind, true));
}

Constant as_moment(Constant infinite, TypeKind kind) {
  infinite.value = infinity_of(kind, std::get<int64_t>(infinite.value) < 0);
  infinite.type = Type{kind};
  return infinite;
}

Error refuse_beyond(const Scope& scope, const Constant& constant) {
  const auto* number = std::get_if<double>(&constant.value);
  if (number == nullptr) {
    const bool is_early = std::get<int64_t>(constant.value) < 0;
    return scope.refuse(fmt::format("{} {}infinity", semantics::kind_name(constant.type.kind), is_early ? "-" : ""),
                        constant.location, "compare a column with it");
  }
  const char* const name = std::isnan(*number) ? "NaN" : *number < 0 ? "-Infinity" : "Infinity";
  return scope.refuse(fmt::format("numeric \"{}\"", name), constant.location, "compare a column with it");
}

}  // namespace daedalus::aggregator::sql
