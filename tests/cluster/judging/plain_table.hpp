// The plain model of the whole cluster: a list of rows, and the history of what every update made of it.
//
// Decides which rows each segment holds at any prefix, which segments a question concerns, and what every update did in
// each partition. Goes by what was asked (question.hpp) and by the plain twin of placement; knows nothing of nodes,
// messages, routes or time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "daedalus/base/units.hpp"
#include "plain_placement.hpp"
#include "question.hpp"

namespace daedalus::testing {

struct PlainRow {
  SegmentKey place;
  std::shared_ptr<const Row> values;  ///< Shared by all prefixes in which the row is the same.
};

/// Counts of what an update did in one partition.
struct PlainCounts {
  uint64_t rows_matched = 0;
  uint64_t rows_applied = 0;
  uint64_t rows_overflowed = 0;
  uint64_t rows_failed = 0;  ///< They divide by zero.
  uint64_t rows_without_room = 0;

  friend bool operator==(const PlainCounts&, const PlainCounts&) = default;
};

/// By partition: those that hold, or by what was asked could hold, rows that the update is about.
using PlainOutcome = std::map<uint32_t, PlainCounts>;

[[nodiscard]] uint64_t rows_applied(const PlainOutcome& outcome);

class PlainTable {
 public:
  PlainTable(const semantics::Schema& schema, const contract::PartitionMap& map, uint32_t segments_per_partition);

  /// How many rows a segment holds, from now on; any number before.
  void set_room(uint64_t rows) { room_ = rows; }

  /// Applies the next update in order. Integer overflow of `col + c`, and division by zero, leave
  /// the row as it was.
  void apply(const std::vector<PlainPart>& parts);

  /// Forgets the updates after `last`: no node has taken them, and another writer numbers from there.
  void truncate(Timestamp last);

  [[nodiscard]] const semantics::Schema& schema() const { return schema_; }
  [[nodiscard]] const PlainPlacement& placement() const { return placement_; }
  [[nodiscard]] Timestamp last() const { return Timestamp{history_.size() - 1}; }
  [[nodiscard]] const PlainOutcome& outcome(Timestamp timestamp) const { return outcomes_.at(raw(timestamp)); }
  /// How many rows each part of an update was applied to.
  [[nodiscard]] const std::vector<uint64_t>& part_rows(Timestamp timestamp) const {
    return part_rows_.at(raw(timestamp));
  }

  /// Rows that the filter selects when each of these segments is in the prefix given for it.
  [[nodiscard]] std::vector<std::shared_ptr<const Row>> select(const Filter& filter,
                                                               const std::map<SegmentKey, Timestamp>& prefixes) const;

  /// Every segment in which the filter could select a row, at any time and whatever its other columns held: shown by
  /// the rows that have ever been inserted. Where places do not depend on values, a row like each of them could be
  /// anywhere.
  [[nodiscard]] std::set<SegmentKey> concerned(const Filter& filter) const;

  /// Every segment at one prefix.
  [[nodiscard]] std::map<SegmentKey, Timestamp> everything_at(Timestamp prefix) const;

  /// Returns whether the updates after `from`, up to `to`, did anything to rows of this segment.
  [[nodiscard]] bool changed(SegmentKey place, Timestamp from, Timestamp to) const;

 private:
  using Rows = std::vector<PlainRow>;

  void apply(const PlainInsert& part, uint64_t& ordinal, Rows& rows, PlainOutcome& outcome);
  /// Returns whether one more row of the next update finds room there, and takes it: room that the update itself frees
  /// is there for later ones.
  [[nodiscard]] bool take_room(SegmentKey place);
  void apply(const PlainModify& part, Rows& rows, PlainOutcome& outcome) const;
  void apply(const PlainDelete& part, Rows& rows, PlainOutcome& outcome) const;
  void add_concerned(const Filter& filter, PlainOutcome& outcome) const;

  const semantics::Schema& schema_;
  PlainPlacement placement_;
  uint64_t room_ = UINT64_MAX;
  /// The rows of each segment, when the update that is being applied began, and by it.
  std::map<SegmentKey, uint64_t> taken_;
  std::vector<std::shared_ptr<const Rows>> history_;  ///< Index is the timestamp.
  std::vector<PlainOutcome> outcomes_;                ///< Likewise.
  std::vector<std::vector<uint64_t>> part_rows_;      ///< Likewise.
  Rows inserted_;                                     ///< Every row that was ever to be inserted, as it was asked for.
};

}  // namespace daedalus::testing
