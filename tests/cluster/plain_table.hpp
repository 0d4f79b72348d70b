// The plain model of the whole cluster: a list of rows and the history of what every update made of it.
//
// Decides what any query may answer, given the prefix that each segment says it was in. Knows placement, since prefixes
// are per segment; knows nothing of nodes, messages or time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "daedalus/contract/translate.hpp"
#include "daedalus/semantics/types.hpp"

namespace daedalus::testing {

/// (partition, segment).
using SegmentKey = std::pair<uint32_t, uint32_t>;

struct PlainRow {
  SegmentKey place;
  std::vector<semantics::Value> values;
};

/// What the confirmation of an update must add up to, over all partitions.
struct PlainOutcome {
  uint64_t rows_matched = 0;
  uint64_t rows_applied = 0;
  uint64_t rows_overflowed = 0;
};

class PlainTable {
 public:
  PlainTable(const semantics::Schema& schema, const contract::PartitionMap& map, uint32_t segments_per_partition);

  /// Applies the next update in order. Integer overflow of `col + c` leaves the row as it was.
  PlainOutcome apply(const std::string& body);

  [[nodiscard]] Timestamp last() const { return Timestamp{history_.size() - 1}; }

  /// Rows that qualify when each segment is in the prefix given for it, as sorted packed rows of all columns.
  [[nodiscard]] std::vector<std::string> select(const semantics::Predicate& predicate,
                                                const std::map<SegmentKey, Timestamp>& prefixes) const;
  /// The same with every segment of every partition at `prefix`.
  [[nodiscard]] std::vector<std::string> select(const semantics::Predicate& predicate, Timestamp prefix) const;

  /// Whether the updates after `from`, up to `to`, did anything to rows of this segment.
  [[nodiscard]] bool changed(SegmentKey place, Timestamp from, Timestamp to) const;

 private:
  using Rows = std::vector<PlainRow>;

  void apply(const contract::InsertPart& part, Rows& rows, PlainOutcome& outcome) const;
  void apply(const semantics::ModifyPart& part, Rows& rows, PlainOutcome& outcome) const;
  void apply(const semantics::DeletePart& part, Rows& rows, PlainOutcome& outcome) const;

  const semantics::Schema& schema_;
  const contract::PartitionMap& map_;
  uint32_t segments_;
  std::vector<std::shared_ptr<const Rows>> history_;  ///< Index is the timestamp.
};

}  // namespace daedalus::testing
