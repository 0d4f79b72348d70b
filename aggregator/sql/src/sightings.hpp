// Which texts have been seen before, as far as a few kilobytes can tell.
//
// Decides nothing: whoever asks keeps what comes again and lets go what does not.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string_view>

namespace daedalus::aggregator::sql {

/// A fingerprint for each of many places: a text that came in between may have taken the place of another, and two
/// texts may have one fingerprint. Thread-safe, without a lock.
class Sightings {
 public:
  /// Whether the text was seen lately; from now on it was. Cost: a hash of it.
  bool seen_before(std::string_view text) {
    const uint64_t fingerprint = std::hash<std::string_view>()(text) | 1;  // 0: an empty place.
    return places_[fingerprint / 2 % places_.size()].exchange(fingerprint, std::memory_order_relaxed) == fingerprint;
  }

 private:
  /// Twice as many as statements are kept.
  std::array<std::atomic<uint64_t>, 4096> places_{};
};

}  // namespace daedalus::aggregator::sql
