// One connection to the catalogue's server, without a server: its messages are the test's.
#include "link.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace daedalus::catalogue {
namespace {

using namespace std::string_literals;
using ::testing::ElementsAre;

const std::string kReady = "Z\0\0\0\5I"s;
const std::string kLetIn = "R\0\0\0\x08\0\0\0\0"s + kReady;

std::string message(char type, const std::string& body) {
  std::string made(1, type);
  for (int shift = 24; shift >= 0; shift -= 8) {
    made.push_back(static_cast<char>((body.size() + 4) >> shift));
  }
  return made + body;
}
std::string error(const std::string& state) { return message('E', "C" + state + "\0Mwrong\0\0"s); }

class LinkTest : public ::testing::Test, public LinkOwner {
 protected:
  void on_link_outcome(rpc::PeerId /*link*/, Outcome&& outcome) override {
    if (const auto* failure = std::get_if<Failure>(&outcome)) {
      said_.push_back(failure->error.sqlstate);
    } else {
      said_.push_back(std::get<Answer>(outcome).tag);
      answer_ = std::get<Answer>(outcome);
    }
  }
  void on_link_idle(rpc::PeerId /*link*/) override { said_.emplace_back("idle"); }
  void on_link_over(rpc::PeerId /*link*/, const std::string& reason) override { said_.push_back("over: " + reason); }

  void receive(const std::string& bytes) {
    link_.on_bytes(bytes, now_);
    deliver();
  }
  void deliver() {
    link_.deliver([](const char* /*event*/) { return false; });
  }
  void run() {
    Statement statement;
    statement.sql = "SELECT 1";
    statement.timeout_ns = kSecond;
    link_.run(statement, now_);
  }
  void enter() {
    receive(kLetIn);
    said_.clear();
  }

  Instant now_{1};
  Link link_{*this, rpc::PeerId{3}, {"reader", "tickets"}, now_};
  std::vector<std::string> said_;
  Answer answer_;
};

TEST_F(LinkTest, SaysWhoItIsAndIsIdleOnceItIsLetIn) {
  EXPECT_EQ(link_.take_output(now_), "\0\0\0\x26\0\3\0\0user\0reader\0database\0tickets\0\0"s);
  EXPECT_FALSE(link_.is_idle());
  receive(kLetIn);
  EXPECT_TRUE(link_.is_idle());
  EXPECT_TRUE(link_.was_up());
  EXPECT_THAT(said_, ElementsAre("idle"));
  EXPECT_EQ(link_.next_deadline(), kNever);
}

TEST_F(LinkTest, AnAnswerIsToldWhenItIsWholeAndTheNextOneMayComeWhenAllIsForgotten) {
  enter();
  run();
  EXPECT_FALSE(link_.is_idle());
  receive(message('C', "BEGIN\0"s) + message('C', "SET\0"s) + kReady);
  receive(
      "1\0\0\0\4"s
      "2\0\0\0\4"s +
      message('T', "\0\1a"s) + message('D', "row") + message('C', "SELECT 1\0"s));
  EXPECT_THAT(said_, ElementsAre());
  receive(kReady);
  EXPECT_THAT(said_, ElementsAre("SELECT 1"));
  EXPECT_EQ(answer_.columns, "\0\1a"s);
  EXPECT_EQ(answer_.rows, message('D', "row"));
  EXPECT_FALSE(link_.is_idle());
  receive(message('C', "COMMIT\0"s) + kReady + message('C', "DISCARD ALL\0"s) + kReady);
  EXPECT_TRUE(link_.is_idle());
  EXPECT_THAT(said_, ElementsAre("SELECT 1", "idle"));
}

TEST_F(LinkTest, TheFirstErrorIsTheStatements) {
  enter();
  run();
  receive(error("22023") + kReady + error("25P02") + kReady + kReady + kReady);
  EXPECT_THAT(said_, ElementsAre("22023", "idle"));
  run();
  receive(kReady + error("42883") + kReady + kReady + kReady);
  EXPECT_THAT(said_, ElementsAre("22023", "idle", "42883", "idle"));
}

TEST_F(LinkTest, AServerThatGoesFailsTheStatement) {
  enter();
  run();
  receive(kReady + error("57P01"));
  link_.on_lost("end of file");
  deliver();
  EXPECT_THAT(said_, ElementsAre("57P01", "over: wrong"));
  EXPECT_TRUE(link_.ended());
}

TEST_F(LinkTest, AServerThatDoesNotAnswerIsLeft) {
  enter();
  run();
  now_ = after(now_, kSecond + Link::kGraceNs);
  EXPECT_EQ(link_.next_deadline(), now_);
  link_.on_deadline(now_);
  deliver();
  EXPECT_THAT(said_, ElementsAre("57014", "over: it does not answer"));
}

TEST_F(LinkTest, AnAnswerThatIsTooLargeIsRefused) {
  enter();
  run();
  const std::string row = message('D', std::string(1u << 20, 'x'));
  receive(kReady);
  for (int count = 0; count < 17; ++count) {
    receive(row);
  }
  EXPECT_EQ(said_.front(), "54000");
  EXPECT_TRUE(link_.ended());
}

TEST_F(LinkTest, EndsAtAMalformedMessage) {
  enter();
  run();
  receive("D\x7f\xff\xff\xff"s);
  link_.on_lost("closed");
  deliver();
  EXPECT_TRUE(link_.ended());
}

TEST_F(LinkTest, SaysGoodbyeWhenItIsClosed) {
  enter();
  static_cast<void>(link_.take_output(now_));
  link_.close("asked to");
  deliver();
  EXPECT_EQ(link_.take_output(now_), "X\0\0\0\4"s);
  EXPECT_THAT(said_, ElementsAre("over: asked to"));
}

}  // namespace
}  // namespace daedalus::catalogue
