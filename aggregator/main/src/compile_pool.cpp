#include "compile_pool.hpp"

#include <optional>
#include <utility>

#include "wall_clock.hpp"

namespace daedalus::aggregator {

CompilePool::CompilePool(uint32_t threads, std::shared_ptr<Compiler> compiler, OnCompiled on_compiled)
    : large_running_max_(threads), compiler_(std::move(compiler)), on_compiled_(std::move(on_compiled)) {
  for (uint32_t thread = 0; thread < threads + 1; ++thread) {
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

void CompilePool::submit(CompileRequest request) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push(std::move(request));
  }
  wake_.notify_one();
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
        next = is_stopping_ ? std::nullopt : queue_.pop(large_running_ < large_running_max_);
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
