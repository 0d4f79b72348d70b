// How answers leave a segment: rows wait in their query's own buffer, then in one ring from which the consumer takes
// them.
//
// Decides how much may wait where, so that a slow consumer costs memory that was declared and never the scan's time:
// with the ring full, rows stay in their query's buffer; with the memory for answers spent, the query that wants more
// fails. Refuses to know what rows are.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "answer_memory.hpp"
#include "column_vector.hpp"
#include "daedalus/engine/operation.hpp"
#include "daedalus/engine/segment_options.hpp"
#include "deadline_check.hpp"
#include "ring.hpp"

namespace daedalus::engine {

/// The ring out of a segment. One scanner puts, one consumer takes.
class Outlet {
 public:
  /// Every operation has a place for its last output; beside them `parts_max` parts of answers may wait.
  Outlet(uint32_t operations_max, uint32_t parts_max) : parts_max_(parts_max), ring_(operations_max + parts_max) {}

  /// Scanner. There is room: no operation has two last outputs.
  void put_last(Output output) {
    CHECK(ring_.push(std::move(output)));
    ++put_count_;
  }

  /// Scanner. Whether a part may be put.
  [[nodiscard]] bool has_room_for_part() const { return parts_.load(std::memory_order_acquire) < parts_max_; }

  /// Scanner. Precondition: has_room_for_part().
  void put_part(QueryOutput part) {
    parts_.fetch_add(1, std::memory_order_relaxed);
    CHECK(ring_.push(Output{std::move(part)}));
    ++put_count_;
  }

  /// Consumer. The oldest output.
  [[nodiscard]] std::optional<Output> take() {
    Output* output = ring_.front();
    if (output == nullptr) {
      return std::nullopt;
    }
    std::optional<Output> taken = std::move(*output);
    ring_.pop();
    if (const auto* answer = std::get_if<QueryOutput>(&*taken); answer != nullptr && !answer->is_last) {
      // Release: who sees this place counted as free sees that it is.
      parts_.fetch_sub(1, std::memory_order_release);
    }
    return taken;
  }

  /// Scanner. All that was ever put.
  [[nodiscard]] uint64_t put_count() const { return put_count_; }

 private:
  const uint32_t parts_max_;
  SpscRing<Output> ring_;
  std::atomic<uint32_t> parts_{0};
  uint64_t put_count_ = 0;
};

/// How long queries of one segment may compute.
struct ComputeLimits {
  int64_t ns_max = INT64_MAX;
  int64_t ns_per_row = 0;
  uint64_t rows = 0;  ///< Counts the rows of the segment when queries are admitted.

  /// For a query that asks for so long; 0: as long as it may.
  [[nodiscard]] int64_t allowed(int64_t asked_ns) const {
    const int64_t own = asked_ns > 0 ? std::min(asked_ns, ns_max) : ns_max;
    const Int128 whole = Int128{own} + Int128{ns_per_row} * Int128{rows};
    return static_cast<int64_t>(std::min(whole, Int128{INT64_MAX}));
  }
};

/// Holds what the queries of one cycle share on the way out. The scanner's alone.
class AnswerFlow {
 public:
  explicit AnswerFlow(const SegmentOptions& options)
      : answer_bytes_max(options.answer_bytes_max),
        answer_owner(options.answer_owner),
        part_bytes(options.answer_part_bytes),
        compute{options.compute_ns_max, options.compute_ns_per_row},
        memory(options.answer_budget != nullptr
                   ? AnswerMemory(options.answer_budget, options.answer_owner)
                   : AnswerMemory(options.answers_waiting_bytes_max, options.answer_owner)) {
    ready.reserve(options.share_factor_max);
  }

  const uint64_t answer_bytes_max;  ///< Bounds one query in one segment.
  const std::string answer_owner;   ///< Whose setting that is.
  const uint64_t part_bytes;        ///< From so many on, rows leave before their answer is complete.
  ComputeLimits compute;
  AnswerMemory memory;            ///< Accounts for rows in their queries' buffers, groups and orders in progress.
  Instant now{};                  ///< When the scanner last looked at the clock; judges deadlines.
  DeadlineCheck deadline_check;   ///< Watches the time of those for whom the scanner computes rows.
  std::vector<VectorRoom> rooms;  ///< Says where the computed outputs of one query's batch are made.
  std::vector<uint32_t> ready;    ///< Queries that have ended or have a part to hand over, each once.
};

}  // namespace daedalus::engine
