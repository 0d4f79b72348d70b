// The sequencer's bounds where nobody says otherwise: each is taken up to its last, and what is beyond is answered.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "daedalus/node/sequencer.hpp"

namespace daedalus::node {
namespace {

class SequencerLimitsTest : public testing::Test {
 protected:
  SequencerLimitsTest() {
    sequencer_.on_epoch(EpochRecord{Epoch{1}, "w", ""}, effects_);
    effects_ = {};
  }

  /// One update arrives. What it brought about is in effects_.
  void send(uint64_t timestamp, std::string body = "b") {
    effects_ = {};
    const Timestamp at{timestamp};
    sequencer_.on_update({rpc::PeerId{1}, ++sequence_},
                         {Epoch{1}, {at, at}, {false, timestamp}, Timestamp{0}, std::move(body)}, now_, effects_);
  }

  void expect_refused(wire::v1::WriteRefusal reason) const {
    ASSERT_EQ(effects_.refusals.size(), 1u);
    EXPECT_EQ(effects_.refusals[0].reason, reason);
    EXPECT_EQ(effects_.refusals[0].to.sequence, sequence_);
  }

  Sequencer sequencer_{SequencerOptions{}};
  SequencerEffects effects_;
  Instant now_;
  uint64_t sequence_ = 0;
};

TEST_F(SequencerLimitsTest, HoldsATimestampOf8192AheadAndNoneBeyond) {
  send(8'192);
  EXPECT_TRUE(effects_.refusals.empty());
  send(8'193);
  expect_refused(wire::v1::WRITE_REFUSAL_GAP);
}

TEST_F(SequencerLimitsTest, GivesAGapTwentyMilliseconds) {
  send(2);
  EXPECT_EQ(sequencer_.next_deadline(), after(now_, 20 * kMillisecond));
  sequencer_.on_deadline(after(now_, 20 * kMillisecond), effects_);
  ASSERT_EQ(effects_.refusals.size(), 1u);
  EXPECT_EQ(effects_.refusals[0].reason, wire::v1::WRITE_REFUSAL_GAP);
}

TEST_F(SequencerLimitsTest, Holds32MebibytesAheadOfAGap) {
  constexpr size_t kBody = 8u << 20;
  for (uint64_t timestamp = 2; timestamp <= 5; ++timestamp) {
    send(timestamp, std::string(kBody, 'b'));
    ASSERT_TRUE(effects_.refusals.empty()) << timestamp;
  }
  send(6);
  expect_refused(wire::v1::WRITE_REFUSAL_OVERLOADED);
  EXPECT_EQ(effects_.refusals[0].retry_after_ns, 10 * kMillisecond);
  send(1, std::string(kBody, 'b'));
  EXPECT_EQ(effects_.admissions.size(), 5u) << "the next in order gets in";
}

TEST_F(SequencerLimitsTest, Lets16384OperationsWaitForTheirConfirmation) {
  send(1);
  while (sequence_ < 16'384) {
    send(1);
    ASSERT_TRUE(effects_.refusals.empty()) << sequence_;
  }
  send(1);
  expect_refused(wire::v1::WRITE_REFUSAL_OVERLOADED);
  send(2);
  EXPECT_EQ(effects_.admissions.size(), 1u) << "the next in order gets in";
}

TEST_F(SequencerLimitsTest, Remembers8192Outcomes) {
  for (uint64_t timestamp = 1; timestamp <= 8'193; ++timestamp) {
    send(timestamp);
    sequencer_.on_durable(Timestamp{timestamp}, effects_);
    sequencer_.on_applied(Timestamp{timestamp}, Outcomes(1), effects_);
  }
  const auto is_forgotten = [&](uint64_t timestamp) {
    send(timestamp);
    EXPECT_EQ(effects_.confirmations.size(), 1u);
    return effects_.confirmations[0].is_forgotten;
  };
  EXPECT_TRUE(is_forgotten(1));
  EXPECT_FALSE(is_forgotten(2));
}

}  // namespace
}  // namespace daedalus::node
