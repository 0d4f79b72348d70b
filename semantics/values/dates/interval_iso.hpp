// Intervals in the spellings of ISO 8601: P1Y2M3DT4H5M6S, P0001-02-03T04:05:06, P00010203T040506.
#pragma once

#include <string_view>

#include "interval_units.hpp"

namespace daedalus::semantics {

/// Adds what is read to fields that are zero.
[[nodiscard]] IntervalFault read_iso_interval(std::string_view text, IntervalFields& fields);

}  // namespace daedalus::semantics
