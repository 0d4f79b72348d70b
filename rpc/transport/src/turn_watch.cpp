#include "turn_watch.hpp"

#include <spdlog/spdlog.h>

#include <ctime>

#include "daedalus/base/units.hpp"

namespace daedalus::rpc {

namespace {

/// Reports beyond these are counted only.
constexpr uint64_t kReportsMax = 1'000;

int64_t thread_cpu_ns() {
  timespec spent{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return spent.tv_sec * kSecond + spent.tv_nsec;
}

}  // namespace

void TurnWatch::end_turn(const Describe& describe) {
  const int64_t now_ns = thread_cpu_ns();
  const int64_t spent_ns = last_end_ns_ < 0 ? 0 : now_ns - last_end_ns_;
  last_end_ns_ = now_ns;
  if (spent_ns <= turn_ns_max_) {
    return;
  }
  if (++long_turns_ <= kReportsMax) {
    spdlog::warn("long turn: {} kept the network waiting for {:.1f} ms of CPU time", describe(),
                 static_cast<double>(spent_ns) / kMillisecond);
  }
}

}  // namespace daedalus::rpc
