#include <fmt/format.h>

#include <set>

#include "daedalus/contract/map_limits.hpp"
#include "daedalus/contract/translate.hpp"

namespace daedalus::contract {
namespace {

using semantics::Distribution;
using semantics::RowIdentity;
using semantics::Schema;
using semantics::Value;

Error wrong_map(std::string what) {
  return Error{ErrorCategory::kFatal, "F0000", "partition map: " + std::move(what), {}, 0};
}

/// Checks the columns of hash(column) and round_robin.
Result<Distribution> check_distribution(const Schema& schema, wire::v1::Distribution distribution,
                                        const std::vector<uint32_t>& columns, std::string_view of_what) {
  if (distribution == wire::v1::DISTRIBUTION_DUAL_HASH) {
    return rejected("0A000", fmt::format("partition map: dual_hash {} is not supported yet", of_what),
                    "use hash of one column, or round_robin");
  }
  const bool is_hash = distribution == wire::v1::DISTRIBUTION_HASH;
  if (!is_hash && distribution != wire::v1::DISTRIBUTION_ROUND_ROBIN) {
    return wrong_map(fmt::format("there is no {} number {}", of_what, static_cast<int>(distribution)));
  }
  const size_t wanted = is_hash ? 1 : 0;
  if (columns.size() != wanted) {
    return wrong_map(fmt::format("{} by {} takes {} columns, not {}", of_what, is_hash ? "hash" : "round_robin", wanted,
                                 columns.size()));
  }
  for (const uint32_t column : columns) {
    if (column >= schema.columns.size()) {
      return wrong_map(fmt::format("there is no column at position {} in table \"{}\"", column, schema.table_name));
    }
  }
  return is_hash ? Distribution::kHash : Distribution::kRoundRobin;
}

Result<void> check_grid(const PartitionMap& map) {
  if (map.distribution == Distribution::kRoundRobin ? !map.grid.empty() : map.grid.size() > 1) {
    return wrong_map("the grid does not fit the distribution");
  }
  if (map.grid.size() == 1 && map.grid[0] != map.partition_count()) {
    return wrong_map(fmt::format("a grid of {} for {} partitions", map.grid[0], map.partition_count()));
  }
  return {};
}

Result<void> read_partitions(const wire::v1::PartitionMap& message, PartitionMap& map) {
  if (message.partitions_size() == 0 || message.partitions_size() > static_cast<int>(kPartitionsMax)) {
    return wrong_map(fmt::format("{} partitions, 1 to {} are allowed", message.partitions_size(), kPartitionsMax));
  }
  std::set<uint32_t> known;
  for (const wire::v1::NodeAddress& address : message.nodes()) {
    if (!known.insert(address.node()).second) {
      return wrong_map(fmt::format("node {} is named twice", address.node()));
    }
  }
  for (int partition = 0; partition < message.partitions_size(); ++partition) {
    const wire::v1::PartitionNodes& nodes = message.partitions(partition);
    if (nodes.nodes_size() != 1) {
      return wrong_map(
          fmt::format("partition {} has {} nodes, exactly one is supported", partition, nodes.nodes_size()));
    }
    if (!known.empty() && !known.contains(nodes.nodes(0))) {
      return wrong_map(fmt::format("partition {} is on node {}, which has no address", partition, nodes.nodes(0)));
    }
    map.partitions.push_back({NodeId{nodes.nodes(0)}});
  }
  return {};
}

}  // namespace

Result<PartitionMap> to_partition_map(const Schema& schema, const wire::v1::PartitionMap& message) {
  PartitionMap map;
  map.version = message.version();
  if (map.version == 0) {
    return wrong_map("version 0; versions start at 1");
  }
  map.columns.assign(message.columns().begin(), message.columns().end());
  map.grid.assign(message.grid().begin(), message.grid().end());
  map.segment_columns.assign(message.segment_columns().begin(), message.segment_columns().end());
  const Result<Distribution> distribution =
      check_distribution(schema, message.distribution(), map.columns, "distribution");
  if (!distribution) {
    return distribution.error();
  }
  const Result<Distribution> segments =
      check_distribution(schema, message.segment_distribution(), map.segment_columns, "segmentation");
  if (!segments) {
    return segments.error();
  }
  map.distribution = *distribution;
  map.segment_distribution = *segments;
  if (Result<void> read = read_partitions(message, map); !read) {
    return std::move(read).error();
  }
  if (Result<void> checked = check_grid(map); !checked) {
    return std::move(checked).error();
  }
  return map;
}

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
