// From what an operation pins to the partitions it concerns: always at least those of every row it could touch.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "daedalus/base/check.hpp"
#include "daedalus/contract/translate.hpp"
#include "daedalus/semantics/packed.hpp"

namespace daedalus::contract {
namespace {

using semantics::PlacementRule;
using semantics::Schema;
using semantics::Type;
using semantics::Value;

Error wrong_route(std::string what) { return rejected("08P01", "route: " + std::move(what)); }

Result<std::vector<uint64_t>> keys_of(const semantics::Column& column, const wire::v1::ColumnEquality& equality) {
  std::vector<uint64_t> keys;
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
    keys.push_back(semantics::placement_key(type, *value));
  }
  return keys;
}

/// Checks every equality of a route; those on the rule's columns become pins.
Result<PlacementRule::Pins> to_pins(const Schema& schema, const PlacementRule& rule, const wire::v1::Route& route) {
  PlacementRule::Pins pins(rule.columns().size());
  std::set<uint32_t> seen;
  for (const wire::v1::ColumnEquality& equality : route.equalities()) {
    if (equality.column() >= schema.columns.size()) {
      return wrong_route(fmt::format("there is no column at position {}", equality.column()));
    }
    const semantics::Column& column = schema.columns[equality.column()];
    if (!seen.insert(equality.column()).second) {
      return wrong_route(fmt::format("column \"{}\" is named twice", column.name));
    }
    if (equality.values_size() == 0) {
      return wrong_route(fmt::format("no values for column \"{}\"", column.name));
    }
    for (size_t axis = 0; axis < pins.size(); ++axis) {
      if (rule.columns()[axis] == equality.column()) {
        Result<std::vector<uint64_t>> keys = keys_of(column, equality);
        if (!keys) {
          return std::move(keys).error();
        }
        pins[axis] = std::move(*keys);
      }
    }
  }
  return pins;
}

Result<void> check_rows(const wire::v1::Route& route) {
  const uint64_t end = uint64_t{route.first_ordinal()} + route.row_count();
  if (end > kUpdateRowsMax) {
    return wrong_route(
        fmt::format("rows {} to {}, an update has at most {}", route.first_ordinal(), end - 1, kUpdateRowsMax));
  }
  return {};
}

/// The partitions that one route concerns.
Result<std::vector<uint32_t>> places_of(const Schema& schema, const PlacementRule& rule, const wire::v1::Route& route,
                                        Timestamp timestamp) {
  const Result<PlacementRule::Pins> pins = to_pins(schema, rule, route);
  if (!pins) {
    return pins.error();
  }
  if (!rule.columns().empty() || route.row_count() == 0) {
    return rule.places_of(*pins);
  }
  if (Result<void> checked = check_rows(route); !checked) {
    return std::move(checked).error();
  }
  return rule.places_of_rows({timestamp, route.first_ordinal()}, route.row_count());
}

wire::v1::Route predicate_route(const Schema& schema, const PartitionMap& map, const semantics::Predicate& predicate) {
  wire::v1::Route route;
  for (const uint32_t column : map.columns) {
    const std::optional<std::vector<Value>> values = semantics::pinned_values(predicate, column);
    if (!values) {
      continue;
    }
    wire::v1::ColumnEquality* equality = route.add_equalities();
    equality->set_column(column);
    for (const Value& value : *values) {
      *equality->add_values() = from_value(schema.columns[column].type, value);
    }
  }
  return route;
}

/// The distinct values that the rows of an insert part have in a column.
void add_values(const std::vector<Type>& types, const InsertPart& part, uint32_t column,
                wire::v1::ColumnEquality* equality) {
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
    CHECK(value);
    wire::v1::Constant constant = from_value(types[column], *value);
    // A key with a mark in front, so that NULL differs from the empty string.
    if (seen.insert((constant.is_null() ? "0" : "1") + constant.packed()).second) {
      *equality->add_values() = std::move(constant);
    }
  }
}

wire::v1::Route insert_route(const Schema& schema, const PartitionMap& map, const InsertPart& part) {
  wire::v1::Route route;
  route.set_first_ordinal(part.first_ordinal);
  route.set_row_count(part.row_count);
  if (map.columns.empty()) {
    return route;
  }
  const std::vector<Type> types = semantics::column_types(schema);
  for (const uint32_t column : map.columns) {
    add_values(types, part, column, route.add_equalities());
  }
  return route;
}

}  // namespace

Result<std::vector<PartitionId>> route(const Schema& schema, const PartitionMap& map,
                                       const google::protobuf::RepeatedPtrField<wire::v1::Route>& routes,
                                       Timestamp timestamp) {
  const PlacementRule rule = map.partition_rule();
  std::set<uint32_t> partitions;
  for (const wire::v1::Route& one : routes) {
    const Result<std::vector<uint32_t>> places = places_of(schema, rule, one, timestamp);
    if (!places) {
      return places.error();
    }
    partitions.insert(places->begin(), places->end());
  }
  if (routes.empty()) {
    const std::vector<uint32_t> all = rule.places_of(PlacementRule::Pins(rule.columns().size()));
    partitions.insert(all.begin(), all.end());
  }
  std::vector<PartitionId> ids;
  for (const uint32_t partition : partitions) {
    ids.push_back(PartitionId{partition});
  }
  return ids;
}

Partitions partitions_of(const Schema& schema, const PlacementRule& rule, const semantics::Predicate& predicate) {
  Partitions partitions;
  for (const uint32_t place : rule.places_of(schema, predicate)) {
    partitions.push_back(PartitionId{place});
  }
  return partitions;
}

semantics::Predicate routing_of(const PartitionMap& map, const semantics::Predicate& predicate) {
  semantics::Predicate routing;
  std::copy_if(predicate.clauses.begin(), predicate.clauses.end(), std::back_inserter(routing.clauses),
               [&](const semantics::Clause& clause) {
                 return clause.size() == 1 &&
                        std::find(map.columns.begin(), map.columns.end(), clause[0].column) != map.columns.end();
               });
  return routing;
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
