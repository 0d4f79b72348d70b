#include "faulty_route.hpp"

#include <algorithm>

#include "daedalus/contract/translate.hpp"
#include "sabotage.hpp"

namespace daedalus::testing {

namespace {

using Routes = google::protobuf::RepeatedPtrField<wire::v1::Route>;
using Routed = Result<std::vector<PartitionId>>;

RouteFault planted = RouteFault::kNone;

}  // namespace

PlantedRouteFault::PlantedRouteFault(RouteFault fault) { planted = fault; }

PlantedRouteFault::~PlantedRouteFault() { planted = RouteFault::kNone; }

// The functions behind contract::route() and contract::partitions_of(), under the names that --wrap gives them.
Routed real_route(const semantics::Schema&, const contract::PartitionMap&, const Routes&,
                  Timestamp) asm("__real_" DAEDALUS_ROUTE_SYMBOL);
Routed faulty_route(const semantics::Schema&, const contract::PartitionMap&, const Routes&,
                    Timestamp) asm("__wrap_" DAEDALUS_ROUTE_SYMBOL);
contract::Partitions real_partitions(const semantics::Schema&, const semantics::PlacementRule&,
                                     const semantics::Predicate&) asm("__real_" DAEDALUS_PARTITIONS_SYMBOL);
contract::Partitions faulty_partitions(const semantics::Schema&, const semantics::PlacementRule&,
                                       const semantics::Predicate&) asm("__wrap_" DAEDALUS_PARTITIONS_SYMBOL);

Routed faulty_route(const semantics::Schema& schema, const contract::PartitionMap& map, const Routes& routes,
                    Timestamp timestamp) {
  Routed partitions = real_route(schema, map, routes, timestamp);
  if (partitions && partitions->size() > 1 && planted == RouteFault::kOfUpdates) {
    std::erase(*partitions, PartitionId{Saboteur::kVictim});
  }
  return partitions;
}

contract::Partitions faulty_partitions(const semantics::Schema& schema, const semantics::PlacementRule& rule,
                                       const semantics::Predicate& predicate) {
  contract::Partitions partitions = real_partitions(schema, rule, predicate);
  if (partitions.size() > 1 && planted == RouteFault::kOfQueries) {
    partitions.erase(std::remove(partitions.begin(), partitions.end(), PartitionId{Saboteur::kVictim}),
                     partitions.end());
  }
  return partitions;
}

}  // namespace daedalus::testing
