#include "daedalus/allocator/allocator.hpp"

#ifdef DAEDALUS_HAS_JEMALLOC
#include <jemalloc/jemalloc.h>
#include <sys/types.h>

#include <string>

#include "daedalus/base/check.hpp"
#endif

namespace daedalus {

#ifdef DAEDALUS_HAS_JEMALLOC

namespace {

/// After how many milliseconds unused pages go back to the kernel: never.
constexpr ssize_t kNever = -1;

void set(const std::string& name, ssize_t value) {
  CHECK(mallctl(name.c_str(), nullptr, nullptr, &value, sizeof(value)) == 0);
}

}  // namespace

void keep_freed_memory() {
  // The arenas that are still to come, and the one there is.
  for (const std::string arenas : {"arenas", "arena.0"}) {
    set(arenas + ".dirty_decay_ms", kNever);
    set(arenas + ".muzzy_decay_ms", kNever);
  }
}

#else

void keep_freed_memory() {}

#endif

}  // namespace daedalus
