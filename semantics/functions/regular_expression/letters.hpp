// Characters of ASCII by what they are, and what the lexer's parts say alike.
#pragma once

#include <string_view>

namespace daedalus::semantics::regular {

constexpr std::string_view kBadEscape = "invalid escape \\ sequence";
constexpr std::string_view kBadCount = "invalid repetition count(s)";

[[nodiscard]] inline bool is_digit(char32_t c) { return c >= '0' && c <= '9'; }
[[nodiscard]] inline bool is_letter(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
[[nodiscard]] inline bool is_space(char32_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace daedalus::semantics::regular
