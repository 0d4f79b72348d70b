// Gives a statement's parameters their types, before anything of it is compiled.
//
// Decides the order in which places are asked: PostgreSQL's parse analysis. Refuses to know what places mean: the
// binder of expressions does.
#pragma once

#include "scope.hpp"

namespace daedalus::aggregator::sql {

/// Asks all places of a described statement for the types of its parameters; scope.types() has them then. What is not
/// supported ends it: whoever compiles the statement has words for that.
///
/// Errors: 42P08 places ask for different types, or one asks for none; those of whatever has no such operator, function
/// or cast. Cost: as binding all expressions once.
[[nodiscard]] Result<void> fix_parameters(Scope& scope);

/// Checks that the types are consistent, once all places have been asked. Errors: 42P08.
[[nodiscard]] Result<void> check_parameter_types(const Scope& scope);

}  // namespace daedalus::aggregator::sql
