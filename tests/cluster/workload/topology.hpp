// The parts of a simulated cluster, and where its rows live.
#pragma once

#include <cstdint>

#include "daedalus/contract/translate.hpp"
#include "daedalus/rpc/random.hpp"

namespace daedalus::testing {

enum class Placement : uint8_t { kRoundRobin, kHash };

struct Topology {
  uint32_t nodes = 3;
  uint32_t partitions_per_node = 1;
  uint32_t segments = 2;  ///< The segments of each partition.
  uint32_t aggregators = 2;
  Placement partitions_by = Placement::kRoundRobin;  ///< Hash: of `place`.
  Placement segments_by = Placement::kRoundRobin;    ///< Hash: of `id`.
};

/// 1 to 4 nodes, 1 or 2 partitions on each, 1 to 4 segments in each of these, 1 to 3 aggregators.
[[nodiscard]] Topology draw_topology(rpc::Random& random);

/// The version that the processes of a cluster have, unless one is left behind.
constexpr uint64_t kMapVersion = 2;

[[nodiscard]] contract::PartitionMap map_of(const Topology& topology);

/// Returns the map that came before it: version 1, without the last partition where there are several.
[[nodiscard]] contract::PartitionMap older_map(const contract::PartitionMap& map);

}  // namespace daedalus::testing
