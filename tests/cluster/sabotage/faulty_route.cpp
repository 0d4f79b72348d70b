#include "faulty_route.hpp"

#include "daedalus/contract/translate.hpp"
#include "sabotage.hpp"

namespace daedalus::testing {

namespace {

using Routes = google::protobuf::RepeatedPtrField<wire::v1::Route>;
using Partitions = Result<std::vector<PartitionId>>;

RouteFault planted = RouteFault::kNone;

}  // namespace

PlantedRouteFault::PlantedRouteFault(RouteFault fault) { planted = fault; }

PlantedRouteFault::~PlantedRouteFault() { planted = RouteFault::kNone; }

// What --wrap makes of the names of contract::route() and contract::partitions_of().
Partitions real_route(const semantics::Schema&, const contract::PartitionMap&, const Routes&,
                      Timestamp) asm("__real_" DAEDALUS_ROUTE_SYMBOL);
Partitions faulty_route(const semantics::Schema&, const contract::PartitionMap&, const Routes&,
                        Timestamp) asm("__wrap_" DAEDALUS_ROUTE_SYMBOL);
std::vector<PartitionId> real_partitions(const semantics::Schema&, const semantics::PlacementRule&,
                                         const semantics::Predicate&) asm("__real_" DAEDALUS_PARTITIONS_SYMBOL);
std::vector<PartitionId> faulty_partitions(const semantics::Schema&, const semantics::PlacementRule&,
                                           const semantics::Predicate&) asm("__wrap_" DAEDALUS_PARTITIONS_SYMBOL);

Partitions faulty_route(const semantics::Schema& schema, const contract::PartitionMap& map, const Routes& routes,
                        Timestamp timestamp) {
  Partitions partitions = real_route(schema, map, routes, timestamp);
  if (partitions && partitions->size() > 1 && planted == RouteFault::kOfUpdates) {
    std::erase(*partitions, PartitionId{Saboteur::kVictim});
  }
  return partitions;
}

std::vector<PartitionId> faulty_partitions(const semantics::Schema& schema, const semantics::PlacementRule& rule,
                                           const semantics::Predicate& predicate) {
  std::vector<PartitionId> partitions = real_partitions(schema, rule, predicate);
  if (partitions.size() > 1 && planted == RouteFault::kOfQueries) {
    std::erase(partitions, PartitionId{Saboteur::kVictim});
  }
  return partitions;
}

}  // namespace daedalus::testing
