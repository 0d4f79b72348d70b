// Functions that need to know of time zones, and what they share with those of timestamps.
#pragma once

#include "adder.hpp"
#include "daedalus/semantics/time_zone.hpp"

namespace daedalus::semantics::scalar {

/// An SQL timestamp cut to a unit, by a clock of its own. Errors: 22023, 0A000, 22008.
[[nodiscard]] Result<Value> truncated(const Value& unit, int64_t micros, TypeKind kind);

/// Year, month, day, hour, minute and seconds put together. Error 22008.
[[nodiscard]] Result<Value> make_timestamp(Arguments arguments, const BoundExpression& call);

/// A clock's time moved by so many seconds, or an SQL timestamp; infinity stays. Error 22008.
[[nodiscard]] Result<Value> moved_by(int64_t micros, int64_t seconds);
/// Say what a clock in a bound zone shows at an SQL timestamp, and when one there shows that. Errors: those of
/// BoundZone::read(), 22008.
[[nodiscard]] Result<Value> clock_in(const Value& zone, int64_t sql_timestamp);
[[nodiscard]] Result<Value> timestamptz_of_clock(const Value& zone, int64_t clock);

/// Seconds east of UTC of a clock in a zone at an SQL timestamp.
[[nodiscard]] int64_t offset_at(const BoundZone& zone, int64_t sql_timestamp);

/// Computes date_part() or, as numeric, EXTRACT of an SQL timestamp whose clock is so many seconds east of UTC. Errors:
/// those of field_of().
template <bool kIsNumeric>
[[nodiscard]] Result<Value> part_of_clock(const Value& unit, int64_t sql_timestamp, int64_t offset);

// ---- to_char(), to_timestamp() and in_range() ----

/// Writes an SQL timestamp as a template says, by a clock that is so many seconds east of UTC. NULL: the template is
/// empty. `room`: an empty text, which becomes the value. Errors: 0A000 it asks for the zone's name; 54000 it comes to
/// a text that is too long.
[[nodiscard]] Result<Value> written_at_offset(int64_t sql_timestamp, int64_t offset, const std::string& format,
                                              std::string room);

/// Gives the type of all that a constant template of to_char() can come to.
[[nodiscard]] Type type_of_written(Expressions arguments);

/// Reads the SQL timestamp that a template finds in a text. Where that says no zone, it is by the clocks of `zone`,
/// which is bound; null: UTC. Errors: those of to_timestamp().
[[nodiscard]] Result<Value> read_by_template(Arguments arguments, const Value* zone);

/// Gives the way from the base to the frame's end, for in_range(value, base, offset, is_before, is_less). Error 22013:
/// the offset is negative.
[[nodiscard]] Result<Interval> way_to_end(Arguments arguments);
/// Says whether the value is on the frame's side of its end.
[[nodiscard]] bool is_on_side(Arguments arguments, int64_t value, int64_t end);

// ---- entries ----

/// AT TIME ZONE and what else takes a zone, to_timestamp() and make_timestamptz().
void add_zones(Adder& adder);

}  // namespace daedalus::semantics::scalar
