#include "interval_reader.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>

#include "datetime_fields.hpp"
#include "interval_fields.hpp"
#include "interval_units.hpp"

namespace daedalus::semantics {
namespace {

using FieldKind = DatetimeField::Kind;
constexpr size_t kIntervalCharactersMax = 256;

/// A whole number, and what a text goes on with behind it.
struct Whole {
  int64_t value = 0;
  std::string_view rest;
  bool is_too_large = false;
};

/// 0 where there are no digits.
Whole read_whole(std::string_view text) {
  Whole whole{.value = 0, .rest = text};
  const bool has_plus = text.starts_with('+');
  const char* begin = text.data() + (has_plus ? 1 : 0);
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), whole.value);
  whole.is_too_large = error == std::errc::result_out_of_range;
  if (error != std::errc::invalid_argument) {
    whole.rest = text.substr(static_cast<size_t>(end - text.data()));
  }
  return whole;
}

bool fits_int(int64_t value) { return value >= INT32_MIN && value <= INT32_MAX; }

/// A point, digits behind it or none, and nothing else.
std::optional<double> read_interval_fraction(std::string_view point) {
  if (point.size() == 1) {
    return 0;
  }
  const std::string text(point);
  char* end = nullptr;
  errno = 0;
  const double fraction = std::strtod(text.c_str(), &end);
  return *end == '\0' && errno == 0 ? std::optional(fraction) : std::nullopt;
}

/// The unit of a number alone at the end, by the fields that INTERVAL names: the last of them.
IntervalUnit unit_of(uint32_t fields) {
  if (fields == kAllIntervalFields || (fields & kSecondField) != 0) {
    return IntervalUnit::kSecond;
  }
  return (fields & kMinuteField) != 0  ? IntervalUnit::kMinute
         : (fields & kHourField) != 0  ? IntervalUnit::kHour
         : (fields & kDayField) != 0   ? IntervalUnit::kDay
         : (fields & kMonthField) != 0 ? IntervalUnit::kMonth
                                       : IntervalUnit::kYear;
}

/// hours:minutes[:seconds[.fraction]], minutes:seconds.fraction.
class TimeReader {
 public:
  explicit TimeReader(uint32_t fields) : fields_(fields) {}

  IntervalFault read(std::string_view text) {
    const Whole hours = read_whole(text);
    if (hours.is_too_large) {
      return IntervalFault::kOutOfRange;
    }
    if (!hours.rest.starts_with(':')) {
      return IntervalFault::kMalformed;
    }
    hours_ = hours.value;
    if (const IntervalFault fault = read_part(hours.rest.substr(1), minutes_); fault != IntervalFault::kNone) {
      return fault;
    }
    if (rest_.empty()) {
      return fields_ == (kMinuteField | kSecondField) ? shift(0) : check();
    }
    if (rest_.starts_with('.')) {
      return read_seconds_fraction() ? shift(fraction_) : IntervalFault::kMalformed;
    }
    if (!rest_.starts_with(':')) {
      return IntervalFault::kMalformed;
    }
    if (const IntervalFault fault = read_part(rest_.substr(1), seconds_); fault != IntervalFault::kNone) {
      return fault;
    }
    return rest_.empty() || (rest_.starts_with('.') && read_seconds_fraction()) ? check() : IntervalFault::kMalformed;
  }

  [[nodiscard]] int64_t micros() const { return micros_; }

 private:
  IntervalFault read_part(std::string_view text, int64_t& part) {
    const Whole whole = read_whole(text);
    rest_ = whole.rest;
    part = whole.value;
    return whole.is_too_large || !fits_int(whole.value) ? IntervalFault::kOutOfRange : IntervalFault::kNone;
  }

  bool read_seconds_fraction() {
    const std::optional<double> fraction = read_interval_fraction(rest_);
    fraction_ = fraction ? static_cast<int64_t>(std::rint(*fraction * 1'000'000)) : 0;
    return fraction.has_value();
  }

  /// The numbers that were read are minutes and seconds.
  IntervalFault shift(int64_t fraction) {
    if (!fits_int(hours_)) {
      return IntervalFault::kOutOfRange;
    }
    seconds_ = minutes_;
    minutes_ = hours_;
    hours_ = 0;
    fraction_ = fraction;
    return check();
  }

  IntervalFault check() {
    const bool is_time = hours_ >= 0 && minutes_ >= 0 && minutes_ <= 59 && seconds_ >= 0 && seconds_ <= 60 &&
                         fraction_ >= 0 && fraction_ <= 1'000'000;
    IntervalFields time;
    const bool fits = is_time && time.add_time({hours_, 0}, kMicrosPerHour) &&
                      time.add_time({minutes_, 0}, kMicrosPerMinute) &&
                      time.add_time({seconds_, 0}, kMicrosPerSecond) && time.add_time({fraction_, 0}, 1);
    micros_ = time.micros();
    return fits ? IntervalFault::kNone : IntervalFault::kOutOfRange;
  }

  uint32_t fields_;
  std::string_view rest_;
  int64_t hours_ = 0;
  int64_t minutes_ = 0;
  int64_t seconds_ = 0;
  int64_t fraction_ = 0;
  int64_t micros_ = 0;
};

/// The traditional spelling, read from its end: a unit comes before its number then.
class TraditionalReader {
 public:
  explicit TraditionalReader(uint32_t fields) : fields_(fields) {}

  IntervalFault read(const DatetimeFields& fields) {
    for (auto field = fields.rbegin(); field != fields.rend(); ++field) {
      seen_here_ = 0;
      if (const IntervalFault fault = take(*field); fault != IntervalFault::kNone) {
        return fault;
      }
      if ((seen_ & seen_here_) != 0) {
        return IntervalFault::kMalformed;
      }
      seen_ |= seen_here_;
    }
    if (seen_ == 0) {
      return IntervalFault::kMalformed;
    }
    return !is_before_ || made_.negate() ? IntervalFault::kNone : IntervalFault::kOutOfRange;
  }

  [[nodiscard]] const IntervalFields& made() const { return made_; }

 private:
  IntervalFault take(const DatetimeField& field) {
    switch (field.kind) {
      case FieldKind::kTime:
        return take_time(field.text);
      case FieldKind::kZone: {
        const bool has_time = field.text.find(':') != std::string::npos;
        return has_time && take_signed_time(field.text) ? fault_ : take_number(field.text);
      }
      case FieldKind::kNumber:
      case FieldKind::kDate:
        return take_number(field.text);
      case FieldKind::kWord:
        return take_word(field.text);
    }
    return IntervalFault::kMalformed;
  }

  IntervalFault take_time(std::string_view text) {
    TimeReader time(fields_);
    const IntervalFault fault = time.read(text);
    if (fault == IntervalFault::kNone) {
      made_.set_time(time.micros());
      seen_here_ = kSeenTime;
      unit_ = IntervalUnit::kDay;
    }
    return fault;
  }

  /// False: it is none.
  bool take_signed_time(std::string_view text) {
    fault_ = IntervalFault::kNone;
    if (take_time(text.substr(1)) != IntervalFault::kNone) {
      return false;
    }
    if (text[0] == '-' && !made_.negate_time()) {
      fault_ = IntervalFault::kOutOfRange;
    }
    return true;
  }

  IntervalFault take_word(std::string_view text) {
    if (text == "ago") {
      is_before_ = true;
      unit_ = IntervalUnit::kUnusable;
      return IntervalFault::kNone;
    }
    if (const std::optional<IntervalUnit> unit = find_interval_unit(text)) {
      unit_ = *unit;
      return IntervalFault::kNone;
    }
    return IntervalFault::kMalformed;
  }

  IntervalFault take_number(std::string_view text) {
    const IntervalUnit unit = unit_.value_or(unit_of(fields_));
    const Whole whole = read_whole(text);
    if (whole.is_too_large) {
      return IntervalFault::kOutOfRange;
    }
    IntervalNumber number{whole.value, 0};
    if (whole.rest.starts_with('-')) {
      unit_ = IntervalUnit::kMonth;
      return take_years_and_months(number.whole, whole.rest.substr(1), text[0] == '-');
    }
    unit_ = unit;
    if (whole.rest.starts_with('.')) {
      const std::optional<double> fraction = read_interval_fraction(whole.rest);
      if (!fraction) {
        return IntervalFault::kMalformed;
      }
      number.fraction = text[0] == '-' ? -*fraction : *fraction;
    } else if (!whole.rest.empty()) {
      return IntervalFault::kMalformed;
    }
    return add(number, unit);
  }

  IntervalFault take_years_and_months(int64_t years, std::string_view text, bool is_negative) {
    const Whole months = read_whole(text);
    if (months.is_too_large || months.value < 0 || months.value >= 12) {
      return IntervalFault::kOutOfRange;
    }
    if (!months.rest.empty()) {
      return IntervalFault::kMalformed;
    }
    int64_t all = 0;
    const bool fits = !__builtin_mul_overflow(years, 12, &all) &&
                      !__builtin_add_overflow(all, is_negative ? -months.value : months.value, &all);
    return fits ? add({all, 0}, IntervalUnit::kMonth) : IntervalFault::kOutOfRange;
  }

  IntervalFault add(const IntervalNumber& number, IntervalUnit unit) {
    if (unit == IntervalUnit::kUnusable) {
      return IntervalFault::kMalformed;
    }
    seen_here_ = unit == IntervalUnit::kSecond && number.fraction != 0 ? kSeenAllSeconds : seen_of(unit);
    if (unit == IntervalUnit::kHour) {
      unit_ = IntervalUnit::kDay;  // It is the unit of a number alone before it.
    }
    return add_to(made_, number, unit) ? IntervalFault::kNone : IntervalFault::kOutOfRange;
  }

  uint32_t fields_;
  IntervalFields made_;
  std::optional<IntervalUnit> unit_;  ///< It is the unit of a number that comes next; none: nothing was read yet.
  uint32_t seen_ = 0;
  uint32_t seen_here_ = 0;
  bool is_before_ = false;
  IntervalFault fault_ = IntervalFault::kNone;
};

}  // namespace

Result<Interval> read_interval(std::string_view text, IntervalModifier modifier) {
  const auto fields = split_datetime(text, kIntervalCharactersMax);
  TraditionalReader traditional(modifier.fields);
  IntervalFault fault = fields ? traditional.read(*fields) : IntervalFault::kMalformed;
  IntervalFields made = traditional.made();
  if (fault == IntervalFault::kMalformed) {
    made = {};
    fault = read_iso_interval(text, made);
  }
  if (fault == IntervalFault::kMalformed) {
    return rejected("22007", fmt::format("invalid input syntax for type interval: \"{}\"", text));
  }
  if (fault == IntervalFault::kOutOfRange) {
    return rejected("22015", fmt::format("interval field value out of range: \"{}\"", text));
  }
  if (!fits_int(made.months())) {
    return rejected("22008", "interval out of range");
  }
  return Interval{static_cast<int32_t>(made.months()), made.days(), made.micros()};
}

}  // namespace daedalus::semantics
