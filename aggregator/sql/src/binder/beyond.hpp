// NaN and infinity of numeric: values that the type has in PostgreSQL, and not here.
//
// Decides what stands for one where a column is compared with it. Refuses to let one be computed with, or kept.
#pragma once

#include <string_view>

#include "constant.hpp"

namespace daedalus::aggregator::sql {

/// Reads a text as such a value of this type, if it is one: a double stands for it.
[[nodiscard]] std::optional<Constant> value_beyond(const semantics::Type& type, std::string_view text);

/// Says that there is no such value where it would be computed with or kept: 0A000.
[[nodiscard]] Error refuse_beyond(const Scope& scope, const Constant& constant);

}  // namespace daedalus::aggregator::sql
