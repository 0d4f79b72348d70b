// A log that is read ahead by a thread of its own gives what it gives in one thread: rows, slots, allocators, outcomes.
#include "daedalus/durability/replay.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <utility>

#include "daedalus/durability/simulated_disk.hpp"
#include "kept_checkpoint.hpp"
#include "node_harness.hpp"

namespace daedalus::durability {
namespace {

using engine::test::below;
using engine::test::CheckpointStore;
using engine::test::one_in;
using engine::test::Random;

constexpr uint32_t kSegments = 3;

node::NodeOptions node_options() {
  node::NodeOptions options = node::default_options().node;
  options.segments = kSegments;
  options.durability = node::Durability::kSync;
  return options;
}

/// A node without rows, whose segments are stepped when it has nothing else to do.
class Node final : public node::SegmentPort {
 public:
  explicit Node(Random& random) : schema_(node::tickets_schema()), codec_(*schema_), map_(node::default_options().map) {
    for (uint32_t number = 0; number < kSegments; ++number) {
      stores_.push_back(std::make_unique<CheckpointStore>(random, 0));
      engine::SegmentOptions options = node::default_options().segment;
      options.memory_bytes = 64u << 10;
      options.chunk_rows = 64;
      options.checkpoint_hook = stores_.back().get();
      segments_.push_back(std::make_unique<engine::Segment>(*schema_, codec_.codec(), options));
    }
    core_ = std::make_unique<node::NodeCore>(node_options(), schema_, map_, *this);
    core_->start_after(Timestamp{}, std::vector<Timestamp>(kSegments));
  }

  bool enqueue(node::SegmentIndex segment, engine::Query query) override {
    return segments_[raw(segment)]->enqueue(std::move(query));
  }
  bool enqueue(node::SegmentIndex segment, engine::Update update) override {
    return segments_[raw(segment)]->enqueue(std::move(update));
  }
  void keep_from(node::SegmentIndex segment, Timestamp moment) override { segments_[raw(segment)]->keep_from(moment); }
  node::SegmentReport report(node::SegmentIndex segment) const override {
    return {segments_[raw(segment)]->statistics(), -1};
  }

  Result<NodeLogEnd> replay(Disk& disk, RecoveryOrder order) {
    return replay_log(
        disk, *core_, LogFloor{}, order, [this](Meanwhile) { step(); },
        [this](const ReplayProgress& progress) { progress_ = progress; });
  }
  [[nodiscard]] const ReplayProgress& progress() const { return progress_; }
  [[nodiscard]] node::Effects& effects() { return effects_; }
  [[nodiscard]] node::NodeCore& core() { return *core_; }

  /// A checkpoint of each segment.
  std::vector<std::shared_ptr<const engine::test::KeptCheckpoint>> images() {
    std::vector<std::shared_ptr<const engine::test::KeptCheckpoint>> images;
    for (uint32_t number = 0; number < kSegments; ++number) {
      EXPECT_TRUE(segments_[number]->begin_checkpoint());
      while (stores_[number]->round_count() == 0) {
        segments_[number]->step({0});
      }
      images.push_back(stores_[number]->last());
    }
    return images;
  }

 private:
  void step() {
    for (uint32_t number = 0; number < kSegments; ++number) {
      static_cast<void>(segments_[number]->step({0}));
      while (auto output = segments_[number]->dequeue()) {
        core_->on_output(node::SegmentIndex{number}, std::move(*output), Instant{}, effects_);
      }
    }
  }

  std::shared_ptr<const semantics::Schema> schema_;
  semantics::GenericRowCodec codec_;
  contract::PartitionMap map_;
  std::vector<std::unique_ptr<CheckpointStore>> stores_;
  std::vector<std::unique_ptr<engine::Segment>> segments_;
  node::Effects effects_;
  ReplayProgress progress_;
  std::unique_ptr<node::NodeCore> core_;
};

bool same(const engine::AllocatorImage& left, const engine::AllocatorImage& right) {
  const auto same_words = [](std::span<const uint64_t> some, std::span<const uint64_t> others) {
    return std::equal(some.begin(), some.end(), others.begin(), others.end());
  };
  return left.prefix == right.prefix && same_words(left.free, right.free) &&
         same_words(left.cooling[0].slots, right.cooling[0].slots) &&
         same_words(left.cooling[1].slots, right.cooling[1].slots);
}

class ReplayTest : public testing::Test {
 protected:
  ReplayTest() {
    EXPECT_TRUE(disk_.make_folder(kUpdatesFolder));
    EXPECT_TRUE(disk_.make_folder(kOutcomesFolder));
  }

  wire::v1::UpdatePart random_part(uint32_t& ordinal) {
    const auto some = [this] {
      const auto low = static_cast<int64_t>(below(random_, 1000));
      return node::call(wire::v1::OPERATOR_AND,
                        {node::call(wire::v1::OPERATOR_GREATER_OR_EQUAL, {node::column(0), node::constant(low)}),
                         node::call(wire::v1::OPERATOR_LESS, {node::column(0), node::constant(low + 100)})});
    };
    switch (below(random_, 4)) {
      case 0:
        return node::delete_part(some());
      case 1:
        return node::add_seats_part(1, some());
      default: {
        std::vector<node::Ticket> tickets(1 + below(random_, 30));
        for (node::Ticket& ticket : tickets) {
          ticket.id = static_cast<int64_t>(below(random_, 1000));
          ticket.seats = static_cast<int64_t>(below(random_, 9));
        }
        const uint32_t first = std::exchange(ordinal, ordinal + static_cast<uint32_t>(tickets.size()));
        return node::insert_part(tickets, first);
      }
    }
  }

  node::LogRecord random_record() {
    const Timestamp first = next(last_);
    if (one_in(random_, 10)) {
      last_ = Timestamp{raw(last_) + 1 + below(random_, 50)};
      return {Epoch{1}, {first, last_}, {.is_no_op = true, .digest = 0}, nullptr};
    }
    last_ = first;
    std::vector<wire::v1::UpdatePart> parts;
    uint32_t ordinal = 0;
    for (uint64_t count = one_in(random_, 4) ? 1 + below(random_, 4) : 1; count > 0; --count) {
      parts.push_back(random_part(ordinal));
    }
    return record_of(node::update_body(parts));
  }

  node::LogRecord record_of(std::string body) const {
    const uint64_t digest = semantics::digest(body);
    return {Epoch{1},
            {last_, last_},
            {.is_no_op = false, .digest = digest},
            std::make_shared<const std::string>(std::move(body))};
  }

  /// Takes the log up where it ends.
  void log(const std::vector<node::LogRecord>& records, const std::vector<node::OutcomeRecord>& outcomes) {
    auto end = read_node_log(disk_, {}, [](auto, auto) { return Result<void>(); });
    ASSERT_TRUE(end) << end.error().message;
    NodeLog log(disk_, {.update_file_bytes = 64u << 10, .outcome_file_bytes = 16u << 10}, std::move(*end));
    log.append(records);
    ASSERT_TRUE(log.write() && log.sync());
    log.append_outcomes(outcomes, outcomes.empty() ? Timestamp{} : outcomes.back().last);
    ASSERT_TRUE(log.sync_outcomes());
  }

  void expect_same(Node& left, Node& right) {
    EXPECT_EQ(left.progress().records, right.progress().records);
    EXPECT_EQ(left.progress().bytes, right.progress().bytes);
    EXPECT_EQ(left.core().applied(), right.core().applied());
    EXPECT_EQ(left.effects().outcomes.size(), right.effects().outcomes.size());
    const auto some = left.images();
    const auto others = right.images();
    for (uint32_t segment = 0; segment < kSegments; ++segment) {
      ASSERT_EQ(some[segment]->chunks.size(), others[segment]->chunks.size());
      for (size_t chunk = 0; chunk < some[segment]->chunks.size(); ++chunk) {
        EXPECT_TRUE(some[segment]->chunks[chunk].has_rows_of(others[segment]->chunks[chunk]))
            << segment << " " << chunk;
      }
      EXPECT_TRUE(same(some[segment]->allocator->image(), others[segment]->allocator->image())) << segment;
    }
  }

  uint64_t seed_ = engine::test::test_seed();
  Random random_{seed_};
  SimulatedDisk disk_{[this](uint64_t bound) { return bound == 0 ? 0 : random_() % bound; }};
  Timestamp last_{};
};

TEST_F(ReplayTest, SideBySideGivesTheSameRowsSlotsAndOutcomesAsOneByOne) {
  std::vector<node::LogRecord> records(2'000);
  std::generate(records.begin(), records.end(), [this] { return random_record(); });
  log(records, {});
  // Without outcomes, everything is decided anew; what that comes to is then recorded of the first half.
  Random same_random = random_;
  Node first(same_random);
  ASSERT_TRUE(first.replay(disk_, RecoveryOrder::kOneByOne));
  ASSERT_EQ(first.progress().records, records.size());
  ASSERT_GT(first.effects().outcomes.size(), records.size() / 4);
  same_random = random_;
  Node second(same_random);
  ASSERT_TRUE(second.replay(disk_, RecoveryOrder::kSideBySide));
  EXPECT_EQ(encode_outcomes(first.effects().outcomes), encode_outcomes(second.effects().outcomes));
  expect_same(first, second);

  std::vector<node::OutcomeRecord> outcomes = std::move(first.effects().outcomes);
  outcomes.resize(outcomes.size() / 2);
  log({}, outcomes);
  for (const RecoveryOrder order : {RecoveryOrder::kOneByOne, RecoveryOrder::kSideBySide}) {
    same_random = random_;
    Node one(same_random);
    ASSERT_TRUE(one.replay(disk_, order));
    EXPECT_EQ(one.effects().outcomes.size(), second.effects().outcomes.size() - outcomes.size());
    same_random = random_;
    Node plain(same_random);
    ASSERT_TRUE(plain.replay(disk_, RecoveryOrder::kOneByOne));
    expect_same(plain, one);
  }
}

/// Whatever of the outcomes is lost: what is decided again behind the rest comes out as it did.
TEST_F(ReplayTest, EveryKindOfVerdictIsDecidedAgainAsItWasWhereverTheOutcomesEnd) {
  const auto is_id = [](int64_t id) {
    return node::call(wire::v1::OPERATOR_EQUAL, {node::column(0), node::constant(id)});
  };
  const auto tickets = [](int64_t count, int64_t first_id, std::optional<int64_t> seats) {
    std::vector<node::Ticket> made;
    for (int64_t id = first_id; id < first_id + count; ++id) {
      made.push_back({.id = id, .seats = seats});
    }
    return node::insert_part(made);
  };
  std::vector<node::LogRecord> records;
  const auto add = [&](const std::vector<wire::v1::UpdatePart>& parts) {
    last_ = next(last_);
    records.push_back(record_of(node::update_body(parts)));
  };
  add({tickets(20, 1, 7)});
  add({node::add_seats_part(3, is_id(5))});                                       // Applied.
  add({node::add_seats_part(std::numeric_limits<int32_t>::max(), is_id(6))});     // Leaves the range of int.
  add({node::add_seats_part(std::numeric_limits<int32_t>::max(), is_id(1000))});  // Matches nothing.
  add({node::delete_part(is_id(7)), tickets(1, 7, {})});                          // Two parts.
  add({node::divide_seats_part(100, is_id(8)), tickets(1, 50, 0)});               // Computed of the row,
  add({node::divide_seats_part(100, is_id(50))});                                 // which fails on this one;
  add({node::delete_quotients_part(100)});                                        // and a condition that is computed.
  add({tickets(30'000, 2000, 1)});                                                // More than there is room for.
  last_ = Timestamp{raw(last_) + 3};
  records.push_back({Epoch{1}, {Timestamp{raw(last_) - 2}, last_}, {.is_no_op = true, .digest = 0}, nullptr});
  add({node::delete_part(is_id(2005))});
  add({tickets(2, 3, 9)});  // Room for one of them, if any.
  add({node::add_seats_part(1, is_id(3))});
  log(records, {});
  Node original(random_);
  ASSERT_TRUE(original.replay(disk_, RecoveryOrder::kOneByOne));
  const std::vector<node::OutcomeRecord> outcomes = original.effects().outcomes;
  engine::UpdateOutput sum;
  uint64_t failed = 0;
  for (const node::OutcomeRecord& outcome : outcomes) {
    for (const auto& [segment, output] : outcome.segments) {
      sum.rows_matched += output.rows_matched;
      sum.rows_applied += output.rows_applied;
      sum.refused_no_room += output.refused_no_room;
      sum.refused_overflow += output.refused_overflow;
      for (const engine::FailedRows& rows : output.failed) {
        EXPECT_EQ(rows.sqlstate, "22012");
        failed += rows.row_count;
      }
    }
  }
  EXPECT_GT(sum.refused_no_room, 0U);
  EXPECT_EQ(sum.refused_overflow, 1U);
  EXPECT_EQ(failed, 2U);
  EXPECT_EQ(sum.rows_matched, sum.rows_applied + sum.refused_no_room + sum.refused_overflow + failed);

  for (size_t kept = 0; kept < outcomes.size(); ++kept) {
    if (kept > 0) {
      log({}, {outcomes[kept - 1]});
    }
    Node again(random_);
    ASSERT_TRUE(again.replay(disk_, RecoveryOrder::kSideBySide)) << kept;
    EXPECT_EQ(encode_outcomes(again.effects().outcomes),
              encode_outcomes({outcomes.begin() + static_cast<std::ptrdiff_t>(kept), outcomes.end()}))
        << "behind " << kept << " outcomes";
  }
}

/// A log of before parts were counted says nothing of them.
TEST_F(ReplayTest, RowsOfPartsAreRecordedAndHeldAgainstTheRecordThatHasThem) {
  std::vector<node::LogRecord> records(300);
  std::generate(records.begin(), records.end(), [this] { return random_record(); });
  log(records, {});
  Node original(random_);
  ASSERT_TRUE(original.replay(disk_, RecoveryOrder::kOneByOne));
  std::vector<node::OutcomeRecord> outcomes = original.effects().outcomes;
  std::vector<node::OutcomeRecord> without = outcomes;
  std::vector<node::OutcomeRecord> wrong = outcomes;
  uint64_t counted = 0;
  for (size_t at = 0; at < outcomes.size(); ++at) {
    for (size_t segment = 0; segment < outcomes[at].segments.size(); ++segment) {
      const engine::UpdateOutput& output = outcomes[at].segments[segment].second;
      without[at].segments[segment].second.part_rows.clear();
      if (!output.part_rows.empty()) {
        EXPECT_EQ(std::accumulate(output.part_rows.begin(), output.part_rows.end(), uint64_t{0}), output.rows_applied);
        ++wrong[at].segments[segment].second.part_rows.back();
        ++counted;
      }
    }
  }
  ASSERT_GT(counted, 0U);
  const auto updates_only = disk_.image();
  for (const auto* recorded : {&outcomes, &without, &wrong}) {
    disk_.put_back(updates_only);
    log({}, *recorded);
    Node again(random_);
    EXPECT_EQ(again.replay(disk_, RecoveryOrder::kSideBySide).has_value(), recorded != &wrong);
  }
}

TEST_F(ReplayTest, ARecordThatMakesNoSenseIsNamedInEitherOrder) {
  std::vector<node::LogRecord> records(700);
  std::generate(records.begin(), records.end(), [this] { return random_record(); });
  last_ = next(last_);
  records.push_back(record_of("no update of this table"));
  log(records, {});
  for (const RecoveryOrder order : {RecoveryOrder::kOneByOne, RecoveryOrder::kSideBySide}) {
    Node node(random_);
    const auto end = node.replay(disk_, order);
    ASSERT_FALSE(end);
    EXPECT_EQ(end.error().sqlstate, "XX001");
    EXPECT_THAT(end.error().message, testing::HasSubstr("updates/"));
    EXPECT_THAT(end.error().message, testing::HasSubstr(" at byte "));
    EXPECT_THAT(end.error().message,
                testing::HasSubstr("update " + std::to_string(raw(last_)) + " of the log makes no sense"));
    EXPECT_EQ(node.progress().records, records.size() - 1) << "what lies before it was replayed";
  }
}

}  // namespace
}  // namespace daedalus::durability
