// Statements that wait for a connection, and what is told where there is none.
#include "daedalus/catalogue/pool.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "link.hpp"

namespace daedalus::catalogue {
namespace {

using namespace std::string_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Kind = ServerState::Kind;

const std::string kPoolReady = "Z\0\0\0\5I"s;
const std::string kPoolLetIn = "R\0\0\0\x08\0\0\0\0"s + kPoolReady;

class PoolTest : public ::testing::Test {
 protected:
  static Statement statement(int64_t timeout_ns = 60 * kSecond) {
    Statement made;
    made.sql = "SELECT 1";
    made.timeout_ns = timeout_ns;
    return made;
  }
  void run_server() { pool_.set_state({Kind::kRunning, {}, "/socket", 1}, now_); }
  /// Each client is a user of its own.
  void submit(uint64_t client) { submit(client, "user " + std::to_string(client)); }
  void submit(uint64_t client, const std::string& user) {
    Statement made = statement();
    made.user = user;
    pool_.submit(rpc::PeerId{client}, 10 + client, std::move(made), now_);
  }
  /// Makes the connections that are wanted; their numbers go on from 100.
  size_t connect() {
    const size_t count = pool_.take_connects(now_);
    for (size_t each = 0; each < count; ++each) {
      const rpc::PeerId id{100 + sessions_.size()};
      sessions_.push_back(pool_.make_session({id, "/socket", std::nullopt}, now_));
      receive(sessions_.size() - 1, kPoolLetIn);
    }
    return count;
  }
  void receive(size_t session, const std::string& bytes) {
    sessions_[session]->on_bytes(bytes, now_);
    sessions_[session]->deliver([](const char* /*event*/) { return false; });
  }
  /// "CLIENT:ID STATE" of each that was told since.
  std::vector<std::string> told() {
    std::vector<std::string> shown;
    for (const Told& each : pool_.take_told()) {
      const auto* failure = std::get_if<Failure>(&each.outcome);
      shown.push_back(std::to_string(raw(each.client)) + ":" + std::to_string(each.id) + " " +
                      (failure == nullptr ? "fine" : failure->error.sqlstate));
      message_ = failure == nullptr ? "" : failure->error.message;
    }
    return shown;
  }

  Instant now_{kSecond};
  Pool pool_{PoolOptions{.user = "reader", .database = "tickets", .links_max = 2, .waiting_max = 3}};
  std::vector<std::shared_ptr<rpc::ByteSession>> sessions_;
  std::string message_;
};

TEST_F(PoolTest, WithoutAServerStatementsAreRefusedAndSaidWhy) {
  submit(1);
  EXPECT_THAT(told(), ElementsAre("1:11 0A000"));
  EXPECT_THAT(message_, HasSubstr("its catalogue is off"));
  pool_.set_state({Kind::kMissing, "there is no PostgreSQL", {}, 0}, now_);
  submit(1);
  EXPECT_THAT(told(), ElementsAre("1:11 0A000"));
  EXPECT_THAT(message_, HasSubstr("there is no PostgreSQL"));
  pool_.set_state({Kind::kFailed, "the disk is full", {}, 0}, now_);
  submit(1);
  EXPECT_THAT(told(), ElementsAre("1:11 58000"));
  EXPECT_EQ(pool_.take_connects(now_), 0u);
}

TEST_F(PoolTest, StatementsWaitForAServerThatIsBeingStartedButNotForEver) {
  pool_.set_state({Kind::kWaiting, {}, {}, 0}, now_);
  submit(1);
  EXPECT_THAT(told(), ElementsAre());
  EXPECT_EQ(pool_.take_connects(now_), 0u);
  now_ = pool_.next_deadline();
  pool_.on_deadline(now_);
  EXPECT_THAT(told(), ElementsAre("1:11 57P03"));
  EXPECT_EQ(pool_.next_deadline(), kNever);
  submit(2);
  pool_.set_state({Kind::kFailed, "no", {}, 0}, now_);
  EXPECT_THAT(told(), ElementsAre("2:12 58000"));
}

TEST_F(PoolTest, StatementsRunAsTheyCameOnAsManyConnectionsAsThereMayBe) {
  run_server();
  for (const uint64_t client : {1, 2, 3}) {
    submit(client);
  }
  EXPECT_EQ(connect(), 2u);
  EXPECT_EQ(pool_.waiting_count(), 1u);
  EXPECT_THAT(pool_.take_wakes(), ElementsAre(rpc::PeerId{100}, rpc::PeerId{101}));
  receive(1, kPoolReady + kPoolReady + kPoolReady + kPoolReady);
  EXPECT_THAT(told(), ElementsAre("2:12 fine"));
  EXPECT_EQ(pool_.waiting_count(), 0u);
  receive(0, kPoolReady + kPoolReady + kPoolReady + kPoolReady);
  receive(1, kPoolReady + kPoolReady);
  EXPECT_THAT(told(), ElementsAre("1:11 fine", "3:13 fine"));
  receive(1, kPoolReady + kPoolReady);
  submit(4);
  EXPECT_EQ(connect(), 0u);
  EXPECT_EQ(pool_.waiting_count(), 0u);
}

TEST_F(PoolTest, NoUserHasAllConnectionsHoweverManyClientsAsk) {
  run_server();
  submit(1, "slow");
  submit(2, "slow");
  submit(3, "slow");
  EXPECT_EQ(connect(), 2u);
  EXPECT_EQ(pool_.waiting_count(), 2u);
  submit(4, "other");
  EXPECT_EQ(pool_.waiting_count(), 2u);
  receive(1, kPoolReady + kPoolReady + kPoolReady + kPoolReady);
  EXPECT_THAT(told(), ElementsAre("4:14 fine"));
}

TEST_F(PoolTest, ServesTheClientWithFewerConnectionsNextAndUsesAFreedShare) {
  run_server();
  submit(1, "slow");
  submit(2, "slow");
  ASSERT_EQ(connect(), 2u);
  pool_.abandon(rpc::PeerId{1}, now_);
  EXPECT_EQ(pool_.waiting_count(), 0u);
  submit(3, "slow");
  submit(4, "other");
  EXPECT_EQ(connect(), 1u);
  EXPECT_EQ(pool_.waiting_count(), 1u);
  receive(2, kPoolReady + kPoolReady + kPoolReady + kPoolReady);
  EXPECT_THAT(told(), ElementsAre("4:14 fine"));
}

TEST_F(PoolTest, BoundsTheQueue) {
  run_server();
  for (const uint64_t client : {1, 2, 3, 4}) {
    submit(client);
  }
  EXPECT_THAT(told(), ElementsAre("4:14 53000"));
}

TEST_F(PoolTest, AStatementThatNobodyWaitsForEndsItsConnection) {
  run_server();
  submit(1);
  submit(2);
  ASSERT_EQ(connect(), 2u);
  submit(3);
  static_cast<void>(pool_.take_wakes());
  pool_.abandon(rpc::PeerId{3}, now_);
  EXPECT_EQ(pool_.waiting_count(), 0u);
  pool_.abandon(rpc::PeerId{1}, now_);
  EXPECT_THAT(pool_.take_wakes(), ElementsAre(rpc::PeerId{100}));
  EXPECT_EQ(pool_.link_count(), 1u);
  receive(0, "");
  EXPECT_THAT(told(), ElementsAre());
  submit(4);
  EXPECT_EQ(connect(), 1u);
}

TEST_F(PoolTest, AServerThatGoesFailsWhatRanAndTheNextOneIsConnectedTo) {
  run_server();
  submit(1);
  ASSERT_EQ(connect(), 1u);
  sessions_[0]->on_lost("end of file");
  receive(0, "");
  EXPECT_THAT(told(), ElementsAre("1:11 57P01"));
  EXPECT_EQ(pool_.link_count(), 0u);
  pool_.set_state({Kind::kStarting, "it was killed", {}, 0}, now_);
  submit(2);
  EXPECT_EQ(pool_.take_connects(now_), 0u);
  run_server();
  EXPECT_EQ(connect(), 1u);
}

TEST_F(PoolTest, AConnectionThatFailsIsTriedAgainLater) {
  run_server();
  submit(1);
  EXPECT_EQ(pool_.take_connects(now_), 1u);
  pool_.on_connect_failed(now_);
  EXPECT_EQ(pool_.take_connects(now_), 0u);
  now_ = pool_.next_deadline();
  EXPECT_EQ(pool_.take_connects(now_), 1u);
}

TEST_F(PoolTest, AStatementsTimeRunsWhileItWaits) {
  run_server();
  pool_.submit(rpc::PeerId{1}, 11, statement(kSecond), now_);
  EXPECT_EQ(pool_.take_connects(now_), 1u);
  now_ = after(now_, kSecond);
  pool_.on_deadline(now_);
  EXPECT_THAT(told(), ElementsAre("1:11 57014"));
}

}  // namespace
}  // namespace daedalus::catalogue
