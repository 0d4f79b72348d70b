// Buckets of how long cycles took: narrow enough that a percentile is true to an eighth, few enough to be told.
//
// The bounds are part of the wire (SegmentStatus.cycle_counts): whoever reads two counts, and subtracts, knows the
// cycles in between.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace daedalus::engine {

/// Bucket 0: below 2^14 ns. From there on eight to each doubling: bucket 1 + 8 i + j begins at (8 + j) 2^(11 + i) ns.
/// The last, from 15 * 2^30 ns (16.1 s) on, has all that is longer.
constexpr uint32_t kCycleBuckets = 161;

[[nodiscard]] constexpr uint32_t cycle_bucket(uint64_t duration_ns) {
  constexpr uint32_t kFirstOctave = 14;
  if (duration_ns < (uint64_t{1} << kFirstOctave)) {
    return 0;
  }
  const auto octave = static_cast<uint32_t>(std::bit_width(duration_ns)) - 1;
  const auto eighth = static_cast<uint32_t>(duration_ns >> (octave - 3)) & 7;
  return std::min(kCycleBuckets - 1, 1 + 8 * (octave - kFirstOctave) + eighth);
}

}  // namespace daedalus::engine
