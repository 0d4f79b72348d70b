// The twin's rules on marks: to whom they go, who passes them on, and how many are under way.
#include "marks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace daedalus::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr rpc::PeerId kOne{1};
constexpr rpc::PeerId kOther{2};

class MarksTest : public ::testing::Test {
 protected:
  /// Sends what is due, and says to whom: behind the one that passes it on, there is a star.
  std::vector<std::string> send(uint64_t mark) {
    std::vector<std::string> sent;
    for (const Marks::Due& due : marks_.take_due(Timestamp{mark}, now_)) {
      marks_.on_sent(due.peer, ++sequence_, Timestamp{mark}, now_);
      sent.push_back(std::to_string(raw(due.peer)) + (due.is_passed_on ? "*" : ""));
    }
    return sent;
  }
  void pass(int64_t ns) { now_ = after(now_, ns); }

  Marks marks_;
  Instant now_{kSecond};
  uint64_t sequence_ = 0;
};

TEST_F(MarksTest, NothingIsSentBeforeItBeginsAndNothingOnceItStops) {
  marks_.on_up(kOne);
  EXPECT_THAT(send(5), IsEmpty());
  EXPECT_EQ(marks_.next_deadline(), kNever);
  marks_.begin(now_);
  EXPECT_EQ(marks_.next_deadline(), now_);
  EXPECT_THAT(send(5), ElementsAre("1*"));
  marks_.stop();
  EXPECT_THAT(send(6), IsEmpty());
  EXPECT_EQ(marks_.next_deadline(), kNever);
}

TEST_F(MarksTest, AMarkGoesToAllOnceAndAgainAfterHalfASecond) {
  marks_.on_up(kOne);
  marks_.on_up(kOther);
  marks_.begin(now_);
  EXPECT_THAT(send(0), ElementsAre("1*", "2"));  // That nothing is confirmed is said, too.
  EXPECT_THAT(send(0), IsEmpty());
  EXPECT_THAT(send(7), ElementsAre("1*", "2"));
  pass(Marks::kRepeatNs - 1);
  EXPECT_THAT(send(7), IsEmpty());
  pass(1);
  EXPECT_THAT(send(7), ElementsAre("1*", "2"));
}

TEST_F(MarksTest, WhoeverComesLaterIsSentItAtOnce) {
  marks_.on_up(kOther);
  marks_.begin(now_);
  EXPECT_THAT(send(7), ElementsAre("2*"));
  marks_.on_up(kOne);
  EXPECT_THAT(send(7), ElementsAre("1*"));  // The first one passes it on.
  marks_.on_down(kOne);
  EXPECT_THAT(send(8), ElementsAre("2*"));
}

TEST_F(MarksTest, AnotherPassesOnWhenTheFirstIsSilentForASecond) {
  marks_.on_up(kOne);
  marks_.on_up(kOther);
  marks_.begin(now_);
  EXPECT_THAT(send(7), ElementsAre("1*", "2"));
  EXPECT_TRUE(marks_.on_answer(kOther, 2, /*is_refused=*/false));
  pass(Marks::kRepeatNs);
  EXPECT_THAT(send(7), ElementsAre("1*", "2"));
  pass(Marks::kPatienceNs - Marks::kRepeatNs - 1);
  EXPECT_THAT(send(7), IsEmpty());
  EXPECT_EQ(marks_.next_deadline(), after(now_, 1));
  pass(1);
  EXPECT_THAT(send(7), ElementsAre("1", "2*"));
}

TEST_F(MarksTest, ARefusedMarkIsPassedOnByAnotherWhenItIsRepeated) {
  marks_.on_up(kOne);
  marks_.on_up(kOther);
  marks_.begin(now_);
  EXPECT_THAT(send(7), ElementsAre("1*", "2"));
  EXPECT_TRUE(marks_.on_answer(kOne, 1, /*is_refused=*/true));
  EXPECT_THAT(send(7), IsEmpty());
  pass(Marks::kRepeatNs);
  EXPECT_THAT(send(7), ElementsAre("1", "2*"));
}

TEST_F(MarksTest, AtMostSixtyFourAreUnderWayAndTheNewestWaits) {
  marks_.on_up(kOne);
  marks_.begin(now_);
  for (uint64_t mark = 1; mark <= Marks::kUnderWayMax; ++mark) {
    EXPECT_THAT(send(mark), ElementsAre("1*"));
  }
  EXPECT_THAT(send(100), IsEmpty());
  EXPECT_THAT(send(101), IsEmpty());
  EXPECT_TRUE(marks_.on_answer(kOne, 3, /*is_refused=*/false));
  EXPECT_FALSE(marks_.on_answer(kOne, 3, /*is_refused=*/false));
  EXPECT_THAT(send(101), ElementsAre("1*"));
  EXPECT_THAT(send(101), IsEmpty());
}

TEST_F(MarksTest, ANodeKnowsWhatItHasSaid) {
  EXPECT_FALSE(marks_.knows(0, Timestamp{0}));
  marks_.learn(0, Timestamp{5});
  marks_.learn(0, Timestamp{3});
  EXPECT_TRUE(marks_.knows(0, Timestamp{5}));
  EXPECT_FALSE(marks_.knows(0, Timestamp{6}));
  EXPECT_FALSE(marks_.knows(1, Timestamp{1}));
}

}  // namespace
}  // namespace daedalus::testing
