// How answers leave a segment: at chunk boundaries, in parts, through a ring that never holds the scan up.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "daedalus/engine/segment.hpp"
#include "operation_mix.hpp"
#include "plain_table.hpp"
#include "test_table.hpp"

namespace daedalus::engine::test {
namespace {

constexpr StepBudget kOneChunk{.chunks_max = 1};
constexpr uint32_t kChunks = 8;
constexpr uint32_t kPartChunkRows = 64;

/// Eight chunks, full.
class AnswerPartsTest : public testing::Test {
 protected:
  void open(SegmentOptions options) {
    options.chunk_rows = kPartChunkRows;
    options.memory_bytes = 180'000;
    segment_ = std::make_unique<Segment>(test_schema(), test_codec(), options);
    ASSERT_GE(segment_->statistics().rows_max, kChunks * kPartChunkRows);
    ASSERT_TRUE(
        segment_->enqueue(Update{Timestamp{1}, {insert_rows(test_schema(), rows_of(kChunks * kPartChunkRows))}}));
    ASSERT_TRUE(segment_->step({0}));
    ASSERT_TRUE(std::holds_alternative<UpdateOutput>(*segment_->dequeue()));
  }

  void ask(uint64_t handle, semantics::Selection selection, Instant deadline = kNever,
           std::shared_ptr<const std::atomic<bool>> aborted = nullptr) {
    ASSERT_TRUE(
        segment_->enqueue(Query{QueryHandle{handle}, std::make_shared<semantics::Selection>(std::move(selection)),
                                deadline, std::move(aborted)}));
  }

  std::optional<QueryOutput> next() {
    std::optional<Output> output = segment_->dequeue();
    return output.has_value() ? std::optional(std::get<QueryOutput>(std::move(*output))) : std::nullopt;
  }

  static std::vector<int64_t> ids(const std::string& rows) {
    std::vector<int64_t> found;
    for (const Row& row : decode({test_schema().columns[kId].type}, rows)) {
      found.push_back(std::get<int64_t>(row[0]));
    }
    return found;
  }

  static std::vector<int64_t> all_ids() {
    std::vector<int64_t> expected(kChunks * kPartChunkRows);
    for (size_t id = 0; id < expected.size(); ++id) {
      expected[id] = static_cast<int64_t>(id);
    }
    return expected;
  }

  std::unique_ptr<Segment> segment_;
};

TEST_F(AnswerPartsTest, RowsLeaveAtEveryChunkBoundaryAndTheEndWithTheLast) {
  open({.answer_part_bytes = 1});
  ask(7, select({kId}));
  std::string rows;
  for (uint32_t chunk = 0; chunk < kChunks; ++chunk) {
    ASSERT_TRUE(segment_->step({0}, kOneChunk));
    const std::optional<QueryOutput> part = next();
    ASSERT_TRUE(part.has_value());
    EXPECT_FALSE(part->is_last);
    EXPECT_EQ(part->handle, QueryHandle{7});
    EXPECT_EQ(part->prefix, Timestamp{1});
    EXPECT_EQ(part->row_count, kPartChunkRows);
    rows += part->rows;
  }
  while (segment_->is_mid_cycle()) {
    ASSERT_TRUE(segment_->step({0}, kOneChunk));
  }
  const std::optional<QueryOutput> last = next();
  ASSERT_TRUE(last.has_value() && last->is_last);
  EXPECT_EQ(last->row_count, 0u);
  EXPECT_EQ(ids(rows), all_ids());
  EXPECT_FALSE(segment_->step({0}));
}

TEST_F(AnswerPartsTest, WithTheRingFullTheSweepGoesOnAndRowsWaitInTheirQuery) {
  open({.operations_in_flight_max = 2, .answer_part_bytes = 1, .answer_parts_max = 1});
  ask(1, select({kId}));
  ask(2, select({kId}));
  ASSERT_TRUE(segment_->step({0}));
  EXPECT_FALSE(segment_->is_mid_cycle());
  std::map<QueryHandle, std::string> rows;
  uint32_t parts = 0;
  uint32_t ends = 0;
  while (const std::optional<QueryOutput> output = next()) {
    rows[output->handle] += output->rows;
    parts += output->is_last ? 0 : 1;
    ends += output->is_last ? 1 : 0;
  }
  EXPECT_EQ(parts, 1u);
  EXPECT_EQ(ends, 2u);
  EXPECT_EQ(ids(rows[QueryHandle{1}]), all_ids());
  EXPECT_EQ(ids(rows[QueryHandle{2}]), all_ids());
}

TEST_F(AnswerPartsTest, APartFreesNoPlaceForAnotherOperation) {
  open({.operations_in_flight_max = 1, .answer_part_bytes = 1});
  ask(1, select({kId}));
  ASSERT_TRUE(segment_->step({0}, kOneChunk));
  ASSERT_FALSE(next()->is_last);
  EXPECT_FALSE(segment_->enqueue(Query{QueryHandle{2}, std::make_shared<semantics::Selection>(select({kId}))}));
  ASSERT_TRUE(segment_->step({0}));
  while (!next()->is_last) {
  }
  EXPECT_TRUE(segment_->enqueue(Query{QueryHandle{2}, std::make_shared<semantics::Selection>(select({kId}))}));
}

TEST_F(AnswerPartsTest, AQueryWithEnoughRowsEndsAtTheNextBoundaryAheadOfItsCycle) {
  open({});
  semantics::Selection few = select({kId});
  few.limit = 3;
  ask(1, select({kId}));
  ask(2, few);
  ASSERT_TRUE(segment_->step({0}, kOneChunk));
  ASSERT_TRUE(segment_->is_mid_cycle());
  const std::optional<QueryOutput> early = next();
  ASSERT_TRUE(early.has_value() && early->is_last);
  EXPECT_EQ(early->handle, QueryHandle{2});
  EXPECT_EQ(ids(early->rows), (std::vector<int64_t>{0, 1, 2}));
  ASSERT_TRUE(segment_->step({0}));
  EXPECT_EQ(ids(next()->rows), all_ids());
  EXPECT_FALSE(next().has_value());
}

TEST_F(AnswerPartsTest, BesideUpdatesItEndsAfterThem) {
  open({});
  semantics::Selection few = select({kId});
  few.limit = 3;
  ASSERT_TRUE(segment_->enqueue(
      Update{Timestamp{2}, {modify({{kInt, semantics::Assignment::Kind::kAdd, int64_t{1}}}, semantics::Predicate{})}}));
  ask(2, few);
  ASSERT_TRUE(segment_->step({0}, kOneChunk));
  EXPECT_FALSE(segment_->dequeue().has_value());
  ASSERT_TRUE(segment_->step({0}));
  EXPECT_EQ(std::get<UpdateOutput>(*segment_->dequeue()).rows_applied, kChunks * kPartChunkRows);
  const std::optional<QueryOutput> answer = next();
  EXPECT_EQ(answer->prefix, Timestamp{2});
  EXPECT_EQ(answer->row_count, 3u);
}

TEST_F(AnswerPartsTest, AbortsAndDeadlinesEndAQueryInTheMiddleOfACycle) {
  open({.answer_part_bytes = 1});
  const auto aborted = std::make_shared<std::atomic<bool>>(false);
  ask(1, select({kId}), kNever, aborted);
  ask(2, select({kId}), Instant{100});
  ask(3, select({kId}));
  ASSERT_TRUE(segment_->step({0}, kOneChunk));
  std::map<QueryHandle, std::string> rows;
  std::map<QueryHandle, std::string> failures;
  const auto collect = [&] {
    while (const std::optional<QueryOutput> output = next()) {
      rows[output->handle] += output->rows;
      if (output->error.has_value()) {
        EXPECT_TRUE(output->is_last && output->rows.empty());
        failures[output->handle] = output->error->sqlstate;
      }
    }
  };
  collect();
  EXPECT_EQ(failures.size(), 0u);
  aborted->store(true);
  ASSERT_TRUE(segment_->step({100}, kOneChunk));
  collect();
  ASSERT_TRUE(segment_->is_mid_cycle());
  EXPECT_EQ(failures, (std::map<QueryHandle, std::string>{{QueryHandle{1}, "57014"}, {QueryHandle{2}, "57014"}}));
  ASSERT_TRUE(segment_->step({200}));
  collect();
  EXPECT_EQ(failures.size(), 2u);
  EXPECT_EQ(ids(rows[QueryHandle{3}]), all_ids());
}

TEST_F(AnswerPartsTest, AllAnswersTogetherHaveAMaximum) {
  open({.answers_waiting_bytes_max = 12'000});
  ask(1, select({kId}));
  ask(2, select({kId}));
  ask(3, select({kId}));
  ASSERT_TRUE(segment_->step({0}));
  uint32_t failed = 0;
  while (const std::optional<QueryOutput> output = next()) {
    if (output->error.has_value()) {
      EXPECT_EQ(output->error->sqlstate, "53200");
      EXPECT_EQ(output->error->category, ErrorCategory::kRetry);
      ++failed;
    } else {
      EXPECT_EQ(ids(output->rows), all_ids());
    }
  }
  EXPECT_GT(failed, 0u);
  EXPECT_LT(failed, 3u);
  ask(4, select({kId}));  // Answers that were fetched and those that failed have given their memory back.
  ASSERT_TRUE(segment_->step({0}));
  EXPECT_EQ(ids(next()->rows), all_ids());
}

TEST_F(AnswerPartsTest, AdmitsOperationsOfARunningCycleToTheNext) {
  open({});
  ask(1, select({kId}));
  ASSERT_TRUE(segment_->step({0}, kOneChunk));
  ASSERT_TRUE(segment_->enqueue(Update{Timestamp{5}, {remove({})}}));
  ask(2, select({kId}));
  ASSERT_TRUE(segment_->step({0}));
  EXPECT_EQ(ids(next()->rows), all_ids());
  ASSERT_TRUE(segment_->step({0}));
  EXPECT_EQ(std::get<UpdateOutput>(*segment_->dequeue()).rows_applied, kChunks * kPartChunkRows);
  EXPECT_EQ(next()->row_count, 0u);
}

/// Random operations, budgets and sizes; parts are joined as a consumer would.
class RandomConsumer {
 public:
  explicit RandomConsumer(uint64_t seed)
      : random_(seed),
        segment_(test_schema(), test_codec(), options(random_)),
        table_(test_schema(), segment_.statistics().rows_max) {}

  void run(uint64_t operation_count) {
    for (uint64_t number = 0; number < operation_count && !testing::Test::HasFailure(); ++number) {
      enqueue(number);
      while (one_in(random_, 2)) {
        segment_.step({0}, {.chunks_max = 1 + static_cast<uint32_t>(below(random_, 4))});
        consume(below(random_, 6));
      }
    }
    while (segment_.step({0}, kOneChunk)) {
    }
    consume(UINT64_MAX);
    EXPECT_TRUE(selections_.empty());
    EXPECT_GT(parts_, 0u);
  }

 private:
  static SegmentOptions options(Random& random) {
    SegmentOptions made;
    made.chunk_rows = 64;
    made.memory_bytes = 20'000 + below(random, 100'000);
    made.operations_in_flight_max = 32;
    made.share_factor_max = 1 + static_cast<uint32_t>(below(random, 20));
    made.updates_per_cycle_max = 1 + static_cast<uint32_t>(below(random, 10));
    made.answer_part_bytes = 1 + below(random, 500);
    made.answer_parts_max = 1 + static_cast<uint32_t>(below(random, 8));
    if (one_in(random, 2)) {
      made.answers_waiting_bytes_max = 5'000 + below(random, 50'000);
    }
    return made;
  }

  void enqueue(uint64_t number) {
    if (!one_in(random_, 3)) {
      const auto selection = std::make_shared<semantics::Selection>(mix_.selection());
      if (segment_.enqueue(Query{QueryHandle{number}, selection})) {
        selections_[QueryHandle{number}] = selection;
      }
      return;
    }
    Update update{.timestamp = Timestamp{timestamp_ + 1}};
    if (one_in(random_, 3)) {
      update.parts = {modify(mix_.assignments(), mix_.update_predicate())};
    } else {
      update.parts = {insert_rows(test_schema(), {mix_.row()})};
    }
    if (segment_.enqueue(update)) {
      ++timestamp_;
      updates_.push_back(std::move(update));
    }
  }

  void consume(uint64_t outputs_max) {
    for (uint64_t taken = 0; taken < outputs_max; ++taken) {
      std::optional<Output> output = segment_.dequeue();
      if (!output.has_value()) {
        return;
      }
      if (std::holds_alternative<UpdateOutput>(*output)) {
        table_.apply(updates_.front());
        updates_.erase(updates_.begin());
        continue;
      }
      auto& part = std::get<QueryOutput>(*output);
      if (part.error.has_value()) {
        EXPECT_TRUE(part.error->sqlstate == "53200" || part.error->sqlstate == "54000") << part.error->sqlstate;
        selections_.erase(part.handle);
        answers_.erase(part.handle);
        continue;
      }
      QueryOutput& answer = answers_[part.handle];
      answer.rows += part.rows;
      answer.row_count += part.row_count;
      parts_ += part.is_last ? 0 : 1;
      if (part.is_last) {
        EXPECT_EQ(table_.fault(*selections_.at(part.handle), answer), "");
        selections_.erase(part.handle);
        answers_.erase(part.handle);
      }
    }
  }

  Random random_;
  OperationMix mix_{random_};
  Segment segment_;
  PlainTable table_;
  std::vector<Update> updates_;
  std::map<QueryHandle, std::shared_ptr<const semantics::Selection>> selections_;
  std::map<QueryHandle, QueryOutput> answers_;
  uint64_t timestamp_ = 0;
  uint64_t parts_ = 0;
};

TEST(AnswerPartsModelTest, PartsJoinToTheAnswerOfAListOfRowsHoweverCyclesAreCut) {
  const uint64_t seed = test_seed();
  for (uint64_t round = 0; round < 10; ++round) {
    RandomConsumer(seed + round).run(600);
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
}

}  // namespace
}  // namespace daedalus::engine::test
