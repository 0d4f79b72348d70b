// The allocator of the programs, jemalloc, and how it treats memory that was freed.
#pragma once

#include "daedalus/base/allocator_use.hpp"

namespace daedalus {

/// Says whether freed memory stays with the process, for the next allocation, instead of going back to the kernel: so
/// it is from the start of every program that links this library, unless its MALLOC_CONF says otherwise. Giving back
/// and getting anew cost up to some microseconds a page, and whoever happens to call free() would be held up by it.
/// What a process keeps is bounded by what it may hold: its budgets. Always true under a sanitizer, which brings an
/// allocator of its own. Source: jemalloc(3), opt.dirty_decay_ms, opt.lg_extent_max_active_fit.
[[nodiscard]] bool keeps_freed_memory();

/// Says what the process has now; under a sanitizer zeros. Cost: some microseconds for each core.
[[nodiscard]] AllocatorUse allocator_use();

}  // namespace daedalus
