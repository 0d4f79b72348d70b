#include "daedalus/contract/translate.hpp"

namespace daedalus::contract {

using semantics::Distribution;
using semantics::RowIdentity;
using semantics::Schema;
using semantics::Value;

wire::v1::PartitionMap from_partition_map(const PartitionMap& map) {
  wire::v1::PartitionMap message;
  message.set_version(map.version);
  message.set_distribution(static_cast<wire::v1::Distribution>(map.distribution));
  message.set_segment_distribution(static_cast<wire::v1::Distribution>(map.segment_distribution));
  for (const uint32_t column : map.columns) {
    message.add_columns(column);
  }
  for (const uint32_t column : map.segment_columns) {
    message.add_segment_columns(column);
  }
  for (const uint32_t size : map.grid) {
    message.add_grid(size);
  }
  if (map.grid.empty() && map.distribution == Distribution::kHash) {
    message.add_grid(map.partition_count());
  }
  for (const std::vector<NodeId>& nodes : map.partitions) {
    wire::v1::PartitionNodes* made = message.add_partitions();
    for (const NodeId node : nodes) {
      made->add_nodes(raw(node));
    }
  }
  return message;
}

PlacementColumns PartitionMap::placement_columns() const { return {columns, segment_columns}; }

semantics::PlacementRule PartitionMap::partition_rule() const {
  const bool has_grid = !columns.empty() && !grid.empty();
  return {semantics::PlacementLevel::kPartition, columns, has_grid ? grid : std::vector<uint32_t>{partition_count()}};
}

semantics::PlacementRule PartitionMap::segment_rule(uint32_t segment_count) const {
  return {semantics::PlacementLevel::kSegment, segment_columns, {segment_count}};
}

PartitionId PartitionMap::partition_of(const Schema& schema, const std::vector<Value>& values, RowIdentity row) const {
  return PartitionId{partition_rule().place_of(schema, values, row)};
}

uint32_t PartitionMap::segment_of(const Schema& schema, const std::vector<Value>& values, RowIdentity row,
                                  uint32_t segment_count) const {
  return segment_rule(segment_count).place_of(schema, values, row);
}

}  // namespace daedalus::contract
