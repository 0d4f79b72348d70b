// Functions that need to know of time zones, and what they share with those of timestamps.
#pragma once

#include "adder.hpp"
#include "daedalus/semantics/time_zone.hpp"

namespace daedalus::semantics::scalar {

/// A moment cut to a unit, by a clock of its own. Errors: 22023, 0A000, 22008.
[[nodiscard]] Result<Value> truncated(const Value& unit, int64_t micros, TypeKind kind);

/// Year, month, day, hour, minute and seconds put together. Error 22008.
[[nodiscard]] Result<Value> make_timestamp(Arguments arguments, const BoundExpression& call);

/// A clock's time moved by so many seconds, or a moment; infinity stays. Error 22008.
[[nodiscard]] Result<Value> moved_by(int64_t micros, int64_t seconds);
/// Say what a clock in a bound zone shows at a moment, and when one there shows that. Errors: those of
/// BoundZone::read(), 22008.
[[nodiscard]] Result<Value> clock_in(const Value& zone, int64_t moment);
[[nodiscard]] Result<Value> moment_of_clock(const Value& zone, int64_t clock);

/// Seconds east of UTC of a clock in a zone at a moment.
[[nodiscard]] int64_t offset_at(const BoundZone& zone, int64_t moment);

/// date_part() and EXTRACT of a moment whose clock is so many seconds east of UTC. Errors: those of field_of().
[[nodiscard]] Result<Value> part_of_clock(const Value& unit, int64_t moment, int64_t offset);
[[nodiscard]] Result<Value> extracted_of_clock(const Value& unit, int64_t moment, int64_t offset);

/// AT TIME ZONE and what else takes a zone, to_timestamp() and make_timestamptz().
void add_zones(Adder& adder);

}  // namespace daedalus::semantics::scalar
