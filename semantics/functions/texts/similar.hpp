// Patterns of SIMILAR TO.
#pragma once

#include <string>
#include <string_view>

#include "daedalus/base/result.hpp"

namespace daedalus::semantics::scalar {

/// A pattern as the regular expression that PostgreSQL matches instead. `room`: an empty text, which becomes that.
/// Errors: 22025 an escape of several characters, 2200C too many parts.
[[nodiscard]] Result<std::string> regular_expression_of(std::string_view pattern, std::string_view escape,
                                                        std::string room);

}  // namespace daedalus::semantics::scalar
