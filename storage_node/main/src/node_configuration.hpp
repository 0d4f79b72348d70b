// storage_node.toml and what it refers to, read and checked: all that a storage node must know to start.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/base/units.hpp"
#include "daedalus/configuration/cluster.hpp"
#include "daedalus/contract/translate.hpp"
#include "daedalus/durability/data_directory.hpp"
#include "daedalus/node/effects.hpp"
#include "daedalus/semantics/schema_library.hpp"
#include "node_memory.hpp"

namespace daedalus::node {

struct NodeConfiguration {
  configuration::Cluster cluster;
  std::shared_ptr<const semantics::SchemaLibrary> schema_library;
  contract::PartitionMap map;
  NodeId node{};
  std::string endpoint;  ///< Says where the cluster finds this node.
  std::string listen;    ///< host:port
  std::string data_dir;
  uint32_t segments = 1;  ///< Per partition.
  uint64_t segment_bytes = 0;
  SegmentsDemand demand;  ///< The memory that all segments take.
  std::vector<uint32_t> cores;
  uint32_t share_factor = 0;       ///< Declared: most queries in one cycle of a segment,
  uint32_t updates_per_cycle = 0;  ///< most updates,
  uint64_t cycle_ns_target = 0;    ///< and what a cycle should take at most; 0: nothing is declared.
  uint64_t answer_bytes = 0;       ///< Counts the bytes of all answers together, from the segments to the sockets,
  uint64_t answer_bytes_max = 0;   ///< and of one.
  int64_t compute_ns_max = 0;      ///< That one query may compute in a segment,
  int64_t compute_ns_per_row = 0;  ///< and for each of the segment's rows.
  Durability durability = Durability::kOff;
  int64_t sync_ns_max = 0;            ///< Bounds durability async: how long an update may wait to be synced.
  uint64_t checkpoint_log_bytes = 0;  ///< A checkpoint is made when the log has grown by so much.
  std::string hash;                   ///< Hashes all files read, the schema library aside.
};

/// Whose data the directory of a node so configured is.
[[nodiscard]] durability::DataIdentity identity_of(const NodeConfiguration& configuration);

/// Errors name file, key and remedy: F0000, or 53200 where a segment has no room for the rows of the table.
[[nodiscard]] Result<NodeConfiguration> read_node_configuration(const std::string& path);

}  // namespace daedalus::node
