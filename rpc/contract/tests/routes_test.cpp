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

TEST_F(RoutesTest, AMapIsToldWithItsGridAndTheNodeOfEachPartition) {
  const wire::v1::PartitionMap hashed = from_partition_map(make_map({kId}, 4));
  EXPECT_EQ(hashed.distribution(), wire::v1::DISTRIBUTION_HASH);
  ASSERT_EQ(hashed.columns_size(), 1);
  EXPECT_EQ(hashed.columns(0), kId);
  ASSERT_EQ(hashed.grid_size(), 1);
  EXPECT_EQ(hashed.grid(0), 4u);
  ASSERT_EQ(hashed.partitions_size(), 4);
  EXPECT_EQ(hashed.partitions(3).nodes_size(), 1);
  const wire::v1::PartitionMap in_turn = from_partition_map(make_map({}, 3));
  EXPECT_EQ(in_turn.distribution(), wire::v1::DISTRIBUTION_ROUND_ROBIN);
  EXPECT_EQ(in_turn.grid_size(), 0);
  EXPECT_EQ(in_turn.partitions_size(), 3);
}

}  // namespace
}  // namespace daedalus::contract
