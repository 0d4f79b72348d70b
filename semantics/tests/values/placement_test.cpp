#include "daedalus/semantics/placement.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "daedalus/semantics/packed.hpp"

namespace daedalus::semantics {
namespace {

TEST(Placement, HashesAreThePublishedOnes) {
  EXPECT_EQ(digest(""), 0x2d06800538d394c2u);  // XXH3-64 of nothing, seed 0, as xxHash publishes it.
  EXPECT_EQ(mix(0), 0u);
  EXPECT_EQ(mix(0x9e3779b97f4a7c15u), 0xe220a8397b1dcdafu);  // SplitMix64's first output from seed 0.
}

TEST(Placement, ReduceSpreadsTheWholeRange) {
  EXPECT_EQ(reduce(0, 7), 0u);
  EXPECT_EQ(reduce(UINT64_MAX, 7), 6u);
  EXPECT_EQ(reduce(uint64_t{1} << 63, 2), 1u);
}

TEST(PlacementKey, DependsOnTheValueAlone) {
  const Type real{TypeKind::kReal};
  const Type char5{TypeKind::kChar, 0, 0, 5};
  const Type varchar{TypeKind::kVarchar, 0, 0, 9};
  EXPECT_EQ(placement_key(real, -0.0), placement_key(real, 0.0));
  EXPECT_EQ(placement_key(char5, std::string("ab")), digest("ab"));
  EXPECT_EQ(placement_key(varchar, std::string("ab")), digest("ab"));
  EXPECT_EQ(placement_key(varchar, std::string()), digest(""));
  EXPECT_EQ(placement_key(varchar, Value()), 0x9e3779b97f4a7c15u);
  std::string packed;
  append_packed({TypeKind::kInt}, int64_t{42}, packed);
  EXPECT_EQ(placement_key({TypeKind::kInt}, int64_t{42}), digest(packed));
  EXPECT_NE(placement_key({TypeKind::kInt}, int64_t{42}), placement_key({TypeKind::kBigint}, int64_t{42}));
}

TEST(PlacementKey, IsTakenOffPackedValuesOneByOne) {
  const Type varchar{TypeKind::kVarchar};
  const Type real{TypeKind::kReal};
  std::string packed;
  append_packed(varchar, std::string("ab"), packed);
  append_packed(real, -0.0, packed);
  std::string_view rest = packed;
  EXPECT_EQ(take_placement_key(varchar, rest), placement_key(varchar, std::string("ab")));
  EXPECT_EQ(take_placement_key(real, rest), placement_key(real, 0.0));
  EXPECT_TRUE(rest.empty());
  EXPECT_EQ(take_placement_key(real, rest), std::nullopt);
}

TEST(Placement, RoundRobinKeepsBlocksTogetherAndSpreadsThemOverSegments) {
  std::set<uint32_t> partitions;
  std::map<uint32_t, uint32_t> segments;
  for (uint32_t ordinal = 0; ordinal < 1024; ++ordinal) {
    const RowIdentity row{Timestamp{77}, ordinal};
    partitions.insert(round_robin_partition(row, 5));
    ++segments[round_robin_segment(row, 4)];
  }
  EXPECT_EQ(partitions.size(), 1u);
  ASSERT_EQ(segments.size(), 4u);
  for (const auto& [segment, rows] : segments) {
    EXPECT_EQ(rows, 256u);
  }
  // Ordinal 1024 of one timestamp is a block like ordinal 0 of the next.
  EXPECT_EQ(round_robin_partition({Timestamp{77}, 1024}, 1000), round_robin_partition({Timestamp{78}, 0}, 1000));
}

}  // namespace
}  // namespace daedalus::semantics
