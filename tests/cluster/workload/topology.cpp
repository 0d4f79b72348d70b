#include "topology.hpp"

#include "workload.hpp"

namespace daedalus::testing {

Topology draw_topology(rpc::Random& random) {
  const auto one_to = [&](int64_t most) { return static_cast<uint32_t>(random.between(1, most)); };
  const auto placement = [&] { return random.chance(0.5) ? Placement::kHash : Placement::kRoundRobin; };
  Topology topology;
  topology.nodes = one_to(4);
  topology.partitions_per_node = one_to(2);
  topology.segments = one_to(4);
  topology.aggregators = one_to(3);
  topology.partitions_by = placement();
  topology.segments_by = placement();
  return topology;
}

contract::PartitionMap map_of(const Topology& topology) {
  contract::PartitionMap map;
  map.version = kMapVersion;
  for (uint32_t partition = 0; partition < topology.nodes * topology.partitions_per_node; ++partition) {
    map.partitions.push_back({NodeId{partition % topology.nodes}});
  }
  if (topology.partitions_by == Placement::kHash) {
    map.distribution = semantics::Distribution::kHash;
    map.columns = {kPlace};
    map.grid = {map.partition_count()};
  }
  if (topology.segments_by == Placement::kHash) {
    map.segment_distribution = semantics::Distribution::kHash;
    map.segment_columns = {kId};
  }
  return map;
}

contract::PartitionMap older_map(const contract::PartitionMap& map) {
  contract::PartitionMap older = map;
  older.version = map.version - 1;
  if (older.partitions.size() > 1) {
    older.partitions.pop_back();
  }
  if (!older.grid.empty()) {
    older.grid = {older.partition_count()};
  }
  return older;
}

}  // namespace daedalus::testing
