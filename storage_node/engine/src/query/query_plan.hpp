// How the queries of one cycle find their rows: through an index over queries, or by predicates shared over sketches.
//
// Decides cost, never the answer: whatever a plan leaves open is tested on single rows. Planned once per cycle, in time
// that grows with the queries' clauses and with nothing else.
#pragma once

#include <cstdint>
#include <vector>

#include "query_index.hpp"
#include "query_keys.hpp"
#include "query_masks.hpp"
#include "query_run.hpp"
#include "row_test.hpp"

namespace daedalus::engine {

/// Bitmaps of a block of rows that are held at a time, at most: so many fit into the second-level cache.
constexpr uint32_t kSharedBitmapsMax = 4096;

/// A bitmap over the sketches of a block: its rows whose bucket is above a bound, or is this one.
struct SketchBound {
  uint32_t column = 0;
  uint16_t bitmap = 0;  ///< Its number.
  uint8_t bound = 0;
  bool is_bucket = false;  ///< Rows in the bucket `bound` itself.
};

/// Says where something of a part begins in its list, and how much of it there is.
struct Part {
  uint32_t first = 0;
  uint32_t count = 0;
};

/// Holds what remains to be tested on a query's candidates, each in the order of doing it.
struct QueryTests {
  bool has_window = false;  ///< Its window in QueryPlan::windows rules some rows out.
  Part rows;                ///< In QueryPlan::row_tests.
  uint32_t inexact = 0;     ///< So many of the row tests, the first ones, remain where sketches were tested.
};

/// Rows of one range of buckets, by numbers of bitmaps: above the one and not above the other.
struct SketchSpan {
  uint16_t within = 0;
  uint16_t without = 0;
  bool has_within = false;
  bool has_without = false;
};

/// A bitmap that joins several ranges: that of a disjunction or a list.
struct SketchUnion {
  uint16_t bitmap = 0;
  Part spans;  ///< In QueryPlan::spans.
};

/// A query whose candidates are the rows that bitmaps leave.
struct SketchQuery {
  uint32_t query = 0;
  Part within;   ///< In QueryPlan::uses: bitmaps that a row is in,
  Part without;  ///< and bitmaps that it is not in.
};

struct QueryPlan {
  std::vector<QueryIndex> indexes;
  std::vector<SketchQuery> sketch_queries;
  QueryMasks masks;
  std::vector<SketchBound> bounds;  ///< By column.
  std::vector<SketchUnion> unions;  ///< Made after all bounds.
  std::vector<SketchSpan> spans;
  std::vector<uint16_t> uses;  ///< Numbers of bitmaps.
  uint32_t bitmap_count = 0;
  std::vector<SketchWindow> windows;  ///< By query: tests on its rows' sketches.
  std::vector<RowTest> row_tests;
  std::vector<QueryTests> tests_of;  ///< By query.
  /// Queries that ask several indexes, or that many rows of a chunk are candidates of; and by query its place among
  /// them, or kAlone. Empty: there are none.
  std::vector<uint32_t> joined;
  std::vector<uint32_t> joined_place;

  static constexpr uint32_t kAlone = UINT32_MAX;
};

[[nodiscard]] QueryPlan plan_queries(const TableLayout& layout, const Sketches& sketches,
                                     const std::vector<QueryRun>& queries, AccessPaths paths);

}  // namespace daedalus::engine
