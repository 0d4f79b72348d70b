// Conditions back to expressions of the wire.
#pragma once

#include <optional>

#include "daedalus/semantics/predicate.hpp"

namespace daedalus::contract {

/// A condition as an expression again, every constant in its column's own type: nothing is left in it that could fail
/// or that depends on comparing types. Normalising it gives the normal form of the condition. No value: every row.
[[nodiscard]] std::optional<semantics::Expression> to_expression(const semantics::Schema& schema,
                                                                 const semantics::Condition& condition);

/// The operator that says what a literal says; of one that is never true, EQUAL, which has nothing to equal.
[[nodiscard]] semantics::Operator operator_of(const semantics::Literal& literal);

}  // namespace daedalus::contract
