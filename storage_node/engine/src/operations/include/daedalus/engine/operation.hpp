// Defines what goes into a segment and what comes out of it: queries and updates, answers and outcomes.
//
// Decides nothing: these are the words that all rooms of the engine share with whoever uses it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "daedalus/base/byte_budget.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/base/units.hpp"
#include "daedalus/semantics/answer.hpp"
#include "daedalus/semantics/update.hpp"

namespace daedalus::engine {

/// The caller's name for a query; unique among those in flight.
enum class QueryHandle : uint64_t {};

/// Shared by all segments of a node. An aborted query ends with error 57014 at the next cycle, at one of the next
/// chunks, or between two rows that are computed one at a time.
struct Query {
  QueryHandle handle{};
  std::shared_ptr<const semantics::Selection> selection;
  Instant deadline = kNever;                         ///< Past it the query is dropped unanswered-by-rows: error 57014.
  std::shared_ptr<const std::atomic<bool>> aborted;  ///< May be null.
  /// The condition, where the selection is shared by queries with other values. Null: the selection's own.
  std::shared_ptr<const semantics::Predicate> bound;
  /// How long it may compute in a segment beside what SegmentOptions::compute_ns_per_row allows, if that is less than
  /// SegmentOptions::compute_ns_max. 0: as long as that.
  int64_t compute_ns_max = 0;
  /// The moment that it is to be answered at: exactly the updates up to this one. It is enqueued behind all of them
  /// that have a part in the segment. One that the segment no longer has is error 72000. Nothing: the prefix of its
  /// cycle.
  std::optional<Timestamp> at = std::nullopt;
  /// An answer that has about so many bytes of rows ends behind a slot: it has every row that the query sees before
  /// QueryOutput::next_slot, and a slice from that slot on, at the same moment, has the next ones. 0: it is whole.
  /// Precondition: the selection can_stream() and has no slice.
  uint64_t piece_bytes = 0;

  [[nodiscard]] const semantics::Predicate& predicate() const { return bound ? *bound : selection->predicate; }
};

/// Rows of one insert part that live in this segment. `owner` keeps the bytes alive.
struct InsertRows {
  std::shared_ptr<const std::string> owner;
  std::vector<std::string_view> rows;  ///< Packed, after their u32 size; checked already.
};

using UpdatePart = std::variant<InsertRows, std::shared_ptr<const semantics::ModifyPart>,
                                std::shared_ptr<const semantics::DeletePart>>;

/// Slots that follow each other.
struct SlotRun {
  uint32_t first = 0;
  uint32_t count = 0;

  friend bool operator==(const SlotRun&, const SlotRun&) = default;
};

/// Says where inserted rows went, in the order of the rows.
using SlotRuns = std::vector<SlotRun>;

/// One update as this segment sees it; parts take effect in order and together. No parts: only the prefix moves.
struct Update {
  Timestamp timestamp{};
  std::vector<UpdatePart> parts;
  /// It is there for an update that was applied before, and is replayed: UpdateOutput::slots of that time. See
  /// Segment::finish_restore().
  std::optional<SlotRuns> recorded = std::nullopt;
};

/// The answer of this segment to one query in partial form (semantics/answer.hpp), from one prefix: all of it, or one
/// part where SegmentOptions::answer_part_bytes allows parts. Parts come in the order of their rows; what the query is
/// answered is whole only once the last has come without an error.
struct QueryOutput {
  QueryHandle handle{};
  Timestamp prefix{};  ///< Query::at, where the query names a moment.
  std::string rows;
  uint64_t row_count = 0;      ///< In `rows`.
  std::optional<Error> error;  ///< Set: rows is empty. 57014 aborted or too late, 54000 answer or groups too large, or
                               ///< computed for too long, 53200 no memory for more answers, 72000 a moment that is no
                               ///< longer to be had.
  bool is_last = true;         ///< False: rows that are ready ahead of the others. Never with an error.
  std::optional<uint64_t> next_slot;  ///< Set in the last of a slice, or of a query with Query::piece_bytes: the slice
                                      ///< that follows begins here. None: no slots are left.
  ByteLease lease;                    ///< The memory of `rows`.
};

/// Rows of an update that SET or WHERE failed on: they stayed as they were.
struct FailedRows {
  std::string sqlstate;
  uint64_t row_count = 0;

  friend bool operator==(const FailedRows&, const FailedRows&) = default;
};

/// Holds what one update did here. Insert parts match the rows they bring. The same sequence of updates has the same
/// outcomes, however it is cut into cycles.
struct UpdateOutput {
  Timestamp timestamp{};
  uint64_t rows_matched = 0;
  uint64_t rows_applied = 0;
  uint64_t refused_no_room = 0;
  uint64_t refused_overflow = 0;         ///< 22003.
  std::vector<uint64_t> part_rows = {};  ///< rows_applied by the part, in the order of Update::parts; empty where there
                                         ///< are fewer than two, or more than semantics::kCountedPartsMax.
  SlotRuns slots = {};                   ///< The slots of inserted rows that found room: no more runs than rows.
  std::vector<FailedRows> failed = {};   ///< By SQLSTATE, ascending, each once; none of them 22003.

  friend bool operator==(const UpdateOutput&, const UpdateOutput&) = default;
};

/// Counts rows that SET or WHERE failed on.
inline void count_refused(UpdateOutput& output, std::string_view sqlstate, uint64_t row_count = 1) {
  if (sqlstate == "22003") {
    output.refused_overflow += row_count;
    return;
  }
  const auto place = std::partition_point(output.failed.begin(), output.failed.end(),
                                          [=](const FailedRows& failed) { return failed.sqlstate < sqlstate; });
  if (place != output.failed.end() && place->sqlstate == sqlstate) {
    place->row_count += row_count;
  } else {
    output.failed.insert(place, FailedRows{std::string(sqlstate), row_count});
  }
}

using Output = std::variant<QueryOutput, UpdateOutput>;

}  // namespace daedalus::engine
