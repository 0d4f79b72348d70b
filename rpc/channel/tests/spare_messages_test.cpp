#include "daedalus/rpc/spare_messages.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace daedalus::rpc {
namespace {

wire::v1::Operation with_body(size_t size) {
  wire::v1::Operation operation;
  operation.mutable_header()->set_sequence(7);
  operation.mutable_header()->set_request_id("somebody");
  operation.set_body(std::string(size, 'x'));
  return operation;
}

TEST(SpareMessagesTest, KeepsMemoryAndNothingThatWasSaid) {
  SpareMessages spare;
  spare.give(with_body(SpareMessages::kTextMax));
  const wire::v1::Operation again = spare.operation();
  EXPECT_GE(again.body().capacity(), SpareMessages::kTextMax);
  EXPECT_EQ(again.ByteSizeLong(), 2u) << "an empty header: " << again.ShortDebugString();

  wire::v1::Result rows;
  rows.set_sequence(9);
  rows.set_mark(4);
  rows.mutable_rows()->set_rows(std::string(100, 'x'));
  spare.give(std::move(rows));
  const wire::v1::Result empty = spare.rows();
  EXPECT_GE(empty.rows().rows().capacity(), 100u);
  EXPECT_EQ(empty.sequence(), 0u);
  EXPECT_EQ(empty.mark(), 0u);
  EXPECT_TRUE(empty.rows().rows().empty());
  EXPECT_TRUE(spare.end().has_end());
}

TEST(SpareMessagesTest, KeepsABoundedNumberOfEachKind) {
  SpareMessages spare;
  for (size_t i = 0; i < 2 * SpareMessages::kSpareMax; ++i) {
    spare.give(with_body(100));
  }
  size_t kept = 0;
  while (spare.operation().body().capacity() >= 100) {
    ++kept;
  }
  EXPECT_EQ(kept, SpareMessages::kSpareMax);
}

TEST(SpareMessagesTest, KeepsNothingThatIsLarge) {
  SpareMessages spare;
  spare.give(with_body(2 * SpareMessages::kTextMax + 1));
  EXPECT_LT(spare.operation().body().capacity(), 100u);
}

}  // namespace
}  // namespace daedalus::rpc
