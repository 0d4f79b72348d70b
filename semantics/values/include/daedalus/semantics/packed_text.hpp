// The text of a packed value without making the value: what clients are sent most.
#pragma once

#include <string>
#include <string_view>

#include "daedalus/semantics/types.hpp"

namespace daedalus::semantics {

/// Appends what format_text() makes of the value whose bytes take_packed() gave. False, and nothing is appended, when
/// they are no value of the type: decode_packed() says what is wrong. Cost: some nanoseconds for booleans, integers,
/// dates, timestamps, strings and numerics of up to 18 digits; that of the value for others.
[[nodiscard]] bool append_packed_text(const Type& type, std::string_view bytes, std::string& out);

}  // namespace daedalus::semantics
