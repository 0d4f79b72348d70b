#include "daedalus/merging/merge_scheduler.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "daedalus/base/units.hpp"
#include "daedalus/semantics/packed.hpp"

namespace daedalus::merging {
namespace {

using semantics::AnswerForm;
using semantics::MergedRows;
using semantics::Selection;
using semantics::Value;
using semantics::WorkBudget;

constexpr rpc::PeerId kReader{1};
constexpr rpc::PeerId kSleeper{2};
const std::vector<semantics::Type> kRowTypes = {{semantics::TypeKind::kInt}};

class Gauge final : public rpc::OutputGauge {
 public:
  [[nodiscard]] uint64_t output_waiting(rpc::PeerId peer) const override {
    const auto found = waiting.find(peer);
    return found == waiting.end() ? 0 : found->second;
  }
  [[nodiscard]] std::optional<uint64_t> awaited_answer(rpc::PeerId peer) const override {
    return peer == kSleeper ? awaited : std::nullopt;
  }
  std::map<rpc::PeerId, uint64_t> waiting;
  std::optional<uint64_t> awaited;  ///< By the sleeper.
};

class MergeSchedulerTest : public testing::Test {
 protected:
  MergeSchedulerTest() {
    semantics::Schema schema;
    schema.columns = {{"v", {semantics::TypeKind::kInt}, true, {}}};
    rows_ = *semantics::bind_items(schema, {{.name = "v", .column = 0}});
    sorted_ = rows_;
    sorted_.order_by = {{0, {}}};
  }

  static MergedRows numbers(std::vector<int64_t> values) {
    MergedRows made;
    for (const int64_t value : values) {
      semantics::append_packed_row(kRowTypes, std::vector<Value>{value}, made.rows);
      ++made.row_count;
    }
    return made;
  }
  MergedRows many(size_t count) {
    std::vector<int64_t> values;
    for (size_t i = 0; i < count; ++i) {
      values.push_back(static_cast<int64_t>(random_() % 1'000'000));
    }
    return numbers(values);
  }

  void open(uint64_t id, const Selection& selection, rpc::PeerId to = kReader) {
    scheduler_.open(QueryId{id}, {to, id}, selection, AnswerForm::kFinal);
  }
  void add(uint64_t id, MergedRows rows, uint32_t part = 0) {
    ASSERT_TRUE(scheduler_.add(QueryId{id}, part, std::move(rows)).has_value());
  }
  void end(uint64_t id) { scheduler_.end_parts(QueryId{id}); }

  void step(int64_t units = kStepUnits) {
    WorkBudget budget(units);
    scheduler_.step(budget, gauge_, [this](MergeScheduler::Piece piece) {
      row_counts_[raw(piece.id)] += piece.rows.row_count;
      if (piece.error) {
        errors_[raw(piece.id)] = piece.error->sqlstate;
      }
      if (piece.error || piece.is_last) {
        ++ends_[raw(piece.id)];
        scheduler_.close(piece.id);
      }
    });
  }
  uint32_t run(int64_t units = kStepUnits) {
    uint32_t steps = 0;
    for (; scheduler_.has_work(gauge_); ++steps) {
      step(units);
    }
    return steps;
  }

  std::minstd_rand random_{17};
  Selection rows_;
  Selection sorted_;
  Gauge gauge_;
  std::shared_ptr<ByteBudget> budget_ = std::make_shared<ByteBudget>(8u << 20);
  MergeScheduler scheduler_{MergeLimits{.message_bytes_max = 4'096, .output_waiting_max = 100'000}, budget_};
  std::map<uint64_t, uint64_t> row_counts_;
  std::map<uint64_t, uint32_t> ends_;
  std::map<uint64_t, std::string> errors_;
};

TEST_F(MergeSchedulerTest, EveryAnswerIsCompleteOnceAndItsMemoryComesBack) {
  for (uint64_t id = 1; id <= 20; ++id) {
    open(id, id % 2 == 0 ? rows_ : sorted_);
  }
  for (uint32_t part = 0; part < 3; ++part) {
    for (uint64_t id = 1; id <= 20; ++id) {
      add(id, many(id * 10), part);
    }
    step(2'000);
  }
  EXPECT_GT(budget_->taken(), 0u);
  for (uint64_t id = 1; id <= 20; ++id) {
    EXPECT_EQ(ends_[id], 0u);
    end(id);
  }
  run(1'000);
  for (uint64_t id = 1; id <= 20; ++id) {
    EXPECT_EQ(row_counts_[id], 30 * id);
    EXPECT_EQ(ends_[id], 1u);
  }
  EXPECT_EQ(budget_->taken(), 0u);
  EXPECT_EQ(scheduler_.open_count(), 0u);
}

TEST_F(MergeSchedulerTest, LetsNewQueriesPassLargeAnswers) {
  for (uint64_t id = 1; id <= 10; ++id) {
    open(id, sorted_);
    add(id, many(20'000));
    end(id);
  }
  step();
  step();
  open(100, rows_);
  add(100, numbers({1, 2, 3}));
  end(100);
  step();
  EXPECT_EQ(ends_[100], 1u);
  EXPECT_EQ(row_counts_[100], 3u);
  EXPECT_LT(ends_.size(), 10u);
}

TEST_F(MergeSchedulerTest, LargeAnswersGetOnHoweverManySmallOnesCome) {
  open(1, sorted_);
  add(1, many(20'000));
  end(1);
  uint64_t next = 100;
  while (ends_[1] == 0 && next < 100'000) {
    for (int i = 0; i < 20; ++i) {
      open(++next, rows_);
      add(next, numbers({1}));
      end(next);
    }
    step(2'000);
  }
  EXPECT_EQ(ends_[1], 1u);
}

TEST_F(MergeSchedulerTest, WhatIsHeldBackGetsNoTurnUntilItIsReleased) {
  open(1, rows_);
  scheduler_.hold_back(QueryId{1});
  add(1, many(5));
  EXPECT_FALSE(scheduler_.has_work(gauge_));
  step();
  EXPECT_EQ(row_counts_[1], 0u);
  scheduler_.release(QueryId{1});
  run();
  EXPECT_EQ(row_counts_[1], 5u);
}

TEST_F(MergeSchedulerTest, NothingIsMadeForAPeerThatDoesNotRead) {
  gauge_.waiting[kSleeper] = 100'000;
  open(1, rows_, kSleeper);
  add(1, many(1'000));
  end(1);
  open(2, rows_);
  add(2, many(1'000));
  end(2);
  run();
  EXPECT_EQ(ends_[1], 0u);
  EXPECT_EQ(row_counts_[1], 0u);
  EXPECT_EQ(ends_[2], 1u);
  EXPECT_FALSE(scheduler_.has_work(gauge_)) << "a driver that asks would turn for ever";
  gauge_.waiting[kSleeper] = 99'999;
  EXPECT_TRUE(scheduler_.has_work(gauge_));
  run();
  EXPECT_EQ(row_counts_[1], 1'000u);
}

TEST_F(MergeSchedulerTest, AnAnswerThatIsAwaitedGoesOnThoughOthersAreNotRead) {
  gauge_.waiting[kSleeper] = 100'000;
  for (uint64_t id = 1; id <= 3; ++id) {
    open(id, rows_, kSleeper);
    add(id, many(1'000));
    end(id);
  }
  run();
  gauge_.awaited = 2;
  EXPECT_TRUE(scheduler_.has_work(gauge_));
  run();
  EXPECT_EQ(row_counts_[2], 1'000u);
  EXPECT_EQ(row_counts_[1] + row_counts_[3], 0u);
  EXPECT_FALSE(scheduler_.has_work(gauge_));
  open(4, rows_, kSleeper);
  gauge_.awaited = 4;
  add(4, many(1'000));
  end(4);
  run();
  EXPECT_EQ(row_counts_[4], 1'000u);
  gauge_.waiting.clear();
  run();
  EXPECT_EQ(row_counts_[1] + row_counts_[3], 2'000u);
}

TEST_F(MergeSchedulerTest, ForgetsAnAnswerThatIsClosedWhileItsPeerDoesNotRead) {
  gauge_.waiting[kSleeper] = 100'000;
  for (uint64_t id = 1; id <= 50; ++id) {
    open(id, rows_, kSleeper);
    add(id, many(100));
    step();
    scheduler_.close(QueryId{id});
  }
  run();
  EXPECT_EQ(budget_->taken(), 0u);
  gauge_.waiting.clear();
  run();
  EXPECT_TRUE(ends_.empty());
}

TEST_F(MergeSchedulerTest, SaysToAskAgainWhereOthersHaveTheMemory) {
  open(1, sorted_);
  budget_->take_anyway(budget_->bytes_max());
  const auto added = scheduler_.add(QueryId{1}, 0, many(20'000));
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().sqlstate, "53200");
  EXPECT_EQ(added.error().category, ErrorCategory::kRetry);
}

TEST_F(MergeSchedulerTest, RefusesWhatWouldTakeMoreThanAllAnswersMay) {
  open(1, sorted_);
  std::optional<Error> error;
  for (int i = 0; i < 100 && !error && errors_.empty(); ++i) {
    if (const auto added = scheduler_.add(QueryId{1}, 0, many(20'000)); !added) {
      error = added.error();
    }
    step();
  }
  ASSERT_TRUE(error || !errors_.empty());
  EXPECT_EQ(error ? error->sqlstate : errors_[1], "54000");
  EXPECT_LE(budget_->taken(), budget_->bytes_max());
  open(2, rows_);
  add(2, numbers({1}));
  end(2);
  scheduler_.close(QueryId{1});
  run();
  EXPECT_EQ(row_counts_[2], 1u);
  EXPECT_EQ(budget_->taken(), 0u);
}

TEST_F(MergeSchedulerTest, TheLeaseThatRowsBringWithThemCountsOnce) {
  open(1, rows_);
  MergedRows rows = many(10'000);
  const uint64_t capacity = rows.rows.capacity();
  ByteLease lease(budget_);
  ASSERT_TRUE(lease.resize(capacity));
  ASSERT_TRUE(scheduler_.add(QueryId{1}, 0, std::move(rows), std::move(lease)).has_value());
  EXPECT_EQ(budget_->taken(), capacity);
  end(1);
  run();
  EXPECT_EQ(budget_->taken(), 0u);
}

}  // namespace
}  // namespace daedalus::merging
