// Time zones: what is known of one, and the text that it travels as.
//
// A statement that names a zone carries the zone's transitions as a constant, so that whoever computes it needs no
// database of zones, and two of them with two databases cannot differ. Decides what offset a zone has at an SQL
// timestamp and which SQL timestamp a clock on its walls shows, as PostgreSQL does. Refuses to know where zones come
// from: whoever binds a statement is given a TimeZones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daedalus/base/result.hpp"

namespace daedalus::semantics {

/// A day of each year, as POSIX spells it in TZ, and a time of that day's clock.
struct YearlyRule {
  enum class Kind : uint8_t {
    kWeekday,       ///< Mm.w.d: in the month the week's weekday, week 5 being the last.
    kJulianDay,     ///< Jn: 1 to 365, the leap day not counted.
    kZeroBasedDay,  ///< n: 0 to 365.
  };
  Kind kind = Kind::kWeekday;
  uint16_t day = 0;  ///< 0 is Sunday; of the other kinds the day of the year.
  uint8_t month = 0;
  uint8_t week = 0;
  int32_t seconds = 0;  ///< They count from the beginning of the day, and may lie before it or behind its end.
};

/// A footer holds in every year from the last transition on.
struct ZoneFooter {
  int32_t standard = 0;  ///< Seconds east of UTC.
  /// Daylight saving time from one rule to the other; nothing: standard time all the year.
  struct Daylight {
    int32_t offset = 0;
    YearlyRule begin;
    YearlyRule end;
  };
  std::optional<Daylight> daylight;
};

struct ZoneTable {
  struct Transition {
    int64_t at = 0;      ///< Seconds since 1970-01-01 00:00 UTC; ascending.
    int32_t offset = 0;  ///< From then on, in seconds east of UTC.
    std::string name;    ///< Clocks call it so: CET.
  };
  std::string name;          ///< As its database spells it.
  int32_t first_offset = 0;  ///< Before all transitions.
  std::vector<Transition> transitions;
  std::optional<ZoneFooter> footer;
};

/// A database of zones.
class TimeZones {
 public:
  virtual ~TimeZones() = default;
  /// The zone of this name, in whatever case; null: there is none. Lives as long as the database.
  [[nodiscard]] virtual const ZoneTable* find(std::string_view name) const = 0;
  /// Gives the version of the database, "2025b"; empty: there is no database.
  [[nodiscard]] virtual const std::string& version() const = 0;
};

/// Reads what POSIX writes into TZ, as zones' files end with it: CET-1CEST,M3.5.0,M10.5.0/3. Nothing: it is none.
[[nodiscard]] std::optional<ZoneFooter> read_zone_rule(std::string_view text);

constexpr size_t kZoneNameSizeMax = 255;
/// The text that a zone travels as has at most this size; the richest zone takes half of it.
constexpr size_t kZoneTextSizeMax = 4'096;

/// Gives what a zone, as PostgreSQL's AT TIME ZONE names it, travels as: an abbreviation (EST), a zone of the database
/// (Europe/Zurich) or an offset as POSIX has it (UTC+3, which is west of UTC). `zones` may be null: there are none.
/// Errors: 22023 no such zone; 0A000 there is no database, or daylight saving time without rules (FOO5BAR).
[[nodiscard]] Result<std::string> bind_zone(std::string_view name, const TimeZones* zones);

/// Gives it for the zone that a session is set to (SET TIME ZONE), where a name is never an abbreviation: EET is a zone
/// with daylight saving time there.
[[nodiscard]] Result<std::string> bind_session_zone(std::string_view name, const TimeZones* zones);

/// Gives it where an offset may be written as in a timestamp: +03:30, which is east of UTC.
/// Errors: 22023, too, an offset out of range, or one without a sign.
[[nodiscard]] Result<std::string> bind_zone_or_offset(std::string_view name, const TimeZones* zones);

/// Gives what travels instead of a zone that there is not: whoever wants to know its offset meets the error.
[[nodiscard]] std::string bind_no_zone(const Error& error);

/// Gives what a fixed offset, in seconds east of UTC, travels as.
[[nodiscard]] std::string bind_offset(int32_t offset);

/// A zone as it travelled; borrows its text.
class BoundZone {
 public:
  /// Errors: 22023 there is no such zone; 08P01 the text is none that bind_zone() made. Cost: constant.
  [[nodiscard]] static Result<BoundZone> read(std::string_view text);

  /// Gives the zone of an abbreviation's place, whatever clocks there called it; any other zone as it is.
  [[nodiscard]] BoundZone of_place() const;
  /// Says whether its clocks are, and always were, so many seconds east of UTC.
  [[nodiscard]] bool is_always(int64_t offset) const;
  /// Seconds east of UTC at an SQL timestamp, in seconds since 1970. Cost: a binary search.
  [[nodiscard]] int64_t offset_at(int64_t utc) const;
  /// The offset that the clock on the wall stands for. Of a time that there is twice it is the later SQL timestamp's;
  /// of one that there is not, what held before the clock was put forward.
  [[nodiscard]] int64_t offset_of_local(int64_t local) const;

 private:
  /// The table and the rule of one zone within the text.
  struct Rules {
    struct Next {
      std::optional<int64_t> at;  ///< Nothing: no transition is to come.
      int64_t before = 0;
      int64_t after = 0;
    };
    [[nodiscard]] static std::optional<Rules> read(std::string_view text);
    [[nodiscard]] int64_t at(size_t transition) const;
    [[nodiscard]] int64_t offset(size_t transition) const;  ///< From that transition on.
    [[nodiscard]] size_t count_until(int64_t utc) const;    ///< Transitions up to then.
    [[nodiscard]] int64_t offset_at(int64_t utc) const;
    [[nodiscard]] Next next_after(int64_t utc) const;
    [[nodiscard]] int64_t offset_of_local(int64_t local) const;

    std::string_view offsets;
    std::string_view transitions;
    std::optional<ZoneFooter> footer;
  };

  Rules zone_;
  std::optional<Rules> abbreviation_;  ///< An abbreviation has meant this in that zone.
};

}  // namespace daedalus::semantics
