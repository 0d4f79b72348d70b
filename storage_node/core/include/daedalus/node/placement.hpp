// Which of this node's segments an operation concerns. A function of the partition map and the operation alone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/contract/translate.hpp"
#include "daedalus/node/requester.hpp"
#include "daedalus/semantics/types.hpp"

namespace daedalus::node {

/// The partitions of `map` that `node` holds, ascending.
[[nodiscard]] std::vector<PartitionId> hosted_partitions(const contract::PartitionMap& map, NodeId node);

class NodePlacement {
 public:
  /// Precondition (CHECKed): the node holds at least one partition, each in `segments` >= 1 segments.
  NodePlacement(std::shared_ptr<const semantics::Schema> schema, const contract::PartitionMap& map, NodeId node,
                uint32_t segments);

  [[nodiscard]] uint32_t segment_count() const { return static_cast<uint32_t>(hosted_.size()) * segments_; }
  [[nodiscard]] const std::vector<PartitionId>& hosted() const { return hosted_; }
  [[nodiscard]] uint32_t hosted_index_of(SegmentIndex segment) const { return raw(segment) / segments_; }
  [[nodiscard]] PartitionId partition_of(SegmentIndex segment) const { return hosted_[hosted_index_of(segment)]; }
  [[nodiscard]] uint32_t segment_within(SegmentIndex segment) const { return raw(segment) % segments_; }

  /// The segment a row to insert belongs to; nothing when its partition is another node's. `row` is packed, after its
  /// size, and checked. Errors: 08P01 when it is cut short after all. Cost: skips over the columns before the hashed
  /// ones; none at all under round_robin.
  [[nodiscard]] Result<std::optional<SegmentIndex>> segment_of(std::string_view row, semantics::RowIdentity identity);

  /// The segment with this number within the partition; nothing when this node does not have it.
  [[nodiscard]] std::optional<SegmentIndex> segment_at(PartitionId partition, uint32_t segment) const;
  /// Segments of each partition.
  [[nodiscard]] uint32_t segments_of_partition() const { return segments_; }

  /// Segments that may hold rows the predicate selects, ascending. May be empty.
  [[nodiscard]] std::vector<SegmentIndex> segments_of(const semantics::Predicate& predicate) const;

 private:
  [[nodiscard]] Result<void> read_placement_columns(std::string_view row);

  std::shared_ptr<const semantics::Schema> schema_;
  contract::PartitionMap map_;
  std::vector<PartitionId> hosted_;
  std::vector<std::optional<uint32_t>> hosted_index_;  ///< By partition.
  uint32_t segments_;
  std::vector<uint32_t> placement_columns_;  ///< Ascending, distinct.
  std::vector<semantics::Value> values_;     ///< One row's; only placement columns are ever set.
};

}  // namespace daedalus::node
