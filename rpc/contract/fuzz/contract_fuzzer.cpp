// Bodies of operations, and shapes with values, from arbitrary bytes: what is not refused can be routed and evaluated.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "daedalus/base/check.hpp"
#include "daedalus/contract/shape.hpp"
#include "daedalus/contract/shape_routing.hpp"
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

/// The last byte says how many bytes before it are values, the rest is a shape. Whatever the values are can be routed.
void check_shape(const semantics::Schema& schema, const PartitionMap& map, std::string_view bytes) {
  if (bytes.empty()) {
    return;
  }
  const auto values_size = std::min<size_t>(static_cast<uint8_t>(bytes.back()), bytes.size() - 1);
  const std::string_view values = bytes.substr(bytes.size() - 1 - values_size, values_size);
  const std::string shape(bytes.substr(0, bytes.size() - 1 - values_size));
  const auto bound = bind_values(schema, ShapeBytes(shape), values);
  wire::v1::ShapeBody body;
  if (const auto read = body.ParseFromString(shape) ? to_shape(schema, body.select()) : rejected("08P01", {})) {
    const auto routed = ShapeRouting(schema, map.partition_rule(), read->selection.predicate).partitions_of(values);
    CHECK(!bound || *routed == partitions_of(schema, map.partition_rule(), bound->predicate));
  }
  if (!bound) {
    return;
  }
  // A selection that was bound parts into the same values again, and can be evaluated and sent whole.
  CHECK(has_shape(*bound));
  CHECK(values_of(schema, bound->predicate) == values);
  (void)semantics::evaluate(schema, bound->predicate, std::vector<semantics::Value>(schema.columns.size()));
  const auto whole = from_selection(schema, *bound, nullptr, wire::v1::RESULT_FORM_PARTIAL);
  CHECK(to_selection(schema, whole, nullptr).has_value());
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
    CHECK(semantics::final_columns(*selection).size() == selection->visible_outputs);
    check_routes(kSchema, kMap, routes_of(kSchema, kMap, selection->predicate));
  }
  check_shape(kSchema, kMap, bytes);
  if (const auto parts = to_update(kSchema, {{0}, {}}, bytes)) {
    check_routes(kSchema, kMap, routes_of(kSchema, kMap, *parts));
  }
  return 0;
}
