#include "daedalus/rpc/asio_network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "daedalus/rpc/frame.hpp"
#include "network_process.hpp"
#include "raw_peer.hpp"

namespace daedalus::rpc {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

std::string hello_frame(const std::string& name) {
  auto text = hello(name);
  text.set_frame_size_max(kFrameSizeMax);
  return encode_frame(FrameType::kHello, text.SerializeAsString());
}

/// Intervals shorter than the real ones, and still long beside the pauses that a busy machine makes.
AsioOptions impatient() {
  AsioOptions options;
  options.limits.keep_alive_ns = 50 * kMillisecond;
  options.limits.silence_ns_max = 600 * kMillisecond;
  options.limits.handshake_ns_max = 200 * kMillisecond;
  return options;
}

struct Two {
  Two() : address(b.listen()), link(a.network->dial(address)) {}
  bool come_up() {
    return run_until({&a, &b}, [&] { return a.recorder.up.size() == 1 && b.recorder.up.size() == 1; });
  }
  Process a{"a"};
  Process b{"b"};
  std::string address;
  LinkId link;
};

// ---- traffic ----

TEST(AsioNetworkTest, EchoesTenThousandOperationsBothWays) {
  constexpr uint64_t kCount = 10'000;
  Two two;
  ASSERT_TRUE(two.come_up());
  EXPECT_EQ(two.a.recorder.up.begin()->second.address, two.address);
  EXPECT_EQ(two.a.recorder.up.begin()->second.link, two.link);
  for (uint64_t sequence = 1; sequence <= kCount; ++sequence) {
    two.a.recorder.send(two.a.recorder.only_peer(), sequence, sequence % 500);
    two.b.recorder.send(two.b.recorder.only_peer(), sequence, sequence % 300);
  }
  ASSERT_TRUE(run_until({&two.a, &two.b}, [&] {
    return two.a.recorder.result_count == kCount && two.b.recorder.result_count == kCount;
  }));
  for (const Process* process : {&two.a, &two.b}) {
    const auto& results = process->recorder.results.begin()->second;
    for (uint64_t i = 0; i < kCount; ++i) {
      ASSERT_EQ(results[i], i + 1);
    }
  }
}

TEST(AsioNetworkTest, TakesFramesInAnyPieces) {
  Process server("server");
  RawPeer raw(server.listen());
  const std::string stream = hello_frame("raw") + operations_frame(1, 3) + operations_frame(4, 5);
  for (size_t i = 0; i < stream.size(); ++i) {
    raw.send(std::string_view(stream).substr(i, 1));
    if (i % 16 == 0) {
      server.network->run_for(kMillisecond / 10);
    }
  }
  ASSERT_TRUE(run_until({&server}, [&] { return server.recorder.operation_count == 5; }));
}

TEST(AsioNetworkTest, SendsTheMessagesOfOneTurnAsOneFrame) {
  Process server("server");
  RawPeer raw(server.listen());
  raw.send(hello_frame("raw"));
  ASSERT_TRUE(run_until({&server}, [&] { return server.recorder.up.size() == 1; }));
  server.network->post("a test", [&] {
    for (uint64_t sequence = 1; sequence <= 100; ++sequence) {
      server.recorder.send(server.recorder.only_peer(), sequence);
    }
  });
  std::vector<FrameType> types;
  ASSERT_TRUE(run_until({&server}, [&] {
    EXPECT_FALSE(raw.read());
    types.clear();
    Framer framer;
    framer.feed(raw.received);
    while (const auto frame = framer.next()) {
      if (frame->type != FrameType::kKeepAlive) {
        types.push_back(frame->type);
      }
    }
    return types.size() >= 2;
  }));
  EXPECT_THAT(types, testing::ElementsAre(FrameType::kHello, FrameType::kOperations));
}

// ---- peers that fail ----

TEST(AsioNetworkTest, FindsAKilledPeerAndDialsItsSuccessor) {
  Two two;
  ASSERT_TRUE(two.come_up());
  two.b.network.reset();
  ASSERT_TRUE(run_until({&two.a}, [&] { return two.a.recorder.up.empty(); }));
  EXPECT_THAT(two.a.recorder.log, Contains(StartsWith("down: ")));
  ASSERT_TRUE(run_until({&two.a}, [&] {
    return two.a.recorder.last_line().find("cannot connect to " + two.address) != std::string::npos;
  }));
  Process successor("successor");
  ASSERT_TRUE(successor.network->listen(two.address));
  EXPECT_TRUE(run_until({&two.a, &successor}, [&] { return two.a.recorder.up.size() == 1; }));
  EXPECT_EQ(two.a.recorder.last_line(), "up successor");
}

TEST(AsioNetworkTest, GarbageClosesOnlyItsOwnConnection) {
  Two two;
  ASSERT_TRUE(two.come_up());
  RawPeer stranger(two.address);
  RawPeer liar(two.address);
  stranger.send("GET / HTTP/1.1\r\nHost: somewhere\r\n\r\n");
  liar.send(hello_frame("liar"));
  ASSERT_TRUE(run_until({&two.a, &two.b}, [&] { return two.b.recorder.up.size() == 2; }));
  liar.send(operations_frame(1, 1));
  std::string broken = operations_frame(2, 2);
  broken.back() = static_cast<char>(broken.back() ^ 1);
  liar.send(broken + operations_frame(3, 3));
  ASSERT_TRUE(run_until({&two.a, &two.b}, [&] { return stranger.read() && liar.read(); }));
  EXPECT_THAT(two.b.recorder.last_line(), HasSubstr("checksum"));
  EXPECT_EQ(two.b.recorder.operation_count, 1u);
  EXPECT_THAT(stranger.received, HasSubstr("malformed frame"));
  EXPECT_THAT(liar.received, HasSubstr("checksum"));
  two.a.recorder.send(two.a.recorder.only_peer(), 7);
  EXPECT_TRUE(run_until({&two.a, &two.b}, [&] { return two.a.recorder.result_count == 1; }));
}

TEST(AsioNetworkTest, DropsASilentPeerAfterSendingItKeepAlives) {
  Process server("server", impatient());
  RawPeer raw(server.listen());
  raw.send(hello_frame("raw"));
  ASSERT_TRUE(run_until({&server}, [&] { return server.recorder.up.size() == 1; }));
  const Instant up = server.network->now();
  ASSERT_TRUE(run_until({&server}, [&] { return raw.read(); }));
  EXPECT_EQ(server.recorder.last_line(), "down: peer silent for 600 ms");
  EXPECT_GE(server.network->now(), after(up, 500 * kMillisecond));
  EXPECT_THAT(raw.received, HasSubstr(encode_frame(FrameType::kKeepAlive, "")));
}

TEST(AsioNetworkTest, KeepsAnIdleConnectionAlive) {
  Process server("server", impatient());
  Process client("client", impatient());
  client.network->dial(server.listen());
  ASSERT_TRUE(run_until({&server, &client}, [&] { return client.recorder.up.size() == 1; }));
  const Instant enough = after(client.network->now(), 1500 * kMillisecond);
  ASSERT_TRUE(run_until({&server, &client}, [&] { return client.network->now() > enough; }));
  EXPECT_EQ(client.recorder.log.size(), 1u);
}

TEST(AsioNetworkTest, DropsAPeerThatNeverSaysHello) {
  Process server("server", impatient());
  RawPeer raw(server.listen());
  ASSERT_TRUE(run_until({&server}, [&] { return raw.read(); }));
  EXPECT_TRUE(server.recorder.log.empty());
  EXPECT_THAT(raw.received, HasSubstr("no hello within 200 ms"));
}

TEST(AsioNetworkTest, DropsAPeerThatDoesNotRead) {
  AsioOptions options;
  options.limits.output_size_max = 8u << 20;
  options.limits.silence_ns_max = 2 * kPatience;  // The raw peer says nothing either; only its slowness may end it.
  Process server("server", options);
  RawPeer raw(server.listen());
  raw.send(hello_frame("raw"));
  ASSERT_TRUE(run_until({&server}, [&] { return server.recorder.up.size() == 1; }));
  const PeerId peer = server.recorder.only_peer();
  uint64_t sequence = 0;
  ASSERT_TRUE(run_until({&server}, [&] {
    if (!server.recorder.up.empty()) {
      server.recorder.send(peer, ++sequence, 1u << 20);
    }
    return server.recorder.up.empty();
  }));
  EXPECT_THAT(server.recorder.last_line(), HasSubstr("slow peer"));
}

TEST(AsioNetworkTest, NamesBothClustersWhenTheyDiffer) {
  Process server("server");
  const std::string address = server.listen();
  Process client("client");
  auto other = hello("client");
  other.set_cluster_id("trains");
  client.network->set_hello(other);
  client.network->dial(address);
  ASSERT_TRUE(run_until({&server, &client}, [&] { return !client.recorder.log.empty(); }));
  EXPECT_THAT(client.recorder.log[0], HasSubstr("cluster id differs"));
  EXPECT_THAT(client.recorder.log[0], HasSubstr("flights"));
  EXPECT_THAT(client.recorder.log[0], HasSubstr("trains"));
  EXPECT_TRUE(server.recorder.log.empty());
}

// ---- limits and addresses ----

TEST(AsioNetworkTest, SaysWhichAddressIsInUse) {
  Process first("first");
  Process second("second");
  const std::string address = first.listen();
  const auto refused = second.network->listen(address);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "cannot listen at " + address + ": the address is in use");
  EXPECT_EQ(refused.error().sqlstate, "55006");
}

TEST(AsioNetworkTest, RefusesAddressesThatAreNone) {
  Process process("process");
  for (const char* text : {"", "7400", ":7400", "127.0.0.1:", "127.0.0.1:seven", "127.0.0.1:70000"}) {
    const auto refused = process.network->listen(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_THAT(refused.error().message, HasSubstr("is no address")) << text;
  }
  process.network->dial("nonsense");
  ASSERT_TRUE(run_until({&process}, [&] { return process.recorder.log.size() >= 2; }));
  EXPECT_EQ(process.recorder.log[0], "link 0 failed: \"nonsense\" is no address");
}

/// Listens and accepts nobody; its queue has room for one.
class DeafListener {
 public:
  DeafListener() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    CHECK(::bind(socket_, reinterpret_cast<const sockaddr*>(&at), size) == 0 && ::listen(socket_, 0) == 0);
    CHECK(::getsockname(socket_, reinterpret_cast<sockaddr*>(&at), &size) == 0);
    address_ = "127.0.0.1:" + std::to_string(ntohs(at.sin_port));
  }
  ~DeafListener() { ::close(socket_); }
  DeafListener(const DeafListener&) = delete;
  DeafListener& operator=(const DeafListener&) = delete;

  [[nodiscard]] const std::string& address() const { return address_; }

 private:
  int socket_;
  std::string address_;
};

TEST(AsioNetworkTest, GivesUpDiallingWhoDoesNotAnswer) {
  const DeafListener listener;
  const RawPeer first(listener.address());
  AsioOptions options;
  options.dial_ns_max = 50 * kMillisecond;
  Process client("client", options);
  client.network->dial(listener.address());
  ASSERT_TRUE(run_until({&client}, [&] { return !client.recorder.log.empty(); }));
  EXPECT_THAT(client.recorder.log[0], HasSubstr("no answer within 50 ms"));
  EXPECT_EQ(AsioOptions().dial_ns_max, 2 * kSecond);
}

TEST(AsioNetworkTest, KnowsLocalhost) {
  Process server("server");
  Process client("client");
  const auto address = server.network->listen("localhost:0");
  ASSERT_TRUE(address);
  client.network->dial("localhost" + address->substr(address->rfind(':')));
  EXPECT_TRUE(run_until({&server, &client}, [&] { return client.recorder.up.size() == 1; }));
}

TEST(AsioNetworkTest, RefusesConnectionsBeyondItsMaximum) {
  AsioOptions options;
  options.connections_max = 2;
  Process server("server", options);
  const std::string address = server.listen();
  RawPeer first(address);
  RawPeer second(address);
  first.send(hello_frame("first"));
  second.send(hello_frame("second"));
  ASSERT_TRUE(run_until({&server}, [&] { return server.recorder.up.size() == 2; }));
  RawPeer third(address);
  ASSERT_TRUE(run_until({&server}, [&] { return third.read(); }));
  EXPECT_TRUE(third.received.empty());
  EXPECT_EQ(server.network->connection_count(), 2u);
}

TEST(AsioNetworkTest, ALinkThatIsDroppedLeavesItsPlaceToAnother) {
  AsioOptions options;
  options.links_max = 1;
  Process client("client", options);
  Process server("server");
  const std::string address = server.listen();
  for (int turn = 0; turn < 3; ++turn) {
    const LinkId link = client.network->dial(address);
    ASSERT_TRUE(run_until({&client, &server}, [&] { return client.recorder.up.size() == 1; }));
    EXPECT_EQ(client.recorder.up.begin()->second.link, link);
    client.network->drop_link(link, "another is wanted");
    ASSERT_TRUE(run_until({&client, &server}, [&] { return client.recorder.up.empty(); }));
  }
}

// ---- the owner's loop ----

TEST(AsioNetworkTest, ShutdownSaysGoodbyeToAllAndEndsTheLoop) {
  Two two;
  ASSERT_TRUE(two.come_up());
  two.b.network->shutdown("maintenance");
  two.b.network->shutdown("twice");
  bool running = true;
  ASSERT_TRUE(run_until({&two.a}, [&] { return !(running = two.b.network->run_for(kMillisecond)); }));
  EXPECT_EQ(two.b.recorder.last_line(), "down: maintenance");
  ASSERT_TRUE(run_until({&two.a}, [&] { return two.a.recorder.up.empty(); }));
  EXPECT_THAT(two.a.recorder.log, Contains("down: peer said goodbye: maintenance"));
}

TEST(AsioNetworkTest, ClosesAPeerAfterWhatWasSentBefore) {
  Two two;
  ASSERT_TRUE(two.come_up());
  Outbox outbox;
  outbox.operations.emplace_back(two.a.recorder.only_peer(), operation(1, 1u << 20));
  outbox.closes.emplace_back(two.a.recorder.only_peer(), "enough");
  two.a.network->send(std::move(outbox));
  two.a.network->drop_link(two.link, "unused");
  ASSERT_TRUE(run_until({&two.a, &two.b}, [&] { return two.b.recorder.log.size() == 2; }));
  EXPECT_EQ(two.b.recorder.last_line(), "down: peer said goodbye: enough");
  EXPECT_EQ(two.b.recorder.operation_count, 1u);
  ASSERT_TRUE(run_until({&two.a, &two.b}, [&] { return two.a.network->connection_count() == 0; }));
}

TEST(AsioNetworkTest, DeadlineIsReplacedAndRingsOnce) {
  Process process("process");
  std::vector<int> rung;
  int turns = 0;
  process.network->set_on_turn_end([&] { ++turns; });
  const Instant start = process.network->now();
  process.network->arm(after(start, 5 * kMillisecond), [&] { rung.push_back(1); });
  process.network->arm(after(start, 30 * kMillisecond), [&] { rung.push_back(2); });
  // The turn's end is a handler of its own: what is asked for is that it comes, and once.
  ASSERT_TRUE(run_until({&process}, [&] { return !rung.empty() && turns > 0; }));
  EXPECT_GE(process.network->now(), after(start, 30 * kMillisecond));
  EXPECT_EQ(rung, std::vector<int>{2});
  EXPECT_EQ(turns, 1);
  process.network->arm(after(process.network->now(), kSecond), [&] { rung.push_back(3); });
  process.network->arm(process.network->now(), [&] { rung.push_back(4); });
  ASSERT_TRUE(run_until({&process}, [&] { return rung.size() == 2; }));
  EXPECT_EQ(rung[1], 4);
  process.network->arm(process.network->now(), [&] { rung.push_back(5); });
  process.network->arm(kNever, {});
  process.network->run_for(5 * kMillisecond);
  EXPECT_EQ(rung.size(), 2u);
}

TEST(AsioNetworkTest, StopSignalRunsItsTask) {
  Process process("process");
  process.network->on_stop_signal([&] { process.network->shutdown("asked to stop"); });
  ASSERT_TRUE(process.network->run_for(kMillisecond));
  std::raise(SIGTERM);
  bool running = true;
  ASSERT_TRUE(run_until({}, [&] { return !(running = process.network->run_for(kMillisecond)); }));
}

/// The two networks run on threads of their own, and four more threads post to them: for the thread sanitizer.
TEST(AsioNetworkTest, TakesPostsFromAnyThread) {
  constexpr uint64_t kPosters = 4;
  constexpr uint64_t kPostsEach = 500;
  Two two;
  ASSERT_TRUE(two.come_up());
  std::atomic<uint64_t> results = 0;
  two.a.network->set_on_turn_end([&] { results = two.a.recorder.result_count; });
  std::thread a_thread([&] { two.a.network->run(); });
  std::thread b_thread([&] { two.b.network->run(); });
  std::vector<std::thread> posters;
  uint64_t sequence = 0;  // Touched by tasks only, which all run on one thread.
  for (uint64_t i = 0; i < kPosters; ++i) {
    posters.emplace_back([&] {
      for (uint64_t post = 0; post < kPostsEach; ++post) {
        two.a.network->post("a test", [&] { two.a.recorder.send(two.a.recorder.only_peer(), ++sequence); });
      }
    });
  }
  for (std::thread& poster : posters) {
    poster.join();
  }
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::nanoseconds(kPatience);
  while (results < kPosters * kPostsEach && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::yield();
  }
  EXPECT_EQ(results, kPosters * kPostsEach);
  two.a.network->shutdown("done");
  two.b.network->shutdown("done");
  a_thread.join();
  b_thread.join();
  EXPECT_TRUE(two.a.recorder.up.empty());
  EXPECT_TRUE(two.b.recorder.up.empty());
}

}  // namespace
}  // namespace daedalus::rpc
