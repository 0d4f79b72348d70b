// Infinity of dates and timestamps, NaN and infinity of numeric: values that their types have in PostgreSQL, and not
// here.
//
// Decides what stands for one where a column is compared with it. Refuses to let one be computed with, or kept.
#pragma once

#include <string_view>

#include "constant.hpp"

namespace daedalus::aggregator::sql {

/// Reads a text as such a value of this type, if it is one. A moment's is the least or the greatest number, which no
/// moment has; numeric's is a double.
[[nodiscard]] std::optional<Constant> value_beyond(const semantics::Type& type, std::string_view text);

/// Says whether a moment that came as a number is infinite.
[[nodiscard]] bool is_infinite(const semantics::Type& type, const semantics::Value& value);

/// An infinite moment as one of another kind. Precondition: both are moments.
[[nodiscard]] Constant as_moment(Constant infinite, semantics::TypeKind kind);

/// Says that there is no such value where it would be computed with or kept: 0A000.
[[nodiscard]] Error refuse_beyond(const Scope& scope, const Constant& constant);

}  // namespace daedalus::aggregator::sql
