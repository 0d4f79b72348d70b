#include "daedalus/allocator/allocator.hpp"

#ifdef DAEDALUS_HAS_JEMALLOC
#include <jemalloc/jemalloc.h>
#include <sys/types.h>

#include <string>

#include "daedalus/base/check.hpp"

// jemalloc reads this when it starts; the second setting cannot be changed later. Unused pages are never given back
// (decay), so freed neighbours join to ever larger extents. An extent more than 2^lg_extent_max_active_fit times as
// large as what is asked for is not cut for it: at the default of 6 the large ones would be left alone, and the process
// would grow for good.
const char* malloc_conf = "dirty_decay_ms:-1,muzzy_decay_ms:-1,lg_extent_max_active_fit:40";
#endif

namespace daedalus {

#ifdef DAEDALUS_HAS_JEMALLOC

namespace {

constexpr size_t kExtentFit = 40;

template <typename T>
T read(const char* name) {
  T value{};
  size_t size = sizeof value;
  CHECK(mallctl(name, &value, &size, nullptr, 0) == 0);
  return value;
}

}  // namespace

bool keeps_freed_memory() {
  constexpr ssize_t kNever = -1;
  return read<ssize_t>("opt.dirty_decay_ms") == kNever && read<ssize_t>("opt.muzzy_decay_ms") == kNever &&
         read<size_t>("opt.lg_extent_max_active_fit") == kExtentFit;
}

AllocatorUse allocator_use() {
  uint64_t epoch = 1;  // Figures are those of the last time that this was set.
  CHECK(mallctl("epoch", nullptr, nullptr, &epoch, sizeof epoch) == 0);
  return {read<size_t>("stats.allocated"), read<size_t>("stats.resident")};
}

#else

bool keeps_freed_memory() { return true; }

AllocatorUse allocator_use() { return {}; }

#endif

}  // namespace daedalus
