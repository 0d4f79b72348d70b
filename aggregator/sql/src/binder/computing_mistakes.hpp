// Mistakes that are met when something is computed: whatever is wrong with how a statement reads comes before them.
#pragma once

#include <string_view>

#include "grammar.hpp"
#include "scope.hpp"

namespace daedalus::aggregator::sql {

/// A NULL where the column takes none: each row that is written is asked, after all is computed.
constexpr std::string_view kNullForbidden = "23502";

/// Whether a mistake can be one of computing; a literal that is no value of its type has the same codes.
[[nodiscard]] bool is_of_computing(const Error& error);

/// Whether what is wrong with a condition was met when its constants were computed: nothing is wrong with how it reads.
[[nodiscard]] bool is_met_later(Scope& scope, const grammar::Node& condition, const Error& met);

}  // namespace daedalus::aggregator::sql
