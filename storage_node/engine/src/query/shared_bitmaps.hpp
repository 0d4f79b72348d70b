// The bitmaps that the queries of one cycle share: one for each bound of a range of buckets that some query has, and
// one for each bucket that some query wants alone.
//
// Decides which bitmaps there are and what another query's range would cost. Refuses to know queries.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "clause_ranges.hpp"
#include "query_plan.hpp"

namespace daedalus::engine {

class SharedBitmaps {
 public:
  SharedBitmaps(uint32_t column_count, QueryPlan& plan) : plan_(&plan), slots_(column_count, kNone) {}

  /// How many more bitmaps these ranges would need; nothing when there is no room for them.
  [[nodiscard]] std::optional<uint32_t> missing(std::span<const SketchRange> ranges) const;

  /// Returns whether buckets may still have bitmaps of their own. Half of all may: bounds, which all queries can do
  /// with, always find room.
  [[nodiscard]] bool has_room_for_buckets() const { return bucket_count_ < kSharedBitmapsMax / 2; }

  /// The bitmaps of one range, or of the union of several. Precondition: missing() gave a number.
  [[nodiscard]] SketchSpan add(std::span<const SketchRange> ranges);

  /// Ends the adding: bounds are brought into the order of their columns.
  void end();

 private:
  static constexpr uint16_t kNone = UINT16_MAX;

  /// Bounds, then buckets.
  static constexpr uint32_t kMarks = 512;
  static constexpr uint32_t bucket_mark(uint8_t bucket) { return 256u + bucket; }

  [[nodiscard]] uint16_t find(uint32_t column, uint32_t mark) const {
    const uint16_t slot = slots_[column];
    return slot == kNone ? kNone : numbers_[slot][mark];
  }
  [[nodiscard]] uint16_t find_or_add(uint32_t column, uint32_t mark);
  [[nodiscard]] SketchSpan span_of(const SketchRange& range);

  QueryPlan* plan_;
  uint32_t bucket_count_ = 0;                          ///< Bitmaps of single buckets.
  std::vector<uint16_t> slots_;                        ///< By column: where its numbers are.
  std::vector<std::array<uint16_t, kMarks>> numbers_;  ///< Holds the numbers of bitmaps.
};

}  // namespace daedalus::engine
