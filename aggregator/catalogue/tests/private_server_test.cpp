// A real PostgreSQL, kept by a PrivateServer, and what nobody may do with it: texts go to it straight, as if nothing
// had looked at them before. Skipped where it is not installed.
#include "daedalus/catalogue/private_server.hpp"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>

#include "link.hpp"

namespace daedalus::catalogue {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Kind = ServerState::Kind;

constexpr const char* kPrograms = "/usr/lib/postgresql/15/bin";
constexpr std::chrono::seconds kPatience(120);

semantics::Schema server_schema() {
  semantics::Schema made;
  made.table_name = "tickets";
  made.columns = {{"id", {semantics::TypeKind::kBigint}, false, std::nullopt},
                  {"code", {semantics::TypeKind::kChar, 0, 0, 3}, true, std::string("ab")}};
  made.primary_key = {0};
  return made;
}

/// A folder that PostgreSQL's user may enter, too.
class Folder {
 public:
  Folder() {
    char name[] = "/tmp/daedalus-keeper-test-XXXXXX";
    path_ = mkdtemp(name);
    chmod(name, 0755);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string data() const { return path_ + "/catalogue"; }

 private:
  std::string path_;
};

/// Keeps what a private server says, for a thread that waits for it.
class States {
 public:
  void add(const ServerState& state) {
    const std::lock_guard lock(mutex_);
    all_.push_back(state);
    wake_.notify_all();
  }
  /// The first of this kind from the `from`-th on; what came last where none comes.
  ServerState wait_for(Kind kind, size_t from = 0) {
    std::unique_lock lock(mutex_);
    size_t at = from;
    wake_.wait_for(lock, kPatience, [&] {
      for (at = from; at < all_.size(); ++at) {
        if (all_[at].kind == kind) {
          return true;
        }
      }
      return false;
    });
    return at < all_.size() ? all_[at] : ServerState{Kind::kOff, "nothing came", {}, 0};
  }
  size_t count() {
    const std::lock_guard lock(mutex_);
    return all_.size();
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<ServerState> all_;
};

PrivateServerOptions options(const Folder& folder) {
  return {kPrograms, folder.data(), "postgres", server_schema().table_name, make_script(server_schema()), false};
}

/// One connection, which waits for what it has asked.
class Client final : public LinkOwner {
 public:
  explicit Client(const std::string& socket) : link_(*this, rpc::PeerId{1}, {std::string(kReaderRole), "tickets"}, {}) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    socket.copy(address.sun_path, sizeof(address.sun_path) - 1);
    socket_ = ::socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
      link_.on_lost(strerror(errno));
    }
    while (!link_.is_idle() && !link_.ended() && turn()) {
    }
  }
  ~Client() override { close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  Outcome ask(Statement statement) {
    outcome_ = Failure{rejected("08000", "no connection"), {}};
    if (link_.is_idle()) {
      statement.timeout_ns = statement.timeout_ns == 0 ? 30 * kSecond : statement.timeout_ns;
      link_.run(statement, {});
      while (!link_.is_idle() && !link_.ended() && turn()) {
      }
    }
    return std::move(outcome_);
  }
  /// The values of the only column, or the error: "42501 permission denied".
  std::string ask(const std::string& sql, int64_t timeout_ns = 0) {
    Statement statement;
    statement.sql = sql;
    statement.timeout_ns = timeout_ns;
    const Outcome outcome = ask(std::move(statement));
    if (const auto* failure = std::get_if<Failure>(&outcome)) {
      return failure->error.sqlstate + " " + failure->error.message;
    }
    std::string values;
    const std::string& rows = std::get<Answer>(outcome).rows;
    for (size_t at = 0; at < rows.size();) {
      uint64_t count = 1;
      const size_t end = end_of_rows(rows, at, count);
      values += (values.empty() ? "" : "|") + rows.substr(std::min(at + 11, end), end - std::min(at + 11, end));
      at = end;
    }
    return values;
  }

 private:
  /// Sends what is to be sent, and waits for what comes.
  bool turn() {
    while (link_.has_output()) {
      const std::string piece = link_.take_output({});
      link_.on_written(piece.size(), {});
      if (send(socket_, piece.data(), piece.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(piece.size())) {
        break;
      }
    }
    char bytes[65536];
    const ssize_t size = recv(socket_, bytes, sizeof(bytes), 0);
    if (size > 0) {
      link_.on_bytes(std::string_view(bytes, static_cast<size_t>(size)), {});
    } else {
      link_.on_lost("the server has closed the connection");
    }
    link_.deliver([](const char* /*event*/) { return false; });
    return size > 0;
  }
  void on_link_outcome(rpc::PeerId /*link*/, Outcome&& outcome) override { outcome_ = std::move(outcome); }
  void on_link_idle(rpc::PeerId /*link*/) override {}
  void on_link_over(rpc::PeerId /*link*/, const std::string& /*reason*/) override {}

  Link link_;
  int socket_ = -1;
  Outcome outcome_;
};

/// One server for all tests of what may be asked of it.
class CatalogueServerTest : public ::testing::Test {
 protected:
  struct Running {
    Folder folder;
    States states;
    std::unique_ptr<PrivateServer> private_server;
    ServerState state;
  };
  static void TearDownTestSuite() { running_.reset(); }
  void SetUp() override {
    if (const auto missing = what_is_missing(kPrograms)) {
      GTEST_SKIP() << *missing;
    }
    if (running_ == nullptr) {
      running_ = std::make_unique<Running>();
      running_->private_server = std::make_unique<PrivateServer>(
          options(running_->folder), [states = &running_->states](const ServerState& state) { states->add(state); });
      running_->state = running_->states.wait_for(Kind::kRunning);
    }
    ASSERT_EQ(running_->state.kind, Kind::kRunning) << running_->state.reason;
    client_ = std::make_unique<Client>(running_->state.socket);
  }

  static std::unique_ptr<Running> running_;
  std::unique_ptr<Client> client_;
};
std::unique_ptr<CatalogueServerTest::Running> CatalogueServerTest::running_;

TEST_F(CatalogueServerTest, HoldsOneDatabaseWithTheTableAndOneWithoutAndNoRow) {
  EXPECT_EQ(client_->ask("SELECT string_agg(datname, ',' ORDER BY datname) FROM pg_database"), "postgres,tickets");
  EXPECT_EQ(client_->ask("SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod) || ' ' || attnotnull, "
                         "',' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'tickets'::regclass AND attnum > 0"),
            "id bigint true,code character(3) false");
  EXPECT_EQ(client_->ask("SELECT constraint_name FROM information_schema.table_constraints WHERE constraint_type = "
                         "'PRIMARY KEY'"),
            "tickets_pkey");
  EXPECT_EQ(client_->ask("SELECT 'tickets'::regclass::oid"), std::to_string(running_->state.table));
  EXPECT_GE(running_->state.table, 16384u);
  EXPECT_EQ(client_->ask("SELECT count(*) FROM tickets"), "0");
}

TEST_F(CatalogueServerTest, ParametersAndFormatsAreThoseOfTheProtocol) {
  Statement described;
  described.sql = "SELECT relname, $1::int4 FROM pg_class WHERE oid = $2";
  described.is_described_only = true;
  const Outcome outcome = client_->ask(described);
  ASSERT_TRUE(std::holds_alternative<Answer>(outcome)) << std::get<Failure>(outcome).error.message;
  EXPECT_EQ(std::get<Answer>(outcome).parameter_types, (std::vector<uint32_t>{23, 26}));
  EXPECT_EQ(column_count(std::get<Answer>(outcome).columns), 2u);
  Statement bound;
  bound.sql = "SELECT $1::int4";
  bound.parameters = {"258"};
  bound.parameter_formats = {0};
  bound.result_formats = {1};
  const Outcome binary = client_->ask(bound);
  EXPECT_EQ(std::get<Answer>(binary).rows, std::string("D\0\0\0\x0e\0\1\0\0\0\4\0\0\1\2", 15));
}

TEST_F(CatalogueServerTest, SettingsLastForOneStatement) {
  Statement statement;
  statement.sql = "SHOW search_path";
  statement.settings = {{"search_path", "pg_catalog, \"it's\""}, {"timezone", "Asia/Tokyo"}};
  statement.sql = "SELECT current_setting('search_path') || ' ' || current_setting('TimeZone')";
  const Outcome outcome = client_->ask(statement);
  EXPECT_THAT(std::get<Answer>(outcome).rows, HasSubstr("pg_catalog, \"it's\" Asia/Tokyo"));
  EXPECT_EQ(client_->ask("SELECT current_setting('TimeZone')"), "UTC");
  statement.settings = {{"timezone", "Nowhere"}};
  EXPECT_EQ(std::get<Failure>(client_->ask(statement)).error.sqlstate, "22023");
  EXPECT_EQ(client_->ask("SELECT 1"), "1");
}

// ---- attacks ----

TEST_F(CatalogueServerTest, NothingIsWritten) {
  EXPECT_THAT(client_->ask("INSERT INTO tickets VALUES (1)"), HasSubstr("25006"));
  EXPECT_THAT(client_->ask("CREATE TABLE mine (id int)"), HasSubstr("25006"));
  EXPECT_THAT(client_->ask("DROP TABLE tickets"), HasSubstr("25006"));
  EXPECT_THAT(client_->ask("SELECT * INTO mine FROM pg_class"), HasSubstr("25006"));
  EXPECT_THAT(client_->ask("SELECT lo_create(0)"), HasSubstr("42501"));
  EXPECT_THAT(client_->ask("SELECT lo_from_bytea(0, 'x')"), HasSubstr("42501"));
  EXPECT_THAT(client_->ask("SELECT txid_current()"), HasSubstr("42501"));
}

TEST_F(CatalogueServerTest, SetConfigDoesNotLeadOutOfReadOnly) {
  EXPECT_THAT(client_->ask("SELECT set_config('transaction_read_only', 'off', true)"), HasSubstr("42501"));
  EXPECT_THAT(client_->ask("SELECT pg_catalog.set_config('role', 'postgres', false)"), HasSubstr("42501"));
  EXPECT_THAT(client_->ask("SET ROLE postgres"), HasSubstr("42501"));
  EXPECT_THAT(client_->ask("SELECT 1; DROP TABLE tickets"), HasSubstr("42601"));
}

TEST_F(CatalogueServerTest, AdvisoryLocksAreNotTaken) {
  EXPECT_THAT(client_->ask("SELECT pg_advisory_lock(1)"), HasSubstr("42501"));
  EXPECT_THAT(client_->ask("SELECT pg_try_advisory_xact_lock(1)"), HasSubstr("42501"));
}

TEST_F(CatalogueServerTest, MemoryIsBounded) {
  EXPECT_THAT(client_->ask("SELECT length(repeat('x', 500000000))"), HasSubstr("53200"));
  EXPECT_EQ(client_->ask("SELECT length(repeat('x', 1000))"), "1000");
  EXPECT_THAT(client_->ask("SELECT repeat('x', 1000000) FROM generate_series(1, 100)"), HasSubstr("54000"));
}

TEST_F(CatalogueServerTest, DiskIsBounded) {
  EXPECT_THAT(client_->ask("SELECT count(*) FROM (SELECT g, repeat('x', 200) FROM generate_series(1, 2000000) g "
                           "ORDER BY 2, 1 DESC OFFSET 1) q"),
              HasSubstr("53400"));
}

TEST_F(CatalogueServerTest, NobodySleepsAndTimeIsBounded) {
  EXPECT_THAT(client_->ask("SELECT pg_sleep(100)"), HasSubstr("42501"));
  EXPECT_EQ(client_->ask("SELECT count(*) FROM pg_proc a, pg_proc b, pg_proc c, pg_proc d", kSecond / 2),
            "57014 canceling statement due to statement timeout");
}

TEST_F(CatalogueServerTest, FilesAndProgramsAreOutOfReach) {
  EXPECT_THAT(client_->ask("SELECT pg_read_file('/etc/passwd')"), HasSubstr("42501"));
  EXPECT_THAT(client_->ask("SELECT * FROM pg_ls_dir('/')"), HasSubstr("42501"));
  EXPECT_THAT(client_->ask("COPY pg_class TO PROGRAM 'cat'"), HasSubstr("42501"));
  EXPECT_THAT(client_->ask("COPY tickets FROM '/etc/passwd'"), HasSubstr("42501"));
  EXPECT_THAT(client_->ask("DO $$BEGIN PERFORM 1; END$$ LANGUAGE plpgsql"), HasSubstr("42501"));
}

TEST_F(CatalogueServerTest, TextsAreNotRunByFunctions) {
  EXPECT_THAT(client_->ask("SELECT query_to_xml('SELECT 1', true, true, '')"), HasSubstr("42501"));
  EXPECT_THAT(client_->ask("SELECT table_to_xml('tickets', true, true, '')"), HasSubstr("42501"));
  EXPECT_THAT(client_->ask("SELECT ts_stat('SELECT 1')"), HasSubstr("42501"));
}

TEST_F(CatalogueServerTest, OthersStatementsAreNeitherSeenNorEnded) {
  EXPECT_EQ(client_->ask("SELECT query FROM pg_stat_activity"), "");
  EXPECT_THAT(client_->ask("SELECT * FROM pg_stat_get_activity(NULL)"), HasSubstr("42501"));
  EXPECT_THAT(client_->ask("SELECT pg_cancel_backend(1)"), HasSubstr("42501"));
  EXPECT_THAT(client_->ask("SELECT pg_terminate_backend(1)"), HasSubstr("42501"));
  EXPECT_EQ(client_->ask("SELECT pid::text FROM pg_locks"), "");
  EXPECT_THAT(client_->ask("SELECT * FROM pg_user_mappings"), HasSubstr("42501"));
  EXPECT_THAT(client_->ask("SELECT * FROM pg_authid"), HasSubstr("42501"));
  EXPECT_THAT(client_->ask("SELECT pg_notify('a', 'b')"), HasSubstr("42501"));
}

TEST_F(CatalogueServerTest, ViewsOfClientsShowThoseThatTheStatementBrings) {
  Statement statement;
  statement.settings = {{std::string(kBackendSetting), "7"},
                        {std::string(kSessionsSetting),
                         R"([{"pid":7,"datname":"tickets","state":"it's"},{"pid":8,"datname":"postgres"}])"}};
  const auto ask = [&](const std::string& sql) {
    statement.sql = sql;
    const Outcome outcome = client_->ask(statement);
    const auto* const answer = std::get_if<Answer>(&outcome);
    return answer == nullptr ? std::get<Failure>(outcome).error.message : answer->rows;
  };
  EXPECT_THAT(ask("SELECT state FROM pg_stat_activity WHERE pid = pg_backend_pid() AND datid > 0"), HasSubstr("it's"));
  EXPECT_THAT(ask("SELECT string_agg(pid::text, '+') FROM pg_stat_activity"), HasSubstr("7+8"));
  EXPECT_THAT(ask("SELECT 'n' || numbackends FROM pg_stat_database WHERE datname = 'tickets'"), HasSubstr("n1"));
  EXPECT_EQ(client_->ask("SELECT pid::text FROM pg_stat_activity"), "");  // They are that statement's alone.
}

TEST_F(CatalogueServerTest, NobodyElseComesIn) {
  struct stat socket {};
  ASSERT_EQ(stat(fs::path(running_->state.socket).parent_path().c_str(), &socket), 0);
  EXPECT_EQ(socket.st_mode & 0777, 0700u);
  struct stat data {};
  ASSERT_EQ(stat(running_->folder.data().c_str(), &data), 0);
  EXPECT_EQ(data.st_mode & 0777, 0700u);
}

// ---- the private server ----

class PrivateServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto missing = what_is_missing(kPrograms)) {
      GTEST_SKIP() << *missing;
    }
  }
  void start(PrivateServerOptions with) {
    private_server_ =
        std::make_unique<PrivateServer>(std::move(with), [this](const ServerState& state) { states_.add(state); });
  }
  [[nodiscard]] pid_t server() const {
    std::ifstream file(folder_.data() + "/current/postmaster.pid");
    pid_t process = 0;
    file >> process;
    return process;
  }

  Folder folder_;
  States states_;
  std::unique_ptr<PrivateServer> private_server_;
};

TEST_F(PrivateServerTest, AServerThatDiesIsStartedAgainWithItsDataAndStopsWithItsKeeper) {
  start(options(folder_));
  const ServerState first = states_.wait_for(Kind::kRunning);
  ASSERT_EQ(first.kind, Kind::kRunning) << first.reason;
  const pid_t killed = server();
  const auto made = fs::last_write_time(folder_.data() + "/current/daedalus.sql");
  ASSERT_GT(killed, 1);
  kill(killed, SIGKILL);
  const ServerState again = states_.wait_for(Kind::kStarting, 2);
  EXPECT_THAT(again.reason, HasSubstr("signal 9"));
  const ServerState second = states_.wait_for(Kind::kRunning, 2);
  ASSERT_EQ(second.kind, Kind::kRunning) << second.reason;
  EXPECT_EQ(first.table, kTableOid);
  EXPECT_EQ(second.table, kTableOid);
  EXPECT_EQ(Client(second.socket).ask("SELECT 1"), "1");
  EXPECT_EQ(fs::last_write_time(folder_.data() + "/current/daedalus.sql"), made);
  const pid_t running = server();
  private_server_.reset();
  EXPECT_NE(kill(running, 0), 0);
  EXPECT_FALSE(fs::exists(fs::path(second.socket).parent_path()));
}

TEST_F(PrivateServerTest, AnotherSchemaGivesOtherDataAndTheSameOneTheSameNumbers) {
  start(options(folder_));
  const ServerState first = states_.wait_for(Kind::kRunning);
  ASSERT_EQ(first.kind, Kind::kRunning) << first.reason;
  private_server_.reset();
  semantics::Schema other = server_schema();
  other.columns.push_back({"more", {semantics::TypeKind::kInt}, true, std::nullopt});
  PrivateServerOptions changed = options(folder_);
  changed.script = make_script(other);
  size_t seen = states_.count();
  start(changed);
  const ServerState second = states_.wait_for(Kind::kRunning, seen);
  ASSERT_EQ(second.kind, Kind::kRunning) << second.reason;
  EXPECT_EQ(Client(second.socket)
                .ask("SELECT count(*) FROM pg_attribute WHERE attrelid = 'tickets'::regclass AND "
                     "attnum > 0"),
            "3");
  EXPECT_EQ(second.table, first.table);
  private_server_.reset();
  fs::remove_all(folder_.data() + "/current");
  seen = states_.count();
  start(options(folder_));
  EXPECT_EQ(states_.wait_for(Kind::kRunning, seen).table, first.table);
}

TEST_F(PrivateServerTest, SaysWhyItCannotStart) {
  PrivateServerOptions nowhere = options(folder_);
  nowhere.programs = "/nowhere";
  start(nowhere);
  EXPECT_EQ(states_.wait_for(Kind::kMissing).reason, "there is no PostgreSQL in /nowhere");
  private_server_.reset();
  std::ofstream(folder_.data()) << "a file";
  start(options(folder_));
  EXPECT_THAT(states_.wait_for(Kind::kFailed).reason, HasSubstr("is not a folder"));
  private_server_.reset();
  fs::remove(folder_.data());
  PrivateServerOptions broken = options(folder_);
  broken.script.in_database = "SELECT nothing;\n\n";
  const size_t seen = states_.count();
  start(broken);
  EXPECT_THAT(states_.wait_for(Kind::kFailed, seen).reason, HasSubstr("does not exist"));
}

}  // namespace
}  // namespace daedalus::catalogue
