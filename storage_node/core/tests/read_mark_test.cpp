#include "daedalus/node/read_mark.hpp"

#include <gtest/gtest.h>

namespace daedalus::node {
namespace {

std::optional<Timestamp> at_least(const ReadMark& mark, uint64_t prefix_min) {
  return mark.moment_for({.prefix_min = Timestamp{prefix_min}});
}

std::optional<Timestamp> at(const ReadMark& mark, uint64_t moment, bool is_firm = false, uint64_t prefix_min = 0) {
  return mark.moment_for({.at = Timestamp{moment}, .is_firm = is_firm, .prefix_min = Timestamp{prefix_min}});
}

TEST(ReadMarkTest, NeverGoesBack) {
  ReadMark mark;
  EXPECT_EQ(mark.mark(), Timestamp{0});
  mark.learn(Timestamp{7});
  mark.learn(Timestamp{3});
  EXPECT_EQ(mark.mark(), Timestamp{7});
}

TEST(ReadMarkTest, AQueryThatLeavesItsMomentOpenGetsTheHigherOfMarkAndDemand) {
  ReadMark mark;
  mark.learn(Timestamp{7});
  EXPECT_EQ(at_least(mark, 0), Timestamp{7});
  EXPECT_EQ(at_least(mark, 6), Timestamp{7});
  EXPECT_EQ(at_least(mark, 8), Timestamp{8});
}

TEST(ReadMarkTest, AMomentAtOrAboveTheMarkIsTaken) {
  ReadMark mark;
  mark.learn(Timestamp{7});
  EXPECT_EQ(at(mark, 7), Timestamp{7});
  EXPECT_EQ(at(mark, 9), Timestamp{9});
}

TEST(ReadMarkTest, AMomentBelowTheMarkIsTakenOnlyIfItIsFirm) {
  ReadMark mark;
  mark.learn(Timestamp{7});
  EXPECT_EQ(at(mark, 6), std::nullopt);
  EXPECT_EQ(at(mark, 6, /*is_firm=*/true), Timestamp{6});
  EXPECT_EQ(at(mark, 0, /*is_firm=*/true), Timestamp{0});
}

/// A session that reads the past has seen later answers; it says so in every query.
TEST(ReadMarkTest, ADemandMovesNoMomentThatIsNamed) {
  ReadMark mark;
  mark.learn(Timestamp{3});
  EXPECT_EQ(at(mark, 5, /*is_firm=*/true, 8), Timestamp{5});
  EXPECT_EQ(at(mark, 5, /*is_firm=*/false, 8), Timestamp{5});
}

}  // namespace
}  // namespace daedalus::node
