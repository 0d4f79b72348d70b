// Fields of intervals, what is left of them, and what they are written as when days and months are full.
#pragma once

#include "adder.hpp"

namespace daedalus::semantics::scalar {

[[nodiscard]] Result<Value> truncate_interval(Arguments arguments, const BoundExpression& call);
[[nodiscard]] Result<Value> part_of_interval(Arguments arguments, const BoundExpression& call);
[[nodiscard]] Result<Value> extract_from_interval(Arguments arguments, const BoundExpression& call);

/// age() and the justify functions.
void add_intervals_of(Adder& adder);

}  // namespace daedalus::semantics::scalar
