// An interval as text becomes fields: the same machine as PostgreSQL's, whose answers and errors it repeats.
//
// Decides what units, times and the spelling of ISO 8601 mean, and what a number alone is where INTERVAL is followed by
// fields. Refuses to know what is cut away because of them.
#pragma once

#include <string_view>

#include "daedalus/base/result.hpp"
#include "daedalus/semantics/interval_modifier.hpp"
#include "daedalus/semantics/value.hpp"

namespace daedalus::semantics {

/// Errors: 22007 malformed, 22015 a field out of range, 22008 years and months out of range together.
[[nodiscard]] Result<Interval> read_interval(std::string_view text, IntervalModifier modifier);

}  // namespace daedalus::semantics
