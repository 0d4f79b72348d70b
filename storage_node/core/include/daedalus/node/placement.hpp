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

  [[nodiscard]] uint32_t segment_count() const {
    return static_cast<uint32_t>(hosted_.size()) * segments_of_partition();
  }
  [[nodiscard]] const std::vector<PartitionId>& hosted() const { return hosted_; }
  [[nodiscard]] uint32_t hosted_index_of(SegmentIndex segment) const { return raw(segment) / segments_of_partition(); }
  [[nodiscard]] PartitionId partition_of(SegmentIndex segment) const { return hosted_[hosted_index_of(segment)]; }
  [[nodiscard]] uint32_t segment_within(SegmentIndex segment) const { return raw(segment) % segments_of_partition(); }

  /// The segment a row to insert belongs to; nothing when its partition is another node's. `row` is packed, after its
  /// size, and checked. Errors: 08P01 when it is cut short after all. Cost: skips over the columns before the hashed
  /// ones; none at all under round_robin.
  [[nodiscard]] Result<std::optional<SegmentIndex>> segment_of(std::string_view row, semantics::RowIdentity identity);

  /// The segment with this number within the partition; nothing when this node does not have it.
  [[nodiscard]] std::optional<SegmentIndex> segment_at(PartitionId partition, uint32_t segment) const;
  /// Segments of each partition.
  [[nodiscard]] uint32_t segments_of_partition() const { return segments_.place_count(); }

  /// Segments that may hold rows the predicate selects, ascending. May be empty.
  [[nodiscard]] std::vector<SegmentIndex> segments_of(const semantics::Predicate& predicate) const;

 private:
  std::shared_ptr<const semantics::Schema> schema_;
  semantics::PlacementRule partitions_;
  semantics::PlacementRule segments_;  ///< The rule that places rows on the segments of a partition.
  std::vector<PartitionId> hosted_;
  std::vector<std::optional<uint32_t>> hosted_index_;  ///< By partition.
  std::vector<uint32_t> key_columns_;                  ///< The columns of both rules: ascending, distinct.
  std::vector<uint64_t> keys_;  ///< One row's, by column; only those of key_columns_ are ever set.
};

}  // namespace daedalus::node
