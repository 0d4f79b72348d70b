// The whole core over real, stepped segments: what a peer says and what it hears.
#include "daedalus/node/node_core.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "node_harness.hpp"

namespace daedalus::node {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::vector<Ticket> tickets(int64_t first, int64_t last) {
  std::vector<Ticket> made;
  for (int64_t id = first; id <= last; ++id) {
    made.push_back(Ticket{id, "ZRH", id});
  }
  return made;
}

std::set<int64_t> ids(const std::string& rows) {
  std::set<int64_t> found;
  for (const Ticket& ticket : read_tickets(rows)) {
    EXPECT_TRUE(found.insert(ticket.id).second);
  }
  return found;
}

wire::v1::Expression id_is(int64_t id) { return call(wire::v1::OPERATOR_EQUAL, {column(0), constant(id)}); }

TEST(NodeCoreTest, AQuerySeesEveryUpdateAcceptedBeforeIt) {
  NodeHarness node;
  const auto update = node.send_update(1, update_body({insert_part(tickets(1, 100))}));
  const auto query = node.send_select(select_all());
  node.settle();
  const auto confirmed = node.take_only(update).confirmed();
  EXPECT_EQ(confirmed.timestamp(), 1u);
  ASSERT_EQ(confirmed.outcomes_size(), 1);
  EXPECT_EQ(confirmed.outcomes(0).rows_applied(), 100u);
  ASSERT_EQ(confirmed.watermarks_size(), 1);
  EXPECT_EQ(confirmed.watermarks(0).applied(), 1u);
  EXPECT_EQ(confirmed.watermarks(0).durable(), 1u);
  wire::v1::QueryEnd end;
  EXPECT_EQ(ids(node.take_rows(query, &end)).size(), 100u);
  ASSERT_EQ(end.stamps_size(), 2);
  EXPECT_EQ(end.stamps(0).segment(), 0u);
  EXPECT_EQ(end.stamps(1).segment(), 1u);
  EXPECT_EQ(end.stamps(0).applied(), 1u);
  EXPECT_GT(node.segments().at(0).statistics().rows, 0u);
  EXPECT_GT(node.segments().at(1).statistics().rows, 0u);
}

TEST(NodeCoreTest, ANoOpMovesTheStampOfEverySegment) {
  NodeHarness node;
  const auto update = node.send_no_op(1, 40);
  const auto query = node.send_select(select_all());
  node.settle();
  const auto confirmed = node.take_only(update).confirmed();
  EXPECT_EQ(confirmed.timestamp(), 40u);
  EXPECT_EQ(confirmed.outcomes_size(), 0);
  wire::v1::QueryEnd end;
  EXPECT_THAT(ids(node.take_rows(query, &end)), IsEmpty());
  EXPECT_EQ(end.stamps(0).applied(), 40u);
  EXPECT_EQ(end.stamps(1).applied(), 40u);
}

TEST(NodeCoreTest, ModifiesAndDeletesWhereverTheRowsAre) {
  NodeHarness node;
  node.send_update(1, update_body({insert_part(tickets(1, 10))}));
  const auto modified =
      node.send_update(2, update_body({add_seats_part(100, call(wire::v1::OPERATOR_LESS, {column(0), constant(4)})),
                                       delete_part(call(wire::v1::OPERATOR_GREATER, {column(0), constant(5)}))}));
  const auto query = node.send_select(select_all());
  node.settle();
  const auto outcome = node.take_only(modified).confirmed().outcomes(0);
  EXPECT_EQ(outcome.rows_matched(), 8u);
  EXPECT_EQ(outcome.rows_applied(), 8u);
  EXPECT_THAT(read_tickets(node.take_rows(query)),
              UnorderedElementsAre(Ticket{1, "ZRH", 101}, Ticket{2, "ZRH", 102}, Ticket{3, "ZRH", 103},
                                   Ticket{4, "ZRH", 4}, Ticket{5, "ZRH", 5}));
}

TEST(NodeCoreTest, MergesAggregatesOverItsSegments) {
  NodeHarness node;
  node.send_update(1, update_body({insert_part(tickets(1, 50))}));
  const auto query = node.send_select(select_count_and_sum());
  node.settle();
  const auto rows = node.take_rows(query);
  const std::vector<semantics::Type> types = {semantics::Type{semantics::TypeKind::kBigint, 0, 0, 0},
                                              semantics::Type{semantics::TypeKind::kNumeric, 0, 0, 0}};
  const auto values = semantics::read_packed_row(types, std::string_view(rows).substr(4));
  ASSERT_TRUE(values);
  EXPECT_EQ((*values)[0], semantics::Value(int64_t{50}));
  EXPECT_EQ(std::get<semantics::Decimal>((*values)[1]).unscaled, 1275);
}

TEST(NodeCoreTest, TwoNodesTakeEachRowOnceBetweenThem) {
  std::set<int64_t> all;
  std::vector<size_t> counts;
  for (const uint32_t id : {0u, 1u}) {
    auto options = default_options();
    options.map.distribution = semantics::Distribution::kHash;
    options.map.columns = {0};
    options.map.grid = {3};
    options.map.partitions = {{NodeId{0}}, {NodeId{1}}, {NodeId{1}}};
    options.node.node = NodeId{id};
    NodeHarness node(options);
    const auto update = node.send_update(1, update_body({insert_part(tickets(1, 300))}));
    const auto query = node.send_select(select_all());
    node.settle();
    const auto found = ids(node.take_rows(query));
    counts.push_back(found.size());
    all.insert(found.begin(), found.end());
    EXPECT_EQ(node.take_only(update).confirmed().outcomes_size(), id == 0 ? 1 : 2);
  }
  EXPECT_EQ(all.size(), 300u);
  EXPECT_EQ(counts[0] + counts[1], 300u);
}

TEST(NodeCoreTest, AnswersWithoutRowsEvenWhenNoSegmentIsConcerned) {
  auto options = default_options();
  options.map.distribution = semantics::Distribution::kHash;
  options.map.columns = {0};
  options.map.grid = {2};
  options.map.partitions = {{NodeId{0}}, {NodeId{1}}};
  NodeHarness node(options);
  for (int64_t id = 0; id < 20; ++id) {
    const auto query = node.send_select(select_all(id_is(id)));
    node.settle();
    EXPECT_THAT(ids(node.take_rows(query)), IsEmpty());
  }
}

TEST(NodeCoreTest, KeepsEveryRowsMessageBelowOneMebibyte) {
  auto options = default_options();
  options.segment.memory_bytes = 16u << 20;
  NodeHarness node(options);
  constexpr int64_t kRows = 100'000;
  for (int64_t i = 0; i < 10; ++i) {
    node.send_update(static_cast<uint64_t>(i + 1),
                     update_body({insert_part(tickets(i * kRows / 10 + 1, (i + 1) * kRows / 10))}));
  }
  const auto query = node.send_select(select_all());
  node.settle();
  const auto results = node.take(query);
  EXPECT_GT(results.size(), 2u);
  uint64_t row_count = 0;
  for (const auto& result : results) {
    EXPECT_LT(result.ByteSizeLong(), size_t{1} << 20);
    EXPECT_EQ(read_tickets(result.rows().rows()).size(), result.rows().row_count());
    row_count += result.rows().row_count();
  }
  EXPECT_EQ(row_count, static_cast<uint64_t>(kRows));
  EXPECT_EQ(results.back().end().row_count(), static_cast<uint64_t>(kRows));
}

TEST(NodeCoreTest, ForwardsRowsBeforeTheSweepEndsAndTheEndAfterIt) {
  auto options = default_options();
  options.node.segments = 1;
  options.segment.answer_part_bytes = 1;
  options.step.chunks_max = 1;
  NodeHarness node(options);
  node.send_update(1, update_body({insert_part(tickets(1, 1000))}));
  node.settle();
  const auto query = node.send_select(select_all());
  node.step(0);
  const auto early = node.take(query);
  ASSERT_EQ(early.size(), 1u);
  EXPECT_EQ(early[0].rows().row_count(), 256u);  // One chunk.
  node.settle();
  uint64_t row_count = early[0].rows().row_count();
  const auto late = node.take(query);
  for (const auto& result : late) {
    row_count += result.rows().row_count();
  }
  EXPECT_EQ(row_count, 1000u);
  EXPECT_EQ(late.back().end().row_count(), 1000u);
  EXPECT_EQ(late.back().end().stamps_size(), 1);
}

TEST(NodeCoreTest, AnAnswerThatOutgrowsItsMaximumInPartsEndsInOneErrorAndFreesItsSegments) {
  auto options = default_options();
  options.node.queries.answer_bytes_max = 10'000;
  options.segment.answer_part_bytes = 1;
  options.step.chunks_max = 1;
  NodeHarness node(options);
  node.send_update(1, update_body({insert_part(tickets(1, 3000))}));
  node.settle();
  const auto query = node.send_select(select_all());
  node.settle();
  const auto results = node.take(query);
  expect_error(results.back(), wire::v1::ERROR_CATEGORY_REJECTED, "54000",
               "larger than answer_mib of node 0: 10000 bytes");
  EXPECT_TRUE(std::all_of(results.begin(), results.end() - 1, [](const auto& each) { return each.has_rows(); }));
  EXPECT_EQ(node.core().under_way(), 0u);
}

TEST(NodeCoreTest, RefusesAnAnswerThatIsTooLarge) {
  auto options = default_options();
  options.node.queries.answer_bytes_max = 1000;
  NodeHarness node(options);
  node.send_update(1, update_body({insert_part(tickets(1, 200))}));
  const auto query = node.send_select(select_all());
  node.settle();
  expect_error(node.take(query).back(), wire::v1::ERROR_CATEGORY_REJECTED, "54000",
               "larger than answer_mib of node 0: 1000 bytes");
  EXPECT_EQ(node.core().under_way(), 0u);
}

TEST(NodeCoreTest, ParksAQueryUntilItsPrefixIsReached) {
  NodeHarness node;
  node.send_update(1, update_body({insert_part(tickets(1, 3))}));
  const auto query = node.send_select(select_all(), 3);
  node.settle();
  EXPECT_EQ(node.take(query).size(), 0u);
  node.send_no_op(2, 2);
  node.settle();
  EXPECT_EQ(node.take(query).size(), 0u);
  node.send_update(3, update_body({insert_part(tickets(4, 4))}));
  node.settle();
  EXPECT_THAT(ids(node.take_rows(query)), ElementsAre(1, 2, 3, 4));
}

TEST(NodeCoreTest, AParkedQueryThatIsLateNamesBothPrefixes) {
  NodeHarness node;
  node.send_no_op(1, 4);
  const auto query = node.send_select(select_all(), 9, 5 * kMillisecond);
  const auto patient = node.send_select(select_all(), 9);
  node.wait(5 * kMillisecond);
  expect_error(node.take_only(query), wire::v1::ERROR_CATEGORY_RETRY, "57014",
               "node 0 has reached 4, the query demands 9");
  node.wait(30 * kSecond - 5 * kMillisecond - 1);
  EXPECT_EQ(node.take(patient).size(), 0u) << "who states no time has thirty seconds";
  node.wait(1);
  expect_error(node.take_only(patient), wire::v1::ERROR_CATEGORY_RETRY, "57014", "demands 9");
  EXPECT_EQ(node.wake_at(), kNever);
}

TEST(NodeCoreTest, ParksABoundedNumberOfQueries) {
  auto options = default_options();
  options.node.parked_queries_max = 2;
  NodeHarness node(options);
  node.send_select(select_all(), 9);
  node.send_select(select_all(), 9);
  const auto third = node.take_only(node.send_select(select_all(), 9));
  expect_error(third, wire::v1::ERROR_CATEGORY_RETRY, "53000", "2 queries parked");
  EXPECT_EQ(third.error().retry_after_ns(), uint64_t{20 * kMillisecond});
}

TEST(NodeCoreTest, EndsALateQueryOnce) {
  NodeHarness node;
  const auto query = node.send_select(select_all(), 0, kMillisecond);
  node.wait(kMillisecond);
  expect_error(node.take_only(query), wire::v1::ERROR_CATEGORY_RETRY, "57014", "too late");
  EXPECT_EQ(node.core().under_way(), 1u);  // Its segments have not let go of it yet.
  node.settle();
  EXPECT_EQ(node.take(query).size(), 0u);
  EXPECT_EQ(node.core().under_way(), 0u);
  EXPECT_EQ(node.wake_at(), kNever);
}

TEST(NodeCoreTest, AbortsRunningAndParkedQueriesOnce) {
  NodeHarness node;
  const auto running = node.send_select(select_all());
  const auto waiting = node.send_select(select_all(), 9);
  for (const auto wanted : {running, waiting, running, uint64_t{4711}}) {
    auto abort = NodeHarness::operation(wire::v1::OPERATION_KIND_ABORT);
    abort.mutable_header()->set_abort_sequence(wanted);
    EXPECT_EQ(node.take(node.send(std::move(abort))).size(), 0u);
  }
  expect_error(node.take_only(running), wire::v1::ERROR_CATEGORY_REJECTED, "57014", "aborted");
  expect_error(node.take_only(waiting), wire::v1::ERROR_CATEGORY_REJECTED, "57014", "aborted");
  node.settle();
  EXPECT_EQ(node.take(running).size(), 0u);
  EXPECT_EQ(node.core().under_way(), 0u);
}

TEST(NodeCoreTest, ALostPeerLeavesNothingBehind) {
  NodeHarness node;
  const auto running = node.send_select(select_all());
  node.send_select(select_all(), 9);
  node.send_update(2, update_body({insert_part(tickets(1, 1))}));
  node.disconnect(1);
  node.connect(2);
  const auto update = node.send_update(1, update_body({insert_part(tickets(2, 2))}), 2);
  node.settle();
  EXPECT_EQ(node.take(running).size(), 0u);
  EXPECT_EQ(node.take_only(update, 2).confirmed().timestamp(), 1u);
  EXPECT_EQ(node.core().applied(), Timestamp{2});  // The node has taken what the lost peer had brought.
  EXPECT_EQ(node.core().under_way(), 0u);
}

TEST(NodeCoreTest, HoldsUpdatesBackThatSegmentsCannotTakeAndRefusesQueriesMeanwhile) {
  auto options = default_options();
  options.segment.operations_in_flight_max = 4;
  options.node.updates_waiting_max = 6;
  NodeHarness node(options);
  std::vector<uint64_t> updates;
  for (uint64_t t = 1; t <= 10; ++t) {
    updates.push_back(
        node.send_update(t, update_body({insert_part(tickets(static_cast<int64_t>(t), static_cast<int64_t>(t)))})));
  }
  const auto eleventh = node.take_only(node.send_update(11, update_body({insert_part(tickets(11, 11))}))).refused();
  EXPECT_EQ(eleventh.reason(), wire::v1::WRITE_REFUSAL_OVERLOADED);
  EXPECT_EQ(eleventh.last_accepted(), 10u);
  EXPECT_EQ(eleventh.retry_after_ns(), uint64_t{10 * kMillisecond});
  const auto refused = node.take_only(node.send_select(select_all()));
  expect_error(refused, wire::v1::ERROR_CATEGORY_RETRY, "53000", "has no room");
  EXPECT_EQ(refused.error().retry_after_ns(), uint64_t{10 * kMillisecond});
  node.settle();
  for (const auto update : updates) {
    EXPECT_TRUE(node.take_only(update).has_confirmed());
  }
  const auto query = node.send_select(select_all());
  node.settle();
  EXPECT_EQ(ids(node.take_rows(query)).size(), 10u);
}

TEST(NodeCoreTest, RefusesQueriesBeyondItsMaximum) {
  auto options = default_options();
  options.node.queries.queries_in_flight_max = 2;
  NodeHarness node(options);
  const auto first = node.send_select(select_all());
  node.send_select(select_all());
  const auto third = node.take_only(node.send_select(select_all()));
  expect_error(third, wire::v1::ERROR_CATEGORY_RETRY, "53000", "2 queries");
  EXPECT_EQ(third.error().retry_after_ns(), uint64_t{10 * kMillisecond});
  node.settle();
  EXPECT_TRUE(node.take_only(first).has_end());
  const auto later = node.send_select(select_all());
  node.settle();
  EXPECT_TRUE(node.take_only(later).has_end());
}

TEST(NodeCoreTest, RefusesAQueryWhenOnlySomeSegmentsHaveRoom) {
  auto options = default_options();
  options.segment.operations_in_flight_max = 2;
  NodeHarness node(options);
  node.send_select(select_all());
  node.send_select(select_all());
  node.step(0);
  const auto query = node.send_select(select_all());
  expect_error(node.take_only(query), wire::v1::ERROR_CATEGORY_RETRY, "53000", "segment 1 of partition 0");
  node.settle();
  EXPECT_EQ(node.take(query).size(), 0u);
  EXPECT_EQ(node.core().under_way(), 0u);
}

}  // namespace
}  // namespace daedalus::node
