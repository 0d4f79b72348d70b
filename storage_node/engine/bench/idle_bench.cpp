// Measures what it takes to wake a segment that sleeps: from enqueueing an operation to its cycle's beginning, beside a
// bare futex wake between the same two cores, alternating in one run.
//
//   engine_idle_bench --rounds=2000 [--core=1]
//
// The thread is asleep before each round: its state is looked up in /proc rather than waited for by the clock. Prints
// the medians and their difference, and the CPU time that sleeping took. One line of JSON for programs.
#include <fmt/format.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "daedalus/base/check.hpp"
#include "daedalus/engine/segment_thread.hpp"
#include "daedalus/semantics/row_codec.hpp"

namespace daedalus::engine {
namespace {

int64_t now_ns() {
  const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since_start).count();
}

/// Returns whether a thread of this process sleeps, by the kernel's word.
bool is_asleep(pid_t thread) {
  std::ifstream stat(fmt::format("/proc/self/task/{}/stat", thread));
  std::string text;
  std::getline(stat, text);
  const size_t name_end = text.rfind(')');
  return name_end != std::string::npos && text.size() > name_end + 2 && text[name_end + 2] == 'S';
}

void until_asleep(pid_t thread) {
  while (!is_asleep(thread)) {
    sched_yield();
  }
}

int64_t cpu_ns(clockid_t clock) {
  timespec time{};
  CHECK(clock_gettime(clock, &time) == 0);
  return time.tv_sec * kSecond + time.tv_nsec;
}

void pin(pthread_t thread, uint32_t core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  CHECK(pthread_setaffinity_np(thread, sizeof cores, &cores) == 0);
}

void futex(std::atomic<uint32_t>& word, int operation, uint32_t value) {
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), operation, value, nullptr, nullptr, 0);
}

/// A thread that does nothing but sleep on a futex and say when it woke.
class BareSleeper {
 public:
  explicit BareSleeper(uint32_t core) : thread_([this] { run(); }) {
    pin(thread_.native_handle(), core);
    while (id_.load() == 0) {
      sched_yield();
    }
  }
  ~BareSleeper() {
    stopping_.store(true);
    wake();
    thread_.join();
  }

  int64_t measure() {
    until_asleep(id_.load());
    woken_ns_.store(0);
    const int64_t start = now_ns();
    wake();
    while (woken_ns_.load() == 0) {
      sched_yield();
    }
    return woken_ns_.load() - start;
  }

 private:
  void wake() {
    word_.store(1);
    futex(word_, FUTEX_WAKE_PRIVATE, 1);
  }

  void run() {
    id_.store(static_cast<pid_t>(syscall(SYS_gettid)));
    while (!stopping_.load()) {
      while (word_.load() == 0) {
        futex(word_, FUTEX_WAIT_PRIVATE, 0);
      }
      word_.store(0);
      woken_ns_.store(now_ns());
    }
  }

  std::atomic<uint32_t> word_{0};
  std::atomic<int64_t> woken_ns_{0};
  std::atomic<pid_t> id_{0};
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

/// Says when a cycle has begun: a checkpoint rides along and is shown the first chunk, which is empty.
class CycleClock final : public CheckpointHook {
 public:
  [[nodiscard]] bool is_ready() const noexcept override { return true; }
  [[nodiscard]] bool on_chunk(const ChunkImage&) noexcept override {
    if (thread_.load(std::memory_order_relaxed) == 0) {
      clock_ = [] {
        clockid_t clock{};
        CHECK(pthread_getcpuclockid(pthread_self(), &clock) == 0);
        return clock;
      }();
      thread_.store(static_cast<pid_t>(syscall(SYS_gettid)));
    }
    begun_ns_.store(now_ns());
    return true;
  }
  void on_round_end(const AllocatorImage&) noexcept override {}

  int64_t wait() {
    while (begun_ns_.load() == 0) {
      sched_yield();
    }
    return begun_ns_.exchange(0);
  }

  [[nodiscard]] pid_t thread() const { return thread_.load(); }
  [[nodiscard]] clockid_t clock() const { return clock_; }

 private:
  std::atomic<int64_t> begun_ns_{0};
  std::atomic<pid_t> thread_{0};
  clockid_t clock_{};
};

/// A segment of one empty chunk: what a cycle costs there is next to nothing.
class SleepingSegment {
 public:
  explicit SleepingSegment(uint32_t core)
      : codec_(schema_),
        segment_(schema_, codec_.codec(), {.memory_bytes = 1, .chunk_rows = 64, .checkpoint_hook = &clock_}),
        thread_(segment_, {.core = core}) {
    static_cast<void>(cycle());
  }

  int64_t measure() {
    until_asleep(clock_.thread());
    return cycle();
  }

  /// CPU time that the thread takes while `busy` runs.
  template <typename Busy>
  int64_t idle_cpu_ns(Busy&& busy) {
    until_asleep(clock_.thread());
    const int64_t before = cpu_ns(clock_.clock());
    busy();
    return cpu_ns(clock_.clock()) - before;
  }

 private:
  static semantics::Schema make_schema() {
    semantics::Schema schema;
    schema.table_name = "numbers";
    schema.columns = {{"id", {semantics::TypeKind::kBigint}, false, {}}};
    return schema;
  }

  int64_t cycle() {
    CHECK(segment_.begin_checkpoint());  // Rides the cycle that the query starts.
    const int64_t start = now_ns();
    CHECK(segment_.enqueue(Query{QueryHandle{1}, selection_}));
    thread_.wake();
    const int64_t begun = clock_.wait();
    while (!segment_.dequeue().has_value()) {
      sched_yield();
    }
    return begun - start;
  }

  const semantics::Schema schema_ = make_schema();
  const semantics::GenericRowCodec codec_;
  const std::shared_ptr<const semantics::Selection> selection_ =
      std::make_shared<const semantics::Selection>(*semantics::bind_items(schema_, {{.name = "id", .column = 0}}));
  CycleClock clock_;
  Segment segment_;
  SegmentThread thread_;
};

struct Spread {
  double median_us = 0;
  double p99_us = 0;
};

Spread spread_of(std::vector<int64_t> durations) {
  std::sort(durations.begin(), durations.end());
  return {static_cast<double>(durations[durations.size() / 2]) / 1e3,
          static_cast<double>(durations[durations.size() * 99 / 100]) / 1e3};
}

int run(uint32_t rounds, uint32_t core) {
  pin(pthread_self(), core == 0 ? 1 : 0);
  BareSleeper bare(core);
  SleepingSegment segment(core);
  std::vector<int64_t> bare_ns;
  std::vector<int64_t> segment_ns;
  for (uint32_t round = 0; round < rounds; ++round) {
    bare_ns.push_back(bare.measure());
    segment_ns.push_back(segment.measure());
  }
  const Spread futex_wake = spread_of(bare_ns);
  const Spread first_cycle = spread_of(segment_ns);
  constexpr int64_t kIdleNs = 200 * kMillisecond;
  const int64_t idle_ns = segment.idle_cpu_ns([] {
    const int64_t start = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
    while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) - start < kIdleNs) {
    }
  });
  fmt::print("bare futex wake:        median {:6.1f} us, p99 {:6.1f} us\n", futex_wake.median_us, futex_wake.p99_us);
  fmt::print("operation to its cycle: median {:6.1f} us, p99 {:6.1f} us\n", first_cycle.median_us, first_cycle.p99_us);
  fmt::print("above the futex wake:   median {:6.1f} us (wanted: at most 20)\n",
             first_cycle.median_us - futex_wake.median_us);
  fmt::print("CPU time of an idle segment: {} us of {} ms\n", idle_ns / kMicrosecond, kIdleNs / kMillisecond);
  fmt::print(R"({{"bench":"idle","rounds":{},"futex_us":{:.2f},"cycle_us":{:.2f},"above_us":{:.2f},"idle_cpu_ns":{}}})"
             "\n",
             rounds, futex_wake.median_us, first_cycle.median_us, first_cycle.median_us - futex_wake.median_us,
             idle_ns);
  return 0;
}

}  // namespace
}  // namespace daedalus::engine

int main(int argc, char** argv) {
  CLI::App app("How fast a sleeping segment begins a cycle, beside a bare futex wake.");
  uint32_t rounds = 2000;
  uint32_t core = 1;
  app.add_option("--rounds", rounds, "Wakes of each kind")->check(CLI::Range(1, 1'000'000));
  app.add_option("--core", core, "Core of the sleepers; the waker takes another");
  CLI11_PARSE(app, argc, argv);
  return daedalus::engine::run(rounds, core);
}
