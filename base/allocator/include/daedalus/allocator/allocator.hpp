// The allocator of the programs, jemalloc, and how it treats memory that was freed.
#pragma once

namespace daedalus {

/// Freed memory stays with the process, for the next allocation, instead of going back to the kernel. Giving back and
/// getting anew cost up to some microseconds a page, and whoever happens to call free() would be held up by it. What a
/// process keeps is bounded by what it may hold: its budgets. For main(), before there are threads. Does nothing under
/// a sanitizer, which brings an allocator of its own. Source: jemalloc(3), opt.dirty_decay_ms.
void keep_freed_memory();

}  // namespace daedalus
