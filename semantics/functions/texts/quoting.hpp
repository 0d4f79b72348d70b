// Names and literals as SQL spells them.
#pragma once

#include <string>
#include <string_view>

namespace daedalus::semantics::scalar {

// `room`: an empty text, which becomes the answer.

/// A name as it has to be written to mean just that: in double quotes where it is a key word, or not of small letters.
[[nodiscard]] std::string quoted_name(std::string_view name, std::string room = {});
/// A literal that means the text: quotes and backslashes doubled.
[[nodiscard]] std::string quoted_literal(std::string_view text, std::string room = {});

}  // namespace daedalus::semantics::scalar
