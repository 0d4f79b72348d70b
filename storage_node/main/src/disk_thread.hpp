// Does what waits for the disk, one piece after the other, on a thread of its own: whoever serves queries does not
// wait.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace daedalus::node {

class DiskThread {
 public:
  DiskThread() : thread_([this](const std::stop_token& stop) { work(stop); }) {}
  DiskThread(const DiskThread&) = delete;
  DiskThread& operator=(const DiskThread&) = delete;

  /// Runs `piece` after all that were given before. What is still waiting when this object goes is run first. The
  /// caller bounds how many wait.
  void run(std::function<void()> piece) {
    {
      const std::scoped_lock lock(mutex_);
      pieces_.push_back(std::move(piece));
    }
    is_given_.notify_one();
  }

 private:
  void work(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (is_given_.wait(lock, stop, [this] { return !pieces_.empty(); })) {
      const std::function<void()> piece = std::move(pieces_.front());
      pieces_.pop_front();
      lock.unlock();
      piece();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable_any is_given_;
  std::deque<std::function<void()>> pieces_;
  std::jthread thread_;  ///< Last: it uses all of the above.
};

}  // namespace daedalus::node
