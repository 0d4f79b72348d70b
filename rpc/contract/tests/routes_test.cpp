#include <gtest/gtest.h>

#include <algorithm>

#include "contract_fixture.hpp"

namespace daedalus::contract {
namespace {

using semantics::Distribution;
using semantics::Schema;
using semantics::Type;
using semantics::TypeKind;
using semantics::Value;
using semantics::testing::Random;
using Routes = google::protobuf::RepeatedPtrField<wire::v1::Route>;

class RoutesTest : public ContractTest {
 protected:
  static PartitionMap make_map(std::vector<uint32_t> columns, uint32_t partitions) {
    PartitionMap map;
    map.version = 1;
    map.distribution = columns.empty() ? Distribution::kRoundRobin : Distribution::kHash;
    map.segment_distribution = map.distribution;
    map.columns = columns;
    map.segment_columns = columns;
    for (uint32_t partition = 0; partition < partitions; ++partition) {
      map.partitions.push_back({NodeId{partition % 3}});
    }
    return map;
  }

  /// By no column, one, or a grid of two. No map of two columns is read yet; routes need not know that.
  static PartitionMap draw_map(Random& random, const Schema& schema) {
    const auto last = static_cast<int64_t>(schema.columns.size()) - 1;
    const auto column = static_cast<uint32_t>(random.between(0, last));
    const auto partitions = static_cast<uint32_t>(random.between(1, 9));
    if (last > 0 && random.chance(30)) {
      const auto other = static_cast<uint32_t>(random.between(0, last - 1));
      const auto rows = static_cast<uint32_t>(random.between(1, 4));
      PartitionMap map = make_map({}, rows * partitions);
      map.distribution = Distribution::kDualHash;
      map.columns = {column, other < column ? other : other + 1};
      map.grid = {rows, partitions};
      return map;
    }
    return make_map(random.chance(70) ? std::vector<uint32_t>{column} : std::vector<uint32_t>{}, partitions);
  }

  static Routes repeated(const std::vector<wire::v1::Route>& routes) { return {routes.begin(), routes.end()}; }

  static bool contains(const std::vector<PartitionId>& partitions, PartitionId partition) {
    return std::find(partitions.begin(), partitions.end(), partition) != partitions.end();
  }
};

TEST_F(RoutesTest, EveryRowThatQualifiesLivesWhereTheQueryGoes) {
  Random random(81);
  uint32_t narrowed = 0;
  for (int round = 0; round < 20'000; ++round) {
    const Schema schema = random.schema(3);
    const PartitionMap map = draw_map(random, schema);
    const std::vector<Value> row = random.row(schema);
    const semantics::Expression expression = random.condition(schema, row, 2);
    const auto predicate = semantics::normalise(schema, expression);
    if (!predicate || !semantics::evaluate(schema, *predicate, row)) {
      continue;
    }
    const auto routed = route(schema, map, repeated(routes_of(schema, map, *predicate)), Timestamp{5});
    ASSERT_TRUE(routed.has_value()) << routed.error().message;
    ASSERT_TRUE(std::is_sorted(routed->begin(), routed->end()));
    const semantics::RowIdentity identity{Timestamp{static_cast<uint64_t>(random.between(1, 1000))},
                                          static_cast<uint32_t>(random.between(0, 60'000))};
    ASSERT_TRUE(contains(*routed, map.partition_of(schema, row, identity)))
        << semantics::testing::describe(expression) << " on " << semantics::testing::describe(schema, row);
    ASSERT_LT(map.segment_of(schema, row, identity, 4), 4u);
    narrowed += routed->size() < map.partition_count() ? 1 : 0;
  }
  EXPECT_GT(narrowed, 300u);
}

TEST_F(RoutesTest, EveryInsertedRowLivesWhereTheUpdateGoes) {
  Random random(82);
  for (int round = 0; round < 300; ++round) {
    const Schema schema = random.schema(3);
    const PartitionMap map = draw_map(random, schema);
    const Timestamp timestamp{random.bits()};
    const std::vector<Type> types = semantics::column_types(schema);
    std::vector<std::string> rows(2);
    std::vector<UpdatePart> parts;
    std::vector<std::vector<Value>> inserted;
    for (std::string& bytes : rows) {
      InsertPart part;
      part.first_ordinal = static_cast<uint32_t>(inserted.size());
      part.row_count = static_cast<uint32_t>(random.chance(20) ? random.between(1000, 3000) : random.between(1, 20));
      for (uint32_t i = 0; i < part.row_count; ++i) {
        inserted.push_back(random.row(schema));
        semantics::append_packed_row(types, inserted.back(), bytes);
      }
      part.rows = bytes;
      parts.emplace_back(part);
    }
    const std::vector<wire::v1::Route> routes = routes_of(schema, map, parts);
    ASSERT_EQ(routes.size(), parts.size());
    const auto routed = route(schema, map, repeated(routes), timestamp);
    ASSERT_TRUE(routed.has_value()) << routed.error().message;
    std::vector<bool> used(map.partition_count());
    for (uint32_t ordinal = 0; ordinal < inserted.size(); ++ordinal) {
      const PartitionId partition = map.partition_of(schema, inserted[ordinal], {timestamp, ordinal});
      used[raw(partition)] = true;
      ASSERT_TRUE(contains(*routed, partition));
    }
    if (map.columns.size() > 1) {
      continue;  // The values of each column are listed for themselves: their pairs may be more than the rows'.
    }
    // Nothing more than what is needed, either.
    ASSERT_EQ(routed->size(), static_cast<size_t>(std::count(used.begin(), used.end(), true)));
  }
}

TEST_F(RoutesTest, EmptyRoutesConcernEveryPartition) {
  const PartitionMap map = make_map({kId}, 5);
  EXPECT_EQ(route(schema_, map, Routes(), Timestamp{1})->size(), 5u);
  Routes one;
  one.Add();
  EXPECT_EQ(route(schema_, map, one, Timestamp{1})->size(), 5u);
  EXPECT_TRUE(routes_of(schema_, map, semantics::Predicate{}).empty());
  EXPECT_EQ(routes_of(schema_, map, {UpdatePart(DeletePart{})}).size(), 1u);
}

TEST_F(RoutesTest, RefusesRoutesThatNameWrongThings) {
  const PartitionMap map = make_map({kId}, 5);
  Routes routes;
  wire::v1::ColumnEquality* equality = routes.Add()->add_equalities();
  const auto code = [&] {
    const auto routed = route(schema_, map, routes, Timestamp{1});
    return routed ? std::string("fine") : routed.error().sqlstate;
  };
  equality->set_column(kId);
  EXPECT_EQ(code(), "08P01");  // No values.
  *equality->add_values() = from_value({TypeKind::kInt}, int64_t{3});
  EXPECT_EQ(code(), "fine");
  EXPECT_EQ(route(schema_, map, routes, Timestamp{1})->size(), 1u);
  *equality->mutable_values(0) = from_value({TypeKind::kBigint}, int64_t{3});
  EXPECT_EQ(code(), "08P01");
  equality->set_column(99);
  EXPECT_EQ(code(), "08P01");
  equality->set_column(kName);  // Not the hashed column: says nothing about the place.
  EXPECT_EQ(route(schema_, map, routes, Timestamp{1})->size(), 5u);
  *routes.Mutable(0)->add_equalities() = *equality;
  EXPECT_EQ(code(), "08P01");
  Routes rows;
  rows.Add()->set_row_count(kUpdateRowsMax + 1);
  EXPECT_EQ(route(schema_, make_map({}, 5), rows, Timestamp{1}).error().sqlstate, "08P01");
}

TEST_F(RoutesTest, MapsTravelBothWaysAndWrongOnesAreRefused) {
  for (const PartitionMap& map : {make_map({kId}, 4), make_map({}, 3)}) {
    const wire::v1::PartitionMap message = from_partition_map(map);
    const Result<PartitionMap> back = to_partition_map(schema_, message);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(from_partition_map(*back).SerializeAsString(), message.SerializeAsString());
    EXPECT_EQ(back->partitions, map.partitions);
  }
  const wire::v1::PartitionMap good = from_partition_map(make_map({kId}, 4));
  const auto refusal = [&](auto change) {
    wire::v1::PartitionMap message = good;
    change(message);
    const Result<PartitionMap> map = to_partition_map(schema_, message);
    return map ? std::string("fine") : map.error().message;
  };
  using Message = wire::v1::PartitionMap;
  EXPECT_EQ(refusal([](Message& map) { map.set_version(0); }), "partition map: version 0; versions start at 1");
  EXPECT_EQ(refusal([](Message& map) { map.set_distribution(wire::v1::DISTRIBUTION_DUAL_HASH); }),
            "partition map: dual_hash distribution is not supported yet");
  EXPECT_EQ(refusal([](Message& map) { map.set_segment_distribution(wire::v1::DISTRIBUTION_DUAL_HASH); }),
            "partition map: dual_hash segmentation is not supported yet");
  EXPECT_EQ(refusal([](Message& map) {
              map.set_distribution(wire::v1::DISTRIBUTION_DUAL_HASH);
              map.add_columns(1);
              map.set_grid(0, 2);
              map.add_grid(2);
            }),
            "partition map: dual_hash distribution is not supported yet");  // Even where everything fits.
  EXPECT_EQ(refusal([](Message& map) { map.clear_distribution(); }),
            "partition map: there is no distribution number 0");
  EXPECT_EQ(refusal([](Message& map) { map.add_columns(1); }),
            "partition map: distribution by hash takes 1 columns, not 2");
  EXPECT_EQ(refusal([](Message& map) { map.set_columns(0, 99); }),
            "partition map: there is no column at position 99 in table \"items\"");
  EXPECT_EQ(refusal([](Message& map) { map.clear_partitions(); }),
            "partition map: 0 partitions, 1 to 65536 are allowed");
  EXPECT_EQ(refusal([](Message& map) {
              while (map.partitions_size() <= 65'536) {
                *map.add_partitions() = map.partitions(0);
              }
            }),
            "partition map: 65537 partitions, 1 to 65536 are allowed");
  EXPECT_EQ(refusal([](Message& map) { map.mutable_partitions(2)->add_nodes(1); }),
            "partition map: partition 2 has 2 nodes, exactly one is supported");
  EXPECT_EQ(refusal([](Message& map) { map.add_nodes()->set_node(7); }),
            "partition map: partition 0 is on node 0, which has no address");
  EXPECT_EQ(refusal([](Message& map) { map.set_grid(0, 3); }), "partition map: a grid of 3 for 4 partitions");
  EXPECT_EQ(refusal([](Message& map) { map.clear_grid(); }), "fine");
  EXPECT_EQ(refusal([](Message& map) { map.set_segment_distribution(wire::v1::DISTRIBUTION_ROUND_ROBIN); }),
            "partition map: segmentation by round_robin takes 0 columns, not 1");
}

}  // namespace
}  // namespace daedalus::contract
