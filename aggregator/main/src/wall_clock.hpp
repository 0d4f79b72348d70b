// What time it is, for statements that ask.
#pragma once

#include <chrono>
#include <cstdint>

namespace daedalus::aggregator {

/// What now() folds to: microseconds since 1970.
[[nodiscard]] inline int64_t wall_clock_us() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(since_epoch).count();
}

}  // namespace daedalus::aggregator
