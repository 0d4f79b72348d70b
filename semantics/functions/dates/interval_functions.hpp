// Fields of intervals, what is left of them, and what they are written as when days and months are full.
#pragma once

#include "adder.hpp"

namespace daedalus::semantics::scalar {

[[nodiscard]] Result<Value> truncate_interval(Arguments arguments, const BoundExpression& call);
[[nodiscard]] Result<Value> part_of_interval(Arguments arguments, const BoundExpression& call);
[[nodiscard]] Result<Value> extract_from_interval(Arguments arguments, const BoundExpression& call);

/// The error of an age of infinity: 22008.
[[nodiscard]] Error infinite_age();

/// From one SQL timestamp to another by the calendar, in years, months, days and time, of what clocks showed at each;
/// whether the first was the earlier one, which clocks that are put back do not say.
[[nodiscard]] Interval age_of_clocks(int64_t left, int64_t right, bool is_earlier);

/// age() and the justify functions.
void add_intervals_of(Adder& adder);

}  // namespace daedalus::semantics::scalar
