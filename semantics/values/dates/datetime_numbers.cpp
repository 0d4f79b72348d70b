#include "datetime_numbers.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "characters.hpp"

namespace daedalus::semantics {
namespace datetime {

LeadingInteger read_integer(std::string_view text) {
  const bool has_plus = text.starts_with('+');
  LeadingInteger read;
  const auto parsed = std::from_chars(text.data() + (has_plus ? 1 : 0), text.data() + text.size(), read.value);
  if (parsed.ec == std::errc::invalid_argument || (has_plus && text.substr(1).starts_with('-'))) {
    return {0, false, text};
  }
  if (parsed.ec == std::errc::result_out_of_range) {
    read.value = text.starts_with('-') ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
  }
  read.is_too_large =
      read.value < std::numeric_limits<int32_t>::min() || read.value > std::numeric_limits<int32_t>::max();
  read.rest = text.substr(static_cast<size_t>(parsed.ptr - text.data()));
  return read;
}

double read_fraction(std::string_view point) {
  size_t size = 1;
  while (size < point.size() && is_digit(point[size])) {
    ++size;
  }
  double fraction = 0;
  std::from_chars(point.data(), point.data() + size, fraction);
  return fraction;
}

bool is_fraction(std::string_view point) { return std::all_of(point.begin() + 1, point.end(), is_digit); }

int64_t to_micros(double fraction) {
  return static_cast<int64_t>(std::rint(fraction * static_cast<double>(kMicrosPerSecond)));
}

ZoneOffset read_zone_offset(std::string_view text) {
  constexpr int64_t kHoursMax = 15;
  if (!text.starts_with('+') && !text.starts_with('-')) {
    return {DatetimeFault::kSyntax, 0};
  }
  LeadingInteger hours = read_integer(text.substr(1));
  LeadingInteger minutes{0, false, hours.rest};
  LeadingInteger seconds{0, false, hours.rest};
  if (hours.rest.starts_with(':')) {
    minutes = read_integer(hours.rest.substr(1));
    seconds.rest = minutes.rest;
    if (minutes.rest.starts_with(':')) {
      seconds = read_integer(minutes.rest.substr(1));
    }
  } else if (hours.rest.empty() && text.size() > 3) {
    minutes.value = hours.value % 100;
    hours.value /= 100;
  }
  const bool is_too_large = hours.is_too_large || minutes.is_too_large || seconds.is_too_large;
  if (is_too_large || hours.value < 0 || hours.value > kHoursMax || minutes.value < 0 || minutes.value > 59 ||
      seconds.value < 0 || seconds.value > 59) {
    return {DatetimeFault::kZoneOffset, 0};
  }
  if (!seconds.rest.empty()) {
    return {DatetimeFault::kSyntax, 0};
  }
  const int64_t offset = (hours.value * 60 + minutes.value) * 60 + seconds.value;
  return {DatetimeFault::kNone, text.starts_with('-') ? -offset : offset};
}

}  // namespace datetime

namespace {

using datetime::is_between;
using datetime::is_fraction;
using datetime::LeadingInteger;
using datetime::read_fraction;
using datetime::read_integer;
using datetime::to_micros;
using Fault = DatetimeFault;

/// The low 32 bits of what is too large, and 0 for no number: so PostgreSQL reads digits run together.
int64_t read_wrapped(std::string_view text) { return static_cast<int32_t>(read_integer(text).value); }

}  // namespace

DatetimeDecoder::Found DatetimeDecoder::read_date(std::string_view text) {
  SmallVector<std::string_view, 6> numbers;
  Parts found = 0;
  bool has_month_name = false;
  while (!text.empty()) {
    while (!text.empty() && !is_digit(text.front()) && !is_letter(text.front())) {
      text.remove_prefix(1);
    }
    if (text.empty() || numbers.size() + (has_month_name ? 1 : 0) == kDatetimeFieldsMax) {
      return malformed();
    }
    const bool is_number = is_digit(text.front());
    const auto* const end = std::find_if_not(text.begin(), text.end(), is_number ? is_digit : is_letter);
    const std::string_view part = text.substr(0, static_cast<size_t>(end - text.begin()));
    text.remove_prefix(std::min(part.size() + 1, text.size()));  // With whatever character stands behind it.
    const std::optional<DatetimeWord> word = find_datetime_word(part);
    if (is_number || (word && word->kind == DatetimeWord::Kind::kIgnored)) {
      numbers.push_back(part);  // An ignored word is no number either, which is noticed in its turn.
      continue;
    }
    if (!word || word->kind != DatetimeWord::Kind::kMonth || ((seen_ | found) & kMonth) != 0) {
      return malformed();
    }
    month_ = word->value;
    has_month_name = true;
    found |= kMonth;
  }
  for (const std::string_view number : numbers) {
    const Found one = read_number(number, has_month_name, seen_ | found);
    if (one.fault != Fault::kNone) {
      return one;
    }
    if (((seen_ | found) & one.parts) != 0) {
      return malformed();
    }
    found |= one.parts;
  }
  return ((seen_ | found) & ~Parts{kDayOfYear | kZone}) == kDate ? parts(found) : malformed();
}

DatetimeDecoder::Found DatetimeDecoder::read_number(std::string_view text, bool has_month_name, Parts seen) {
  const LeadingInteger number = read_integer(text);
  if (number.is_too_large) {
    return fault(Fault::kField);
  }
  if (number.rest.size() == text.size()) {
    return malformed();
  }
  if (!number.rest.empty()) {
    if (number.rest.front() != '.' || !is_fraction(number.rest)) {
      return malformed();
    }
    if (text.size() - number.rest.size() > 2) {
      return read_run_together(text, seen | kDate);
    }
    micros_ = to_micros(read_fraction(number.rest));
  }
  if (text.size() == 3 && (seen & kDate) == kYear && is_between(number.value, 1, 366)) {
    day_of_year_ = number.value;
    return parts(kDayOfYear | kMonth | kDay);
  }
  if ((seen & kDate) == kDate) {
    return read_run_together(text, seen);
  }
  return place_number(text.size(), number.value, has_month_name, seen);
}

DatetimeDecoder::Found DatetimeDecoder::place_number(size_t size, int64_t value, bool has_month_name, Parts seen) {
  const auto is_year = [&] {
    year_ = value;
    has_short_year_ = size <= 2;
    return parts(kYear);
  };
  const auto is_month = [&] {
    month_ = value;
    return parts(kMonth);
  };
  const auto is_day = [&] {
    day_ = value;
    return parts(kDay);
  };
  switch (seen & kDate) {
    case 0:
      return size >= 3 || order_ == DateOrder::kYearMonthDay ? is_year()
             : order_ == DateOrder::kDayMonthYear            ? is_day()
                                                             : is_month();
    case kYear:
    case kDay:
      return is_month();
    case kMonth:
      return has_month_name && (size >= 3 || order_ == DateOrder::kYearMonthDay) ? is_year() : is_day();
    case kYear | kMonth:
      if (has_month_name && size >= 3 && has_short_year_) {
        // The number that was taken for the year is the day: 3-jun-2013.
        day_ = year_;
        year_ = value;
        has_short_year_ = false;
        return parts(kDay);
      }
      return is_day();
    case kMonth | kDay:
      return is_year();
    default:
      return malformed();
  }
}

DatetimeDecoder::Found DatetimeDecoder::read_run_together(std::string_view text, Parts seen) {
  const size_t point = text.find('.');
  if (point != std::string_view::npos) {
    micros_ = to_micros(read_fraction(text.substr(point)));
    text = text.substr(0, point);
  } else if ((seen & kDate) != kDate && text.size() >= 6) {
    const size_t year_size = text.size() - 4;
    year_ = read_wrapped(text.substr(0, year_size));
    month_ = read_wrapped(text.substr(year_size, 2));
    day_ = read_wrapped(text.substr(year_size + 2));
    has_short_year_ = has_short_year_ || year_size == 2;
    return parts(kDate);
  }
  if ((seen & kTime) == kTime || (text.size() != 4 && text.size() != 6)) {
    return malformed();
  }
  hour_ = read_wrapped(text.substr(0, 2));
  minute_ = read_wrapped(text.substr(2, 2));
  second_ = text.size() == 6 ? read_wrapped(text.substr(4)) : 0;
  return parts(kTime);
}

}  // namespace daedalus::semantics
