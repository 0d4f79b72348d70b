// The hash of group keys.
#pragma once

#include <cstdint>

namespace daedalus::engine {

/// Hash of `size` bytes; the same bytes always have the same hash.
[[nodiscard]] uint64_t hash_bytes(const uint8_t* bytes, uint32_t size) noexcept;

}  // namespace daedalus::engine
