// The small machines, each alone.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "daedalus/node/epoch_store.hpp"
#include "daedalus/node/ledger.hpp"
#include "daedalus/node/parked_queries.hpp"
#include "daedalus/node/placement.hpp"
#include "daedalus/node/update_tracker.hpp"
#include "node_harness.hpp"

namespace daedalus::node {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Requester requester(uint64_t peer, uint64_t sequence) { return Requester{rpc::PeerId{peer}, sequence}; }

bool park(ParkedQueries& parking, Requester from, uint64_t until, int64_t deadline_ns) {
  return parking.park(PreparedQuery{from, nullptr, Instant{deadline_ns}}, Timestamp{until});
}

std::vector<uint64_t> sequences(const std::vector<PreparedQuery>& queries) {
  std::vector<uint64_t> found;
  for (const PreparedQuery& query : queries) {
    found.push_back(query.requester.sequence);
  }
  return found;
}

TEST(ParkedQueriesTest, LetsGoInTheOrderOfWhatTheyWaitFor) {
  ParkedQueries parking(8);
  ASSERT_TRUE(park(parking, requester(1, 1), 9, 100));
  ASSERT_TRUE(park(parking, requester(1, 2), 4, 50));
  ASSERT_TRUE(park(parking, requester(2, 3), 5, 70));
  EXPECT_EQ(parking.next_deadline(), Instant{50});
  EXPECT_THAT(sequences(parking.take_reached(Timestamp{3})), IsEmpty());
  EXPECT_THAT(sequences(parking.take_reached(Timestamp{5})), ElementsAre(2, 3));
  EXPECT_EQ(parking.next_deadline(), Instant{100});
  EXPECT_THAT(sequences(parking.take_late(Instant{99})), IsEmpty());
  EXPECT_THAT(sequences(parking.take_late(Instant{100})), ElementsAre(1));
  EXPECT_EQ(parking.next_deadline(), kNever);
  EXPECT_EQ(parking.size(), 0u);
}

TEST(ParkedQueriesTest, IsBoundedAndForgetsAbortedOnesAndLostPeers) {
  ParkedQueries parking(3);
  ASSERT_TRUE(park(parking, requester(1, 1), 9, 10));
  ASSERT_TRUE(park(parking, requester(2, 1), 9, 10));
  ASSERT_TRUE(park(parking, requester(2, 2), 9, 10));
  EXPECT_FALSE(park(parking, requester(3, 1), 9, 10));
  EXPECT_TRUE(parking.take(requester(1, 1)));
  EXPECT_FALSE(parking.take(requester(1, 1)));
  parking.on_peer_down(rpc::PeerId{2});
  EXPECT_EQ(parking.size(), 0u);
  EXPECT_EQ(parking.next_deadline(), kNever);
}

TEST(EpochStoreTest, CountsAnEpochOnlyWhenItIsOnDisk) {
  EpochStore store;
  EXPECT_EQ(store.request(requester(1, 1), {Epoch{1}, "a", ""}), EpochStore::Verdict::kTaken);
  EXPECT_EQ(raw(store.in_force().epoch), 0u);
  EXPECT_EQ(store.request(requester(1, 2), {Epoch{1}, "b", ""}), EpochStore::Verdict::kNotHigher);
  EXPECT_EQ(store.highest().holder, "a");
  EXPECT_EQ(store.request(requester(1, 3), {Epoch{2}, "b", ""}), EpochStore::Verdict::kTaken);

  EXPECT_EQ(store.on_persisted(Epoch{1}).to, requester(1, 1));
  EXPECT_EQ(store.in_force().holder, "a");
  EXPECT_EQ(store.on_persisted(Epoch{2}).to, requester(1, 3));
  EXPECT_EQ(store.in_force().holder, "b");
}

TEST(EpochStoreTest, AnEpochThatDidNotReachTheDiskMayBeAskedForAgain) {
  EpochStore store;
  store.restore({Epoch{1}, "a", ""});
  EXPECT_EQ(store.request(requester(1, 1), {Epoch{2}, "b", ""}), EpochStore::Verdict::kTaken);
  EXPECT_EQ(store.request(requester(1, 2), {Epoch{3}, "c", ""}), EpochStore::Verdict::kTaken);
  EXPECT_EQ(store.on_failed(Epoch{2}), requester(1, 1));
  EXPECT_EQ(store.in_force().holder, "a");
  EXPECT_EQ(store.on_failed(Epoch{3}), requester(1, 2));
  EXPECT_EQ(store.highest().holder, "a");
  EXPECT_EQ(store.request(requester(1, 3), {Epoch{2}, "c", ""}), EpochStore::Verdict::kTaken);
  EXPECT_EQ(store.on_persisted(Epoch{2}).record.holder, "c");
}

TEST(EpochStoreTest, RisesByAStepAtATime) {
  constexpr uint64_t kStep = EpochStore::kStepMax;
  EpochStore store;
  const auto ask = [&](uint64_t epoch) { return store.request(requester(1, epoch), {Epoch{epoch}, "a", ""}); };
  EXPECT_EQ(ask(UINT64_MAX), EpochStore::Verdict::kTooFar);
  EXPECT_EQ(ask(kStep + 1), EpochStore::Verdict::kTooFar);
  EXPECT_EQ(ask(kStep), EpochStore::Verdict::kTaken);
  EXPECT_EQ(ask(2 * kStep), EpochStore::Verdict::kTaken) << "counted from the highest on its way to the disk";
  EpochStore last;
  last.restore({Epoch{UINT64_MAX}, "a", ""});
  EXPECT_EQ(last.request(requester(1, 1), {Epoch{1}, "b", ""}), EpochStore::Verdict::kNotHigher);
}

TEST(EpochStoreTest, KnowsWhatWasKeptWhenAHolderDoesNotSay) {
  EpochStore store;
  store.restore({Epoch{1}, "a", "", Timestamp{7}});
  EXPECT_EQ(store.request(requester(1, 1), {Epoch{2}, "b", ""}), EpochStore::Verdict::kTaken);
  EXPECT_EQ(store.highest().kept_from, Timestamp{7});
  EXPECT_EQ(store.request(requester(1, 2), {Epoch{3}, "b", "", Timestamp{4}}), EpochStore::Verdict::kTaken);
  EXPECT_EQ(store.request(requester(1, 3), {Epoch{4}, "c", ""}), EpochStore::Verdict::kTaken);
  EXPECT_EQ(store.on_persisted(Epoch{2}).record.kept_from, Timestamp{7});
  EXPECT_EQ(store.highest().kept_from, Timestamp{4});
}

TEST(EpochStoreTest, IsBounded) {
  EpochStore store;
  for (uint64_t i = 1; i <= EpochStore::kRequestsMax; ++i) {
    EXPECT_EQ(store.request(requester(1, i), {Epoch{i}, "a", ""}), EpochStore::Verdict::kTaken);
  }
  EXPECT_EQ(store.request(requester(1, 99), {Epoch{99}, "a", ""}), EpochStore::Verdict::kTooMany);
}

TEST(LedgerTest, ComparesOnlyWhatItRemembers) {
  Ledger ledger(2);
  const auto range = [](uint64_t first, uint64_t last) { return TimestampRange{Timestamp{first}, Timestamp{last}}; };
  ledger.accept(range(1, 4), Identity{true, 0});
  ledger.accept(range(5, 5), Identity{false, 55});
  EXPECT_TRUE(ledger.agrees(range(2, 3), Identity{true, 0}));
  EXPECT_FALSE(ledger.agrees(range(2, 5), Identity{true, 0}));
  EXPECT_TRUE(ledger.agrees(range(5, 5), Identity{false, 55}));
  EXPECT_FALSE(ledger.agrees(range(5, 5), Identity{false, 56}));
  EXPECT_TRUE(ledger.agrees(range(6, 9), Identity{false, 1}));
  EXPECT_EQ(ledger.outcomes(Timestamp{2}), nullptr);
  ledger.complete(Timestamp{4}, {});
  EXPECT_NE(ledger.outcomes(Timestamp{2}), nullptr);
  ledger.forget(Timestamp{3});
  EXPECT_FALSE(ledger.agrees(range(2, 3), Identity{false, 1}));
  ledger.forget(Timestamp{9});
  EXPECT_TRUE(ledger.agrees(range(2, 3), Identity{false, 1}));
  EXPECT_FALSE(ledger.agrees(range(5, 5), Identity{false, 1}));
  EXPECT_EQ(ledger.size(), 1u);
}

contract::PartitionMap hashed_map() {
  contract::PartitionMap map;
  map.version = 1;
  map.distribution = semantics::Distribution::kHash;
  map.columns = {1};
  map.grid = {3};
  map.partitions = {{NodeId{0}}, {NodeId{1}}, {NodeId{0}}};
  map.segment_distribution = semantics::Distribution::kHash;
  map.segment_columns = {2};
  return map;
}

TEST(NodePlacementTest, FindsTheSegmentOfARowAsTheMapDoes) {
  const auto schema = tickets_schema();
  const auto map = hashed_map();
  NodePlacement placement(schema, map, NodeId{0}, 2);
  EXPECT_EQ(placement.segment_count(), 4u);
  EXPECT_EQ(placement.partition_of(SegmentIndex{3}), PartitionId{2});
  EXPECT_EQ(placement.segment_within(SegmentIndex{3}), 1u);
  int elsewhere = 0;
  for (int64_t i = 0; i < 200; ++i) {
    const Ticket ticket{i, std::string(1, static_cast<char>('A' + i % 26)),
                        i % 7 == 0 ? std::nullopt : std::optional(i)};
    const std::vector<semantics::Value> values = {ticket.id, ticket.origin,
                                                  ticket.seats ? semantics::Value(*ticket.seats) : semantics::Value()};
    const auto row = insert_part({ticket}).insert().rows().substr(4);
    const semantics::RowIdentity identity{Timestamp{5}, static_cast<uint32_t>(i)};
    const auto segment = placement.segment_of(row, identity);
    ASSERT_TRUE(segment);
    const PartitionId partition = map.partition_of(*schema, values, identity);
    if (partition == PartitionId{1}) {
      EXPECT_FALSE(segment->has_value());
      ++elsewhere;
    } else {
      ASSERT_TRUE(segment->has_value());
      EXPECT_EQ(placement.partition_of(**segment), partition);
      EXPECT_EQ(placement.segment_within(**segment), map.segment_of(*schema, values, identity, 2));
    }
  }
  EXPECT_GT(elsewhere, 0);
}

TEST(NodePlacementTest, NeverReadsBeyondARowThatIsCutShort) {
  NodePlacement placement(tickets_schema(), hashed_map(), NodeId{0}, 2);
  const auto row = insert_part({Ticket{7, "ZRH", 3}}).insert().rows().substr(4);
  for (size_t size = 0; size < row.size(); ++size) {
    const auto segment = placement.segment_of(row.substr(0, size), semantics::RowIdentity{});
    ASSERT_FALSE(segment) << size;
    EXPECT_EQ(segment.error().sqlstate, "08P01");
  }
}

TEST(NodePlacementTest, AsksOnlySegmentsThatAPredicatePins) {
  const auto schema = tickets_schema();
  const NodePlacement placement(schema, hashed_map(), NodeId{0}, 2);
  EXPECT_EQ(placement.segments_of(semantics::Predicate{}).size(), 4u);
  const auto pinned = [](uint32_t at, semantics::Value value) {
    return semantics::Clause{
        semantics::Literal{at, semantics::Literal::Kind::kCompare, semantics::Operator::kEqual, {std::move(value)}}};
  };
  const auto segments = placement.segments_of(semantics::Predicate{{pinned(2, int64_t{11})}});
  const uint32_t segment =
      semantics::hash_segment(semantics::placement_key(schema->columns[2].type, semantics::Value(int64_t{11})), 2);
  EXPECT_THAT(segments, ElementsAre(SegmentIndex{segment}, SegmentIndex{2 + segment}));
  for (char origin = 'A'; origin <= 'Z'; ++origin) {
    const semantics::Value value(std::string(1, origin));
    const uint32_t partition = semantics::hash_partition(semantics::placement_key(schema->columns[1].type, value), 3);
    EXPECT_EQ(placement.segments_of(semantics::Predicate{{pinned(1, value)}}).size(), partition == 1 ? 0u : 2u);
  }
}

TEST(UpdateTrackerTest, AddsUpWhatFailedBySqlstate) {
  contract::PartitionMap map;
  map.version = 1;
  map.partitions = {{NodeId{4}}};
  const NodePlacement placement(tickets_schema(), map, NodeId{4}, 2);
  UpdateTracker tracker(placement, NodeId{4});
  tracker.on_enqueued(Timestamp{1}, {true});
  for (const uint32_t segment : {0u, 1u}) {
    engine::UpdateOutput output{.timestamp = Timestamp{1}, .rows_matched = 9};
    for (const char* sqlstate : {"22P02", "22012", "22003", "22012"}) {
      count_refused(output, sqlstate, segment + 1);
    }
    tracker.on_output(SegmentIndex{segment}, std::move(output));
  }
  const auto applied = tracker.take_applied();
  ASSERT_TRUE(applied);
  std::string refused;
  for (const auto& rows : applied->outcomes.at(0).refused()) {
    refused += fmt::format("{} {} {}, ", static_cast<int>(rows.reason()), rows.sqlstate(), rows.row_count());
  }
  EXPECT_EQ(refused, "2  3, 3 22012 6, 3 22P02 3, ");
}

TEST(UpdateTrackerTest, IsAppliedWhenTheLastSegmentHas) {
  contract::PartitionMap map;
  map.version = 1;
  map.partitions = {{NodeId{4}}, {NodeId{4}}};
  const NodePlacement placement(tickets_schema(), map, NodeId{4}, 1);
  UpdateTracker tracker(placement, NodeId{4});
  tracker.on_enqueued(Timestamp{1}, {true, false});
  tracker.on_enqueued(Timestamp{9}, {});
  tracker.on_output(SegmentIndex{1}, engine::UpdateOutput{Timestamp{1}, 0, 0, 0, 0});
  tracker.on_output(SegmentIndex{1}, engine::UpdateOutput{Timestamp{9}, 0, 0, 0, 0});
  EXPECT_FALSE(tracker.take_applied());
  tracker.on_output(SegmentIndex{0}, engine::UpdateOutput{Timestamp{1}, 5, 3, 1, 1});
  const auto applied = tracker.take_applied();
  ASSERT_TRUE(applied);
  EXPECT_EQ(applied->last, Timestamp{1});
  ASSERT_EQ(applied->outcomes.size(), 1u);
  EXPECT_EQ(applied->outcomes[0].node(), 4u);
  EXPECT_EQ(applied->outcomes[0].partition(), 0u);
  EXPECT_EQ(applied->outcomes[0].rows_matched(), 5u);
  EXPECT_EQ(applied->outcomes[0].rows_applied(), 3u);
  EXPECT_EQ(applied->outcomes[0].refused_size(), 2);
  EXPECT_FALSE(tracker.take_applied());
  tracker.on_output(SegmentIndex{0}, engine::UpdateOutput{Timestamp{9}, 0, 0, 0, 0});
  EXPECT_EQ(tracker.take_applied()->last, Timestamp{9});
}

}  // namespace
}  // namespace daedalus::node
