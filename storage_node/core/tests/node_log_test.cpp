// A node with a log: append, then enqueue; confirm when durable and applied.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "node_harness.hpp"

namespace daedalus::node {
namespace {

class NodeLogTest : public testing::Test {
 protected:
  static HarnessOptions with_log() {
    HarnessOptions options = default_options();
    options.node.durability = Durability::kSync;
    options.node.updates_waiting_max = 4;
    return options;
  }
  static std::string insert(int64_t id) { return update_body({insert_part({Ticket{id, "ZRH", id}})}); }

  wire::v1::NodeStatus status() {
    return node_.take_only(node_.send(NodeHarness::operation(wire::v1::OPERATION_KIND_STATUS))).status().nodes(0);
  }

  NodeHarness node_{with_log()};
};

TEST_F(NodeLogTest, NothingIsAppliedBeforeItIsAppended) {
  const auto update = node_.send_update(1, insert(1));
  node_.settle();
  EXPECT_EQ(node_.core().accepted(), Timestamp{1});
  EXPECT_EQ(node_.core().applied(), Timestamp{0});
  ASSERT_EQ(node_.log_waiting().size(), 1u);
  const LogRecord& record = node_.log_waiting().front();
  EXPECT_EQ(record.epoch, Epoch{1});
  EXPECT_EQ(record.range.last, Timestamp{1});
  EXPECT_FALSE(record.identity.is_no_op);
  EXPECT_EQ(*record.body, insert(1));
  node_.append(1);
  node_.settle();
  EXPECT_EQ(node_.core().applied(), Timestamp{1});
  EXPECT_TRUE(node_.take(update).empty());  // Applied, but not durable.
  node_.sync_log();
  const auto confirmed = node_.take_only(update).confirmed();
  EXPECT_EQ(confirmed.outcomes(0).rows_applied(), 1u);
  EXPECT_EQ(confirmed.watermarks(0).durable(), 1u);
}

TEST_F(NodeLogTest, ReportsADurableUpdateOnceItIsApplied) {
  const auto update = node_.send_update(1, insert(1));
  node_.append(1);
  node_.sync_log();
  EXPECT_TRUE(node_.take(update).empty());
  node_.settle();
  EXPECT_TRUE(node_.take_only(update).has_confirmed());
}

TEST_F(NodeLogTest, AQueryWaitsUntilWhatItDemandsIsAheadOfItInTheRings) {
  node_.send_update(1, insert(1));
  const auto demanding = node_.send_select(select_all(), 1);
  const auto content = node_.send_select(select_all(), 0);
  node_.settle();
  EXPECT_TRUE(read_tickets(node_.take_rows(content)).empty());
  EXPECT_TRUE(node_.take(demanding).empty());
  node_.append(1);
  node_.settle();
  wire::v1::QueryEnd end;
  EXPECT_EQ(read_tickets(node_.take_rows(demanding, &end)).size(), 1u);
  EXPECT_EQ(end.stamps(0).applied(), 1u);
  EXPECT_EQ(end.stamps(0).durable(), 0u);
}

TEST_F(NodeLogTest, ARepeatedUpdateIsNeitherAppendedTwiceNorConfirmedEarly) {
  const auto first = node_.send_update(1, insert(1));
  node_.append(1);
  node_.settle();
  const auto again = node_.send_update(1, insert(1));
  EXPECT_TRUE(node_.log_waiting().empty());
  EXPECT_TRUE(node_.take(again).empty());
  node_.sync_log();
  EXPECT_TRUE(node_.take_only(first).has_confirmed());
  EXPECT_TRUE(node_.take_only(again).has_confirmed());
}

TEST_F(NodeLogTest, NoOpRangesAreAppendedInTheirOrder) {
  node_.send_no_op(1, 3);
  node_.send_update(4, insert(1));
  ASSERT_EQ(node_.log_waiting().size(), 2u);
  EXPECT_TRUE(node_.log_waiting().front().identity.is_no_op);
  EXPECT_EQ(node_.log_waiting().front().body, nullptr);
  node_.append(2);
  node_.settle();
  EXPECT_EQ(node_.core().applied(), Timestamp{4});
}

TEST_F(NodeLogTest, ALogThatDoesNotKeepUpRefusesWhatComes) {
  for (uint64_t t = 1; t <= 4; ++t) {
    node_.send_update(t, insert(static_cast<int64_t>(t)));
  }
  const auto refused = node_.take_only(node_.send_update(5, insert(5))).refused();
  EXPECT_EQ(refused.reason(), wire::v1::WRITE_REFUSAL_OVERLOADED);
  node_.append(4);
  node_.settle();
  EXPECT_TRUE(node_.take(node_.send_update(5, insert(5))).empty());
}

/// Everything that a writer may have without a confirmation waits for one slow sync; it is refused from there on.
TEST(NodeLogLimitsTest, Takes8192UpdatesWhileItsLogIsBusy) {
  HarnessOptions options = default_options();
  options.node.durability = Durability::kSync;
  NodeHarness node(options);
  for (uint64_t timestamp = 1; timestamp <= 8'192; ++timestamp) {
    const auto update = node.send_update(timestamp, update_body({insert_part({Ticket{1, "ZRH", 1}})}));
    ASSERT_TRUE(node.take(update).empty()) << timestamp;
  }
  const auto beyond = node.send_update(8'193, update_body({insert_part({Ticket{1, "ZRH", 1}})}));
  EXPECT_EQ(node.take_only(beyond).refused().reason(), wire::v1::WRITE_REFUSAL_OVERLOADED);
}

TEST_F(NodeLogTest, StatusAndEpochsTellAcceptedAppliedAndDurableApart) {
  node_.send_update(1, insert(1));
  node_.send_update(2, insert(2));
  node_.send_update(3, insert(3));
  node_.append(1);
  node_.settle();
  node_.sync_log();
  node_.append(1);
  node_.settle();
  EXPECT_EQ(status().accepted(), 3u);
  EXPECT_EQ(status().applied(), 2u);
  EXPECT_EQ(status().durable(), 1u);
  const auto epoch = node_.take_only(node_.send_epoch(0, "", true)).epoch();
  EXPECT_EQ(epoch.accepted(0).applied(), 3u);
  EXPECT_EQ(epoch.accepted(0).durable(), 1u);
}

TEST_F(NodeLogTest, RaisesItsMarkWithTheWritersConfirmations) {
  HarnessOptions options = with_log();
  options.node.found_epoch = EpochRecord{Epoch{4}, "w", "w:7500"};
  NodeHarness node(options);
  node.core().start_after(Timestamp{7}, std::vector<Timestamp>(2));
  node.core().on_recovered();
  EXPECT_EQ(node.core().mark(), Timestamp{7});
  node.send_epoch(5, "w");
  node.sync_epochs();
  for (uint64_t t = 8; t <= 9; ++t) {
    wire::v1::Operation update =
        NodeHarness::operation(wire::v1::OPERATION_KIND_UPDATE, insert(static_cast<int64_t>(t)));
    update.mutable_header()->mutable_update()->set_epoch(5);
    update.mutable_header()->mutable_update()->set_timestamp(t);
    update.mutable_header()->mutable_update()->set_digest(semantics::digest(update.body()));
    update.mutable_header()->mutable_update()->set_confirmed_through(t - 1);
    node.send(update);
    EXPECT_EQ(node.core().mark(), Timestamp{t - 1});
    node.append(1);
    node.settle();
    node.sync_log();
  }
}

/// In its next life it has no more than before, and nobody has to tell it.
TEST_F(NodeLogTest, ANodeThatLacksWhatItsHolderCouldNotSendIsIncompleteFromItsStart) {
  HarnessOptions options = with_log();
  options.node.found_epoch = EpochRecord{Epoch{4}, "w", "w:7500", Timestamp{9}};
  NodeHarness lacking(options);
  lacking.core().start_after(Timestamp{7}, std::vector<Timestamp>(2));
  EXPECT_FALSE(lacking.core().problem());  // The log may have the rest.
  lacking.core().on_recovered();
  expect_error(lacking.take_only(lacking.send_select(select_all())), wire::v1::ERROR_CATEGORY_FATAL, "55000",
               "node 0 has updates up to 7, and writer \"w\" kept those from 9 on");
  // A holder without a journal changes nothing about that; one who can send them does.
  EXPECT_TRUE(lacking.core().problem());
  lacking.send_epoch(5, "another");
  lacking.sync_epochs();
  EXPECT_TRUE(lacking.core().problem());
  lacking.send_epoch(6, "w", false, 8);
  lacking.sync_epochs();
  EXPECT_FALSE(lacking.core().problem());
  NodeHarness whole(options);
  whole.core().start_after(Timestamp{8}, std::vector<Timestamp>(2));
  whole.core().on_recovered();
  EXPECT_FALSE(whole.core().problem());
}

TEST_F(NodeLogTest, AnOutcomeThatIsAwaitedIsNotForgottenWhateverAnotherWriterBelieves) {
  const auto update = node_.send_update(1, insert(1));
  node_.append(1);
  node_.settle();  // Applied, but not durable.
  node_.send_epoch(2, "another");
  node_.sync_epochs();
  wire::v1::Operation next = NodeHarness::operation(wire::v1::OPERATION_KIND_UPDATE, insert(2));
  next.mutable_header()->set_map_version(1);
  auto* header = next.mutable_header()->mutable_update();
  header->set_epoch(2);
  header->set_timestamp(2);
  header->set_digest(semantics::digest(insert(2)));
  header->set_confirmed_through(1);
  node_.send(next);
  node_.sync_log();
  const auto confirmed = node_.take_only(update).confirmed();
  ASSERT_EQ(confirmed.outcomes_size(), 1);
  EXPECT_EQ(confirmed.outcomes(0).rows_applied(), 1u);
}

}  // namespace
}  // namespace daedalus::node
