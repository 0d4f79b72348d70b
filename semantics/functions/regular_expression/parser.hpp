// PostgreSQL's regular expressions, read into a tree.
#pragma once

#include <string_view>

#include "daedalus/base/result.hpp"
#include "syntax.hpp"
#include "tree.hpp"

namespace daedalus::semantics::regular {

/// Errors: 2201B as PostgreSQL has it; 0A000 what is not supported, by name: references back, conditions on what is
/// before or behind, groups in more than kDepthMax others.
[[nodiscard]] Result<Expression> parse(std::string_view text, const Syntax& syntax);

constexpr uint32_t kDepthMax = 100;

}  // namespace daedalus::semantics::regular
