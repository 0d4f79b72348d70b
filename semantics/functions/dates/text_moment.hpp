// Others share this with to_timestamp() of a text.
#pragma once

#include "families.hpp"

namespace daedalus::semantics::scalar {

/// The moment that a template reads out of a text. Where that says no zone, it is by the clocks of `zone`, which is
/// bound; null: UTC. Errors: those of to_timestamp().
[[nodiscard]] Result<Value> read_by_template(Arguments arguments, const Value* zone);

}  // namespace daedalus::semantics::scalar
