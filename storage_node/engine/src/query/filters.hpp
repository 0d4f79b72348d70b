// Filters of queries that take whole bitmaps of a chunk: aggregates and first rows of an order.
//
// Decides which queries filter alike, so that their rows are selected once, and whether what bitmaps over sketches
// leave of a chunk is tested by passes over columns or row by row. Refuses to know how those bitmaps come about.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "candidates.hpp"
#include "query_plan.hpp"

namespace daedalus::engine {

class Filters {
 public:
  Filters(const TableLayout& layout, const ChunkStore& store, const Sketches& sketches);

  /// For one cycle: finds the filters of the plan's sketch queries. Cost: a hash of each, a comparison where two are
  /// the same.
  void begin(const QueryPlan& plan, const std::vector<QueryRun>& queries);

  /// Returns whether sketch query number `number` of the plan takes its rows here.
  [[nodiscard]] bool has(size_t number) const { return is_filtered_[number] != 0; }

  /// Names one query of each filter, by number of the sketch query: whose bitmaps are to be written to candidates().
  [[nodiscard]] std::span<const uint32_t> firsts() const { return firsts_; }

  /// Returns where the candidates of filter number `filter` go: a bitmap of the chunk, whole blocks of sketches.
  [[nodiscard]] uint64_t* candidates(size_t filter) { return bitmaps_.data() + filter * words_; }

  /// Lets the queries of every filter take those of its candidates that pass.
  void take(const QueryPlan& plan, std::vector<QueryRun>& queries, const ChunkView& view, Candidates& candidates);

 private:
  struct Member {
    uint64_t hash = 0;    ///< Hashes what it filters by.
    uint32_t number = 0;  ///< Numbers the sketch query.
  };

  /// Drops candidates that do not pass. How many of the query's tests that were: all of them, unless so few are left
  /// that it is cheaper to go on row by row.
  [[nodiscard]] uint32_t narrow(const QueryPlan& plan, const QueryRun& run, uint32_t query, const ChunkView& view,
                                uint64_t* selection);
  void mark_clause(const CompiledPredicate& predicate, const CompiledClause& clause, const LiteralMarker& marker,
                   const uint64_t* among, uint32_t words);
  void test_rows(uint32_t query, uint32_t known, const uint64_t* selection, const ChunkView& view,
                 Candidates& candidates);

  const TableLayout* layout_;
  const Sketches* sketches_;
  uint32_t words_;                    ///< Counts the words of a bitmap.
  std::vector<uint8_t> is_filtered_;  ///< By number of the sketch query.
  std::vector<Member> members_;       ///< Members of one filter lie side by side.
  std::vector<uint32_t> firsts_;      ///< By filter.
  std::vector<uint32_t> ends_;        ///< By filter: where its members end.
  std::vector<uint64_t> bitmaps_;
  SelectionScratch scratch_;
  std::vector<uint32_t> rows_;
};

}  // namespace daedalus::engine
