// A tree as a pattern of RE2, which takes and matches the same.
#pragma once

#include <span>
#include <string>

#include "tree.hpp"

namespace daedalus::semantics::regular {

/// A pattern of this size or more has been cut: it is not what the tree says.
constexpr size_t kPatternSizeMax = 100'000;

/// ASCII only, without groups that capture and without flags: what is no letter or digit is written by its number.
[[nodiscard]] std::string printed(const Node& node);
/// Prints nodes that stand in a row.
[[nodiscard]] std::string printed(std::span<const Node> nodes);

}  // namespace daedalus::semantics::regular
