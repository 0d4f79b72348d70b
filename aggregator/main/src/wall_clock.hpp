// Tells the time to statements that ask for it.
#pragma once

#include <chrono>
#include <cstdint>

namespace daedalus::aggregator {

/// Returns what now() folds to: microseconds since 1970.
[[nodiscard]] inline int64_t wall_clock_us() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(since_epoch).count();
}

}  // namespace daedalus::aggregator
