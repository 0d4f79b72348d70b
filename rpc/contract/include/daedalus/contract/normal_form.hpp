// Conditions back to expressions of the wire.
#pragma once

#include <optional>

#include "daedalus/semantics/predicate.hpp"

namespace daedalus::contract {

/// A condition as an expression again, every constant in its column's own type: nothing is left in it that could fail
/// or that depends on comparing types. Normalising it gives the normal form of the condition. No value: every row.
[[nodiscard]] std::optional<semantics::Expression> to_expression(const semantics::Schema& schema,
                                                                 const semantics::Condition& condition);

}  // namespace daedalus::contract
