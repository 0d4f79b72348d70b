// Hand-over between producer, scan thread and consumer. Also run under ThreadSanitizer.
#include "daedalus/engine/segment_thread.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "test_table.hpp"

namespace daedalus::engine::test {
namespace {

/// Wakes a consumer when outputs may be there.
class Bell {
 public:
  void ring() {
    const std::lock_guard lock(mutex_);
    rung_ = true;
    condition_.notify_one();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    condition_.wait(lock, [this] { return rung_; });
    rung_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable condition_;
  bool rung_ = false;
};

Output next_output(Segment& segment, Bell& bell) {
  while (true) {
    if (std::optional<Output> output = segment.dequeue()) {
      return std::move(*output);
    }
    bell.wait();
  }
}

semantics::Selection sum_of_ints() {
  return selection_of({aggregate_of(semantics::AggregateFunction::kCountRows, 0),
                       aggregate_of(semantics::AggregateFunction::kSum, kInt)});
}

TEST(SegmentThreadTest, EveryQuerySeesExactlyOnePrefixWhileUpdatesStreamIn) {
  constexpr int64_t kRows = 300;
  const uint64_t operation_count = from_environment("DAEDALUS_HANDOVER_OPERATIONS", 4'000);
  Segment segment(test_schema(), test_codec(),
                  {.memory_bytes = 200'000,
                   .chunk_rows = 64,
                   .operations_in_flight_max = 256,
                   .share_factor_max = 16,
                   .updates_per_cycle_max = 8});
  ASSERT_GE(segment.statistics().rows_max, static_cast<uint64_t>(kRows));
  Bell bell;
  SegmentThread thread(segment, {.core = 0, .outputs_ready = [&bell] { bell.ring(); }});

  // Update 1 inserts; every later update adds 1 to every row, so the sum tells the prefix.
  std::thread producer([&] {
    const auto selection = std::make_shared<semantics::Selection>(sum_of_ints());
    uint64_t timestamp = 1;
    const auto until_taken = [&](const auto& operation) {
      while (!segment.enqueue(operation)) {
        std::this_thread::yield();
      }
      thread.wake();
    };
    until_taken(Update{Timestamp{1}, {insert_rows(test_schema(), rows_of(kRows))}});
    for (uint64_t number = 1; number < operation_count; ++number) {
      if (number % 2 == 0) {
        until_taken(Query{QueryHandle{timestamp}, selection});
      } else {
        until_taken(
            Update{Timestamp{++timestamp}, {modify({{kInt, semantics::Assignment::Kind::kAdd, int64_t{1}}}, {})}});
      }
    }
  });

  const std::vector<semantics::Type> types = semantics::partial_row_types(sum_of_ints());
  Timestamp confirmed{};
  for (uint64_t number = 0; number < operation_count; ++number) {
    const Output output = next_output(segment, bell);
    if (const auto* update = std::get_if<UpdateOutput>(&output)) {
      EXPECT_EQ(update->timestamp, next(confirmed));
      EXPECT_EQ(update->rows_applied, static_cast<uint64_t>(kRows));
      confirmed = update->timestamp;
      continue;
    }
    const auto& answer = std::get<QueryOutput>(output);
    EXPECT_EQ(answer.prefix, confirmed);
    EXPECT_GE(raw(answer.prefix), raw(answer.handle));  // The handle is the last update enqueued before it.
    const std::vector<Row> rows = decode(types, answer.rows);
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(std::get<int64_t>(rows[0][0]), kRows);
    EXPECT_EQ(std::get<semantics::Decimal>(rows[0][1]).unscaled, semantics::BigInt{kRows} * (raw(answer.prefix) - 1));
  }
  producer.join();
  EXPECT_EQ(segment.statistics().queue_queries + segment.statistics().queue_updates, 0u);
}

TEST(SegmentThreadTest, StopsWithOperationsStillWaiting) {
  Segment segment(test_schema(), test_codec(), {.memory_bytes = 1, .chunk_rows = 64, .share_factor_max = 1});
  SegmentThread thread(segment, {});
  const auto selection = std::make_shared<semantics::Selection>(sum_of_ints());
  for (uint64_t number = 0; number < 100; ++number) {
    ASSERT_TRUE(segment.enqueue(Query{QueryHandle{number}, selection}));
    thread.wake();
  }
}

cpu_set_t cores_of(pthread_t thread) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  EXPECT_EQ(pthread_getaffinity_np(thread, sizeof cores, &cores), 0);
  return cores;
}

/// Holds what a scan thread with these options says of itself, and what the kernel says of it.
struct Pinning {
  bool is_pinned = false;
  cpu_set_t cores{};
};
Pinning pinning_of(std::optional<uint32_t> core) {
  Segment segment(test_schema(), test_codec(), {.memory_bytes = 1, .chunk_rows = 64});
  Bell bell;
  Pinning found;
  const SegmentThread thread(segment, {.core = core, .memory_settled = [&] {
                                         found.cores = cores_of(pthread_self());
                                         bell.ring();
                                       }});
  bell.wait();
  found.is_pinned = thread.pinned();
  return found;
}

TEST(SegmentThreadTest, RunsOnItsCoreAndNoOtherAndSaysSo) {
  const cpu_set_t allowed = cores_of(pthread_self());
  for (uint32_t core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &allowed)) {
      continue;
    }
    const Pinning found = pinning_of(core);
    EXPECT_TRUE(found.is_pinned) << core;
    EXPECT_EQ(CPU_COUNT(&found.cores), 1) << core;
    EXPECT_TRUE(CPU_ISSET(core, &found.cores)) << core;
  }
}

TEST(SegmentThreadTest, RunsWhereItMayWithoutACoreOfItsOwnAndSaysSo) {
  const cpu_set_t allowed = cores_of(pthread_self());
  for (const std::optional<uint32_t> core : {std::optional<uint32_t>(), std::optional<uint32_t>(1'000'000)}) {
    const Pinning found = pinning_of(core);
    EXPECT_FALSE(found.is_pinned);
    EXPECT_TRUE(CPU_EQUAL(&found.cores, &allowed));
  }
}

int64_t cpu_ns(clockid_t clock) {
  timespec time{};
  EXPECT_EQ(clock_gettime(clock, &time), 0);
  return time.tv_sec * kSecond + time.tv_nsec;
}

TEST(SegmentThreadTest, AnIdleSegmentBurnsNoCpu) {
  Segment idle(test_schema(), test_codec(), {.memory_bytes = 1, .chunk_rows = 64});
  Bell bell;
  clockid_t idle_clock{};
  SegmentThread thread(idle, {.outputs_ready = [&] {
                         EXPECT_EQ(pthread_getcpuclockid(pthread_self(), &idle_clock), 0);
                         bell.ring();
                       }});
  const auto selection = std::make_shared<semantics::Selection>(sum_of_ints());
  ASSERT_TRUE(idle.enqueue(Query{QueryHandle{1}, selection}));
  thread.wake();
  static_cast<void>(next_output(idle, bell));

  // Another segment works in this thread meanwhile; its CPU time is the yardstick.
  Segment busy(test_schema(), test_codec(), {.memory_bytes = 1 << 20, .chunk_rows = 1024});
  const int64_t idle_before = cpu_ns(idle_clock);
  const int64_t busy_before = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
  constexpr int64_t kBusyNs = 200 * kMillisecond;
  while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) - busy_before < kBusyNs) {
    ASSERT_TRUE(busy.enqueue(Query{QueryHandle{1}, selection}));
    ASSERT_TRUE(busy.step({0}));
    ASSERT_TRUE(busy.dequeue().has_value());
  }
  EXPECT_LT(cpu_ns(idle_clock) - idle_before, kBusyNs / 20);
}

}  // namespace
}  // namespace daedalus::engine::test
