// Up to the login, and the ends of a connection.
#include "session_fixture.hpp"

namespace daedalus::postgres::testing {
namespace {

using namespace std::string_literals;
using ::testing::Test;

class StartupTest : public SessionTest {};

std::string packet(const std::string& body) { return number32(static_cast<uint32_t>(body.size() + 4)) + body; }

TEST_F(StartupTest, TellsSettingsKeyAndStateOfWhoLogsIn) {
  connect();
  send(startup());
  const std::string told = said();
  EXPECT_EQ(told.substr(0, 2), "R|");
  for (const char* const setting : {"server_version=15.", "server_encoding=UTF8", "client_encoding=UTF8",
                                    "DateStyle=ISO, MDY", "integer_datetimes=on", "standard_conforming_strings=on",
                                    "TimeZone=UTC", "IntervalStyle=postgres", "session_authorization=ada"}) {
    EXPECT_NE(told.find("|S "s + setting), std::string::npos) << setting << " in " << told;
  }
  EXPECT_TRUE(told.ends_with("|K|Z I")) << told;
  EXPECT_EQ(ups_, std::vector<std::string>{"ada"});
}

TEST_F(StartupTest, TakesItsBytesOneByOne) {
  connect();
  for (const char byte : packet("\x04\xd2\x16\x2f"s) + startup()) {
    send(std::string(1, byte));
  }
  const std::string bytes = taken();
  EXPECT_EQ(bytes.substr(0, 2), "NR");
  EXPECT_EQ(ups_.size(), 1u);
}

TEST_F(StartupTest, DeclinesEncryptionAndGoesOn) {
  connect();
  send(packet("\x04\xd2\x16\x30"s));
  EXPECT_EQ(taken(), "N");
  send(packet("\x04\xd2\x16\x2f"s));
  EXPECT_EQ(taken(), "N");
  send(startup());
  EXPECT_TRUE(said().ends_with("Z I"));
}

TEST_F(StartupTest, NegotiatesNewerMinorVersionsAndOptionsItDoesNotKnow) {
  connect();
  send(packet("\0\3\0\2user\0ada\0database\0tickets\0_pq_.magic\0on\0\0"s));
  const std::string bytes = taken();
  EXPECT_EQ(bytes.substr(0, 24), "v\0\0\0\x17\0\3\0\0\0\0\0\1_pq_.magic\0"s);
  EXPECT_EQ(bytes[24], 'R');
}

TEST_F(StartupTest, StartsWithTheSettingsOfItsClient) {
  connect();
  send(packet("\0\3\0\0user\0ada\0database\0tickets\0application_name\0psql\0options\0-c statement_timeout=5s\0\0"s));
  EXPECT_NE(said().find("S application_name=psql"), std::string::npos);
  send(query("SET statement_timeout = 7; RESET statement_timeout; SHOW statement_timeout"));
  EXPECT_EQ(said(), "C SET|C RESET|T statement_timeout:25|D 5s|C SHOW|Z I");
}

TEST_F(StartupTest, BlocksWriteAsTheAggregatorSaysWhereTheClientSaysNothing) {
  options_.writes_at_once = true;
  log_in();
  send(query("SHOW daedalus.block_writes; SET daedalus.block_writes = refuse; RESET daedalus.block_writes"));
  EXPECT_EQ(said(), "T daedalus.block_writes:25|D immediate|C SHOW|C SET|C RESET|Z I");
  connect();
  send(packet("\0\3\0\0user\0ada\0database\0tickets\0daedalus.block_writes\0refuse\0\0"s));
  static_cast<void>(said());
  send(query("SHOW daedalus.block_writes"));
  EXPECT_EQ(said(), "T daedalus.block_writes:25|D refuse|C SHOW|Z I");
}

struct Refusal {
  const char* what;
  std::string bytes;
  const char* error;
};

// "R": the client has authenticated, and health checks wait for no more than that.
TEST_F(StartupTest, RefusesWithOneErrorAndEnds) {
  for (const Refusal& refusal : std::initializer_list<Refusal>{
           {"garbage", "GET / HTTP/1.1\r\n\r\n", "E 08P01 invalid message length 1195725856"},
           {"a TLS hello", "\x16\x03\x01\x02\x00\x01\x00"s, "E 08P01 invalid message length"},
           {"a negative length", "\xff\xff\xff\xff"s, "E 08P01 invalid message length 4294967295"},
           {"too short", "\0\0\0\3"s, "E 08P01"},
           {"protocol 2", packet("\0\2\0\0"s), "E 0A000 unsupported frontend protocol 2.0"},
           {"nobody", packet("\0\3\0\0database\0tickets\0\0"s), "E 28000 no PostgreSQL user name"},
           {"another database", startup("flights"), "R|E 3D000 database \"flights\" does not exist"},
           {"another encoding", packet("\0\3\0\0user\0a\0database\0tickets\0client_encoding\0LATIN2\0\0"s),
            "R|E 0A000 client_encoding = LATIN2 is not supported"},
           {"replication", packet("\0\3\0\0user\0a\0database\0tickets\0replication\0database\0\0"s), "R|E 0A000"},
           {"an unknown setting", packet("\0\3\0\0user\0a\0database\0tickets\0nonsense\0x\0\0"s), "R|E 42704"},
           {"cut short", packet("\0\3\0\0user\0a"s), "E 08P01"},
       }) {
    connect();
    send(refusal.bytes);
    const std::string told = said();
    EXPECT_EQ(told.substr(0, std::string_view(refusal.error).size()), refusal.error) << refusal.what;
    EXPECT_EQ(told.find('|', 2), std::string::npos) << told;
    EXPECT_TRUE(session_->ended().has_value()) << refusal.what;
    send(startup());
    EXPECT_EQ(said(), "") << refusal.what;
  }
  EXPECT_TRUE(ups_.empty());
  EXPECT_TRUE(downs_.empty());
}

TEST_F(StartupTest, TrustsOnlyThisMachineAndOnlyWhereItIsConfigured) {
  connect("10.0.0.1:4000");
  send(startup());
  EXPECT_EQ(said().substr(0, 8), "E 28000 ");
  connect("[::1]:4000");
  send(startup());
  EXPECT_EQ(said().substr(0, 2), "R|");
  options_.trusts_loopback = false;
  connect();
  send(startup());
  EXPECT_EQ(said().substr(0, 8), "E 28000 ");
}

/// HAProxy's pgsql-check asks for the database template1 with any user, and goes when it has been answered.
TEST_F(StartupTest, AHealthCheckIsAnsweredWhateverUserItNames) {
  for (const std::string user : {"ada", "nobody"}) {
    connect();
    send(packet("\0\3\0\0user\0"s + user + "\0database\0template1\0\0"s));
    EXPECT_TRUE(said().starts_with("R|")) << user;
  }
}

TEST_F(StartupTest, ACancelRequestIsHandedOnAndAnsweredByNothing) {
  connect();
  send(packet("\x04\xd2\x16\x2e\0\0\0\x2a\0\0\x12\x67"s));
  EXPECT_EQ(cancels_, (std::vector<CancelKey>{{42, 4711}}));
  EXPECT_EQ(taken(), "");
  EXPECT_TRUE(session_->ended().has_value());
}

TEST_F(StartupTest, EndsAClientThatDoesNotLogInInTime) {
  connect();
  EXPECT_EQ(session_->next_deadline(), after(now_, options_.limits.startup_ns_max));
  now_ = session_->next_deadline();
  session_->on_deadline(now_);
  EXPECT_EQ(said().substr(0, 8), "E 08006 ");
  EXPECT_TRUE(session_->ended().has_value());
}

TEST_F(StartupTest, EndsAClientThatDoesNotReadAfterAWhile) {
  log_in();
  EXPECT_EQ(session_->next_deadline(), kNever);
  send(query("SHOW server_version"));
  static_cast<void>(session_->take_output(now_));
  now_ = session_->next_deadline();
  ASSERT_NE(now_, kNever);
  session_->on_deadline(now_);
  deliver();
  EXPECT_EQ(session_->ended(), "the client does not read");
  EXPECT_EQ(downs_.size(), 1u);
}

TEST_F(StartupTest, SaysWhyItIsClosed) {
  log_in();
  session_->close("the aggregator is shutting down");
  deliver();
  EXPECT_EQ(said(), "E 57P01 the aggregator is shutting down");
  EXPECT_EQ(downs_, std::vector<std::string>{"the aggregator is shutting down"});
}

TEST_F(StartupTest, GarbageAfterTheLoginIsOneErrorAndTheEnd) {
  for (const std::string& bytes : {"Q\xff\xff\xff\xff"s, "Q\x7f\xff\xff\xff"s, "Q\0\0\0\0"s, message('z', ""),
                                   message('Q', "no zero byte"), message('P', "cut"), message('B', "cut")}) {
    log_in();
    send(bytes);
    const std::string told = said();
    EXPECT_EQ(told.substr(0, 8), "E 08P01 ");
    EXPECT_EQ(told.find('|', 2), std::string::npos) << told;
    EXPECT_TRUE(session_->ended().has_value());
  }
}

TEST_F(StartupTest, ATerminateEndsWithoutAWord) {
  log_in();
  send(message('X', ""));
  EXPECT_EQ(taken(), "");
  EXPECT_EQ(downs_.size(), 1u);
}

}  // namespace
}  // namespace daedalus::postgres::testing
