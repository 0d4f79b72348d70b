// How long the transport waits for what: each bound's default, and that it is kept. Where a test would have to wait for
// the default, it waits for a shorter one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <unistd.h>

#include <ctime>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "connection.hpp"
#include "daedalus/rpc/frame.hpp"
#include "network_process.hpp"
#include "raw_peer.hpp"
#include "turn_watch.hpp"

namespace daedalus::rpc {
namespace {

using testing::HasSubstr;

std::string hello_frame() {
  wire::v1::Hello ours = hello("raw");
  ours.set_frame_size_max(kFrameSizeMax);
  return encode_frame(FrameType::kHello, ours.SerializeAsString());
}

/// Keeps what is logged meanwhile.
class Log {
 public:
  Log() : before_(spdlog::default_logger()) {
    spdlog::set_default_logger(
        std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text_)));
  }
  ~Log() { spdlog::set_default_logger(before_); }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  [[nodiscard]] std::string text() const { return text_.str(); }
  [[nodiscard]] int64_t count(const std::string& part) const {
    int64_t found = 0;
    const std::string text = text_.str();
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
      ++found;
    }
    return found;
  }

 private:
  std::shared_ptr<spdlog::logger> before_;
  std::ostringstream text_;
};

/// Keeps the thread busy for so much of its own CPU time.
void burn(int64_t duration_ns) {
  const auto spent = [] {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * kSecond + now.tv_nsec;
  };
  for (const int64_t enough = spent() + duration_ns; spent() < enough;) {
  }
}

// ---- dialling and accepting ----

TEST(TimeLimitsTest, DialsLaterAndLaterUpToAMaximum) {
  Process absent("absent");
  const std::string address = absent.listen();
  absent.network.reset();
  AsioOptions options;
  EXPECT_EQ(options.dial_delay_ns_min, 50 * kMillisecond);
  EXPECT_EQ(options.dial_delay_ns_max, kSecond);
  options.dial_delay_ns_min = 20 * kMillisecond;
  options.dial_delay_ns_max = 80 * kMillisecond;
  Process client("client", options);
  const Instant start = client.network->now();
  client.network->dial(address);
  ASSERT_TRUE(run_until({&client}, [&] { return client.recorder.log.size() >= 9; }));
  const int64_t waited_ns = client.network->now().ns - start.ns;
  EXPECT_GE(waited_ns, (20 + 40 + 6 * 80) * kMillisecond);
  EXPECT_LT(waited_ns, 20 * ((1 << 8) - 1) * kMillisecond) << "it doubles for ever";
}

/// As many descriptors as there are now, and none for what is accepted.
class NoDescriptors {
 public:
  NoDescriptors() {
    CHECK(::getrlimit(RLIMIT_NOFILE, &before_) == 0);
    const int next = ::dup(STDERR_FILENO);
    CHECK(next >= 0 && ::close(next) == 0);
    rlimit none = before_;
    none.rlim_cur = static_cast<rlim_t>(next);
    CHECK(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_{};
};

TEST(TimeLimitsTest, WithoutDescriptorsItAcceptsAgainAfterAPause) {
  const Log log;
  AsioOptions options;
  EXPECT_EQ(options.accept_delay_ns, 100 * kMillisecond);
  options.accept_delay_ns = 20 * kMillisecond;
  Process server("server", options);
  RawPeer raw(server.listen());
  raw.send(hello_frame());
  // UBSan wants a descriptor for its first look at an object of a type: it has it now.
  spdlog::info("without descriptors");
  const Instant start = server.network->now();
  {
    const NoDescriptors none;
    ASSERT_TRUE(
        run_until({&server}, [&] { return server.network->now() >= after(start, 5 * options.accept_delay_ns); }));
  }
  const int64_t passed_ns = server.network->now().ns - start.ns;
  EXPECT_GE(log.count("cannot accept a connection"), 1);
  EXPECT_LE(log.count("cannot accept a connection"), 1 + passed_ns / options.accept_delay_ns);
  EXPECT_TRUE(run_until({&server}, [&] { return server.recorder.up.size() == 1; }));
}

// ---- goodbyes ----

AsioOptions short_goodbye() {
  AsioOptions options;
  EXPECT_EQ(options.goodbye_ns_max, 500 * kMillisecond);
  options.goodbye_ns_max = 60 * kMillisecond;
  return options;
}

TEST(TimeLimitsTest, APeerThatKeepsItsSideOpenAfterTheGoodbyeIsLeft) {
  Process server("server", short_goodbye());
  RawPeer raw(server.listen());
  raw.send(hello_frame());
  ASSERT_TRUE(run_until({&server}, [&] { return server.recorder.up.size() == 1; }));
  Outbox outbox;
  outbox.closes.emplace_back(server.recorder.only_peer(), "enough");
  const Instant start = server.network->now();
  server.network->send(std::move(outbox));
  ASSERT_TRUE(run_until({&server}, [&] { return server.network->connection_count() == 0; }));
  EXPECT_GE(server.network->now(), after(start, 60 * kMillisecond));
  raw.read();
  EXPECT_THAT(raw.received, HasSubstr("enough"));
}

TEST(TimeLimitsTest, ShutdownWaitsNoLongerForAPeerThatDoesNotRead) {
  Process server("server", short_goodbye());
  RawPeer raw(server.listen());
  raw.send(hello_frame());
  ASSERT_TRUE(run_until({&server}, [&] { return server.recorder.up.size() == 1; }));
  for (uint64_t sequence = 1; sequence <= 32; ++sequence) {
    server.recorder.send(server.recorder.only_peer(), sequence, 1u << 20);
  }
  const Instant start = server.network->now();
  server.network->shutdown("maintenance");
  bool running = true;
  ASSERT_TRUE(run_until({}, [&] { return !(running = server.network->run_for(kMillisecond)); }));
  EXPECT_GE(server.network->now(), after(start, 60 * kMillisecond));
  EXPECT_EQ(server.recorder.last_line(), "down: maintenance");
}

// ---- turns ----

/// Takes a millisecond for each operation and wants something done after it.
class SlowHandler : public Recorder {
 public:
  void on_operation(PeerId peer, wire::v1::Operation&& operation) override {
    Recorder::on_operation(peer, std::move(operation));
    steps.emplace_back("operation");
    asio->post("a test", [this] { steps.emplace_back("task"); });
    take_a_millisecond();
  }

  AsioNetwork* asio = nullptr;
  std::vector<std::string> steps;

 protected:
  void take_a_millisecond() const {
    for (const Instant end = after(asio->now(), kMillisecond); asio->now() < end;) {
    }
  }
};

TEST(TimeLimitsTest, AHandlerThatTakesAMillisecondLetsOthersHaveATurn) {
  constexpr uint64_t kCount = 10;
  SlowHandler handler;
  AsioOptions options;
  options.hello = hello("server");
  AsioNetwork network(options, handler);
  handler.network = handler.asio = &network;
  const auto address = network.listen("127.0.0.1:0");
  ASSERT_TRUE(address);
  RawPeer raw(*address);
  raw.send(hello_frame() + operations_frame(1, kCount));
  ASSERT_TRUE(run_until({}, [&] {
    network.run_for(kMillisecond);
    return handler.steps.size() == 2 * kCount;
  }));
  uint64_t in_a_row = 0;
  for (const std::string& step : handler.steps) {
    in_a_row = step == "operation" ? in_a_row + 1 : 0;
    EXPECT_LE(in_a_row, 1u) << "what was posted before waits for a second one";
  }
}

/// As slow, and answers nothing; one more operation arrives while it is busy with the first, and is not read before the
/// others are done.
class BusyHandler final : public SlowHandler {
 public:
  explicit BusyHandler(uint64_t count) : count_(count) {}

  void on_operation(PeerId /*peer*/, wire::v1::Operation&& /*operation*/) override {
    if (operation_count == 0) {
      raw->send(operations_frame(count_ + 1, count_ + 1));
    }
    ++operation_count;
    take_a_millisecond();
  }

  const RawPeer* raw = nullptr;

 private:
  uint64_t count_;
};

int64_t count_frames(std::string_view bytes, FrameType type) {
  Framer framer(kFrameSizeMax);
  framer.feed(bytes);
  int64_t found = 0;
  while (const auto frame = framer.next()) {
    found += frame->type == type ? 1 : 0;
  }
  return found;
}

TEST(TimeLimitsTest, InputThatWaitsToBeReadIsNoSilenceAndHoldsNoKeepAliveBack) {
  EXPECT_EQ(kUnreadGrace, 10 * kMillisecond);
  constexpr uint64_t kCount = 100;
  BusyHandler handler(kCount);
  AsioOptions options;
  options.hello = hello("server");
  options.limits.keep_alive_ns = 10 * kMillisecond;
  options.limits.silence_ns_max = 30 * kMillisecond;
  AsioNetwork network(options, handler);
  handler.network = handler.asio = &network;
  const auto address = network.listen("127.0.0.1:0");
  ASSERT_TRUE(address);
  RawPeer raw(*address);
  handler.raw = &raw;
  raw.send(hello_frame() + operations_frame(1, kCount));
  ASSERT_TRUE(run_until({}, [&] {
    network.run_for(kMillisecond);
    return handler.operation_count > kCount || handler.log.size() > 1;
  }));
  EXPECT_EQ(handler.operation_count, kCount + 1) << handler.last_line();
  raw.read();
  EXPECT_GE(count_frames(raw.received, FrameType::kKeepAlive), 3) << "of those due every 10 of 100 ms";
}

TEST(TimeLimitsTest, ATurnOfMoreThanFiveMillisecondsIsLoggedWithItsCause) {
  const Log log;
  EXPECT_EQ(AsioOptions().turn_ns_max, 5 * kMillisecond);
  Process process("process");
  bool is_done = false;
  process.network->post("the first turn", [] {});
  process.network->post("a slow test", [] { burn(6 * kMillisecond); });
  process.network->post("the end", [&] { is_done = true; });
  ASSERT_TRUE(run_until({&process}, [&] { return is_done; }));
  EXPECT_THAT(log.text(), HasSubstr("long turn: a slow test kept the network waiting for"));
}

TEST(TimeLimitsTest, LongTurnsAreCountedBeyondAThousandAndNotLogged) {
  const Log log;
  TurnWatch watch(-1);  // Every turn is too long.
  uint64_t told = 0;
  for (int turn = 0; turn < 1'010; ++turn) {
    watch.end_turn([&] {
      ++told;
      return std::string("a turn");
    });
  }
  EXPECT_EQ(told, 1'000u);
  EXPECT_EQ(log.count("long turn"), 1'000);
  EXPECT_EQ(watch.long_turns(), 1'010u);
}

}  // namespace
}  // namespace daedalus::rpc
