#include "daedalus/machine/allocator.hpp"

#include <malloc.h>

namespace daedalus {

void keep_freed_memory() {
  // Another allocator, a sanitizer's, refuses all three, and does as it does.
  // Blocks below 32 MiB, the largest threshold there is, come from heaps; heaps are as large as 64 MiB and are given
  // back neither in part nor whole.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
}

}  // namespace daedalus
