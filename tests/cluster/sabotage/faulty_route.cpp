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

// What --wrap makes of the name of contract::route().
Partitions real_route(const semantics::Schema&, const contract::PartitionMap&, const Routes&,
                      Timestamp) asm("__real_" DAEDALUS_ROUTE_SYMBOL);
Partitions faulty_route(const semantics::Schema&, const contract::PartitionMap&, const Routes&,
                        Timestamp) asm("__wrap_" DAEDALUS_ROUTE_SYMBOL);

Partitions faulty_route(const semantics::Schema& schema, const contract::PartitionMap& map, const Routes& routes,
                        Timestamp timestamp) {
  Partitions partitions = real_route(schema, map, routes, timestamp);
  // Queries have no timestamp.
  const RouteFault kind = raw(timestamp) == 0 ? RouteFault::kOfQueries : RouteFault::kOfUpdates;
  if (partitions && partitions->size() > 1 && kind == planted) {
    std::erase(*partitions, PartitionId{Saboteur::kVictim});
  }
  return partitions;
}

}  // namespace daedalus::testing
