// The figures that need more than one table or more than one thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cells.hpp"

namespace daedalus::engine::bench {

struct Load {
  std::string mix = "booking";  ///< Or a form.
  uint32_t queries = 512;
  uint32_t updates = 0;
  Moment moment = Moment::kAfterUpdates;
  uint32_t runs = 5;
  uint64_t seed = 1;
};

/// Cycles over tables of several sizes with the same domains, so that candidates grow with the rows.
class Sizes {
 public:
  explicit Sizes(const std::vector<uint32_t>& row_counts);

  /// Milliseconds of each run, for each size; one run asks all sizes in turn.
  [[nodiscard]] std::vector<std::vector<double>> run(const Load& load);

 private:
  struct Size;
  std::vector<std::shared_ptr<Size>> sizes_;
  Caches caches_;
};

/// by_cost, keys, sketches, passes, masks, or without_X, where X is keys, pairs, sketch_keys, value_keys, alternatives,
/// masks, bitmaps, buckets, windows, gathering, bounds. Anything else is CHECKed.
[[nodiscard]] AccessPaths paths_of(const std::string& name);

/// One table under several ways of finding rows.
class Strategies {
 public:
  Strategies(uint32_t rows, std::vector<AccessPaths> ways);

  /// Milliseconds on the processor of each run under each of these ways, in turn on the same queries and updates.
  /// Answers that differ end the program. Updates go to all ways, asked or not, so that all hold the same rows. A way
  /// that takes longer than `hopeless_ms` while warming up, and three times as long as the first one asked, has no
  /// other run: that one counts.
  [[nodiscard]] std::vector<std::vector<double>> run(const Load& load, const std::vector<AccessPaths>& asked,
                                                     double hopeless_ms);

 private:
  TicketTable table_;
  std::vector<AccessPaths> ways_;
  std::vector<std::unique_ptr<EngineUnderTest>> engines_;  ///< By way.
  Caches caches_;
};

/// Two segments on a core each.
struct TwoSegments {
  std::vector<double> alone_ms;     ///< A cycle of either while the other rests; the mean of the two.
  std::vector<double> together_ms;  ///< A cycle of either while both run, the mean of the two.
};
[[nodiscard]] TwoSegments run_two_segments(uint32_t rows, const Load& load);

/// Many cycles under a steady mix, a pure read of plain memory after each.
struct Steady {
  std::vector<double> cycle_ms;
  std::vector<double> read_ms;
};
[[nodiscard]] Steady run_steady(uint32_t rows, uint32_t cycles, const Load& load);

/// Cycles beside one update that changes a third of all rows, in turn: processor times.
struct Bulk {
  std::vector<double> queries_ms;  ///< The queries alone,
  std::vector<double> update_ms;   ///< the update alone,
  std::vector<double> after_ms;    ///< the update with queries that see what it made,
  std::vector<double> before_ms;   ///< and with queries that see the rows as they were.
};
[[nodiscard]] Bulk run_bulk(uint32_t rows, const Load& load);

/// Sums of one column, nothing beside them, in turn with reading the column's values as plain memory.
struct Aggregate {
  std::vector<double> engine_ms;
  std::vector<double> read_ms;
};
[[nodiscard]] Aggregate run_aggregate(Bench& bench, uint32_t column, uint32_t runs);

}  // namespace daedalus::engine::bench
