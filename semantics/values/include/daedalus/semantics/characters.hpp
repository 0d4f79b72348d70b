// Strings as characters of UTF-8. Text is well-formed wherever it comes from.
#pragma once

#include <cstdint>
#include <string_view>

namespace daedalus::semantics {

/// Bytes of the character that begins with this one.
[[nodiscard]] inline size_t character_size(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

[[nodiscard]] inline bool is_first_byte(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

[[nodiscard]] inline int64_t character_count(std::string_view text) {
  int64_t count = 0;
  for (const char c : text) {
    count += is_first_byte(c) ? 1 : 0;
  }
  return count;
}

/// Returns as many whole characters from the front as have at most `size` bytes.
[[nodiscard]] inline std::string_view first_bytes(std::string_view text, size_t size) {
  if (text.size() <= size) {
    return text;
  }
  while (size > 0 && !is_first_byte(text[size])) {
    --size;
  }
  return text.substr(0, size);
}

/// Says where character number `count` begins, from 0; the end where there are fewer.
[[nodiscard]] inline size_t offset_of(std::string_view text, int64_t count) {
  size_t at = 0;
  for (; count > 0 && at < text.size(); --count) {
    at += character_size(text[at]);
  }
  return at < text.size() ? at : text.size();
}

}  // namespace daedalus::semantics
