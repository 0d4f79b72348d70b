// How the C library's allocator treats memory that was freed.
#pragma once

namespace daedalus {

/// Freed memory stays with the process, for the next allocation, instead of going back to the kernel at once. Giving
/// back and getting anew cost up to some microseconds a page; the library trims up to 64 MiB in one call of free(),
/// which would hold up whoever makes it for tens of milliseconds. What a process keeps is bounded by what it may hold:
/// its budgets. For main(), before there are threads. Source: mallopt(3).
void keep_freed_memory();

}  // namespace daedalus
