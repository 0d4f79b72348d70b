// A node reads what is encoded by hand.
#include <gtest/gtest.h>

#include <set>

#include "daedalus/semantics/placement.hpp"
#include "daedalus/wire/v1/operations.pb.h"
#include "numbered_updates.hpp"

namespace daedalus::node::bench {
namespace {

TEST(NumberedUpdatesTest, AnUpdateIsWhatAWriterWouldSend) {
  const NumberedUpdates updates(1000);
  std::string payload;
  for (uint64_t timestamp = 1; timestamp <= 300; ++timestamp) {
    updates.append({.sequence = timestamp + 7, .epoch = 3, .timestamp = timestamp, .confirmed = timestamp - 1},
                   payload);
  }
  wire::v1::OperationBatch batch;
  ASSERT_TRUE(batch.ParseFromString(payload));
  ASSERT_EQ(batch.operations_size(), 300);
  std::set<std::string> filters;
  for (uint64_t timestamp = 1; timestamp <= 300; ++timestamp) {
    const wire::v1::Operation& operation = batch.operations(static_cast<int>(timestamp - 1));
    EXPECT_EQ(operation.header().sequence(), timestamp + 7);
    EXPECT_EQ(operation.header().kind(), wire::v1::OPERATION_KIND_UPDATE);
    EXPECT_EQ(operation.header().map_version(), 1u);
    EXPECT_EQ(operation.header().update().epoch(), 3u);
    EXPECT_EQ(operation.header().update().timestamp(), timestamp);
    EXPECT_EQ(operation.header().update().confirmed_through(), timestamp - 1);
    EXPECT_EQ(operation.header().update().digest(), semantics::digest(operation.body()));
    wire::v1::UpdateBody body;
    ASSERT_TRUE(body.ParseFromString(operation.body()));
    filters.insert(body.parts(0).modify().filter().SerializeAsString());
  }
  EXPECT_EQ(filters.size(), 300u);
}

TEST(NumberedUpdatesTest, LargeNumbersAndLongBodiesKeepTheirPlace) {
  const uint64_t large = (uint64_t{1} << 35) - 1;
  const std::string body = insert_body(0, 999);
  std::string payload;
  append_update({.sequence = large, .epoch = 1, .timestamp = large, .confirmed = 0}, body, 5, payload);
  append_update({.sequence = 1, .epoch = 1, .timestamp = 1, .confirmed = 0}, "b", 5, payload);
  wire::v1::OperationBatch batch;
  ASSERT_TRUE(batch.ParseFromString(payload));
  EXPECT_EQ(batch.operations(0).header().update().timestamp(), large);
  EXPECT_EQ(batch.operations(0).body(), body);
  EXPECT_EQ(batch.operations(1).body(), "b");
  wire::v1::UpdateBody inserted;
  ASSERT_TRUE(inserted.ParseFromString(body));
  EXPECT_EQ(inserted.parts(0).insert().row_count(), 1000u);
}

}  // namespace
}  // namespace daedalus::node::bench
