// Reads an array that is written as a text: `{1,2,NULL}`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daedalus/base/result.hpp"

namespace daedalus::aggregator::sql {

/// Returns its elements as texts, and nothing for NULL. Errors: 22P02 malformed, 0A000 several dimensions or bounds.
[[nodiscard]] Result<std::vector<std::optional<std::string>>> parse_array(std::string_view text);

}  // namespace daedalus::aggregator::sql
