#include "daedalus/semantics/date_order.hpp"

#include <algorithm>

#include "characters.hpp"

namespace daedalus::semantics {
namespace {

constexpr std::string_view kBlanks = " \t\n\v\f\r";
constexpr std::string_view kDigits = "0123456789";

/// Returns whether the first field is a number of three digits or more, which is a year in each order.
bool begins_with_year(std::string_view text) {
  constexpr size_t kYearSizeMin = 3;
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  const size_t size = std::min(text.find_first_not_of(kDigits), text.size());
  return size >= kYearSizeMin && !text.substr(size).starts_with(':');
}

/// Returns whether a time of day may have a date in front of it, which is the only place for one.
bool may_begin_with_date(std::string_view text) {
  const std::string_view head = text.substr(0, text.find(':'));
  return std::any_of(head.begin(), head.end(), [](char c) { return is_letter(c) || c == '-' || c == '/' || c == '.'; });
}

}  // namespace

DateOrder date_order_of(std::string_view name) {
  return name == "DMY" ? DateOrder::kDayMonthYear : name == "YMD" ? DateOrder::kYearMonthDay : DateOrder::kMonthDayYear;
}

std::string_view name_of(DateOrder order) {
  switch (order) {
    case DateOrder::kDayMonthYear:
      return "DMY";
    case DateOrder::kYearMonthDay:
      return "YMD";
    case DateOrder::kMonthDayYear:
      break;
  }
  return "MDY";
}

bool may_hang_on_date_order(TypeKind kind, std::string_view text) {
  const bool may_have_date = is_datetime(kind) || (kind == TypeKind::kTime && may_begin_with_date(text));
  return may_have_date && text.find_first_of(kDigits) != std::string_view::npos && !begins_with_year(text);
}

}  // namespace daedalus::semantics
