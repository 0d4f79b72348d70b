// A segment that was restored from a checkpoint and the log behind it is the segment that was lost: rows, slots, and
// whatever both are given from then on.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "daedalus/engine/segment.hpp"
#include "kept_checkpoint.hpp"
#include "on_every_instruction_set.hpp"
#include "operation_mix.hpp"
#include "plain_table.hpp"

namespace daedalus::engine::test {
namespace {

constexpr uint64_t kRowBytes = 230;

struct Logged {
  Update update;
  UpdateOutput output;
};

/// Counts the cases that rounds came by.
struct SeenCases {
  uint64_t chunks_refused = 0;
  uint64_t chunks_apart = 0;       ///< In another prefix than the first of their checkpoint.
  uint64_t replayed_recorded = 0;  ///< Inserts that were put where the log says,
  uint64_t replayed_anew = 0;      ///< and inserts that got their slots anew.
  uint64_t queries_refused = 0;
  uint64_t rows_without_room = 0;
};

/// A segment, the checkpoints it makes, and the steps it takes: one chunk at a time, or whole cycles.
class Life {
 public:
  Life(Random& random, SegmentOptions options, uint32_t chunks_max)
      : store_(random, one_in(random, 3) ? 0 : 2 + below(random, 3)),
        chunks_max_(chunks_max),
        options_(std::move(options)) {
    options_.checkpoint_hook = &store_;
    options_.checkpoint_chunks_per_cycle_max = 1 + static_cast<uint32_t>(below(random, 3));
    segment_.emplace(test_schema(), test_codec(), options_);
  }

  [[nodiscard]] Segment& segment() { return *segment_; }
  [[nodiscard]] const CheckpointStore& store() const { return store_; }

  void step(uint64_t count) {
    for (; count > 0; --count) {
      segment_->step({0}, {.chunks_max = chunks_max_});
    }
  }
  /// Until so many outputs were there, all in all.
  std::vector<Output> outputs(size_t count) {
    std::vector<Output> taken;
    for (uint64_t steps = 0; taken.size() < count; ++steps) {
      EXPECT_LT(steps, 1'000'000u);
      step(1);
      while (std::optional<Output> output = segment_->dequeue()) {
        taken.push_back(std::move(*output));
      }
    }
    return taken;
  }
  void finish_checkpoint() {
    const uint64_t rounds = store_.round_count();
    static_cast<void>(segment_->begin_checkpoint());
    while (store_.round_count() == rounds) {
      step(1);
    }
  }

 private:
  CheckpointStore store_;
  uint32_t chunks_max_;
  SegmentOptions options_;
  std::optional<Segment> segment_;
};

/// One seed's segments, one after the other, each restored from a checkpoint of the one before, and their log.
class Lives {
 public:
  Lives(uint64_t seed, uint32_t chunks_max, SeenCases& seen_cases)
      : random_(seed), mix_(random_), chunks_max_(chunks_max), seen_cases_(seen_cases) {
    options_.chunk_rows = 64;
    options_.memory_bytes = kRowBytes * 64 * (2 + below(random_, 9));
    options_.updates_per_cycle_max = one_in(random_, 2) ? 1024 : 1 + static_cast<uint32_t>(below(random_, 8));
    options_.access_paths =
        one_in(random_, 2) ? AccessPaths::kByCost : static_cast<AccessPaths>(below(random_, kAccessPathsCount));
    life_ = std::make_unique<Life>(random_, options_, chunks_max_);
    table_.emplace(test_schema(), life_->segment().statistics().rows_max);
  }

  void run() {
    update({{mix_.insertion(1 + below(random_, life_->segment().statistics().rows_max))}});
    for (uint32_t generation = 0; generation < 3 && !testing::Test::HasFailure(); ++generation) {
      live(20);
      life_->finish_checkpoint();
      live(below(random_, 12));
      seen_cases_.chunks_refused += life_->store().refused();
      std::unique_ptr<Life> restored = restore(*life_->store().last());
      if (restored == nullptr) {
        return;
      }
      live_on(*restored);
      life_ = std::move(restored);
    }
  }

 private:
  Update next_update(std::vector<UpdatePart> parts) {
    timestamp_ += one_in(random_, 8) ? 1 + below(random_, 1500) : 1;
    return {Timestamp{timestamp_}, std::move(parts)};
  }

  Update random_update() {
    switch (below(random_, 5)) {
      case 0:
        return next_update({mix_.purge()});
      case 1:
        return next_update(mix_.chain());
      case 2:
        return next_update({mix_.insertion(1 + below(random_, 60))});
      default:
        return next_update({mix_.part()});
    }
  }

  void update(std::vector<UpdatePart> parts) {
    Update made = next_update(std::move(parts));
    ASSERT_TRUE(life_->segment().enqueue(made));
    log_.push_back({std::move(made), {}});
  }

  /// Puts what came out of the segment that is under way into the log.
  void collect(std::vector<Output> outputs) {
    for (Output& output : outputs) {
      log_.at(logged_).output = std::get<UpdateOutput>(std::move(output));
      ASSERT_EQ(log_[logged_].output.timestamp, log_[logged_].update.timestamp);
      seen_cases_.rows_without_room += log_[logged_].output.refused_no_room;
      check_slots(log_[logged_]);
      ++logged_;
    }
  }

  /// Runs are as long as can be, and have a slot for every row that found room.
  static void check_slots(const Logged& logged) {
    const SlotRuns& slots = logged.output.slots;
    uint64_t count = 0;
    for (size_t run = 0; run < slots.size(); ++run) {
      count += slots[run].count;
      EXPECT_TRUE(run == 0 || slots[run - 1].first + slots[run - 1].count < slots[run].first);
    }
    uint64_t rows = 0;
    for (const UpdatePart& part : logged.update.parts) {
      const auto* inserted = std::get_if<InsertRows>(&part);
      rows += inserted != nullptr ? inserted->rows.size() : 0;
    }
    EXPECT_EQ(count + logged.output.refused_no_room, rows);
  }

  void live(uint64_t bursts) {
    for (; bursts > 0; --bursts) {
      for (uint64_t count = below(random_, 6); count > 0; --count) {
        log_.push_back({random_update(), {}});
        ASSERT_TRUE(life_->segment().enqueue(log_.back().update));
      }
      if (one_in(random_, 3)) {
        static_cast<void>(life_->segment().begin_checkpoint());
      }
      life_->step(below(random_, chunks_max_ == 1 ? 20 : 4));
      if (one_in(random_, 3)) {
        collect(life_->outputs(log_.size() - logged_));
      }
    }
    collect(life_->outputs(log_.size() - logged_));
  }

  std::unique_ptr<Life> restore(const KeptCheckpoint& checkpoint) {
    auto restored = std::make_unique<Life>(random_, options_, chunks_max_);
    Segment& segment = restored->segment();
    std::vector<size_t> order(checkpoint.chunks.size());
    for (size_t chunk = 0; chunk < order.size(); ++chunk) {
      order[chunk] = chunk;
    }
    std::shuffle(order.begin(), order.end(), random_);
    Timestamp lowest = checkpoint.chunks[0].image().prefix;
    Timestamp highest = lowest;
    for (const size_t chunk : order) {
      const ChunkImage image = checkpoint.chunks[chunk].image();
      EXPECT_TRUE(segment.load_chunk(image).has_value());
      seen_cases_.chunks_apart += image.prefix != checkpoint.chunks[0].image().prefix ? 1 : 0;
      lowest = std::min(lowest, image.prefix);
      highest = std::max(highest, image.prefix);
    }
    EXPECT_TRUE(segment.load_allocator(checkpoint.allocator->image()).has_value());
    EXPECT_TRUE(segment.finish_restore().has_value());
    EXPECT_EQ(segment.statistics().prefix, lowest);
    replay(*restored, {lowest, highest, checkpoint.allocator->image().prefix});
    return testing::Test::HasFailure() ? nullptr : std::move(restored);
  }

  struct Prefixes {
    Timestamp lowest;
    Timestamp highest;
    Timestamp allocator;
  };

  void replay(Life& restored, Prefixes prefixes) {
    size_t next = 0;
    while (next < log_.size() && log_[next].update.timestamp <= prefixes.lowest) {
      ++next;
    }
    while (next < log_.size() && !testing::Test::HasFailure()) {
      const size_t first = next;
      for (uint64_t count = 1 + below(random_, 12); count > 0 && next < log_.size(); --count) {
        Update again = log_[next].update;
        if (again.timestamp <= prefixes.allocator || one_in(random_, 2)) {
          again.recorded = log_[next].output.slots;
        }
        ASSERT_TRUE(restored.segment().enqueue(std::move(again)));
        ++next;
      }
      const uint64_t queries = below(random_, 2);
      if (queries > 0) {
        ASSERT_TRUE(restored.segment().enqueue(everything()));
      }
      if (one_in(random_, 4)) {
        static_cast<void>(restored.segment().begin_checkpoint());
      }
      size_t replayed = first;
      for (const Output& output : restored.outputs(next - first + queries)) {
        if (const auto* answer = std::get_if<QueryOutput>(&output)) {
          EXPECT_EQ(answer->error.has_value(), answer->prefix < prefixes.highest);
          EXPECT_TRUE(!answer->error.has_value() || answer->error->sqlstate == "57P03");
          seen_cases_.queries_refused += answer->error.has_value() ? 1 : 0;
        } else {
          check_replayed(std::get<UpdateOutput>(output), log_.at(replayed++).output, prefixes);
        }
      }
    }
  }

  void check_replayed(const UpdateOutput& again, const UpdateOutput& first, Prefixes prefixes) {
    EXPECT_EQ(again.slots, first.slots) << raw(again.timestamp);
    EXPECT_EQ(again.refused_no_room, first.refused_no_room) << raw(again.timestamp);
    if (again.timestamp > prefixes.highest) {
      EXPECT_EQ(again, first) << raw(again.timestamp);
    } else {
      EXPECT_EQ(again.timestamp, first.timestamp);
      EXPECT_LE(again.rows_matched, first.rows_matched);
      EXPECT_LE(again.rows_applied, first.rows_applied);
      EXPECT_EQ(again.part_rows.size(), first.part_rows.size());
      EXPECT_LE(again.refused_overflow, first.refused_overflow);
    }
    const bool is_recorded = again.timestamp <= prefixes.allocator;
    (is_recorded ? seen_cases_.replayed_recorded : seen_cases_.replayed_anew) += again.slots.empty() ? 0 : 1;
  }

  static Query everything() {
    std::vector<uint32_t> columns(test_schema().columns.size());
    for (uint32_t column = 0; column < columns.size(); ++column) {
      columns[column] = column;
    }
    return Query{QueryHandle{1}, std::make_shared<semantics::Selection>(select(columns))};
  }

  /// Asks for equal answers of both from now on, and for a list of rows.
  void live_on(Life& restored) {
    for (; in_table_ < log_.size(); ++in_table_) {
      static_cast<void>(table_->apply(log_[in_table_].update));
    }
    for (uint64_t burst = 0; burst < 12 && !testing::Test::HasFailure(); ++burst) {
      std::vector<Query> queries = {everything()};
      for (uint64_t count = 1 + below(random_, 4); count > 0; --count) {
        queries.push_back(
            Query{QueryHandle{queries.size() + 1}, std::make_shared<semantics::Selection>(mix_.selection())});
      }
      const size_t first = log_.size();
      for (uint64_t count = burst == 0 ? 0 : below(random_, 8); count > 0; --count) {
        log_.push_back({random_update(), {}});
      }
      ask_both(restored, queries, first);
    }
  }

  void ask_both(Life& restored, const std::vector<Query>& queries, size_t first) {
    for (Life* life : {life_.get(), &restored}) {
      for (size_t next = first; next < log_.size(); ++next) {
        ASSERT_TRUE(life->segment().enqueue(log_[next].update));
      }
    }
    collect(life_->outputs(log_.size() - first));
    size_t next = first;
    for (const Output& output : restored.outputs(log_.size() - first)) {
      EXPECT_EQ(std::get<UpdateOutput>(output), log_[next].output);
      const UpdateOutput expected = table_->apply(log_[next++].update);
      EXPECT_EQ(expected.rows_applied, std::get<UpdateOutput>(output).rows_applied);
      EXPECT_EQ(expected.rows_matched, std::get<UpdateOutput>(output).rows_matched);
      EXPECT_EQ(expected.part_rows, std::get<UpdateOutput>(output).part_rows);
    }
    in_table_ = log_.size();
    for (Life* life : {life_.get(), &restored}) {
      for (const Query& query : queries) {
        ASSERT_TRUE(life->segment().enqueue(query));
      }
    }
    const std::vector<Output> answers = life_->outputs(queries.size());
    const std::vector<Output> others = restored.outputs(queries.size());
    for (const std::vector<Output>* both : {&answers, &others}) {
      for (const Output& output : *both) {
        const auto& answer = std::get<QueryOutput>(output);
        EXPECT_EQ(table_->fault(*queries.at(static_cast<size_t>(answer.handle) - 1).selection, answer), "");
        if (answer.handle == QueryHandle{1}) {
          EXPECT_TRUE(answer.rows == rows_of_first(answers)) << "rows lie elsewhere";
        }
      }
    }
    EXPECT_EQ(life_->segment().statistics().rows, restored.segment().statistics().rows);
  }

  static std::string rows_of_first(const std::vector<Output>& answers) {
    for (const Output& output : answers) {
      if (std::get<QueryOutput>(output).handle == QueryHandle{1}) {
        return std::get<QueryOutput>(output).rows;
      }
    }
    return "none";
  }

  Random random_;
  OperationMix mix_;
  uint32_t chunks_max_;
  SeenCases& seen_cases_;
  SegmentOptions options_;
  std::unique_ptr<Life> life_;
  std::optional<PlainTable> table_;
  std::vector<Logged> log_;
  size_t logged_ = 0;    ///< So many of them have their outputs.
  size_t in_table_ = 0;  ///< So many of them are in the list of rows.
  uint64_t timestamp_ = 0;
};

TEST(RestoreTest, ARestoredSegmentIsTheOneThatWasLostAndGoesOnLikeIt) {
  const uint64_t seed = test_seed();
  const uint64_t rounds = from_environment("DAEDALUS_RESTORE_ROUNDS", 40);
  SeenCases seen_cases;
  uint64_t first = 0;
  on_every_instruction_set([&] {
    for (uint64_t round = first; round < first + rounds && !testing::Test::HasFailure(); ++round) {
      SCOPED_TRACE("DAEDALUS_SEED=" + std::to_string(seed + round));
      Lives(seed + round, (seed + round) % 2 == 0 ? 1 : UINT32_MAX, seen_cases).run();
    }
    first += rounds;
  });
  EXPECT_GT(seen_cases.chunks_refused, 0u);
  EXPECT_GT(seen_cases.chunks_apart, 0u);
  EXPECT_GT(seen_cases.replayed_recorded, 0u);
  EXPECT_GT(seen_cases.replayed_anew, 0u);
  EXPECT_GT(seen_cases.queries_refused, 0u);
  EXPECT_GT(seen_cases.rows_without_room, 0u);
}

/// Slots that were recorded come from deletes, and those and the insert may be replayed together: an update between
/// them must not find the later row where the earlier one was.
TEST(RestoreTest, AReplayedRowIsNotSeenByUpdatesThatCameBeforeIt) {
  Random random(1);
  CheckpointStore store(random, 0);
  const SegmentOptions options{.memory_bytes = 4 * 64 * kRowBytes,
                               .chunk_rows = 64,
                               .access_paths = AccessPaths::kKeys,
                               .checkpoint_hook = &store,
                               .checkpoint_chunks_per_cycle_max = 1};
  Segment lost(test_schema(), test_codec(), options);
  const uint64_t slots = lost.statistics().rows_max;
  const std::vector<Update> updates = {
      {Timestamp{1}, {insert_rows(test_schema(), rows_of(static_cast<int64_t>(slots)))}},
      {Timestamp{2}, {remove(where(kId, semantics::Operator::kLess, int64_t{10}))}},
      {Timestamp{3},
       {modify({{kInt, semantics::Assignment::Kind::kSet, int64_t{7}}},
               where(kKey, semantics::Operator::kEqual, int64_t{3}))}},
      {Timestamp{4}, {insert_rows(test_schema(), rows_of(10))}}};
  ASSERT_TRUE(lost.begin_checkpoint());
  ASSERT_TRUE(lost.enqueue(updates[0]) && lost.step({0}));
  for (size_t next = 1; next < updates.size(); ++next) {
    ASSERT_TRUE(lost.enqueue(updates[next]));
  }
  while (lost.step({0})) {
  }
  std::vector<UpdateOutput> outputs;
  while (std::optional<Output> output = lost.dequeue()) {
    outputs.push_back(std::get<UpdateOutput>(std::move(*output)));
  }
  ASSERT_EQ(outputs.size(), updates.size());
  EXPECT_EQ(outputs[3].slots, (SlotRuns{{0, 10}}));

  Segment segment(test_schema(), test_codec(), options);
  for (const KeptChunk& chunk : store.last()->chunks) {
    ASSERT_TRUE(segment.load_chunk(chunk.image()).has_value());
  }
  ASSERT_TRUE(segment.load_allocator(store.last()->allocator->image()).has_value());
  ASSERT_TRUE(segment.finish_restore().has_value());
  EXPECT_EQ(segment.statistics().prefix, Timestamp{1});
  for (size_t next = 1; next < updates.size(); ++next) {
    ASSERT_TRUE(segment.enqueue(Update{updates[next].timestamp, updates[next].parts, outputs[next].slots}));
  }
  const semantics::Selection changed = select({kId}, where(kInt, semantics::Operator::kEqual, int64_t{7}));
  ASSERT_TRUE(segment.enqueue(Query{QueryHandle{1}, std::make_shared<semantics::Selection>(changed)}));
  while (segment.step({0})) {
  }
  for (size_t next = 1; next < updates.size(); ++next) {
    EXPECT_EQ(std::get<UpdateOutput>(*segment.dequeue()).timestamp, updates[next].timestamp);
  }
  const auto answer = std::get<QueryOutput>(*segment.dequeue());
  EXPECT_FALSE(answer.error.has_value());
  EXPECT_EQ(answer.row_count, 0u);
  EXPECT_EQ(segment.statistics().rows, slots);
}

}  // namespace
}  // namespace daedalus::engine::test
