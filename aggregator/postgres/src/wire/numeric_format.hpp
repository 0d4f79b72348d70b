// PostgreSQL's binary numerics: digits of base 10,000, the weight of the first, a sign and the scale that is shown.
#pragma once

#include <string>
#include <string_view>

#include "daedalus/base/result.hpp"
#include "daedalus/semantics/value.hpp"

namespace daedalus::postgres {

/// Without its length.
void append_binary_numeric(const semantics::Decimal& value, std::string& out);

/// Errors: 22P03 it is none; 0A000 NaN and infinities; 22003 more digits than a numeric has here.
[[nodiscard]] Result<semantics::Value> read_binary_numeric(std::string_view bytes);

}  // namespace daedalus::postgres
