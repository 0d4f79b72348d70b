// Bodies of operations from arbitrary bytes: what is not refused can be routed and evaluated.
#include <cstdint>
#include <string_view>
#include <vector>

#include "daedalus/base/check.hpp"
#include "daedalus/contract/translate.hpp"

namespace daedalus::contract {
namespace {

using semantics::TypeKind;

semantics::Schema make_schema() {
  semantics::Schema schema;
  schema.table_name = "t";
  schema.columns = {{"a", {TypeKind::kInt}, false, {}},
                    {"b", {TypeKind::kVarchar, 0, 0, 5}, true, {}},
                    {"c", {TypeKind::kNumeric, 20, 2}, true, {}},
                    {"d", {TypeKind::kReal}, true, {}}};
  return schema;
}

PartitionMap make_map() {
  PartitionMap map;
  map.version = 1;
  map.distribution = semantics::Distribution::kHash;
  map.columns = {0};
  map.partitions = {{NodeId{0}}, {NodeId{1}}, {NodeId{2}}};
  return map;
}

void check_routes(const semantics::Schema& schema, const PartitionMap& map,
                  const std::vector<wire::v1::Route>& routes) {
  CHECK(route(schema, map, {routes.begin(), routes.end()}, Timestamp{1}).has_value());
}

}  // namespace
}  // namespace daedalus::contract

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace daedalus;
  using namespace daedalus::contract;
  static const semantics::Schema kSchema = make_schema();
  static const PartitionMap kMap = make_map();
  const std::vector<semantics::Value> row(kSchema.columns.size());
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto selection = to_selection(kSchema, bytes, nullptr)) {
    (void)semantics::evaluate(kSchema, selection->predicate, row);
    CHECK(semantics::final_columns(kSchema, *selection).has_value());
    check_routes(kSchema, kMap, routes_of(kSchema, kMap, selection->predicate));
  }
  if (const auto parts = to_update(kSchema, {{0}, {}}, bytes)) {
    check_routes(kSchema, kMap, routes_of(kSchema, kMap, *parts));
  }
  return 0;
}
