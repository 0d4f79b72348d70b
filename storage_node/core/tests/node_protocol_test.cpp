// Tests what a node refuses, what it says about itself, and who may write: no rows are needed for that.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "daedalus/node/node_core.hpp"
#include "node_harness.hpp"

namespace daedalus::node {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::string one_ticket() { return update_body({insert_part({Ticket{1, "ZRH", 2}})}); }

wire::v1::Operation select_operation() {
  return NodeHarness::operation(wire::v1::OPERATION_KIND_SELECT, select_all().SerializeAsString());
}

/// A node refuses what it cannot honour, and never ignores it; what makes no sense is answered, and the connection
/// stays.
TEST(NodeProtocolTest, RefusesWhatItCannotHonour) {
  NodeHarness node;
  const auto refused = [&](auto change) {
    auto operation = select_operation();
    change(&operation);
    return node.take_only(node.send(std::move(operation)));
  };
  const auto rejected = wire::v1::ERROR_CATEGORY_REJECTED;
  expect_error(refused([](auto* o) { o->mutable_header()->set_priority(1); }), rejected, "0A000", "priority");
  expect_error(refused([](auto* o) { o->mutable_header()->set_credit_lease(1); }), rejected, "0A000", "lease");
  expect_error(refused([](auto* o) { o->mutable_header()->set_request_id(std::string(129, 'x')); }), rejected, "08P01",
               "longer than 128");
  expect_error(refused([](auto* o) { o->set_body("\xff"); }), rejected, "08P01", "");
  expect_error(refused([](auto* o) { o->mutable_header()->set_kind(wire::v1::OPERATION_KIND_STATEMENT); }), rejected,
               "0A000", "statements");
  expect_error(refused([](auto* o) { o->mutable_header()->set_kind(wire::v1::OPERATION_KIND_SUBMIT); }), rejected,
               "0A000", "submissions");
  expect_error(refused([](auto* o) { o->mutable_header()->set_kind(static_cast<wire::v1::OperationKind>(77)); }),
               rejected, "08P01", "77");
  expect_error(refused([](auto* o) {
                 auto body = select_all();
                 body.set_form(wire::v1::RESULT_FORM_FINAL);
                 o->set_body(body.SerializeAsString());
               }),
               rejected, "0A000", "partial form");
  expect_error(refused([](auto* o) {
                 auto body = select_all();
                 body.set_credit_bytes(5);
                 o->set_body(body.SerializeAsString());
               }),
               rejected, "0A000", "credit");
  expect_error(refused([](auto* o) {
                 o->set_body(select_all(call(wire::v1::OPERATOR_EQUAL, {column(9), constant(1)})).SerializeAsString());
               }),
               rejected, "42703", "");
  expect_error(refused([](auto* o) { o->mutable_header()->set_map_version(6); }), wire::v1::ERROR_CATEGORY_RETRY,
               "55000", "map version 6, node 0 has version 7");
  EXPECT_THAT(node.closes(), IsEmpty());
  node.settle();
  const auto fine = node.send(select_operation());
  node.settle();
  EXPECT_TRUE(node.take_only(fine).has_end());
}

TEST(NodeProtocolTest, WhileItDrainsItRefusesWhatIsNewAndFinishesTheRest) {
  NodeHarness node;
  const auto update = node.send_update(1, one_ticket());
  const auto query = node.send_select(select_all());
  const auto unwanted = node.send(select_operation());
  const auto parked = node.send_select(select_all(), 99);
  node.core().drain();
  EXPECT_EQ(node.core().under_way(), 4u);
  const auto refused = wire::v1::ERROR_CATEGORY_RETRY;
  expect_error(node.take_only(node.send(select_operation())), refused, "57P01", "node 0 is stopping");
  expect_error(node.take_only(node.send_update(2, one_ticket())), refused, "57P01", "stopping");
  expect_error(node.take_only(node.send_no_op(2, 5)), refused, "57P01", "stopping");
  expect_error(node.take_only(node.send(NodeHarness::operation(wire::v1::OPERATION_KIND_STATUS))), refused, "57P01",
               "stopping");
  for (const uint64_t sequence : {unwanted, parked}) {
    auto abort = NodeHarness::operation(wire::v1::OPERATION_KIND_ABORT);
    abort.mutable_header()->set_abort_sequence(sequence);
    node.send(std::move(abort));
  }
  node.settle();
  EXPECT_EQ(node.take_only(update).confirmed().timestamp(), 1u);
  EXPECT_EQ(read_tickets(node.take_rows(query)).size(), 1u);
  for (const uint64_t sequence : {unwanted, parked}) {
    expect_error(node.take_only(sequence), wire::v1::ERROR_CATEGORY_REJECTED, "57014", "aborted");
  }
  EXPECT_EQ(node.core().under_way(), 0u);
  EXPECT_THAT(node.closes(), IsEmpty());
}

TEST(NodeProtocolTest, ClosesAConnectionWhoseSequenceRunsBackwards) {
  NodeHarness node;
  const auto query = node.send(select_operation());
  auto again = select_operation();
  again.mutable_header()->set_sequence(query);
  Effects out;
  node.core().on_operation(rpc::PeerId{1}, wire::v1::Operation(again), node.now(), out);
  ASSERT_EQ(out.closes.size(), 1u);
  EXPECT_THAT(out.closes[0].second, HasSubstr("came after"));
  node.settle();
  EXPECT_EQ(node.take(query).size(), 0u);
}

TEST(NodeProtocolTest, RefusesUpdatesThatCannotBe) {
  NodeHarness node;
  const auto refused = [&](auto change) {
    auto operation = NodeHarness::operation(wire::v1::OPERATION_KIND_UPDATE, one_ticket());
    auto* header = operation.mutable_header()->mutable_update();
    header->set_epoch(1);
    header->set_timestamp(1);
    header->set_digest(semantics::digest(operation.body()));
    change(&operation, header);
    return node.take_only(node.send(std::move(operation)));
  };
  const auto rejected = wire::v1::ERROR_CATEGORY_REJECTED;
  expect_error(refused([](auto*, auto* h) { h->set_digest(h->digest() + 1); }), rejected, "08P01",
               "digest of update 1");
  expect_error(refused([](auto*, auto* h) { h->set_timestamp(0); }), rejected, "08P01", "cannot be");
  expect_error(refused([](auto*, auto* h) { h->set_timestamp(UINT64_MAX); }), rejected, "08P01", "cannot be");
  expect_error(refused([](auto*, auto* h) { h->set_epoch(0); }), rejected, "08P01", "cannot be");
  expect_error(refused([](auto*, auto* h) { h->set_first_timestamp(1); }), rejected, "08P01", "mixes");
  expect_error(refused([](auto* o, auto*) { o->mutable_header()->set_kind(wire::v1::OPERATION_KIND_NO_OP_RANGE); }),
               rejected, "08P01", "cannot be");
  expect_error(refused([](auto* o, auto* h) {
                 o->mutable_header()->set_kind(wire::v1::OPERATION_KIND_NO_OP_RANGE);
                 h->set_first_timestamp(1);
               }),
               rejected, "08P01", "mixes");
  const auto stale = refused([](auto* o, auto*) { o->mutable_header()->set_map_version(8); });
  EXPECT_EQ(stale.refused().reason(), wire::v1::WRITE_REFUSAL_STALE_MAP);
  EXPECT_THAT(stale.refused().error().message(), HasSubstr("map version 8, node 0 has version 7"));
  EXPECT_FALSE(node.core().problem());
  EXPECT_EQ(node.core().accepted(), Timestamp{0});
}

TEST(NodeProtocolTest, TellsTheGapAfterTwentyMilliseconds) {
  NodeHarness node;
  const auto early = node.send_update(2, one_ticket());
  EXPECT_EQ(node.wake_at(), after(node.now(), 20 * kMillisecond));
  node.wait(20 * kMillisecond);
  const auto refused = node.take_only(early).refused();
  EXPECT_EQ(refused.reason(), wire::v1::WRITE_REFUSAL_GAP);
  EXPECT_EQ(refused.last_accepted(), 0u);
  EXPECT_EQ(refused.node(), 0u);
  EXPECT_EQ(refused.epoch(), 1u);
  EXPECT_EQ(refused.holder(), "w");
}

TEST(NodeProtocolTest, RepeatsTheOutcomeOfAnUpdateThatComesAgain) {
  NodeHarness node;
  const auto first = node.send_update(1, one_ticket());
  node.settle();
  node.connect(2);
  const auto again = node.send_update(1, one_ticket(), 2);
  EXPECT_EQ(node.take_only(first).confirmed().SerializeAsString(),
            node.take_only(again, 2).confirmed().SerializeAsString());
}

TEST(NodeProtocolTest, IsBrokenForGoodOnceTwoUpdatesCarryOneNumber) {
  NodeHarness node;
  node.send_update(1, one_ticket());
  node.settle();
  const auto other = node.take_only(node.send_update(1, update_body({insert_part({Ticket{2, "GVA", 2}})}))).refused();
  EXPECT_EQ(other.reason(), wire::v1::WRITE_REFUSAL_DIGEST_MISMATCH);
  EXPECT_THAT(other.error().message(), HasSubstr("two different updates carry one number"));
  ASSERT_TRUE(node.core().problem());
  expect_error(node.take_only(node.send(select_operation())), wire::v1::ERROR_CATEGORY_FATAL, "XX001", "one number");
  EXPECT_FALSE(node.take_only(node.send_epoch(2, "v")).epoch().granted());
  const auto status = node.take_only(node.send(NodeHarness::operation(wire::v1::OPERATION_KIND_STATUS))).status();
  EXPECT_THAT(status.nodes(0).problem(), HasSubstr("one number"));
}

TEST(NodeProtocolTest, IsBrokenByANumberedUpdateThatMakesNoSense) {
  NodeHarness node;
  const auto early = node.send_update(3, one_ticket());
  const auto good = node.send_update(1, one_ticket());
  const auto bad = node.send_update(2, "\xff\xff");
  const auto refused = node.take_only(bad).refused();
  EXPECT_EQ(refused.reason(), wire::v1::WRITE_REFUSAL_DIGEST_MISMATCH);
  EXPECT_THAT(refused.error().message(), HasSubstr("cannot make sense of update 2"));
  EXPECT_EQ(node.take_only(early).refused().reason(), wire::v1::WRITE_REFUSAL_DIGEST_MISMATCH);
  node.settle();
  EXPECT_TRUE(node.take_only(good).has_confirmed());
  EXPECT_EQ(node.core().applied(), Timestamp{1});
  ASSERT_TRUE(node.core().problem());
}

TEST(NodeProtocolTest, GrantsAnEpochOnlyWhenItIsOnDisk) {
  NodeHarness node;
  node.send_no_op(1, 5);
  const auto raised = node.send_epoch(2, "v");
  EXPECT_EQ(node.take(raised).size(), 0u);
  const auto equal = node.take_only(node.send_epoch(2, "u")).epoch();
  EXPECT_FALSE(equal.granted());
  EXPECT_EQ(equal.holder(), "v");
  EXPECT_THAT(equal.error().message(), HasSubstr("epoch 2 is not higher than 2, which \"v\" holds"));
  EXPECT_EQ(node.take_only(node.send_epoch(0, "", true)).epoch().holder(), "w");

  node.sync_epochs();
  const auto granted = node.take_only(raised).epoch();
  EXPECT_TRUE(granted.granted());
  EXPECT_EQ(granted.epoch(), 2u);
  EXPECT_EQ(granted.holder(), "v");
  ASSERT_EQ(granted.accepted_size(), 1);
  EXPECT_EQ(granted.accepted(0).applied(), 5u);
  const auto inquired = node.take_only(node.send_epoch(0, "", true)).epoch();
  EXPECT_TRUE(inquired.granted());
  EXPECT_EQ(inquired.epoch(), 2u);
  EXPECT_EQ(inquired.endpoint(), "v:7500");
}

TEST(NodeProtocolTest, RefusesAnEpochThatLeavesNoneForLaterWriters) {
  NodeHarness node;
  for (const uint64_t epoch : {UINT64_MAX, uint64_t{1} << 63, 2 + EpochStore::kStepMax}) {
    const auto refused = node.take_only(node.send_epoch(epoch, "v")).epoch();
    EXPECT_FALSE(refused.granted());
    EXPECT_EQ(refused.epoch(), 1u);
    EXPECT_EQ(refused.holder(), "w");
    EXPECT_EQ(refused.error().category(), wire::v1::ERROR_CATEGORY_REJECTED);
    EXPECT_EQ(refused.error().sqlstate(), "22023");
    EXPECT_THAT(refused.error().message(), HasSubstr("too far above 1, the highest that node 0 knows"));
    EXPECT_THAT(refused.error().message(), HasSubstr("1048576"));
  }
  const auto raised = node.send_epoch(1 + EpochStore::kStepMax, "v");
  node.sync_epochs();
  EXPECT_TRUE(node.take_only(raised).epoch().granted());
}

TEST(NodeProtocolTest, RefusesAFormerWriterByTheNameOfTheNewOne) {
  NodeHarness node;
  auto operation = NodeHarness::operation(wire::v1::OPERATION_KIND_UPDATE, one_ticket());
  operation.mutable_header()->mutable_update()->set_epoch(1);
  operation.mutable_header()->mutable_update()->set_timestamp(1);
  operation.mutable_header()->mutable_update()->set_digest(semantics::digest(operation.body()));
  node.send_epoch(2, "v");
  node.sync_epochs();
  const auto refused = node.take_only(node.send(operation)).refused();
  EXPECT_EQ(refused.reason(), wire::v1::WRITE_REFUSAL_STALE_EPOCH);
  EXPECT_EQ(refused.epoch(), 2u);
  EXPECT_EQ(refused.holder(), "v");
}

TEST(NodeProtocolTest, RefusesAHolderWithoutASoundName) {
  NodeHarness node;
  expect_error(node.take_only(node.send_epoch(2, "")), wire::v1::ERROR_CATEGORY_REJECTED, "08P01", "holder");
  expect_error(node.take_only(node.send_epoch(2, "a\nb")), wire::v1::ERROR_CATEGORY_REJECTED, "08P01", "holder");
  expect_error(node.take_only(node.send_epoch(2, std::string(257, 'a'))), wire::v1::ERROR_CATEGORY_REJECTED, "08P01",
               "holder");
}

TEST(NodeProtocolTest, ServesNothingWhenItHasLostItsRows) {
  auto options = default_options();
  options.node.found_epoch = EpochRecord{Epoch{4}, "w", "w:7500"};
  NodeHarness node(options);
  ASSERT_TRUE(node.core().problem());
  expect_error(node.take_only(node.send(select_operation())), wire::v1::ERROR_CATEGORY_FATAL, "55000", "incomplete");
  expect_error(node.take_only(node.send_update(1, one_ticket())), wire::v1::ERROR_CATEGORY_FATAL, "55000",
               "lost its rows");
  expect_error(node.take_only(node.send_no_op(1, 3)), wire::v1::ERROR_CATEGORY_FATAL, "55000", "incomplete");
  const auto raised = node.take_only(node.send_epoch(5, "v")).epoch();
  EXPECT_FALSE(raised.granted());
  EXPECT_THAT(raised.error().hint(), HasSubstr("load it again"));
  EXPECT_FALSE(node.take_only(node.send_epoch(0, "", true)).epoch().granted());
  const auto status = node.take_only(node.send(NodeHarness::operation(wire::v1::OPERATION_KIND_STATUS))).status();
  EXPECT_THAT(status.nodes(0).problem(), HasSubstr("incomplete"));
  EXPECT_FALSE(status.nodes(0).segments(0).complete());
  EXPECT_EQ(status.nodes(0).epoch(), 4u);
}

TEST(NodeProtocolTest, DescribesTableAndMap) {
  auto options = default_options();
  options.node.addresses = {{NodeId{0}, "127.0.0.1:7410"}};
  NodeHarness node(options);
  const auto described =
      node.take_only(node.send(NodeHarness::operation(wire::v1::OPERATION_KIND_DESCRIBE))).described();
  EXPECT_EQ(described.cluster_id(), "test");
  EXPECT_EQ(described.schema_fingerprint(), "tickets-1");
  EXPECT_EQ(described.table_name(), "tickets");
  ASSERT_EQ(described.columns_size(), 3);
  EXPECT_EQ(described.columns(1).name(), "origin");
  EXPECT_EQ(described.map().version(), 7u);
  EXPECT_EQ(described.map().partitions_size(), 1);
  ASSERT_EQ(described.map().nodes_size(), 1);
  EXPECT_EQ(described.map().nodes(0).endpoint(), "127.0.0.1:7410");
  EXPECT_EQ(described.epoch(), 1u);
  EXPECT_EQ(described.writer(), "w");
  EXPECT_EQ(described.writer_endpoint(), "w:7500");
  EXPECT_EQ(described.durability(), "off");
  EXPECT_GT(described.limits().answer_bytes_max(), 0u);
}

TEST(NodeProtocolTest, ReportsItsStatus) {
  NodeHarness node;
  node.send_update(1, one_ticket());
  node.send_no_op(2, 3);
  node.settle();
  node.send(select_operation());
  const auto status = node.take_only(node.send(NodeHarness::operation(wire::v1::OPERATION_KIND_STATUS))).status();
  ASSERT_EQ(status.nodes_size(), 1);
  const auto& report = status.nodes(0);
  EXPECT_EQ(report.share_factor(), 1024u);
  EXPECT_EQ(report.updates_per_cycle(), 1024u);
  EXPECT_EQ(report.cycle_ns_target(), 0u);
  EXPECT_EQ(report.segments(0).row_bytes(), 11u);  // int, char(3), int.
  EXPECT_EQ(report.segments(0).numa_node(), -1);   // Stepped: nobody owns it.
  EXPECT_TRUE(report.reachable());
  EXPECT_EQ(report.problem(), "");
  EXPECT_EQ(report.durability(), "off");
  EXPECT_EQ(report.accepted(), 3u);
  EXPECT_EQ(report.applied(), 3u);
  EXPECT_EQ(report.durable(), 3u);
  EXPECT_EQ(report.queries_total(), 1u);
  EXPECT_EQ(report.updates_total(), 1u);
  ASSERT_EQ(report.segments_size(), 2);
  EXPECT_EQ(report.segments(0).rows() + report.segments(1).rows(), 1u);
  EXPECT_EQ(report.segments(1).segment(), 1u);
  EXPECT_EQ(report.segments(1).applied(), 3u);
  EXPECT_TRUE(report.segments(1).complete());
  EXPECT_EQ(report.segments(1).cycle_counts_size(), 0) << "nobody timed them";
}

TEST(NodeProtocolTest, TellsHowManyCyclesTookHowLong) {
  NodeHarness node;
  node.segments().at(1).record_cycle_ns(19'000);
  node.segments().at(1).record_cycle_ns(20'000);
  node.segments().at(1).record_cycle_ns(1);
  const auto status = node.take_only(node.send(NodeHarness::operation(wire::v1::OPERATION_KIND_STATUS))).status();
  EXPECT_EQ(status.nodes(0).segments(0).cycle_counts_size(), 0);
  const auto& counts = status.nodes(0).segments(1).cycle_counts();
  EXPECT_EQ(std::vector<uint64_t>(counts.begin(), counts.end()), (std::vector<uint64_t>{1, 0, 2}));
}

}  // namespace
}  // namespace daedalus::node
