// Calls of functions whose arguments have names and defaults.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "grammar.hpp"
#include "scope.hpp"

namespace daedalus::aggregator::sql {

/// The arguments in the places of these names, each given by its place or by its name; absent where there is none.
/// Errors: 42601 one by place behind one by name, a name twice; 42883 no such name, too many, a place taken twice.
[[nodiscard]] Result<std::vector<grammar::Node>> placed_arguments(const Scope& scope, const grammar::FunctionCall& node,
                                                                  std::span<const std::string_view> names);

}  // namespace daedalus::aggregator::sql
