#include "node_configuration.hpp"

#include <fmt/format.h>

#include <utility>

#include "daedalus/configuration/table.hpp"
#include "daedalus/engine/segment.hpp"
#include "daedalus/node/placement.hpp"
#include "daedalus/semantics/placement.hpp"

namespace daedalus::node {

namespace {

constexpr int64_t kNodeMax = 65535;
constexpr int64_t kSegmentsMax = 1024;
constexpr int64_t kSegmentMibMax = 1 << 20;
constexpr int64_t kWindowMibMax = 1 << 20;
constexpr int64_t kCoreMax = 4095;
constexpr int64_t kLogMibMax = 1 << 20;
/// Replayed in a few seconds.
constexpr int64_t kLogMibDefault = 256;
constexpr int64_t kSyncMsMax = 60'000;
constexpr int64_t kOperationsPerCycleMax = 65536;
constexpr int64_t kCycleMsMax = 60'000;
const engine::SegmentOptions kSegmentDefaults;
/// A query waits for the cycle under way and rides the next: within a second it is answered.
constexpr int64_t kCycleMsDefault = 500;
const auto kWindowMibDefault = static_cast<int64_t>(kSegmentDefaults.window_bytes / kMib);
constexpr int64_t kComputeMsMax = 3'600'000;
const int64_t kComputeMsDefault = kSegmentDefaults.compute_ns_max / kMillisecond;
constexpr int64_t kComputeUsPerRowMax = 1'000'000;
const int64_t kComputeUsPerRowDefault = kSegmentDefaults.compute_ns_per_row / kMicrosecond;
/// Four of the largest answers. It also bounds what encoding them can add to a cycle: about a second a segment where
/// everybody asks for whole tables at once; what is beyond is refused as soon as it is reached.
constexpr int64_t kAnswerMemoryMibDefault = 256;
constexpr int64_t kAnswerMibDefault = 64;

void read_durability(const configuration::Table& root, NodeConfiguration& made) {
  const std::string durability = root.choice("durability", {"off", "async", "sync"});
  made.durability = durability == "sync"    ? Durability::kSync
                    : durability == "async" ? Durability::kAsync
                                            : Durability::kOff;
  if (made.durability == Durability::kAsync) {
    made.sync_ns_max = root.integer("sync_ms", {1, kSyncMsMax}) * kMillisecond;
  }
  if (made.durability != Durability::kOff) {
    made.checkpoint_log_bytes =
        static_cast<uint64_t>(root.integer_or("checkpoint_log_mib", {1, kLogMibMax}, kLogMibDefault)) << 20;
  }
}

/// Returns what of a map decides where rows are.
std::string map_text(const contract::PartitionMap& map) {
  return fmt::format("{:016x}", semantics::digest(contract::from_partition_map(map).SerializeAsString()));
}

}  // namespace

durability::DataIdentity identity_of(const NodeConfiguration& configuration) {
  return {.cluster_id = configuration.cluster.cluster_id,
          .node = configuration.node,
          .schema_fingerprint = configuration.schema_library->schema().fingerprint,
          .map = map_text(configuration.map),
          .segments = configuration.demand.count,
          .chunk_rows = configuration.demand.shape.chunk_rows,
          .chunk_count = configuration.demand.shape.chunk_count,
          .language = semantics::Language::own().hash()};
}

Result<NodeConfiguration> read_node_configuration(const std::string& path) {
  auto file = configuration::File::read(path);
  if (!file) {
    return file.error();
  }
  const configuration::Table root = file->root();
  NodeConfiguration made;
  const std::string cluster_path = file->resolve(root.text("cluster"));
  made.node = NodeId{static_cast<uint32_t>(root.integer("node", {0, kNodeMax}))};
  made.listen = root.endpoint("listen");
  made.data_dir = file->resolve(root.text("data_dir"));
  made.segments = static_cast<uint32_t>(root.integer("segments", {1, kSegmentsMax}));
  made.segment_bytes = static_cast<uint64_t>(root.integer("segment_mib", {1, kSegmentMibMax})) << 20;
  const uint64_t window_bytes =
      static_cast<uint64_t>(root.integer_or("window_mib", {1, kWindowMibMax}, kWindowMibDefault)) * kMib;
  for (const int64_t core : root.integers("cores", {0, kCoreMax})) {
    made.cores.push_back(static_cast<uint32_t>(core));
  }
  made.share_factor = static_cast<uint32_t>(
      root.integer_or("share_factor", {1, kOperationsPerCycleMax}, kSegmentDefaults.share_factor_max));
  made.updates_per_cycle = static_cast<uint32_t>(
      root.integer_or("updates_per_cycle", {1, kOperationsPerCycleMax}, kSegmentDefaults.updates_per_cycle_max));
  made.cycle_ns_target =
      static_cast<uint64_t>(root.integer_or("cycle_ms_target", {0, kCycleMsMax}, kCycleMsDefault)) * kMillisecond;
  made.compute_ns_max = root.integer_or("compute_ms", {1, kComputeMsMax}, kComputeMsDefault) * kMillisecond;
  made.compute_ns_per_row =
      root.integer_or("compute_us_per_row", {0, kComputeUsPerRowMax}, kComputeUsPerRowDefault) * kMicrosecond;
  made.answer_bytes = configuration::answer_bytes(root, kAnswerMemoryMibDefault);
  made.answer_bytes_max = configuration::answer_bytes_of_one(root, made.answer_bytes, kAnswerMibDefault);
  read_durability(root, made);
  if (auto finished = file->finish(); !finished) {
    return finished.error();
  }
  auto cluster = configuration::read_cluster(cluster_path);
  if (!cluster) {
    return cluster.error();
  }
  made.cluster = std::move(*cluster);
  const auto endpoint = made.cluster.endpoint_of(made.node);
  if (!endpoint) {
    return rejected("F0000", fmt::format("{}: node: {} has no node {}", path, cluster_path, raw(made.node)),
                    "name a node listed there under [[nodes]]");
  }
  made.endpoint = *endpoint;
  auto library = semantics::SchemaLibrary::load(made.cluster.schema_library);
  if (!library) {
    return rejected("F0000", fmt::format("{}: schema_library: {}", cluster_path, library.error().message),
                    "compile the schema again and name the library it gives");
  }
  made.schema_library = std::make_shared<const semantics::SchemaLibrary>(std::move(*library));
  auto map = configuration::partition_map(made.cluster, made.schema_library->schema());
  if (!map) {
    return map.error();
  }
  made.map = std::move(*map);
  const size_t partitions = hosted_partitions(made.map, made.node).size();
  if (partitions == 0) {
    return rejected("F0000", fmt::format("{}: node: {} gives node {} no partition", path, cluster_path, raw(made.node)),
                    "list it under [[partition_map.partitions]]");
  }
  const auto shape = engine::segment_shape(made.schema_library->schema(), made.segment_bytes);
  if (!shape) {
    Error error = shape.error();
    error.message = fmt::format("{}: segment_mib: {}", path, error.message);
    return error;
  }
  made.demand = {static_cast<uint32_t>(partitions) * made.segments, *shape, window_bytes};
  made.hash = configuration::content_hash({file->content(), made.cluster.content});
  return made;
}

}  // namespace daedalus::node
