// The one rule of placement against a plain twin, over any number of columns and any grid.
#include "daedalus/semantics/placement_rule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "daedalus/semantics/packed.hpp"
#include "random_values.hpp"

namespace daedalus::semantics {
namespace {

using testing::Random;

/// As docs/wire.md has it, written out: a place is a list of coordinates.
class PlainRule {
 public:
  PlainRule(PlacementLevel level, std::vector<uint32_t> columns, std::vector<uint32_t> grid)
      : level_(level), columns_(std::move(columns)), grid_(std::move(grid)) {}

  [[nodiscard]] uint32_t place_of(const Schema& schema, const std::vector<Value>& values, RowIdentity row) const {
    if (columns_.empty()) {
      const uint64_t block = mix(raw(row.timestamp) + row.ordinal / 1024);
      return level_ == PlacementLevel::kPartition ? scaled(block, grid_[0])
                                                  : static_cast<uint32_t>((block + row.ordinal) % grid_[0]);
    }
    std::vector<uint32_t> coordinates;
    for (size_t i = 0; i < columns_.size(); ++i) {
      coordinates.push_back(coordinate(i, schema, values[columns_[i]]));
    }
    for (uint32_t place = 0;; ++place) {
      if (coordinates_of(place) == coordinates) {
        return place;
      }
    }
  }

  /// Looks at every place.
  [[nodiscard]] std::vector<uint32_t> places_of(const Schema& schema, const Predicate& predicate) const {
    std::vector<uint32_t> found;
    for (uint32_t place = 0; place < place_count(); ++place) {
      const std::vector<uint32_t> here = coordinates_of(place);
      bool may_be_here = true;
      for (size_t i = 0; i < columns_.size(); ++i) {
        const auto values = pinned_values(predicate, columns_[i]);
        may_be_here = may_be_here && (!values || std::any_of(values->begin(), values->end(), [&](const Value& value) {
                        return coordinate(i, schema, value) == here[i];
                      }));
      }
      if (may_be_here) {
        found.push_back(place);
      }
    }
    return found;
  }

 private:
  static uint32_t scaled(uint64_t hash, uint32_t count) {
    return static_cast<uint32_t>((static_cast<unsigned __int128>(hash) * count) >> 64);
  }
  [[nodiscard]] uint32_t place_count() const {
    return std::accumulate(grid_.begin(), grid_.end(), 1u, std::multiplies<>());
  }
  /// The last axis runs fastest.
  [[nodiscard]] std::vector<uint32_t> coordinates_of(uint32_t place) const {
    std::vector<uint32_t> coordinates(grid_.size());
    for (size_t i = grid_.size(); i-- > 0;) {
      coordinates[i] = place % grid_[i];
      place /= grid_[i];
    }
    return coordinates;
  }
  [[nodiscard]] uint32_t coordinate(size_t axis, const Schema& schema, const Value& value) const {
    const uint64_t key = placement_key(schema.columns[columns_[axis]].type, value);
    return scaled(level_ == PlacementLevel::kPartition ? key : mix(key), grid_[axis]);
  }

  PlacementLevel level_;
  std::vector<uint32_t> columns_;
  std::vector<uint32_t> grid_;
};

struct Drawn {
  PlacementLevel level;
  std::vector<uint32_t> columns;
  std::vector<uint32_t> grid;
};

Drawn draw(Random& random, const Schema& schema) {
  Drawn drawn{random.chance(50) ? PlacementLevel::kPartition : PlacementLevel::kSegment, {}, {}};
  const auto columns = static_cast<int64_t>(schema.columns.size());
  for (int64_t wanted = random.between(0, 3); wanted > 0; --wanted) {
    const auto column = static_cast<uint32_t>(random.between(0, columns - 1));
    if (std::find(drawn.columns.begin(), drawn.columns.end(), column) == drawn.columns.end()) {
      drawn.columns.push_back(column);
    }
  }
  for (size_t axis = 0; axis < std::max<size_t>(1, drawn.columns.size()); ++axis) {
    drawn.grid.push_back(static_cast<uint32_t>(random.between(1, 6)));
  }
  return drawn;
}

RowIdentity draw_identity(Random& random) {
  return {Timestamp{random.bits()}, static_cast<uint32_t>(random.between(0, 60'000))};
}

TEST(PlacementRuleTest, EveryRowHasTheTwinsPlaceFromValuesAndFromPackedBytes) {
  Random random(91);
  for (int round = 0; round < 5'000; ++round) {
    const Schema schema = random.schema(6);
    const auto [level, columns, grid] = draw(random, schema);
    const PlacementRule rule(level, columns, grid);
    const std::vector<Value> values = random.row(schema);
    const RowIdentity identity = draw_identity(random);
    const uint32_t place = PlainRule(level, columns, grid).place_of(schema, values, identity);
    ASSERT_LT(place, rule.place_count());
    ASSERT_EQ(rule.place_of(schema, values, identity), place) << testing::describe(schema, values);
    std::string bytes;
    append_packed_row(column_types(schema), values, bytes);
    std::vector<uint32_t> wanted = columns;
    std::sort(wanted.begin(), wanted.end());
    std::vector<uint64_t> keys(schema.columns.size(), 7);
    ASSERT_TRUE(read_placement_keys(schema, std::string_view(bytes).substr(4), wanted, keys));
    ASSERT_EQ(rule.place_of(keys, identity), place) << testing::describe(schema, values);
    for (uint32_t column = 0; column < keys.size(); ++column) {
      const bool is_wanted = std::binary_search(wanted.begin(), wanted.end(), column);
      ASSERT_EQ(keys[column], is_wanted ? placement_key(schema.columns[column].type, values[column]) : 7u);
    }
  }
}

TEST(PlacementRuleTest, APredicateLeavesTheTwinsPlacesAndAmongThemThoseOfItsRows) {
  Random random(92);
  int narrowed = 0;
  int of_several_columns = 0;
  for (int round = 0; round < 20'000; ++round) {
    const Schema schema = random.schema(3);
    const auto [level, columns, grid] = draw(random, schema);
    const PlacementRule rule(level, columns, grid);
    const std::vector<Value> values = random.row(schema);
    const Expression expression = random.condition(schema, values, 2);
    const auto predicate = normalise(schema, expression);
    if (!predicate) {
      continue;
    }
    const std::vector<uint32_t> places = rule.places_of(schema, *predicate);
    ASSERT_EQ(places, PlainRule(level, columns, grid).places_of(schema, *predicate)) << testing::describe(expression);
    if (evaluate(schema, *predicate, values)) {
      const uint32_t place = rule.place_of(schema, values, draw_identity(random));
      ASSERT_TRUE(std::binary_search(places.begin(), places.end(), place))
          << testing::describe(expression) << " on " << testing::describe(schema, values);
    }
    const bool is_narrowed = places.size() < rule.place_count();
    narrowed += is_narrowed ? 1 : 0;
    of_several_columns += is_narrowed && columns.size() > 1 ? 1 : 0;
  }
  EXPECT_GT(narrowed, 300);
  EXPECT_GT(of_several_columns, 100);
}

TEST(PlacementRuleTest, InsertedRowsLieInThePlacesOfTheirBlocksAndInNoOthers) {
  Random random(93);
  for (int round = 0; round < 200; ++round) {
    const auto partitions = static_cast<uint32_t>(random.between(1, 50));
    const PlacementRule rule(PlacementLevel::kPartition, {}, {partitions});
    const RowIdentity first{Timestamp{random.bits()}, static_cast<uint32_t>(random.between(0, 5'000))};
    const auto row_count = static_cast<uint32_t>(random.between(0, 5'000));
    std::set<uint32_t> used;
    for (uint32_t row = 0; row < row_count; ++row) {
      used.insert(rule.place_of(std::span<const uint64_t>(), {first.timestamp, first.ordinal + row}));
    }
    ASSERT_EQ(rule.places_of_rows(first, row_count), std::vector<uint32_t>(used.begin(), used.end()));
  }
}

TEST(PlacementRuleTest, KeysOfARowThatIsCutShortAreNeverReadBeyondItsEnd) {
  Random random(94);
  for (int round = 0; round < 500; ++round) {
    const Schema schema = random.schema(4);
    std::string bytes;
    append_packed_row(column_types(schema), random.row(schema), bytes);
    const std::string_view row = std::string_view(bytes).substr(4);
    std::vector<uint32_t> all(schema.columns.size());
    std::iota(all.begin(), all.end(), 0);
    std::vector<uint64_t> keys(all.size());
    for (size_t size = 0; size < row.size(); ++size) {
      const std::string cut(row.substr(0, size));  // A copy of its own, so that a sanitizer sees what is beyond.
      const auto read = read_placement_keys(schema, cut, all, keys);
      ASSERT_FALSE(read) << size;
      ASSERT_EQ(read.error().sqlstate, "08P01");
    }
    ASSERT_TRUE(read_placement_keys(schema, row.substr(0, 0), {}, keys));  // Without columns nothing is read.
  }
}

TEST(PlacementRuleTest, KeysByAxisHaveThePlaceThatPinsOnThemLeave) {
  const PlacementRule rule(PlacementLevel::kPartition, {2, 0}, {3, 5});
  for (uint64_t key = 0; key < 100; ++key) {
    const std::vector<uint64_t> keys{mix(key + 1), mix(key + 1'000)};
    EXPECT_EQ(rule.places_of(PlacementRule::Pins{{{keys[0]}}, {{keys[1]}}}), std::vector{rule.place_of_keys(keys)});
  }
}

TEST(PlacementRuleTest, EqualNumbersLieTogetherWhateverTheirBits) {
  Schema schema;
  schema.columns = {{"r", {TypeKind::kReal}, true, std::nullopt}, {"d", {TypeKind::kDouble}, true, std::nullopt}};
  const auto keys_of = [&](const std::string& real, const std::string& number) {
    std::vector<uint64_t> keys(2);
    const std::vector<uint32_t> columns{0, 1};
    EXPECT_TRUE(read_placement_keys(schema, std::string(1, '\0') + real + number, columns, keys));
    return keys;
  };
  const auto bytes_of = [](auto value) { return std::string(reinterpret_cast<const char*>(&value), sizeof value); };
  EXPECT_EQ(keys_of(bytes_of(-0.0f), bytes_of(-0.0)), keys_of(bytes_of(0.0f), bytes_of(0.0)));
  EXPECT_EQ(
      keys_of(bytes_of(uint32_t{0xffc00001}), bytes_of(uint64_t{0xfff8000000000001})),
      keys_of(bytes_of(std::numeric_limits<float>::quiet_NaN()), bytes_of(std::numeric_limits<double>::quiet_NaN())));
}

}  // namespace
}  // namespace daedalus::semantics
