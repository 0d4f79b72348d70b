#include "daedalus/semantics/utf8.hpp"

#include <cstdint>
#include <cstring>

namespace daedalus::semantics {
namespace {

constexpr uint64_t kHighBits = 0x8080808080808080u;
constexpr uint64_t kLowBits = 0x0101010101010101u;

/// Bytes of the well-formed sequence at `bytes`, or 0.
size_t sequence_size(const uint8_t* bytes, size_t left) noexcept {
  const uint8_t lead = bytes[0];
  size_t size = 0;
  if (lead >= 0x01 && lead <= 0x7f) {
    return 1;
  } else if (lead >= 0xc2 && lead <= 0xdf) {
    size = 2;
  } else if (lead >= 0xe0 && lead <= 0xef) {
    size = 3;
  } else if (lead >= 0xf0 && lead <= 0xf4) {
    size = 4;
  }
  if (size == 0 || size > left) {
    return 0;
  }
  for (size_t i = 1; i < size; ++i) {
    if ((bytes[i] & 0xc0) != 0x80) {
      return 0;
    }
  }
  const bool overlong = (lead == 0xe0 && bytes[1] < 0xa0) || (lead == 0xf0 && bytes[1] < 0x90);
  const bool beyond = (lead == 0xed && bytes[1] > 0x9f) || (lead == 0xf4 && bytes[1] > 0x8f);
  return overlong || beyond ? 0 : size;
}

}  // namespace

bool is_valid_text(std::string_view text) noexcept {
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  size_t at = 0;
  while (at < text.size()) {
    while (text.size() - at >= 8) {
      uint64_t word;
      std::memcpy(&word, bytes + at, 8);
      // No byte is zero and none has its high bit: eight characters of ASCII.
      if ((word & kHighBits) != 0 || ((word - kLowBits) & ~word & kHighBits) != 0) {
        break;
      }
      at += 8;
    }
    if (at == text.size()) {
      break;
    }
    const size_t size = sequence_size(bytes + at, text.size() - at);
    if (size == 0) {
      return false;
    }
    at += size;
  }
  return true;
}

}  // namespace daedalus::semantics
