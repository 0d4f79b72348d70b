// Rows that queries may take, on their way to being tested and taken.
//
// Decides in which order tests are done: first one look at a row's sketches, then its values. Refuses to know how
// candidates were found.
#pragma once

#include <cstdint>
#include <vector>

#include "query_plan.hpp"

namespace daedalus::engine {

class Candidates {
 public:
  Candidates(const TableLayout& layout, const ChunkStore& store);

  /// A chunk is being swept. row_sketches: null where they do not exist. Plan and queries stay until the next chunk.
  void begin(const QueryPlan& plan, std::vector<QueryRun>& queries, const ChunkView& view, const uint8_t* row_sketches);

  /// Takes the rows of one query in ascending order.
  void add(uint32_t row, uint32_t query) { waiting_[waiting_count_++] = {row, query}; }
  /// So many wait that they should be tested.
  [[nodiscard]] bool is_full() const { return waiting_count_ >= kWaitingMax; }

  /// Tests all that wait; queries take those that pass.
  void test();
  /// Does the same for rows of one query, which are written over. The first `known` of its row tests they have passed.
  void test(uint32_t query, uint32_t* rows, uint32_t row_count, uint32_t known = 0);

 private:
  /// Enough that the memory's answers overlap, few enough to stay in the first caches.
  static constexpr size_t kWaitingMax = 4096;

  [[nodiscard]] bool has_sketches() const { return row_sketches_.bytes != nullptr; }
  [[nodiscard]] uint32_t test_level(uint32_t level, uint32_t count);
  /// Lets queries take the first so many of those that wait.
  void take(uint32_t count);
  void fetch_self(uint32_t position, uint32_t count) const;
  void fetch_outputs(uint32_t position, uint32_t count) const;
  void fetch_values(uint32_t position, uint32_t count) const;
  /// How many of a query's tests have to be done on rows of this chunk.
  [[nodiscard]] uint32_t row_test_count(const QueryTests& tests) const {
    return has_sketches() ? tests.inexact : tests.rows.count;
  }

  const TableLayout* layout_;
  const ChunkStore* store_;
  const QueryPlan* plan_ = nullptr;
  std::vector<QueryRun>* queries_ = nullptr;
  ChunkView view_;
  RowSketches row_sketches_;
  std::vector<Candidate> waiting_;  ///< Room for all; the first waiting_count_ are.
  uint32_t waiting_count_ = 0;
};

}  // namespace daedalus::engine
