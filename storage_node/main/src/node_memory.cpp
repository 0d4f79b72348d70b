#include "node_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "daedalus/base/units.hpp"

namespace daedalus::node {

namespace {

constexpr uint64_t kBesideMin = 256 * kMib;
constexpr uint64_t kBesideNow = 128 * kMib;  // This process alone uses so much: the others have what they use.
constexpr uint64_t kBesideShare = 16;

Result<void> check(const SegmentsDemand& demand, uint64_t room, const std::string& where, ErrorCategory category) {
  if (demand.bytes() <= room) {
    return {};
  }
  const uint64_t each = room / std::max(demand.count, 1u) / kMib;
  return Error{category, "53200",
               fmt::format("{} segments take {} MiB of memory, {} MiB of it for windows: {} MiB are left for them {}",
                           demand.count, (demand.bytes() + kMib - 1) / kMib, demand.count * demand.window_bytes / kMib,
                           room / kMib, where),
               each > 1
                   ? fmt::format("set segment_mib and window_mib to {} or less together, or have fewer segments", each)
                   : std::string("have fewer segments"),
               0};
}

}  // namespace

uint64_t memory_beside_segments(uint64_t total_bytes) {
  return std::min(total_bytes, std::max(kBesideMin, total_bytes / kBesideShare));
}

Result<void> check_total(const SegmentsDemand& demand, const MachineMemory& memory) {
  const uint64_t beside = memory_beside_segments(memory.total_bytes);
  return check(demand, memory.total_bytes - beside,
               fmt::format("by the {} MiB of this host, of which {} MiB stay free for answers and the system",
                           memory.total_bytes / kMib, beside / kMib),
               ErrorCategory::kRejected);
}

Result<void> check_available(const SegmentsDemand& demand, const MachineMemory& memory) {
  const uint64_t beside = std::min(memory.available_bytes, kBesideNow);
  return check(demand, memory.available_bytes - beside,
               fmt::format("on this host, where {} of {} MiB are available now and {} MiB stay free for answers",
                           memory.available_bytes / kMib, memory.total_bytes / kMib, beside / kMib),
               ErrorCategory::kFatal);
}

}  // namespace daedalus::node
