// Processor time of the calling thread, for tests that bound work: other users of the machine do not count.
#pragma once

#include <ctime>

namespace daedalus::testing {

/// Under a sanitizer everything takes some ten times as long.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double kSlowness = 20;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(undefined_behavior_sanitizer)
constexpr double kSlowness = 20;
#else
constexpr double kSlowness = 1;
#endif
#else
constexpr double kSlowness = 1;
#endif

/// Seconds of processor time that `work` takes on this thread, as if no sanitizer was there.
template <typename Work>
[[nodiscard]] double cpu_seconds_of(Work&& work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  };
  const double start = now();
  work();
  return (now() - start) / kSlowness;
}

}  // namespace daedalus::testing
