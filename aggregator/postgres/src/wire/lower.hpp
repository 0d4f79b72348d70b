// Names that are alike whatever the case of their letters.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace daedalus::postgres {

/// A letter of ASCII in lower case; any other character as it is.
[[nodiscard]] constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// With the letters of ASCII in lower case.
[[nodiscard]] inline std::string lower(std::string_view text) {
  std::string made(text);
  std::transform(made.begin(), made.end(), made.begin(), [](char c) { return lower(c); });
  return made;
}

}  // namespace daedalus::postgres
