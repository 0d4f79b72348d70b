// Counts how operations ended, in the payload of a frame of results, without making messages of it.
#pragma once

#include <cstdint>
#include <string_view>

namespace daedalus::aggregator::bench {

struct Endings {
  uint64_t answered = 0;  ///< QueryEnd.
  uint64_t failed = 0;    ///< Error, or anything else that is not rows.
  uint64_t rows = 0;
  bool is_whole = true;  ///< False where the bytes are no batch of results.
};

/// `payload` is a ResultBatch. Cost: one step a field, no allocation.
[[nodiscard]] Endings count_endings(std::string_view payload) noexcept;

}  // namespace daedalus::aggregator::bench
