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

/// Fingerprints in many short rows, of each row those that came last: as many texts as are kept may come in turns, and
/// next to none of them pushes out another for ever. Two texts may have one fingerprint. Thread-safe, without a lock:
/// where two threads meet in one row, one's text may be forgotten.
class RecentTexts {
 public:
  /// Returns whether the text was seen lately, and remembers it. Cost: a hash of the text, two cache lines.
  bool seen_before(std::string_view text) {
    const uint64_t fingerprint = std::hash<std::string_view>()(text) | 1;  // 0: an empty place.
    uint64_t pushed = fingerprint;
    for (std::atomic<uint64_t>& place : rows_[fingerprint / 2 % rows_.size()].latest) {
      const uint64_t found = place.load(std::memory_order_relaxed);
      place.store(pushed, std::memory_order_relaxed);
      if (found == fingerprint || found == 0) {
        return found == fingerprint;
      }
      pushed = found;
    }
    return false;
  }

 private:
  struct alignas(64) Row {
    std::array<std::atomic<uint64_t>, 16> latest{};  ///< The last one first.
  };
  /// Twice as many places as statements are kept: what comes again after more others than that would not be kept for
  /// long. Rows so long that 2,048 texts fill hardly one.
  std::array<Row, 256> rows_{};
};

}  // namespace daedalus::aggregator::sql
