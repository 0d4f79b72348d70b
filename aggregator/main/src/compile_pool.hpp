// Threads that turn SQL text into operations, so that the network's thread never waits for a parser.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "daedalus/aggregator/compile.hpp"
#include "daedalus/aggregator/core.hpp"

namespace daedalus::aggregator {

/// Called on a pool thread, once per request that was taken.
using OnCompiled = std::function<void(CompileTicket ticket, Result<Compiled> compiled)>;

class CompilePool {
 public:
  struct Options {
    uint32_t threads = 1;
    size_t queue_max = 1'024;  ///< Requests waiting; further ones are not taken.
  };

  CompilePool(Options options, std::shared_ptr<Compiler> compiler, OnCompiled on_compiled);
  /// Stops after the statements that are being compiled; those that wait are dropped.
  ~CompilePool();
  CompilePool(const CompilePool&) = delete;
  CompilePool& operator=(const CompilePool&) = delete;

  /// False when the queue is full. Never blocks on a compilation.
  [[nodiscard]] bool submit(CompileRequest request);

 private:
  void work();

  const Options options_;
  const std::shared_ptr<Compiler> compiler_;
  const OnCompiled on_compiled_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<CompileRequest> queue_;  ///< Under mutex_.
  bool is_stopping_ = false;          ///< Under mutex_.
  std::vector<std::thread> threads_;
};

}  // namespace daedalus::aggregator
