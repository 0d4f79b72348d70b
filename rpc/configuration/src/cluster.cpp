#include "daedalus/configuration/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "daedalus/configuration/table.hpp"
#include "daedalus/contract/map_limits.hpp"
#include "daedalus/semantics/placement.hpp"

namespace daedalus::configuration {

namespace {

using semantics::Distribution;

constexpr int64_t kNodeIdMax = (1 << 16) - 1;
constexpr size_t kClusterIdSizeMax = 128;

Distribution read_distribution(const Table& table, std::string_view key, std::string_view columns_key,
                               std::vector<std::string>* columns) {
  const bool is_hash = table.choice(key, {"hash", "round_robin"}) == "hash";
  *columns = table.texts(columns_key);
  if (is_hash && columns->size() != 1) {
    table.refuse(columns_key, fmt::format("names {} columns", columns->size()), "name exactly one column for \"hash\"");
  }
  if (!is_hash && !columns->empty()) {
    table.refuse(columns_key, "names columns", "leave it empty for \"round_robin\"");
  }
  return is_hash ? Distribution::kHash : Distribution::kRoundRobin;
}

void read_nodes(const Table& root, Cluster* cluster) {
  std::set<std::string> endpoints;
  const std::vector<Table> tables = root.tables("nodes");
  if (tables.size() > kNodesMax) {
    root.refuse("nodes", fmt::format("lists {} nodes", tables.size()), fmt::format("list at most {}", kNodesMax));
    return;
  }
  for (const Table& table : tables) {
    const NodeId node{static_cast<uint32_t>(table.integer("id", {0, kNodeIdMax}))};
    std::string endpoint = table.endpoint("endpoint");
    if (cluster->endpoint_of(node)) {
      table.refuse("id", fmt::format("node {} is listed twice", raw(node)), "give every node an id of its own");
    }
    if (!endpoints.insert(endpoint).second) {
      table.refuse("endpoint", fmt::format("\"{}\" is listed twice", endpoint), "give every node its own");
    }
    cluster->nodes.push_back(NodeEndpoint{node, std::move(endpoint)});
  }
  std::sort(cluster->nodes.begin(), cluster->nodes.end(),
            [](const NodeEndpoint& a, const NodeEndpoint& b) { return a.node < b.node; });
}

void read_partitions(const Table& map, Cluster* cluster) {
  const std::vector<Table> tables = map.tables("partitions");
  if (tables.size() > contract::kPartitionsMax) {
    map.refuse("partitions", fmt::format("lists {} partitions", tables.size()),
               fmt::format("list at most {}", contract::kPartitionsMax));
    return;
  }
  for (const Table& table : tables) {
    std::vector<NodeId> nodes;
    for (const int64_t id : table.integers("nodes", {0, kNodeIdMax})) {
      nodes.push_back(NodeId{static_cast<uint32_t>(id)});
    }
    if (nodes.size() != 1) {
      table.refuse("nodes", fmt::format("lists {} nodes", nodes.size()), "list exactly one: there is no replication");
    } else if (!cluster->endpoint_of(nodes[0])) {
      table.refuse("nodes", fmt::format("node {} is not known", raw(nodes[0])),
                   "list it under [[nodes]], or correct it");
    }
    cluster->partitions.push_back(std::move(nodes));
  }
}

Result<std::vector<uint32_t>> positions(const Cluster& cluster, const char* key, const semantics::Schema& schema,
                                        const std::vector<std::string>& names) {
  std::vector<uint32_t> found;
  for (const std::string& name : names) {
    const auto position = schema.find(name);
    if (!position) {
      return rejected("F0000",
                      fmt::format("{}: partition_map.{}: table {} has no column \"{}\"", cluster.file, key,
                                  schema.table_name, name),
                      "name a column of the schema");
    }
    found.push_back(*position);
  }
  return found;
}

}  // namespace

std::optional<std::string> Cluster::endpoint_of(NodeId node) const {
  const auto found = std::find_if(nodes.begin(), nodes.end(), [&](const NodeEndpoint& n) { return n.node == node; });
  return found == nodes.end() ? std::nullopt : std::optional(found->endpoint);
}

Result<Cluster> read_cluster(const std::string& path) {
  auto file = File::read(path);
  if (!file) {
    return file.error();
  }
  const Table root = file->root();
  Cluster cluster;
  cluster.file = path;
  cluster.content = file->content();
  cluster.cluster_id = root.text("cluster_id");
  if (cluster.cluster_id.size() > kClusterIdSizeMax) {
    root.refuse("cluster_id", "is too long", fmt::format("use at most {} bytes", kClusterIdSizeMax));
  }
  cluster.schema_library = file->resolve(root.text("schema_library"));
  const Table map = root.table("partition_map");
  cluster.map_version = static_cast<uint64_t>(map.integer("version", {1, INT64_MAX}));
  cluster.distribution = read_distribution(map, "distribution", "columns", &cluster.columns);
  cluster.segment_distribution =
      read_distribution(map, "segment_distribution", "segment_columns", &cluster.segment_columns);
  read_nodes(root, &cluster);
  read_partitions(map, &cluster);
  if (auto finished = file->finish(); !finished) {
    return finished.error();
  }
  return cluster;
}

Result<contract::PartitionMap> partition_map(const Cluster& cluster, const semantics::Schema& schema) {
  contract::PartitionMap map;
  map.version = cluster.map_version;
  map.distribution = cluster.distribution;
  map.partitions = cluster.partitions;
  map.segment_distribution = cluster.segment_distribution;
  auto columns = positions(cluster, "columns", schema, cluster.columns);
  if (!columns) {
    return columns.error();
  }
  map.columns = std::move(*columns);
  auto segment_columns = positions(cluster, "segment_columns", schema, cluster.segment_columns);
  if (!segment_columns) {
    return segment_columns.error();
  }
  map.segment_columns = std::move(*segment_columns);
  if (map.distribution == Distribution::kHash) {
    map.grid = {map.partition_count()};
  }
  return map;
}

std::string content_hash(const std::vector<std::string>& contents) {
  std::string all;
  for (const std::string& content : contents) {
    all += fmt::format("{}:", content.size());
    all += content;
  }
  return fmt::format("{:016x}", semantics::digest(all));
}

uint64_t answer_bytes(const Table& root, int64_t mib_default) {
  // One large answer fits in, at least.
  constexpr IntegerRange kMib{64, 1 << 20};
  return static_cast<uint64_t>(root.integer_or("answer_memory_mib", kMib, mib_default)) << 20;
}

uint64_t answer_bytes_of_one(const Table& root, uint64_t all_bytes, int64_t mib_default) {
  // Half of it is what a slice takes, whose last row may have a MiB.
  constexpr int64_t kMibMin = 4;
  const auto mib_max = static_cast<int64_t>(all_bytes >> 20);
  return static_cast<uint64_t>(root.integer_or("answer_mib", {kMibMin, mib_max}, std::min(mib_default, mib_max))) << 20;
}

}  // namespace daedalus::configuration
