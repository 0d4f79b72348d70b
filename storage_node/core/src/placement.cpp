#include "daedalus/node/placement.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "daedalus/base/check.hpp"

namespace daedalus::node {

std::vector<PartitionId> hosted_partitions(const contract::PartitionMap& map, NodeId node) {
  std::vector<PartitionId> hosted;
  for (uint32_t partition = 0; partition < map.partition_count(); ++partition) {
    const auto& nodes = map.partitions[partition];
    if (std::find(nodes.begin(), nodes.end(), node) != nodes.end()) {
      hosted.push_back(PartitionId{partition});
    }
  }
  return hosted;
}

NodePlacement::NodePlacement(std::shared_ptr<const semantics::Schema> schema, const contract::PartitionMap& map,
                             NodeId node, uint32_t segments)
    : schema_(std::move(schema)),
      partitions_(map.partition_rule()),
      segments_(map.segment_rule(segments)),
      hosted_(hosted_partitions(map, node)),
      hosted_index_(map.partition_count()),
      keys_(schema_->columns.size()) {
  CHECK(!hosted_.empty());
  for (uint32_t i = 0; i < hosted_.size(); ++i) {
    hosted_index_[raw(hosted_[i])] = i;
  }
  std::set<uint32_t> columns(partitions_.columns().begin(), partitions_.columns().end());
  columns.insert(segments_.columns().begin(), segments_.columns().end());
  key_columns_.assign(columns.begin(), columns.end());
  CHECK(key_columns_.empty() || key_columns_.back() < schema_->columns.size());
}

Result<std::optional<SegmentIndex>> NodePlacement::segment_of(std::string_view row, semantics::RowIdentity identity) {
  if (auto read = semantics::read_placement_keys(*schema_, row, key_columns_, keys_); !read) {
    return read.error();
  }
  const std::optional<uint32_t> hosted = hosted_index_[partitions_.place_of(keys_, identity)];
  if (!hosted) {
    return std::optional<SegmentIndex>();
  }
  return std::optional(SegmentIndex{*hosted * segments_of_partition() + segments_.place_of(keys_, identity)});
}

std::optional<SegmentIndex> NodePlacement::segment_at(PartitionId partition, uint32_t segment) const {
  if (raw(partition) >= hosted_index_.size() || !hosted_index_[raw(partition)] || segment >= segments_of_partition()) {
    return std::nullopt;
  }
  return SegmentIndex{*hosted_index_[raw(partition)] * segments_of_partition() + segment};
}

std::vector<SegmentIndex> NodePlacement::segments_of(const semantics::Predicate& predicate) const {
  const std::vector<uint32_t> partitions = partitions_.places_of(*schema_, predicate);
  const std::vector<uint32_t> segments = segments_.places_of(*schema_, predicate);
  std::vector<SegmentIndex> found;
  for (uint32_t hosted = 0; hosted < hosted_.size(); ++hosted) {
    if (!std::binary_search(partitions.begin(), partitions.end(), raw(hosted_[hosted]))) {
      continue;
    }
    for (const uint32_t segment : segments) {
      found.push_back(SegmentIndex{hosted * segments_of_partition() + segment});
    }
  }
  return found;
}

}  // namespace daedalus::node
