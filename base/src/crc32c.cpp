#include "daedalus/base/crc32c.hpp"

#include <boost/crc.hpp>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace daedalus {

namespace portable {

namespace {

/// Turns the bits round: the library's remainder so far is not reflected, though checksums are.
uint32_t unreflected(uint32_t bits) {
  uint32_t turned = 0;
  for (int bit = 0; bit < 32; ++bit, bits >>= 1) {
    turned = turned << 1 | (bits & 1);
  }
  return turned;
}

}  // namespace

uint32_t crc32c(std::string_view bytes, uint32_t before) noexcept {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc(unreflected(~before));
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

}  // namespace portable

#if defined(__x86_64__)

namespace {

__attribute__((target("sse4.2"))) uint32_t crc32c_sse42(std::string_view bytes, uint32_t before) noexcept {
  const char* at = bytes.data();
  size_t left = bytes.size();
  uint64_t crc = ~before;
  for (; left >= 8; left -= 8, at += 8) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    crc = _mm_crc32_u64(crc, word);
  }
  auto tail = static_cast<uint32_t>(crc);
  for (; left > 0; --left, ++at) {
    tail = _mm_crc32_u8(tail, static_cast<uint8_t>(*at));
  }
  return ~tail;
}

}  // namespace

uint32_t crc32c(std::string_view bytes, uint32_t before) noexcept {
  static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
  return has_instruction ? crc32c_sse42(bytes, before) : portable::crc32c(bytes, before);
}

#else

uint32_t crc32c(std::string_view bytes, uint32_t before) noexcept { return portable::crc32c(bytes, before); }

#endif

}  // namespace daedalus
