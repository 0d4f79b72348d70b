#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <string>

#include "characters.hpp"
#include "interval_units.hpp"

namespace daedalus::semantics {
namespace {

constexpr double kNumberMax = 1e15;
constexpr size_t kBasicDateDigits = 8;
constexpr size_t kBasicTimeDigits = 6;

class IsoReader {
 public:
  IsoReader(std::string_view text, IntervalFields& fields) : text_(text), at_(text_.c_str()), fields_(fields) {}

  IntervalFault read() {
    if (text_.size() < 2 || *at_ != 'P') {
      return IntervalFault::kMalformed;
    }
    ++at_;
    while (*at_ != '\0' && !is_done_) {
      if (*at_ == 'T') {
        begin_time();
        ++at_;
        continue;
      }
      const IntervalFault fault = is_date_ ? read_date_field() : read_time_field();
      if (fault != IntervalFault::kNone) {
        return fault;
      }
    }
    return IntervalFault::kNone;
  }

 private:
  void begin_time() {
    is_date_ = false;
    has_field_ = false;
  }

  IntervalFault read_number() {
    if (!is_digit(*at_) && *at_ != '-' && *at_ != '.') {
      return IntervalFault::kMalformed;
    }
    const char* const begin = at_;
    char* end = nullptr;
    errno = 0;
    const double number = std::strtod(begin, &end);
    if (end == begin || errno != 0) {
      return IntervalFault::kMalformed;
    }
    if (!(number >= -kNumberMax && number <= kNumberMax)) {
      return IntervalFault::kOutOfRange;
    }
    at_ = end;
    number_.whole = static_cast<int64_t>(number);
    number_.fraction = number - static_cast<double>(number_.whole);
    digits_ = 0;
    for (const char* digit = begin + (*begin == '-' ? 1 : 0); is_digit(*digit); ++digit) {
      ++digits_;
    }
    return IntervalFault::kNone;
  }

  /// The character behind a number, and the step over it; the end is not stepped over.
  char take_unit() {
    const char unit = *at_;
    at_ += unit == '\0' ? 0 : 1;
    return unit;
  }

  static IntervalFault ranged(bool fits) { return fits ? IntervalFault::kNone : IntervalFault::kOutOfRange; }
  IntervalFault add(IntervalUnit unit) {
    has_field_ = true;
    return ranged(add_to(fields_, number_, unit));
  }

  IntervalFault read_date_field() {
    if (const IntervalFault fault = read_number(); fault != IntervalFault::kNone) {
      return fault;
    }
    const char unit = take_unit();
    switch (unit) {
      case 'Y':
        return add(IntervalUnit::kYear);
      case 'M':
        return add(IntervalUnit::kMonth);
      case 'W':
        return add(IntervalUnit::kWeek);
      case 'D':
        return add(IntervalUnit::kDay);
      case 'T':
      case '\0':
        return digits_ == kBasicDateDigits && !has_field_ ? end_basic_date(unit) : read_extended_date(unit);
      case '-':
        return read_extended_date(unit);
      default:
        return IntervalFault::kMalformed;
    }
  }

  /// Behind a part of a date: nothing more, or the time.
  bool is_end_of_date(char next) {
    if (next == '\0') {
      is_done_ = true;
    } else if (next == 'T') {
      begin_time();
    }
    return next == '\0' || next == 'T';
  }

  IntervalFault end_basic_date(char next) {
    const int64_t date = number_.whole;
    const bool fits = fields_.add_years({date / 10'000, 0}, 1) && fields_.add_months({date / 100 % 100, 0}) &&
                      fields_.add_day({date % 100, number_.fraction});
    (void)is_end_of_date(next);
    return ranged(fits);
  }

  IntervalFault read_extended_date(char next) {
    if (has_field_) {
      return IntervalFault::kMalformed;
    }
    constexpr IntervalUnit kParts[] = {IntervalUnit::kYear, IntervalUnit::kMonth, IntervalUnit::kDay};
    for (size_t part = 0;; ++part) {
      if (!add_to(fields_, number_, kParts[part])) {
        return IntervalFault::kOutOfRange;
      }
      if (is_end_of_date(next)) {
        return IntervalFault::kNone;
      }
      if (next != '-' || part + 1 == std::size(kParts)) {
        return IntervalFault::kMalformed;
      }
      if (const IntervalFault fault = read_number(); fault != IntervalFault::kNone) {
        return fault;
      }
      next = take_unit();
    }
  }

  IntervalFault read_time_field() {
    if (const IntervalFault fault = read_number(); fault != IntervalFault::kNone) {
      return fault;
    }
    const char unit = take_unit();
    switch (unit) {
      case 'H':
        return add(IntervalUnit::kHour);
      case 'M':
        return add(IntervalUnit::kMinute);
      case 'S':
        return add(IntervalUnit::kSecond);
      case '\0':
        return digits_ == kBasicTimeDigits && !has_field_ ? end_basic_time() : read_extended_time(unit);
      case ':':
        return read_extended_time(unit);
      default:
        return IntervalFault::kMalformed;
    }
  }

  /// Digits behind its point are microseconds, as in PostgreSQL, and not seconds.
  IntervalFault end_basic_time() {
    const int64_t time = number_.whole;
    is_done_ = true;
    return ranged(fields_.add_time({time / 10'000, 0}, kMicrosPerHour) &&
                  fields_.add_time({time / 100 % 100, 0}, kMicrosPerMinute) &&
                  fields_.add_time({time % 100, 0}, kMicrosPerSecond) && fields_.add_time({0, number_.fraction}, 1));
  }

  IntervalFault read_extended_time(char next) {
    if (has_field_) {
      return IntervalFault::kMalformed;
    }
    constexpr IntervalUnit kParts[] = {IntervalUnit::kHour, IntervalUnit::kMinute, IntervalUnit::kSecond};
    for (size_t part = 0;; ++part) {
      if (!add_to(fields_, number_, kParts[part])) {
        return IntervalFault::kOutOfRange;
      }
      if (next == '\0') {
        is_done_ = true;
        return IntervalFault::kNone;
      }
      if (next != ':' || part + 1 == std::size(kParts)) {
        return IntervalFault::kMalformed;
      }
      if (const IntervalFault fault = read_number(); fault != IntervalFault::kNone) {
        return fault;
      }
      next = take_unit();
    }
  }

  std::string text_;
  const char* at_;
  IntervalFields& fields_;
  IntervalNumber number_;
  size_t digits_ = 0;  ///< Before the point of the last number.
  bool is_date_ = true;
  bool has_field_ = false;  ///< With a letter.
  bool is_done_ = false;
};

}  // namespace

IntervalFault read_iso_interval(std::string_view text, IntervalFields& fields) {
  return IsoReader(text, fields).read();
}

}  // namespace daedalus::semantics
