// Holds what the aggregator's machines share.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "clients.hpp"
#include "daedalus/aggregator/core.hpp"
#include "deadlines.hpp"
#include "known_mark.hpp"
#include "node_links.hpp"

namespace daedalus::aggregator {

struct Context {
  Context(AggregatorOptions own_options, std::shared_ptr<const semantics::Schema> own_schema,
          std::shared_ptr<const contract::PartitionMap> own_map, const std::map<rpc::LinkId, NodeId>& links)
      : options(std::move(own_options)),
        schema(std::move(own_schema)),
        map(std::move(own_map)),
        partitions(map->partition_rule()),
        nodes(links, options.endpoints) {}

  AggregatorOptions options;
  std::shared_ptr<const semantics::Schema> schema;
  std::shared_ptr<const contract::PartitionMap> map;
  semantics::PlacementRule partitions;  ///< The map's.
  Clients clients;
  NodeLinks nodes;
  Deadlines deadlines;
  KnownMark known;
  uint64_t next_id = 1;  ///< The number of the next operation.
  uint64_t queries_total = 0;
  uint64_t queries_asked_twice = 0;
  uint64_t updates_total = 0;
};

}  // namespace daedalus::aggregator
