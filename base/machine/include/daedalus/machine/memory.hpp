// How much memory there is for this process: the machine's, or less where a control group says so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace daedalus {

struct MachineMemory {
  uint64_t total_bytes = 0;  ///< Whoever uses it.
  uint64_t available_bytes =
      /// Bytes that nobody else uses, or that are given back when they are asked for: caches of files.
      0;
};

/// Folders in which the kernel says it; others in tests.
struct MemorySources {
  std::string proc = "/proc";
  std::string control_groups = "/sys/fs/cgroup";
};

/// Nothing where the system does not say it. Control groups of both versions count, with all that lie above.
[[nodiscard]] std::optional<MachineMemory> machine_memory(const MemorySources& sources = {});

}  // namespace daedalus
