// Asking for memory ahead of its use.
#pragma once

#include <cstdint>

namespace daedalus::engine {

/// How far ahead single values are fetched: about as many as the memory answers at a time.
constexpr uint32_t kValuesInFlight = 24;

/// Fetches the cache line of `address`, which need not be valid. For functions that do nothing else: to GCC 12 a
/// function of __builtin_prefetch alone has no effect, and a call of it is deleted; the empty assembly is an effect.
inline void fetch_ahead(const void* address) {
  __builtin_prefetch(address);
  asm volatile("");
}

}  // namespace daedalus::engine
