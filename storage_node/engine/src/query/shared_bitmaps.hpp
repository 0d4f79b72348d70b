// The bitmaps that the queries of one cycle share: one for each bound of a range of buckets that some query has.
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

  /// The bitmaps of one range, or of the union of several. Precondition: missing() gave a number.
  [[nodiscard]] SketchSpan add(std::span<const SketchRange> ranges);

  /// Ends the adding: bounds are brought into the order of their columns.
  void end();

 private:
  static constexpr uint16_t kNone = UINT16_MAX;

  [[nodiscard]] uint16_t find(uint32_t column, uint8_t bound) const {
    const uint16_t slot = slots_[column];
    return slot == kNone ? kNone : numbers_[slot][bound];
  }
  [[nodiscard]] uint16_t find_or_add(uint32_t column, uint8_t bound);
  [[nodiscard]] SketchSpan span_of(const SketchRange& range);

  QueryPlan* plan_;
  std::vector<uint16_t> slots_;                     ///< By column: where its numbers are.
  std::vector<std::array<uint16_t, 256>> numbers_;  ///< Of bitmaps, by bound.
};

}  // namespace daedalus::engine
