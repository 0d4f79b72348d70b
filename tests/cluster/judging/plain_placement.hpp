// Places rows by docs/wire.md ("Placement") and by nothing else: the twin that the product's placement and routing are
// judged by.
//
// Reads the partition map as data. Refuses to know the product's own placement, routing and packing.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "daedalus/contract/translate.hpp"
#include "daedalus/semantics/types.hpp"

namespace daedalus::testing {

/// (partition, segment).
using SegmentKey = std::pair<uint32_t, uint32_t>;

class PlainPlacement {
 public:
  /// Precondition: partitions by round_robin or by hash of one column of type int, bigint or varchar; segments
  /// likewise.
  PlainPlacement(const semantics::Schema& schema, const contract::PartitionMap& map, uint32_t segments_per_partition);

  /// The segment of a row that update `timestamp` inserts as its row number `ordinal`.
  [[nodiscard]] SegmentKey place_of(const std::vector<semantics::Value>& row, uint64_t timestamp,
                                    uint64_t ordinal) const;

  /// The columns whose values decide; nothing where places come from (timestamp, ordinal).
  [[nodiscard]] std::optional<uint32_t> partition_column() const { return partition_column_; }
  [[nodiscard]] std::optional<uint32_t> segment_column() const { return segment_column_; }

  [[nodiscard]] uint32_t partitions() const { return static_cast<uint32_t>(nodes_.size()); }
  [[nodiscard]] uint32_t segments() const { return segments_; }
  [[nodiscard]] uint32_t node_of(uint32_t partition) const { return nodes_.at(partition); }

 private:
  [[nodiscard]] uint64_t key(uint32_t column, const semantics::Value& value) const;

  std::vector<semantics::Type> types_;
  std::optional<uint32_t> partition_column_;
  std::optional<uint32_t> segment_column_;
  uint32_t segments_;
  std::vector<uint32_t> nodes_;  ///< By partition.
};

}  // namespace daedalus::testing
