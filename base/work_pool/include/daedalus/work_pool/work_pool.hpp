// Threads that do jobs of many clients, so that the thread that serves the clients never waits for one.
//
// There is one thread more than may be busy with large jobs, so one is always left for small ones: a large job, which
// cannot be interrupted, holds up other large jobs at most. Which job is next is the queue's to decide, and how many
// may wait is the caller's. Refuses to know what a job does.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "daedalus/base/check.hpp"
#include "daedalus/work_pool/work_queue.hpp"

namespace daedalus {

/// Any thread may submit and cancel. `Job` can be moved; it is never copied.
template <typename Job>
class WorkPool {
 public:
  /// Called on a thread of the pool, once for each job that was not cancelled in time. Several run beside each other.
  using Run = std::function<void(Job&& job)>;

  /// Up to `large_running_max` threads, at least one, do large jobs at a time; one thread more takes small ones.
  WorkPool(uint32_t large_running_max, Run run) : large_running_max_(large_running_max), run_(std::move(run)) {
    CHECK(large_running_max > 0);
    for (uint32_t thread = 0; thread < large_running_max + 1; ++thread) {
      threads_.emplace_back([this] { work(); });
    }
  }

  /// Returns after the jobs that are running; those that wait are dropped.
  ~WorkPool() {
    {
      const std::lock_guard lock(mutex_);
      is_stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) {
      thread.join();
    }
  }
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;

  /// Never waits for a job.
  void submit(const JobTag& tag, Job&& job) {
    {
      const std::lock_guard lock(mutex_);
      queue_.push(tag, std::move(job));
    }
    wake_.notify_one();
  }

  /// A job that still waits is forgotten, and makes room.
  void cancel(JobTicket ticket) {
    const std::lock_guard lock(mutex_);
    queue_.cancel(ticket);
  }

 private:
  using Next = typename WorkQueue<Job>::Next;

  void work() {
    while (std::optional<Next> next = take()) {
      run_(std::move(next->job));
      if (next->size == JobSize::kLarge) {
        const std::lock_guard lock(mutex_);
        --large_running_;
      }
    }
  }

  /// Waits for a job that this thread may do; nothing when the pool ends.
  [[nodiscard]] std::optional<Next> take() {
    std::optional<Next> next;
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [&] {
      if (!is_stopping_) {
        next = queue_.pop(large_running_ < large_running_max_ ? JobSize::kLarge : JobSize::kSmall);
      }
      return is_stopping_ || next.has_value();
    });
    if (next.has_value() && next->size == JobSize::kLarge) {
      ++large_running_;
    }
    return next;
  }

  const uint32_t large_running_max_;
  const Run run_;
  std::mutex mutex_;
  std::condition_variable wake_;
  WorkQueue<Job> queue_;        ///< Under mutex_, as are the next two.
  uint32_t large_running_ = 0;  ///< Large jobs that are running.
  bool is_stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace daedalus
