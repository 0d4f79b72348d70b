// cluster.toml: what all processes of a cluster must agree on (docs/configuration.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/base/units.hpp"
#include "daedalus/configuration/table.hpp"
#include "daedalus/contract/translate.hpp"

namespace daedalus::configuration {

/// Most nodes of a cluster: an aggregator keeps a connection to each of them, and to the writer.
constexpr size_t kNodesMax = 1'000;

struct NodeEndpoint {
  NodeId node{};
  std::string endpoint;  ///< host:port
};

/// cluster.toml, checked as far as it can be without the schema: columns are still names.
struct Cluster {
  std::string file;
  std::string cluster_id;
  std::string schema_library;  ///< Resolved against the folder of the file.
  uint64_t map_version = 0;
  semantics::Distribution distribution = semantics::Distribution::kRoundRobin;
  std::vector<std::string> columns;
  semantics::Distribution segment_distribution = semantics::Distribution::kRoundRobin;
  std::vector<std::string> segment_columns;
  std::vector<std::vector<NodeId>> partitions;  ///< Index is the partition; exactly one node each.
  std::vector<NodeEndpoint> nodes;              ///< Ascending by id.
  std::string content;                          ///< The bytes of the file, for the configuration's hash.

  [[nodiscard]] std::optional<std::string> endpoint_of(NodeId node) const;
};

/// Errors (F0000) name file, key and remedy.
[[nodiscard]] Result<Cluster> read_cluster(const std::string& path);

/// The partition map with its columns found in the schema. Errors (F0000) name file, key and remedy.
[[nodiscard]] Result<contract::PartitionMap> partition_map(const Cluster& cluster, const semantics::Schema& schema);

/// Sixteen hexadecimal digits that change when any of the files' bytes do.
[[nodiscard]] std::string content_hash(const std::vector<std::string>& contents);

/// Bytes that all answers of one process may take together, from `answer_memory_mib` of its own file.
[[nodiscard]] uint64_t answer_bytes(const Table& root, int64_t mib_default);

/// Bytes that one answer may have, from `answer_mib` of the same file: at most `all_bytes`, which all take together.
[[nodiscard]] uint64_t answer_bytes_of_one(const Table& root, uint64_t all_bytes, int64_t mib_default);

}  // namespace daedalus::configuration
