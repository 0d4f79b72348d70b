// Random operations against a plain list of rows, in random cycles. DAEDALUS_ENGINE_OPERATIONS scales it.
#include <gtest/gtest.h>

#include <algorithm>

#include "branches.hpp"
#include "model_round.hpp"

namespace daedalus::engine::test {
namespace {

/// Under a sanitizer everything takes some ten times as long.
#if defined(__SANITIZE_ADDRESS__)
constexpr uint64_t kOperations = 6'000;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr uint64_t kOperations = 6'000;
#else
constexpr uint64_t kOperations = 50'000;
#endif
#else
constexpr uint64_t kOperations = 50'000;
#endif

/// The round's fault, with what brings it about in as few operations as can be.
testing::AssertionResult agrees(const Round& round, SeenCases* seen_cases = nullptr) {
  const std::string fault = fault_of(round, seen_cases);
  if (fault.empty()) {
    return testing::AssertionSuccess();
  }
  if (from_environment("DAEDALUS_SHRINK", 1) == 0) {
    return testing::AssertionFailure() << fault;
  }
  const Round smaller = shrunk(round);
  return testing::AssertionFailure() << fault << "\nshrunk: " << fault_of(smaller) << "\n" << text_of(smaller);
}

TEST(SegmentModelTest, AgreesWithAListOfRowsHoweverOperationsAreCutIntoCycles) {
  const uint64_t seed = test_seed();
  const uint64_t operation_count = from_environment("DAEDALUS_ENGINE_OPERATIONS", kOperations);
  constexpr uint64_t kRoundOperations = 1'250;
  for (uint64_t done = 0; done < operation_count; done += kRoundOperations) {
    Random random(seed + done);
    ASSERT_TRUE(agrees(random_round(random, random, {kRoundOperations}))) << "DAEDALUS_SEED=" << seed + done;
  }
}

#ifdef DAEDALUS_DCHECK
bool all_branches_taken() {
  return std::all_of(branches_taken.begin(), branches_taken.end(),
                     [](const std::atomic<bool>& branch) { return branch.load(); });
}

TEST(SegmentModelTest, TakesEveryBranchOfACycleAndComesBySegmentsOfAllSizes) {
  constexpr uint64_t kRoundsMax = 200;  // Twenty are mostly enough.
  constexpr uint64_t kRoundOperations = 1'250;
  std::fill(branches_taken.begin(), branches_taken.end(), false);
  SeenCases seen_cases;
  const uint64_t seed = test_seed();
  for (uint64_t number = 0; number < kRoundsMax && !(all_branches_taken() && seen_cases.is_complete()); ++number) {
    Random random(seed + number);
    ASSERT_TRUE(agrees(random_round(random, random, {kRoundOperations}), &seen_cases))
        << "DAEDALUS_SEED=" << seed + number;
  }
  EXPECT_TRUE(seen_cases.is_complete());
  for (size_t branch = 0; branch < kBranchCount; ++branch) {
    EXPECT_TRUE(branches_taken[branch]) << "branch " << branch;
  }
}
#endif

/// Holds what is left in the segment, and what became of every update.
struct Aftermath {
  std::string rows;
  std::vector<uint64_t> outcomes;

  friend bool operator==(const Aftermath&, const Aftermath&) = default;
};

Aftermath aftermath_of(const Round& round) {
  const TestTableScope scope(round.table);
  Aftermath aftermath;
  Segment segment(test_schema(), test_codec(), round.options);
  for (size_t next = 0; next < round.steps.size();) {
    const uint32_t burst = round.steps[next].burst;
    for (; next < round.steps.size() && round.steps[next].burst == burst; ++next) {
      EXPECT_TRUE(segment.enqueue(std::get<Update>(round.steps[next].operation)));
    }
    while (segment.step({0})) {
    }
    while (const std::optional<Output> output = segment.dequeue()) {
      const auto& update = std::get<UpdateOutput>(*output);
      aftermath.outcomes.insert(aftermath.outcomes.end(),
                                {raw(update.timestamp), update.rows_matched, update.rows_applied,
                                 update.refused_no_room, update.refused_overflow});
      for (const FailedRows& failed : update.failed) {
        aftermath.outcomes.push_back(failed.row_count);
      }
      aftermath.outcomes.insert(aftermath.outcomes.end(), update.part_rows.begin(), update.part_rows.end());
    }
  }
  std::vector<uint32_t> columns(test_schema().columns.size());
  for (uint32_t column = 0; column < columns.size(); ++column) {
    columns[column] = column;
  }
  EXPECT_TRUE(segment.enqueue(Query{QueryHandle{1}, std::make_shared<semantics::Selection>(select(columns))}));
  EXPECT_TRUE(segment.step({0}));
  aftermath.rows = std::get<QueryOutput>(*segment.dequeue()).rows;
  return aftermath;
}

TEST(SegmentModelTest, OutcomesAndSlotsDoNotDependOnHowUpdatesAreCutIntoCycles) {
  const uint64_t seed = test_seed();
  for (uint64_t number = 0; number < 8; ++number) {
    Random random(seed + number);
    const Round round = random_round(random, random, {800});
    const Aftermath one_by_one = aftermath_of(without_queries(round, 1));
    EXPECT_EQ(one_by_one, aftermath_of(without_queries(round, 3)));
    EXPECT_EQ(one_by_one, aftermath_of(without_queries(round, 64)));
  }
}

}  // namespace
}  // namespace daedalus::engine::test
