// CRC-32C (Castagnoli, reflected, as in iSCSI, RFC 3720): one checksum, two ways to compute it.
#pragma once

#include <cstdint>
#include <string_view>

namespace daedalus {

/// Checksum of `bytes`, behind those whose checksum is `before`. Uses the processor's instruction where there is one.
/// Cost: one pass, about 3 cycles per 8 bytes.
[[nodiscard]] uint32_t crc32c(std::string_view bytes, uint32_t before = 0) noexcept;

namespace portable {
/// The plain twin: same results on any processor, one table look-up per byte.
[[nodiscard]] uint32_t crc32c(std::string_view bytes, uint32_t before = 0) noexcept;
}  // namespace portable

}  // namespace daedalus
