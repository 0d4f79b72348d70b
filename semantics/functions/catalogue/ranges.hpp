// Others share this with in_range(value, base, offset, is_before, is_less) of moments.
#pragma once

#include "families.hpp"

namespace daedalus::semantics::scalar {

/// From the base to the frame's end. Error 22013: the offset is negative.
[[nodiscard]] Result<Interval> way_to_end(Arguments arguments);
/// Says whether the value is on the frame's side of its end.
[[nodiscard]] bool is_on_side(Arguments arguments, int64_t value, int64_t end);

}  // namespace daedalus::semantics::scalar
