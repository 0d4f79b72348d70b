// What an array says that is written as a text: `{1,2,NULL}`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daedalus/base/result.hpp"

namespace daedalus::aggregator::sql {

/// Its elements as texts; of NULL there is none. Errors: 22P02 malformed, 0A000 several dimensions or bounds.
[[nodiscard]] Result<std::vector<std::optional<std::string>>> parse_array(std::string_view text);

}  // namespace daedalus::aggregator::sql
