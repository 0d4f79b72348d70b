// LIKE without a row around it.
#pragma once

#include <optional>
#include <string_view>

namespace daedalus::semantics {

/// Says whether a text is like a pattern, whose escape character is the backslash. Nothing: the pattern ends with it.
[[nodiscard]] std::optional<bool> is_like(std::string_view text, std::string_view pattern);

}  // namespace daedalus::semantics
