// Tests what came of updates, as bytes: every form that was ever written is read.
#include "daedalus/durability/node_records.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <iostream>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daedalus/durability/log_format.hpp"

namespace daedalus::durability {
namespace {

using engine::UpdateOutput;
using node::OutcomeRecord;
using node::SegmentIndex;

bool same(const std::vector<OutcomeRecord>& left, const std::vector<OutcomeRecord>& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), [](const auto& one, const auto& other) {
    return one.last == other.last && one.segments == other.segments;
  });
}

std::string bytes(std::initializer_list<int> values) { return {values.begin(), values.end()}; }

/// Update 5 in segment 1: 3 rows matched, 2 applied, 1 without room, in the slots 10 and 11.
OutcomeRecord plain_outcome() {
  return {Timestamp{5},
          {{SegmentIndex{1}, UpdateOutput{.timestamp = Timestamp{5},
                                          .rows_matched = 3,
                                          .rows_applied = 2,
                                          .refused_no_room = 1,
                                          .slots = {{10, 2}}}}}};
}

TEST(NodeRecordsTest, WritesOutcomesWithoutFailedRowsAndPartsInTheOldFormat) {
  const std::string form = bytes({1, 5, 1, 1, 3, 2, 1, 0, 1, 10, 2});
  EXPECT_EQ(encode_outcomes(std::vector{plain_outcome()}), form);
  const auto read = decode_outcomes(form);
  ASSERT_TRUE(read);
  EXPECT_TRUE(same(*read, {plain_outcome()}));
}

TEST(NodeRecordsTest, FailedRowsAloneAreWrittenAsTheyWereBeforePartsWereCounted) {
  OutcomeRecord outcome = plain_outcome();
  outcome.segments[0].second.failed = {{"00001", 7}};
  const std::string form = bytes({0, 1, 5, 1, 1, 3, 2, 1, 0, 1, 10, 2, 1, 1, 7});
  EXPECT_EQ(encode_outcomes(std::vector{outcome}), form);
  const auto read = decode_outcomes(form);
  ASSERT_TRUE(read);
  EXPECT_TRUE(same(*read, {outcome}));
}

TEST(NodeRecordsTest, RowsByPartsStandBehindFailedRows) {
  OutcomeRecord outcome = plain_outcome();
  outcome.segments[0].second.part_rows = {0, 2};
  const std::string form = bytes({0, 0, 1, 5, 1, 1, 3, 2, 1, 0, 1, 10, 2, 0, 2, 0, 2});
  EXPECT_EQ(encode_outcomes(std::vector{outcome}), form);
  const auto read = decode_outcomes(form);
  ASSERT_TRUE(read);
  EXPECT_TRUE(same(*read, {outcome}));
  for (size_t size = 0; size < form.size(); ++size) {
    EXPECT_FALSE(decode_outcomes(std::string_view(form).substr(0, size)) && size > 2) << size;
  }
}

TEST(NodeRecordsTest, AnyOutcomesComeBackAsTheyWent) {
  const char* const given = std::getenv("DAEDALUS_SEED");
  const uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  std::cout << "DAEDALUS_SEED=" << seed << "\n";
  std::mt19937_64 random(seed);
  const auto below = [&](uint64_t bound) { return std::uniform_int_distribution<uint64_t>(0, bound - 1)(random); };
  for (int round = 0; round < 500; ++round) {
    std::vector<OutcomeRecord> outcomes;
    const bool has_parts = below(2) == 0;
    const bool has_failed = below(2) == 0;
    for (uint64_t last = 1 + below(9); outcomes.size() < 1 + below(8); last += 1 + below(300)) {
      OutcomeRecord& outcome = outcomes.emplace_back(OutcomeRecord{Timestamp{last}, {}});
      for (uint32_t segment = 0; segment < below(5); ++segment) {
        UpdateOutput output{.timestamp = outcome.last, .rows_matched = below(1000), .rows_applied = random()};
        for (uint64_t parts = has_parts ? below(6) : 0; parts > 0; --parts) {
          output.part_rows.push_back(below(2) == 0 ? random() : below(3));
        }
        for (uint64_t failed = has_failed ? below(3) : 0; failed > 0; --failed) {
          count_refused(output, failed == 1 ? "22012" : "XX000", 1 + below(9));
        }
        for (uint64_t runs = below(3); runs > 0; --runs) {
          output.slots.push_back({static_cast<uint32_t>(below(100)), static_cast<uint32_t>(below(100))});
        }
        outcome.segments.emplace_back(SegmentIndex{segment}, std::move(output));
      }
    }
    const auto read = decode_outcomes(encode_outcomes(outcomes));
    ASSERT_TRUE(read) << round;
    EXPECT_TRUE(same(*read, outcomes)) << round;
  }
}

TEST(NodeRecordsTest, ARecordTakesNoMoreOutcomesThanAreSureToFit) {
  OutcomeRecord large = plain_outcome();
  large.segments[0].second.part_rows.assign(1'000'000, UINT64_MAX);
  const std::vector<OutcomeRecord> outcomes(8, large);
  const size_t count = outcomes_that_fit(outcomes);
  EXPECT_GT(count, 1U);
  EXPECT_LT(count, outcomes.size());
  EXPECT_LE(encode_outcomes(std::span(outcomes).first(count)).size(), kRecordPayloadMax);
  EXPECT_EQ(outcomes_that_fit(std::vector(3, plain_outcome())), 3U);
  large.segments[0].second.part_rows.resize(4'000'000);
  EXPECT_EQ(outcomes_that_fit(std::vector(2, large)), 1U) << "one goes alone";
}

}  // namespace
}  // namespace daedalus::durability
