// One segment, one list of rows, and the same operations for both: where they differ is a bug of the engine.
//
// Decides how operations are cut into cycles and what counts as a difference. A round is plain data, so that one that
// fails can be cut down to the few operations that matter.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "operation_mix.hpp"

namespace daedalus::engine::test {

using Operation = std::variant<Query, Update>;

struct RoundStep {
  Operation operation;
  uint32_t burst = 0;  ///< Operations of one burst are enqueued together. Bursts ascend.
};

struct Round {
  TestTable table = TestTable::kUsual;
  SegmentOptions options;
  std::vector<RoundStep> steps;
};

/// Options for a segment: chunks of all sizes, from one chunk on, few or many operations a cycle.
[[nodiscard]] SegmentOptions random_options(Random& random);
/// Mostly the usual one: rounds on the others take several times as long.
[[nodiscard]] TestTable random_table(Random& random);

struct RoundSize {
  uint64_t operations = 0;
  uint64_t preload_rows_max = 1400;  ///< The plain table looks at each of them for every operation.
};

/// A round of so many operations; fewer when what `operations` is fed with runs out. Options, the looks of the table
/// and its first rows come from `table`; both may be the same.
[[nodiscard]] Round random_round(Random& table, Random& operations, RoundSize size);

/// Updates alone, at most that many in a burst.
[[nodiscard]] Round without_queries(Round round, uint32_t burst_max);

/// Counts the cases that rounds came by, so that a test can say that none was missed.
struct SeenCases {
  uint64_t queries_of_no_row = 0;     ///< Counts queries of a segment without rows,
  uint64_t queries_of_one_row = 0;    ///< with one,
  uint64_t queries_of_one_chunk = 0;  ///< of one chunk,
  uint64_t queries_of_all_slots = 0;  ///< and with a row in every slot.
  uint64_t answers_with_rows = 0;
  uint64_t answers_without = 0;
  uint64_t rows_without_room = 0;
  uint64_t rows_overflowed = 0;

  [[nodiscard]] bool is_complete() const {
    return queries_of_no_row > 0 && queries_of_one_row > 0 && queries_of_one_chunk > 0 && queries_of_all_slots > 0 &&
           answers_with_rows > 0 && answers_without > 0 && rows_without_room > 0 && rows_overflowed > 0;
  }
};

/// Runs the round on a segment and on a list of rows. What is wrong at the first difference; empty: nothing. Adds to
/// `sightings` if there are any.
[[nodiscard]] std::string fault_of(const Round& round, SeenCases* seen_cases = nullptr);

/// Finds an equal fault in fewer operations with fewer clauses. Precondition: the round has one. Cost: hundreds of
/// runs.
[[nodiscard]] Round shrunk(Round round);

/// The round for a person to read.
[[nodiscard]] std::string text_of(const Round& round);

}  // namespace daedalus::engine::test
