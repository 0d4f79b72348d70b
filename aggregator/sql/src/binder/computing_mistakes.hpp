// Mistakes that are met when something is computed: whatever is wrong with how a statement reads comes before them.
#pragma once

#include <string_view>

#include "daedalus/base/result.hpp"

namespace daedalus::aggregator::sql {

/// A NULL where the column takes none: each row that is written is asked, after all is computed.
constexpr std::string_view kNullForbidden = "23502";

/// True when the error may come from computing a value; a literal that is no value of its type has the same codes.
[[nodiscard]] bool is_of_computing(const Error& error);

}  // namespace daedalus::aggregator::sql
