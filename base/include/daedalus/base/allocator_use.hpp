// How much memory a process has from its allocator.
#pragma once

#include <cstdint>

namespace daedalus {

struct AllocatorUse {
  uint64_t allocated_bytes = 0;  ///< What the program has asked for and not freed.
  uint64_t resident_bytes = 0;   ///< What the allocator holds: that, and what it keeps for later.
};

}  // namespace daedalus
