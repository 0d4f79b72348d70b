#include "descriptions.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace daedalus::postgres {
namespace {

using semantics::TypeKind;
using Kinds = std::vector<std::optional<aggregator::ParameterKind>>;

aggregator::StatementDescription of_one(TypeKind kind) { return {{kind}, {}}; }

TEST(DescriptionsTest, TextAndDeclaredTypesTellStatementsApart) {
  Descriptions kept;
  const Kinds none{std::nullopt};
  const Kinds big{TypeKind::kBigint};
  kept.keep("SELECT $1", none, of_one(TypeKind::kInt));
  kept.keep("SELECT $1", big, of_one(TypeKind::kBigint));
  ASSERT_NE(kept.find("SELECT $1", none), nullptr);
  EXPECT_EQ(kept.find("SELECT $1", none)->parameters[0], TypeKind::kInt);
  EXPECT_EQ(kept.find("SELECT $1", big)->parameters[0], TypeKind::kBigint);
  EXPECT_EQ(kept.find("SELECT $1", {}), nullptr);
  EXPECT_EQ(kept.find("select $1", none), nullptr);
}

TEST(DescriptionsTest, EvictsTheLeastRecentlyUsedFirst) {
  Descriptions kept;
  const std::string filler(10'000, ' ');
  const auto text = [&](size_t number) { return "SELECT " + std::to_string(number) + filler; };
  kept.keep(text(0), {}, of_one(TypeKind::kInt));
  for (size_t number = 1; number < 2'000; ++number) {
    kept.keep(text(number), {}, of_one(TypeKind::kInt));
    EXPECT_NE(kept.find(text(0), {}), nullptr) << number;
  }
  EXPECT_EQ(kept.find(text(1), {}), nullptr);
  EXPECT_NE(kept.find(text(1'999), {}), nullptr);
  EXPECT_LE(kept.size(), Descriptions::kBytesMax / filler.size());
  EXPECT_GT(kept.size(), Descriptions::kBytesMax / filler.size() / 2);
}

TEST(DescriptionsTest, DoesNotKeepLargeDescriptions) {
  Descriptions kept;
  const std::string text(Descriptions::kEntryBytesMax, 'x');
  kept.keep(text, {}, of_one(TypeKind::kInt));
  EXPECT_EQ(kept.find(text, {}), nullptr);
  EXPECT_EQ(kept.size(), 0u);
}

}  // namespace
}  // namespace daedalus::postgres
