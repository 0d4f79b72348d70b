// Normal forms back to expressions of the wire.
#pragma once

#include <optional>

#include "daedalus/semantics/predicate.hpp"

namespace daedalus::contract {

/// A normal form as an expression again, every constant in its column's own type: nothing is left in it that could fail
/// or that depends on comparing types. Normalising it gives the same predicate. No value: every row.
[[nodiscard]] std::optional<semantics::Expression> to_expression(const semantics::Schema& schema,
                                                                 const semantics::Predicate& predicate);

}  // namespace daedalus::contract
