// Characters by their numbers.
#pragma once

#include <cstdint>
#include <string>

namespace daedalus::semantics::scalar {

/// In UTF-8. The code is one of Unicode's.
inline void append_character(std::string& text, uint32_t code) {
  if (code < 0x80) {
    text += static_cast<char>(code);
    return;
  }
  const int tails = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  // As many ones at its head as there are bytes, and a zero.
  text += static_cast<char>((0xf80U >> tails & 0xffU) | code >> (6 * tails));
  for (int tail = tails - 1; tail >= 0; --tail) {
    text += static_cast<char>(0x80U | (code >> (6 * tail) & 0x3fU));
  }
}

}  // namespace daedalus::semantics::scalar
