// Queries at old moments ride cycles of their own, and soon.
#include <gtest/gtest.h>

#include "daedalus/engine/segment.hpp"
#include "plain_table.hpp"
#include "test_expressions.hpp"
#include "test_table.hpp"

namespace daedalus::engine::test {
namespace {

/// Three updates, and moment 1 is old.
class OldQueriesTest : public testing::Test {
 protected:
  static constexpr int64_t kRowCount = 100;
  static constexpr int64_t kAgeNs = 200 * kMillisecond;
  static constexpr uint32_t kCycles = 4;  ///< The old ones ride one of so many.
  static constexpr uint64_t kOld = 1;
  static constexpr uint64_t kNew = 3;
  static inline const semantics::SelectItem kCountItem = {.name = "count",
                                                          .function = semantics::AggregateFunction::kCountRows};
  using Answered = std::vector<uint64_t>;

  OldQueriesTest() : segment_(test_schema(), test_codec(), {.memory_bytes = 100'000, .chunk_rows = 64}) {
    update({insert_rows(test_schema(), rows_of(kRowCount))});
    update({remove({})});
    update({insert_rows(test_schema(), rows_of(1))});  // Its cycle is the first one that begins behind the second.
    pass(2 * kAgeNs);
  }

  void pass(int64_t duration_ns) { now_ = after(now_, duration_ns); }
  void update(std::vector<UpdatePart> parts) {
    ASSERT_TRUE(segment_.enqueue(Update{Timestamp{++timestamp_}, std::move(parts)}));
    ASSERT_TRUE(segment_.step(now_));
    ASSERT_TRUE(segment_.dequeue().has_value());
    pass(kAgeNs);
  }
  void ask(uint64_t at) {
    Query query{QueryHandle{++handle_},
                std::make_shared<const semantics::Selection>(*semantics::bind_items(test_schema(), {kCountItem}))};
    query.at = Timestamp{at};
    ASSERT_TRUE(segment_.enqueue(std::move(query)));
  }
  /// Returns the moments of the answers of one more cycle, in the order of their ends. Errors are none.
  std::vector<uint64_t> cycle() {
    EXPECT_TRUE(segment_.step(now_));
    std::vector<uint64_t> moments;
    while (const std::optional<Output> output = segment_.dequeue()) {
      if (const auto* answer = std::get_if<QueryOutput>(&*output)) {
        EXPECT_FALSE(answer->error.has_value()) << answer->error->message;
        moments.push_back(raw(answer->prefix));
      }
    }
    return moments;
  }

  Segment segment_;
  Instant now_{kSecond};
  uint64_t timestamp_ = 0;
  uint64_t handle_ = 0;
};

TEST_F(OldQueriesTest, RideAlone) {
  ask(kOld);
  ask(kNew);
  ask(kOld);
  EXPECT_EQ(cycle(), Answered{kNew});
  EXPECT_TRUE(segment_.has_work());
  EXPECT_EQ(cycle(), (Answered{kOld, kOld}));
  EXPECT_FALSE(segment_.has_work());
  EXPECT_FALSE(segment_.step(now_));
}

TEST_F(OldQueriesTest, RideAtOnceWhereThereAreNoOthers) {
  ask(kOld);
  EXPECT_EQ(cycle(), Answered{kOld});
}

TEST_F(OldQueriesTest, RideEveryFourthCycleBesideOthers) {
  ask(kOld);
  std::vector<Answered> cycles;
  for (uint32_t number = 0; number < 2 * kCycles; ++number) {
    ask(kNew);
    cycles.push_back(cycle());
  }
  for (uint32_t number = 0; number < cycles.size(); ++number) {
    const bool is_theirs = number == kCycles;
    EXPECT_EQ(cycles[number].front(), is_theirs ? kOld : kNew) << "cycle " << number;
  }
}

TEST_F(OldQueriesTest, KeepTheirMomentWhileTheyWait) {
  ask(kOld);
  segment_.keep_from(Timestamp{kNew});
  ask(kNew);
  EXPECT_EQ(cycle(), Answered{kNew});
  EXPECT_EQ(cycle(), Answered{kOld});
}

TEST_F(OldQueriesTest, AMomentBehindWhichNothingHasComeIsNotOld) {
  pass(kSecond);
  ask(kNew);
  ask(kNew + 5);
  EXPECT_EQ(cycle(), (Answered{kNew, kNew + 5}));
}

TEST_F(OldQueriesTest, AreLateOrAbortedAsOthersAre) {
  Query query{QueryHandle{1},
              std::make_shared<const semantics::Selection>(*semantics::bind_items(test_schema(), {kCountItem}))};
  query.at = Timestamp{kOld};
  query.deadline = now_;
  ASSERT_TRUE(segment_.enqueue(std::move(query)));
  ASSERT_TRUE(segment_.step(now_));
  const std::optional<Output> output = segment_.dequeue();
  ASSERT_TRUE(output.has_value());
  EXPECT_TRUE(std::get<QueryOutput>(*output).error.has_value());
}

}  // namespace
}  // namespace daedalus::engine::test
