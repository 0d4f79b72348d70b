// Suggests what somebody meant who wrote a name that does not exist.
//
// Decides which names are near, and says so the way PostgreSQL does. Refuses to know where names come from.
#pragma once

#include <string>
#include <string_view>

#include "daedalus/semantics/types.hpp"

namespace daedalus::aggregator::sql {

/// Most letters that a name may differ in and still be what was meant; never more than half of them.
constexpr size_t kSuggestionDistanceMax = 3;

/// Letters to put in, take out, replace or swap with their neighbour until `left` is `right`, whatever their case;
/// `bound` + 1 when it is more than `bound`. Cost: the product of the sizes, nothing where the sizes alone differ by
/// more.
[[nodiscard]] size_t edit_distance(std::string_view left, std::string_view right, size_t bound);

/// "Perhaps you meant to reference the column …" with the one or two nearest columns; empty when none is near or more
/// than two are equally near. `table` is what columns are qualified with.
[[nodiscard]] std::string suggest_column(const semantics::Schema& schema, std::string_view table,
                                         std::string_view name);

/// Hint for a text that PostgreSQL's grammar refuses, by its first word: commands of other tools, and keywords with a
/// letter wrong. Empty when nothing is to be said.
[[nodiscard]] std::string suggest_statement(std::string_view text);

}  // namespace daedalus::aggregator::sql
