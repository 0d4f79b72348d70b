// Others share this with to_char() of moments.
#pragma once

#include <cstdint>
#include <string>

#include "families.hpp"

namespace daedalus::semantics::scalar {

/// A moment as a template says, by a clock that is so many seconds east of UTC. NULL: the template is empty. `room`: an
/// empty text, which becomes the value.
/// Errors: 0A000 it asks for the zone's name; 54000 it comes to a text that is too long.
[[nodiscard]] Result<Value> written_at_offset(int64_t moment, int64_t offset, const std::string& format,
                                              std::string room);

/// Gives the type of all that a constant template of to_char() can come to.
[[nodiscard]] Type type_of_written(Expressions arguments);

}  // namespace daedalus::semantics::scalar
