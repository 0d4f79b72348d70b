// What needs to know of time zones, and what it shares with timestamps.
#pragma once

#include "adder.hpp"

namespace daedalus::semantics::scalar {

/// A moment cut to a unit, by a clock of its own. Errors: 22023, 0A000, 22008.
[[nodiscard]] Result<Value> truncated(const Value& unit, int64_t micros, TypeKind kind);

/// Year, month, day, hour, minute and seconds put together. Error 22008.
[[nodiscard]] Result<Value> make_timestamp(Arguments arguments, const BoundExpression& call);

/// AT TIME ZONE and what else takes a zone, to_timestamp() and make_timestamptz().
void add_zones(Adder& adder);

}  // namespace daedalus::semantics::scalar
