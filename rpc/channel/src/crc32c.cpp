#include "daedalus/rpc/crc32c.hpp"

#include <boost/crc.hpp>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace daedalus::rpc {

namespace portable {

uint32_t crc32c(std::string_view bytes) noexcept {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

}  // namespace portable

#if defined(__x86_64__)

namespace {

__attribute__((target("sse4.2"))) uint32_t crc32c_sse42(std::string_view bytes) noexcept {
  const char* at = bytes.data();
  size_t left = bytes.size();
  uint64_t crc = 0xFFFFFFFF;
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

uint32_t crc32c(std::string_view bytes) noexcept {
  static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
  return has_instruction ? crc32c_sse42(bytes) : portable::crc32c(bytes);
}

#else

uint32_t crc32c(std::string_view bytes) noexcept { return portable::crc32c(bytes); }

#endif

}  // namespace daedalus::rpc
