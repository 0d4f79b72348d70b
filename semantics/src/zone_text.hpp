// What a zone travels as, beyond what others need to know of it.
#pragma once

#include <string>
#include <string_view>

namespace daedalus::semantics {

/// Of an abbreviation its place's zone, whatever clocks there called it; any other text as it is.
[[nodiscard]] std::string zone_of_place(std::string_view bound);

}  // namespace daedalus::semantics
