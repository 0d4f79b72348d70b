#include "compile_pool.hpp"

#include <chrono>
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
  for (uint32_t thread = 0; thread < options_.threads; ++thread) {
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
    queue_.push_back(std::move(request));
  }
  wake_.notify_one();
  return true;
}

void CompilePool::work() {
  for (;;) {
    CompileRequest request;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return is_stopping_ || !queue_.empty(); });
      if (is_stopping_) {
        return;
      }
      request = std::move(queue_.front());
      queue_.pop_front();
    }
    on_compiled_(request.ticket, compiler_->compile(request.statement, wall_clock_us()));
  }
}

}  // namespace daedalus::aggregator
