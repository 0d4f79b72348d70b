// From what an operation pins to the partitions it concerns: always at least those of every row it could touch.
#include <fmt/format.h>

#include <set>

#include "daedalus/base/check.hpp"
#include "daedalus/contract/translate.hpp"
#include "daedalus/semantics/packed.hpp"

namespace daedalus::contract {
namespace {

using semantics::Distribution;
using semantics::Schema;
using semantics::Type;
using semantics::Value;

/// Rows that round_robin keeps together (docs/wire.md, "Placement").
constexpr uint64_t kRowsPerBlock = 1024;

void all_of(const PartitionMap& map, std::set<uint32_t>& partitions) {
  for (uint32_t partition = 0; partition < map.partition_count(); ++partition) {
    partitions.insert(partition);
  }
}

Error wrong_route(std::string what) { return rejected("08P01", "route: " + std::move(what)); }

/// Checks every equality of a route; `pinned` becomes the one on the hashed column, if there is one.
Result<void> check_equalities(const Schema& schema, const PartitionMap& map, const wire::v1::Route& route,
                              const wire::v1::ColumnEquality*& pinned) {
  std::set<uint32_t> seen;
  for (const wire::v1::ColumnEquality& equality : route.equalities()) {
    if (equality.column() >= schema.columns.size()) {
      return wrong_route(fmt::format("there is no column at position {}", equality.column()));
    }
    if (!seen.insert(equality.column()).second) {
      return wrong_route(fmt::format("column \"{}\" is named twice", schema.columns[equality.column()].name));
    }
    if (equality.values_size() == 0) {
      return wrong_route(fmt::format("no values for column \"{}\"", schema.columns[equality.column()].name));
    }
    if (map.distribution == Distribution::kHash && equality.column() == map.columns[0]) {
      pinned = &equality;
    }
  }
  return {};
}

Result<void> add_hashed(const Schema& schema, const PartitionMap& map, const wire::v1::ColumnEquality& equality,
                        std::set<uint32_t>& partitions) {
  const semantics::Column& column = schema.columns[equality.column()];
  for (const wire::v1::Constant& constant : equality.values()) {
    Type type;
    const Result<Value> value = to_value(constant, &type);
    if (!value) {
      return value.error();
    }
    if (type != column.type) {
      return wrong_route(fmt::format("a value of type {} for column \"{}\" of type {}", semantics::to_string(type),
                                     column.name, semantics::to_string(column.type)));
    }
    partitions.insert(semantics::hash_partition(semantics::placement_key(type, *value), map.partition_count()));
  }
  return {};
}

Result<void> add_blocks(const PartitionMap& map, const wire::v1::Route& route, Timestamp timestamp,
                        std::set<uint32_t>& partitions) {
  const uint64_t first = route.first_ordinal();
  const uint64_t end = first + route.row_count();
  if (end > kUpdateRowsMax) {
    return wrong_route(fmt::format("rows {} to {}, an update has at most {}", first, end - 1, kUpdateRowsMax));
  }
  for (uint64_t ordinal = first; ordinal < end; ordinal = (ordinal / kRowsPerBlock + 1) * kRowsPerBlock) {
    partitions.insert(
        semantics::round_robin_partition({timestamp, static_cast<uint32_t>(ordinal)}, map.partition_count()));
  }
  return {};
}

Result<void> add_route(const Schema& schema, const PartitionMap& map, const wire::v1::Route& route, Timestamp timestamp,
                       std::set<uint32_t>& partitions) {
  const wire::v1::ColumnEquality* pinned = nullptr;
  if (Result<void> checked = check_equalities(schema, map, route, pinned); !checked) {
    return checked;
  }
  if (pinned != nullptr) {
    return add_hashed(schema, map, *pinned, partitions);
  }
  if (map.distribution == Distribution::kRoundRobin && route.row_count() > 0) {
    return add_blocks(map, route, timestamp, partitions);
  }
  all_of(map, partitions);
  return {};
}

wire::v1::Route predicate_route(const Schema& schema, const PartitionMap& map, const semantics::Predicate& predicate) {
  wire::v1::Route route;
  if (map.distribution != Distribution::kHash) {
    return route;
  }
  const uint32_t column = map.columns[0];
  const std::optional<std::vector<Value>> values = semantics::pinned_values(predicate, column);
  if (!values) {
    return route;
  }
  wire::v1::ColumnEquality* equality = route.add_equalities();
  equality->set_column(column);
  for (const Value& value : *values) {
    *equality->add_values() = from_value(schema.columns[column].type, value);
  }
  return route;
}

wire::v1::Route insert_route(const Schema& schema, const PartitionMap& map, const InsertPart& part) {
  wire::v1::Route route;
  route.set_first_ordinal(part.first_ordinal);
  route.set_row_count(part.row_count);
  if (map.distribution != Distribution::kHash) {
    return route;
  }
  const uint32_t column = map.columns[0];
  const Type& type = schema.columns[column].type;
  const std::vector<Type> types = semantics::column_types(schema);
  wire::v1::ColumnEquality* equality = route.add_equalities();
  equality->set_column(column);
  std::set<std::string> seen;
  semantics::PackedRows rows(part.rows);
  while (true) {
    const auto row = rows.next();
    CHECK(row.has_value());
    if (!row->has_value()) {
      break;
    }
    const Result<Value> value = semantics::read_packed_column(types, **row, column);
    CHECK(value.has_value());
    wire::v1::Constant constant = from_value(type, *value);
    // A key with a mark in front, so that NULL differs from the empty string.
    if (seen.insert((constant.is_null() ? "0" : "1") + constant.packed()).second) {
      *equality->add_values() = std::move(constant);
    }
  }
  return route;
}

}  // namespace

Result<std::vector<PartitionId>> route(const Schema& schema, const PartitionMap& map,
                                       const google::protobuf::RepeatedPtrField<wire::v1::Route>& routes,
                                       Timestamp timestamp) {
  std::set<uint32_t> partitions;
  if (routes.empty()) {
    all_of(map, partitions);
  }
  for (const wire::v1::Route& one : routes) {
    if (Result<void> added = add_route(schema, map, one, timestamp, partitions); !added) {
      return std::move(added).error();
    }
  }
  std::vector<PartitionId> ids;
  for (const uint32_t partition : partitions) {
    ids.push_back(PartitionId{partition});
  }
  return ids;
}

std::vector<wire::v1::Route> routes_of(const Schema& schema, const PartitionMap& map,
                                       const semantics::Predicate& predicate) {
  wire::v1::Route route = predicate_route(schema, map, predicate);
  if (route.equalities().empty()) {
    return {};
  }
  std::vector<wire::v1::Route> routes;
  routes.push_back(std::move(route));
  return routes;
}

std::vector<wire::v1::Route> routes_of(const Schema& schema, const PartitionMap& map,
                                       const std::vector<UpdatePart>& parts) {
  std::vector<wire::v1::Route> routes;
  for (const UpdatePart& part : parts) {
    if (const auto* insert = std::get_if<InsertPart>(&part)) {
      routes.push_back(insert_route(schema, map, *insert));
    } else if (const auto* modify = std::get_if<ModifyPart>(&part)) {
      routes.push_back(predicate_route(schema, map, modify->predicate));
    } else {
      routes.push_back(predicate_route(schema, map, std::get<DeletePart>(part).predicate));
    }
  }
  return routes;
}

}  // namespace daedalus::contract
