// Arrays that come as parameters.
#pragma once

#include <string>
#include <string_view>

#include "daedalus/base/result.hpp"

namespace daedalus::postgres {

/// An array in binary form as its text, `{1,NULL,"a"}`, which is how the compiler takes it. Errors: 22P03 it is none,
/// or an element is none of its type; 0A000 of several dimensions, or of a type that there is not here.
[[nodiscard]] Result<std::string> array_text(std::string_view binary);

}  // namespace daedalus::postgres
