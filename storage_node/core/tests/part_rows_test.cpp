// How many rows each part of an update was applied to, over partitions and segments that get some of its parts each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "daedalus/node/update_tracker.hpp"
#include "node_harness.hpp"

namespace daedalus::node {
namespace {

using testing::IsEmpty;

using Counts = std::vector<uint64_t>;

constexpr int kUpdates = 400;

/// Two partitions of two segments.
HarnessOptions spread_options(bool is_hashed) {
  HarnessOptions options = default_options();
  options.map.partitions = {{NodeId{0}}, {NodeId{0}}};
  options.segment.chunk_rows = 64;
  if (is_hashed) {
    options.map.distribution = semantics::Distribution::kHash;
    options.map.columns = {1};
    options.map.grid = {2};
    options.map.segment_distribution = semantics::Distribution::kHash;
    options.map.segment_columns = {0};
  }
  return options;
}

/// The plain twin: tickets, and what each part of an update does to them.
class Tickets {
 public:
  explicit Tickets(uint64_t seed) : random_(seed) {}

  /// Draws the next part, and carries it out; says of how many rows.
  std::pair<wire::v1::UpdatePart, uint64_t> next_part(uint32_t& ordinal) {
    switch (below(6)) {
      case 0:
      case 1:
        return insert(ordinal);
      case 2:
        return remove();
      case 3:
        return add_seats_of(draw_id());
      default:
        return add_seats_below(draw_id());
    }
  }

  uint64_t below(uint64_t bound) { return std::uniform_int_distribution<uint64_t>(0, bound - 1)(random_); }

 private:
  int64_t draw_id() { return static_cast<int64_t>(below(static_cast<uint64_t>(next_id_))); }

  std::pair<wire::v1::UpdatePart, uint64_t> insert(uint32_t& ordinal) {
    std::vector<Ticket> fresh(1 + below(8));
    for (Ticket& ticket : fresh) {
      ticket = {next_id_++, below(2) == 0 ? "ZRH" : "GVA", static_cast<int64_t>(below(9))};
    }
    tickets_.insert(tickets_.end(), fresh.begin(), fresh.end());
    auto part = insert_part(fresh, ordinal);
    ordinal += static_cast<uint32_t>(fresh.size());
    return {std::move(part), fresh.size()};
  }

  /// By what earlier parts may have changed.
  std::pair<wire::v1::UpdatePart, uint64_t> remove() {
    const auto seats = static_cast<int64_t>(below(40));
    const uint64_t count = std::erase_if(tickets_, [=](const Ticket& ticket) { return ticket.seats == seats; });
    return {delete_part(call(wire::v1::OPERATOR_EQUAL, {column(2), constant(seats)})), count};
  }

  std::pair<wire::v1::UpdatePart, uint64_t> add_seats_of(int64_t id) {
    return {add_seats_part(5, call(wire::v1::OPERATOR_EQUAL, {column(0), constant(id)})),
            add_seats(5, [=](const Ticket& ticket) { return ticket.id == id; })};
  }

  std::pair<wire::v1::UpdatePart, uint64_t> add_seats_below(int64_t id) {
    return {add_seats_part(1, call(wire::v1::OPERATOR_LESS, {column(0), constant(id)})),
            add_seats(1, [=](const Ticket& ticket) { return ticket.id < id; })};
  }

  template <typename Selects>
  uint64_t add_seats(int64_t by, const Selects& selects) {
    uint64_t count = 0;
    for (Ticket& ticket : tickets_) {
      if (selects(ticket)) {
        *ticket.seats += by;
        ++count;
      }
    }
    return count;
  }

  std::mt19937_64 random_;
  std::vector<Ticket> tickets_;
  int64_t next_id_ = 1;
};

/// Over all partitions.
Counts sums_of(const wire::v1::WriteConfirmed& confirmed, size_t part_count) {
  Counts sums(part_count);
  for (const auto& outcome : confirmed.outcomes()) {
    EXPECT_EQ(static_cast<size_t>(outcome.part_rows_size()), part_count);
    uint64_t applied = 0;
    for (int part = 0; part < outcome.part_rows_size(); ++part) {
      sums[static_cast<size_t>(part)] += outcome.part_rows(part);
      applied += outcome.part_rows(part);
    }
    EXPECT_EQ(applied, outcome.rows_applied());
  }
  return sums;
}

class PartRowsTest : public testing::TestWithParam<bool> {};

INSTANTIATE_TEST_SUITE_P(Placements, PartRowsTest, testing::Bool());

TEST_P(PartRowsTest, AreThoseOfAListOfTicketsWhereverTheirRowsAre) {
  const char* const given = std::getenv("DAEDALUS_SEED");
  const uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  std::cout << "DAEDALUS_SEED=" << seed << "\n";
  NodeHarness node(spread_options(GetParam()));
  Tickets tickets(seed);
  std::vector<std::pair<uint64_t, Counts>> expected;  // By the operation's sequence.
  for (uint64_t timestamp = 1; timestamp <= kUpdates; ++timestamp) {
    std::vector<wire::v1::UpdatePart> parts;
    Counts rows;
    uint32_t ordinal = 0;
    for (uint64_t count = 2 + tickets.below(7); count > 0; --count) {
      auto [part, changed] = tickets.next_part(ordinal);
      parts.push_back(std::move(part));
      rows.push_back(changed);
    }
    expected.emplace_back(node.send_update(timestamp, update_body(parts)), std::move(rows));
    node.step(static_cast<uint32_t>(tickets.below(node.segments().count())));  // Cycles of several updates.
  }
  node.settle();
  for (const auto& [sequence, rows] : expected) {
    EXPECT_EQ(sums_of(node.take_only(sequence).confirmed(), rows.size()), rows) << sequence;
  }
}

TEST_P(PartRowsTest, HasNoRowsPerPartForAnUpdateOfOnePart) {
  NodeHarness node(spread_options(GetParam()));
  const auto update = node.send_update(1, update_body({insert_part({{1, "ZRH", 1}, {2, "GVA", 2}})}));
  node.settle();
  const wire::v1::Result result = node.take_only(update);
  for (const auto& outcome : result.confirmed().outcomes()) {
    EXPECT_THAT(outcome.part_rows(), IsEmpty());
  }
}

TEST_P(PartRowsTest, SumsTheRowsOfTooManyParts) {
  NodeHarness node(spread_options(GetParam()));
  const std::vector<wire::v1::UpdatePart> parts(
      semantics::kCountedPartsMax, add_seats_part(1, call(wire::v1::OPERATOR_EQUAL, {column(0), constant(1)})));
  std::vector<wire::v1::UpdatePart> more = parts;
  more.push_back(parts.front());
  const auto insert = node.send_update(1, update_body({insert_part({{1, "ZRH", 1}})}));
  const auto most = node.send_update(2, update_body(parts));
  const auto too_many = node.send_update(3, update_body(more));
  node.settle();
  static_cast<void>(node.take_only(insert));
  EXPECT_EQ(sums_of(node.take_only(most).confirmed(), parts.size()), Counts(parts.size(), 1));
  uint64_t applied = 0;
  const wire::v1::Result result = node.take_only(too_many);
  for (const auto& outcome : result.confirmed().outcomes()) {
    EXPECT_THAT(outcome.part_rows(), IsEmpty());
    applied += outcome.rows_applied();
  }
  EXPECT_EQ(applied, more.size());
}

/// One partition of two segments.
class TrackedPartsTest : public testing::Test {
 protected:
  TrackedPartsTest() {
    map_.version = 1;
    map_.partitions = {{NodeId{4}}};
  }

  /// An update of four parts, of which the segments got these.
  Counts part_rows(const OutcomeRecord& record) const {
    const NodePlacement placement(tickets_schema(), map_, NodeId{4}, 2);
    const UpdateTracker tracker(placement, NodeId{4});
    const PartNumbers numbers{4, {{0, 1, 3}, {2}}};
    const auto outcomes = tracker.outcomes_of({true}, numbers, record);
    return {outcomes.at(0).part_rows().begin(), outcomes.at(0).part_rows().end()};
  }

  static engine::UpdateOutput output(uint64_t applied, Counts part_rows) {
    return {
        .timestamp = Timestamp{1}, .rows_matched = applied, .rows_applied = applied, .part_rows = std::move(part_rows)};
  }

  contract::PartitionMap map_;
};

TEST_F(TrackedPartsTest, ASegmentThatGotSomeOfThemCountsThose) {
  EXPECT_EQ(part_rows({Timestamp{1}, {{SegmentIndex{0}, output(6, {1, 0, 5})}, {SegmentIndex{1}, output(9, {})}}}),
            (Counts{1, 0, 9, 5}));
  EXPECT_EQ(part_rows({Timestamp{1}, {{SegmentIndex{1}, output(9, {})}}}), (Counts{0, 0, 9, 0}));
  EXPECT_EQ(part_rows({Timestamp{1}, {}}), (Counts{0, 0, 0, 0}));
}

TEST_F(TrackedPartsTest, ARecordThatDoesNotTellThemApartTellsNothingOfThem) {
  EXPECT_THAT(part_rows({Timestamp{1}, {{SegmentIndex{0}, output(6, {})}, {SegmentIndex{1}, output(9, {})}}}),
              IsEmpty());
  EXPECT_THAT(part_rows({Timestamp{1}, {{SegmentIndex{0}, output(6, {6, 0})}}}), IsEmpty());
  EXPECT_EQ(part_rows({Timestamp{1}, {{SegmentIndex{0}, output(0, {})}}}), (Counts{0, 0, 0, 0}));
}

}  // namespace
}  // namespace daedalus::node
