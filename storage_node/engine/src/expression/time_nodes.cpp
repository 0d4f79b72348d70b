// date_trunc, extract and date_part of the fields of the calendar and the clock.
#include <algorithm>
#include <optional>

#include "daedalus/semantics/calendar.hpp"
#include "daedalus/semantics/scalar_function.hpp"
#include "vector_node.hpp"

namespace daedalus::engine {
namespace {

using semantics::BoundExpression;
using semantics::CivilDate;
using semantics::TypeKind;

constexpr int64_t kMicrosPerSecond = 1'000'000;

enum class Unit : uint8_t {
  kSecond,
  kMinute,
  kHour,
  kDay,
  kWeek,
  kMonth,
  kQuarter,
  kYear,
  kEpoch,
  kDow,
  kIsoDow,
  kDoy
};

std::optional<Unit> unit_of(const BoundExpression& argument) {
  constexpr std::pair<std::string_view, Unit> kUnits[] = {
      {"second", Unit::kSecond}, {"minute", Unit::kMinute}, {"hour", Unit::kHour}, {"day", Unit::kDay},
      {"week", Unit::kWeek},     {"month", Unit::kMonth},   {"year", Unit::kYear}, {"quarter", Unit::kQuarter},
      {"dow", Unit::kDow},       {"isodow", Unit::kIsoDow}, {"doy", Unit::kDoy},   {"epoch", Unit::kEpoch},
  };
  const std::optional<std::string_view> name = constant_text(argument);
  const auto* found =
      std::find_if(std::begin(kUnits), std::end(kUnits), [&](const auto& each) { return name && each.first == *name; });
  return found != std::end(kUnits) ? std::optional(found->second) : std::nullopt;
}

int64_t day_of_week(int64_t days) { return days + 4 - semantics::floor_div(days + 4, 7) * 7; }

int64_t field_of(Unit unit, int64_t days, int64_t time) {
  const CivilDate date = semantics::civil_from_days(days);
  switch (unit) {
    case Unit::kMinute:
      return time / (60 * kMicrosPerSecond) % 60;
    case Unit::kHour:
      return time / (3'600 * kMicrosPerSecond);
    case Unit::kDay:
      return date.day;
    case Unit::kMonth:
      return date.month;
    case Unit::kQuarter:
      return (date.month - 1) / 3 + 1;
    case Unit::kDow:
      return day_of_week(days);
    case Unit::kIsoDow:
      return day_of_week(days) == 0 ? 7 : day_of_week(days);
    case Unit::kDoy:
      return days - semantics::days_from_civil({date.year, 1, 1}) + 1;
    default:
      return date.year;
  }
}

/// The first day of the unit that a day is in.
int64_t first_day_of(Unit unit, int64_t days) {
  if (unit == Unit::kWeek) {
    return days - (day_of_week(days) + 6) % 7;
  }
  const CivilDate date = semantics::civil_from_days(days);
  const uint32_t month = unit == Unit::kYear ? 1 : unit == Unit::kQuarter ? (date.month - 1) / 3 * 3 + 1 : date.month;
  return semantics::days_from_civil({date.year, month, 1});
}

class DatetimeNode : public VectorNode {
 protected:
  DatetimeNode(FormOf form, Unit unit, VectorNodePtr from)
      : VectorNode(form.form, form.scale), unit_(unit), from_(std::move(from)) {}

  [[nodiscard]] ValueVector read(const RowBatch& batch) {
    const ValueVector from = from_->values(batch);
    made_ = {};
    made_.nulls = from.nulls;
    buffer_.hard.fill(0);
    if (from.hard != nullptr) {
      std::copy_n(from.hard, vector_words(batch.count), buffer_.hard.begin());
      made_.hard = buffer_.hard.data();
    }
    return from;
  }

  void mark_hard(uint32_t position) {
    set_bit(buffer_.hard.data(), position);
    made_.hard = buffer_.hard.data();
  }

  /// The number beneath a NULL may be no SQL timestamp at all.
  [[nodiscard]] static bool is_datetime(int64_t micros) {
    return micros >= semantics::kTimestampMicrosMin && micros <= semantics::kTimestampMicrosMax;
  }

  Unit unit_;
  ValueVector made_;
  VectorBuffer buffer_;

 private:
  VectorNodePtr from_;
};

/// Truncates timestamps.
class TruncationNode final : public DatetimeNode {
 public:
  TruncationNode(Unit unit, VectorNodePtr from) : DatetimeNode({Form::kInteger, 0}, unit, std::move(from)) {}

 private:
  ValueVector compute(const RowBatch& batch) override {
    const ValueVector from = read(batch);
    int64_t* out = VectorBuffer::room(buffer_.integers);
    const int64_t length = unit_ == Unit::kSecond   ? kMicrosPerSecond
                           : unit_ == Unit::kMinute ? 60 * kMicrosPerSecond
                           : unit_ == Unit::kHour   ? 3'600 * kMicrosPerSecond
                                                    : semantics::kMicrosPerDay;
    const bool is_of_calendar =
        unit_ == Unit::kWeek || unit_ == Unit::kMonth || unit_ == Unit::kQuarter || unit_ == Unit::kYear;
    for (uint32_t position = 0; position < batch.count; ++position) {
      const int64_t micros = from.as_integers().at(position);
      if (!is_datetime(micros)) {
        out[position] = 0;
        mark_hard(position);
        continue;
      }
      const int64_t whole = semantics::floor_div(micros, length);
      out[position] = is_of_calendar ? first_day_of(unit_, whole) * semantics::kMicrosPerDay : whole * length;
      if (out[position] < semantics::kTimestampMicrosMin) {
        mark_hard(position);
      }
    }
    made_.integers = out;
    return made_;
  }
};

/// Whole numbers, or microseconds as seconds, as numeric or double precision; of dates or timestamps.
class FieldNode final : public DatetimeNode {
 public:
  FieldNode(FormOf form, Unit unit, bool is_date, VectorNodePtr from)
      : DatetimeNode(form, unit, std::move(from)), is_date_(is_date) {}

 private:
  ValueVector compute(const RowBatch& batch) override {
    const ValueVector from = read(batch);
    int64_t* fields = VectorBuffer::room(buffer_.integers);
    for (uint32_t position = 0; position < batch.count; ++position) {
      const int64_t sql_timestamp = from.as_integers().at(position);
      fields[position] = 0;
      if (is_date_ ? sql_timestamp < semantics::kDateDaysMin || sql_timestamp > kDaysMax
                   : !is_datetime(sql_timestamp)) {
        mark_hard(position);
        continue;
      }
      if (unit_ == Unit::kEpoch) {
        fields[position] = sql_timestamp;
        continue;
      }
      const int64_t days = is_date_ ? sql_timestamp : semantics::floor_div(sql_timestamp, semantics::kMicrosPerDay);
      const int64_t time = is_date_ ? 0 : sql_timestamp - days * semantics::kMicrosPerDay;
      fields[position] = unit_ == Unit::kSecond ? time % (60 * kMicrosPerSecond) : field_of(unit_, days, time);
    }
    if (form() == Form::kFloating) {
      double* out = VectorBuffer::room(buffer_.floatings);
      std::transform(fields, fields + batch.count, out, [this](int64_t field) { return as_double(field); });
      made_.floatings = out;
    } else {
      made_.integers = fields;
      made_.magnitude = uint64_t{1} << (unit_ == Unit::kEpoch ? 63 : 32);
    }
    return made_;
  }

  /// As PostgreSQL rounds: of a minute's seconds whole ones and the fraction of one each by itself.
  [[nodiscard]] double as_double(int64_t field) const {
    constexpr auto kUnit = static_cast<double>(kMicrosPerSecond);
    if (unit_ == Unit::kSecond) {
      return static_cast<double>(field / kMicrosPerSecond) + static_cast<double>(field % kMicrosPerSecond) / kUnit;
    }
    return unit_ == Unit::kEpoch ? static_cast<double>(field) / kUnit : static_cast<double>(field);
  }

  /// Bounds what date_part() makes of a date.
  static constexpr int64_t kDaysMax = semantics::kTimestampMicrosMax / semantics::kMicrosPerDay;

  bool is_date_;
};

}  // namespace

VectorNodePtr make_time_node(const BoundExpression& call, const NodeMaker& make) {
  const semantics::ScalarFunction* function = semantics::find_function(call.function);
  if (function == nullptr || function->is_operator || call.arguments.size() != 2) {
    return nullptr;
  }
  const bool is_truncation = function->name == "date_trunc";
  const bool is_field = function->name == "extract" || function->name == "date_part";
  const TypeKind kind = call.arguments[1].type.kind;
  const bool is_date = kind == TypeKind::kDate;
  const std::optional<Unit> unit = unit_of(call.arguments[0]);
  if ((!is_truncation && !is_field) || !unit || (!is_date && !semantics::is_timestamp(kind))) {
    return nullptr;
  }
  const bool is_of_clock =
      *unit == Unit::kSecond || *unit == Unit::kMinute || *unit == Unit::kHour || *unit == Unit::kEpoch;
  const bool has_truncation = *unit < Unit::kEpoch;
  const bool has_kernel =
      is_truncation ? !is_date && has_truncation : *unit != Unit::kWeek && !(is_date && is_of_clock);
  VectorNodePtr from = has_kernel ? make(call.arguments[1]) : nullptr;
  if (from == nullptr) {
    return nullptr;
  }
  if (is_truncation) {
    return std::make_shared<TruncationNode>(*unit, std::move(from));
  }
  return std::make_shared<FieldNode>(*form_of(call), *unit, is_date, std::move(from));
}

}  // namespace daedalus::engine
