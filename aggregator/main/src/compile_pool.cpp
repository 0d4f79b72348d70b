#include "compile_pool.hpp"

#include <chrono>
#include <optional>
#include <utility>

namespace daedalus::aggregator {

namespace {

/// What now() folds to.
int64_t wall_clock_us() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(since_epoch).count();
}

}  // namespace

CompilePool::CompilePool(Options options, std::shared_ptr<Compiler> compiler, OnCompiled on_compiled)
    : options_(options), compiler_(std::move(compiler)), on_compiled_(std::move(on_compiled)) {
  for (uint32_t thread = 0; thread < options_.threads + 1; ++thread) {
    threads_.emplace_back([this] { work(); });
  }
}

CompilePool::~CompilePool() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

bool CompilePool::submit(CompileRequest request) {
  {
    const std::lock_guard lock(mutex_);
    if (queue_.size() >= options_.queue_max) {
      return false;
    }
    queue_.push(std::move(request));
  }
  wake_.notify_one();
  return true;
}

void CompilePool::cancel(CompileTicket ticket) {
  const std::lock_guard lock(mutex_);
  queue_.cancel(ticket);
}

void CompilePool::work() {
  for (;;) {
    std::optional<CompileQueue::Next> next;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] {
        next = is_stopping_ ? std::nullopt : queue_.pop(large_running_ < options_.threads);
        return is_stopping_ || next.has_value();
      });
      if (!next.has_value()) {
        return;
      }
      large_running_ += next->is_large ? 1 : 0;
    }
    on_compiled_(next->request.ticket, compiler_->compile(next->request.statement, wall_clock_us()));
    if (next->is_large) {
      const std::lock_guard lock(mutex_);
      --large_running_;
    }
  }
}

}  // namespace daedalus::aggregator
