// How much memory a process has from its allocator.
#pragma once

#include <cstdint>

namespace daedalus {

struct AllocatorUse {
  uint64_t allocated_bytes = 0;  ///< Bytes that the program has asked for and not freed.
  /// Bytes that the allocator holds: those, and what it keeps for later.
  uint64_t resident_bytes = 0;
};

}  // namespace daedalus
