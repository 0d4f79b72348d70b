// Characters of text as PostgreSQL's input functions see them: ASCII, whatever the locale.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace daedalus::semantics {

[[nodiscard]] constexpr bool is_digit(char32_t c) { return c >= '0' && c <= '9'; }
[[nodiscard]] constexpr bool is_letter(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
[[nodiscard]] constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
[[nodiscard]] constexpr char to_upper(char c) { return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c; }
[[nodiscard]] constexpr char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Says whether the C locale's isspace() takes it for white space.
[[nodiscard]] constexpr bool is_space(char32_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

[[nodiscard]] inline std::string in_capitals(std::string_view text) {
  std::string made(text);
  std::transform(made.begin(), made.end(), made.begin(), to_upper);
  return made;
}

[[nodiscard]] inline std::string in_small_letters(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), to_lower);
  return text;
}

}  // namespace daedalus::semantics
