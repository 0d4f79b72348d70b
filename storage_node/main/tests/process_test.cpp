// The real program: what it prints, how it ends, and one conversation over a real socket.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "child_process.hpp"
#include "daedalus/contract/features.hpp"
#include "daedalus/contract/translate.hpp"
#include "daedalus/semantics/packed.hpp"
#include "daedalus/semantics/placement.hpp"
#include "node_client.hpp"

namespace daedalus::node {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

/// A socket that listens on a free port of the loopback interface, so that nobody else can.
class TakenPort {
 public:
  TakenPort() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(socket_, generic, sizeof(address)), 0);
    EXPECT_EQ(::listen(socket_, 1), 0);
    socklen_t size = sizeof(address);
    EXPECT_EQ(::getsockname(socket_, generic, &size), 0);
    endpoint_ = fmt::format("127.0.0.1:{}", ::ntohs(address.sin_port));
  }
  ~TakenPort() { release(); }
  TakenPort(const TakenPort&) = delete;
  TakenPort& operator=(const TakenPort&) = delete;

  void release() {
    if (socket_ >= 0) {
      ::close(socket_);
      socket_ = -1;
    }
  }
  [[nodiscard]] const std::string& endpoint() const { return endpoint_; }

 private:
  int socket_;
  std::string endpoint_;
};

class StorageNodeProcessTest : public testing::Test {
 protected:
  StorageNodeProcessTest() {
    std::string pattern = testing::TempDir() + "daedalus-node-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    std::ofstream(folder_ + "/cluster.toml") << fmt::format(R"(cluster_id = "test"
schema_library = "{}"
[partition_map]
version = 1
distribution = "hash"
columns = ["id"]
segment_distribution = "round_robin"
segment_columns = []
[[partition_map.partitions]]
nodes = [0]
[[nodes]]
id = 0
endpoint = "{}"
)",
                                                            DAEDALUS_COUNTERS_SCHEMA, port_.endpoint());
    write_node("");
  }
  ~StorageNodeProcessTest() override { std::filesystem::remove_all(folder_); }

  void write_node(const std::string& more, const std::string& memory = "segments = 2\nsegment_mib = 1\n",
                  const std::string& durability = "off") {
    std::ofstream(config()) << fmt::format(R"(cluster = "cluster.toml"
node = 0
listen = "{}"
data_dir = "data/node-0"
cores = []
durability = "{}"
{}{})",
                                           port_.endpoint(), durability, memory, more);
  }
  void make_durable(const std::string& durability, const std::string& more = "") {
    write_node(more, "segments = 2\nsegment_mib = 1\n", durability);
  }

  [[nodiscard]] std::string config() const { return folder_ + "/storage_node.toml"; }

  std::unique_ptr<ChildProcess> start(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), DAEDALUS_STORAGE_NODE);
    return std::make_unique<ChildProcess>(arguments, fmt::format("{}/output-{}", folder_, ++processes_));
  }

  TakenPort port_;
  std::string folder_;
  int processes_ = 0;
};

TEST_F(StorageNodeProcessTest, SaysItsVersion) {
  const auto process = start({"--version"});
  EXPECT_EQ(process->wait_for_end(), 0);
  EXPECT_THAT(process->text(), MatchesRegex("daedalus-storage-node " DAEDALUS_VERSION
                                            ", commit ([0-9a-f]+\\+?|unknown), (release|asan|tsan) build\n"));
}

TEST_F(StorageNodeProcessTest, WantsSomethingToDo) {
  for (const auto& arguments : {std::vector<std::string>{}, {"--config"}, {"--nonsense"}, {"--config", "a", "b"}}) {
    EXPECT_EQ(start(arguments)->wait_for_end(), 2);
  }
}

TEST_F(StorageNodeProcessTest, ChecksItsConfigurationAndStartsNothing) {
  const auto good = start({"--check-config", config()});
  EXPECT_EQ(good->wait_for_end(), 0) << good->text();
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/data"));

  write_node("spin = true\n");
  const auto bad = start({"--check-config", config()});
  EXPECT_EQ(bad->wait_for_end(), 2);
  EXPECT_EQ(bad->text(), fmt::format("daedalus-storage-node: {}: spin: is not a known key; remove it, or correct its "
                                     "spelling\n",
                                     config()));
}

TEST_F(StorageNodeProcessTest, DeclaresItsCapacityAndRefusesOneThatMakesNoSense) {
  write_node("share_factor = 32\nupdates_per_cycle = 8\ncycle_ms_target = 0\n");
  EXPECT_EQ(start({"--check-config", config()})->wait_for_end(), 0);
  write_node("share_factor = 0\n");
  EXPECT_EQ(start({"--check-config", config()})->wait_for_end(), 2);
  write_node("cycle_ms_target = \"fast\"\n");
  EXPECT_EQ(start({"--check-config", config()})->wait_for_end(), 2);
}

TEST_F(StorageNodeProcessTest, TakesAWindowOfAMebibyteAtLeast) {
  write_node("window_mib = 1\n");
  EXPECT_EQ(start({"--check-config", config()})->wait_for_end(), 0);
  for (const char* wrong : {"window_mib = 0\n", "window_mib = 1048577\n"}) {
    write_node(wrong);
    const auto process = start({"--check-config", config()});
    EXPECT_EQ(process->wait_for_end(), 2);
    EXPECT_THAT(process->text(), HasSubstr("window_mib"));
  }
}

TEST_F(StorageNodeProcessTest, RefusesSegmentsThatNeverFitIntoTheMemoryOfTheHost) {
  write_node("", "segments = 1024\nsegment_mib = 1048576\n");
  for (const char* option : {"--check-config", "--config"}) {
    const auto process = start({option, config()});
    EXPECT_EQ(process->wait_for_end(), 2);
    EXPECT_THAT(process->text(), HasSubstr("1024 segments take "));
    EXPECT_THAT(process->text(), HasSubstr("stay free for answers and the system; set segment_mib and window_mib to "));
  }
}

TEST_F(StorageNodeProcessTest, RefusesASchemaLibraryThatIsNone) {
  std::string cluster = folder_ + "/cluster.toml";
  std::ofstream(folder_ + "/none.so") << "not a library";
  std::string content;
  {
    std::ifstream in(cluster);
    content.assign(std::istreambuf_iterator<char>(in), {});
  }
  const std::string library = DAEDALUS_COUNTERS_SCHEMA;
  content.replace(content.find(library), library.size(), "none.so");
  std::ofstream(cluster) << content;
  const auto process = start({"--config", config()});
  EXPECT_EQ(process->wait_for_end(), 2);
  EXPECT_THAT(process->text(), HasSubstr("none.so"));
}

TEST_F(StorageNodeProcessTest, GivesUpWithOneErrorWhenThePortIsTaken) {
  const auto process = start({"--config", config()});
  EXPECT_EQ(process->wait_for_end(), 1);
  EXPECT_THAT(process->text(), HasSubstr("daedalus-storage-node: "));
  EXPECT_THAT(process->text(), HasSubstr(port_.endpoint()));
  EXPECT_THAT(process->text(), testing::Not(HasSubstr("ready")));
}

TEST_F(StorageNodeProcessTest, GivesUpWhenItsEpochFileIsDamaged) {
  port_.release();
  std::filesystem::create_directories(folder_ + "/data/node-0");
  std::ofstream(folder_ + "/data/node-0/epoch") << "0123456789abcdef\nrubbish";
  const auto process = start({"--config", config()});
  EXPECT_EQ(process->wait_for_end(), 1);
  EXPECT_THAT(process->text(), HasSubstr("data/node-0/epoch: is damaged"));
}

std::string epoch_body(uint64_t epoch = 3, uint64_t kept_from = 0) {
  wire::v1::EpochBody body;
  body.set_epoch(epoch);
  body.set_holder("w");
  body.set_endpoint("127.0.0.1:1");
  body.set_kept_from(kept_from);
  return body.SerializeAsString();
}

std::string insert_body(int64_t first, int64_t last) {
  const std::vector<semantics::Type> types = {semantics::Type{semantics::TypeKind::kInt, 0, 0, 0}};
  wire::v1::UpdateBody body;
  auto* insert = body.add_parts()->mutable_insert();
  for (int64_t id = first; id <= last; ++id) {
    const std::vector<semantics::Value> values = {id};
    semantics::append_packed_row(types, values, *insert->mutable_rows());
  }
  insert->set_row_count(static_cast<uint32_t>(last - first + 1));
  return body.SerializeAsString();
}

std::string count_body() {
  wire::v1::SelectBody body;
  auto* output = body.add_outputs();
  output->set_name("count");
  output->mutable_aggregate()->set_function(wire::v1::AGGREGATE_FUNCTION_COUNT_ROWS);
  body.set_visible_outputs(1);
  body.set_form(wire::v1::RESULT_FORM_PARTIAL);
  return body.SerializeAsString();
}

wire::v1::Result update(NodeClient& client, uint64_t epoch, uint64_t timestamp, int64_t rows = 10) {
  const auto first = static_cast<int64_t>(timestamp * 1000);
  const std::string body = insert_body(first, first + rows - 1);
  wire::v1::UpdateHeader header;
  header.set_epoch(epoch);
  header.set_timestamp(timestamp);
  header.set_digest(semantics::digest(body));
  return client.ask(wire::v1::OPERATION_KIND_UPDATE, body, &header).at(0);
}

int64_t rows_of(NodeClient& client) {
  const auto counted = client.ask(wire::v1::OPERATION_KIND_SELECT, count_body());
  EXPECT_TRUE(counted.at(0).has_rows()) << counted[0].ShortDebugString();
  const std::vector<semantics::Type> types = {semantics::Type{semantics::TypeKind::kBigint, 0, 0, 0}};
  const auto values = semantics::read_packed_row(types, std::string_view(counted[0].rows().rows()).substr(4));
  return std::get<int64_t>(values.value().front());
}

TEST_F(StorageNodeProcessTest, ADurableNodeThatIsKilledComesBackWithAllThatWasConfirmed) {
  port_.release();
  make_durable("sync");
  ASSERT_EQ(start({"--init", config()})->wait_for_end(), 0);
  for (uint64_t life = 1; life <= 4; ++life) {
    const auto process = start({"--config", config()});
    ASSERT_TRUE(process->wait_for(" ready\n")) << process->text();
    NodeClient client(port_.endpoint());
    EXPECT_EQ(rows_of(client), static_cast<int64_t>(life - 1) * 50);
    const uint64_t first = (life - 1) * 5 + 1;
    if (life > 1) {
      const auto refused = update(client, life - 1, first);
      EXPECT_EQ(refused.refused().reason(), wire::v1::WRITE_REFUSAL_NEW_INCARNATION) << refused.ShortDebugString();
    }
    const auto granted = client.ask(wire::v1::OPERATION_KIND_EPOCH, epoch_body(life)).at(0).epoch();
    ASSERT_TRUE(granted.granted());
    EXPECT_EQ(granted.accepted(0).durable(), first - 1);
    EXPECT_NE(granted.accepted(0).incarnation(), 0u);
    for (uint64_t t = first; t < first + 5; ++t) {
      const auto confirmed = update(client, life, t);
      ASSERT_TRUE(confirmed.has_confirmed()) << confirmed.ShortDebugString();
      EXPECT_EQ(confirmed.confirmed().watermarks(0).durable(), t);
    }
    // One of an earlier life is known by what it was.
    EXPECT_EQ(update(client, life, 1).confirmed().outcomes(0).rows_applied(), 10u);
    process->signal(SIGKILL);
    EXPECT_EQ(process->wait_for_end(), -SIGKILL);
  }
}

TEST_F(StorageNodeProcessTest, ANodeThatIsIncompleteStaysSoWhenItIsKilled) {
  port_.release();
  make_durable("sync");
  ASSERT_EQ(start({"--init", config()})->wait_for_end(), 0);
  for (uint64_t life = 1; life <= 3; ++life) {
    const auto process = start({"--config", config()});
    ASSERT_TRUE(process->wait_for(" ready\n")) << process->text();
    NodeClient client(port_.endpoint());
    if (life == 1) {
      ASSERT_TRUE(client.ask(wire::v1::OPERATION_KIND_EPOCH, epoch_body(life, 5)).at(0).epoch().granted());
    } else {
      EXPECT_THAT(process->text(), HasSubstr("has updates up to 0, and writer \"w\" kept those from 5 on"));
    }
    EXPECT_EQ(client.ask(wire::v1::OPERATION_KIND_SELECT, count_body()).at(0).error().sqlstate(), "55000") << life;
    process->signal(SIGKILL);
    EXPECT_EQ(process->wait_for_end(), -SIGKILL);
  }
  const auto checked = start({"--check-data", config()});
  EXPECT_EQ(checked->wait_for_end(), 0);
  EXPECT_THAT(checked->text(), HasSubstr("epoch 1 is held by \"w\" at 127.0.0.1:1, who kept updates from 5 on"));
}

TEST_F(StorageNodeProcessTest, ACheckpointTakesThePlaceOfTheLogAndANodeComesBackFromBoth) {
  port_.release();
  make_durable("sync", "checkpoint_log_mib = 1\n");
  ASSERT_EQ(start({"--init", config()})->wait_for_end(), 0);
  int64_t rows = 0;
  uint64_t timestamp = 0;
  for (uint64_t life = 1; life <= 3; ++life) {
    const auto process = start({"--config", config()});
    ASSERT_TRUE(process->wait_for(" ready\n")) << process->text();
    NodeClient client(port_.endpoint());
    EXPECT_EQ(rows_of(client), rows);
    ASSERT_TRUE(client.ask(wire::v1::OPERATION_KIND_EPOCH, epoch_body(life)).at(0).epoch().granted());
    // More than there is room for: what is refused has to come out the same again.
    uint64_t checkpoint = 0;
    const uint64_t checkpoint_before = client.ask(wire::v1::OPERATION_KIND_STATUS).at(0).status().nodes(0).checkpoint();
    for (int i = 0; i < 4000 && checkpoint <= checkpoint_before; ++i) {
      const auto confirmed = update(client, life, ++timestamp, 200);
      ASSERT_TRUE(confirmed.has_confirmed()) << confirmed.ShortDebugString();
      rows += static_cast<int64_t>(confirmed.confirmed().outcomes(0).rows_applied());
      checkpoint = client.ask(wire::v1::OPERATION_KIND_STATUS).at(0).status().nodes(0).checkpoint();
    }
    EXPECT_GT(checkpoint, checkpoint_before) << process->text();
    process->signal(SIGKILL);
    EXPECT_EQ(process->wait_for_end(), -SIGKILL);
  }
  const auto process = start({"--config", config()});
  ASSERT_TRUE(process->wait_for("rows from the checkpoint")) << process->text();
  NodeClient client(port_.endpoint());
  EXPECT_EQ(rows_of(client), rows);
  // The last is remembered, though its rows are in the checkpoint.
  ASSERT_TRUE(client.ask(wire::v1::OPERATION_KIND_EPOCH, epoch_body(4)).at(0).epoch().granted());
  EXPECT_FALSE(update(client, 4, timestamp, 200).confirmed().outcome_forgotten());
}

TEST_F(StorageNodeProcessTest, AnEmptyOrForeignDirectoryIsNeverTakenForAFirstStart) {
  port_.release();
  make_durable("sync");
  const auto empty = start({"--config", config()});
  EXPECT_EQ(empty->wait_for_end(), 1);
  EXPECT_THAT(empty->text(),
              HasSubstr("is not the data directory of a storage node; if this node never had any data, "));
  EXPECT_EQ(start({"--check-data", config()})->wait_for_end(), 1);
  EXPECT_EQ(start({"--init", config()})->wait_for_end(), 0);
  EXPECT_EQ(start({"--check-data", config()})->wait_for_end(), 0);
  const auto again = start({"--init", config()});
  EXPECT_EQ(again->wait_for_end(), 1);
  EXPECT_THAT(again->text(), HasSubstr("is not empty"));
  write_node("", "segments = 3\nsegment_mib = 1\n", "sync");
  const auto other = start({"--config", config()});
  EXPECT_EQ(other->wait_for_end(), 1);
  EXPECT_THAT(other->text(), HasSubstr("its data is of segments: 2, the node is configured for 3"));
  const auto checked = start({"--check-data", config()});
  EXPECT_EQ(checked->wait_for_end(), 1);
  EXPECT_THAT(checked->text(), HasSubstr("its data is of segments: 2, the node is configured for 3"));
}

TEST_F(StorageNodeProcessTest, TwoProcessesNeverWorkOnOneDirectory) {
  port_.release();
  const auto process = start({"--config", config()});
  ASSERT_TRUE(process->wait_for(" ready\n")) << process->text();
  TakenPort other;
  other.release();
  std::ofstream(folder_ + "/other.toml") << fmt::format(
      "cluster = \"cluster.toml\"\nnode = 0\nlisten = \"{}\"\ndata_dir = \"data/node-0\"\ncores = []\n"
      "durability = \"off\"\nsegments = 2\nsegment_mib = 1\n",
      other.endpoint());
  const auto second = start({"--config", folder_ + "/other.toml"});
  EXPECT_EQ(second->wait_for_end(), 1);
  EXPECT_THAT(second->text(), HasSubstr("another process works with this data directory"));
}

TEST_F(StorageNodeProcessTest, AsyncConfirmsAtOnceAndIsDurableWithinItsTime) {
  port_.release();
  make_durable("async", "sync_ms = 200\n");
  ASSERT_EQ(start({"--init", config()})->wait_for_end(), 0);
  const auto process = start({"--config", config()});
  ASSERT_TRUE(process->wait_for(" ready\n")) << process->text();
  NodeClient client(port_.endpoint());
  ASSERT_TRUE(client.ask(wire::v1::OPERATION_KIND_EPOCH, epoch_body(1)).at(0).epoch().granted());
  const auto confirmed = update(client, 1, 1);
  ASSERT_TRUE(confirmed.has_confirmed());
  EXPECT_EQ(confirmed.confirmed().watermarks(0).applied(), 1u);
  EXPECT_EQ(confirmed.confirmed().watermarks(0).durable(), 0u);
  uint64_t durable = 0;
  for (int i = 0; i < 3000 && durable == 0; ++i) {
    durable = client.ask(wire::v1::OPERATION_KIND_STATUS).at(0).status().nodes(0).durable();
  }
  EXPECT_EQ(durable, 1u);
}

TEST_F(StorageNodeProcessTest, AVoidNodeEndsEveryQueryAtOnceWithoutRowsAndWithItsStamps) {
  port_.release();
  const auto process = start({"--void", "--config", config()});
  ASSERT_TRUE(process->wait_for("ready")) << process->text();
  EXPECT_THAT(process->text(), HasSubstr("a void node"));
  NodeClient client(port_.endpoint());
  EXPECT_TRUE(client.ask(wire::v1::OPERATION_KIND_DESCRIBE).at(0).has_described());
  EXPECT_TRUE(client.ask(wire::v1::OPERATION_KIND_EPOCH, epoch_body()).at(0).epoch().granted());
  for (const std::string& body : {count_body(), std::string("no body of a query")}) {
    const auto answered = client.ask(wire::v1::OPERATION_KIND_SELECT, body);
    ASSERT_EQ(answered.size(), 1u);
    ASSERT_TRUE(answered[0].has_end());
    EXPECT_EQ(answered[0].end().row_count(), 0u);
    ASSERT_EQ(answered[0].end().stamps_size(), 2);
    for (int segment = 0; segment < 2; ++segment) {
      EXPECT_EQ(answered[0].end().stamps(segment).node(), 0u);
      EXPECT_EQ(answered[0].end().stamps(segment).partition(), 0u);
      EXPECT_EQ(answered[0].end().stamps(segment).segment(), static_cast<uint32_t>(segment));
    }
  }
}

/// Whose disk takes nothing: it refuses the epoch, and serves what it has.
TEST_F(StorageNodeProcessTest, RefusesAnEpochThatItCannotWriteAndAnswersQueries) {
  port_.release();
  const auto process = start({"--config", config()});
  ASSERT_TRUE(process->wait_for(" ready\n")) << process->text();
  NodeClient client(port_.endpoint());
  const auto ask = [&](uint64_t epoch) {
    return client.ask(wire::v1::OPERATION_KIND_EPOCH, epoch_body(epoch)).at(0).epoch();
  };
  ASSERT_TRUE(ask(3).granted());
  ASSERT_TRUE(update(client, 3, 1).has_confirmed());
  const std::string in_the_way = folder_ + "/data/node-0/epoch.new";
  std::filesystem::create_directories(in_the_way + "/folder");
  const auto refused = ask(4);
  EXPECT_FALSE(refused.granted());
  EXPECT_EQ(refused.epoch(), 3u);
  EXPECT_EQ(refused.error().sqlstate(), "58030");
  EXPECT_THAT(refused.error().message(), HasSubstr(in_the_way));
  EXPECT_EQ(rows_of(client), 10);
  EXPECT_TRUE(update(client, 3, 2).has_confirmed()) << "the epoch before is in force";
  std::filesystem::remove_all(in_the_way);
  EXPECT_TRUE(ask(4).granted());
}

TEST_F(StorageNodeProcessTest, ServesDrainsAndKnowsAfterwardsThatItHasLostItsRows) {
  port_.release();
  auto process = start({"--config", config()});
  ASSERT_TRUE(process->wait_for(" ready\n")) << process->text();
  EXPECT_THAT(process->text(), HasSubstr("daedalus-storage-node " DAEDALUS_VERSION ", commit "));
  EXPECT_THAT(process->text(), HasSubstr("durability off"));
  {
    NodeClient client(port_.endpoint());
    const auto described = client.ask(wire::v1::OPERATION_KIND_DESCRIBE);
    ASSERT_EQ(described.size(), 1u) << process->text();
    EXPECT_EQ(described[0].described().table_name(), "counters");
    const auto granted = client.ask(wire::v1::OPERATION_KIND_EPOCH, epoch_body());
    ASSERT_EQ(granted.size(), 1u);
    EXPECT_TRUE(granted[0].epoch().granted());
    for (uint64_t t = 1; t <= 20; ++t) {
      const auto confirmed = update(client, 3, t);
      ASSERT_TRUE(confirmed.has_confirmed()) << confirmed.ShortDebugString();
      EXPECT_EQ(confirmed.confirmed().outcomes(0).rows_applied(), 10u);
    }
    EXPECT_EQ(rows_of(client), 200);
    process->signal(SIGTERM);
    EXPECT_THAT(client.wait_for_goodbye().value_or(""), HasSubstr("stops"));
  }
  EXPECT_EQ(process->wait_for_end(), 0) << process->text();

  process = start({"--config", config()});
  ASSERT_TRUE(process->wait_for(" ready\n")) << process->text();
  EXPECT_THAT(process->text(), HasSubstr("incomplete"));
  {
    NodeClient client(port_.endpoint());
    const auto counted = client.ask(wire::v1::OPERATION_KIND_SELECT, count_body());
    ASSERT_EQ(counted.size(), 1u);
    EXPECT_EQ(counted[0].error().category(), wire::v1::ERROR_CATEGORY_FATAL);
    EXPECT_THAT(counted[0].error().hint(), HasSubstr("load it again"));
  }
  process->signal(SIGTERM);
  EXPECT_EQ(process->wait_for_end(), 0);
}

TEST_F(StorageNodeProcessTest, GreetsWithWhatItKnowsToBeConfirmed) {
  port_.release();
  const auto process = start({"--config", config()});
  ASSERT_TRUE(process->wait_for(" ready\n")) << process->text();
  NodeClient client(port_.endpoint());
  ASSERT_TRUE(client.ask(wire::v1::OPERATION_KIND_EPOCH, epoch_body()).at(0).epoch().granted());
  EXPECT_TRUE(contract::knows_moments(client.hello()));
  EXPECT_EQ(client.hello().durable(), 0u);
  wire::v1::UpdateHeader range;
  range.set_epoch(3);
  range.set_first_timestamp(1);
  range.set_timestamp(9);
  range.set_confirmed_through(7);
  const auto confirmed = client.ask(wire::v1::OPERATION_KIND_NO_OP_RANGE, {}, &range).at(0);
  EXPECT_EQ(confirmed.mark(), 7u) << confirmed.ShortDebugString();
  NodeClient later(port_.endpoint());
  EXPECT_EQ(later.ask(wire::v1::OPERATION_KIND_STATUS).at(0).mark(), 7u);
  EXPECT_EQ(later.hello().durable(), 7u);
}

TEST_F(StorageNodeProcessTest, DeclaresItsDefaultsWhereNothingIsSaid) {
  port_.release();
  const auto process = start({"--config", config()});
  ASSERT_TRUE(process->wait_for(" ready\n")) << process->text();
  NodeClient client(port_.endpoint());
  const auto answered = client.ask(wire::v1::OPERATION_KIND_STATUS);
  ASSERT_EQ(answered.size(), 1u);
  const wire::v1::NodeStatus& status = answered[0].status().nodes(0);
  EXPECT_EQ(status.share_factor(), 1'024u);
  EXPECT_EQ(status.updates_per_cycle(), 1'024u);
  EXPECT_EQ(status.cycle_ns_target(), uint64_t{500 * kMillisecond});
}

TEST_F(StorageNodeProcessTest, WaitsTwoSecondsForWhatIsUnderWayAndNoLonger) {
  port_.release();
  const auto process = start({"--config", config()});
  ASSERT_TRUE(process->wait_for(" ready\n")) << process->text();
  NodeClient client(port_.endpoint());
  ASSERT_TRUE(client.ask(wire::v1::OPERATION_KIND_DESCRIBE).at(0).has_described());
  client.leave_waiting(count_body(), 9);  // Nobody will send updates.
  ASSERT_TRUE(client.ask(wire::v1::OPERATION_KIND_STATUS).at(0).has_status());
  const auto asked = std::chrono::steady_clock::now();
  process->signal(SIGTERM);
  EXPECT_THAT(client.wait_for_goodbye().value_or(""), HasSubstr("stops"));
  EXPECT_GE(std::chrono::steady_clock::now() - asked, std::chrono::seconds(2));
  EXPECT_EQ(process->wait_for_end(), 0) << process->text();
  EXPECT_THAT(process->text(), HasSubstr("asked to stop: 1 operations under way have 2000 ms to end"));
}

// ---- what earlier versions wrote ----

wire::v1::Expression call_of(uint32_t function, std::vector<wire::v1::Expression> arguments) {
  wire::v1::Expression made;
  made.mutable_call()->set_function(function);
  made.mutable_call()->mutable_arguments()->Assign(arguments.begin(), arguments.end());
  return made;
}

wire::v1::Expression int_of(int32_t value) {
  wire::v1::Expression made;
  made.mutable_constant()->mutable_type()->set_kind(wire::v1::TYPE_KIND_INT);
  made.mutable_constant()->set_packed(std::string(reinterpret_cast<const char*>(&value), sizeof(value)));
  return made;
}

/// DELETE FROM counters WHERE abs(id) % 7 = remainder, by the numbers that these functions have for ever.
std::string delete_body(int32_t remainder) {
  wire::v1::Expression id;
  id.set_column(0);
  wire::v1::UpdateBody body;
  *body.add_parts()->mutable_delete_()->add_residuals() =
      call_of(320, {call_of(114, {call_of(901, {id}), int_of(7)}), int_of(remainder)});
  return body.SerializeAsString();
}

wire::v1::Result send_update(NodeClient& client, uint64_t epoch, uint64_t timestamp, const std::string& body) {
  wire::v1::UpdateHeader header;
  header.set_epoch(epoch);
  header.set_timestamp(timestamp);
  header.set_digest(semantics::digest(body));
  return client.ask(wire::v1::OPERATION_KIND_UPDATE, body, &header).at(0);
}

/// Holds what a golden directory has had: inserts of the ids from 1 to kGoldenIds and, each kGoldenDelete-th, a delete
/// of one remainder. A checkpoint came after kGoldenCheckpoint of them.
constexpr uint64_t kGoldenLast = 70;
constexpr uint64_t kGoldenCheckpoint = 65;
constexpr uint64_t kGoldenDelete = 20;
constexpr int64_t kGoldenIds = 1'900;

std::string golden_body(uint64_t timestamp) {
  return timestamp % kGoldenDelete == 0 ? delete_body(static_cast<int32_t>(timestamp / kGoldenDelete))
                                        : insert_body(1, kGoldenIds);
}

/// The rows that are there after an update, and those that it concerned.
struct GoldenRows {
  int64_t left = 0;
  int64_t concerned = 0;
};

GoldenRows golden_rows(uint64_t through) {
  std::array<int64_t, 7> rows{};  // By remainder.
  GoldenRows counted;
  for (uint64_t timestamp = 1; timestamp <= through; ++timestamp) {
    if (timestamp % kGoldenDelete == 0) {
      counted.concerned = std::exchange(rows.at(timestamp / kGoldenDelete), 0);
      continue;
    }
    counted.concerned = kGoldenIds;
    for (int64_t id = 1; id <= kGoldenIds; ++id) {
      ++rows.at(static_cast<size_t>(id % 7));
    }
  }
  counted.left = std::accumulate(rows.begin(), rows.end(), int64_t{0});
  return counted;
}

class GoldenDirectoryTest : public StorageNodeProcessTest {
 protected:
  GoldenDirectoryTest() {
    port_.release();
    make_durable("sync", "checkpoint_log_mib = 1\n");
  }

  [[nodiscard]] std::string archive(const std::string& version) const {
    return fmt::format("{}/data-{}.tar.gz", DAEDALUS_GOLDEN_FOLDER, version);
  }
  void tar(const std::string& options, const std::string& file) const {
    const std::string command = fmt::format("tar {} '{}' -C '{}' data", options, file, folder_);
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  }

  void write() {
    ASSERT_EQ(start({"--init", config()})->wait_for_end(), 0);
    const auto process = start({"--config", config()});
    ASSERT_TRUE(process->wait_for(" ready\n")) << process->text();
    NodeClient client(port_.endpoint());
    ASSERT_TRUE(client.ask(wire::v1::OPERATION_KIND_EPOCH, epoch_body(1)).at(0).epoch().granted());
    for (uint64_t timestamp = 1; timestamp <= kGoldenLast; ++timestamp) {
      const auto confirmed = send_update(client, 1, timestamp, golden_body(timestamp));
      ASSERT_TRUE(confirmed.has_confirmed()) << confirmed.ShortDebugString();
      if (timestamp == kGoldenCheckpoint) {
        await_checkpoint(client);
      }
    }
    EXPECT_EQ(rows_of(client), golden_rows(kGoldenLast).left);
    process->signal(SIGKILL);
    EXPECT_EQ(process->wait_for_end(), -SIGKILL);
  }

  /// One that began when the log had grown by a MiB.
  void await_checkpoint(NodeClient& client) {
    uint64_t checkpoint = 0;
    for (int asked = 0; asked < 100'000 && checkpoint == 0; ++asked) {
      checkpoint = client.ask(wire::v1::OPERATION_KIND_STATUS).at(0).status().nodes(0).checkpoint();
    }
    EXPECT_GT(checkpoint, 0u);
  }
};

/// DAEDALUS_WRITE_GOLDEN=VERSION writes the directory of that version; those of earlier ones stay as they are.
TEST_F(GoldenDirectoryTest, ReadsTheDirectoryOfTheFirstVersion) {
  if (const char* version = std::getenv("DAEDALUS_WRITE_GOLDEN")) {
    write();
    tar("-cSzf", archive(version));
    std::filesystem::remove_all(folder_ + "/data");
  }
  tar("-xzf", archive("0.1.0"));
  EXPECT_EQ(start({"--check-data", config()})->wait_for_end(), 0);
  const auto process = start({"--config", config()});
  ASSERT_TRUE(process->wait_for(" ready\n")) << process->text();
  EXPECT_THAT(process->text(), HasSubstr("rows from the checkpoint"));
  NodeClient client(port_.endpoint());
  EXPECT_EQ(rows_of(client), golden_rows(kGoldenLast).left);
  const auto granted = client.ask(wire::v1::OPERATION_KIND_EPOCH, epoch_body(2)).at(0).epoch();
  ASSERT_TRUE(granted.granted());
  EXPECT_EQ(granted.accepted(0).durable(), kGoldenLast);
  for (const uint64_t timestamp : {kGoldenLast, 3 * kGoldenDelete}) {
    const auto repeated = send_update(client, 2, timestamp, golden_body(timestamp)).confirmed();
    EXPECT_EQ(repeated.outcomes(0).rows_applied(), golden_rows(timestamp).concerned) << "what came of it is known";
  }
}

}  // namespace
}  // namespace daedalus::node
