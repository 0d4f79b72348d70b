// Defines what sketches can say about one clause of a predicate: ranges of buckets that hold every row it lets through.
//
// Decides nothing about cost. Refuses to know queries and chunks.
#pragma once

#include <cstdint>
#include <vector>

#include "compiled_predicate.hpp"
#include "sketches.hpp"

namespace daedalus::engine {

/// Buckets of one column's sketch, both ends included.
struct SketchRange {
  uint32_t column = 0;
  uint8_t low = 0;
  uint8_t high = 0;
  bool is_bucket = false;  ///< It has a bitmap of its own: both ends are one bucket of a column with many.
};

struct ClauseRanges {
  std::vector<SketchRange>
      ranges;             ///< A row that satisfies the clause is in one of them. Empty: there is no such form.
  double share = 1;       ///< Counts the share of rows that are in one of them.
  bool is_exact = false;  ///< Every row in one of them satisfies the clause.
};

/// Describes a clause. `out` is there to be used again and again. Disjunctions and lists that come to more than eight
/// ranges have no such form, but for the one range from a list's first to its last member.
/// Cost: some dozens of ns a range.
void describe_clause(const Sketches& sketches, const CompiledPredicate& predicate, uint32_t clause, ClauseRanges& out);

/// The range with ends that a column of many buckets shares between queries: bounds_max of them at most, so that
/// thousands of queries have few bitmaps in common. It holds the range given; false if it holds more.
[[nodiscard]] bool widen(const Histogram& histogram, uint32_t bounds_max, SketchRange& range);

}  // namespace daedalus::engine
