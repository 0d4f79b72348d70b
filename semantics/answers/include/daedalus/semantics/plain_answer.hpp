// The partial answer to a query by the plain evaluation, row by row: what a segment with these rows would say.
#pragma once

#include <span>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/semantics/answer.hpp"

namespace daedalus::semantics {

/// Rows of the partial form, of those for which all residuals hold; the selection's predicate, order and limit are not
/// looked at. Groups come in the order of their keys. Errors: those of evaluate(). Cost: an evaluation of each
/// expression for each row, and a search among the groups of each set.
[[nodiscard]] Result<MergedRows> plain_answer(const Selection& selection, std::span<const std::vector<Value>> rows);

/// Gives the answer as an application gets it: finished, in order and within the limit. Errors: those of both.
[[nodiscard]] Result<MergedRows> finished_answer(const Selection& selection, std::span<const std::vector<Value>> rows);

}  // namespace daedalus::semantics
