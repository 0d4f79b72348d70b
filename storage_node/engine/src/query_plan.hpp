// How the queries of one cycle find their rows: through an index over queries, or by predicates shared over sketches.
//
// Decides cost, never the answer: whatever a plan leaves open is tested on single rows. Planned once per cycle, in time
// that grows with the queries' clauses and with nothing else.
#pragma once

#include <cstdint>
#include <vector>

#include "key_choice.hpp"
#include "key_index.hpp"
#include "query_run.hpp"
#include "row_test.hpp"

namespace daedalus::engine {

/// Predicates whose bitmaps are held at a time: so many, of a chunk of 16K rows, fit the second-level cache.
constexpr uint32_t kSharedPredicatesMax = 512;

/// Buckets of one column's sketch; a shared predicate is a disjunction of such ranges.
struct SketchRange {
  uint32_t column = 0;
  uint8_t low = 0;
  uint8_t high = 0;

  friend bool operator==(const SketchRange&, const SketchRange&) = default;
};

/// Where something of a part begins in its list, and how much of it there is.
struct Part {
  uint32_t first = 0;
  uint32_t count = 0;
};

/// What remains to be tested on a query's candidates, each in the order of doing it.
struct QueryTests {
  Part sketches;         ///< In QueryPlan::sketch_tests.
  Part rows;             ///< In QueryPlan::row_tests.
  uint32_t inexact = 0;  ///< So many of the row tests, the first ones, remain where the sketch tests were done.
};

/// A query whose candidates are the rows that satisfy all its shared predicates.
struct SketchQuery {
  uint32_t query = 0;
  Part predicates;  ///< In QueryPlan::uses.
};

/// Queries whose predicates are held at the same time.
struct SketchBatch {
  Part queries;     ///< In QueryPlan::sketch_queries.
  Part predicates;  ///< In QueryPlan::predicates.
};

struct QueryPlan {
  std::vector<KeyIndex> indexes;
  std::vector<SketchBatch> batches;
  std::vector<SketchQuery> sketch_queries;
  std::vector<uint32_t> uses;    ///< Of a batch's predicates, by their number within it.
  std::vector<Part> predicates;  ///< In ranges.
  std::vector<SketchRange> ranges;
  std::vector<SketchTest> sketch_tests;
  std::vector<RowTest> row_tests;
  std::vector<QueryTests> tests_of;  ///< By query.
};

[[nodiscard]] QueryPlan plan_queries(const TableLayout& layout, const Sketches& sketches,
                                     const std::vector<QueryRun>& queries, AccessPaths paths);

}  // namespace daedalus::engine
