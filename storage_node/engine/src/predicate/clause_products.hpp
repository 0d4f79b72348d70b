// Disjunctions multiplied out again: (a OR c) AND (a OR d) AND (b OR c) AND (b OR d), which is how a condition comes
// here, is (a AND b) OR (c AND d), which is how it was written, and each of those finds fewer rows than a or c alone.
//
// Decides how far to go: as few alternatives as possible, never more than a bound.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiled_predicate.hpp"

namespace daedalus::engine {

/// Literals that hold together.
using ClauseProduct = std::vector<const CompiledLiteral*>;

/// Whoever satisfies the clauses satisfies one of the products. Clauses of one literal and trees are left out, and so
/// are those after the first that would make too many. Empty: there is no disjunction. Cost: linear in a disjunction
/// alone; bounded by some thousand steps for each that is multiplied.
[[nodiscard]] std::vector<ClauseProduct> products_of(const CompiledPredicate& predicate,
                                                     std::span<const uint32_t> clauses);

}  // namespace daedalus::engine
