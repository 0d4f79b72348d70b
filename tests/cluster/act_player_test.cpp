// Whoever holds sessions to the protocol's promises is told of ones that break them, and says so.
#include "act_player.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace daedalus::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ActPlayerTest : public ::testing::Test {
 protected:
  /// Two queries by the extended protocol up to one Sync, the first one with a limit of a row.
  void begin_pipeline() {
    act_.statements.resize(2);
    ActStep step;
    step.statements = {0, 1};
    using Kind = Expected::Kind;
    step.expected = {{Kind::kParsed, 0}, {Kind::kBound, 0},    {Kind::kExecuted, 0, 1}, {Kind::kExecuted, 0},
                     {Kind::kBound, 1},  {Kind::kExecuted, 1}, {Kind::kReady}};
    act_.steps = {step};
    player_.begin(act_);
    static_cast<void>(player_.speak(Timestamp{3}, Instant{5}));
  }
  void hear(char type, const std::string& body = {}) { player_.hear({type, body}, Instant{7}); }
  void hear_row() { hear('D', std::string("\0\1\0\0\0\1x", 7)); }
  void hear_tag(const std::string& tag) { hear('C', tag + '\0'); }
  void hear_error(const std::string& sqlstate) {
    hear('E', "VERROR" + std::string(1, '\0') + 'C' + sqlstate + '\0' + "Mwrong" + '\0' + '\0');
  }

  std::vector<std::string> faults_;
  ActPlayer player_{[this](const std::string& text) { faults_.push_back(text); }};
  Act act_;
};

TEST_F(ActPlayerTest, TakesWhatIsPromised) {
  begin_pipeline();
  hear('1');
  hear('2');
  hear_row();
  hear('s');
  hear('S', "TimeZone\0UTC");
  hear_tag("SELECT 0");
  hear('2');
  hear_row();
  hear_row();
  hear_tag("SELECT 2");
  hear('Z', "I");
  EXPECT_TRUE(player_.is_done());
  EXPECT_THAT(faults_, IsEmpty());
  EXPECT_EQ(act_.statements[0].rows.size(), 1U);
  EXPECT_TRUE(act_.statements[0].was_suspended);
  EXPECT_EQ(act_.statements[1].rows.size(), 2U);
  EXPECT_EQ(act_.statements[1].prefix_promised, Timestamp{3});
}

TEST_F(ActPlayerTest, BehindAnErrorOnlyASyncIsAnswered) {
  begin_pipeline();
  hear('1');
  hear_error("42601");
  EXPECT_EQ(act_.statements[0].error->sqlstate, "42601");
  hear('2');
  EXPECT_THAT(faults_, ElementsAre(HasSubstr("'2' came where Z was to come")));
  hear('Z', "I");
  EXPECT_TRUE(player_.is_done());
}

TEST_F(ActPlayerTest, FindsWrongTagsStatesAndLimits) {
  begin_pipeline();
  hear('1');
  hear('2');
  hear('s');
  EXPECT_THAT(faults_.back(), HasSubstr("suspended before its limit"));
  hear_row();
  hear_tag("SELECT 2");
  EXPECT_THAT(faults_.back(), HasSubstr("ended with the tag SELECT 2 instead of SELECT 1"));
  hear('2');
  hear_tag("SELECT 0");
  hear('Z', "T");
  EXPECT_THAT(faults_.back(), HasSubstr("ReadyForQuery says T instead of I"));
  EXPECT_EQ(faults_.size(), 3U);
}

TEST_F(ActPlayerTest, FindsWhatNobodyAskedFor) {
  begin_pipeline();
  hear('2');
  EXPECT_THAT(faults_, ElementsAre(HasSubstr("'2' came where 1 was to come")));
  player_.end();
  hear_tag("SELECT 0");
  EXPECT_THAT(faults_.back(), HasSubstr("although nothing was asked"));
}

}  // namespace
}  // namespace daedalus::testing
