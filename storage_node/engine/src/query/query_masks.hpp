// Queries whose rows are found by masks: eight share a byte, and of each column that some of them name there is a table
// (kernels_masks.hpp).
//
// Decides which clauses of a query tables know, and which queries share a group: those that name the same columns.
// Refuses to know how rows are tested afterwards.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "clause_ranges.hpp"
#include "kernels_masks.hpp"
#include "key_choice.hpp"
#include "sketches.hpp"

namespace daedalus::engine {

struct QueryMasks {
  struct Column {
    uint32_t column = 0;
    uint32_t shift = 0;  ///< From its buckets to codes.
  };
  struct Group {
    uint32_t first_table = 0;
    uint32_t table_count = 0;
    uint32_t query_count = 0;
    std::array<uint32_t, kMaskQueries> queries{};
  };

  std::vector<Column> columns;  ///< By place.
  std::vector<MaskTable> tables;
  std::vector<uint16_t> places;  ///< Holds the place of each table's column.
  std::vector<Group> groups;
};

/// Returns whether queries that may be found by masks are.
[[nodiscard]] inline bool uses_masks(AccessPaths paths) {
  return paths == AccessPaths::kMasks || (is_by_cost(paths) && paths != AccessPaths::kWithoutMasks && has_fast_masks());
}

class MaskPlanner {
 public:
  MaskPlanner(const Sketches& sketches, uint32_t column_count) : sketches_(&sketches), place_(column_count, kNone) {}

  /// Adds a query, unless masks would leave more than a fiftieth of the rows. `described` is there to be used.
  [[nodiscard]] bool add(const KeyedOperation& operation, ClauseRanges& described);

  /// Ends the adding. Cost: a sort of the queries, and eight words a clause.
  [[nodiscard]] QueryMasks end();

 private:
  static constexpr uint16_t kNone = UINT16_MAX;

  /// Holds what tables know of one query's clause.
  struct Use {
    uint16_t place = 0;
    uint64_t codes = 0;  ///< Bit c: rows of code c may satisfy it.
  };
  struct Member {
    uint64_t order = 0;
    uint32_t query = 0;
    uint32_t first = 0;  ///< In uses_.
    uint32_t count = 0;
  };

  [[nodiscard]] uint16_t place_of(uint32_t column);
  /// Which codes the ranges, all of one column, hold, and the share of rows that have them.
  [[nodiscard]] uint64_t codes_of(std::span<const SketchRange> ranges, uint32_t shift, double& share) const;
  void order_members();
  void add_group(std::span<const Member> members);

  const Sketches* sketches_;
  std::vector<uint16_t> place_;  ///< By column.
  std::vector<Use> uses_;
  std::vector<Member> members_;
  std::vector<uint16_t> table_of_;  ///< By place, of the group at hand.
  QueryMasks masks_;
};

}  // namespace daedalus::engine
