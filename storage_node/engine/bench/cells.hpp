// One cell of the grid: a mix, so many queries, so many updates; the engine, and baselines in turn with it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "classic.hpp"
#include "column_read.hpp"
#include "engine_under_test.hpp"
#include "hash_index.hpp"
#include "plain_model.hpp"

namespace daedalus::engine::bench {

/// A ticket table in every form that a cell may need, each made when it is first asked for. All follow all updates.
class Bench {
 public:
  explicit Bench(uint32_t rows, Frequencies frequencies = Frequencies::kEqual, Width width = Width::kTicket)
      : table(rows, 0, frequencies, width) {}

  [[nodiscard]] EngineUnderTest& engine();
  [[nodiscard]] RowStore& store();
  [[nodiscard]] HashIndex& index();
  [[nodiscard]] PlainModel& model();
  [[nodiscard]] KeyColumns& keys();
  /// As many bytes as the sketches of this many columns.
  [[nodiscard]] std::span<const uint8_t> sketches(uint32_t columns);

  /// Tells the model, and the row store if there is one.
  void apply(const std::vector<TicketUpdate>& updates);

  TicketTable table;
  Caches caches;

 private:
  std::vector<TicketUpdate> applied_;  ///< For a row store that comes later.
  std::unique_ptr<EngineUnderTest> engine_;
  std::unique_ptr<RowStore> store_;
  std::unique_ptr<HashIndex> index_;
  std::unique_ptr<PlainModel> model_;
  std::unique_ptr<KeyColumns> keys_;
  std::unique_ptr<HugeArray<uint8_t>> sketches_;
};

struct CellRequest {
  std::string mix = "booking";
  uint32_t queries = 1;
  uint32_t updates = 0;
  uint32_t runs = 5;       ///< Each with queries of its own, after one that warms up and is not counted.
  double budget_ms = 1e9;  ///< No further run begins when the engine's runs have taken so long.
  bool warm = true;        ///< Otherwise the first run counts.
  uint64_t seed = 1;
  uint32_t checked_max = 64;  ///< So many queries' answers are compared with the model, in the last run.
  bool classic = false;
  bool classic_plus = false;
  bool index = false;
  bool keys = false;
  bool floor = false;            ///< Reading what the sweep reads.
  bool without_updates = false;  ///< Runs equal queries before the updates, too.
  Moment moment = Moment::kAfterUpdates;
};

/// Milliseconds of each run. Classic, classic+ and index answer the same queries; a run whose answers differ ends the
/// program.
struct CellResult {
  std::vector<double> engine_ms;
  std::vector<double> without_updates_ms;
  std::vector<double> classic_ms;
  std::vector<double> classic_plus_ms;
  std::vector<double> index_ms;
  std::vector<double> index_queries;  ///< Holds the times of those that the index serves.
  std::vector<double> keys_ms;
  std::vector<double> floor_ms;
  uint64_t rows = 0;  ///< Counts the rows of all answers, in the last run.
  uint64_t checked = 0;
  uint64_t wrong = 0;  ///< The number of checked answers whose content is not the model's.
};

[[nodiscard]] CellResult run_cell(Bench& bench, const CellRequest& request);

}  // namespace daedalus::engine::bench
