// What the first line of the log says about the machine.
#pragma once

#include <string>

namespace daedalus::aggregator {

/// The widest instruction set of this processor that matters to scans: "AVX-512", "AVX2", "SSE4.2", "NEON" or "plain".
[[nodiscard]] std::string instruction_set();

/// NUMA nodes and their cores, as the kernel lists them: "0:0-1 1:2-3"; "unknown" where it does not say.
[[nodiscard]] std::string numa_map();

}  // namespace daedalus::aggregator
