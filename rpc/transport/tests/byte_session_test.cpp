// The transport with sessions of another protocol than Daedalus's: what it promises, it promises every ByteSession.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "daedalus/base/byte_budget.hpp"
#include "line_session.hpp"
#include "network_process.hpp"
#include "raw_peer.hpp"

namespace daedalus::rpc {
namespace {

using testing::ElementsAre;

/// A process that listens for lines, and remembers its sessions.
struct LineServer : Process {
  explicit LineServer(AsioOptions options = {}, int64_t idle_ns_max = kPatience)
      : Process("lines", std::move(options)) {
    const auto bound = network->listen("127.0.0.1:0", [this, idle_ns_max](const ConnectionInfo& info, Instant now) {
      infos.push_back(info);
      sessions.push_back(std::make_shared<LineSession>(lines, idle_ns_max, now));
      return sessions.back();
    });
    CHECK(bound);
    address = *bound;
  }
  /// Returns whether `text` has come back, and no more.
  bool answers(RawPeer& raw, const std::string& text) {
    return run_until({this},
                     [&] {
                       (void)raw.read();
                       return raw.received.size() >= text.size();
                     }) &&
           raw.received == text;
  }

  std::string address;
  std::vector<std::string> lines;
  std::vector<ConnectionInfo> infos;
  std::vector<std::shared_ptr<LineSession>> sessions;
};

TEST(ByteSessionTest, LinesComeBackInAnyPiecesAndTheirOwnerReadsAlong) {
  LineServer server;
  RawPeer raw(server.address);
  for (const char byte : std::string("hello\nfrom\nlines\n")) {
    raw.send(std::string_view(&byte, 1));
    server.network->run_for(kMillisecond / 10);
  }
  EXPECT_TRUE(server.answers(raw, "welcome\nhello\nfrom\nlines\n")) << raw.received;
  EXPECT_THAT(server.lines, ElementsAre("hello", "from", "lines"));
  EXPECT_FALSE(server.infos.at(0).link);
  EXPECT_TRUE(server.sessions.at(0)->was_up());
  EXPECT_TRUE(server.recorder.log.empty());  // Nobody took it for one of Daedalus's peers.
}

TEST(ByteSessionTest, ASessionThatEndsWritesItsLastWordsAndIsClosed) {
  LineServer server;
  RawPeer quitting(server.address);
  RawPeer staying(server.address);
  quitting.send("one\nquit\nnever read\n");
  ASSERT_TRUE(run_until({&server}, [&] { return quitting.read(); }));
  EXPECT_EQ(quitting.received, "welcome\none\nquit\nbye: asked to quit\n");
  EXPECT_THAT(server.lines, ElementsAre("one", "quit"));
  EXPECT_EQ(server.sessions.at(0)->ended(), "asked to quit");
  staying.send(std::string(LineSession::kLineSizeMax, 'x') + "\n");
  EXPECT_TRUE(server.answers(staying, "welcome\n" + std::string(LineSession::kLineSizeMax, 'x') + "\n"));
  staying.send(std::string(LineSession::kLineSizeMax + 1, 'x'));
  ASSERT_TRUE(run_until({&server}, [&] { return staying.read(); }));
  EXPECT_THAT(staying.received, testing::EndsWith("bye: line too long\n"));
}

TEST(ByteSessionTest, TheDeadlineIsTheSessions) {
  LineServer server({}, 50 * kMillisecond);
  const Instant start = server.network->now();
  RawPeer raw(server.address);
  ASSERT_TRUE(run_until({&server}, [&] { return raw.read(); }));
  EXPECT_EQ(raw.received, "welcome\nbye: idle\n");
  EXPECT_GE(server.network->now(), after(start, 50 * kMillisecond));
}

TEST(ByteSessionTest, SendsTheOwnersOutputWhenTheSessionIsWoken) {
  AsioOptions options;
  options.output_budget = std::make_shared<ByteBudget>(1u << 20);
  LineServer server(options);
  RawPeer raw(server.address);
  ASSERT_TRUE(server.answers(raw, "welcome\n"));
  ASSERT_TRUE(run_until({&server}, [&] { return options.output_budget->taken() == 0; }));
  uint64_t counted = 0;
  server.network->post("a test", [&] {
    server.sessions[0]->say("news");
    server.network->wake(server.infos[0].id);
    counted = options.output_budget->taken();
  });
  EXPECT_TRUE(server.answers(raw, "welcome\nnews\n")) << raw.received;
  EXPECT_EQ(counted, 5u);
  server.network->post("a test", [&] {
    server.sessions[0]->close("enough");
    server.network->wake(server.infos[0].id);
    server.network->wake(PeerId{999});
  });
  ASSERT_TRUE(run_until({&server}, [&] { return raw.read(); }));
  EXPECT_EQ(raw.received, "welcome\nnews\nbye: enough\n");
}

TEST(ByteSessionTest, StopsReadingASessionThatHasEnough) {
  LineServer server;
  RawPeer raw(server.address);
  ASSERT_TRUE(server.answers(raw, "welcome\n"));
  server.sessions[0]->takes_more = false;  // One read is under way.
  raw.send("one\n");
  ASSERT_TRUE(server.answers(raw, "welcome\none\n"));
  raw.send("two\n");
  for (int turn = 0; turn < 20; ++turn) {
    server.network->run_for(kMillisecond);
  }
  EXPECT_THAT(server.lines, ElementsAre("one"));
  server.network->post("a test", [&] {
    server.sessions[0]->takes_more = true;
    server.network->wake(server.infos[0].id);
  });
  EXPECT_TRUE(server.answers(raw, "welcome\none\ntwo\n")) << raw.received;
  server.sessions[0]->takes_more = false;
  server.sessions[0]->close("enough");  // The server reads on, or the last words might not arrive.
  server.network->wake(server.infos[0].id);
  raw.send("three\n");
  ASSERT_TRUE(run_until({&server}, [&] { return raw.read(); }));
  EXPECT_EQ(raw.received, "welcome\none\ntwo\nbye: enough\n");
}

TEST(ByteSessionTest, ManyLinesAtOnceAndFewAfterwardsAllCome) {
  LineServer server;
  RawPeer raw(server.address);
  std::string sent;
  for (int line = 0; line < 20'000; ++line) {
    sent += "line " + std::to_string(line) + "\n";
  }
  raw.send(sent);
  ASSERT_TRUE(server.answers(raw, "welcome\n" + sent));
  std::string few;
  for (int line = 0; line < 200; ++line) {
    few += "x\n";
    raw.send("x\n");
    ASSERT_TRUE(server.answers(raw, "welcome\n" + sent + few)) << line;
  }
}

TEST(ByteSessionTest, APeerThatGoesIsLostToTheSession) {
  LineServer server;
  {
    RawPeer raw(server.address);
    raw.send("hello\n");
    ASSERT_TRUE(server.answers(raw, "welcome\nhello\n"));
  }
  ASSERT_TRUE(run_until({&server}, [&] { return server.network->connection_count() == 0; }));
  EXPECT_THAT(server.lines, ElementsAre("hello"));
  EXPECT_EQ(server.sessions.at(0)->ended(), "peer closed the connection without goodbye");
}

TEST(ByteSessionTest, AUnixSocketIsConnectedToOnceAndToldOfWhereNobodyListens) {
  char folder[] = "/tmp/daedalus-local-XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const std::string path = std::string(folder) + "/socket";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  ASSERT_EQ(listen(listener, 1), 0);

  LineServer client;
  std::vector<std::string> failures;
  const auto connect_to = [&](const std::string& where) {
    client.network->connect_local(
        where,
        [&](const ConnectionInfo& info, Instant now) {
          client.infos.push_back(info);
          client.sessions.push_back(std::make_shared<LineSession>(client.lines, kPatience, now));
          return client.sessions.back();
        },
        [&](const std::string& reason) { failures.push_back(reason); });
  };
  connect_to(path);
  ASSERT_TRUE(run_until({&client}, [&] { return !client.sessions.empty(); }));
  const int accepted = accept(listener, nullptr, nullptr);
  ASSERT_GE(accepted, 0);
  ASSERT_EQ(send(accepted, "hello\n", 6, 0), 6);
  ASSERT_TRUE(run_until({&client}, [&] { return !client.lines.empty(); }));
  EXPECT_THAT(client.lines, ElementsAre("hello"));
  EXPECT_EQ(client.infos.at(0).address, path);
  EXPECT_FALSE(client.infos.at(0).link);

  close(accepted);
  close(listener);
  unlink(path.c_str());
  connect_to(path);
  connect_to(std::string(folder) + "/" + std::string(200, 'x'));
  ASSERT_TRUE(run_until({&client}, [&] { return failures.size() == 2; }));
  EXPECT_THAT(failures, testing::Each(testing::HasSubstr(folder)));
  EXPECT_EQ(client.sessions.size(), 1u);
  rmdir(folder);
}

TEST(ByteSessionTest, SessionsOfEachProtocolCountApartAndEndTogether) {
  AsioOptions options;
  options.connections_max = 1;
  options.guests_max = 1;
  LineServer server(options);
  const std::string for_peers = server.listen();
  Process client("client");
  client.network->dial(for_peers);
  ASSERT_TRUE(run_until({&server, &client}, [&] { return client.recorder.up.size() == 1; }));
  RawPeer raw(server.address);
  ASSERT_TRUE(server.answers(raw, "welcome\n"));
  for (const std::string& full : {server.address, for_peers}) {
    RawPeer more(full);
    ASSERT_TRUE(run_until({&server, &client}, [&] { return more.read(); }));
    EXPECT_TRUE(more.received.empty());
  }
  server.network->shutdown("maintenance");
  bool running = true;
  ASSERT_TRUE(run_until({&client}, [&] {
    running = running && server.network->run_for(kMillisecond);
    return raw.read() && client.recorder.up.empty() && !running;
  }));
  EXPECT_EQ(raw.received, "welcome\nbye: maintenance\n");
  EXPECT_THAT(client.recorder.log, testing::Contains("down: peer said goodbye: maintenance"));
}

}  // namespace
}  // namespace daedalus::rpc
