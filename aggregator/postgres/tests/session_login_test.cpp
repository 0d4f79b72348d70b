// Who may enter, by which proof, and do what.
#include "scram_client.hpp"
#include "session_fixture.hpp"

namespace daedalus::postgres::testing {
namespace {

using namespace std::string_literals;

class LoginTest : public SessionTest {
 protected:
  LoginTest() {
    options_.trusts_loopback = false;
    set_users({{"ada", Role::kReader}, {"bob", Role::kWriter}});
  }

  void set_users(const std::map<std::string, Role>& roles) {
    Users users;
    for (const auto& [name, role] : roles) {
      users.by_name[name] = {role, verifier_of("pencil", "salt of sixteen.")};
    }
    guard_.set_users(std::make_shared<const Users>(std::move(users)));
  }

  void begin(const std::string& user) {
    connect("10.0.0.1:4000");
    send(startup("tickets", user));
  }

  /// Up to the client's proof; what the server has said is told as far as it is due.
  std::string try_password(const std::string& user, const std::string& password) {
    begin(user);
    EXPECT_EQ(said(), "R10 SCRAM-SHA-256\0\0"s);
    ScramClient client(password);
    send(first_message(client));
    const std::string first = said();
    EXPECT_EQ(first.substr(0, 4), "R11 ");
    send(message('p', client.final(first.substr(4))));
    expected_ = client.expected();
    return said();
  }

  static std::string first_message(const ScramClient& client, const std::string& mechanism = "SCRAM-SHA-256") {
    return message('p', text(mechanism) + number32(static_cast<uint32_t>(client.first().size())) + client.first());
  }

  std::string wait_for_verdict() {
    now_ = session_->next_deadline();
    session_->on_deadline(now_);
    deliver();
    return said();
  }

  std::string expected_;
};

TEST_F(LoginTest, TheRightPasswordLetsIn) {
  const std::string told = try_password("ada", "pencil");
  EXPECT_EQ(told.substr(0, told.find("|S ")), "R12 " + expected_ + "|R");
  EXPECT_TRUE(told.ends_with("|K|Z I")) << told;
  EXPECT_EQ(ups_, std::vector<std::string>{"ada"});
  send(query("SELECT current_user, session_user"));
  EXPECT_EQ(said(), "T current_user:19 session_user:19|D ada ada|C SELECT 1|Z I");
  EXPECT_EQ(guard_.counts(), (LoginCounts{1, 0, 0}));
}

TEST_F(LoginTest, AWrongPasswordIsToldLateAndEndsTheConnection) {
  EXPECT_EQ(try_password("ada", "pen"), "");
  EXPECT_FALSE(session_->ended());
  EXPECT_EQ(session_->next_deadline(), after(now_, LoginGuard::kDelayMinNs));
  EXPECT_EQ(wait_for_verdict(), "E 28P01 password authentication failed for user \"ada\"");
  EXPECT_TRUE(session_->ended());
  EXPECT_TRUE(ups_.empty());
  EXPECT_EQ(guard_.counts(), (LoginCounts{0, 1, 0}));
}

TEST_F(LoginTest, NobodyLearnsWhichUsersThereAre) {
  EXPECT_EQ(try_password("nobody", "pencil"), "");
  EXPECT_EQ(session_->next_deadline(), after(now_, LoginGuard::kDelayMinNs));
  EXPECT_EQ(wait_for_verdict(), "E 28P01 password authentication failed for user \"nobody\"");
}

TEST_F(LoginTest, AfterAWrongOneTheRightOneWaitsItsTurn) {
  static_cast<void>(try_password("ada", "pen"));
  EXPECT_EQ(try_password("ada", "pencil"), "");
  EXPECT_EQ(wait_for_verdict().substr(0, 4), "R12 ");
  EXPECT_EQ(ups_.size(), 1u);
}

TEST_F(LoginTest, ManyWrongOnesAtOnceAreRefusedUnlookedAt) {
  std::string told;
  for (int connection = 0; connection < 10; ++connection) {
    told = try_password("ada", "pen");
  }
  EXPECT_EQ(told, "E 53300 too many logins of user \"ada\" from 10.0.0.1 have failed");
  EXPECT_EQ(try_password("ada", "pencil"), told);
  EXPECT_EQ(try_password("bob", "pencil").substr(0, 4), "R12 ");
}

TEST_F(LoginTest, WithoutAUsersFileNobodyEntersAndIsToldWhatToDo) {
  guard_.set_users(nullptr);
  begin("ada");
  const std::string bytes = taken();
  EXPECT_NE(bytes.find("C28000"), std::string::npos);
  EXPECT_NE(bytes.find("daedalus user add"), std::string::npos);
}

TEST_F(LoginTest, ThisMachineIsAskedForAPasswordUnlessItIsTrusted) {
  connect();
  send(startup());
  EXPECT_EQ(said().substr(0, 4), "R10 ");
  options_.trusts_loopback = true;
  connect();
  send(startup());
  EXPECT_EQ(said().substr(0, 2), "R|");
}

TEST_F(LoginTest, ClearConnectionsOfOthersCanBeRefused) {
  options_.requires_tls = true;
  begin("ada");
  EXPECT_EQ(said(), "E 28000 connections from 10.0.0.1 must be encrypted");
  connect();
  send(startup());
  EXPECT_EQ(said().substr(0, 4), "R10 ");
}

TEST_F(LoginTest, TheDatabaseIsLookedAtBehindThePassword) {
  connect("10.0.0.1:4000");
  send(startup("flights"));
  EXPECT_EQ(said().substr(0, 4), "R10 ");
  ScramClient client("pencil");
  send(first_message(client));
  const std::string first = said();
  send(message('p', client.final(first.substr(4))));
  EXPECT_EQ(said(), "R12 " + client.expected() + "|R|E 3D000 database \"flights\" does not exist");
}

TEST_F(LoginTest, RefusesWhatIsNoAnswerToItsQuestions) {
  const std::string long_one = message('p', std::string(10'001, 'x'));
  for (const std::string& wrong :
       {message('Q', text("SELECT 1")), message('p', "no zero byte"), message('p', text("SCRAM-SHA-256")),
        message('p', text("SCRAM-SHA-256") + number32(0xffffffff)),
        message('p', text("SCRAM-SHA-256") + number32(100) + "n,,n=,r=abc"), message('p', text("PLAIN") + number32(0)),
        long_one.substr(0, 5), "p\x7f\xff\xff\xff"s}) {
    begin("ada");
    static_cast<void>(taken());
    send(wrong);
    EXPECT_EQ(said().substr(0, 8), "E 08P01 ");
    EXPECT_TRUE(session_->ended());
  }
  begin("ada");
  static_cast<void>(taken());
  send(message('X', ""));
  EXPECT_TRUE(session_->ended());
}

TEST_F(LoginTest, EndsAClientThatDoesNotAnswerInTime) {
  begin("ada");
  static_cast<void>(taken());
  EXPECT_EQ(session_->next_deadline(), after(now_, options_.limits.startup_ns_max));
  EXPECT_EQ(wait_for_verdict().substr(0, 8), "E 08006 ");
}

TEST_F(LoginTest, BoundsTheInputBeforeTheLoginIsDecided) {
  static_cast<void>(try_password("ada", "pen"));
  EXPECT_TRUE(session_->takes_input());
  send(std::string(options_.limits.input_size_max, 'x'));
  EXPECT_FALSE(session_->takes_input());
  EXPECT_EQ(wait_for_verdict().substr(0, 8), "E 28P01 ");
}

TEST_F(LoginTest, AReaderAsksAndDoesNotWrite) {
  static_cast<void>(try_password("ada", "pencil"));
  send(query("SELECT id FROM tickets"));
  answer_rows({1});
  EXPECT_TRUE(said().ends_with("D 1|C SELECT 1|Z I"));
  for (const char* write : {"INSERT INTO tickets VALUES (1)", "UPDATE tickets SET id = 2", "DELETE FROM tickets"}) {
    send(query(write));
    EXPECT_EQ(said(), "E 42501 permission denied for table tickets|Z I") << write;
  }
  EXPECT_TRUE(works_.empty());
}

TEST_F(LoginTest, AWriterWritesUntilTheFileSaysOtherwise) {
  static_cast<void>(try_password("bob", "pencil"));
  send(query("INSERT INTO tickets VALUES (1)"));
  compiled_insert(1);
  answer_confirmed(1);
  EXPECT_EQ(said(), "C INSERT 0 1|Z I");
  set_users({{"bob", Role::kReader}});
  send(query("INSERT INTO tickets VALUES (1)"));
  EXPECT_EQ(said(), "E 42501 permission denied for table tickets|Z I");
  set_users({});
  send(query("SELECT id FROM tickets"));
  EXPECT_EQ(said(), "E 42501 permission denied for table tickets|Z I");
}

TEST_F(LoginTest, ACertificateOfTheUsersNameIsEnough) {
  for (const auto& [name, enters] : {std::pair("ada", true), std::pair("bob", false), std::pair("", false)}) {
    connect("10.0.0.1:4000");
    session_->on_secured({name, ""});
    send(startup());
    EXPECT_EQ(said().substr(0, 2) == "R|", enters) << name;
  }
  set_users({});
  connect("10.0.0.1:4000");
  session_->on_secured({"ada", ""});
  send(startup());
  EXPECT_EQ(said().substr(0, 4), "R10 ");
}

TEST_F(LoginTest, BindsALoginToItsEncryptedConnection) {
  connect("10.0.0.1:4000");
  session_->on_secured({"", "digest of a certificate"});
  send(startup());
  EXPECT_EQ(said(), "R10 SCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0"s);
  ScramClient client("pencil", "abcdef", "p=tls-server-end-point", "digest of a certificate");
  send(first_message(client, "SCRAM-SHA-256-PLUS"));
  const std::string first = said();
  send(message('p', client.final(first.substr(4))));
  EXPECT_EQ(said().substr(0, 4), "R12 ");
}

}  // namespace
}  // namespace daedalus::postgres::testing
