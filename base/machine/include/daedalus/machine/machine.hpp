// Describes this machine: for the first log line of a process, and for pinning threads. Knows nothing of the product.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace daedalus {

/// The best of "AVX-512", "AVX2", "SSE4.2", "NEON", "baseline".
[[nodiscard]] std::string instruction_set();
/// Such as "0: 0-1, 1: 2-3": CPUs by NUMA node; "unknown" where the system does not say.
[[nodiscard]] std::string numa_map();
/// CPUs this process may run on, ascending; at least one.
[[nodiscard]] std::vector<uint32_t> usable_cpus();
/// Lets this process open as many files as it may, up to 65,536, and says how many these are.
uint64_t raise_descriptor_limit();

}  // namespace daedalus
